// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// One menu for any kind of track.
Menu {
    id: menu
    property string kind
    property var tracks: []
    property bool withNone: false
    MenuItem {
        text: qsTr("None")
        visible: menu.withNone
        height: visible ? implicitHeight : 0
        checkable: true
        checked: menu.tracks.every(t => !t.selected)
        Accessible.name: text
        onTriggered: player.selectTrack(menu.kind, -1)
    }
    Instantiator {
        model: menu.tracks
        delegate: MenuItem {
            required property var modelData
            text: modelData.name
            checkable: true
            checked: modelData.selected
            Accessible.name: text
            onTriggered: player.selectTrack(menu.kind, modelData.index)
        }
        onObjectAdded: (index, object) => menu.insertItem(index + 1, object)
        onObjectRemoved: (index, object) => menu.removeItem(object)
    }
}
