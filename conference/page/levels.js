// SPDX-License-Identifier: Apache-2.0
// How loud a microphone is, five times a second.

const EVERY = 200;  // ms
const LONGEST = 32_768;  // samples that an analyser can keep: 200 ms at any rate up to 160 kHz
const FLOOR = -50;  // dB of full scale: what is quieter counts as silence, as does the noise of a room

/**
 * Loudness of samples from -1 to 1, as 0 (at most -50 dB of full scale) to 1 (full scale), linear in dB.
 * @param {Float32Array|number[]} samples
 */
export function loudness(samples) {
  let sum = 0;
  for (const each of samples) sum += each * each;
  const decibels = 10 * Math.log10(sum / Math.max(samples.length, 1) + 1e-12);
  return Math.min(Math.max(1 - decibels / FLOOR, 0), 1);
}

/**
 * How many samples a look takes: all since the last look, at least those of 200 ms, at most as many as there are.
 * @param {number} seconds since the last look
 * @param {number} rate samples a second
 */
export const sampleCount = (seconds, rate) => Math.min(Math.ceil(Math.max(seconds, EVERY / 1000) * rate), LONGEST);

export class LevelMeter {
  #context = null;
  #source = null;
  #track = null;
  #analyser = null;
  #samples = new Float32Array(LONGEST);
  #lookedAt = 0;  // of the context's clock, seconds

  /** @param {(level: number) => void} report every 200 ms while there is a track */
  constructor(report) {
    // A browser may hold sound back until the first click.
    for (const event of ['click', 'keydown']) addEventListener(event, () => this.#context?.resume());
    setInterval(() => {
      if (!this.#analyser) return;
      const samples = this.#unheard();
      report(this.#track.enabled ? loudness(samples) : 0);
    }, EVERY);
  }

  /** The sound since the last look, so that no short sound falls between two looks; at least 200 ms of it. */
  #unheard() {
    const { currentTime, sampleRate } = this.#context;
    const count = sampleCount(currentTime - this.#lookedAt, sampleRate);
    this.#lookedAt = currentTime;
    this.#analyser.getFloatTimeDomainData(this.#samples);  // the newest last
    return this.#samples.subarray(-count);
  }

  /** @param {MediaStreamTrack|null} track */
  listen(track) {
    if (track === this.#track) return;
    this.#source?.disconnect();
    this.#track = track;
    this.#source = this.#analyser = null;
    if (!track) return;
    this.#context ??= new AudioContext();
    this.#analyser = new AnalyserNode(this.#context, { fftSize: LONGEST, smoothingTimeConstant: 0 });
    this.#source = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#source.connect(this.#analyser);
  }
}
