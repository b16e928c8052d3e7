// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

Dialog {
    id: dialog
    anchors.centerIn: parent
    width: Math.min(480, parent ? parent.width - 40 : 480)
    modal: true
    title: qsTr("Open address")
    standardButtons: Dialog.Open | Dialog.Cancel
    function show() { open(); address.forceActiveFocus() }
    TextField {
        id: address
        width: parent.width
        placeholderText: "https://, rtsp://, srt://"
        Accessible.name: qsTr("Address")
        onAccepted: dialog.accept()
    }
    onAccepted: if (address.text.trim().length > 0) player.open(address.text.trim())
}
