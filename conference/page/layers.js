// SPDX-License-Identifier: Apache-2.0
// The two sizes in which a camera's pictures are sent: as they are, and half as wide and high for small tiles.

const MOST_ENLARGED = 1.25;  // beyond it edges look soft
const SMALLEST_SIDE = 16;  // pixels

const half = (side) => Math.floor(side / 4) * 2;

/** @param {{width: number, height: number}} size @returns {boolean} */
export const canBeHalved = ({ width, height }) => Math.min(half(width), half(height)) >= SMALLEST_SIDE;

/**
 * Which sizes are to be sent, the larger first.
 * @param {{enabled: boolean, width?: number, height?: number}} wanted at most by anybody; without size: as it is
 * @param {{width: number, height: number}} size of the pictures
 * @returns {boolean[]}
 */
export function activeLayers({ enabled, width, height }, size) {
  if (!enabled) return [false, false];
  if (!width || !height || !canBeHalved(size)) return [true, true];
  return [Math.min(width / half(size.width), height / half(size.height)) > MOST_ENLARGED, true];
}
