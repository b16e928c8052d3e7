// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// One participant, or a screen that is shared.
FocusScope {
    id: tile
    readonly property bool governed: window !== null
    readonly property bool hovered: hover.hovered || priorityMenu.visible
    readonly property bool covered: hand.visible || buttons.visible || !cell.pictured || Overlay.overlay !== null && Overlay.overlay.visible
        || (parent !== null && parent.covered)
    activeFocusOnTab: true
    Accessible.role: Accessible.Graphic
    Accessible.name: nameText.text

    // Its margin shows who speaks, and who has the keys.
    Rectangle {
        anchors { fill: parent; margins: 2 }
        color: tile.governed && window.pill.length > 0 ? "#c87a1a" : cell.speaking ? "#57e389" : tile.activeFocus ? "#3584e4" : "#101012"
    }
    TileBindings { holder: tileHolder; covered: tile.covered; pill: labelLoader }
    Rectangle {
        id: tileHolder
        anchors { fill: parent; margins: 4 }
        color: "#101012"
    }
    Rectangle {
        anchors { fill: parent; margins: 4 }
        visible: !cell.pictured
        color: "#26262b"
        Rectangle {
            anchors.centerIn: parent
            width: Math.round(Math.min(parent.width, parent.height) * 0.42)
            height: width
            radius: width / 2
            // One colour for each name.
            color: Qt.hsla([...cell.name].reduce((sum, c) => sum * 31 + c.codePointAt(0), 7) % 360 / 360, 0.35, 0.42, 1)
            Text {
                anchors.centerIn: parent
                color: "#ffffff"
                font.pixelSize: Math.max(10, Math.round(parent.height * 0.38))
                text: cell.initials
            }
        }
    }
    Loader {
        id: labelLoader
        anchors { left: parent.left; bottom: parent.bottom; margins: 10 }
        // Opaque and without round corners: pictures go straight to the window around it.
        sourceComponent: Rectangle {
            width: Math.min(label.implicitWidth + 14, tile.width - 16)
            height: 24
            color: "#26262b"
            Row {
                id: label
                anchors { left: parent.left; leftMargin: 7; verticalCenter: parent.verticalCenter }
                spacing: 5
                Image {
                    visible: !cell.audible && !cell.screen
                    anchors.verticalCenter: parent.verticalCenter
                    source: "qrc:/tactus/icons/microphone-off.svg"
                    sourceSize { width: 15; height: 15 }
                }
                Text {
                    id: nameLabel
                    anchors.verticalCenter: parent.verticalCenter
                    width: Math.min(implicitWidth, tile.governed && window.pill.length > 0 ? tile.width * 0.4 : tile.width - 60)
                    elide: Text.ElideRight
                    color: "#ffffff"
                    font.pixelSize: 13
                    text: nameText.text
                }
                Loader {
                    active: tile.governed
                    anchors.verticalCenter: parent.verticalCenter
                    sourceComponent: Pill { most: Math.max(40, tile.width - nameLabel.width - (cell.audible || cell.screen ? 40 : 60)) }
                }
                Text {
                    anchors.verticalCenter: parent.verticalCenter
                    // A pill says more of a poor connection.
                    visible: cell.lost || cell.poor && !(tile.governed && window.pill.length > 0)
                    color: "#f8c14c"
                    font.pixelSize: 13
                    text: cell.lost ? qsTr("connection lost") : qsTr("poor connection")
                }
            }
        }
    }
    QtObject {
        id: nameText
        readonly property string text: cell.you ? qsTr("%1 (you)").arg(cell.name)
            : cell.screen ? qsTr("Screen of %1").arg(cell.name) : cell.name
    }
    Rectangle {
        id: hand
        anchors { right: parent.right; top: parent.top; margins: 10 }
        visible: cell.hand
        width: 34
        height: 34
        radius: 17
        color: "#c87a1a"
        Accessible.role: Accessible.StaticText
        Accessible.name: qsTr("%1 has raised a hand").arg(cell.name)
        Image {
            anchors.centerIn: parent
            source: "qrc:/tactus/icons/hand.svg"
            sourceSize { width: 20; height: 20 }
        }
    }
    Image {
        anchors { left: parent.left; top: parent.top; margins: 10 }
        visible: cell.pinned
        source: "qrc:/tactus/icons/pin.svg"
        sourceSize { width: 18; height: 18 }
    }
    HoverHandler { id: hover }
    Row {
        id: buttons
        anchors { right: parent.right; bottom: parent.bottom; margins: 8 }
        visible: tile.hovered && !cell.you && tile.width > 170
        TactusButton {
            id: priority
            readonly property string present: tile.governed ? window.priority : "normal"
            visible: tile.governed
            name: actions.text("priority-" + present)
            shortcutHint: qsTr("%1 to %2; right click for all").arg(actions.keys("priority-background")).arg(actions.keys("priority-high"))
            picture: actions.icon("priority-" + present)
            onClicked: window.choosePriority(present === "high" ? "normal" : "high")
            TapHandler { acceptedButtons: Qt.RightButton; onTapped: priorityMenu.popup() }
            PriorityMenu {
                id: priorityMenu
                present: priority.present
                onChosen: which => window.choosePriority(which)
                onAdvancedRequested: advanced.made().show()
            }
        }
        TactusButton {
            name: cell.pinned ? qsTr("Unpin") : qsTr("Pin"); shortcutHint: qsTr("double click")
            picture: cell.pinned ? "unpin" : "pin"
            onClicked: cell.togglePin()
        }
    }
    LateItem {
        id: advanced
        sourceComponent: AdvancedDialog {
            parent: tile.Window.contentItem
            onClosed: tile.forceActiveFocus()
        }
    }
    Keys.onReturnPressed: cell.togglePin()
    TapHandler {
        onTapped: tile.forceActiveFocus()
        onDoubleTapped: cell.togglePin()
    }
}
