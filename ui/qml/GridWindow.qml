// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

ApplicationWindow {
    id: root
    visible: true
    width: 1280
    height: 720
    minimumWidth: 480
    minimumHeight: 270
    color: "black"
    title: qsTr("Grid \u2013 Tactus")
    TactusPalette { id: colours }
    palette: colours

    Item {
        id: field
        objectName: "field"
        property int count: 0
        anchors.fill: parent
        // All are drawn by the scene graph while the help lies over them.
        property bool helpShown: false
        // While one is dragged about, all are drawn by the scene graph, which knows what lies over what.
        property int dragged: 0
    }
    Text {
        anchors.centerIn: parent
        visible: field.count === 0
        color: "#9a9aa2"
        font.pixelSize: 15
        text: qsTr("Drop films here, or open one with %1").arg(actions.keys("openFile"))
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    LateItem {
        anchors.fill: parent
        needed: field.helpShown
        visible: field.helpShown
        sourceComponent: Item { HelpSheet { anchors.centerIn: parent } }
    }
    Shortcut { sequences: actions.sequences("openFile"); onActivated: films.made().open() }
    DropArea {
        anchors.fill: parent
        onDropped: drop => { if (drop.hasUrls) grid.openUrls(drop.urls); drop.accept() }
    }
    LateItem {
        id: films
        source: "FilmDialog.qml"
        onLoaded: item.parentWindow = root
        Connections { target: films.item; function onAccepted() { grid.openUrls(films.item.selectedFiles) } }
    }
}
