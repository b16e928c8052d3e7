// SPDX-License-Identifier: Apache-2.0
// Icons as SVG elements, drawn with the colour of the text around them.

const SPACE = 'http://www.w3.org/2000/svg';

/** Strokes in a square of 24. */
const PATHS = {
  microphone: 'M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3zM6 11a6 6 0 0 0 12 0M12 17v4M9 21h6',
  'microphone-off': 'M9 9v2a3 3 0 0 0 5 2.200M15 10V6a3 3 0 0 0-5.700-1.300M6 11a6 6 0 0 0 9.500 4.900M18 11a6 6 0 0 1-.500 2.400M12 17v4M9 21h6M4 3l16 18',
  camera: 'M3 7h11a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3zM15 11l6-4v10l-6-4',
  'camera-off': 'M8 7h6a1 1 0 0 1 1 1v5M14 17H3V7M15 11l6-4v10l-4-2.700M4 3l16 18',
  screen: 'M3 4h18v12H3zM8 20h8M12 16v4M12 13V8M9.500 10L12 7.500 14.500 10',
  'screen-off': 'M3 4h18v12H3zM8 20h8M12 16v4M9.500 7.500l5 5M14.500 7.500l-5 5',
  hand: 'M8 13V5.500a1.500 1.500 0 0 1 3 0V11M11 10.500v-6a1.500 1.500 0 0 1 3 0V11M14 11V6a1.500 1.500 0 0 1 3 0v8a7 7 0 0 1-7 7c-3 0-4.500-1.500-6-5l-1.500-3.500c-.400-1 1-2 2-1L8 14',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  people: 'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM2.500 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 4.300a3.500 3.500 0 0 1 0 6.400M18 14.500c2.200.800 3.500 2.700 3.500 5.500',
  leave: 'M10 4H5v16h5M10 12h11M17 8l4 4-4 4',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  speaker: 'M4 4h16v10H4zM4 17h4v3H4zM10 17h4v3h-4zM16 17h4v3h-4z',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 12h.010M12 12h.010M19 12h.010',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
};

const BARS = { excellent: 3, good: 2, poor: 1, lost: 0 };

function svg() {
  const element = document.createElementNS(SPACE, 'svg');
  element.setAttribute('viewBox', '0 0 24 24');
  element.setAttribute('aria-hidden', 'true');
  return element;
}

/** @param {keyof PATHS} name @returns {SVGElement} hidden from screen readers: the control has a text */
export function icon(name) {
  const element = svg();
  element.classList.add('stroke', `icon-${name}`);
  const path = document.createElementNS(SPACE, 'path');
  path.setAttribute('d', PATHS[name]);
  element.append(path);
  return element;
}

/** Three bars, as many filled as the quality says. @param {'excellent'|'good'|'poor'|'lost'} quality */
export function qualityIcon(quality) {
  const element = svg();
  element.classList.add('bars');
  for (let bar = 0; bar < 3; ++bar) {
    const rect = document.createElementNS(SPACE, 'rect');
    const height = 6 + bar * 5;
    for (const [key, value] of Object.entries({ x: 4 + bar * 6, y: 20 - height, width: 4, height, rx: 1 })) rect.setAttribute(key, value);
    rect.classList.toggle('empty', bar >= (BARS[quality] ?? 0));
    element.append(rect);
  }
  return element;
}

/** Replaces the icon of a control. @param {Element} control @param {keyof PATHS} name */
export function setIcon(control, name) {
  if (control.dataset.shownIcon === name) return;
  control.dataset.shownIcon = name;
  control.querySelector(':scope > svg')?.remove();
  control.prepend(icon(name));
}
