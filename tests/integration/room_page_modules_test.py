# SPDX-License-Identifier: Apache-2.0
"""The pure modules of the room's page, in a real Chromium: where tiles lie, the connection's states, the room's state."""
import contextlib
import re
import sys
import unittest

import browser
from page_server import PAGE, page_server

# One script for all: `m` are the modules that a case names.
IMPORT = "return Promise.all(arguments[0].map((name) => import(new URL('page/' + name + '.js', location.href)))).then((m) => {%s})"


class Modules:
    """A group of cases; they share one browser."""

    def use(self, names, script, *arguments):
        """What `script` returns, with m[0], m[1], ... the modules and `given` the arguments."""
        return self.tab.run("const given = [...arguments].slice(1);" + IMPORT % script, names.split(), *arguments)


class Layers(Modules):
    def active(self, wanted, width=640, height=360):
        return self.use("layers", "return m[0].activeLayers(given[0], {width: given[1], height: given[2]})", wanted, width, height)

    def testTheLargerSizeIsSentWhereTheSmallerWouldBeEnlargedByMoreThanAQuarter(self):
        self.assertEqual(self.active({"enabled": True, "width": 400, "height": 225}), [False, True])
        self.assertEqual(self.active({"enabled": True, "width": 416, "height": 256}), [True, True])
        self.assertEqual(self.active({"enabled": True, "width": 1024, "height": 225}), [False, True])

    def testWithoutASizeThePicturesAreWantedAsTheyAre(self):
        self.assertEqual(self.active({"enabled": True}), [True, True])

    def testWhatNobodyWantsIsNotSent(self):
        self.assertEqual(self.active({"enabled": False, "width": 640, "height": 360}), [False, False])

    def testWhatIsTooSmallToBeHalvedIsSentAsItIs(self):
        self.assertEqual(self.active({"enabled": True, "width": 16, "height": 9}, 48, 27), [True, True])


class Grid(Modules):
    def grid(self, count, width, height):
        return self.use("grid", "return m[0].arrangeGrid(...given)", count, width, height)

    def assertFits(self, rects, width, height, at):
        for rect in rects:
            self.assertGreater(rect["width"], 0, at)
            self.assertGreater(rect["height"], 0, at)
            self.assertGreaterEqual(min(rect["left"], rect["top"]), -1e-6, at)
            self.assertLessEqual(rect["left"] + rect["width"], width + 1e-6, at)
            self.assertLessEqual(rect["top"] + rect["height"], height + 1e-6, at)
        for i, one in enumerate(rects):
            for other in rects[:i]:
                beside = (one["left"] >= other["left"] + other["width"] - 1e-6
                          or other["left"] >= one["left"] + one["width"] - 1e-6
                          or one["top"] >= other["top"] + other["height"] - 1e-6
                          or other["top"] >= one["top"] + one["height"] - 1e-6)
                self.assertTrue(beside, f"{at}: {one} and {other} overlap")

    SIZES = [(1264, 680), (784, 480), (352, 632), (660, 310), (88, 1000), (1000, 60), (300, 300)]

    def testAnyNumberOfTilesFitsIntoAnyWindowWithoutOverlap(self):
        sizes = self.use("grid", """return given[0].map(([w, h]) => Array.from({length: 40}, (_, n) =>
            m[0].arrangeGrid(n + 1, w, h)))""", self.SIZES)
        for (width, height), grids in zip(self.SIZES, sizes):
            for count, rects in enumerate(grids, 1):
                self.assertEqual(len(rects), count)
                self.assertFits(rects, width, height, f"{count} tiles in {width}x{height}")
                self.assertEqual(len({(round(r["width"], 3), round(r["height"], 3)) for r in rects}), 1)
                least = 1 if width < height else 4 / 3
                aspect = rects[0]["width"] / rects[0]["height"]
                self.assertTrue(least - 1e-6 <= aspect <= 16 / 9 + 1e-6, f"{count} in {width}x{height}: {aspect}")

    def testOneTileTakesAsMuchAsItsAspectAllows(self):
        self.assertEqual(self.grid(1, 1600, 900), [{"left": 0, "top": 0, "width": 1600, "height": 900}])
        self.assertEqual(self.grid(1, 1600, 450), [{"left": 400, "top": 0, "width": 800, "height": 450}])

    def testFourTilesOfAWideWindowAreTwoByTwoAndTheThirdOfThreeIsCentred(self):
        four = self.grid(4, 1608, 908)
        self.assertEqual([(r["left"], r["top"]) for r in four], [(0, 0), (808, 0), (0, 458), (808, 458)])
        three = self.grid(3, 1608, 908)
        self.assertEqual([(r["left"], r["top"]) for r in three], [(0, 0), (808, 0), (404, 458)])

    def testThreeTilesOfATallWindowLieBelowEachOther(self):
        tiles = self.grid(3, 300, 900)
        self.assertEqual({r["left"] for r in tiles}, {tiles[0]["left"]})

    def testNoTilesAndNoRoomAreNoError(self):
        self.assertEqual(self.grid(0, 100, 100), [])
        self.assertEqual(self.grid(3, 0, 100), [])

    def testTheSpeakersViewShowsOrCountsEachTile(self):
        layouts = self.use("grid", """return given[0].map(([w, h]) => Array.from({length: 20}, (_, n) =>
            m[0].arrangeSpeaker(n + 1, w, h)))""", self.SIZES[:4])
        for (width, height), views in zip(self.SIZES, layouts):
            for count, view in enumerate(views, 1):
                self.assertEqual(1 + len(view["strip"]) + view["hidden"], count)
                self.assertFits([view["main"], *view["strip"]], width, height, f"{count} in {width}x{height}")
        self.assertEqual(layouts[0][3]["hidden"], 0, "three small tiles fit beside a large one at 1264x680")


