// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// How others come into the call.
FocusScope {
    id: place
    readonly property bool low: height < 380
    Rectangle {
        id: card
        anchors.centerIn: parent
        width: Math.min(parent.width - 24, place.low ? 520 : 420)
        height: content.height + 32
        radius: 8
        color: "#f0161618"
        Accessible.role: Accessible.Dialog
        Accessible.name: actions.text("invite")
        Flow {
            id: content
            x: 16
            y: 16
            width: parent.width - 32
            spacing: 12
            Image {
                readonly property int side: Math.max(96, Math.min(place.low ? 150 : 240, place.height - 190))
                visible: status === Image.Ready
                source: invitation.code
                smooth: false
                fillMode: Image.PreserveAspectFit
                width: place.low ? side : content.width
                height: side
                Accessible.role: Accessible.Graphic
                Accessible.name: qsTr("QR code of the link")
            }
            Column {
                width: place.low ? content.width - 162 : content.width
                spacing: 10
                Text {
                    width: parent.width
                    wrapMode: Text.Wrap
                    color: "#e8e8ea"
                    font.pixelSize: 14
                    text: qsTr("Others come in by this link, with Tactus or a browser. It is valid as long as the call.")
                    Accessible.role: Accessible.StaticText
                    Accessible.name: text
                }
                TextField {
                    id: link
                    objectName: "invitationLink"
                    width: parent.width
                    readOnly: true
                    selectByMouse: true
                    text: invitation.link
                    placeholderText: qsTr("The link is asked for\u2026")
                    Accessible.name: qsTr("Link")
                    onTextChanged: cursorPosition = 0
                    onActiveFocusChanged: if (activeFocus) selectAll()
                    Keys.onEscapePressed: invitation.setShown(false)
                }
                Row {
                    anchors.right: parent.right
                    spacing: 8
                    Button {
                        id: copy
                        focus: true
                        enabled: invitation.link.length > 0
                        text: qsTr("Copy the link")
                        Accessible.name: text
                        Accessible.onPressAction: clicked()
                        onClicked: invitation.copy()
                    }
                    Button {
                        text: qsTr("Close")
                        Accessible.name: text
                        Accessible.onPressAction: clicked()
                        onClicked: invitation.setShown(false)
                    }
                }
            }
        }
    }
}
