// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// What opens over the film of a window. Qt's controls are loaded with it.
Item {
    id: popups
    property bool fullScreen: false
    readonly property bool governed: typeof window !== "undefined" && window !== null
    readonly property bool shown: Overlay.overlay !== null && Overlay.overlay.visible
    signal finished()  // the keys are the film's again
    function showMenu() { menu.made().popup(popups) }
    function showAdvanced() { advanced.made().show() }
    function openFile() { films.made().open() }
    function openUrl() { address.made().show(false) }
    function joinCall() { address.made().show(true) }

    LateItem {
        id: menu
        sourceComponent: Menu {
            ActionItem { command: "openFile"; asks: true }
            ActionItem { command: "openUrl"; asks: true }
            ActionItem { command: "newWindow" }
            ActionItem { command: "grid" }
            MenuSeparator {}
            ActionItem { command: "startCall" }
            ActionItem { command: "joinCall"; asks: true }
            MenuSeparator {}
            PriorityMenu {
                title: qsTr("Priority")
                enabled: popups.governed
                present: popups.governed ? window.priority : "normal"
                onChosen: priority => player.perform("priority-" + priority)
                onAdvancedRequested: popups.showAdvanced()
            }
            ActionItem { command: "load"; asks: true }
            MenuSeparator {}
            ActionItem { command: "togglePause"; text: actions.text(player.playing ? "pause" : "play"); enabled: player.opened }
            ActionItem { command: "loopFile"; checkable: true; checked: player.loop }
            ActionItem { command: "fullScreen"; checkable: true; checked: popups.fullScreen }
            ActionItem { command: "screenshot"; enabled: player.hasVideo }
            ActionItem { command: "stats"; checkable: true; checked: player.statsVisible }
            ActionItem { command: "help" }
        }
    }
    LateItem {
        id: advanced
        sourceComponent: AdvancedDialog { parent: popups; onClosed: popups.finished() }
    }
    LateItem {
        needed: popups.governed && window.refusal.length > 0
        sourceComponent: RefusalDialog { parent: popups; onClosed: popups.finished() }
    }
    LateItem {
        id: address
        sourceComponent: AddressDialog { parent: popups; onAccepted: popups.finished(); onRejected: popups.finished() }
    }
    LateItem {
        id: films
        source: "FilmDialog.qml"
        onLoaded: item.parentWindow = popups.Window.window
        Connections {
            target: films.item
            function onAccepted() { player.openUrls(films.item.selectedFiles); popups.finished() }
            function onRejected() { popups.finished() }
        }
    }
}
