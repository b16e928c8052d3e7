// SPDX-License-Identifier: Apache-2.0
// Where the tiles lie. Pure functions of counts and sizes in CSS pixels; no tile is ever outside the area.

/** @typedef {{left: number, top: number, width: number, height: number}} Rect */

/** Width by height that a tile may have: cameras are cropped a little rather than letterboxed, more so in a tall area. */
export const ASPECT = { least: 4 / 3, most: 16 / 9 };
export const TALL_ASPECT = { least: 1, most: 16 / 9 };
const GAP = 8;
const LEAST_STRIP = 88;  // a tile of the strip is at least so wide

/** The largest size of the wanted aspect that fits. */
function fitted(width, height, { least, most }) {
  if (width / height > most) return { width: height * most, height };
  if (width / height < least) return { width, height: width / least };
  return { width, height };
}

function sizeFor(columns, rows, width, height, aspect, gap) {
  const cellWidth = (width - gap * (columns - 1)) / columns;
  const cellHeight = (height - gap * (rows - 1)) / rows;
  if (cellWidth <= 0 || cellHeight <= 0) return { width: 0, height: 0 };
  return fitted(cellWidth, cellHeight, aspect);
}

/** The grid of equal tiles whose tiles are largest; of two as large, the one with fewer empty cells. */
function bestGrid(count, width, height, aspect, gap) {
  let best = { columns: 1, rows: count, width: 0, height: 0 };
  for (let columns = 1; columns <= count; ++columns) {
    const rows = Math.ceil(count / columns);
    const size = sizeFor(columns, rows, width, height, aspect, gap);
    const gain = size.width * size.height - best.width * best.height;
    const fewerEmpty = columns * rows < best.columns * best.rows;
    if (gain > 1 || (gain > -1 && fewerEmpty)) best = { columns, rows, ...size };
  }
  return best;
}

/**
 * Equal tiles, as large as the area allows; rows are centred, also the last one.
 * @param {number} count of tiles
 * @param {number} width of the area
 * @param {number} height of the area
 * @param {{least: number, most: number}} [aspect] that a tile may have
 * @param {number} [gap] between tiles; less if the tiles would vanish
 * @returns {Rect[]}
 */
export function arrangeGrid(count, width, height, aspect = width < height ? TALL_ASPECT : ASPECT, gap = GAP) {
  if (count < 1 || width <= 0 || height <= 0) return [];
  const narrow = Math.min(gap, Math.min(width, height) / (4 * count));
  const grid = bestGrid(count, width, height, aspect, narrow);
  const top = (height - grid.rows * grid.height - (grid.rows - 1) * narrow) / 2;
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / grid.columns);
    const inRow = Math.min(grid.columns, count - row * grid.columns);
    const left = (width - inRow * grid.width - (inRow - 1) * narrow) / 2;
    return {
      left: left + (index % grid.columns) * (grid.width + narrow),
      top: top + row * (grid.height + narrow),
      width: grid.width,
      height: grid.height,
    };
  });
}

/** A strip along the right side of a wide area, along the bottom of a tall one. */
function strip(count, width, height) {
  const wide = width > height;
  const share = wide ? width * 0.2 : (width - 2 * GAP) / 3;
  const tileWidth = Math.min(Math.max(share, LEAST_STRIP), 260, width);
  const tileHeight = Math.min(wide ? (tileWidth * 9) / 16 : (tileWidth * 3) / 4, height);
  const thickness = wide ? tileWidth : tileHeight;
  const room = wide ? height : width;
  const length = wide ? tileHeight : tileWidth;
  const fitting = Math.max(0, Math.floor((room + GAP) / (length + GAP)));
  const shown = Math.min(count, fitting);
  const start = (room - shown * length - (shown - 1) * GAP) / 2;
  const rects = Array.from({ length: shown }, (_, index) => {
    const along = start + index * (length + GAP);
    return { left: wide ? width - tileWidth : along, top: wide ? along : height - tileHeight, width: tileWidth, height: tileHeight };
  });
  return { wide, thickness, rects };
}

/**
 * One large tile and a strip of small ones. Tiles that the strip has no place for are not shown.
 * @param {number} count of tiles, with the large one
 * @param {number} width of the area
 * @param {number} height of the area
 * @returns {{main: Rect, strip: Rect[], hidden: number}} hidden: how many are not shown
 */
export function arrangeSpeaker(count, width, height) {
  const whole = { left: 0, top: 0, width: Math.max(width, 0), height: Math.max(height, 0) };
  if (count <= 1 || width <= 0 || height <= 0) return { main: whole, strip: [], hidden: Math.max(count - 1, 0) };
  const { wide, thickness, rects } = strip(count - 1, width, height);
  const used = rects.length > 0 ? thickness + GAP : 0;
  const main = wide ? { ...whole, width: Math.max(width - used, 0) } : { ...whole, height: Math.max(height - used, 0) };
  return { main, strip: rects, hidden: count - 1 - rects.length };
}
