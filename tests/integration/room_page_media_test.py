# SPDX-License-Identifier: Apache-2.0
"""How the room's page sends and receives: its modules against a second Chromium that is the far end, by real HTTP and real WebRTC."""
import contextlib
import queue
import re
import sys
import unittest

import browser
from page_server import Files, page_server

# The far end answers an offer without trickle, and keeps its connections in `far`.
FAR = """window.far ??= []; const pc = new RTCPeerConnection(); far.push(pc);
return (async () => {
  await pc.setRemoteDescription({type: 'offer', sdp: arguments[0]});
  if (arguments[1]) {
    const canvas = document.createElement('canvas'); canvas.width = 320; canvas.height = 180;
    const pen = canvas.getContext('2d');
    setInterval(() => { pen.fillStyle = `hsl(${performance.now() / 10} 50% 50%)`; pen.fillRect(0, 0, 320, 180); }, 50);
    const sound = new AudioContext(), tone = new OscillatorNode(sound), out = sound.createMediaStreamDestination();
    tone.connect(out);
    tone.start();
    const tracks = { video: canvas.captureStream(20).getTracks()[0], audio: out.stream.getTracks()[0] };
    for (const each of pc.getTransceivers()) {
      each.direction = 'sendonly';
      await each.sender.replaceTrack(tracks[each.receiver.track.kind]);
    }
  }
  await pc.setLocalDescription(await pc.createAnswer());
  await new Promise((done) => { pc.onicegatheringstatechange = () => { if (pc.iceGatheringState === 'complete') done(); };
    pc.onicegatheringstatechange(); });
  return pc.localDescription.sdp;
})()"""
# Whether a figure of the RTP streams of a kind is above a bound, at the newest far connection.
FIGURE = """return far.at(-1).getStats().then((report) => [...report.values()]
    .filter((s) => s.type === 'inbound-rtp' && s.kind === arguments[0])
    .reduce((sum, s) => sum + s[arguments[1]], 0) > (arguments[2] ?? 0))"""
# The page's part: `session` is what the room gave; the announced tracks and messages are kept.
NEAR = """return (async () => {
  const load = (name) => import(new URL('page/' + name + '.js', location.href));
  const { Publisher } = await load('publish'), { Receiver } = await load('receive'), { LocalMedia } = await load('local_media');
  window.told = []; window.states = [];
  const room = { connection: { session: 'secret' }, send: (message) => told.push(message) > 0,
    publish: async (track) => { told.push({ type: 'publish', ...track }); return { sid: 'TR_' + told.length }; } };
  window.media = new LocalMedia({}, () => {});
  window.publisher = new Publisher(room, (state) => states.push(state));
  window.receiver = new Receiver(() => 'secret', () => states.push(receiver.of('PA_2/camera')?.state));
})()"""


class Door(Files):
    """Hands each POST and DELETE to the test, and answers as it says."""
    requests = queue.Queue()
    answers = queue.Queue()

    def do_POST(self):
        self.hand_over()

    def do_DELETE(self):
        self.hand_over()

    def hand_over(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.requests.put((self.command, self.path, self.headers, body))
        status, headers, text = (200, {}, "") if self.command == "DELETE" else self.answers.get(timeout=browser.PATIENCE)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())


