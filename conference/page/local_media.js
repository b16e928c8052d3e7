// SPDX-License-Identifier: Apache-2.0
// Your own microphone, camera and screen: one place knows whether each is on.

import { openBoth, openDevice, openScreen } from './media_devices.js';

export class LocalMedia {
  #changed;
  #choice;  // of devices: {microphone, camera}
  #generation = { microphone: 0, camera: 0 };  // of openings: a later one wins

  /**
   * @param {{microphone?: string, camera?: string}} choice ids of the preferred devices
   * @param {() => void} changed
   */
  constructor(choice, changed) {
    this.#choice = { ...choice };
    this.#changed = changed;
    this.tracks = { microphone: null, camera: null };
    /** What the user wants; a track follows if there is a device. */
    this.on = { microphone: true, camera: true };
    /** Why there is no track, as media_devices.js says it, or null. */
    this.problems = { microphone: null, camera: null };
    /** @type {MediaStreamTrack[]} picture and perhaps sound of a shared screen */
    this.screen = [];
    this.talking = false;  // while a key is held
  }

  /** Whether the microphone can be heard now. */
  get isHeard() { return this.tracks.microphone !== null && (this.on.microphone || this.talking); }
  get isSeen() { return this.tracks.camera !== null && this.on.camera; }
  get isSharing() { return this.screen.length > 0; }

  /** Opens what is wanted. @param {{microphone: boolean, camera: boolean}} on */
  async start(on) {
    this.on = { ...on };
    if (on.microphone && on.camera) {
      const both = await openBoth(this.#choice);
      this.#take('microphone', both.microphone);
      this.#take('camera', both.camera);
    } else {
      await Promise.all(['microphone', 'camera'].filter((each) => on[each]).map((each) => this.#open(each)));
    }
    this.#changed();
  }

  /** Mutes at once; a camera that is off is closed, so that its light goes out. @param {'microphone'|'camera'} device */
  async set(device, on) {
    this.on[device] = on;
    if (on && !this.tracks[device]) await this.#open(device);
    else if (!on && device === 'camera') this.#close('camera');
    this.#enable();
    this.#changed();
  }

  /** @param {boolean} talking a key is held that unmutes for so long */
  async talk(talking) {
    this.talking = talking;
    if (talking && !this.tracks.microphone) await this.#open('microphone');
    this.#enable();
    this.#changed();
  }

  /** @param {'microphone'|'camera'} device @param {string} id */
  async choose(device, id) {
    this.#choice[device] = id;
    if (this.on[device] || this.tracks[device]) await this.#open(device);
    this.#changed();
  }

  /** @returns {Promise<boolean>} whether a screen is shared now */
  async shareScreen() {
    const tracks = await openScreen();
    if (!tracks) return false;
    this.screen = tracks;
    for (const track of tracks.filter((each) => each.kind === 'video'))
      track.addEventListener('ended', () => this.stopScreen());
    this.#changed();
    return true;
  }

  stopScreen() {
    for (const track of this.screen) track.stop();
    this.screen = [];
    this.#changed();
  }

  close() {
    this.#close('microphone');
    this.#close('camera');
    this.stopScreen();
  }

  async #open(device) {
    const generation = ++this.#generation[device];
    const opened = await openDevice(device, this.#choice[device]);
    const unwanted = generation !== this.#generation[device] || (device === 'camera' && !this.on.camera);
    if (unwanted) opened.track?.stop();
    else this.#take(device, opened);
  }

  #take(device, { track, problem }) {
    this.tracks[device]?.stop();
    this.tracks[device] = track;
    this.problems[device] = problem;
    track?.addEventListener('ended', () => this.#lost(device, track));
    this.#enable();
  }

  #lost(device, track) {
    if (this.tracks[device] !== track) return;
    this.tracks[device] = null;
    this.on[device] = false;
    this.problems[device] = 'unplugged';
    this.#changed();
  }

  #close(device) {
    ++this.#generation[device];
    this.tracks[device]?.stop();
    this.tracks[device] = null;
  }

  #enable() {
    if (this.tracks.microphone) this.tracks.microphone.enabled = this.isHeard;
  }
}
