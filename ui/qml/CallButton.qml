// SPDX-License-Identifier: Apache-2.0
import QtQuick

// A button of a call's bar; `does` is of the table of its actions.
TactusButton {
    id: button
    objectName: "callButton"
    property string does
    property bool alarming: false  // what it stands for is off
    property bool lit: false
    property int count: 0
    name: actions.text(does)
    shortcutHint: actions.keys(does)
    implicitWidth: 44
    implicitHeight: 44
    onClicked: call.perform(does)
    background: Rectangle {
        radius: 22
        color: button.alarming ? (button.hovered ? "#d04545" : "#b93636")
            : button.down ? "#66ffffff" : button.hovered || button.lit ? "#40ffffff" : "#26ffffff"
        border.width: button.visualFocus ? 2 : 0
        border.color: "#6db3ff"
    }
    Rectangle {
        visible: button.count > 0
        anchors { right: parent.right; top: parent.top }
        width: Math.max(18, badge.implicitWidth + 8)
        height: 18
        radius: 9
        color: "#3584e4"
        Text {
            id: badge
            anchors.centerIn: parent
            color: "#ffffff"
            font { pixelSize: 11; bold: true }
            text: button.count > 99 ? "99+" : button.count
        }
    }
}
