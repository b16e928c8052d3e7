// SPDX-License-Identifier: Apache-2.0
// Judges whether this computer sends the camera's pictures whole, and what limits them (webrtc-stats); tells the room.

const SETTLING = 10_000;  // ms from the start of a size in which a browser's estimate of the line still rises
const NEARLY = 0.9;  // of the height: encoders round
const FEWER = 0.8;  // of the captured rate
const NEWS = 0.25;  // of the figure that was told: smaller changes are not told
const MOST_CARRIED = 1_000_000;  // kbit/s

const WHOLE = { pictures: 'whole', limit: 'none' };

/**
 * One size in which the camera is sent; height and rate (pictures a second): of what is encoded, 0 if nothing is.
 * @typedef {{active: boolean, scale: number, most: number, height: number, rate: number, reason: string}} Layer
 *   scale: by which the size is divided; most: kbit/s; reason: qualityLimitationReason
 * @typedef {{sid: string, connection: object, layers: Layer[], height: number, rate: number, carried?: number}} SendingFigures
 *   layers: the larger first; height, rate: of the camera; carried: kbit/s that the line is estimated to carry
 * @typedef {{pictures: 'whole'|'smaller'|'fewer'|'none', limit: 'none'|'sender_line'|'sender_computer', carried?: number}} Sending
 */

/** @param {import('./publish.js').Camera} camera @returns {Promise<SendingFigures|null>} null until it is connected */
export async function figuresOf({ sid, senders, connection }) {
  if (connection.connectionState !== 'connected') return null;
  const reports = await Promise.all(senders.map((each) => each.getStats().catch(() => new Map())));
  const { height = 0, frameRate = 0 } = senders[0].track?.getSettings() ?? {};
  return {
    sid, connection, height, rate: frameRate, carried: carriedOf(reports[0]),
    layers: senders.map((sender, index) => layerOf(sender, reports[index])),
  };
}

function layerOf(sender, report) {
  const { active = false, scaleResolutionDownBy = 1, maxBitrate = Infinity } = sender.getParameters().encodings?.[0] ?? {};
  const stat = [...report.values()].find((each) => each.type === 'outbound-rtp');
  return {
    active: active && sender.track !== null, scale: scaleResolutionDownBy, most: maxBitrate / 1000,
    height: stat?.frameHeight ?? 0, rate: stat?.framesPerSecond ?? 0, reason: stat?.qualityLimitationReason ?? 'none',
  };
}

function carriedOf(report) {
  const pair = [...report.values()].find((each) => each.type === 'candidate-pair' && each.nominated && each.availableOutgoingBitrate);
  return pair ? Math.min(Math.max(Math.round(pair.availableOutgoingBitrate / 1000), 1), MOST_CARRIED) : undefined;
}

/** @param {SendingFigures} figures @returns {Sending} */
export function judge({ layers, height, rate, carried }) {
  const active = layers.filter((each) => each.active);
  if (active.length === 0) return WHOLE;  // nobody wants the camera, or it is off
  const pictures = picturesOf(active, height, rate);
  const limit = limitOf(active, carried);
  if (pictures === 'whole' || limit === 'none') return WHOLE;
  return limit === 'sender_line' && carried ? { pictures, limit, carried } : { pictures, limit };
}

function picturesOf([largest, ...others], height, rate) {
  if (largest.rate === 0) return others.some((each) => each.rate > 0) ? 'smaller' : 'none';
  if (largest.height < NEARLY * height / largest.scale) return 'smaller';
  return largest.rate < FEWER * rate ? 'fewer' : 'whole';
}

function limitOf(active, carried) {
  const [largest, ...others] = active;
  if (largest.reason === 'cpu') return 'sender_computer';
  const most = active.reduce((sum, each) => sum + each.most, 0);
  // A browser says 'bandwidth' also where the page's own maxBitrate is the limit.
  if (largest.reason === 'bandwidth' && !(carried >= most)) return 'sender_line';
  // For a size that the browser suspends because the line is narrow, it gives no reason.
  const isOff = largest.rate === 0 && others.some((each) => each.rate > 0);
  return isOff && carried < most ? 'sender_line' : 'none';
}

const sameState = (one, other) => one.pictures === other.pictures && one.limit === other.limit;

function isNews(told, now) {
  if (!told || !sameState(told, now)) return true;
  return told.carried && now.carried ? Math.abs(now.carried - told.carried) > NEWS * told.carried : told.carried !== now.carried;
}

/** Tells the room what changed, once two looks in a row agree. */
export class SendingWatch {
  #send;
  #sid = null;
  #told = WHOLE;  // what the room knows of the track; null: not known
  #before = null;  // the last look
  #start = null;  // of the size that is judged: {connection, scale, at}

  /** @param {(message: object) => boolean} send false: not sent */
  constructor(send) { this.#send = send; }

  /** The room may have forgotten all. */
  forget() { this.#told = null; }

  /** @param {SendingFigures|null} figures null: the camera is not sent @param {number} now ms */
  look(figures, now) {
    if (!figures) { this.#before = this.#start = null; return; }
    if (figures.sid !== this.#sid) {
      this.#sid = figures.sid;
      this.#told = WHOLE;  // the room takes a new track to be whole
      this.#before = null;
    }
    if (!this.#isSettled(figures, now)) return;
    const sending = judge(figures);
    const before = this.#before;
    this.#before = sending;
    if (!before || !sameState(before, sending) || !isNews(this.#told, before) || !isNews(this.#told, sending)) return;
    if (this.#send({ type: 'track_sending', sid: this.#sid, ...sending })) this.#told = sending;
  }

  #isSettled({ connection, layers }, now) {
    const scale = layers.find((each) => each.active)?.scale;
    const same = this.#start?.connection === connection && this.#start.scale === scale;
    if (this.#start && this.#start.connection !== connection) this.#told = WHOLE;  // the host forgets with it
    if (!same) {
      this.#start = { connection, scale, at: now };
      this.#before = null;
    }
    return now - this.#start.at >= SETTLING;
  }
}
