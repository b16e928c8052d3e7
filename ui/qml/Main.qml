// SPDX-License-Identifier: Apache-2.0
import QtQuick

// What a film needs that plays is here; Qt's controls and dialogs come with the first that shows one (LateItem).
Window {
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
    // A popup that closes leaves the keys to nobody.
    onActiveFocusItemChanged: if (active && (activeFocusItem === null || activeFocusItem === contentItem)) Qt.callLater(stage.forceActiveFocus)
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
        function onFullScreenLeft() { if (help.shown) help.shown = false; else if (root.isFullScreen) root.showNormal() }
        function onOpenFileRequested() { popups.made().openFile() }
        function onOpenUrlRequested() { popups.made().openUrl() }
        function onJoinRequested() { popups.made().joinCall() }
        function onHelpToggled() { help.shown = !help.shown }
        function onStateChanged() { if (!player.starting) root.wake() }
    }

    Item {
        id: stage
        anchors.fill: parent
        focus: true
        // Whether something lies over the picture that is blended with it.
        readonly property bool covered: controls.visible || statistics.visible || toast.visible || banner.visible
            || help.shown || cover.visible || busy.visible || (popups.item !== null && popups.item.shown)
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
                if (mouse.button === Qt.RightButton) popups.made().showMenu()
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
            source: !visible ? "" : player.cover.length > 0 ? player.cover : "qrc:/tactus/icons/audio.svg"
            sourceSize: player.cover.length > 0 ? undefined : Qt.size(160, 160)
            opacity: player.cover.length > 0 ? 1 : 0.35
        }
        LateItem {
            anchors.centerIn: parent
            needed: !player.opened && !player.starting
            visible: !player.opened
            source: "Welcome.qml"
        }
        LateItem {
            id: busy
            anchors.fill: parent
            needed: player.state === "buffering"
            visible: needed
            source: "Buffering.qml"
        }
        LateItem {
            id: statistics
            needed: player.statsVisible
            visible: needed
            anchors { left: parent.left; top: parent.top; margins: 12; topMargin: pillLoader.active && window.pill.length > 0 ? 44 : 12 }
            sourceComponent: Rectangle {
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
        LateItem {
            id: help
            property bool shown: false
            anchors.fill: parent
            needed: shown
            visible: shown
            sourceComponent: Item { HelpSheet { anchors.centerIn: parent } }
        }
        LateItem {
            id: banner
            anchors { left: parent.left; right: parent.right; top: parent.top; margins: 12 }
            needed: player.error.length > 0
            visible: needed
            source: "ErrorBanner.qml"
            Connections { target: banner.item; function onDismissed() { stage.forceActiveFocus() } }
        }
        LateItem {
            id: controls
            readonly property bool busy: item !== null && item.busy
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
            asynchronous: true  // pictures go on meanwhile
            needed: root.showControls
            source: "Controls.qml"
            visible: opacity > 0
            opacity: root.showControls && status === Loader.Ready ? 1 : 0
            Behavior on opacity { NumberAnimation { duration: 150 } }
            Binding { target: controls.item; property: "fullScreen"; value: root.isFullScreen }
            Connections { target: controls.item; function onAdvancedRequested() { popups.made().showAdvanced() } }
        }
        DropArea {
            anchors.fill: parent
            onDropped: drop => {
                if (drop.hasUrls) player.openUrls(drop.urls)
                else if (drop.hasText) player.open(drop.text.trim())
                drop.accept()
            }
        }
        LateItem {
            id: popups
            anchors.fill: parent
            needed: controls.active || (pillLoader.active && (window.refusal.length > 0 || pillLoader.item.explained))
            source: "WindowPopups.qml"
            Binding { target: popups.item; property: "fullScreen"; value: root.isFullScreen }
            Connections { target: popups.item; function onFinished() { stage.forceActiveFocus() } }
        }
    }
}
