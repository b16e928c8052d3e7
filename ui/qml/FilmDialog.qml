// SPDX-License-Identifier: Apache-2.0
import QtQuick.Dialogs

FileDialog {
    title: qsTr("Open file")
    fileMode: FileDialog.OpenFiles
}
