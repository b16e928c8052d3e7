// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts
import Tactus.Load

// How machine and link are shared out: every film, the last minute, streams, reservations, and who gave way for whom.
ApplicationWindow {
    id: root
    width: 860
    height: 720
    minimumWidth: 740
    minimumHeight: 360
    color: "#161618"
    title: qsTr("Load \u2013 Tactus")
    TactusPalette { id: colours }
    palette: colours
    function tint(health) { return health === "bad" ? "#ff6b5e" : health === "strained" ? "#f0c04a" : "#9ad29a" }
    // A program that only sends has none, and will have none.
    readonly property bool hasFilms: load.films.length > 0 || load.streams.length === 0
    // Of a stream that is received live; films of a file have none.
    readonly property bool hasBuffers: load.films.some(film => film.buffer.length > 0)
    onVisibleChanged: load.watched = visible
    Component.onDestruction: load.watched = false
    Shortcut { sequences: actions.sequences("closeWindow").concat(actions.sequences("leaveFullScreen"), actions.sequences("load")); onActivated: root.close() }

    component Cell: Text {
        property string health: ""
        color: health.length > 0 ? root.tint(health) : "#dfe7ef"
        font.pixelSize: 12
        elide: Text.ElideRight
        Accessible.role: Accessible.StaticText
        Accessible.name: text + (health.length > 0 && health !== "good" ? ", " + health : "")
    }
    component Head: Text { color: "#8a8a92"; font.pixelSize: 11; elide: Text.ElideRight }

    ScrollView {
        anchors { fill: parent; margins: 10 }
        contentWidth: availableWidth
        ColumnLayout {
            width: parent.width
            spacing: 8
            Cell { text: load.machine; Layout.fillWidth: true }
            Cell { text: load.memory; Layout.fillWidth: true }
            GridLayout {
                visible: root.hasFilms
                Layout.fillWidth: true
                columns: 9
                columnSpacing: 10
                rowSpacing: 3
                Head { text: qsTr("Film"); Layout.fillWidth: true }
                Head { text: qsTr("Priority"); Layout.preferredWidth: 72 }
                Head { text: qsTr("Pictures a second"); Layout.preferredWidth: 100 }
                Head { text: qsTr("Decode"); Layout.preferredWidth: 70 }
                Head { text: qsTr("Display"); Layout.preferredWidth: 70 }
                Head { text: qsTr("Source"); Layout.preferredWidth: 82 }
                Head { visible: root.hasBuffers; text: qsTr("Buffer"); Layout.preferredWidth: 84 }
                Head { text: qsTr("Memory"); Layout.preferredWidth: 56 }
                Head { text: qsTr("CPU"); Layout.preferredWidth: 44 }
            }
            Repeater {
                model: load.films
                ColumnLayout {
                    required property var modelData
                    spacing: 1
                    Layout.fillWidth: true
                    GridLayout {
                        Layout.fillWidth: true
                        columns: 9
                        columnSpacing: 10
                        RowLayout {
                            Layout.fillWidth: true
                            Rectangle { width: 10; height: 10; radius: 2; color: modelData.colour }
                            Cell { text: modelData.name; Layout.fillWidth: true }
                        }
                        Cell { text: modelData.priority; Layout.preferredWidth: 72 }
                        Cell { text: modelData.rate; health: modelData.rateHealth; Layout.preferredWidth: 100 }
                        Cell { text: modelData.decode; health: modelData.decodeHealth; Layout.preferredWidth: 70 }
                        Cell { text: modelData.display; health: modelData.displayHealth; Layout.preferredWidth: 70 }
                        Cell { text: modelData.source; health: modelData.sourceHealth; Layout.preferredWidth: 82 }
                        Cell { visible: root.hasBuffers; text: modelData.buffer; Layout.preferredWidth: 84 }
                        Cell { text: modelData.memory; Layout.preferredWidth: 56 }
                        Cell { text: modelData.cpu; Layout.preferredWidth: 44 }
                    }
                    Cell {
                        visible: modelData.says.length > 0
                        text: modelData.says
                        color: "#e0b070"
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                        Layout.leftMargin: 15
                    }
                }
            }
            GridLayout {
                visible: root.hasFilms
                Layout.fillWidth: true
                columns: root.width > 760 ? 3 : 1
                Plot { title: qsTr("Pictures a second"); series: load.rates; most: 30; Layout.fillWidth: true; Layout.preferredHeight: 150; Accessible.role: Accessible.Chart; Accessible.name: title }
                Plot { title: qsTr("Time left at the deadline, mean"); unit: " ms"; series: load.laxities; most: 30; deepest: -100; Layout.fillWidth: true; Layout.preferredHeight: 150; Accessible.role: Accessible.Chart; Accessible.name: title }
                Plot { title: qsTr("Processor time"); unit: " %"; series: load.loads; most: 50; Layout.fillWidth: true; Layout.preferredHeight: 150; Accessible.role: Accessible.Chart; Accessible.name: title }
            }
            Cell { visible: load.link.length > 0; text: load.link; Layout.fillWidth: true }
            GridLayout {
                visible: load.linkClasses.length > 0
                Layout.fillWidth: true
                columns: 5
                columnSpacing: 10
                Head { text: qsTr("Class on the link"); Layout.fillWidth: true }
                Head { text: qsTr("Flows"); Layout.preferredWidth: 50 }
                Head { text: qsTr("Rate"); Layout.preferredWidth: 80 }
                Head { text: qsTr("Waits at 99 %"); Layout.preferredWidth: 80 }
                Head { text: qsTr("Too late"); Layout.preferredWidth: 60 }
            }
            Repeater {
                model: load.linkClasses
                GridLayout {
                    required property var modelData
                    Layout.fillWidth: true
                    columns: 5
                    columnSpacing: 10
                    Cell { text: modelData.name; Layout.fillWidth: true }
                    Cell { text: modelData.flows; Layout.preferredWidth: 50 }
                    Cell { text: modelData.rate; Layout.preferredWidth: 80 }
                    Cell { text: modelData.waited; Layout.preferredWidth: 80 }
                    Cell { text: modelData.late; Layout.preferredWidth: 60 }
                }
            }
            GridLayout {
                visible: load.streams.length > 0
                Layout.fillWidth: true
                columns: 7
                columnSpacing: 10
                Head { text: qsTr("Stream"); Layout.fillWidth: true }
                Head { text: qsTr("State"); Layout.preferredWidth: 70 }
                Head { text: qsTr("Rate"); Layout.preferredWidth: 80 }
                Head { text: qsTr("Promised"); Layout.preferredWidth: 80 }
                Head { text: qsTr("Late"); Layout.preferredWidth: 50 }
                Head { text: qsTr("Lost"); Layout.preferredWidth: 50 }
                Head { text: qsTr("Delay"); Layout.preferredWidth: 60 }
            }
            Repeater {
                model: load.streams
                ColumnLayout {
                    required property var modelData
                    spacing: 1
                    Layout.fillWidth: true
                    GridLayout {
                        Layout.fillWidth: true
                        columns: 7
                        columnSpacing: 10
                        Cell { text: (modelData.leaves ? "\u2192 " : "\u2190 ") + modelData.name + "   " + modelData.place; Layout.fillWidth: true }
                        Cell { text: modelData.state; Layout.preferredWidth: 70 }
                        Cell { text: modelData.rate; Layout.preferredWidth: 80 }
                        Cell { text: modelData.promised; Layout.preferredWidth: 80 }
                        Cell { text: modelData.late; health: modelData.lossHealth; Layout.preferredWidth: 50 }
                        Cell { text: modelData.lost; health: modelData.lossHealth; Layout.preferredWidth: 50 }
                        Cell { text: modelData.delay; Layout.preferredWidth: 60 }
                    }
                    Cell {
                        visible: modelData.says.length > 0
                        text: modelData.says
                        color: "#e0b070"
                        wrapMode: Text.Wrap
                        Layout.fillWidth: true
                        Layout.leftMargin: 15
                    }
                }
            }
            Head { text: qsTr("Who gave way, for whom") }
            ListView {
                Layout.fillWidth: true
                Layout.preferredHeight: Math.min(120, Math.max(20, contentHeight))
                clip: true
                model: load.history
                delegate: Cell { required property string modelData; text: modelData; width: ListView.view.width; height: 18 }
                Head { visible: load.history.length === 0; text: qsTr("Nobody yet.") }
            }
            GridLayout {
                Layout.fillWidth: true
                columns: 8
                columnSpacing: 10
                Head { text: qsTr("Task"); Layout.fillWidth: true }
                Head { text: qsTr("Reserved"); Layout.preferredWidth: 60 }
                Head { text: qsTr("on"); Layout.preferredWidth: 24 }
                Head { text: qsTr("Period, ms"); Layout.preferredWidth: 64 }
                Head { text: qsTr("Packet, ms"); Layout.preferredWidth: 64 }
                Head { text: qsTr("Kernel class"); Layout.preferredWidth: 110 }
                Head { text: qsTr("Left at 99 %"); Layout.preferredWidth: 70 }
                Head { text: qsTr("Misses"); Layout.preferredWidth: 50 }
            }
            Repeater {
                model: load.tasks
                ColumnLayout {
                    required property var modelData
                    spacing: 0
                    Layout.fillWidth: true
                    GridLayout {
                        Layout.fillWidth: true
                        columns: 8
                        columnSpacing: 10
                        Cell { text: modelData.name; Layout.fillWidth: true }
                        Cell { text: modelData.share; Layout.preferredWidth: 60 }
                        Cell { text: modelData.cpu; Layout.preferredWidth: 24 }
                        Cell { text: modelData.period; Layout.preferredWidth: 64 }
                        Cell { text: modelData.processing; Layout.preferredWidth: 64 }
                        Cell { text: modelData.kernel; Layout.preferredWidth: 110 }
                        Cell { text: modelData.laxity; Layout.preferredWidth: 70 }
                        Cell { text: modelData.misses; Layout.preferredWidth: 50 }
                    }
                    Cell { visible: modelData.refusal.length > 0; text: modelData.refusal; color: "#8a8a92"; wrapMode: Text.Wrap; Layout.fillWidth: true; Layout.leftMargin: 15 }
                }
            }
        }
    }
}