class Connection(Modules):
    def phases(self, *events):
        """Phase, session and ending after each event."""
        return self.use("connection", """let now = m[0].idle(); return given[0].map((event) => {
            now = m[0].step(now, event); return [now.phase, now.session, now.ending]; })""", list(events))

    @staticmethod
    def told(**message):
        return {"type": "message", "message": message}

    JOIN, BROKEN, RETRY, LEAVE = ({"type": each} for each in ("join", "broken", "retry", "leave"))
    JOINED = {"type": "message", "message": {"type": "joined", "session": "S"}}

    def testABrokenConnectionIsResumedWithItsSession(self):
        self.assertEqual(self.phases(self.JOIN, self.JOINED, self.BROKEN, self.RETRY, self.JOINED),
                         [["connecting", None, None], ["joined", "S", None], ["retrying", "S", None],
                          ["connecting", "S", None], ["joined", "S", None]])

    def testASessionThatIsOverIsFollowedByAJoinWithoutIt(self):
        phases = self.phases(self.JOIN, self.JOINED, self.BROKEN, self.RETRY, self.told(type="refused", reason="expired"),
                             self.told(type="refused", reason="expired"))
        self.assertEqual(phases[-2:], [["connecting", None, None], ["ended", None, "expired"]])

    def testWhoWaitsInTheLobbyIsLetInOrDenied(self):
        waits = [self.JOIN, self.told(type="waiting")]
        self.assertEqual(self.phases(*waits, self.JOINED)[-1], ["joined", "S", None])
        self.assertEqual(self.phases(*waits, self.told(type="refused", reason="removed"))[-1], ["ended", None, "denied"])

    def testNothingFollowsAnEndButAnotherJoin(self):
        ended = [self.JOIN, self.JOINED, self.told(type="closed", reason="removed")]
        after = self.phases(*ended, self.BROKEN, self.RETRY, self.JOINED, self.LEAVE, self.JOIN)
        self.assertEqual(after[2:7], [["ended", None, "removed"]] * 5)
        self.assertEqual(after[7], ["connecting", None, None])

    def testARoomThatIsGoneIsGivenUp(self):
        # Never reached: after 4 failures. Once joined: after 14.
        first = self.phases(self.JOIN, *[self.BROKEN, self.RETRY] * 5)
        self.assertEqual(first.index(["ended", None, "unreachable"]), 9)
        later = self.phases(self.JOIN, self.JOINED, *[self.BROKEN, self.RETRY] * 15)
        self.assertEqual(later.index(["ended", None, "unreachable"]), 2 + 2 * 14)

    def testThePausesGrowToEightSeconds(self):
        self.assertEqual(self.use("connection", "return [1, 2, 3, 4, 5, 14].map(m[0].backOff)"),
                         [500, 1000, 2000, 4000, 8000, 8000])


