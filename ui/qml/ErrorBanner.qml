// SPDX-License-Identifier: Apache-2.0
import QtQuick

Rectangle {
    id: banner
    signal dismissed()
    implicitHeight: Math.max(44, sentence.implicitHeight + 20)
    radius: 6
    color: "#8f2a2a"
    Text {
        id: sentence
        anchors { left: parent.left; right: dismiss.left; verticalCenter: parent.verticalCenter; leftMargin: 14; rightMargin: 8 }
        wrapMode: Text.Wrap
        color: "#ffffff"
        font.pixelSize: 14
        text: player.error
        Accessible.role: Accessible.AlertMessage
        Accessible.name: sentence.text
    }
    TactusButton {
        id: dismiss
        anchors { right: parent.right; verticalCenter: parent.verticalCenter; rightMargin: 6 }
        name: qsTr("Dismiss")
        picture: "close"
        onClicked: { player.dismissError(); banner.dismissed() }
    }
}
