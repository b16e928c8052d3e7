// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Says that the window shows less than it could; a click says why, and what can be done.
Rectangle {
    id: pill
    readonly property bool shown: window.pill.length > 0
    visible: shown
    width: label.implicitWidth + 22
    height: 24
    // Opaque and without round corners: pictures go straight to the window around it.
    color: area.containsMouse || activeFocus ? "#b26a00" : "#8a5200"
    border.width: activeFocus ? 2 : 0
    border.color: "#6db3ff"
    activeFocusOnTab: shown
    Accessible.role: Accessible.Notification
    Accessible.name: window.sentence
    Accessible.onPressAction: why.open()
    Keys.onReturnPressed: why.open()
    Keys.onSpacePressed: why.open()
    onShownChanged: if (!shown) why.close()
    Text {
        id: label
        anchors.centerIn: parent
        color: "#ffffff"
        font.pixelSize: 13
        text: window.pill
    }
    MouseArea {
        id: area
        anchors.fill: parent
        hoverEnabled: true
        cursorShape: Qt.PointingHandCursor
        onClicked: why.open()
    }
    Popup {
        id: why
        y: pill.height + 6
        width: Math.min(360, pill.Window.width - 24)
        padding: 12
        background: Rectangle { color: "#f01c1c20"; radius: 8; border.color: "#4a4a52" }
        contentItem: Column {
            spacing: 8
            Text {
                width: parent.width
                wrapMode: Text.Wrap
                color: "#e8e8ea"
                font.pixelSize: 14
                text: window.sentence
            }
            Flow {
                width: parent.width
                spacing: 6
                Repeater {
                    model: window.remedies
                    Button {
                        required property var modelData
                        text: modelData.text
                        Accessible.name: text
                        onClicked: { why.close(); window.remedy(modelData.action) }
                    }
                }
            }
        }
    }
}
