// SPDX-License-Identifier: Apache-2.0
// Which microphone, camera and loudspeaker: the same three lists before the call and in the settings.

import { make } from './elements.js';
import { listDevices, onDevicesChanged } from './media_devices.js';
import { TEXTS } from './sentences.js';

const canChooseSpeaker = () => 'setSinkId' in HTMLMediaElement.prototype;

export class DevicePickers {
  #selects = {};
  #chosen;

  /**
   * @param {HTMLElement} place
   * @param {{microphone: string, camera: string, speaker: string}} chosen ids
   * @param {(device: 'microphone'|'camera'|'speaker', id: string) => void} choose
   */
  constructor(place, chosen, choose) {
    this.#chosen = chosen;
    for (const device of ['microphone', 'camera', ...(canChooseSpeaker() ? ['speaker'] : [])]) {
      const select = make('select', { id: `${place.id}-${device}`, onchange: () => choose(device, select.value) });
      place.append(make('label', { htmlFor: select.id }, TEXTS[device]), select);
      this.#selects[device] = select;
    }
    onDevicesChanged(() => this.refresh());
    this.refresh();
  }

  /** Names of devices are known only once the user has allowed one. */
  async refresh() {
    const devices = await listDevices();
    for (const [device, select] of Object.entries(this.#selects)) this.#fill(select, devices[device], this.#chosen[device]);
  }

  /** @param {{microphone: string, camera: string, speaker: string}} ids in use now */
  show(ids) {
    this.#chosen = ids;
    return this.refresh();
  }

  #fill(select, devices, chosen) {
    const options = devices.map((each, index) =>
      new Option(each.label || `${TEXTS[select.id.split('-').at(-1)]} ${index + 1}`, each.deviceId));
    select.replaceChildren(...options);
    // Without a device, or before one was allowed, there is nothing to choose.
    for (const each of [select, ...select.labels]) each.hidden = options.length === 0;
    if (devices.some((each) => each.deviceId === chosen)) select.value = chosen;
  }
}
