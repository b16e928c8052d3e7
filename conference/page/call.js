// SPDX-License-Identifier: Apache-2.0
// The call: the room's state, what is sent and what is received, behind one object.

import { Publisher } from './publish.js';
import { figuresOf, judge } from './quality.js';
import { Receiver } from './receive.js';
import { apply, emptyRoom, participantOf } from './room_state.js';
import * as sentences from './sentences.js';
import { figuresOf as figuresOfSending, SendingWatch } from './sending.js';
import { RoomSocket } from './socket.js';
import { TrackSettings } from './track_settings.js';

const LOOK_EVERY = 3_000;  // ms between two judgements of the connection's quality
const LOOK_AT_SENDING_EVERY = 1_000;  // ms
const FINEST_LEVEL = 0.05;  // smaller changes of the microphone's level are not told
const LEVEL_LASTS = 700;  // ms until a level is told again: the room forgets it after 1 s
const PUBLISH_PATIENCE = 2;  // failures in a row before the user is told

export class RoomCall {
  #media;
  #listener;
  #socket;
  #publisher;
  #receiver;
  #settings;
  #sending;
  #level = { told: 0, at: 0 };
  #quality = null;
  #figures = null;
  #failures = 0;
  #onInvitation = null;
  #own = { track: null, stream: null, screen: null, screenStream: null };
  #render = 0;

