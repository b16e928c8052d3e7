// SPDX-License-Identifier: Apache-2.0
import QtQuick

// Says that the window shows less than it could; a click says why, and what can be done.
Rectangle {
    id: pill
    readonly property bool shown: window.pill.length > 0
    readonly property bool explained: why.item !== null
    visible: shown
    property int most: 1000  // wide
    width: Math.min(label.implicitWidth + 22, most)
    height: 24
    // Opaque and without round corners: pictures go straight to the window around it.
    color: area.containsMouse || activeFocus ? "#b26a00" : "#8a5200"
    border.width: activeFocus ? 2 : 0
    border.color: "#6db3ff"
    activeFocusOnTab: shown
    Accessible.role: Accessible.Notification
    Accessible.name: window.sentence
    Accessible.onPressAction: why.made().open()
    Keys.onReturnPressed: why.made().open()
    Keys.onSpacePressed: why.made().open()
    onShownChanged: if (!shown && explained) why.item.close()
    Text {
        id: label
        anchors.centerIn: parent
        width: Math.min(implicitWidth, pill.width - 12)
        elide: Text.ElideRight
        color: "#ffffff"
        font.pixelSize: 13
        text: window.pill
    }
    MouseArea {
        id: area
        anchors.fill: parent
        hoverEnabled: true
        cursorShape: Qt.PointingHandCursor
        onClicked: why.made().open()
    }
    LateItem {
        id: why
        source: "PillReasons.qml"
        onLoaded: item.parent = pill
    }
}
