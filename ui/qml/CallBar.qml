// SPDX-License-Identifier: Apache-2.0
import QtQuick

// What can be done in a call, below its pictures.
Rectangle {
    id: bar
    height: 60
    color: "#1c1c20"
    Text {
        anchors { left: parent.left; leftMargin: 16; verticalCenter: parent.verticalCenter; right: buttons.left; rightMargin: 12 }
        visible: buttons.x > 120
        elide: Text.ElideRight
        color: "#c8c8ce"
        font.pixelSize: 14
        text: call.room
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    Row {
        id: buttons
        anchors.centerIn: parent
        spacing: 10
        CallButton {
            id: microphone
            does: "toggleMicrophone"
            visible: call.hasMicrophone
            name: call.microphoneMuted ? qsTr("Microphone on") : qsTr("Microphone off")
            picture: call.microphoneMuted ? "microphone-off" : "microphone"
            alarming: call.microphoneMuted
            // How loud it is: a ring that is closed at full scale.
            Rectangle {
                anchors { bottom: parent.bottom; horizontalCenter: parent.horizontalCenter; bottomMargin: 4 }
                visible: !call.microphoneMuted
                width: Math.round(28 * call.loudness)
                height: 3
                radius: 1.5
                color: "#57e389"
            }
        }
        CallButton {
            does: "toggleCamera"
            visible: call.hasCamera
            name: call.cameraMuted ? qsTr("Camera on") : qsTr("Camera off")
            picture: call.cameraMuted ? "video-off" : "video"
            alarming: call.cameraMuted
        }
        CallButton {
            does: "toggleHand"
            name: call.hand ? qsTr("Lower the hand") : qsTr("Raise the hand")
            picture: "hand"
            lit: call.hand
        }
        CallButton {
            does: "layout"
            picture: "grid"
            lit: call.speakerLarge
        }
        CallButton {
            does: "people"
            picture: "people"
            lit: call.panel === "people"
            count: call.waiting.length
        }
        CallButton {
            does: "chat"
            picture: "chat"
            lit: call.panel === "chat"
            count: call.unread
        }
        CallButton {
            does: "leave"
            picture: "leave"
            alarming: true
        }
    }
}
