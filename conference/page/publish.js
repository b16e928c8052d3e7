// SPDX-License-Identifier: Apache-2.0
// What the page sends: one connection for camera and microphone, one for the screen.

import { activeLayers, canBeHalved } from './layers.js';
import { LastingPeer } from './peer.js';
import { httpUrl } from './room_url.js';
import { bitrateFor, forwardedCodecs } from './sdp.js';

/**
 * @typedef {{source: string, track: MediaStreamTrack|null, muted: boolean}} Source
 * @typedef {{sid: string, senders: RTCRtpSender[], connection: RTCPeerConnection}} Camera the sender of the larger size first
 */

const isScreen = (source) => source.startsWith('screen');

function description(source, track) {
  if (track.kind === 'audio') return { cid: track.id, kind: 'audio', source };
  const { width, height, frameRate } = track.getSettings();
  return {
    cid: track.id, kind: 'video', source, width, height, rate: frameRate ? Math.round(frameRate) : undefined,
    sizes: isInTwoSizes(source, track) ? 2 : undefined,
  };
}

const isInTwoSizes = (source, track) => source === 'camera' && canBeHalved(sizeOf(track));

const AS_IT_IS = { enabled: true };

function sizeOf(track) {
  const { width = 640, height = 360 } = track.getSettings();
  return { width, height };
}

function addTransceiver(pc, track, stream, encoding) {
  const transceiver = pc.addTransceiver(track, { direction: 'sendonly', streams: [stream], sendEncodings: encoding && [encoding] });
  const codecs = forwardedCodecs(RTCRtpSender.getCapabilities(track.kind)?.codecs ?? []);
  if (codecs.length > 0) transceiver.setCodecPreferences?.(codecs);
  return transceiver.sender;
}

/** The senders of one source: of a camera two, the larger first. @returns {RTCRtpSender[]} */
function addSenders(pc, { source, track }, stream, wanted) {
  if (track.kind === 'audio') return [addTransceiver(pc, track, stream)];
  const size = sizeOf(track);
  const scales = isInTwoSizes(source, track) ? [1, 2] : [1];
  const active = activeLayers(wanted, size);
  return scales.map((scaleResolutionDownBy, layer) => {
    const maxBitrate = bitrateFor(size.width / scaleResolutionDownBy, size.height / scaleResolutionDownBy, isScreen(source));
    const sender = addTransceiver(pc, track, stream, { maxBitrate, scaleResolutionDownBy, active: active[layer] });
    preferDegradation(sender, isScreen(source));
    return sender;
  });
}

/** @param {RTCRtpSender[]} senders of a camera */
function activate(senders, wanted) {
  const track = senders[0]?.track;
  if (!track) return;  // switched off
  const active = activeLayers(wanted, sizeOf(track));
  senders.forEach((sender, layer) => {
    const parameters = sender.getParameters();
    if (!parameters.encodings?.length) return;
    parameters.encodings[0].active = active[layer];
    sender.setParameters(parameters).catch((error) => console.info(`layers: ${error.message}`));
  });
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
  #senders = new Map();  // source -> RTCRtpSender[]
  #wanted = new Map();  // source -> what the room wants of it
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
      const wanted = this.#wanted.get(source.source) ?? AS_IT_IS;
      const senders = addSenders(pc, { ...source, track: offered[index] }, stream, wanted);
      this.#senders.set(source.source, senders);
      if (source.track !== offered[index]) for (const sender of senders) sender.replaceTrack(source.track);
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
      if (next.track !== now.track)
        for (const sender of this.#senders.get(next.source) ?? []) sender.replaceTrack(next.track).catch(() => {});
      if (next.muted !== now.muted) this.#tellMuted(next.source, next.muted);
    }
    this.#sources = sources;
  }

  /** What the others want at most of a track. @param {string} sid @param {{enabled: boolean}} wanted */
  want(sid, wanted) {
    for (const { source } of this.#sources) {
      if (source !== 'camera' || this.#sids.get(source) !== sid) continue;
      this.#wanted.set(source, wanted);
      activate(this.#senders.get(source) ?? [], wanted);
    }
  }

  /** The room takes all to be wanted as it is, until it says otherwise. */
  wantAll() {
    for (const [source, sid] of this.#sids) if (this.#wanted.delete(source)) this.want(sid, AS_IT_IS);
  }

  /** What is sent of the camera, or null. @returns {Camera|null} */
  get camera() {
    const [sid, senders, connection] = [this.#sids.get('camera'), this.#senders.get('camera'), this.#peer?.pc];
    return sid && senders && connection ? { sid, senders, connection } : null;
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

  /** What the others want at most of a track. @param {string} sid @param {{enabled: boolean}} wanted */
  want(sid, wanted) { for (const stream of this.#streams.values()) stream.want(sid, wanted); }

  /** After the room was joined again: what it forgot is published anew. @param {{sid: string}[]} tracks of you */
  resync(tracks) {
    for (const [group, stream] of [...this.#streams]) {
      stream.wantAll();
      if (stream.resync(tracks)) continue;
      this.#streams.delete(group);
      stream.close();
      this.send(group, stream.sources);
    }
  }

  /** The connections of now. @returns {RTCPeerConnection[]} */
  get connections() { return [...this.#streams.values()].map((each) => each.peer?.pc).filter(Boolean); }

  /** What is sent of the camera now, or null. @returns {Camera|null} */
  get camera() { return this.#streams.get('camera')?.camera ?? null; }

  /** Forgets all: the room does not know them any more. */
  close() {
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }
}
