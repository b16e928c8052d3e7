// SPDX-License-Identifier: Apache-2.0
// What the page sends: one connection for camera and microphone, one for the screen.

import { LastingPeer } from './peer.js';
import { httpUrl } from './room_url.js';
import { bitrateFor, forwardedCodecs } from './sdp.js';

/** @typedef {{source: string, track: MediaStreamTrack|null, muted: boolean}} Source */

const isScreen = (source) => source.startsWith('screen');

function description(source, track) {
  if (track.kind === 'audio') return { cid: track.id, kind: 'audio', source };
  const { width, height, frameRate } = track.getSettings();
  return { cid: track.id, kind: 'video', source, width, height, rate: frameRate ? Math.round(frameRate) : undefined };
}

function addSender(pc, { source, track }, stream) {
  const video = track.kind === 'video';
  const { width = 640, height = 360 } = video ? track.getSettings() : {};
  const encodings = video ? [{ maxBitrate: bitrateFor(width, height, isScreen(source)) }] : undefined;
  const transceiver = pc.addTransceiver(track, { direction: 'sendonly', streams: [stream], sendEncodings: encodings });
  const codecs = forwardedCodecs(RTCRtpSender.getCapabilities(track.kind)?.codecs ?? []);
  if (codecs.length > 0) transceiver.setCodecPreferences?.(codecs);
  if (video) preferDegradation(transceiver.sender, isScreen(source));
  return transceiver.sender;
}

/** Under load a camera loses size and rate alike; a screen keeps its size, so that it can be read. */
function preferDegradation(sender, screen) {
  const parameters = sender.getParameters();
  parameters.degradationPreference = screen ? 'maintain-resolution' : 'balanced';
  sender.setParameters(parameters).catch(() => {});  // not all browsers have the field
}

/** One WHIP connection. Its tracks are announced in the room first, so that the host knows them in the offer. */
class PublishedStream {
  #socket;
  #peer = null;
  #sources;  // Source[], as given
  #sids = new Map();  // source -> sid in the room
  #senders = new Map();  // source -> RTCRtpSender
  #closed = false;

  constructor(socket, group, sources, changed) {
    this.#socket = socket;
    this.#sources = sources;
    this.#start(group, changed);
  }

  get sources() { return this.#sources; }
  get peer() { return this.#peer; }

  async #start(group, changed) {
    const announced = await Promise.allSettled(this.#sources.map(async ({ source, track, muted }) => {
      const published = await this.#socket.publish({ ...description(source, track), muted });
      this.#sids.set(source, published.sid);
    }));
    const failed = announced.find((each) => each.status === 'rejected');
    if (failed) console.info(`publish: ${failed.reason.message}`);
    if (failed && !this.#closed) changed('failed');
    if (failed || this.#closed) { this.#unpublish(); return; }
    // What changed while the room answered.
    for (const { source, muted } of this.#sources) this.#tellMuted(source, muted);
    const offered = this.#sources.map((each) => each.track);
    this.#peer = new LastingPeer({
      url: httpUrl(`whip/${group}`), session: () => this.#socket.connection.session, changed,
      prepare: (pc) => this.#prepare(pc, offered),
    });
    this.#peer.start();
  }

  /** The offer names the tracks as they were announced; what is sent may be others by now, or nothing. */
  #prepare(pc, offered) {
    const stream = new MediaStream(offered);
    this.#sources.forEach((source, index) => {
      const sender = addSender(pc, { ...source, track: offered[index] }, stream);
      this.#senders.set(source.source, sender);
      if (source.track !== offered[index]) sender.replaceTrack(source.track);
    });
  }

  #tellMuted(source, muted) {
    const sid = this.#sids.get(source);
    if (sid) this.#socket.send({ type: 'mute', sid, muted });
  }

  /** Follows what the devices give now. @param {Source[]} sources the same ones */
  update(sources) {
    for (const [index, next] of sources.entries()) {
      const now = this.#sources[index];
      if (next.track !== now.track) this.#senders.get(next.source)?.replaceTrack(next.track).catch(() => {});
      if (next.muted !== now.muted) this.#tellMuted(next.source, next.muted);
    }
    this.#sources = sources;
  }

  /** Whether the room has all of its tracks; tells it again which of them are muted. @param {{sid: string}[]} tracks */
  resync(tracks) {
    const known = this.#sources.every(({ source }) => tracks.some((each) => each.sid === this.#sids.get(source)));
    if (known) for (const { source, muted } of this.#sources) this.#tellMuted(source, muted);
    return known;
  }

  #unpublish() {
    for (const sid of this.#sids.values()) this.#socket.send({ type: 'unpublish', sid });
    this.#sids.clear();
  }

  close() {
    this.#closed = true;
    this.#peer?.close();
    this.#unpublish();
  }
}

export class Publisher {
  #socket;
  #changed;
  #streams = new Map();  // 'camera' | 'screen' -> PublishedStream

  /** @param {import('./socket.js').RoomSocket} socket @param {(state: 'connecting'|'live'|'failed') => void} changed */
  constructor(socket, changed) {
    this.#socket = socket;
    this.#changed = changed;
  }

  /**
   * Sends these. A source that was never there needs a new connection; one whose track is null is silent for now.
   * @param {'camera'|'screen'} group
   * @param {Source[]} sources
   */
  send(group, sources) {
    const now = this.#streams.get(group);
    const before = now?.sources ?? [];
    const isKnown = (source) => before.some((each) => each.source === source.source);
    const kept = sources.filter((each) => each.track || isKnown(each));
    const same = kept.length === before.length && kept.every(isKnown);
    if (now && same && kept.length > 0) { now.update(kept); return; }
    now?.close();
    this.#streams.delete(group);
    const live = kept.filter((each) => each.track);
    if (live.length > 0) this.#streams.set(group, new PublishedStream(this.#socket, group, live, this.#changed));
  }

  /** After the room was joined again: what it forgot is published anew. @param {{sid: string}[]} tracks of you */
  resync(tracks) {
    for (const [group, stream] of [...this.#streams]) {
      if (stream.resync(tracks)) continue;
      this.#streams.delete(group);
      stream.close();
      this.send(group, stream.sources);
    }
  }

  /** The connections of now. @returns {RTCPeerConnection[]} */
  get connections() { return [...this.#streams.values()].map((each) => each.peer?.pc).filter(Boolean); }

  /** Forgets all: the room does not know them any more. */
  close() {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }
}