  /**
   * @param {import('./local_media.js').LocalMedia} media
   * @param {{changed: () => void, notice: (sentence: string) => void, chatted: (name: string) => void,
   *          mutedByHost: () => void}} listener
   */
  constructor(media, listener) {
    this.#media = media;
    this.#listener = listener;
    this.#socket = new RoomSocket({
      changed: (connection) => this.#connectionChanged(connection), message: (message) => this.#received(message),
    });
    this.#publisher = new Publisher(this.#socket, (state) => this.#published(state));
    this.#receiver = new Receiver(() => this.#socket.connection.session, () => this.#changed());
    this.#settings = new TrackSettings((message) => this.#socket.send(message));
    this.#sending = new SendingWatch((message) => this.#socket.send(message));
    this.state = emptyRoom();
    this.unread = 0;
    setInterval(() => this.#look(), LOOK_EVERY);
    setInterval(() => this.#lookAtSending(), LOOK_AT_SENDING_EVERY);
  }

  get phase() { return this.#socket.connection.phase; }

  /** What is to be shown instead of the room: a key of NOTICES, or null. */
  get notice() {
    const { phase, ending } = this.#socket.connection;
    if (phase === 'ended') return ending;
    if (phase === 'waiting') return 'waiting';
    return this.state.you ? null : 'connecting';
  }

  join(name) { this.#socket.join(name); }

  leave() {
    this.#publisher.close();
    this.#receiver.close();
    this.#socket.leave();
  }

  /** Tries at once to reach the room again. */
  retry() { this.#socket.retry(); }

  send(message) { return this.#socket.send(message); }

  want(settings) { this.#settings.want(settings); }

  readChat() { this.unread = 0; }

  /** Gives a link for guests: a host makes a new invitation, a guest passes its own on. @param {(link: string) => void} use */
  invite(use) {
    if (this.state.you?.role !== 'host') { use(location.href); return; }
    this.#onInvitation = use;
    this.#socket.send({ type: 'invite', role: 'guest' });
  }

  /** @param {number} level of the microphone, 0 to 1 */
  level(level) {
    const told = Math.round(Math.round(level / FINEST_LEVEL) * FINEST_LEVEL * 100) / 100;
    const at = performance.now();
    if (told === this.#level.told && (told === 0 || at - this.#level.at < LEVEL_LASTS)) return;
    if (this.#socket.send({ type: 'level', level: told })) this.#level = { told, at };
  }

  /** Sends what the devices give now. */
  publish() {
    if (this.phase !== 'joined') return;
    const { tracks, isHeard, isSeen, screen } = this.#media;
    this.#publisher.send('camera', [
      { source: 'microphone', track: tracks.microphone, muted: !isHeard }, { source: 'camera', track: tracks.camera, muted: !isSeen },
    ]);
    this.#publisher.send('screen', screen.map((track) =>
      ({ source: track.kind === 'video' ? 'screen' : 'screen_audio', track, muted: false })));
  }

  /** @param {import('./tile_list.js').Tile} tile @returns {{stream: MediaStream|null, state: string}} */
  streamOf(tile) {
    if (tile.you) return { stream: this.#ownStream(tile.source), state: 'live' };
    return this.#receiver.of(tile.key) ?? { stream: null, state: tile.video || !tile.muted ? 'connecting' : 'live' };
  }

  #ownStream(source) {
    const track = source === 'screen' ? this.#media.screen.find((each) => each.kind === 'video') : this.#media.tracks.camera;
    const own = this.#own[source];
    if (own?.track === (track ?? null)) return own.stream;
    this.#own[source] = { track: track ?? null, stream: track ? new MediaStream([track]) : null };
    return this.#own[source].stream;
  }

  #connectionChanged({ phase }) {
    if (phase === 'ended') {
      this.#publisher.close();
      this.#receiver.close();
      this.#media.close();  // nobody looks on
      this.state = emptyRoom();
      this.unread = 0;
    }
    this.#changed();
  }

  #received(message) {
    const before = this.state;
    this.state = apply(before, message);
    this.#say(message, before);
    switch (message.type) {
      case 'joined': this.#entered(message, before.you); break;
      case 'muted_by_host': this.#obey(message.track); break;
      case 'track_wanted': this.#publisher.want(message.track, message); break;
      case 'invitation': this.#onInvitation?.((message.invitation ?? message).link); this.#onInvitation = null; break;
      case 'error': console.info(`the room refused "${message.for}": ${message.message}`); break;
    }
    if (this.state === before) return;
    if (this.phase === 'joined') this.#receiver.update(this.state.others);
    this.#changed();
  }

  #entered({ you }, before) {
    // The room did not know the old stay any more, nor what was received in it.
    if (before && before.sid !== you.sid) this.#receiver.close();
    this.#settings.forget();
    this.#sending.forget();
    this.#level = { told: 0, at: 0 };
    this.#quality = null;
    this.#publisher.resync(you.tracks);
    this.publish();
  }

  #obey(sid) {
    const track = this.state.you?.tracks.find((each) => each.sid === sid);
    if (track?.source === 'microphone' || track?.source === 'camera') this.#media.set(track.source, false);
    else if (track) this.#media.stopScreen();
    this.#listener.mutedByHost();
  }

  /** Tells the user what changed. */
  #say(message, before) {
    const name = participantOf(before, message.sid)?.name;
    const { notice } = this.#listener;
    switch (message.type) {
      case 'participant_joined': notice(sentences.joined(message.participant.name)); break;
      case 'participant_left': if (name) notice(sentences.departed(name, message.reason)); break;
      case 'hand': if (message.raised && name && message.sid !== before.you?.sid) notice(sentences.raisedHand(name)); break;
      case 'track_published': if (message.track.source === 'screen' && name) notice(sentences.sharesScreen(name)); break;
      case 'waiting_list': this.#sayWaiting(message.waiting, before.waiting); break;
      case 'chat': if (message.from !== before.you?.sid) { ++this.unread; this.#listener.chatted(message.name); } break;
    }
  }

  #sayWaiting(now, before) {
    for (const each of now)
      if (!before.some((known) => known.sid === each.sid)) this.#listener.notice(sentences.waitsToEnter(each.name));
  }

  #published(state) {
    this.#failures = state === 'live' ? 0 : this.#failures + (state === 'failed' ? 1 : 0);
    if (this.#failures === PUBLISH_PATIENCE) this.#listener.notice(sentences.notPublished);
  }

  async #look() {
    if (this.phase !== 'joined') return;
    const before = this.#figures;
    this.#figures = await figuresOf([...this.#publisher.connections, ...this.#receiver.connections]);
    const quality = before ? judge(before, this.#figures) : null;
    if (quality && quality !== this.#quality && this.#socket.send({ type: 'quality', quality })) this.#quality = quality;
  }

  async #lookAtSending() {
    if (this.phase !== 'joined') return;
    const { camera } = this.#publisher;
    this.#sending.look(camera && await figuresOfSending(camera), performance.now());
  }

  /** Many messages at once are shown once. */
  #changed() {
    this.#render ||= setTimeout(() => { this.#render = 0; this.#listener.changed(); }, 0);
  }
}
