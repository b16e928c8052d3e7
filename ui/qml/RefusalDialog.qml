// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// One film too many: what it would need, and what can be done so that it fits.
Popup {
    id: dialog
    readonly property string sentence: window.refusal
    anchors.centerIn: parent
    width: Math.min(420, parent ? parent.width - 24 : 420)
    modal: true
    closePolicy: Popup.NoAutoClose
    padding: 14
    visible: sentence.length > 0
    onOpened: anyway.forceActiveFocus()
    background: Rectangle { color: "#f01c1c20"; radius: 8; border.color: "#c87a1a" }
    contentItem: Column {
        spacing: 10
        Text {
            width: parent.width
            wrapMode: Text.Wrap
            color: "#e8e8ea"
            font.pixelSize: 14
            text: dialog.sentence
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Flow {
            width: parent.width
            spacing: 6
            Repeater {
                model: window.offers
                Button {
                    required property string modelData
                    required property int index
                    text: modelData
                    Accessible.name: text
                    onClicked: window.accept(index)
                }
            }
            Button {
                id: anyway
                text: qsTr("Play it all the same")
                Accessible.name: text
                onClicked: window.admitAnyway()
            }
            Button {
                text: qsTr("Do not open it")
                Accessible.name: text
                onClicked: window.giveUp()
            }
        }
    }
}
