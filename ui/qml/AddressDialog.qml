// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

Dialog {
    id: dialog
    anchors.centerIn: parent
    width: Math.min(480, parent ? parent.width - 40 : 480)
    modal: true
    property bool call: false
    title: call ? qsTr("Join a call") : qsTr("Open address")
    standardButtons: Dialog.Open | Dialog.Cancel
    function show(joins) { call = joins; address.clear(); open(); address.forceActiveFocus() }
    TextField {
        id: address
        width: parent.width
        placeholderText: dialog.call ? qsTr("The link that the host gave") : "https://, rtsp://, srt://"
        Accessible.name: dialog.call ? qsTr("Link") : qsTr("Address")
        onAccepted: dialog.accept()
    }
    onAccepted: if (address.text.trim().length > 0) call ? player.joinCall(address.text.trim()) : player.open(address.text.trim())
}
