// SPDX-License-Identifier: Apache-2.0
import QtQuick
import QtQuick.Controls

// Who gives way when not all can have everything: the window's claim in one click.
Menu {
    id: menu
    property string present
    signal advancedRequested()
    ActionItem { command: "priority-high"; checkable: true; checked: menu.present === "high" }
    ActionItem { command: "priority-normal"; checkable: true; checked: menu.present === "normal" }
    ActionItem { command: "priority-background"; checkable: true; checked: menu.present === "background" }
    MenuSeparator {}
    MenuItem { text: qsTr("Advanced\u2026"); Accessible.name: text; onTriggered: menu.advancedRequested() }
}