class RoomPageMedia(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        address = stack.enter_context(page_server(Door))
        port = stack.enter_context(browser.driver())
        cls.near, cls.far = (stack.enter_context(browser.tab(port)) for _ in range(2))
        for tab in (cls.near, cls.far):
            tab.open(address)

    def setUp(self):
        self.near.run(NEAR)
        self.addCleanup(self.end)

    def end(self):
        self.near.run("publisher.close(); receiver.close(); media.close()")
        self.far.run("for (const pc of window.far ?? []) pc.close()")
        with contextlib.suppress(queue.Empty):
            while True:
                Door.requests.get(timeout=0.5)

    def request(self, method, path):
        """The next request, which must be this one."""
        got = Door.requests.get(timeout=browser.PATIENCE)
        self.assertEqual(got[:2], (method, path))
        self.assertEqual(got[2]["Authorization"], "Bearer secret")
        return got

    def answer(self, offer, resource, sends=False):
        sdp = self.far.run(FAR, offer, sends)
        Door.answers.put((201, {"Content-Type": "application/sdp", "Location": f"{resource}"}, sdp))

    def publish(self):
        self.near.run("""return media.start({microphone: true, camera: true}).then(() => publisher.send('camera', [
            {source: 'microphone', track: media.tracks.microphone, muted: false},
            {source: 'camera', track: media.tracks.camera, muted: false}]))""")

    def receive(self):
        self.near.run("""receiver.update([{sid: 'PA_2', tracks: [{sid: 'TR_1', kind: 'audio', source: 'microphone'},
            {sid: 'TR_2', kind: 'video', source: 'camera'}]}]);
            window.shown = document.createElement('video');
            Object.assign(shown, {muted: true, autoplay: true, srcObject: receiver.of('PA_2/camera').stream});
            document.body.append(shown)""")

    def testCameraAndMicrophoneAreAnnouncedAndThenSentByOneConnection(self):
        self.publish()
        _, _, headers, offer = self.request("POST", "/r/token/whip/camera")
        self.assertEqual(headers["Content-Type"], "application/sdp")
        told = self.near.run("return told.filter((each) => each.type === 'publish')")
        self.assertEqual([each["source"] for each in told], ["microphone", "camera"])
        named = re.findall(r"^a=msid:\S+ (\S+)\r$", offer, re.M)
        cids = [each["cid"] for each in told]
        self.assertEqual(named[:2], cids, "the host knows the tracks by these names")
        self.assertEqual(len(named), 3, "the camera comes in two sizes")
        self.assertEqual((told[1]["width"], told[1]["height"]), (1280, 720))
        self.assertIn("a=candidate:", offer)
        self.assertIn("useinbandfec=1;usedtx=1", offer)
        video = re.search(r"^m=video \d+ \S+ (\d+)", offer, re.M)[1]
        self.assertIn(f"a=rtpmap:{video} VP8/90000", offer)
        self.assertEqual(offer.count("a=sendonly"), 3)
        self.answer(offer, "/r/token/whip/camera/1")
        self.assertTrue(self.far.wait(FIGURE, "video", "framesDecoded"))
        self.assertTrue(self.far.wait(FIGURE, "audio", "packetsReceived"))
        self.near.run("publisher.close()")
        self.request("DELETE", "/r/token/whip/camera/1")
        unpublished = self.near.run("return told.filter((each) => each.type === 'unpublish').map((each) => each.sid)")
        self.assertEqual(unpublished, ["TR_1", "TR_2"])

    def testACameraThatIsOffIsClosedAndComesBackOnTheSameConnection(self):
        self.publish()
        self.answer(self.request("POST", "/r/token/whip/camera")[3], "/r/token/whip/camera/1")
        self.assertTrue(self.far.wait(FIGURE, "video", "framesDecoded"))
        send = """return media.set('camera', arguments[0]).then(() => publisher.send('camera', [
            {source: 'microphone', track: media.tracks.microphone, muted: false},
            {source: 'camera', track: media.tracks.camera, muted: !media.isSeen}]))"""
        self.near.run("window.before = media.tracks.camera")
        self.near.run(send, False)
        self.assertEqual(self.near.run("return [before.readyState, media.tracks.camera]"), ["ended", None])
        sent = self.near.run("""return publisher.connections[0].getStats().then((report) => [...report.values()]
            .filter((each) => each.type === 'outbound-rtp' && each.kind === 'video').reduce((sum, each) => sum + each.framesSent, 0))""")
        self.near.run(send, True)
        self.assertTrue(self.far.wait(FIGURE, "video", "framesDecoded", sent + 5))
        self.assertEqual(self.near.run("return told.filter((each) => each.type === 'mute').map((each) => each.muted)")[-2:], [True, False])
        self.assertTrue(Door.requests.empty(), "no second offer")

    def testTheLargerSizeIsSentAsLongAsAnybodyWantsIt(self):
        come = """return far.at(-1).getStats().then((report) => [...report.values()]
            .filter((s) => s.type === 'inbound-rtp' && s.kind === 'video' && s.framesDecoded > (window.seen?.[s.ssrc] ?? 0) + 10)
            .length === 2)"""
        forget = """return far.at(-1).getStats().then((report) => { window.seen = {};
            for (const s of report.values()) if (s.type === 'inbound-rtp' && s.kind === 'video') seen[s.ssrc] = s.framesDecoded; })"""
        self.publish()
        self.answer(self.request("POST", "/r/token/whip/camera")[3], "/r/token/whip/camera/1")
        self.assertTrue(self.far.wait(come))
        camera = self.near.run("return told.findIndex((each) => each.source === 'camera') + 1")
        want = "publisher.want('TR_' + arguments[0], arguments[1])"
        active = """return publisher.connections[0].getSenders().filter((each) => each.track?.kind === 'video')
            .map((each) => each.getParameters().encodings[0].active)"""
        self.near.run(want, camera, {"enabled": True, "width": 320, "height": 192})
        self.assertTrue(self.near.wait(f"return (() => {{ {active} }})().join() === 'false,true'"))
        self.near.run(want, camera, {"enabled": False})
        self.assertTrue(self.near.wait(f"return (() => {{ {active} }})().join() === 'false,false'"))
        self.near.run(want, camera, {"enabled": True})
        self.far.run(forget)
        self.assertTrue(self.far.wait(come), "both go on")

    def testWhatIsSentOfTheCameraIsJudgedBySizesRatesAndTheLine(self):
        figures = """return import(new URL('page/sending.js', location.href)).then((m) => m.figuresOf(publisher.camera)).then((figures) =>
            figures && figures.layers.every((each) => each.rate > 0) && figures.carried > 0 && { ...figures, connection: '' })"""
        self.publish()
        self.answer(self.request("POST", "/r/token/whip/camera")[3], "/r/token/whip/camera/1")
        found = self.near.wait(figures)
        self.assertIsNotNone(found)
        self.assertEqual(found["sid"], "TR_%d" % self.near.run("return told.findIndex((each) => each.source === 'camera') + 1"))
        self.assertEqual((found["height"], [each["scale"] for each in found["layers"]]), (720, [1, 2]))
        for each in found["layers"]:
            self.assertTrue(each["active"] and 0 < each["height"] <= 720 / each["scale"] and each["most"] > 0 and each["reason"], each)

    def testAPictureIsReceivedAndTheConnectionEndsWithItsTracks(self):
        self.receive()
        _, _, _, offer = self.request("POST", "/r/token/whep/PA_2/camera")
        self.assertEqual(offer.count("a=recvonly"), 2)
        self.answer(offer, "/r/token/whep/9", sends=True)
        self.assertTrue(self.near.wait("return shown.videoWidth === 320"))
        self.assertTrue(self.near.wait("return states.at(-1) === 'live'"))
        self.near.run("receiver.update([{sid: 'PA_2', tracks: []}])")
        self.request("DELETE", "/r/token/whep/9")
        self.assertEqual(self.near.run("return receiver.of('PA_2/camera') ?? null"), None)

    def testARefusedOfferIsFollowedByAnother(self):
        self.receive()
        for status in (404, 503):
            self.request("POST", "/r/token/whep/PA_2/camera")
            Door.answers.put((status, {}, "Not now."))
        _, _, _, offer = self.request("POST", "/r/token/whep/PA_2/camera")
        self.answer(offer, "/r/token/whep/2", sends=True)
        self.assertTrue(self.near.wait("return shown.videoWidth === 320"))

    def testAConnectionWhoseFarEndIsGoneIsMadeAnew(self):
        self.receive()
        self.answer(self.request("POST", "/r/token/whep/PA_2/camera")[3], "/r/token/whep/1", sends=True)
        self.assertTrue(self.near.wait("return shown.videoWidth === 320"))
        self.far.run("far.at(-1).close()")
        self.request("DELETE", "/r/token/whep/1")
        self.answer(self.request("POST", "/r/token/whep/PA_2/camera")[3], "/r/token/whep/2", sends=True)
        self.assertTrue(self.near.wait("return states.at(-1) === 'live'"))
        self.assertTrue(self.near.wait("return shown.srcObject.getVideoTracks().some((each) => each.readyState === 'live' && !each.muted)"))


if __name__ == "__main__":
    sys.exit(unittest.main())
