// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Why the window gives way, and what helps.
Popup {
    id: why
    y: parent ? parent.height + 6 : 0
    width: Math.min(360, parent ? parent.Window.width - 24 : 360)
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
