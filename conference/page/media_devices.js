// SPDX-License-Identifier: Apache-2.0
// Microphone, camera and screen from the browser, and why there is none.

/** @typedef {'denied'|'absent'|'busy'|'insecure'|'failed'} Problem */

const SOUND = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const PICTURE = { width: { ideal: 1280, max: 1280 }, height: { ideal: 720, max: 720 }, frameRate: { ideal: 30, max: 30 } };

const constraints = {
  microphone: (id) => ({ audio: { ...SOUND, ...chosen(id) } }),
  camera: (id) => ({ video: { ...PICTURE, ...chosen(id) } }),
};

// "ideal": a device of last week that is not here today is replaced by another.
const chosen = (id) => (id ? { deviceId: { ideal: id } } : {});

/** Browsers hide the devices from pages that did not come over https. */
export const areDevicesReachable = () => Boolean(navigator.mediaDevices?.getUserMedia);

/** Whether this browser can share a screen; telephones cannot. */
export const canShareScreen = () => Boolean(navigator.mediaDevices?.getDisplayMedia);

/** @param {unknown} error of getUserMedia @returns {Problem} */
export function problemOf(error) {
  switch (error?.name) {
    case 'NotAllowedError': case 'SecurityError': return 'denied';
    case 'NotFoundError': case 'OverconstrainedError': return 'absent';
    case 'NotReadableError': case 'AbortError': return 'busy';
    default: return 'failed';
  }
}

/**
 * @param {'microphone'|'camera'} device
 * @param {string} [id] of the device that is preferred
 * @returns {Promise<{track: MediaStreamTrack|null, problem: Problem|null}>}
 */
export async function openDevice(device, id) {
  if (!areDevicesReachable()) return { track: null, problem: 'insecure' };
  try {
    const stream = await navigator.mediaDevices.getUserMedia(constraints[device](id));
    return { track: stream.getTracks()[0], problem: null };
  } catch (error) {
    return { track: null, problem: problemOf(error) };
  }
}

/** Both with one question to the user; each alone if that fails. @param {{microphone?: string, camera?: string}} ids */
export async function openBoth(ids) {
  try {
    const both = { ...constraints.microphone(ids.microphone), ...constraints.camera(ids.camera) };
    const stream = await navigator.mediaDevices.getUserMedia(both);
    return {
      microphone: { track: stream.getAudioTracks()[0], problem: null },
      camera: { track: stream.getVideoTracks()[0], problem: null },
    };
  } catch {
    return { microphone: await openDevice('microphone', ids.microphone), camera: await openDevice('camera', ids.camera) };
  }
}

/** @returns {Promise<MediaStreamTrack[]|null>} null: the user chose nothing. Throws if it cannot be. */
export async function openScreen() {
  try {
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { ideal: 15, max: 30 } }, audio: true });
    for (const track of stream.getVideoTracks()) track.contentHint = 'detail';
    return stream.getTracks();
  } catch (error) {
    if (error?.name === 'NotAllowedError') return null;
    throw error;
  }
}

/** @returns {Promise<{microphone: MediaDeviceInfo[], camera: MediaDeviceInfo[], speaker: MediaDeviceInfo[]}>} */
export async function listDevices() {
  const all = areDevicesReachable() ? await navigator.mediaDevices.enumerateDevices().catch(() => []) : [];
  const of = (kind) => all.filter((each) => each.kind === kind && each.deviceId !== '');
  return { microphone: of('audioinput'), camera: of('videoinput'), speaker: of('audiooutput') };
}

/** @param {() => void} listener a device came or went */
export const onDevicesChanged = (listener) => navigator.mediaDevices?.addEventListener?.('devicechange', listener);
