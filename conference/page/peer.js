// SPDX-License-Identifier: Apache-2.0
// One one-way WebRTC connection by one HTTP POST (WHIP, RFC 9725; WHEP), made anew whenever it dies.

import { withOpusSettings } from './sdp.js';

const GATHERING = 2_000;  // ms for the candidates
const CONNECTING = 12_000;  // ms from the answer to the first connection
const DISCONNECTED = 3_000;  // ms in which a connection may come back by itself
const LONGEST_PAUSE = 8_000;  // ms between two attempts
const NOT_BEGUN = 503;  // the stream was announced, and has not begun yet
const SHORT_PAUSE = 250;  // ms until it is asked for again

const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
});

/** Waits for all candidates: the server takes none later. */
function gathered(pc, signal) {
  if (pc.iceGatheringState === 'complete') return Promise.resolve();
  const complete = new Promise((resolve) => {
    pc.addEventListener('icegatheringstatechange', () => { if (pc.iceGatheringState === 'complete') resolve(); });
  });
  return Promise.race([complete, pause(GATHERING, signal)]);
}

/** Resolves once the connection is dead. */
function died(pc, signal, onLive) {
  return new Promise((resolve) => {
    let timer = 0;
    const look = () => {
      clearTimeout(timer);
      const ice = pc.iceConnectionState;
      if (ice === 'failed' || ice === 'closed' || pc.connectionState === 'failed') resolve();
      else if (ice === 'disconnected') timer = setTimeout(resolve, DISCONNECTED);
      else if (pc.connectionState !== 'connected') timer = setTimeout(resolve, CONNECTING);
      else onLive();
    };
    pc.addEventListener('iceconnectionstatechange', look);
    pc.addEventListener('connectionstatechange', look);
    signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
    look();
  });
}

export class LastingPeer {
  #plan;
  #stop = new AbortController();
  #pc = null;
  #resource = null;

  /**
   * @param {{url: string, session: () => string|null,
   *          prepare: (pc: RTCPeerConnection) => void, changed: (state: 'connecting'|'live'|'failed') => void}} plan
   *   session: the bearer of the requests; prepare: adds the transceivers of a new connection
   */
  constructor(plan) { this.#plan = plan; }

  /** The connection of now, or null. */
  get pc() { return this.#pc; }

  /** Connects, and again until close(). */
  async start() {
    const signal = this.#stop.signal;
    for (let failures = 0; !signal.aborted; ++failures) {
      this.#plan.changed('connecting');
      let wait = Math.min(300 * 2 ** failures, LONGEST_PAUSE);
      try {
        await this.#connect(signal);
        await died(this.#pc, signal, () => { failures = 0; this.#plan.changed('live'); });
      } catch (error) {
        if (error.cause === NOT_BEGUN) wait = SHORT_PAUSE * Math.min(failures + 1, 4);
        else if (!signal.aborted) console.info(`${this.#plan.url}: ${error.message}`);
      }
      this.#drop();
      if (signal.aborted) return;
      if (failures > 1) this.#plan.changed('failed');
      await pause(wait, signal);
    }
  }

  close() {
    this.#stop.abort();
    this.#drop();
  }

  async #connect(signal) {
    const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
    this.#pc = pc;
    this.#plan.prepare(pc);
    await pc.setLocalDescription(await pc.createOffer());
    await gathered(pc, signal);
    signal.throwIfAborted();
    const answer = await this.#post(withOpusSettings(pc.localDescription.sdp), signal);
    signal.throwIfAborted();
    await pc.setRemoteDescription({ type: 'answer', sdp: withOpusSettings(answer) });
  }

  async #post(offer, signal) {
    const headers = { 'Content-Type': 'application/sdp', Authorization: `Bearer ${this.#plan.session()}` };
    const response = await fetch(this.#plan.url, { method: 'POST', headers, body: offer, signal });
    if (response.status !== 201) throw new Error(`${response.status}: ${(await response.text()).trim()}`, { cause: response.status });
    const place = response.headers.get('Location');
    this.#resource = place ? new URL(place, response.url).href : null;
    return response.text();
  }

  #drop() {
    this.#pc?.close();
    this.#pc = null;
    const [resource, session] = [this.#resource, this.#plan.session()];
    this.#resource = null;
    if (!resource || !session) return;
    // If the request is lost, the server finds out by itself that nobody is there.
    fetch(resource, { method: 'DELETE', headers: { Authorization: `Bearer ${session}` }, keepalive: true }).catch(() => {});
  }
}