YOU = {"sid": "PA_1", "name": "Ann", "role": "guest", "hand": False, "quality": "good", "tracks": []}
BOB = {"sid": "PA_2", "name": "Bob", "role": "host", "hand": False, "quality": "good",
       "tracks": [{"sid": "TR_1", "kind": "audio", "source": "microphone", "muted": False}]}
ENTERED = {"type": "joined", "session": "S", "room": {"name": "R", "locked": False, "lobby": False}, "you": YOU,
           "participants": [BOB], "chat": []}
CAMERA = {"sid": "TR_2", "kind": "video", "source": "camera", "muted": False}
SCREEN = {"sid": "TR_3", "kind": "video", "source": "screen", "muted": False}


class State(Modules):
    def state(self, *messages):
        return self.use("room_state", "return given[0].reduce(m[0].apply, m[0].emptyRoom())", [ENTERED, *messages])

    def tiles(self, *messages, **choice):
        """Keys of the tiles, and the key of the large one."""
        return self.use("room_state tile_list", """const state = given[0].reduce(m[0].apply, m[0].emptyRoom());
            const tiles = m[1].tilesOf(state);
            return [tiles.map((tile) => tile.key), m[1].mainTile(tiles, given[1])?.key ?? null, m[1].loudestOther(state)]""",
                        [ENTERED, *messages], {"pinned": None, "view": "grid", "spoke": None, **choice})

    def testParticipantsAndTracksComeAndGo(self):
        cid = {**YOU, "sid": "PA_3", "name": "Cid"}
        state = self.state({"type": "participant_joined", "participant": cid},
                           {"type": "track_published", "sid": "PA_2", "track": CAMERA},
                           {"type": "track_muted", "sid": "PA_2", "track": "TR_1", "muted": True},
                           {"type": "published", "cid": "c", "track": {**CAMERA, "sid": "TR_9"}},
                           {"type": "hand", "sid": "PA_1", "raised": True},
                           {"type": "quality", "sid": "PA_3", "quality": "lost"})
        self.assertEqual([each["name"] for each in state["others"]], ["Bob", "Cid"])
        self.assertEqual([(t["sid"], t["muted"]) for t in state["others"][0]["tracks"]], [("TR_1", True), ("TR_2", False)])
        self.assertEqual(([t["sid"] for t in state["you"]["tracks"]], state["you"]["hand"]), (["TR_9"], True))
        self.assertEqual(state["others"][1]["quality"], "lost")
        gone = self.state({"type": "track_unpublished", "sid": "PA_2", "track": "TR_1"},
                          {"type": "participant_left", "sid": "PA_2", "reason": "left"})
        self.assertEqual(gone["others"], [])

    def testMessagesOfLaterVersionsAndOfStrangersChangeNothing(self):
        self.assertEqual(self.state({"type": "toString"}, {"type": "from_the_future", "sid": "PA_2"},
                                    {"type": "track_published", "sid": "PA_9", "track": CAMERA},
                                    {"type": "hand", "sid": "PA_9", "raised": True}), self.state())

    def testADeliveryIsKeptWithItsTrackUntilThePicturesComeWholeOrTheTrackGoes(self):
        def kept(*messages):
            tracks = self.state({"type": "track_published", "sid": "PA_2", "track": CAMERA}, *messages)["others"][0]["tracks"]
            return [each.get("delivery") for each in tracks]
        small = {"type": "track_delivery", "track": "TR_2", "pictures": "smaller", "limit": "sender_line", "carried": 480, "lost": 0}
        told = {"pictures": "smaller", "limit": "sender_line", "carried": 480, "lost": 0}
        self.assertEqual(kept(small), [None, told])
        self.assertEqual(kept(small, {"type": "track_muted", "sid": "PA_2", "track": "TR_2", "muted": False}), [None, told])
        self.assertEqual(kept(small, {"type": "track_delivery", "track": "TR_2", "pictures": "whole", "limit": "none"}), [None, None])
        self.assertEqual(kept({**small, "track": "TR_9"}), [None, None])
        self.assertEqual(kept(small, {"type": "track_unpublished", "sid": "PA_2", "track": "TR_2"},
                              {"type": "track_published", "sid": "PA_2", "track": CAMERA}), [None, None])
        self.assertEqual(kept(small, ENTERED), [None])

    def testTheChatKeepsItsNewestLines(self):
        lines = [{"type": "chat", "from": "PA_2", "name": "Bob", "text": str(n), "at": n} for n in range(510)]
        chat = self.state(*lines)["chat"]
        self.assertEqual((len(chat), chat[0]["text"], chat[-1]["text"]), (500, "10", "509"))

    def testAHostMutesAnybodyButUnmutesStreamsAlone(self):
        silent = {**BOB["tracks"][0], "muted": True}
        cid = {**BOB, "sid": "PA_3", "name": "Cid", "tracks": [silent]}
        stream = {**cid, "sid": "PA_4", "name": "OBS", "ingress": True, "tracks": [{**silent, "sid": "TR_4"}]}
        entered = {**ENTERED, "you": {**YOU, "role": "host"}, "participants": [BOB, cid, stream]}
        offered, said = self.use("room_state people", """const said = [], people = new m[1].People((message) => said.push(message));
            people.render(m[0].apply(m[0].emptyRoom(), given[0]));
            const buttons = [...document.querySelectorAll('#people-list button')].filter((each) => !each.hidden && /ute: /.test(each.title));
            buttons.forEach((each) => each.click());
            return [buttons.map((each) => each.title), said]""", entered)
        self.assertEqual(offered, ["Mute: Bob", "Unmute: OBS"])
        self.assertEqual(said, [{"type": "mute_participant", "sid": "PA_2", "track": "TR_1", "muted": True},
                                {"type": "mute_participant", "sid": "PA_4", "track": "TR_4", "muted": False}])

    def testAScreenIsLargeUntilAnotherTileIsPinned(self):
        shared = {"type": "track_published", "sid": "PA_2", "track": SCREEN}
        self.assertEqual(self.tiles(shared)[:2], [["PA_2/screen", "PA_2/camera", "PA_1/camera"], "PA_2/screen"])
        self.assertEqual(self.tiles(shared, pinned="PA_1/camera")[1], "PA_1/camera")
        self.assertEqual(self.tiles(pinned="PA_7/camera")[1], None, "the pinned participant has left")

    def testTheSpeakersViewFollowsTheLoudestOther(self):
        loud = {"type": "speakers", "speakers": [{"sid": "PA_1", "level": 0.9}, {"sid": "PA_2", "level": 0.5}]}
        self.assertEqual(self.tiles(loud), [["PA_2/camera", "PA_1/camera"], None, "PA_2"])
        self.assertEqual(self.tiles(loud, view="speaker", spoke="PA_2")[1], "PA_2/camera")
        silent = {"type": "speakers", "speakers": [{"sid": "PA_2", "level": 0}]}
        self.assertEqual(self.tiles(silent)[2], None)


