// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Who gives way when not all can have everything: the window's claim in one click.
Menu {
    id: menu
    property string present
    signal advancedRequested()
    MenuItem { text: qsTr("High"); checkable: true; checked: menu.present === "high"; Accessible.name: text; onTriggered: player.perform("priorityHigh") }
    MenuItem { text: qsTr("Normal"); checkable: true; checked: menu.present === "normal"; Accessible.name: text; onTriggered: player.perform("priorityNormal") }
    MenuItem { text: qsTr("Background"); checkable: true; checked: menu.present === "background"; Accessible.name: text; onTriggered: player.perform("priorityBackground") }
    MenuSeparator {}
    MenuItem { text: qsTr("Advanced\u2026"); Accessible.name: text; onTriggered: menu.advancedRequested() }
}
