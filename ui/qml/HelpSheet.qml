// SPDX-License-Identifier: Apache-2.0
import QtQuick

Rectangle {
    color: "#e8161618"
    radius: 8
    width: Math.min(parent.width - 40, text.implicitWidth + 48)
    height: text.implicitHeight + 40
    Accessible.role: Accessible.Note
    Accessible.name: qsTr("Keys")
    Text {
        id: text
        anchors.centerIn: parent
        color: "#e8e8ea"
        font.family: "monospace"
        font.pixelSize: 13
        lineHeight: 1.25
        text: qsTr("Space, p     pause            f, F11      full screen
← →          5 seconds        Shift+← →   1 second, exact
↑ ↓          1 minute         Shift+PgUp  10 minutes
[ ]          speed ±10 %      { }         half, double
Backspace    normal speed     . ,         frame on, back
9 0          volume           m           mute
j J          subtitles        v           subtitles on, off
x z          subtitle delay   # _         audio, video track
PgUp PgDn    chapter          < >         file
l            A-B loop         L           loop the file
s S          screenshot       i           statistics
Ctrl+O       open file        Ctrl+U      open address
Ctrl+N       new window       Ctrl+W      close the window
Ctrl+I       load             Ctrl+G      into the grid, out of it
Ctrl+1 2 3   priority: background, normal, high
q            quit             Q           quit, keep the place")
    }
}
