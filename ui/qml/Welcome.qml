// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

// What an empty window says.
ColumnLayout {
    spacing: 14
    Image {
        Layout.alignment: Qt.AlignHCenter
        source: "qrc:/tactus/icons/tactus.svg"
        sourceSize: Qt.size(88, 88)
    }
    Text {
        Layout.alignment: Qt.AlignHCenter
        text: qsTr("Drop a film here")
        color: "#e8e8ea"
        font.pixelSize: 22
    }
    RowLayout {
        Layout.alignment: Qt.AlignHCenter
        spacing: 8
        Button {
            text: actions.text("openFile") + "\u2026"
            Accessible.name: actions.text("openFile")
            Accessible.onPressAction: clicked()
            onClicked: player.perform("openFile")
        }
        Button {
            text: actions.text("openUrl") + "\u2026"
            Accessible.name: actions.text("openUrl")
            Accessible.onPressAction: clicked()
            onClicked: player.perform("openUrl")
        }
    }
    RowLayout {
        Layout.alignment: Qt.AlignHCenter
        spacing: 8
        Button {
            text: actions.text("startCall")
            Accessible.name: text
            Accessible.onPressAction: clicked()
            onClicked: player.perform("startCall")
        }
        Button {
            text: actions.text("joinCall") + "\u2026"
            Accessible.name: actions.text("joinCall")
            Accessible.onPressAction: clicked()
            onClicked: player.perform("joinCall")
        }
    }
    Text {
        Layout.alignment: Qt.AlignHCenter
        visible: player.recent.length > 0
        text: qsTr("Recent")
        color: "#9a9aa2"
        font.pixelSize: 13
    }
    Repeater {
        model: player.recent.slice(0, 5)
        Button {
            required property string modelData
            Layout.alignment: Qt.AlignHCenter
            Layout.maximumWidth: 420
            flat: true
            text: decodeURIComponent(modelData.split("/").pop())
            Accessible.name: qsTr("Open %1").arg(text)
            Accessible.onPressAction: clicked()
            onClicked: player.open(modelData)
        }
    }
}
