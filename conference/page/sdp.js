// SPDX-License-Identifier: Apache-2.0
// What the page asks for in session descriptions (RFC 8866; Opus: RFC 7587, 6.1).

const OPUS = { useinbandfec: '1', usedtx: '1' };
const FORWARDED = ['video/VP8', 'video/H264', 'video/rtx', 'audio/opus'];  // in this order; the host knows no others

function withParameters(line, wanted) {
  const [head, rest = ''] = line.split(/ (.*)/s);
  const known = rest.split(';').map((each) => each.trim()).filter(Boolean);
  const others = known.filter((each) => !(each.split('=')[0] in wanted));
  return `${head} ${[...others, ...Object.entries(wanted).map((pair) => pair.join('='))].join(';')}`;
}

/** The description with error correction (FEC) and pauses in silence (DTX) for Opus. @param {string} sdp @returns {string} */
export function withOpusSettings(sdp) {
  const lines = sdp.split('\r\n');
  const types = lines.map((line) => /^a=rtpmap:(\d+) opus\//i.exec(line)?.[1]).filter(Boolean);
  return lines.flatMap((line) => {
    const format = /^a=fmtp:(\d+) /.exec(line)?.[1];
    if (types.includes(format)) return [withParameters(line, OPUS)];
    const mapped = /^a=rtpmap:(\d+) /.exec(line)?.[1];
    const bare = types.includes(mapped) && !lines.some((each) => each.startsWith(`a=fmtp:${mapped} `));
    return bare ? [line, withParameters(`a=fmtp:${mapped}`, OPUS)] : [line];
  }).join('\r\n');
}

/** The codecs that the host forwards, VP8 first. @param {{mimeType: string}[]} codecs @returns {{mimeType: string}[]} */
export function forwardedCodecs(codecs) {
  const place = (codec) => FORWARDED.findIndex((each) => each.toLowerCase() === codec.mimeType.toLowerCase());
  return codecs.filter((codec) => place(codec) >= 0).sort((one, other) => place(one) - place(other));
}

/** Most bits a second for a picture of this size. @param {number} width @param {number} height @param {boolean} screen */
export function bitrateFor(width, height, screen) {
  const pixels = width * height;
  if (screen) return 2_500_000;
  if (pixels <= 320 * 180) return 250_000;
  if (pixels <= 640 * 480) return 800_000;
  return 1_700_000;
}
