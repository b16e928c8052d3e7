// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

Slider {
    id: bar
    from: 0
    to: Math.max(player.duration, 0.001)
    enabled: player.seekable && player.duration > 0
    property real place: 0
    value: place
    focusPolicy: Qt.TabFocus
    implicitHeight: 22
    Accessible.name: qsTr("Position")
    onMoved: player.seek(value, false)
    onPressedChanged: if (!pressed) value = Qt.binding(() => bar.place)
    // Arrow keys belong to the film, wherever the focus is.
    Keys.onPressed: event => event.accepted = player.handleKey(event.key, event.modifiers, event.text)

    background: Rectangle {
        x: bar.leftPadding
        y: bar.topPadding + bar.availableHeight / 2 - height / 2
        width: bar.availableWidth
        height: hover.hovered || bar.pressed || bar.visualFocus ? 6 : 4
        radius: 3
        color: "#50ffffff"
        Rectangle {
            width: bar.visualPosition * parent.width
            height: parent.height
            radius: 3
            color: "#4aa3ff"
        }
        Rectangle {
            visible: player.loopStart >= 0
            x: parent.width * player.loopStart / bar.to
            width: player.loopEnd > 0 ? parent.width * (player.loopEnd - player.loopStart) / bar.to : 2
            height: parent.height
            color: "#80ffb84a"
        }
        Repeater {
            model: player.chapters
            Rectangle {
                required property var modelData
                visible: modelData.start > 0
                x: parent.width * modelData.start / bar.to
                y: -2
                width: 2
                height: parent.height + 4
                color: "#d0ffffff"
            }
        }
    }
    handle: Rectangle {
        x: bar.leftPadding + bar.visualPosition * (bar.availableWidth - width)
        y: bar.topPadding + bar.availableHeight / 2 - height / 2
        width: 14
        height: 14
        radius: 7
        visible: bar.enabled
        color: "#ffffff"
        border.width: bar.visualFocus ? 2 : 0
        border.color: "#6db3ff"
    }
    HoverHandler { id: hover }
    Rectangle {
        readonly property real seconds: Math.max(0, Math.min(1, (hover.point.position.x - bar.leftPadding) / bar.availableWidth)) * bar.to
        readonly property var chapter: player.chapters.filter(c => c.start <= seconds).pop()
        visible: hover.hovered && bar.enabled
        x: Math.max(0, Math.min(bar.width - width, hover.point.position.x - width / 2))
        y: -height - 6
        width: label.width + 14
        height: label.height + 8
        radius: 4
        color: "#e0202024"
        Text {
            id: label
            anchors.centerIn: parent
            color: "#f0f0f0"
            font.pixelSize: 12
            text: player.timeText(parent.seconds) + (parent.chapter ? "  " + parent.chapter.title : "")
        }
    }
}
