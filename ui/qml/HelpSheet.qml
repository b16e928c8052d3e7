// SPDX-License-Identifier: Apache-2.0
import QtQuick

// Every key of the table of actions, in columns as high as the tallest group. Scrolls in a small window.
Rectangle {
    id: sheet
    readonly property int line: 19
    readonly property int tallest: Math.max(...actions.sheet.map(group => group.rows.length))
    color: "#f0161618"
    radius: 8
    width: Math.min(parent.width - 24, columns.implicitWidth + 40)
    height: Math.min(parent.height - 24, columns.height + 32)
    Accessible.role: Accessible.Note
    Accessible.name: actions.text("help")
    Flickable {
        anchors { fill: parent; leftMargin: 20; rightMargin: 20; topMargin: 16; bottomMargin: 16 }
        clip: true
        contentWidth: columns.implicitWidth
        contentHeight: columns.height
        Flow {
            id: columns
            flow: Flow.TopToBottom
            spacing: 22
            height: (sheet.tallest + 1.5) * sheet.line
            Repeater {
                model: actions.sheet
                Column {
                    required property var modelData
                    Text {
                        height: 1.5 * sheet.line
                        color: "#8ab8f0"
                        font { pixelSize: 13; bold: true }
                        text: modelData.title
                    }
                    Grid {
                        columns: 2
                        columnSpacing: 14
                        Repeater {
                            model: 2 * modelData.rows.length
                            Text {
                                required property int index
                                readonly property var row: modelData.rows[Math.floor(index / 2)]
                                readonly property bool isKey: index % 2 === 0
                                height: sheet.line
                                color: isKey ? "#ffffff" : "#c8c8ce"
                                font.pixelSize: 13
                                text: isKey ? row.keys : row.help
                                Accessible.role: Accessible.StaticText
                                Accessible.name: text
                            }
                        }
                    }
                }
            }
        }
    }
}
