// SPDX-License-Identifier: Apache-2.0
// The buttons of the call and the keys that do the same.

import { byId, setLabel } from './elements.js';
import { setIcon } from './icons.js';
import { switchText, unread as unreadText } from './sentences.js';

const KEYS = { m: 'microphone', v: 'camera', s: 'screen', h: 'hand', c: 'chat', p: 'people', g: 'view' };
const BUTTONS = {
  microphone: 'microphone', camera: 'camera', screen: 'screen', hand: 'hand', chat: 'chat-toggle', people: 'people-toggle', view: 'view',
};
const ICONS = {
  microphone: ['microphone', 'microphone-off'], camera: ['camera', 'camera-off'], screen: ['screen-off', 'screen'],
  view: ['grid', 'speaker'],
};
const TYPING = 'input:not([type=checkbox]), textarea, select, [contenteditable]';
const PRESSED_BY_SPACE = `${TYPING}, button, a, summary, input, dialog`;

/** @typedef {{press: (name: string) => void, leave: () => void, talk: (held: boolean) => void, active: () => boolean}} Actions */

/** Binds buttons and keys. @param {Actions} actions active: whether the page shows the room */
export function bindToolbar(actions) {
  for (const [name, id] of Object.entries(BUTTONS)) byId(id).onclick = () => actions.press(name);
  byId('leave').onclick = () => actions.leave();
  // After a click with the mouse the button does not keep the keys: Space then talks.
  byId('room').addEventListener('click', (event) => { if (event.detail > 0) event.target.closest('button')?.blur(); });
  let talks = false;
  const talk = (held) => {
    if (talks === held) return;
    talks = held;
    actions.talk(held);
  };
  addEventListener('keydown', (event) => {
    if (!actions.active() || event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
    if (event.key === ' ' && !event.target.closest?.(PRESSED_BY_SPACE)) { event.preventDefault(); talk(true); return; }
    const name = KEYS[event.key.toLowerCase()];
    if (!name || event.repeat || event.target.closest?.(TYPING)) return;
    event.preventDefault();
    actions.press(name);
  });
  addEventListener('keyup', (event) => { if (event.key === ' ') talk(false); });
  addEventListener('blur', () => talk(false));
}

/**
 * Shows what is on.
 * @param {Record<'microphone'|'camera'|'screen'|'hand'|'chat'|'people'|'view', boolean>} on
 * @param {{canShare: boolean, unread: number, waiting: number}} facts
 */
export function renderToolbar(on, { canShare, unread, waiting }) {
  for (const [name, id] of Object.entries(BUTTONS)) {
    const button = byId(id);
    const [whenOn, whenOff] = ICONS[name] ?? [name, name];
    setIcon(button, on[name] ? whenOn : whenOff);
    setLabel(button, switchText(name, on[name]));
    button.classList.toggle('on', on[name] && !['microphone', 'camera', 'view'].includes(name));
    button.classList.toggle('off', !on[name] && ['microphone', 'camera'].includes(name));
  }
  byId('screen').hidden = !canShare;
  badge(byId('chat-toggle'), unread, unreadText(unread));
  badge(byId('people-toggle'), waiting, '');
}

function badge(button, count, text) {
  let mark = button.querySelector('.badge');
  if (count === 0) { mark?.remove(); return; }
  if (!mark) {
    mark = document.createElement('span');
    mark.className = 'badge';
    button.append(mark);
  }
  mark.textContent = count > 99 ? '99+' : String(count);
  if (text) setLabel(button, `${button.getAttribute('aria-label')}, ${text}`);
}
