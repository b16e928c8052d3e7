// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

Item {
    BusyIndicator {
        anchors.centerIn: parent
        running: player.state === "buffering"
        Accessible.name: qsTr("Buffering %1 %").arg(player.buffering)
    }
    Text {
        anchors { horizontalCenter: parent.horizontalCenter; top: parent.verticalCenter; topMargin: 40 }
        color: "#e8e8ea"
        text: qsTr("Buffering %1 %").arg(player.buffering)
    }
}
