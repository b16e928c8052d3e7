// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// What can be done in a call, below its pictures.
Rectangle {
    id: bar
    height: 60
    function choose(cameras, button) {
        menu.cameras = cameras
        menu.labels = call.devices(cameras)
        menu.current = call.device(cameras)
        menu.popup(button, 0, -menu.implicitHeight)
    }
    Menu {
        id: menu
        property bool cameras: false
        property var labels: []
        property int current: -1
        title: cameras ? qsTr("Camera") : qsTr("Microphone")
        Instantiator {
            model: menu.labels
            delegate: MenuItem {
                required property string modelData
                required property int index
                text: modelData
                Accessible.name: text
                checkable: true
                checked: index === menu.current
                onTriggered: call.chooseDevice(menu.cameras, index)
            }
            onObjectAdded: (index, object) => menu.insertItem(index, object)
            onObjectRemoved: (index, object) => menu.removeItem(object)
        }
        MenuItem {
            visible: menu.labels.length === 0
            enabled: false
            text: menu.cameras ? qsTr("There is no camera") : qsTr("There is no microphone")
        }
        MenuItem {
            visible: !menu.cameras
            height: visible ? implicitHeight : 0
            text: qsTr("Original sound, for music")
            Accessible.name: text
            checkable: true
            checked: call.originalSound
            onTriggered: call.originalSound = checked
        }
    }
    // What could be shared: the desktop's dialog, or a film of this program.
    function chooseShared() {
        sources.titles = call.films()
        sources.popup(screen, 0, -sources.implicitHeight)
    }
    Menu {
        id: sources
        objectName: "sources"
        property var titles: []
        title: qsTr("Share")
        MenuItem {
            text: qsTr("A screen or a window\u2026")
            Accessible.name: text
            onTriggered: call.perform("shareAnother")
        }
        MenuSeparator {}
        Instantiator {
            model: sources.titles
            delegate: MenuItem {
                required property string modelData
                required property int index
                text: modelData
                Accessible.name: text
                onTriggered: call.shareFilm(index)
            }
            onObjectAdded: (index, object) => sources.insertItem(2 + index, object)
            onObjectRemoved: (index, object) => sources.removeItem(object)
        }
        MenuItem {
            visible: sources.titles.length === 0
            height: visible ? implicitHeight : 0
            enabled: false
            text: qsTr("No film plays in this program")
        }
    }
    Connections {
        target: call
        function onFilmsRequested() { bar.chooseShared() }
    }
    color: "#1c1c20"
    Text {
        anchors { left: parent.left; leftMargin: 16; verticalCenter: parent.verticalCenter; right: buttons.left; rightMargin: 12 }
        visible: buttons.x > 120
        elide: Text.ElideRight
        color: "#c8c8ce"
        font.pixelSize: 14
        text: call.room
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    Row {
        id: buttons
        anchors.centerIn: parent
        spacing: bar.width < 560 ? 4 : 10
        CallButton {
            id: microphone
            does: "toggleMicrophone"
            visible: call.hasMicrophone
            name: call.microphoneMuted ? qsTr("Microphone on") : qsTr("Microphone off")
            picture: call.microphoneMuted ? "microphone-off" : "microphone"
            alarming: call.microphoneMuted
            TapHandler { acceptedButtons: Qt.RightButton; onTapped: bar.choose(false, microphone) }
            // How loud it is: a ring that is closed at full scale.
            Rectangle {
                anchors { bottom: parent.bottom; horizontalCenter: parent.horizontalCenter; bottomMargin: 4 }
                visible: !call.microphoneMuted
                width: Math.round(28 * call.loudness)
                height: 3
                radius: 1.5
                color: "#57e389"
            }
        }
        CallButton {
            id: camera
            does: "toggleCamera"
            TapHandler { acceptedButtons: Qt.RightButton; onTapped: bar.choose(true, camera) }
            visible: call.hasCamera
            name: call.cameraMuted ? qsTr("Camera on") : qsTr("Camera off")
            picture: call.cameraMuted ? "video-off" : "video"
            alarming: call.cameraMuted
        }
        CallButton {
            id: screen
            does: "toggleScreen"
            TapHandler { acceptedButtons: Qt.RightButton; onTapped: bar.chooseShared() }
            name: call.asksScreen ? qsTr("Do not share the screen: the desktop asks which")
                : call.sharing ? qsTr("Cease to share") : qsTr("Share the screen")
            picture: "screen"
            lit: call.sharing
            SequentialAnimation on opacity {
                running: call.asksScreen
                alwaysRunToEnd: true
                loops: Animation.Infinite
                NumberAnimation { to: 0.4; duration: 500 }
                NumberAnimation { to: 1; duration: 500 }
            }
        }
        CallButton {
            does: "toggleHand"
            name: call.hand ? qsTr("Lower the hand") : qsTr("Raise the hand")
            picture: "hand"
            lit: call.hand
        }
        CallButton {
            does: "layout"
            picture: "grid"
            lit: call.speakerLarge
        }
        CallButton {
            does: "people"
            picture: "people"
            lit: call.panel === "people"
            count: call.waiting.length
        }
        CallButton {
            does: "chat"
            picture: "chat"
            lit: call.panel === "chat"
            count: call.unread
        }
        CallButton {
            does: "leave"
            picture: "leave"
            alarming: true
        }
    }
}
