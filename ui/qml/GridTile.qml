// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// One film of the grid: its picture, and over it, while the pointer is there, what can be done with it.
FocusScope {
    id: tile
    readonly property bool governed: typeof window !== "undefined" && window !== null
    readonly property bool hovered: hover.hovered || priorityMenu.visible
    readonly property bool covered: bar.visible || toast.visible || banner.visible || busy.running || drag.active
        || (parent !== null && (parent.dragged > 0 || parent.helpShown)) || (Overlay.overlay !== null && Overlay.overlay.visible)
    activeFocusOnTab: true
    Accessible.role: Accessible.Graphic
    Accessible.name: player.title
    onActiveFocusChanged: if (activeFocus) cell.focused()
    z: drag.active ? 1 : 0

    Item {
        id: stage
        anchors.fill: parent
        focus: true
        Keys.onPressed: event => { event.accepted = player.handleKey(event.key, event.modifiers, event.text) }
        TileBindings { holder: tileHolder; covered: tile.covered; pill: pillLoader }
        // Its margin shows who has the keys, and who gives way.
        Rectangle {
            anchors.fill: parent
            color: tile.governed && window.pill.length > 0 ? "#c87a1a" : tile.activeFocus ? "#3584e4" : "black"
        }
        Rectangle {
            id: tileHolder
            anchors { fill: parent; margins: 2 }
            color: "black"
        }
        HoverHandler { id: hover }
        TapHandler {
            acceptedButtons: Qt.LeftButton
            onTapped: tile.forceActiveFocus()
            onDoubleTapped: cell.togglePin()
        }
        DragHandler {
            id: drag
            target: tile
            onActiveChanged: {
                tile.parent.dragged += active ? 1 : -1
                if (active) tile.forceActiveFocus()
                else cell.dropped(tile.x + tile.width / 2, tile.y + tile.height / 2)
            }
        }
        Loader {
            id: pillLoader
            active: tile.governed
            anchors { left: parent.left; top: parent.top; margins: 8 }
            sourceComponent: Pill {}
        }
        BusyIndicator {
            id: busy
            anchors.centerIn: parent
            visible: running
            running: player.state === "buffering"
        }
        Rectangle {
            id: toast
            visible: player.toast.length > 0
            anchors { right: parent.right; top: parent.top; margins: 8 }
            width: Math.min(toastText.implicitWidth + 16, parent.width - 16)
            height: toastText.implicitHeight + 10
            radius: 6
            color: "#d0161618"
            Text {
                id: toastText
                anchors { fill: parent; leftMargin: 8; rightMargin: 8 }
                verticalAlignment: Text.AlignVCenter
                elide: Text.ElideRight
                color: "#ffffff"
                text: player.toast
                Accessible.role: Accessible.Notification
                Accessible.name: text
            }
        }
        Text {
            id: banner
            anchors { fill: parent; margins: 24 }
            visible: player.error.length > 0
            horizontalAlignment: Text.AlignHCenter
            verticalAlignment: Text.AlignVCenter
            wrapMode: Text.Wrap
            color: "#ff8a80"
            font.pixelSize: 14
            text: player.error
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        Rectangle {
            id: bar
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: 2 }
            height: 38
            visible: tile.hovered && !drag.active
            color: "#d8161618"
            Text {
                anchors { left: parent.left; right: buttons.left; verticalCenter: parent.verticalCenter; leftMargin: 10 }
                elide: Text.ElideRight
                color: "#e8e8ea"
                font.pixelSize: 13
                text: player.title
            }
            Row {
                id: buttons
                anchors { right: parent.right; verticalCenter: parent.verticalCenter; rightMargin: 4 }
                TactusButton {
                    command: "togglePause"
                    name: actions.text(player.playing ? "pause" : "play")
                    picture: player.playing ? "pause" : "play"
                    visible: tile.width > 260
                }
                TactusButton {
                    command: "mute"
                    name: player.muted ? qsTr("Sound on") : actions.text("mute")
                    picture: player.muted ? "muted" : "volume"
                    visible: tile.width > 300
                }
                TactusButton {
                    id: priority
                    readonly property string present: tile.governed ? window.priority : "normal"
                    visible: tile.governed
                    name: actions.text("priority-" + present)
                    shortcutHint: qsTr("%1 to %2; right click for all").arg(actions.keys("priority-background")).arg(actions.keys("priority-high"))
                    picture: actions.icon("priority-" + present)
                    onClicked: player.perform(present === "high" ? "priority-normal" : "priority-high")
                    TapHandler { acceptedButtons: Qt.RightButton; onTapped: priorityMenu.popup() }
                    PriorityMenu { id: priorityMenu; present: priority.present; onChosen: which => player.perform("priority-" + which); onAdvancedRequested: advanced.made().show() }
                }
                TactusButton {
                    name: cell.pinned ? qsTr("Unpin") : qsTr("Pin"); shortcutHint: qsTr("double click")
                    picture: cell.pinned ? "unpin" : "pin"
                    onClicked: cell.togglePin()
                }
                TactusButton {
                    name: qsTr("Into its own window"); shortcutHint: actions.keys("grid")
                    picture: actions.icon("grid")
                    onClicked: cell.detach()
                }
                TactusButton {
                    name: actions.text("closeWindow"); shortcutHint: actions.keys("closeWindow")
                    picture: actions.icon("closeWindow")
                    onClicked: cell.close()
                }
            }
        }
    }
    LateItem {
        id: advanced
        sourceComponent: AdvancedDialog {
            parent: tile.Window.contentItem
            onClosed: tile.forceActiveFocus()
        }
    }
    LateItem {
        needed: tile.governed && window.refusal.length > 0
        sourceComponent: RefusalDialog { parent: tile.Window.contentItem }
    }
}
