// SPDX-License-Identifier: Apache-2.0
// What the page receives: one WHEP connection for each participant's camera with microphone, one for each screen.

import { LastingPeer } from './peer.js';
import { httpUrl } from './room_url.js';
import { forwardedCodecs } from './sdp.js';

/** @typedef {'connecting'|'live'|'failed'} StreamState */

const GROUPS = { camera: ['camera', 'microphone'], screen: ['screen', 'screen_audio'] };

class ReceivedStream {
  #peer;

  /** @param {string} path @param {{kind: string}[]} tracks */
  constructor(path, tracks, session, changed) {
    this.tracks = tracks.map((each) => each.sid).sort().join(' ');
    this.stream = new MediaStream();
    /** @type {StreamState} */
    this.state = 'connecting';
    this.#peer = new LastingPeer({
      url: httpUrl(`whep/${path}`), session,
      prepare: (pc) => this.#prepare(pc, tracks, changed),
      changed: (state) => { this.state = state; changed(); },
    });
    this.#peer.start();
  }

  get pc() { return this.#peer.pc; }

  #prepare(pc, tracks, changed) {
    for (const old of this.stream.getTracks()) this.stream.removeTrack(old);
    for (const kind of new Set(tracks.map((each) => each.kind))) {
      const transceiver = pc.addTransceiver(kind, { direction: 'recvonly' });
      const codecs = forwardedCodecs(RTCRtpReceiver.getCapabilities(kind)?.codecs ?? []);
      if (codecs.length > 0) transceiver.setCodecPreferences?.(codecs);
    }
    pc.addEventListener('track', ({ track }) => { this.stream.addTrack(track); changed(); });
  }

  close() { this.#peer.close(); }
}

export class Receiver {
  #session;
  #changed;
  #streams = new Map();  // key of a tile -> ReceivedStream

  /** @param {() => string|null} session @param {() => void} changed a stream, or the state of one */
  constructor(session, changed) {
    this.#session = session;
    this.#changed = changed;
  }

  /** Receives what these publish, and nothing else. @param {import('./room_state.js').Participant[]} participants */
  update(participants) {
    const wanted = new Map();
    for (const { sid, tracks } of participants) {
      for (const [group, sources] of Object.entries(GROUPS)) {
        const found = tracks.filter((track) => sources.includes(track.source));
        if (found.length > 0) wanted.set(`${sid}/${group}`, found);
      }
    }
    for (const [key, stream] of this.#streams) {
      const same = wanted.get(key)?.map((each) => each.sid).sort().join(' ') === stream.tracks;
      if (!same) { stream.close(); this.#streams.delete(key); }
    }
    for (const [key, tracks] of wanted)
      if (!this.#streams.has(key)) this.#streams.set(key, new ReceivedStream(key, tracks, this.#session, this.#changed));
  }

  /** @param {string} key of a tile @returns {{stream: MediaStream, state: StreamState}|undefined} */
  of(key) { return this.#streams.get(key); }

  /** @returns {RTCPeerConnection[]} */
  get connections() { return [...this.#streams.values()].map((each) => each.pc).filter(Boolean); }

  close() { this.update([]); }
}
