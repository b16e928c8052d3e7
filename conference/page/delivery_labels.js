// SPDX-License-Identifier: Apache-2.0
// Why a tile's pictures are smaller, fewer or absent, in words: whose fault it is, and what was measured. Pure.

import { carries, carriesTooLittle, complaint, deliveryChip, deliverySentence, faultOf, isBusy, loses, PICTURES, screenOf, sendsNot } from './sentences.js';

const HEAVY_LOSS = 0.05;  // share of the packets from which the loss is told

/** @typedef {{chip: string, sentence: string, complaint: string|null}} DeliveryLabels complaint: for the chat, if the fault is theirs */

/** What is at fault, by the server's word: whose, what, and what it does. */
const LIMITS = {
  receiver_line: { yours: true, thing: 'network', does: lineDoes },
  sender_line: { yours: false, thing: 'network', does: lineDoes },
  sender_computer: { yours: false, thing: 'computer', does: () => isBusy },
  sender_program: { yours: false, thing: 'program', does: ({ pictures }) => sendsNot(PICTURES[pictures].beyond) },
};

function lineDoes({ carried, lost }) {
  if (carried) return carries(carried);
  return lost >= HEAVY_LOSS ? loses(lost) : carriesTooLittle;
}

/**
 * @param {import('./tile_list.js').Tile} tile
 * @returns {DeliveryLabels|null} null if its pictures are whole, or if the server uses words of a later version
 */
export function deliveryLabels({ delivery, name, source, hears }) {
  if (!delivery || !Object.hasOwn(LIMITS, delivery.limit) || !Object.hasOwn(PICTURES, delivery.pictures)) return null;
  const { yours, thing, does } = LIMITS[delivery.limit];
  const { chip, seen } = PICTURES[delivery.pictures];
  const [done, isScreen] = [does(delivery), source === 'screen'];
  return {
    chip: deliveryChip(faultOf(yours, thing), chip),
    sentence: deliverySentence(isScreen ? screenOf(name) : name, seen, faultOf(yours, thing), done),
    // The sender reads it: "their network" becomes "your network".
    complaint: yours || !hears ? null : complaint(name, seen, isScreen, faultOf(true, thing), done),
  };
}
