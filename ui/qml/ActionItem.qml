// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// A menu's line for an action of the table. `asks`: a dialog follows.
MenuItem {
    id: item
    property string command
    property bool asks: false
    text: actions.text(command) + (asks ? "\u2026" : "")
    Accessible.name: text
    onTriggered: player.perform(command)
}
