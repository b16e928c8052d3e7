// SPDX-License-Identifier: Apache-2.0
// What the page remembers of you, in this browser only.

const KEY = 'tactus.room';
const NOTHING = { name: '', microphone: '', camera: '', speaker: '', microphoneOn: true, cameraOn: true, view: 'grid' };

/** @returns {typeof NOTHING} */
export function preferences() {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') };
  } catch {
    return { ...NOTHING };  // storage is forbidden, or holds something else
  }
}

/** @param {Partial<typeof NOTHING>} changes */
export function remember(changes) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...preferences(), ...changes }));
  } catch {
    // The page works without a memory.
  }
}
