#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Browsers in a room that the program hosts: what their users see of each other."""
import contextlib
import signal
import unittest

import browser
from player_room_test import hosting

IN_ROOM = "return !document.getElementById('room').hidden"
NAMES = "return [...document.querySelectorAll('.tile-name')].map((each) => each.textContent)"
TOASTS = "return [...document.querySelectorAll('.toast')].some((each) => each.textContent.includes(arguments[0]))"
NOTICE = """return !document.getElementById('notice').hidden
    && document.getElementById('notice-title').textContent === arguments[0]"""
PICTURE = """const video = document.querySelector(`.tile.${arguments[0]}:not(.you) video`);
return video?.videoWidth > 0 && video.getVideoPlaybackQuality().totalVideoFrames"""
SOUND = """const video = document.querySelector('.tile.camera:not(.you) video');
if (!video.srcObject?.getAudioTracks().length) return false;
window.heard ??= (() => {
  const sound = new AudioContext(), ear = new AnalyserNode(sound);
  sound.createMediaStreamSource(video.srcObject).connect(ear);
  return ear;
})();
const samples = new Float32Array(heard.fftSize); heard.getFloatTimeDomainData(samples); return Math.max(...samples.map(Math.abs)) > 0.01"""
PUBLISH = """return (async () => {
    const media = await navigator.mediaDevices.getUserMedia({audio: true, video: {width: 640, height: 360}});
    const pc = window.publishing = new RTCPeerConnection();
    for (const track of media.getTracks()) {
        const transceiver = pc.addTransceiver(track, {direction: 'sendonly'});
        if (track.kind === 'video') transceiver.setCodecPreferences(RTCRtpSender.getCapabilities('video').codecs.filter(
            (each) => each.mimeType === 'video/H264' && /packetization-mode=1.*42e01f/.test(each.sdpFmtpLine)));
    }
    await pc.setLocalDescription();
    while (pc.iceGatheringState !== 'complete') await new Promise((done) => setTimeout(done, 20));
    const answer = await fetch('whip' + arguments[0], {method: 'POST', headers: {'Content-Type': 'application/sdp', ...arguments[1]},
                                                       body: pc.localDescription.sdp});
    const text = await answer.text();
    if (answer.status === 201) await pc.setRemoteDescription({type: 'answer', sdp: text});
    return [answer.status, answer.headers.get('Location') ?? text];
})()"""
OTHERS = "return document.querySelector('.tile:not(.you) .%s:not([hidden])') !== null"
UP, DOWN = "keyUp", "keyDown"


class RoomPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.port = stack.enter_context(browser.driver())
        cls.ann, cls.bob = (stack.enter_context(browser.tab(cls.port)) for _ in range(2))

    def setUp(self):
        for tab in (self.ann, self.bob):
            tab.open("about:blank")

    def sees(self, tab, script, *arguments):
        self.assertTrue(tab.wait(script, *arguments), f"{script} {arguments}")

    def join(self, tab, link, name):
        """Types the name, and presses Enter."""
        tab.open(link.text)
        self.sees(tab, "return document.getElementById('preview-video')?.videoWidth > 0")
        tab.run("document.getElementById('name').value = ''")
        tab.type("#name", name + "\ue007")

    @contextlib.contextmanager
    def two(self, *arguments):
        """A room with Ann, who is a host, and Bob, who is not."""
        with hosting("--name=Tuesday", *arguments) as room:
            self.join(self.ann, room.host_link, "Ann")
            self.sees(self.ann, IN_ROOM)
            self.join(self.bob, room.link, "Bob")
            self.sees(self.bob, IN_ROOM)
            self.sees(self.ann, NAMES + ".length === 2")
            yield room

    def press(self, tab, key, *actions):
        """A key, as it lies on the keyboard; both down and up unless said."""
        tab.run("document.activeElement.blur()")
        tab.keys([{"type": each, "value": key} for each in actions or (DOWN, UP)])

    def test_two_tabs_meet_chat_and_part(self):
        with self.two():
            self.assertEqual((self.ann.run(NAMES), self.bob.run(NAMES)), (["Bob", "Ann (you)"], ["Ann", "Bob (you)"]))
            self.assertEqual(self.bob.run("return [document.getElementById('room-name').textContent, document.title]"),
                             ["Tuesday", "Tuesday – Tactus"])
            self.press(self.bob, "c")
            self.bob.type("#chat-text", "<img src=x onerror=document.title=1>\ue007")
            self.sees(self.ann, "return document.querySelector('#chat-toggle .badge')?.textContent === '1'")
            self.ann.click("#chat-toggle")
            self.sees(self.ann, "return document.querySelector('.line-text')?.textContent === '<img src=x onerror=document.title=1>'")
            self.assertEqual(self.ann.run("return [document.querySelector('#chat-toggle .badge'), document.title]"),
                             [None, "Tuesday – Tactus"])
            self.ann.click("#chat-close")
            self.bob.click("#chat-close")
            self.press(self.bob, "h")
            self.sees(self.ann, OTHERS % "tile-hand")
            self.bob.click("#leave")
            self.sees(self.bob, NOTICE, "You left the room")
            self.sees(self.ann, TOASTS, "Bob left.")
            self.assertEqual(self.ann.run(NAMES), ["Ann (you)"])

    def sees_more(self, tab, source="camera", pictures=10):
        """Pictures go on to come."""
        before = tab.wait(PICTURE, source)
        self.assertIsNotNone(before, source)
        self.sees(tab, PICTURE.replace("totalVideoFrames", "totalVideoFrames > arguments[1]"), source, before + pictures)

    def test_two_tabs_see_and_hear_each_other(self):
        with self.two():
            for tab in (self.ann, self.bob):
                self.sees_more(tab)
                self.sees(tab, SOUND)
            self.sees(self.ann, "return document.querySelector('.tile.speaking:not(.you)') !== null")
            self.press(self.bob, "v")
            self.sees(self.ann, "return document.querySelector('.tile:not(.you)').classList.contains('no-picture')")
            self.sees(self.ann, SOUND)
            self.press(self.bob, "v")
            self.sees_more(self.ann)
            self.press(self.bob, "s")
            self.sees_more(self.ann, "screen", 3)
            self.sees_more(self.ann)

    def test_who_joins_without_a_camera_is_heard_and_then_seen(self):
        with hosting() as room:
            self.join(self.ann, room.host_link, "Ann")
            self.bob.open(room.link.text)
            self.sees(self.bob, "return document.getElementById('preview-video')?.videoWidth > 0")
            self.bob.click("#preview-camera")
            self.bob.run("document.getElementById('name').value = 'Bob'")
            self.bob.click("#join")
            self.sees(self.ann, SOUND)
            self.assertTrue(self.ann.run("return document.querySelector('.tile:not(.you)').classList.contains('no-picture')"))
            self.press(self.bob, "v")
            self.sees_more(self.ann)
            self.bob.run("localStorage.clear()")

    def test_who_streams_by_whip_alone_is_seen_heard_and_gone_with_its_stream(self):
        with hosting() as room:
            self.join(self.ann, room.host_link, "Ann")
            self.sees(self.ann, IN_ROOM)
            self.bob.open(room.link.text)
            status, session = self.bob.run(PUBLISH, "?name=Concert", {})
            self.assertEqual(status, 201, session)
            self.sees(self.ann, "return document.querySelector('.tile:not(.you) .tile-name')?.textContent === 'Concert'")
            self.sees_more(self.ann)
            self.sees(self.ann, SOUND)
            self.assertEqual(self.bob.run("return fetch(arguments[0], {method: 'DELETE'}).then((each) => each.status)", session), 200)
            self.sees(self.ann, TOASTS, "Concert left.")
            self.assertEqual(self.ann.run(NAMES), ["Ann (you)"])
            status, session = self.bob.run(PUBLISH, "", {"Authorization": "Bearer OBS"})
            self.assertEqual(status, 201, session)
            self.sees_more(self.ann)
            self.press(self.ann, "p")
            self.ann.click("[aria-label='Remove: OBS']")
            self.ann.click("#question-yes")
            self.sees(self.ann, NAMES + ".length === 1")
            self.assertEqual(self.bob.run(PUBLISH, "", {"Authorization": "Bearer OBS"})[0], 403)

    def test_a_killed_browser_and_one_that_leaves_disturb_no_other_picture(self):
        with self.two() as room, browser.tab(self.port) as cid:
            self.join(cid, room.link, "Cid")
            self.sees(self.ann, NAMES + ".length === 3")
            self.sees_more(self.ann)
            cid.kill()
            self.sees_more(self.ann)
            self.sees_more(self.bob)

    def test_a_microphone_is_muted_by_a_key_by_a_host_and_opened_while_space_is_held(self):
        with self.two():
            muted, heard = OTHERS % "tile-muted", "return document.querySelector('.tile:not(.you) .tile-muted').hidden"
            self.sees(self.ann, heard)
            self.press(self.bob, "m")
            self.sees(self.ann, muted)
            self.press(self.bob, " ", DOWN)
            self.sees(self.ann, heard)
            self.press(self.bob, " ", UP)
            self.sees(self.ann, muted)
            self.press(self.bob, "m")
            self.sees(self.ann, heard)
            self.press(self.ann, "p")
            self.ann.click("[aria-label='Mute: Bob']")
            self.sees(self.ann, muted)
            self.sees(self.bob, TOASTS, "A host muted you.")
            self.assertEqual(self.bob.run("return document.getElementById('microphone').getAttribute('aria-label')"),
                             "Unmute the microphone (M)")

    def test_a_shared_screen_is_large_until_it_ends(self):
        with self.two():
            self.press(self.bob, "s")
            self.sees(self.ann, "return document.querySelector('.tile.screen')?.classList.contains('large')")
            self.assertIn("Screen of Bob", self.ann.run(NAMES))
            self.press(self.bob, "s")
            self.sees(self.ann, "return document.querySelector('.tile.screen') === null")

    def test_who_waits_is_let_in_refused_or_locked_out_by_the_host(self):
        with hosting("--lobby") as room:
            self.join(self.ann, room.host_link, "Ann")
            self.sees(self.ann, IN_ROOM)
            self.press(self.ann, "p")
            self.join(self.bob, room.link, "Bob")
            self.sees(self.bob, NOTICE, "Please wait")
            self.sees(self.ann, "return document.querySelector('#people-toggle .badge')?.textContent === '1'")
            self.ann.click("[aria-label='Refuse: Bob']")
            self.sees(self.bob, NOTICE, "You were not let in")
            self.join(self.bob, room.link, "Bob")
            self.sees(self.bob, NOTICE, "Please wait")
            self.ann.click("[aria-label='Let in: Bob']")
            self.sees(self.bob, IN_ROOM)
            self.ann.click("[aria-label='Remove: Bob']")
            self.ann.click("#question-yes")
            self.sees(self.bob, NOTICE, "You were removed")
            self.ann.click("#lock")
            self.sees(self.ann, "return !document.getElementById('room-locked').hidden")
            self.join(self.bob, room.link, "Bob")
            self.sees(self.bob, NOTICE, "The room is locked")
            self.assertEqual(self.ann.run(NAMES), ["Ann (you)"])

    def test_a_host_gives_out_a_link_that_makes_guests(self):
        with hosting() as room:
            self.join(self.ann, room.host_link, "Ann")
            self.sees(self.ann, IN_ROOM)
            self.ann.run("window.copied = []; navigator.clipboard.writeText = (text) => { copied.push(text); return Promise.resolve(); }")
            self.press(self.ann, "p")
            self.ann.click("#invite")
            self.sees(self.ann, "return copied.length === 1")
            link = self.ann.run("return copied[0]")
            self.assertNotIn(room.host_link.path, link)
            self.bob.open(link)
            self.sees(self.bob, "return document.getElementById('preview-video')?.videoWidth > 0")
            self.bob.type("#name", "\ue007" if self.bob.run("return document.getElementById('name').value") else "Bob\ue007")
            self.sees(self.bob, IN_ROOM)
            self.assertTrue(self.bob.run("return document.getElementById('host-tools').hidden"))

    def test_a_killed_browser_is_lost_and_nobody_else_is_disturbed(self):
        with self.two() as room, browser.tab(self.port) as cid:
            self.join(cid, room.link, "Cid")
            self.sees(self.ann, NAMES + ".length === 3")
            cid.kill()
            self.sees(self.ann, "return document.querySelector('.tile-quality[data-quality=lost]') !== null")
            self.press(self.bob, "h")
            self.sees(self.ann, OTHERS % "tile-hand")

    def test_a_room_that_ends_and_a_host_that_is_killed_are_told_apart(self):
        with self.two() as room:
            room.process.send_signal(signal.SIGTERM)
            for tab in (self.ann, self.bob):
                self.sees(tab, NOTICE, "The room has ended")
            self.assertEqual(room.process.wait(browser.PATIENCE), 0)
        with self.two() as room:
            room.process.kill()
            for tab in (self.ann, self.bob):
                self.sees(tab, "return !document.getElementById('banner').hidden")
                self.assertTrue(tab.run(IN_ROOM))

    def test_nothing_of_the_page_breaks_its_policy_and_each_control_has_a_name(self):
        with self.two():
            self.assertEqual([line for line in self.ann.console() if "Content Security Policy" in line or "Uncaught" in line], [])
            self.press(self.ann, "p")
            bare = self.ann.run("""return [...document.querySelectorAll('button, input, select, textarea')].filter((each) =>
                each.checkVisibility() && !each.getAttribute('aria-label') && !each.textContent.trim()
                && !each.labels?.length).map((each) => each.outerHTML)""")
            self.assertEqual(bare, [])
            small = self.ann.run("""return [...document.querySelectorAll('button')].filter((each) => each.checkVisibility())
                .filter((each) => each.getBoundingClientRect().width < 44 || each.getBoundingClientRect().height < 44)
                .map((each) => each.outerHTML)""")
            self.assertEqual(small, [], "smaller than a finger")


if __name__ == "__main__":
    unittest.main()
