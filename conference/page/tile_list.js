// SPDX-License-Identifier: Apache-2.0
// Which tiles there are and which of them is large: pure functions of the room's state.

import { everybody } from './room_state.js';

/**
 * A picture of a participant: its camera (with the microphone) or its screen.
 * @typedef {{key: string, sid: string, source: 'camera'|'screen', name: string, you: boolean, muted: boolean,
 *            picture: boolean, hand: boolean, quality: string, speaking: boolean, video: object|null,
 *            delivery: import('./room_state.js').Delivery|null, hears: boolean}} Tile
 *   delivery: null if the pictures are whole, or the camera is off; hears: can read the chat
 */

const SPEAKS_FROM = 0.02;  // level of a speaker that is outlined

const trackOf = (participant, source) => participant.tracks.find((track) => track.source === source) ?? null;

const deliveryOf = (track) => (track && !track.muted ? track.delivery ?? null : null);

const keyOf = (sid, source) => `${sid}/${source}`;

function cameraTile(participant, you, loud) {
  const camera = trackOf(participant, 'camera');
  const microphone = trackOf(participant, 'microphone');
  return {
    key: keyOf(participant.sid, 'camera'), sid: participant.sid, source: 'camera', name: participant.name, you,
    muted: !microphone || microphone.muted, picture: camera !== null && !camera.muted, hand: participant.hand,
    quality: participant.quality, speaking: loud.has(participant.sid), video: camera,
    delivery: deliveryOf(camera), hears: !participant.ingress,
  };
}

function screenTile(participant, you, screen) {
  return {
    key: keyOf(participant.sid, 'screen'), sid: participant.sid, source: 'screen', name: participant.name, you,
    muted: false, picture: !screen.muted, hand: false, quality: participant.quality, speaking: false, video: screen,
    delivery: deliveryOf(screen), hears: !participant.ingress,
  };
}

/** Screens first, then the others' cameras, then your own. @param {import('./room_state.js').RoomState} state @returns {Tile[]} */
export function tilesOf(state) {
  const loud = new Set(state.speakers.filter((each) => each.level >= SPEAKS_FROM).map((each) => each.sid));
  const all = everybody(state).map((participant) => ({ participant, you: participant === state.you }));
  const screens = all.flatMap(({ participant, you }) => {
    const screen = trackOf(participant, 'screen');
    return screen ? [screenTile(participant, you, screen)] : [];
  });
  const cameras = all.map(({ participant, you }) => cameraTile(participant, you, loud));
  return [...screens, ...cameras.filter((tile) => !tile.you), ...cameras.filter((tile) => tile.you)];
}

/** The loudest speaker that is not you, or null. @param {import('./room_state.js').RoomState} state */
export function loudestOther(state) {
  const loud = state.speakers.filter((each) => each.level >= SPEAKS_FROM && each.sid !== state.you?.sid);
  return loud.length > 0 ? loud[0].sid : null;
}

/**
 * The tile that is large, or null for a grid: the pinned one; else the screen of another; else, in the speaker's view,
 * whoever spoke last, or the first tile.
 * @param {Tile[]} tiles
 * @param {{pinned: string|null, view: 'grid'|'speaker', spoke: string|null}} choice pinned: key; spoke: sid
 * @returns {Tile|null}
 */
export function mainTile(tiles, { pinned, view, spoke }) {
  const found = tiles.find((tile) => tile.key === pinned) ?? tiles.find((tile) => tile.source === 'screen' && !tile.you);
  if (found) return found;
  if (view === 'grid' || tiles.length === 0) return null;
  return tiles.find((tile) => tile.sid === spoke && tile.source === 'camera') ?? tiles[0];
}
