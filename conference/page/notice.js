// SPDX-License-Identifier: Apache-2.0
// The page instead of the room: one heading, one sentence, what can be done.

import { byId, setText } from './elements.js';
import { noticeOf, TEXTS } from './sentences.js';

const FINAL = new Set(['expired', 'removed']);  // joining again does not help

/**
 * @param {string|null} state a key of NOTICES, or null: nothing is shown
 * @param {{again: () => void, leave: () => void}} actions
 */
export function showNotice(state, { again, leave }) {
  const view = byId('notice');
  const isNew = view.dataset.state !== state;
  view.hidden = state === null;
  view.dataset.state = state ?? '';
  if (state === null) return;
  const [title, sentence] = noticeOf(state);
  setText(byId('notice-title'), title);
  setText(byId('notice-sentence'), sentence);
  const underway = state === 'connecting' || state === 'waiting';
  byId('notice-spinner').hidden = !underway;
  const retry = byId('notice-retry');
  retry.hidden = underway || FINAL.has(state);
  setText(retry, state === 'left' || state === 'resumed' ? TEXTS.joinAgain : TEXTS.tryAgain);
  retry.onclick = again;
  byId('notice-leave').hidden = !underway;
  byId('notice-leave').onclick = leave;
  if (isNew) byId('notice-title').focus();
}
