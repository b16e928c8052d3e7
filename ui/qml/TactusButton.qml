// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// An icon with a name, a tooltip and a keyboard path; `command` takes them from the table of actions.
ToolButton {
    id: button
    property string command
    property string name: actions.text(command)
    property string picture: actions.icon(command)
    property string shortcutHint: actions.keys(command)
    onClicked: if (command.length > 0) player.perform(command)
    implicitWidth: 34
    implicitHeight: 34
    focusPolicy: Qt.TabFocus
    icon.source: picture.length > 0 ? "qrc:/tactus/icons/" + picture + ".svg" : ""
    icon.width: 20
    icon.height: 20
    icon.color: enabled ? "#e8e8ea" : "#6a6a70"
    Accessible.name: name
    Accessible.role: Accessible.Button
    Accessible.onPressAction: clicked()
    ToolTip.text: name + (shortcutHint.length > 0 ? " (" + shortcutHint + ")" : "")
    ToolTip.visible: hovered
    ToolTip.delay: 600
    background: Rectangle {
        radius: 6
        color: button.down ? "#55ffffff" : button.hovered ? "#2effffff" : "transparent"
        border.width: button.visualFocus ? 2 : 0
        border.color: "#6db3ff"
    }
}
