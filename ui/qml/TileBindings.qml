// SPDX-License-Identifier: Apache-2.0
import QtQuick

// Puts the film's tile into a holder and tells it what lies over it. Binding elements, not Qt.binding(): the tile
// may move to another window, and what this one says of it must not follow.
Item {
    id: bindings
    required property Item holder
    required property bool covered
    required property Item pill  // the loader of it, beside the holder
    property int frame: 0
    visible: false
    Component.onCompleted: videoTile.parent = holder
    Binding { target: videoTile; property: "width"; value: bindings.holder.width; restoreMode: Binding.RestoreNone }
    Binding { target: videoTile; property: "height"; value: bindings.holder.height; restoreMode: Binding.RestoreNone }
    Binding { target: videoTile; property: "covered"; value: bindings.covered; restoreMode: Binding.RestoreNone }
    Binding { target: videoTile; property: "frame"; value: bindings.frame; restoreMode: Binding.RestoreNone }
    Binding {
        target: videoTile
        property: "hole"
        value: bindings.pill.item !== null && bindings.pill.item.visible
            ? Qt.rect(bindings.pill.x - bindings.holder.x, bindings.pill.y - bindings.holder.y, bindings.pill.width, bindings.pill.height) : Qt.rect(0, 0, 0, 0)
        restoreMode: Binding.RestoreNone
    }
}
