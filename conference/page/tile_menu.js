// SPDX-License-Identifier: Apache-2.0
// What can be done with one tile: pin, full screen, priority; and why its pictures are smaller, fewer or absent.

import { deliveryLabels } from './delivery_labels.js';
import { make } from './elements.js';
import { PRIORITIES, TEXTS } from './sentences.js';

const MARGIN = 8;

/** @param {HTMLElement} tile @returns whatever the browser has: telephones of Apple know only videos */
function showFullScreen(tile) {
  if (tile.requestFullscreen) return tile.requestFullscreen().catch(() => {});
  return tile.querySelector('video').webkitEnterFullscreen?.();
}

export class TileMenu {
  #dialog;
  #actions;

  /**
   * @param {{pin: (key: string) => void, priority: (sid: string, priority: string) => void, tell: (text: string) => void}} actions
   *   tell: says it to all in the chat
   */
  constructor(actions) {
    this.#actions = actions;
    this.#dialog = make('dialog', { class: 'card tile-menu' });
    this.#dialog.onclick = (event) => { if (event.target === this.#dialog) this.#dialog.close(); };
    document.body.append(this.#dialog);
  }

  /**
   * @param {import('./tile_list.js').Tile} tile
   * @param {{title: string, pinned: boolean, priority: string, element: HTMLElement, button: HTMLElement}} shown
   */
  open(tile, { title, pinned, priority, element, button }) {
    const item = (text, act) => make('button', { type: 'button', class: 'wide', onclick: () => { this.#dialog.close(); act(); } }, text);
    const labels = deliveryLabels(tile);
    this.#dialog.replaceChildren(
      make('h2', { dir: 'auto' }, title),
      ...(labels ? [make('p', { class: 'tile-why', dir: 'auto' }, labels.sentence)] : []),
      ...(labels?.complaint ? [item(TEXTS.tellThem, () => this.#actions.tell(labels.complaint))] : []),
      item(pinned ? TEXTS.unpin : TEXTS.pin, () => this.#actions.pin(tile.key)),
      item(TEXTS.fullScreen, () => showFullScreen(element)),
      ...(tile.you ? [] : [this.#priorities(tile, priority)]),
      item(TEXTS.done, () => {}));
    this.#dialog.setAttribute('aria-label', title);
    this.#dialog.showModal();
    this.#place(button.getBoundingClientRect());
    this.#dialog.onclose = () => button.focus();
  }

  #priorities(tile, priority) {
    const group = make('fieldset', { class: 'choices' }, make('legend', {}, TEXTS.priority));
    for (const [value, text] of Object.entries(PRIORITIES)) {
      const radio = make('input', { type: 'radio', name: 'priority', value, checked: value === priority });
      radio.onchange = () => this.#actions.priority(tile.sid, value);
      group.append(make('label', { class: 'switch' }, radio, make('span', {}, text)));
    }
    return group;
  }

  /** Below the button, inside the window. */
  #place(button) {
    const { offsetWidth, offsetHeight, style } = this.#dialog;
    const inside = (wanted, size, whole) => Math.max(MARGIN, Math.min(wanted, whole - size - MARGIN));
    style.left = `${inside(button.right - offsetWidth, offsetWidth, innerWidth)}px`;
    style.top = `${inside(button.bottom, offsetHeight, innerHeight)}px`;
  }
}

