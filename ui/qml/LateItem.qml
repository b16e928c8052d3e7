// SPDX-License-Identifier: Apache-2.0
import QtQuick

// Made when it is first needed, and kept: what a film that just plays does not show takes no memory, and the start no time.
Loader {
    property bool needed: false
    active: false
    onNeededChanged: if (needed) active = true
    // The object itself, made now if it was not yet.
    function made() { active = true; return item }
}
