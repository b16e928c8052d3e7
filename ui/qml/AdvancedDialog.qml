// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls
import QtQuick.Layouts

// The window's claim in full, for those who want more than three words for it.
Dialog {
    id: dialog
    anchors.centerIn: parent
    width: Math.min(400, parent ? parent.width - 24 : 400)
    modal: true
    title: qsTr("Claim on the processors")
    function show() {
        const now = window.described()
        service.currentIndex = Math.max(0, service.values.indexOf(now["class"]))
        weight.text = Number(now.weight).toString()
        least.value = now.least
        cpus.text = now.cpus
        forAll.checked = false
        failure.text = ""
        open()
        service.forceActiveFocus()
    }
    // Stays open until what it says is right.
    function take() {
        failure.text = window.choose({"priority": window.priority, "class": service.values[service.currentIndex],
            "weight": weight.text, "least": least.value, "cpus": cpus.text}, forAll.checked)
        if (failure.text.length === 0) close()
    }
    contentItem: GridLayout {
        columns: 2
        columnSpacing: 12
        rowSpacing: 8
        Label { text: qsTr("Class") }
        ComboBox {
            id: service
            readonly property var values: ["", "guaranteed", "statistical", "best effort"]
            Layout.fillWidth: true
            model: [qsTr("By its priority"), qsTr("Guaranteed"), qsTr("Statistical"), qsTr("Best effort")]
            Accessible.name: qsTr("Class")
        }
        Label { text: qsTr("Least share of its pictures") }
        RowLayout {
            Slider {
                id: least
                Layout.fillWidth: true
                from: 0; to: 1; stepSize: 0.05
                Accessible.name: qsTr("Least share of its pictures")
            }
            Label { text: qsTr("%1 %").arg(Math.round(least.value * 100)); Layout.preferredWidth: 44; horizontalAlignment: Text.AlignRight }
        }
        Label { text: qsTr("Weight") }
        TextField { id: weight; Layout.fillWidth: true; Accessible.name: qsTr("Weight"); onAccepted: dialog.take() }
        Label { text: qsTr("Processors") }
        TextField {
            id: cpus
            Layout.fillWidth: true
            placeholderText: qsTr("any; or for example 0, 1")
            Accessible.name: qsTr("Processors")
            onAccepted: dialog.take()
        }
        CheckBox {
            id: forAll
            Layout.columnSpan: 2
            text: qsTr("Also for windows of this kind opened from now on")
            Accessible.name: text
        }
        Label {
            id: failure
            Layout.columnSpan: 2
            Layout.fillWidth: true
            visible: text.length > 0
            wrapMode: Text.Wrap
            color: "#ff8a80"
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        RowLayout {
            Layout.columnSpan: 2
            Layout.alignment: Qt.AlignRight
            Button { text: qsTr("Cancel"); Accessible.name: text; onClicked: dialog.close() }
            Button { text: qsTr("Apply"); Accessible.name: text; highlighted: true; onClicked: dialog.take() }
        }
    }
}
