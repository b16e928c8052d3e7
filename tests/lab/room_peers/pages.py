# SPDX-License-Identifier: Apache-2.0
"""Pages of Chromium that publish, receive, and tell how old the pictures are that they show."""
import contextlib
import http.server
import threading

# One-way connections. A description has all candidates; `x-google-*` holds Chromium at one rate.
SCRIPT = r"""
window.VP8 = (kind, of) => of.getCapabilities(kind).codecs.filter((c) => /VP8|rtx|opus/i.test(c.mimeType));
window.whole = async (pc) => {
  if (pc.iceGatheringState !== 'complete')
    await new Promise((done) => pc.addEventListener('icegatheringstatechange', () => { if (pc.iceGatheringState === 'complete') done(); }));
  return pc.localDescription.sdp;
};
window.fixed = (sdp, rate) => {
  const type = /a=rtpmap:(\d+) VP8\//.exec(sdp)?.[1];
  if (!type || !rate) return sdp;
  const line = `a=fmtp:${type} x-google-min-bitrate=${rate};x-google-start-bitrate=${rate};x-google-max-bitrate=${rate}`;
  return sdp.replace(new RegExp(`(a=rtpmap:${type} [^\r]*\r\n)`), `$1${line}\r\n`);
};
window.drop = () => { window.pc?.close(); window.pc = null; };
window.send = async (stream, rate) => {
  drop();
  pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  for (const track of stream.getTracks()) {
    const video = track.kind === 'video';
    const transceiver = pc.addTransceiver(track, { direction: 'sendonly', streams: [stream],
      sendEncodings: video ? [{ maxBitrate: rate * 1000 }] : undefined });
    transceiver.setCodecPreferences(VP8(track.kind, RTCRtpSender));
    if (!video) continue;
    const parameters = transceiver.sender.getParameters();
    parameters.degradationPreference = 'maintain-resolution';
    await transceiver.sender.setParameters(parameters);
  }
  await pc.setLocalDescription();
  return whole(pc);
};
window.accept = (sdp, rate) => pc.setRemoteDescription({ type: 'answer', sdp: fixed(sdp, rate) });
window.shown = () => {
  const video = document.querySelector('video');
  video.srcObject = new MediaStream(pc.getReceivers().map((each) => each.track));
  return video;
};
window.answer = async (sdp) => {
  drop();
  pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  await pc.setRemoteDescription({ type: 'offer', sdp });
  await pc.setLocalDescription();
  watch(shown());
  return whole(pc);
};
window.receive = async () => {
  drop();
  pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
  for (const kind of ['video', 'audio'])
    pc.addTransceiver(kind, { direction: 'recvonly' }).setCodecPreferences(VP8(kind, RTCRtpReceiver));
  await pc.setLocalDescription();
  return whole(pc);
};
window.sent = () => pc.getStats().then((all) => [...all.values()].filter((s) => s.type === 'outbound-rtp' && s.kind === 'video')
  .map((s) => [s.framesEncoded, s.bytesSent, s.frameHeight])[0]);

// The stamp of picture_stamp.h: 6 rows of 16 blocks, a 32nd of the width each; number, clock in us, CRC.
window.LAP = 2 ** 40;
window.wall = (now) => Math.round((performance.timeOrigin + now) * 1000) % LAP;
window.crc = (bytes) => bytes.reduce((sum, byte) => {
  sum ^= byte << 8;
  for (let bit = 0; bit < 8; ++bit) sum = sum & 0x8000 ? (sum << 1 ^ 0x1021) & 0xffff : sum << 1;
  return sum;
}, 0xffff);
window.stampBytes = (number, clock) => {
  const bytes = [number >>> 24, number >>> 16 & 255, number >>> 8 & 255, number & 255];
  for (let power = 40; power >= 0; power -= 8) bytes.push(Math.floor(clock / 2 ** power) % 256);
  const sum = crc(bytes);
  return [...bytes, sum >> 8, sum & 255];
};
window.stamped = (width, height, rate) => {
  const luma = width * height, picture = new Uint8Array(luma * 3 / 2).fill(128), block = width / 32;
  const generator = new MediaStreamTrackGenerator({ kind: 'video' }), writer = generator.writable.getWriter();
  let number = 0;
  const draw = () => {
    const moved = number * 4 % width;
    for (let y = 0; y < height; ++y) picture.fill(16 + y % 64, y * width, (y + 1) * width);
    for (let y = height / 2; y < height / 2 + 64; ++y) picture.fill(220, y * width + Math.min(moved, width - 64), y * width + Math.min(moved + 64, width));
    const now = performance.now();
    stampBytes(number, wall(now)).forEach((byte, index) => {
      for (let bit = 0; bit < 8; ++bit) {
        const at = index * 8 + bit, left = at % 16 * block, top = Math.floor(at / 16) * block;
        for (let y = top; y < top + block; ++y) picture.fill(byte >> 7 - bit & 1 ? 235 : 16, y * width + left, y * width + left + block);
      }
    });
    ++number;
    writer.write(new VideoFrame(picture, { format: 'I420', codedWidth: width, codedHeight: height, timestamp: Math.round(now * 1000) }));
  };
  setInterval(draw, 1000 / rate);
  const sound = new AudioContext(), tone = new OscillatorNode(sound), out = sound.createMediaStreamDestination();
  tone.connect(out);
  tone.start();
  window.stream = new MediaStream([generator, ...out.stream.getTracks()]);
};
window.watch = (video) => {
  window.ages = [];
  const canvas = new OffscreenCanvas(16, 6), pen = canvas.getContext('2d', { willReadFrequently: true });
  pen.imageSmoothingEnabled = false;
  const look = (_, shown) => {
    const block = video.videoWidth / 32;
    pen.drawImage(video, 0, 0, block * 16, block * 6, 0, 0, 16, 6);
    const { data } = pen.getImageData(0, 0, 16, 6), bytes = Array.from({ length: 12 }, () => 0);
    for (let at = 0; at < 96; ++at) bytes[at >> 3] = bytes[at >> 3] * 2 + (data[at * 4] > 127 ? 1 : 0);
    const clock = bytes.slice(4, 10).reduce((sum, byte) => sum * 256 + byte, 0);
    // Less than nothing where the picture that was drawn is already one after the one that was announced.
    const age = wall(shown.presentationTime) - clock, half = LAP / 2;
    if (crc(bytes.slice(0, 10)) === bytes[10] * 256 + bytes[11])
      ages.push(((age + half + LAP) % LAP - half) / 1000);
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
};
"""
PAGE = f"<!doctype html><meta charset=utf-8><title>lab</title><video autoplay muted playsinline></video><script>{SCRIPT}</script>"
CAMERA = """return navigator.mediaDevices.getUserMedia({video: {width: 960, height: 540, frameRate: 25}, audio: true})
    .then((stream) => { window.stream = stream; })"""

# In the room's own page: when it was asked to join, and when the first picture of another was shown.
FIRST = """window.first = null;
document.getElementById('prejoin-form').addEventListener('submit', () => {
  const began = performance.now();
  const look = () => {
    const video = document.querySelector('.tile.camera:not(.you) video');
    if (!video) return requestAnimationFrame(look);
    video.requestVideoFrameCallback((now, shown) => { window.first = shown.presentationTime - began; });
  };
  look();
}, { capture: true })"""


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = PAGE.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def server():
    """The address of the page; `localhost`, because a browser gives its devices to no other page without TLS."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://localhost:{serving.server_port}/"
        finally:
            serving.shutdown()
            thread.join()