class Media(Modules):
    OFFER = "\r\n".join(["m=audio 9 UDP/TLS/RTP/SAVPF 111 0", "a=rtpmap:111 opus/48000/2",
                         "a=fmtp:111 minptime=10;usedtx=0", "a=rtpmap:0 PCMU/8000", ""])

    def testOpusIsAskedForWithFecAndDtx(self):
        given, bare = self.use("sdp", "return given.map(m[0].withOpusSettings)", self.OFFER,
                               self.OFFER.replace("a=fmtp:111 minptime=10;usedtx=0\r\n", ""))
        self.assertEqual(given, self.OFFER.replace("minptime=10;usedtx=0", "minptime=10;useinbandfec=1;usedtx=1"))
        self.assertEqual(bare, self.OFFER.replace("minptime=10;usedtx=0", "useinbandfec=1;usedtx=1"))
        self.assertEqual(self.use("sdp", "return m[0].withOpusSettings(given[0])", "v=0\r\n"), "v=0\r\n")

    def testOnlyForwardedCodecsAreOfferedAndVp8First(self):
        kinds = self.use("sdp", "return m[0].forwardedCodecs(RTCRtpSender.getCapabilities('video').codecs).map((c) => c.mimeType)")
        self.assertEqual(kinds[0], "video/VP8")
        self.assertLessEqual(set(kinds), {"video/VP8", "video/H264", "video/rtx"})
        self.assertIn("video/rtx", kinds)

    def testTheSettingOfATrackIsItsTileInPhysicalPixelsUpToThirtyTwo(self):
        ask = "return m[0].settingOf('TR_1', given[0], 'low', 2)"
        self.assertEqual(self.use("track_settings", ask, {"width": 150, "height": 90, "visible": True}),
                         {"sid": "TR_1", "enabled": True, "width": 320, "height": 192, "priority": "low"})
        self.assertEqual(self.use("track_settings", ask, {"width": 150, "height": 90, "visible": False}),
                         {"sid": "TR_1", "enabled": False, "priority": "low"})

    def testQualityIsOfLossAndRoundTrips(self):
        def judged(lost, rtt, received=1000):
            before = {"sent": 0, "received": 0, "lost": 0, "rtt": 0}
            now = {"sent": 0, "received": received, "lost": lost, "rtt": rtt}
            return self.use("quality", "return m[0].judge(...given)", before, now)
        self.assertEqual([judged(10, 0.05), judged(40, 0.05), judged(100, 0.05)], ["excellent", "good", "poor"])
        self.assertEqual([judged(0, 0.3), judged(0, 0.7), judged(0, 0.05, received=20)], ["good", "poor", None])

    def testLoudnessIsLinearInDecibels(self):
        self.assertEqual(self.use("levels", "return [[0, 0], [1, -1], [0.003, 0.003]].map(m[0].loudness)"), [0, 1, 0])
        self.assertAlmostEqual(self.use("levels", "return m[0].loudness([0.0562341325])"), 0.5, 4)


    def testEachLookTakesAllSoundSinceTheLast(self):
        counts = self.use("levels", "return given[0].map((each) => m[0].sampleCount(...each))",
                          [[0.2, 48000], [0.21, 48000], [0, 48000], [0.2, 96000], [1, 48000]])
        self.assertEqual(counts, [9600, 10080, 9600, 19200, 32768])

    def testNoBeepFallsBetweenTwoLooks(self):
        # 20 ms of sound each 400 ms: every second look, wherever the first one falls.
        heard = self.use("levels", """return (async () => {
            const sound = new AudioContext(), tone = new OscillatorNode(sound), gain = new GainNode(sound, { gain: 0 });
            const out = sound.createMediaStreamDestination(), levels = [];
            tone.connect(gain).connect(out);
            const meter = new m[0].LevelMeter((level) => levels.push(level));
            meter.listen(out.stream.getTracks()[0]);
            for (let n = 0; n < 6; ++n) {
              const at = sound.currentTime + 0.5 + n * 0.4;
              gain.gain.setValueAtTime(1, at);
              gain.gain.setValueAtTime(0, at + 0.02);
            }
            tone.start();
            await new Promise((done) => setTimeout(done, 3500));
            meter.listen(null);
            await sound.close();
            return levels.filter((level) => level > 0.1).length;
        })()""")
        self.assertGreaterEqual(heard, 6)
        self.assertLessEqual(heard, 12, "a beep is in one look, or in two if it lies on their border")


