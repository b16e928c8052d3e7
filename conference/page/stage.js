// SPDX-License-Identifier: Apache-2.0
// The pictures: where each tile lies, how large it is, and what is therefore wanted of each track.

import { byId, reconcile, setText } from './elements.js';
import { arrangeGrid, arrangeSpeaker } from './grid.js';
import { alone, andMore } from './sentences.js';
import { createTile, titleOf, updateTile } from './tile.js';
import { loudestOther, mainTile, tilesOf } from './tile_list.js';
import { TileMenu } from './tile_menu.js';
import { settingOf } from './track_settings.js';

const HOLD = 1_500;  // ms that who spoke stays large, however loud another is

export class Stage {
  #streams;
  #want;
  #blocked;
  #menu;
  #state = null;
  #tiles = [];
  #pinned = null;  // key of a tile
  #spoke = { sid: null, at: 0 };
  #priorities = new Map();  // sid of a participant -> priority
  #speaker = '';

  /**
   * @param {{streamOf: (tile: import('./tile_list.js').Tile) => {stream: MediaStream|null, state: string},
   *          want: (settings: import('./track_settings.js').Setting[]) => void, blocked: () => void,
   *          tell: (text: string) => void}} links
   *   want: told what is wanted of the tracks of the others; blocked: the browser holds back the sound; tell: to all in the chat
   */
  constructor({ streamOf, want, blocked, tell }) {
    this.#streams = streamOf;
    this.#want = want;
    this.#blocked = blocked;
    this.view = 'grid';
    this.#menu = new TileMenu({
      pin: (key) => this.#pin(key),
      priority: (sid, priority) => { this.#priorities.set(sid, priority); this.#layOut(); },
      tell,
    });
    new ResizeObserver(() => this.#layOut()).observe(byId('stage'));
    document.addEventListener('visibilitychange', () => this.#layOut());
    document.addEventListener('fullscreenchange', () => this.#layOut());
  }

  /** @param {string} id of the loudspeaker */
  useSpeaker(id) {
    this.#speaker = id;
    if (this.#state) this.render(this.#state);
  }

  /** @param {import('./room_state.js').RoomState} state */
  render(state) {
    this.#state = state;
    this.#follow(loudestOther(state));
    this.#tiles = tilesOf(state);
    reconcile(byId('stage'), this.#tiles, (tile) => tile.key, (tile) => this.#create(tile), (element, tile) => this.#update(element, tile));
    const isAlone = state.others.length === 0;
    byId('alone').hidden = !isAlone;
    setText(byId('alone'), isAlone ? alone : '');
    this.#layOut();
  }

  /** Starts what the browser held back; call it after the user pressed something. */
  play() {
    for (const video of byId('stage').querySelectorAll('video')) video.play().catch(() => {});
  }

  #follow(sid) {
    const now = performance.now();
    if (sid === null || (sid !== this.#spoke.sid && now - this.#spoke.at < HOLD)) return;
    this.#spoke = { sid, at: now };
  }

  #create(tile) {
    const element = createTile(tile, { pin: (key) => this.#pin(key), menu: (key, button) => this.#openMenu(key, button) });
    const video = element.querySelector('video');
    video.addEventListener('loadedmetadata', () =>
      video.play().catch((error) => { if (error.name === 'NotAllowedError') this.#blocked(); }));
    return element;
  }

  #update(element, tile) {
    updateTile(element, tile, { ...this.#streams(tile), pinned: this.#pinned === tile.key, speaker: this.#speaker });
  }

  #pin(key) {
    this.#pinned = this.#pinned === key ? null : key;
    this.render(this.#state);
  }

  #openMenu(key, button) {
    const tile = this.#tiles.find((each) => each.key === key);
    if (!tile) return;
    this.#menu.open(tile, {
      title: titleOf(tile), pinned: this.#pinned === key, priority: this.#priorities.get(tile.sid) ?? 'normal',
      element: this.#elementOf(key), button,
    });
  }

  #elementOf(key) { return [...byId('stage').children].find((each) => each.dataset.key === key); }

  /** Gives each tile its place; what has none is not shown and not received, but heard. */
  #layOut() {
    const { clientWidth: width, clientHeight: height } = byId('stage');
    const main = mainTile(this.#tiles, { pinned: this.#pinned, view: this.view, spoke: this.#spoke.sid });
    const { rects, hidden } = main ? this.#aroundMain(main, width, height) : this.#inGrid(width, height);
    for (const tile of this.#tiles) place(this.#elementOf(tile.key), rects.get(tile.key), tile === main);
    byId('more').hidden = hidden === 0;
    setText(byId('more'), andMore(hidden));
    this.#want(this.#settings(rects));
  }

  #inGrid(width, height) {
    const rects = arrangeGrid(this.#tiles.length, width, height);
    return { rects: new Map(this.#tiles.map((tile, index) => [tile.key, rects[index]])), hidden: 0 };
  }

  #aroundMain(main, width, height) {
    const { main: large, strip, hidden } = arrangeSpeaker(this.#tiles.length, width, height);
    const rest = this.#tiles.filter((tile) => tile !== main);
    return { rects: new Map([[main.key, large], ...rest.map((tile, index) => [tile.key, strip[index]])]), hidden };
  }

  #settings(rects) {
    const onTop = document.fullscreenElement;
    return this.#tiles.filter((tile) => !tile.you && tile.video).map((tile) => {
      const full = onTop !== null && onTop === this.#elementOf(tile.key);
      const rect = full ? { width: screen.width, height: screen.height } : rects.get(tile.key);
      const visible = rect !== undefined && !document.hidden && (onTop === null || full);
      const priority = this.#priorities.get(tile.sid) ?? 'normal';
      return settingOf(tile.video.sid, { width: rect?.width ?? 0, height: rect?.height ?? 0, visible }, priority, devicePixelRatio);
    });
  }
}

function place(element, rect, large) {
  element.classList.toggle('unplaced', !rect);
  element.classList.toggle('large', large);
  element.inert = !rect;
  if (!rect) return;
  for (const side of ['left', 'top', 'width', 'height']) element.style[side] = `${Math.floor(rect[side] * 10) / 10}px`;
  element.classList.toggle('tiny', rect.width < 150 || rect.height < 90);
}
