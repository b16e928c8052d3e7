// SPDX-License-Identifier: Apache-2.0
// One tile: a participant's picture, or its initials, with what is to be known of it.

import { deliveryLabels } from './delivery_labels.js';
import { make, setLabel, setText } from './elements.js';
import { icon, qualityIcon, setIcon } from './icons.js';
import { optionsOf, pinOf, QUALITIES, screenOf, TEXTS, unpinOf, yourself } from './sentences.js';

const COLOURS = 6;  // of faces, in room.css

/** First letters of the first and the last word. @param {string} name */
export function initials(name) {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = (word) => [...word][0] ?? '';
  if (words.length === 0) return '?';
  return (words.length === 1 ? first(words[0]) : first(words[0]) + first(words.at(-1))).toUpperCase();
}

const colourOf = (sid) => [...sid].reduce((sum, character) => sum + character.codePointAt(0), 0) % COLOURS;

/** What a tile is called. @param {import('./tile_list.js').Tile} tile */
export function titleOf(tile) {
  const name = tile.you ? yourself(tile.name) : tile.name;
  return tile.source === 'screen' ? screenOf(name) : name;
}

/**
 * @param {import('./tile_list.js').Tile} tile
 * @param {{pin: (key: string) => void, menu: (key: string, button: Element) => void}} actions
 * @returns {HTMLElement}
 */
export function createTile(tile, actions) {
  const video = make('video', { autoplay: true, playsInline: true, tabIndex: -1 });
  video.setAttribute('aria-hidden', 'true');
  // Your own sound would be an echo. The property alone is not enough for a telephone to start it.
  if (tile.you) { video.muted = true; video.setAttribute('muted', ''); }
  const face = make('div', { class: `face colour-${colourOf(tile.sid)}` });
  face.setAttribute('aria-hidden', 'true');
  const mark = (classes) => make('span', { class: classes, hidden: true });
  const label = make('div', { class: 'tile-label' },
    mark('mark tile-muted'), mark('mark tile-hand'), make('span', { class: 'tile-name', dir: 'auto' }),
    make('span', { class: 'mark tile-quality' }));
  for (const each of label.querySelectorAll('.mark')) each.setAttribute('role', 'img');
  const more = make('button', { type: 'button', class: 'icon tile-more' });
  more.onclick = () => actions.menu(tile.key, more);
  setIcon(more, 'more');
  const delivery = make('span', { class: 'tile-delivery', hidden: true, onclick: () => actions.menu(tile.key, more) });
  delivery.setAttribute('role', 'img');
  return make('article', { class: `tile ${tile.source}${tile.you ? ' you' : ''}` }, video, face,
    make('button', { type: 'button', class: 'tile-pin', onclick: () => actions.pin(tile.key) }),
    label, make('p', { class: 'tile-state', hidden: true }), delivery, more);
}

function showMark(element, shown, name, label) {
  element.hidden = !shown;
  if (!shown || element.firstChild) return;
  element.append(icon(name));
  setLabel(element, label);
}

function showStream(video, stream, speaker) {
  if (video.srcObject !== stream) video.srcObject = stream;
  if (speaker && video.sinkId !== speaker) video.setSinkId?.(speaker).catch(() => {});
}

/**
 * @param {HTMLElement} element of createTile()
 * @param {import('./tile_list.js').Tile} tile
 * @param {{stream: MediaStream|null, state: 'connecting'|'live'|'failed', pinned: boolean, speaker: string}} shown
 */
export function updateTile(element, tile, shown) {
  const part = (name) => element.querySelector(name);
  showStream(part('video'), shown.stream, tile.you ? '' : shown.speaker);
  element.classList.toggle('no-picture', !tile.picture);
  element.classList.toggle('speaking', tile.speaking);
  element.classList.toggle('pinned', shown.pinned);
  setText(part('.face'), initials(tile.name));
  setText(part('.tile-name'), titleOf(tile));
  showMark(part('.tile-muted'), tile.muted && tile.source === 'camera', 'microphone-off', TEXTS.muted);
  showMark(part('.tile-hand'), tile.hand, 'hand', TEXTS.handRaised);
  showQuality(part('.tile-quality'), tile.quality);
  const pin = part('.tile-pin');
  pin.setAttribute('aria-pressed', String(shown.pinned));
  pin.setAttribute('aria-label', shown.pinned ? unpinOf(titleOf(tile)) : pinOf(titleOf(tile)));
  setLabel(part('.tile-more'), optionsOf(titleOf(tile)));
  const state = part('.tile-state');
  const waits = !tile.you && shown.state !== 'live' && tile.quality !== 'lost';
  state.hidden = !waits && tile.quality !== 'lost';
  setText(state, tile.quality === 'lost' ? TEXTS.lostTile : shown.state === 'failed' ? TEXTS.failedTile : TEXTS.connectingTile);
  showDelivery(part('.tile-delivery'), state.hidden ? deliveryLabels(tile) : null);
}

/** @param {import('./delivery_labels.js').DeliveryLabels|null} labels */
function showDelivery(element, labels) {
  element.hidden = !labels;
  if (!labels) return;
  setText(element, labels.chip);
  setLabel(element, labels.sentence);
}

function showQuality(element, quality) {
  element.hidden = false;
  if (element.dataset.quality === quality) return;
  element.dataset.quality = quality;
  element.replaceChildren(qualityIcon(quality));
  setLabel(element, QUALITIES[quality] ?? '');
}