class Sentences(Modules):
    def testEachTextThatThePageNamesIsThere(self):
        named = set(re.findall(r'data-(?:text|label|hint)="(\w+)"', (PAGE / "index.html").read_text()))
        texts = self.use("sentences", "return m[0].TEXTS")
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named - set(texts)), [])

    def testEachEndOfTheProtocolHasAHeadingAndASentence(self):
        notices = self.use("sentences", "return m[0].NOTICES")
        for reason in ("locked", "full", "removed", "expired", "name", "left", "resumed", "flood", "room_ends"):
            heading, sentence = notices[reason]
            self.assertTrue(heading and sentence.endswith("."), reason)
        self.assertEqual(self.use("sentences", "return m[0].noticeOf('of a later version')"), notices["unreachable"])

    def testDevicesThatAreMissingForOneReasonAreOneSentence(self):
        say = "return m[0].deviceProblems(given[0])"
        both = self.use("sentences", say, {"microphone": "insecure", "camera": "insecure"})
        self.assertEqual(both.count("https://"), 1)
        differ = self.use("sentences", say, {"microphone": "absent", "camera": "denied"})
        self.assertRegex(differ, "use the camera.*No microphone was found")
        self.assertEqual(self.use("sentences", say, {"microphone": None, "camera": None}), "")

    def testInitialsAreOfTheFirstAndTheLastWord(self):
        self.assertEqual(self.use("tile", "return given.map(m[0].initials)", "ann", "Ann B. Carr", " ", "李雷"),
                         ["A", "AC", "?", "李"])


