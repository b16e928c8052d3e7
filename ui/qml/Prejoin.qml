// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Before a call: as who, and with what. The camera is seen, and the microphone's level, as they are.
FocusScope {
    id: page
    readonly property int wide: Math.min(width - 48, 520)

    Flickable {
        anchors.fill: parent
        contentHeight: Math.max(height, column.height + 40)
        Column {
            id: column
            anchors.centerIn: parent
            width: page.wide
            spacing: 12

            Text {
                width: parent.width
                horizontalAlignment: Text.AlignHCenter
                color: "#e8e8ea"
                font { pixelSize: 20; bold: true }
                text: hosting ? qsTr("Start a call") : qsTr("Join the call")
            }
            Rectangle {
                id: frame
                anchors.horizontalCenter: parent.horizontalCenter
                height: Math.max(90, Math.min(parent.width * 9 / 16, page.height - 370))
                width: Math.round(height * 16 / 9)
                color: "#26262b"
                Rectangle {
                    id: holder
                    anchors.fill: parent
                    visible: prejoin.seen
                    color: "#101012"
                    Accessible.role: Accessible.Graphic
                    Accessible.name: qsTr("Your camera")
                }
                TileBindings { holder: holder; covered: false; pill: noPill }
                Loader { id: noPill }
                Text {
                    anchors { fill: parent; margins: 16 }
                    visible: !prejoin.seen
                    horizontalAlignment: Text.AlignHCenter
                    verticalAlignment: Text.AlignVCenter
                    wrapMode: Text.Wrap
                    color: prejoin.cameraFault.length > 0 ? "#ff8a80" : "#9a9aa2"
                    font.pixelSize: 14
                    text: prejoin.cameraFault.length > 0 ? prejoin.cameraFault
                        : prejoin.camera < prejoin.cameras.length - 1 ? qsTr("The camera is opened\u2026") : qsTr("The others will not see you.")
                    Accessible.role: Accessible.StaticText
                    Accessible.name: text
                }
            }
            Grid {
                columns: 2
                columnSpacing: 12
                rowSpacing: 8
                verticalItemAlignment: Grid.AlignVCenter
                readonly property int field: parent.width - 120
                Text { width: 108; color: "#c8c8ce"; font.pixelSize: 14; text: qsTr("Name") }
                TextField {
                    id: nameField
                    objectName: "nameField"
                    focus: true
                    width: parent.field
                    maximumLength: 40
                    text: prejoin.name
                    placeholderText: qsTr("As the others see you")
                    Accessible.name: qsTr("Name")
                    onTextEdited: prejoin.name = text
                    onAccepted: prejoin.join()
                }
                Text { width: 108; color: "#c8c8ce"; font.pixelSize: 14; text: qsTr("Camera") }
                ComboBox {
                    width: parent.field
                    model: prejoin.cameras
                    currentIndex: prejoin.camera
                    Accessible.name: qsTr("Camera")
                    onActivated: index => prejoin.camera = index
                }
                Text { width: 108; color: "#c8c8ce"; font.pixelSize: 14; text: qsTr("Microphone") }
                ComboBox {
                    width: parent.field
                    model: prejoin.microphones
                    currentIndex: prejoin.microphone
                    Accessible.name: qsTr("Microphone")
                    onActivated: index => prejoin.microphone = index
                }
                Item { width: 108; height: 1 }
                Rectangle {
                    width: parent.field
                    height: 6
                    radius: 3
                    color: "#34343b"
                    Accessible.role: Accessible.ProgressBar
                    Accessible.name: qsTr("Level of the microphone")
                    Rectangle {
                        width: Math.round(parent.width * prejoin.loudness)
                        height: parent.height
                        radius: 3
                        color: "#57e389"
                    }
                }
                Item { width: 108; height: 1 }
                CheckBox {
                    objectName: "originalSound"
                    width: parent.field
                    visible: prejoin.microphone < prejoin.microphones.length - 1
                    checked: prejoin.originalSound
                    text: qsTr("Original sound, for music")
                    palette.windowText: "#c8c8ce"
                    Accessible.name: text
                    Accessible.description: qsTr("Neither echo nor noise is taken out of it")
                    onToggled: prejoin.originalSound = checked
                }
            }
            Text {
                width: parent.width
                wrapMode: Text.Wrap
                color: prejoin.microphoneFault.length > 0 ? "#ff8a80" : "#9a9aa2"
                font.pixelSize: 13
                text: prejoin.microphoneFault.length > 0 ? prejoin.microphoneFault
                    : qsTr("With headphones the others do not hear themselves.")
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            Button {
                id: joinButton
                objectName: "joinButton"
                anchors.horizontalCenter: parent.horizontalCenter
                width: 160
                height: 40
                enabled: prejoin.ready
                highlighted: true
                text: hosting ? qsTr("Start") : qsTr("Join")
                Accessible.name: text
                onClicked: prejoin.join()
                Keys.onReturnPressed: prejoin.join()
            }
        }
    }
}
