// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

Rectangle {
    id: controls
    property bool fullScreen: false
    signal advancedRequested()
    // Stands still while nobody sees it: an item that changes has the scene graph draw a frame, hidden or not.
    property real position: 0
    Binding on position { when: controls.visible; value: player.position; restoreMode: Binding.RestoreNone }
    readonly property bool busy: priorityMenu.visible || hover.hovered || speedMenu.visible || audioMenu.visible || subtitleMenu.visible || chapterMenu.visible || videoMenu.visible
    color: "#d8161618"
    implicitHeight: 74
    HoverHandler { id: hover }

    ColumnLayout {
        anchors { fill: parent; leftMargin: 12; rightMargin: 12; topMargin: 4; bottomMargin: 6 }
        spacing: 0
        SeekBar { Layout.fillWidth: true; place: controls.position }
        RowLayout {
            Layout.fillWidth: true
            spacing: 2
            TactusButton {
                name: player.playing ? qsTr("Pause") : qsTr("Play"); shortcutHint: qsTr("Space")
                picture: player.playing ? "pause" : "play"
                enabled: player.opened
                onClicked: player.perform("togglePause")
            }
            TactusButton {
                name: qsTr("Previous file"); shortcutHint: "<"; picture: "previous"
                visible: player.playlistSize > 1; enabled: player.playlistIndex > 0
                onClicked: player.perform("previous")
            }
            TactusButton {
                name: qsTr("Next file"); shortcutHint: ">"; picture: "next"
                visible: player.playlistSize > 1; enabled: player.playlistIndex + 1 < player.playlistSize
                onClicked: player.perform("next")
            }
            TactusButton {
                name: qsTr("One frame back"); shortcutHint: ","; picture: "step-back"
                visible: controls.width > 620; enabled: player.opened && player.hasVideo
                onClicked: player.perform("stepBackward")
            }
            TactusButton {
                name: qsTr("One frame on"); shortcutHint: "."; picture: "step-forward"
                visible: controls.width > 620; enabled: player.opened && player.hasVideo
                onClicked: player.perform("stepForward")
            }
            Text {
                Layout.leftMargin: 6
                color: "#e0e0e4"
                font.pixelSize: 13
                text: player.timeText(controls.position) + (player.duration > 0 ? " / " + player.timeText(player.duration) : "")
                Accessible.name: qsTr("Time %1").arg(text)
                Accessible.role: Accessible.StaticText
            }
            Item { Layout.fillWidth: true }
            TactusButton {
                name: player.muted ? qsTr("Sound on") : qsTr("Mute"); shortcutHint: "m"
                picture: player.muted || player.volume === 0 ? "muted" : "volume"
                onClicked: player.perform("mute")
            }
            Slider {
                id: volume
                implicitWidth: 84
                implicitHeight: 24
                visible: controls.width > 460
                from: 0; to: 1.3
                value: player.volume
                opacity: player.muted ? 0.5 : 1
                focusPolicy: Qt.TabFocus
                Accessible.name: qsTr("Volume")
                ToolTip.text: qsTr("Volume %1 %").arg(Math.round(player.volume * 100))
                ToolTip.visible: hovered
                onMoved: player.volume = value
            }
            TactusButton {
                name: qsTr("Speed"); shortcutHint: "[ ]"
                picture: ""
                text: player.speed.toFixed(player.speed * 10 % 1 ? 2 : 1) + "\u00d7"
                implicitWidth: 44
                visible: controls.width > 540
                palette.buttonText: "#e8e8ea"
                onClicked: speedMenu.popup(this, 0, -speedMenu.height)
                Menu {
                    id: speedMenu
                    Repeater {
                        model: [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4]
                        MenuItem {
                            required property real modelData
                            text: modelData + "\u00d7"
                            checkable: true
                            checked: Math.abs(player.speed - modelData) < 0.001
                            Accessible.name: qsTr("Speed %1").arg(text)
                            onTriggered: player.speed = modelData
                        }
                    }
                }
            }
            TactusButton {
                name: qsTr("Chapters"); shortcutHint: qsTr("PgUp, PgDn"); picture: "chapters"
                visible: player.chapters.length > 0
                onClicked: chapterMenu.popup(this, 0, -chapterMenu.height)
                Menu {
                    id: chapterMenu
                    Repeater {
                        model: player.chapters
                        MenuItem {
                            required property var modelData
                            text: player.timeText(modelData.start) + "  " + modelData.title
                            Accessible.name: text
                            onTriggered: player.seek(modelData.start, true)
                        }
                    }
                }
            }
            TactusButton {
                name: qsTr("Video track"); shortcutHint: "_"; picture: "video"
                visible: player.videoTracks.length > 1
                onClicked: videoMenu.popup(this, 0, -videoMenu.height)
                TrackMenu { id: videoMenu; kind: "video"; tracks: player.videoTracks }
            }
            TactusButton {
                name: qsTr("Audio track"); shortcutHint: "#"; picture: "audio"
                visible: player.audioTracks.length > 1
                onClicked: audioMenu.popup(this, 0, -audioMenu.height)
                TrackMenu { id: audioMenu; kind: "audio"; tracks: player.audioTracks }
            }
            TactusButton {
                name: qsTr("Subtitles"); shortcutHint: "j"; picture: "subtitles"
                visible: player.subtitleTracks.length > 0
                onClicked: subtitleMenu.popup(this, 0, -subtitleMenu.height)
                TrackMenu { id: subtitleMenu; kind: "subtitle"; tracks: player.subtitleTracks; withNone: true }
            }
            TactusButton {
                id: priority
                readonly property bool governed: typeof window !== "undefined" && window !== null
                readonly property string present: governed ? window.priority : "normal"
                visible: governed && controls.width > 360
                name: present === "high" ? qsTr("Priority: High") : present === "normal" ? qsTr("Priority: Normal") : qsTr("Priority: Background")
                shortcutHint: qsTr("Ctrl+1, 2, 3; right click for all")
                picture: "priority-" + present
                onClicked: player.perform(present === "high" ? "priorityNormal" : "priorityHigh")
                TapHandler { acceptedButtons: Qt.RightButton; onTapped: priorityMenu.popup(priority, 0, -priorityMenu.height) }
                PriorityMenu { id: priorityMenu; present: priority.present; onAdvancedRequested: controls.advancedRequested() }
            }
            TactusButton { name: qsTr("Statistics"); shortcutHint: "i"; picture: "stats"; visible: controls.width > 400; onClicked: player.perform("stats") }
            TactusButton { name: qsTr("Load"); shortcutHint: qsTr("Ctrl+I"); picture: "load"; visible: priority.governed && controls.width > 580; onClicked: player.perform("load") }
            TactusButton { name: qsTr("Open file"); shortcutHint: qsTr("Ctrl+O"); picture: "open"; onClicked: player.perform("openFile") }
            TactusButton {
                name: controls.fullScreen ? qsTr("Leave full screen") : qsTr("Full screen"); shortcutHint: "f"
                picture: controls.fullScreen ? "restore" : "fullscreen"
                onClicked: player.perform("fullScreen")
            }
        }
    }
}
