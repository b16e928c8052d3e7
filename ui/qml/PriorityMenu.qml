// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Who gives way when not all can have everything: the window's claim in one click.
Menu {
    id: menu
    property string present
    signal chosen(string priority)
    signal advancedRequested()
    component Choice: MenuItem {
        required property string priority
        text: actions.text("priority-" + priority)
        Accessible.name: text
        checkable: true
        checked: menu.present === priority
        onTriggered: menu.chosen(priority)
    }
    Choice { priority: "high" }
    Choice { priority: "normal" }
    Choice { priority: "background" }
    MenuSeparator {}
    MenuItem { text: qsTr("Advanced\u2026"); Accessible.name: text; onTriggered: menu.advancedRequested() }
}
