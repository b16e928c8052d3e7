// SPDX-License-Identifier: Apache-2.0
// The room's WebSocket: joins, answers for its liveness, comes back after a break (connection.js says when).

import { SUBPROTOCOL, socketUrl } from './room_url.js';
import { backOff, idle, step } from './connection.js';

const PING_EVERY = 10_000;  // ms
const SILENT_AFTER = 25_000;  // ms without any message: the connection is broken

export class RoomSocket {
  #connection = idle();
  #listener;
  #socket = null;
  #name = '';
  #timer = 0;
  #heard = 0;
  #published = new Map();  // cid -> {resolve, reject}

  /** @param {{changed: (connection: import('./connection.js').Connection) => void, message: (message: object) => void}} listener */
  constructor(listener) {
    this.#listener = listener;
    setInterval(() => this.#beat(), PING_EVERY);
  }

  get connection() { return this.#connection; }

  /** @param {string} name */
  join(name) {
    this.#name = name;
    this.#step({ type: 'join' });
  }

  leave() {
    this.send({ type: 'leave' });
    this.#step({ type: 'leave' });
  }

  /** Does not wait for the time of the back-off. */
  retry() { this.#step({ type: 'retry' }); }

  /** @param {object} message @returns {boolean} whether it was sent: false unless in the room */
  send(message) {
    if (this.#connection.phase !== 'joined' || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /**
   * Announces a track.
   * @param {{cid: string, kind: string, source: string, width?: number, height?: number, rate?: number, muted?: boolean}} track
   * @returns {Promise<object>} the track as the room knows it
   */
  publish(track) {
    return new Promise((resolve, reject) => {
      if (!this.send({ type: 'publish', ...track })) reject(new Error('The connection to the room is broken.'));
      else this.#published.set(track.cid, { resolve, reject });
    });
  }

  #step(event) {
    const before = this.#connection;
    this.#connection = step(before, event);
    if (this.#connection === before) return;
    if (this.#connection.phase !== before.phase || this.#connection.session !== before.session) this.#act(before);
    this.#listener.changed(this.#connection);
  }

  #act(before) {
    const { phase, attempt } = this.#connection;
    clearTimeout(this.#timer);
    if (phase === 'connecting') this.#open();
    if (phase === 'retrying' || phase === 'ended') this.#drop();
    if (phase === 'retrying') {
      const wait = backOff(attempt) * (0.75 + Math.random() / 2);  // many guests do not return at one instant
      this.#timer = setTimeout(() => this.#step({ type: 'retry' }), wait);
    }
    if (before.phase === 'joined') this.#failPublications();
  }

  #open() {
    this.#drop();
    const socket = new WebSocket(socketUrl(), SUBPROTOCOL);
    this.#socket = socket;
    this.#heard = performance.now();
    socket.onopen = () => {
      const resume = this.#connection.session ?? undefined;
      socket.send(JSON.stringify({ type: 'join', name: this.#name, client: 'browser', resume }));
    };
    socket.onmessage = (event) => this.#receive(event.data);
    socket.onclose = () => this.#step({ type: 'broken' });
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  #receive(text) {
    this.#heard = performance.now();
    const message = parsed(text);
    if (!message) return;
    if (message.type === 'published' || message.type === 'error') this.#answerPublication(message);
    this.#step({ type: 'message', message });
    this.#listener.message(message);
  }

  #answerPublication(message) {
    const waiting = this.#published.get(message.cid);
    if (!waiting) return;
    this.#published.delete(message.cid);
    if (message.type === 'published') waiting.resolve(message.track);
    else waiting.reject(new Error(message.message));
  }

  #failPublications() {
    for (const { reject } of this.#published.values()) reject(new Error('The connection to the room broke.'));
    this.#published.clear();
  }

  #beat() {
    const socket = this.#socket;
    if (!socket) return;
    if (performance.now() - this.#heard > SILENT_AFTER) this.#step({ type: 'broken' });
    else if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'ping', t: Math.round(performance.now()) }));
  }
}

function parsed(text) {
  try {
    const message = JSON.parse(text);
    return typeof message?.type === 'string' ? message : null;
  } catch {
    return null;
  }
}
