// SPDX-License-Identifier: Apache-2.0
// What is seen before joining: your name, your picture, your devices.

import { byId, setLabel, setText } from './elements.js';
import { setIcon } from './icons.js';
import { DevicePickers } from './pickers.js';
import { preferences, remember } from './preferences.js';
import { cameraIsOff, deviceProblems, nameMissing, SWITCHES } from './sentences.js';

export class Prejoin {
  #media;
  #pickers;

  /**
   * @param {import('./local_media.js').LocalMedia} media
   * @param {{join: (name: string) => void, choose: (device: string, id: string) => void}} actions
   */
  constructor(media, actions) {
    this.#media = media;
    this.#pickers = new DevicePickers(byId('prejoin-pickers'), preferences(), actions.choose);
    byId('name').value = preferences().name;
    for (const device of ['microphone', 'camera'])
      byId(`preview-${device}`).onclick = () => media.set(device, !media.on[device] || !media.tracks[device]);
    byId('prejoin-form').onsubmit = (event) => {
      event.preventDefault();
      this.#submit(actions.join);
    };
  }

  /** @param {boolean} shown */
  show(shown) {
    byId('prejoin').hidden = !shown;
    if (!shown) byId('preview-video').srcObject = null;
    else byId('name').focus();
  }

  /** Follows the devices. */
  render() {
    const { tracks, on, problems } = this.#media;
    for (const device of ['microphone', 'camera']) {
      const isOn = on[device] && tracks[device] !== null;
      const button = byId(`preview-${device}`);
      setIcon(button, isOn ? device : `${device}-off`);
      setLabel(button, isOn ? SWITCHES[device].on : SWITCHES[device].off);
      button.classList.toggle('off', !isOn);
    }
    byId('meter-row').hidden = !tracks.microphone;
    this.#showPicture(tracks.camera);
    const sentence = deviceProblems(problems);
    setText(byId('prejoin-problem'), sentence);
    byId('prejoin-problem').hidden = sentence === '';
    this.#pickers.refresh();
  }

  /** @param {number} level of the microphone */
  meter(level) { byId('meter').value = level; }

  #showPicture(track) {
    const video = byId('preview-video');
    const shown = video.srcObject?.getTracks()[0] ?? null;
    if (shown !== track) video.srcObject = track ? new MediaStream([track]) : null;
    video.hidden = !track;
    setText(byId('preview-note'), track ? '' : cameraIsOff);
  }

  #submit(join) {
    const field = byId('name');
    const name = field.value.trim();
    field.setCustomValidity(name === '' ? nameMissing : '');
    if (!field.reportValidity()) { field.oninput = () => field.setCustomValidity(''); return; }
    remember({ name, microphoneOn: this.#media.on.microphone, cameraOn: this.#media.on.camera });
    join(name);
  }
}
