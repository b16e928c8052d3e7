// SPDX-License-Identifier: Apache-2.0
// How loud a microphone is, five times a second.

const EVERY = 200;  // ms
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

export class LevelMeter {
  #context = null;
  #source = null;
  #track = null;
  #analyser = null;

  /** @param {(level: number) => void} report every 200 ms while there is a track */
  constructor(report) {
    // A browser may hold sound back until the first click.
    for (const event of ['click', 'keydown']) addEventListener(event, () => this.#context?.resume());
    setInterval(() => {
      if (!this.#analyser) return;
      const samples = new Float32Array(this.#analyser.fftSize);
      this.#analyser.getFloatTimeDomainData(samples);
      report(this.#track.enabled ? loudness(samples) : 0);
    }, EVERY);
  }

  /** @param {MediaStreamTrack|null} track */
  listen(track) {
    if (track === this.#track) return;
    this.#source?.disconnect();
    this.#track = track;
    this.#source = this.#analyser = null;
    if (!track) return;
    this.#context ??= new AudioContext();
    this.#analyser = new AnalyserNode(this.#context, { fftSize: 2048, smoothingTimeConstant: 0 });
    this.#source = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#source.connect(this.#analyser);
  }
}
