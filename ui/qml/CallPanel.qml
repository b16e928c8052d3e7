// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Beside the pictures: the chat, or who is there.
Rectangle {
    id: panel
    color: "#1c1c20"
    function focusLine() { if (line.visible) line.forceActiveFocus() }

    Text {
        id: title
        anchors { left: parent.left; top: parent.top; margins: 14 }
        color: "#e8e8ea"
        font { pixelSize: 15; bold: true }
        text: actions.text(call.panel)
    }
    ListView {
        id: lines
        visible: call.panel === "chat"
        anchors { left: parent.left; right: parent.right; top: title.bottom; bottom: line.top; margins: 14 }
        clip: true
        spacing: 10
        model: call.chat
        onCountChanged: positionViewAtEnd()
        ScrollBar.vertical: ScrollBar {}
        delegate: Column {
            required property var modelData
            width: ListView.view.width
            Text {
                color: modelData.own ? "#8ab8f0" : "#9a9aa2"
                font.pixelSize: 12
                textFormat: Text.PlainText
                text: modelData.name + "  " + modelData.time
            }
            Text {
                width: parent.width
                wrapMode: Text.Wrap
                color: "#e8e8ea"
                font.pixelSize: 14
                textFormat: Text.PlainText
                text: modelData.text
                Accessible.role: Accessible.StaticText
                Accessible.name: modelData.name + ": " + modelData.text
            }
        }
        Text {
            anchors.centerIn: parent
            visible: lines.count === 0
            color: "#9a9aa2"
            font.pixelSize: 13
            text: qsTr("Nothing has been said yet.")
        }
    }
    TextField {
        id: line
        objectName: "chatLine"
        visible: call.panel === "chat"
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: 10 }
        enabled: call.phase === "joined"
        maximumLength: 1000
        placeholderText: qsTr("Say something to everybody")
        Accessible.name: placeholderText
        onAccepted: { call.say(text); clear() }
        Keys.onEscapePressed: call.perform("escape")
    }
    Column {
        id: lobby
        visible: call.panel === "people"
        anchors { left: parent.left; right: parent.right; top: title.bottom; margins: 14 }
        spacing: 6
        Button {
            text: actions.text("invite") + "\u2026"
            Accessible.name: actions.text("invite")
            Accessible.onPressAction: clicked()
            onClicked: call.perform("invite")
        }
        CheckBox {
            visible: call.host
            text: qsTr("Guests wait until they are let in")
            Accessible.name: text
            checked: call.lobby
            onToggled: { call.setLobby(checked); checked = Qt.binding(() => call.lobby) }
        }
        CheckBox {
            visible: call.host
            text: qsTr("Nobody else comes in")
            Accessible.name: text
            checked: call.locked
            onToggled: { call.setLocked(checked); checked = Qt.binding(() => call.locked) }
        }
        Repeater {
            model: call.waiting
            Row {
                required property var modelData
                spacing: 6
                Text {
                    width: lobby.width - 150
                    anchors.verticalCenter: parent.verticalCenter
                    elide: Text.ElideRight
                    color: "#f8c14c"
                    font.pixelSize: 14
                    textFormat: Text.PlainText
                    text: qsTr("%1 waits").arg(modelData.name)
                }
                Button { text: qsTr("Let in"); onClicked: call.admit(modelData.sid) }
                Button { text: qsTr("No"); onClicked: call.deny(modelData.sid) }
            }
        }
    }
    ListView {
        visible: call.panel === "people"
        anchors { left: parent.left; right: parent.right; top: lobby.bottom; bottom: parent.bottom; margins: 14 }
        clip: true
        spacing: 4
        model: call.people
        ScrollBar.vertical: ScrollBar {}
        delegate: Item {
            id: person
            required property var modelData
            width: ListView.view.width
            height: 34
            HoverHandler { id: hover }
            Text {
                anchors { left: parent.left; right: signs.left; verticalCenter: parent.verticalCenter; rightMargin: 6 }
                elide: Text.ElideRight
                color: person.modelData.speaking ? "#57e389" : "#e8e8ea"
                font.pixelSize: 14
                textFormat: Text.PlainText
                text: person.modelData.name + (person.modelData.you ? qsTr(" (you)") : person.modelData.host ? qsTr(" (host)") : "")
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            Row {
                id: signs
                anchors { right: parent.right; verticalCenter: parent.verticalCenter }
                spacing: 6
                TactusButton {
                    visible: call.host && !person.modelData.you && hover.hovered
                    name: qsTr("Remove %1").arg(person.modelData.name)
                    picture: "close"
                    onClicked: call.removeOther(person.modelData.sid)
                }
                Image {
                    anchors.verticalCenter: parent.verticalCenter
                    visible: person.modelData.hand
                    source: "qrc:/tactus/icons/hand.svg"
                    sourceSize { width: 18; height: 18 }
                }
                TactusButton {
                    enabled: call.host && !person.modelData.you && person.modelData.audible
                    name: person.modelData.audible ? qsTr("Mute %1").arg(person.modelData.name) : qsTr("%1 is muted").arg(person.modelData.name)
                    picture: person.modelData.audible ? "microphone" : "microphone-off"
                    onClicked: call.muteOther(person.modelData.sid)
                }
            }
        }
    }
}
