// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls
import QtQuick.Dialogs
import QtQuick.Layouts

ApplicationWindow {
    id: root
    visible: true
    width: 854
    height: 480
    minimumWidth: 320
    minimumHeight: 180
    color: "black"
    title: player.title.length > 0 && player.opened ? player.title + " \u2013 Tactus" : "Tactus"
    TactusPalette { id: colours }
    palette: colours
    readonly property bool isFullScreen: visibility === Window.FullScreen
    property bool awake: !player.starting
    readonly property bool showControls: awake || player.resting || controls.busy
    function wake() { awake = true; sleepTimer.restart() }

    Timer {
        id: sleepTimer
        interval: 2500
        running: player.playing
        onTriggered: root.awake = false
    }
    Connections {
        target: player
        function onFullScreenToggled() { root.isFullScreen ? root.showNormal() : root.showFullScreen() }
        function onFullScreenLeft() { if (help.visible) help.visible = false; else if (root.isFullScreen) root.showNormal() }
        function onOpenFileRequested() { fileDialog.open() }
        function onOpenUrlRequested() { urlDialog.open(); address.forceActiveFocus() }
        function onHelpToggled() { help.visible = !help.visible }
        function onStateChanged() { if (!player.starting) root.wake() }
    }

    Item {
        id: stage
        anchors.fill: parent
        focus: true
        // Whether something lies over the picture that is blended with it.
        readonly property bool covered: controls.visible || statistics.visible || toast.visible || banner.visible
            || help.visible || cover.visible || busy.running || (Overlay.overlay !== null && Overlay.overlay.visible)
        Keys.onPressed: event => { event.accepted = player.handleKey(event.key, event.modifiers, event.text) }
        Component.onCompleted: {
            forceActiveFocus()
        }

        TileBindings {
            holder: tileHolder
            covered: stage.covered
            frame: border.visible ? border.border.width : 0
            pill: pillLoader
        }
        Item {
            id: tileHolder
            anchors.fill: parent
            Accessible.role: Accessible.Graphic
            Accessible.name: qsTr("Film")
        }
        MouseArea {
            anchors.fill: parent
            hoverEnabled: true
            acceptedButtons: Qt.LeftButton | Qt.RightButton
            cursorShape: root.showControls ? Qt.ArrowCursor : Qt.BlankCursor
            onPositionChanged: root.wake()
            onClicked: mouse => {
                stage.forceActiveFocus()
                if (mouse.button === Qt.RightButton) contextMenu.popup()
            }
            onDoubleClicked: mouse => { if (mouse.button === Qt.LeftButton) player.perform("fullScreen") }
            onWheel: wheel => {
                const sideways = Math.abs(wheel.angleDelta.x) > Math.abs(wheel.angleDelta.y) || (wheel.modifiers & Qt.ShiftModifier)
                const up = wheel.angleDelta.y + wheel.angleDelta.x > 0
                player.perform(sideways ? (up ? "seekForward" : "seekBack") : (up ? "volumeUp" : "volumeDown"))
                root.wake()
            }
        }
        Rectangle {
            id: border
            anchors.fill: parent
            visible: pillLoader.active && window.pill.length > 0
            color: "transparent"
            border.width: 3
            border.color: "#c87a1a"
        }
        Loader {
            id: pillLoader
            active: typeof window !== "undefined" && window !== null
            anchors { left: parent.left; top: parent.top; margins: 12 }
            sourceComponent: Pill {}
        }
        // Sound without pictures: its cover, or a quiet sign.
        Image {
            id: cover
            anchors.centerIn: parent
            visible: player.opened && !player.hasVideo && player.duration > 0
            width: Math.min(parent.width, parent.height - 140) * 0.8
            height: width
            fillMode: Image.PreserveAspectFit
            source: player.cover.length > 0 ? player.cover : "qrc:/tactus/icons/audio.svg"
            sourceSize: player.cover.length > 0 ? undefined : Qt.size(160, 160)
            opacity: player.cover.length > 0 ? 1 : 0.35
        }
        Welcome {
            anchors.centerIn: parent
            visible: !player.opened
        }
        BusyIndicator {
            id: busy
            anchors.centerIn: parent
            visible: running
            running: player.state === "buffering"
            Accessible.name: qsTr("Buffering %1 %").arg(player.buffering)
        }
        Text {
            anchors { horizontalCenter: parent.horizontalCenter; top: parent.verticalCenter; topMargin: 40 }
            visible: player.state === "buffering"
            color: "#e8e8ea"
            text: qsTr("Buffering %1 %").arg(player.buffering)
        }
        Rectangle {
            id: statistics
            visible: player.statsVisible
            anchors { left: parent.left; top: parent.top; margins: 12; topMargin: pillLoader.active && window.pill.length > 0 ? 44 : 12 }
            width: statsText.implicitWidth + 24
            height: statsText.implicitHeight + 18
            radius: 6
            color: "#c8101012"
            Text {
                id: statsText
                anchors.centerIn: parent
                color: "#dfe7ef"
                font.family: "monospace"
                font.pixelSize: 12
                text: player.stats
                Accessible.role: Accessible.StaticText
                Accessible.name: qsTr("Statistics")
            }
        }
        Rectangle {
            id: toast
            visible: player.toast.length > 0
            anchors { right: parent.right; top: parent.top; margins: 12 }
            width: Math.min(toastText.implicitWidth + 24, parent.width - 24)
            height: toastText.implicitHeight + 14
            radius: 6
            color: "#d0161618"
            Text {
                id: toastText
                anchors { fill: parent; leftMargin: 12; rightMargin: 12 }
                verticalAlignment: Text.AlignVCenter
                wrapMode: Text.Wrap
                color: "#ffffff"
                font.pixelSize: 14
                text: player.toast
                Accessible.role: Accessible.Notification
                Accessible.name: text
            }
        }
        HelpSheet {
            id: help
            visible: false
            anchors.centerIn: parent
        }
        Rectangle {
            id: banner
            visible: player.error.length > 0
            anchors { left: parent.left; right: parent.right; top: parent.top; margins: 12 }
            height: Math.max(44, bannerText.implicitHeight + 20)
            radius: 6
            color: "#8f2a2a"
            Text {
                id: bannerText
                anchors { left: parent.left; right: dismiss.left; verticalCenter: parent.verticalCenter; leftMargin: 14; rightMargin: 8 }
                wrapMode: Text.Wrap
                color: "#ffffff"
                font.pixelSize: 14
                text: player.error
                Accessible.role: Accessible.AlertMessage
                Accessible.name: text
            }
            TactusButton {
                id: dismiss
                anchors { right: parent.right; verticalCenter: parent.verticalCenter; rightMargin: 6 }
                name: qsTr("Dismiss")
                picture: "close"
                onClicked: { player.dismissError(); stage.forceActiveFocus() }
            }
        }
        Controls {
            id: controls
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
            fullScreen: root.isFullScreen
            onAdvancedRequested: advancedLoader.item.show()
            visible: opacity > 0
            opacity: root.showControls ? 1 : 0
            Behavior on opacity { NumberAnimation { duration: 150 } }
        }
        DropArea {
            anchors.fill: parent
            onDropped: drop => {
                if (drop.hasUrls) player.openUrls(drop.urls)
                else if (drop.hasText) player.open(drop.text.trim())
                drop.accept()
            }
        }
    }
    Menu {
        id: contextMenu
        ActionItem { command: "openFile"; asks: true }
        ActionItem { command: "openUrl"; asks: true }
        ActionItem { command: "newWindow" }
        ActionItem { command: "grid" }
        MenuSeparator {}
        PriorityMenu {
            title: qsTr("Priority")
            enabled: pillLoader.active
            present: pillLoader.active ? window.priority : "normal"
            onAdvancedRequested: advancedLoader.item.show()
        }
        ActionItem { command: "load"; asks: true }
        MenuSeparator {}
        ActionItem { command: "togglePause"; text: actions.text(player.playing ? "pause" : "play"); enabled: player.opened }
        ActionItem { command: "loopFile"; checkable: true; checked: player.loop }
        ActionItem { command: "fullScreen"; checkable: true; checked: root.isFullScreen }
        ActionItem { command: "screenshot"; enabled: player.hasVideo }
        ActionItem { command: "stats"; checkable: true; checked: player.statsVisible }
        ActionItem { command: "help" }
    }
    Loader {
        id: advancedLoader
        active: pillLoader.active
        sourceComponent: AdvancedDialog {
            parent: Overlay.overlay
            onClosed: stage.forceActiveFocus()
        }
    }
    Loader {
        active: pillLoader.active
        sourceComponent: RefusalDialog {
            parent: Overlay.overlay
            onClosed: stage.forceActiveFocus()
        }
    }
    FileDialog {
        id: fileDialog
        title: qsTr("Open file")
        fileMode: FileDialog.OpenFiles
        onAccepted: { player.openUrls(selectedFiles); stage.forceActiveFocus() }
        onRejected: stage.forceActiveFocus()
    }
    Dialog {
        id: urlDialog
        anchors.centerIn: parent
        width: Math.min(480, root.width - 40)
        modal: true
        title: qsTr("Open address")
        standardButtons: Dialog.Open | Dialog.Cancel
        TextField {
            id: address
            width: parent.width
            placeholderText: "https://, rtsp://, srt://"
            Accessible.name: qsTr("Address")
            onAccepted: urlDialog.accept()
        }
        onAccepted: { if (address.text.trim().length > 0) player.open(address.text.trim()); stage.forceActiveFocus() }
        onRejected: stage.forceActiveFocus()
    }
}
