// SPDX-License-Identifier: Apache-2.0
// Short messages that go by themselves. Their region is announced politely by screen readers.

import { byId, make } from './elements.js';

const SHOWN = 6_000;  // ms
const MOST = 3;

/**
 * @param {string} sentence
 * @param {{text: string, act: () => void}} [action] a button; a message with one stays until it is pressed
 */
export function toast(sentence, action) {
  const region = byId('toasts');
  if ([...region.children].some((each) => each.firstChild.textContent === sentence)) return;
  const element = make('div', { class: 'toast' }, make('span', {}, sentence));
  const end = () => element.remove();
  if (action) element.append(make('button', { type: 'button', onclick: () => { end(); action.act(); } }, action.text));
  else setTimeout(end, SHOWN);
  region.append(element);
  while (region.children.length > MOST) region.firstElementChild.remove();
}
