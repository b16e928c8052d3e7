// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

ApplicationWindow {
    id: root
    visible: true
    width: 1280
    height: 720
    minimumWidth: 480
    minimumHeight: 320
    color: "#101012"
    title: call.room.length > 0 ? qsTr("%1 \u2013 Tactus").arg(call.room) : qsTr("Call \u2013 Tactus")
    TactusPalette { id: colours }
    palette: colours
    property bool ends: false
    // A room that is here goes with its window.
    onClosing: close => {
        if (ends || !hosting || call.phase === "ended" || call.people.length < 2) return
        close.accepted = false
        ending.made().open()
    }
    onActiveChanged: if (!active) call.handleRelease(Qt.Key_Space, false)

    FocusScope {
        id: keys
        anchors.fill: parent
        focus: true
        Keys.onPressed: event => { if (choosing.active && event.key !== Qt.Key_W) return; event.accepted = call.handleKey(event.key, event.modifiers, event.text, event.isAutoRepeat) }
        Keys.onReleased: event => { event.accepted = call.handleRelease(event.key, event.isAutoRepeat) }

        Item {
            id: field
            objectName: "field"
            visible: !choosing.active
            readonly property bool covered: help.visible || toast.visible || sentence.visible || inviting.visible || (ending.item !== null && ending.item.visible)
            anchors { left: parent.left; right: panel.left; top: parent.top; bottom: bar.top }
        }
        Loader {
            id: choosing
            anchors.fill: parent
            active: call.phase === "idle" && prejoin !== null
            source: "Prejoin.qml"
            onLoaded: item.forceActiveFocus()
            onActiveChanged: if (!active) keys.forceActiveFocus()
        }
        CallPanel {
            id: panel
            anchors { right: parent.right; top: parent.top; bottom: bar.top }
            visible: call.panel.length > 0
            width: visible ? Math.min(340, root.width / 2) : 0
            Connections {
                target: call
                function onPanelChanged() { if (panel.visible) panel.focusLine(); else keys.forceActiveFocus() }
            }
        }
        CallBar {
            id: bar
            visible: !choosing.active
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
        }
        TextMetrics { id: sentenceSize; font: sentenceText.font; text: call.sentence }
        TextMetrics { id: toastSize; font: toastText.font; text: call.toast }
        Rectangle {
            id: sentence
            visible: call.sentence.length > 0
            anchors { top: field.top; horizontalCenter: field.horizontalCenter; topMargin: 24 }
            width: sentenceText.width + 40
            height: sentenceText.height + 20
            radius: 8
            color: call.phase === "ended" ? "#8f2a2a" : "#e8161618"
            Text {
                id: sentenceText
                anchors.centerIn: parent
                width: Math.min(Math.ceil(sentenceSize.advanceWidth) + 4, field.width - 80)
                horizontalAlignment: Text.AlignHCenter
                wrapMode: Text.Wrap
                color: "#ffffff"
                font.pixelSize: 15
                text: call.sentence
                Accessible.role: Accessible.AlertMessage
                Accessible.name: text
            }
        }
        Rectangle {
            id: toast
            visible: call.toast.length > 0
            anchors { bottom: field.bottom; horizontalCenter: field.horizontalCenter; bottomMargin: 20 }
            width: toastText.width + 28
            height: toastText.height + 16
            radius: 8
            color: "#e8161618"
            Text {
                id: toastText
                anchors.centerIn: parent
                width: Math.min(Math.ceil(toastSize.advanceWidth) + 4, field.width - 68)
                horizontalAlignment: Text.AlignHCenter
                wrapMode: Text.Wrap
                color: "#ffffff"
                font.pixelSize: 14
                textFormat: Text.PlainText
                text: call.toast
                Accessible.role: Accessible.Notification
                Accessible.name: text
            }
        }
        LateItem {
            id: inviting
            anchors.fill: field
            needed: invitation.shown && !choosing.active
            visible: needed
            source: "Invitation.qml"
        }
        LateItem {
            id: help
            property bool shown: false
            anchors.fill: field
            needed: shown
            visible: shown
            sourceComponent: Item { HelpSheet { anchors.centerIn: parent } }
            Connections {
                target: call
                function onHelpToggled() { help.shown = !help.shown }
                function onEscaped() { help.shown = false; invitation.setShown(false) }
            }
        }
        LateItem {
            id: ending
            sourceComponent: Dialog {
                parent: keys
                anchors.centerIn: parent
                width: Math.min(440, root.width - 40)
                modal: true
                title: qsTr("End the call?")
                standardButtons: Dialog.Yes | Dialog.Cancel
                Label {
                    width: parent.width
                    wrapMode: Text.Wrap
                    text: qsTr("This room is on your machine: when you leave, it ends for everybody.")
                }
                onOpened: standardButton(Dialog.Yes).forceActiveFocus(Qt.TabFocusReason)
                onAccepted: { root.ends = true; root.close() }
                onRejected: keys.forceActiveFocus()
            }
        }
    }
}
