// SPDX-License-Identifier: Apache-2.0
// The chat. What others wrote is text and nothing else.

import { byId, make } from './elements.js';
import { chatNotSent, chatTooLong } from './sentences.js';
import { toast } from './toasts.js';

const LONGEST = 4096;  // bytes of UTF-8
const AT_END = 40;  // pixels above the end that still count as the end

const timeOf = (at) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });

export class Chat {
  #send;
  #shown = [];  // the lines that have an element

  /** @param {(message: object) => boolean} send false: not sent */
  constructor(send) {
    this.#send = send;
    byId('chat-form').onsubmit = (event) => {
      event.preventDefault();
      this.#submit();
    };
    byId('chat-text').onkeydown = (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    };
  }

  /** @param {{from: string, name: string, text: string, at: number}[]} lines @param {string} you sid */
  render(lines, you) {
    if (lines === this.#shown) return;
    const list = byId('chat-lines');
    const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < AT_END;
    const grown = this.#shown.length > 0 && lines[this.#shown.length - 1] === this.#shown.at(-1);
    const added = grown ? lines.slice(this.#shown.length) : lines;
    if (!grown) list.replaceChildren();
    list.append(...added.map((line) => lineElement(line, line.from === you)));
    this.#shown = lines;
    if (atEnd) this.scrollToEnd();
  }

  /** Shows the newest line. */
  scrollToEnd() {
    const list = byId('chat-lines');
    list.scrollTop = list.scrollHeight;
  }

  #submit() {
    const field = byId('chat-text');
    const text = field.value.trim();
    if (text === '') return;
    if (new TextEncoder().encode(text).length > LONGEST) toast(chatTooLong);
    else if (this.#send({ type: 'chat', text })) field.value = '';
    else toast(chatNotSent);
    field.focus();
  }
}

function lineElement({ name, text, at }, yours) {
  const head = make('p', { class: 'line-head' }, make('b', {}, name),
    make('time', { dateTime: new Date(at).toISOString() }, timeOf(at)));
  return make('li', { class: yours ? 'line yours' : 'line' }, head, make('p', { class: 'line-text', dir: 'auto' }, text));
}
