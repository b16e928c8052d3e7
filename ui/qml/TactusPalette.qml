// SPDX-License-Identifier: Apache-2.0
import QtQuick

Palette {
    window: "#1c1c20"; windowText: "#e8e8ea"; base: "#26262b"; alternateBase: "#2e2e34"; text: "#e8e8ea"
    button: "#34343b"; buttonText: "#e8e8ea"; highlight: "#3584e4"; highlightedText: "#ffffff"
    light: "#4a4a52"; midlight: "#40404a"; mid: "#2a2a30"; dark: "#161618"; shadow: "#000000"
    toolTipBase: "#26262b"; toolTipText: "#e8e8ea"; placeholderText: "#9a9aa2"
}
