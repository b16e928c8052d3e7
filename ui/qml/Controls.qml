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
                command: "togglePause"
                name: actions.text(player.playing ? "pause" : "play")
                picture: player.playing ? "pause" : "play"
                enabled: player.opened
            }
            TactusButton {
                command: "previous"
                visible: player.playlistSize > 1; enabled: player.playlistIndex > 0
            }
            TactusButton {
                command: "next"
                visible: player.playlistSize > 1; enabled: player.playlistIndex + 1 < player.playlistSize
            }
            TactusButton {
                command: "stepBackward"
                visible: controls.width > 620; enabled: player.opened && player.hasVideo
            }
            TactusButton {
                command: "stepForward"
                visible: controls.width > 620; enabled: player.opened && player.hasVideo
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
                command: "mute"
                name: player.muted ? qsTr("Sound on") : actions.text("mute")
                picture: player.muted || player.volume === 0 ? "muted" : "volume"
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
                name: qsTr("Speed"); shortcutHint: actions.keys("speedDown") + " " + actions.keys("speedUp")
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
                name: qsTr("Chapters"); shortcutHint: actions.keys("previousChapter") + " " + actions.keys("nextChapter"); picture: "chapters"
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
                name: qsTr("Video track"); shortcutHint: actions.keys("nextVideo"); picture: "video"
                visible: player.videoTracks.length > 1
                onClicked: videoMenu.popup(this, 0, -videoMenu.height)
                TrackMenu { id: videoMenu; kind: "video"; tracks: player.videoTracks }
            }
            TactusButton {
                name: qsTr("Audio track"); shortcutHint: actions.keys("nextAudio"); picture: "audio"
                visible: player.audioTracks.length > 1
                onClicked: audioMenu.popup(this, 0, -audioMenu.height)
                TrackMenu { id: audioMenu; kind: "audio"; tracks: player.audioTracks }
            }
            TactusButton {
                name: qsTr("Subtitles"); shortcutHint: actions.keys("nextSubtitle"); picture: "subtitles"
                visible: player.subtitleTracks.length > 0
                onClicked: subtitleMenu.popup(this, 0, -subtitleMenu.height)
                TrackMenu {
                    id: subtitleMenu; kind: "subtitle"; tracks: player.subtitleTracks; withNone: true
                    TrackMenu {
                        title: qsTr("Second, above"); kind: "second"; tracks: player.secondSubtitleTracks; withNone: true
                        enabled: player.subtitleTracks.length > 1
                    }
                }
            }
            TactusButton {
                id: priority
                readonly property bool governed: typeof window !== "undefined" && window !== null
                readonly property string present: governed ? window.priority : "normal"
                visible: governed && controls.width > 360
                name: actions.text("priority-" + present)
                shortcutHint: qsTr("%1 to %2; right click for all").arg(actions.keys("priority-background")).arg(actions.keys("priority-high"))
                picture: actions.icon("priority-" + present)
                onClicked: player.perform(present === "high" ? "priority-normal" : "priority-high")
                TapHandler { acceptedButtons: Qt.RightButton; onTapped: priorityMenu.popup(priority, 0, -priorityMenu.height) }
                PriorityMenu { id: priorityMenu; present: priority.present; onChosen: which => player.perform("priority-" + which); onAdvancedRequested: controls.advancedRequested() }
            }
            TactusButton { command: "stats"; visible: controls.width > 400 }
            TactusButton { command: "load"; visible: priority.governed && controls.width > 580 }
            TactusButton { command: "openFile" }
            TactusButton {
                command: "fullScreen"
                name: actions.text(controls.fullScreen ? "leaveFullScreen" : "fullScreen")
                picture: actions.icon(controls.fullScreen ? "leaveFullScreen" : "fullScreen")
            }
        }
    }
}
