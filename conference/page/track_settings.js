// SPDX-License-Identifier: Apache-2.0
// How each track of the others is to be received: what its tile shows now, told to the server when it changes.

const STEP = 32;  // pixels: smaller changes of a tile are not told
const SETTLED = 300;  // ms in which a tile's size may still change

/**
 * @typedef {{sid: string, enabled: boolean, width: number, height: number, priority: 'high'|'normal'|'low'}} Setting
 */

const rounded = (pixels) => Math.ceil(pixels / STEP) * STEP;

/**
 * The setting of a track of pictures. @param {string} sid
 * @param {{width: number, height: number, visible: boolean}} shown of the tile, CSS pixels
 * @param {'high'|'normal'|'low'} priority
 * @param {number} ratio physical pixels to a CSS pixel
 * @returns {Setting}
 */
export function settingOf(sid, shown, priority, ratio) {
  const enabled = shown.visible && shown.width > 0 && shown.height > 0;
  if (!enabled) return { sid, enabled, priority };
  return { sid, enabled, width: rounded(shown.width * ratio), height: rounded(shown.height * ratio), priority };
}

export class TrackSettings {
  #send;
  #told = new Map();  // sid -> JSON of the setting
  #wanted = [];
  #timer = 0;

  /** @param {(message: object) => boolean} send false: not sent */
  constructor(send) { this.#send = send; }

  /** All that is wanted now. @param {Setting[]} settings */
  want(settings) {
    this.#wanted = settings;
    this.#timer ||= setTimeout(() => { this.#timer = 0; this.#tell(); }, SETTLED);
  }

  /** The server may have forgotten all. */
  forget() { this.#told.clear(); }

  #tell() {
    const wanted = new Map(this.#wanted.map((setting) => [setting.sid, setting]));
    for (const sid of this.#told.keys()) if (!wanted.has(sid)) this.#told.delete(sid);
    for (const [sid, setting] of wanted) {
      const text = JSON.stringify(setting);
      if (this.#told.get(sid) !== text && this.#send({ type: 'track_setting', ...setting })) this.#told.set(sid, text);
    }
  }
}
