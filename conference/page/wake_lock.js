// SPDX-License-Identifier: Apache-2.0
// Keeps the screen of a telephone on during the call.

let lock = null;
let wanted = false;

async function request() {
  if (!wanted || lock || document.hidden || !navigator.wakeLock) return;
  try {
    lock = await navigator.wakeLock.request('screen');
    lock.addEventListener('release', () => { lock = null; });
    if (!wanted) lock.release();
  } catch {
    lock = null;  // the battery is low; the call goes on
  }
}

// A browser takes the lock away from a page that is not seen.
document.addEventListener('visibilitychange', request);

/** @param {boolean} awake */
export function keepAwake(awake) {
  if (awake === wanted) return;
  wanted = awake;
  if (awake) request();
  else lock?.release();
}
