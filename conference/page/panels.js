// SPDX-License-Identifier: Apache-2.0
// Chat and participants beside the pictures: at most one of them is open.

import { byId } from './elements.js';

const PANELS = { chat: { first: 'chat-text', toggle: 'chat-toggle' }, people: { first: 'people-close', toggle: 'people-toggle' } };

export class Panels {
  #changed;
  /** @type {'chat'|'people'|null} */
  open = null;

  /** @param {(open: 'chat'|'people'|null) => void} changed */
  constructor(changed) {
    this.#changed = changed;
    for (const name of Object.keys(PANELS)) {
      byId(`${name}-close`).onclick = () => this.#show(null);
      byId(name).addEventListener('keydown', (event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        this.#show(null);
      });
    }
    this.#mark();
  }

  /** @param {'chat'|'people'} name */
  toggle(name) { this.#show(this.open === name ? null : name); }

  #show(name) {
    const before = this.open;
    this.open = name;
    this.#mark();
    this.#changed(name);
    // The keys go into the panel, and back to its button.
    byId(name ? PANELS[name].first : PANELS[before].toggle).focus();
  }

  #mark() {
    for (const [name, { toggle }] of Object.entries(PANELS)) {
      byId(name).hidden = this.open !== name;
      byId(toggle).setAttribute('aria-expanded', String(this.open === name));
    }
    byId('room').classList.toggle('with-panel', this.open !== null);
  }
}