class Prejoin(Modules):
    def testThePreviewShowsTheCameraAndTheNameIsNeeded(self):
        self.assertTrue(self.tab.wait("return document.getElementById('preview-video').videoWidth > 0"))
        self.tab.type("#name", "  ")
        self.tab.click("#join")
        self.assertFalse(self.tab.run("return document.getElementById('prejoin').hidden"))
        self.assertTrue(self.tab.wait("""return [...document.querySelectorAll('#prejoin-pickers select')]
            .every((each) => each.options.length > 0 && !each.hidden)"""))

    def testNothingBreaksThePolicyOfThePage(self):
        self.assertEqual([line for line in self.tab.console() if "SEVERE" in line], [])

    def testEachControlHasAName(self):
        bare = self.tab.run("""return [...document.querySelectorAll('button, input, select, textarea, meter')]
            .filter((each) => each.checkVisibility() && !each.getAttribute('aria-label') && !each.textContent.trim() && !each.labels?.length
                              && !each.getAttribute('aria-labelledby')).map((each) => each.id)""")
        self.assertEqual(bare, [])


class RoomPageModules(Grid, Layers, Connection, State, Media, Sentences, Prejoin, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        address = stack.enter_context(page_server())
        cls.tab = stack.enter_context(browser.tab(stack.enter_context(browser.driver())))
        cls.tab.open(address)


class WithoutDevices(unittest.TestCase):
    """The page offers to join all the same, and says why there is no sound or picture of yours."""

    def problem(self, host, *flags):
        with page_server() as address, browser.driver() as port, browser.tab(port, *flags) as tab:
            tab.open(address.replace("localhost", host))
            sentence = tab.wait("return document.getElementById('prejoin-problem').textContent")
            self.assertTrue(tab.run("return document.getElementById('join').checkVisibility()"))
            return sentence

    def testTheUserDidNotAllowThem(self):
        self.assertEqual(self.problem("localhost", "--use-fake-ui-for-media-stream=deny"),
                         "The browser does not allow this page to use microphone and camera. Allow them in the address "
                         "bar, or join without them.")

    def testThePageCameWithoutTls(self):
        sentence = self.problem("room.test", "--host-resolver-rules=MAP room.test 127.0.0.1")
        self.assertEqual(sentence, "Microphone and camera need an address that begins with https://. "
                                   "You can join and watch without them.")


if __name__ == "__main__":
    sys.exit(unittest.main())
