# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is that pictures do not come whole: what the room's page judges, tells the room and says to its user."""
import contextlib
import sys
import unittest

import browser
from page_server import page_server
from room_page_media_test import FAR
from room_page_modules_test import BOB, CAMERA, ENTERED, Modules

LARGE = {"active": True, "scale": 1, "most": 1700, "height": 720, "rate": 30, "reason": "none"}
SMALL = {"active": True, "scale": 2, "most": 800, "height": 360, "rate": 30, "reason": "none"}
WHOLE = {"pictures": "whole", "limit": "none"}
NARROW = {"pictures": "smaller", "limit": "sender_line", "carried": 480}


class Judgement(Modules):
    def judge(self, large=None, small=None, carried=480):
        """Of a camera of 1280x720 at 30 pictures a second, with what differs from a good line."""
        layers = [{**LARGE, **(large or {})}, {**SMALL, **(small or {})}]
        return self.use("sending", "return m[0].judge(given[0])", {"layers": layers, "height": 720, "rate": 30, "carried": carried})

    def testPicturesThatAreNotReducedAreWholeWhateverTheBrowserComplainsOf(self):
        self.assertEqual(self.judge({"reason": "bandwidth"}), WHOLE)
        self.assertEqual(self.judge({"height": 360}), WHOLE, "the browser gives no reason")

    def testANarrowLineMakesPicturesSmallerOrFewer(self):
        self.assertEqual(self.judge({"reason": "bandwidth", "height": 540}), NARROW)
        self.assertEqual(self.judge({"reason": "bandwidth", "rate": 23}), {**NARROW, "pictures": "fewer"})
        self.assertEqual(self.judge({"reason": "bandwidth", "rate": 25}), WHOLE)

    def testABusyProcessorIsNoFaultOfTheLine(self):
        self.assertEqual(self.judge({"reason": "cpu", "height": 360}), {"pictures": "smaller", "limit": "sender_computer"})

    def testALineThatCarriesAllThatThePageAsksForIsNotBlamed(self):
        self.assertEqual(self.judge({"reason": "bandwidth", "height": 540}, carried=2500), WHOLE)

    def testALargerSizeThatTheLineSwitchedOffIsASmallerPicture(self):
        self.assertEqual(self.judge({"rate": 0, "height": 0}), NARROW)
        self.assertEqual(self.judge({"rate": 0, "height": 0}, carried=2500), WHOLE)
        self.assertEqual(self.judge({"rate": 0, "reason": "bandwidth"}, {"rate": 0}), {**NARROW, "pictures": "none"})

    def testOnlyTheLargestSizeThatIsWantedCounts(self):
        self.assertEqual(self.judge({"active": False, "height": 0, "rate": 0}), WHOLE)
        self.assertEqual(self.judge({"active": False}, {"reason": "bandwidth", "height": 180}), NARROW)
        self.assertEqual(self.judge({"active": False}, {"active": False, "reason": "bandwidth", "rate": 0}), WHOLE)


class Watch(Modules):
    def said(self, *looks):
        """What is told, each with the second, by looks once a second from second 0: figures that differ, None, or 'forget'."""
        figures = {"sid": "TR_1", "connection": "C", "layers": [LARGE], "height": 720, "rate": 30, "carried": 480}
        given = [{**figures, **each} if isinstance(each, dict) else each for each in looks]
        return self.use("sending", """const said = []; let now = 0;
            const watch = new m[0].SendingWatch(({type, ...told}) => said.push([now, type, told]) > 0);
            for (const each of given[0]) { if (each === 'forget') watch.forget(); else { watch.look(each, now * 1000); ++now; } }
            return said""", given)

    @staticmethod
    def told(sending, sid="TR_1"):
        return ["track_sending", {"sid": sid, **sending}]

    GOOD, BAD = {}, {"layers": [{**LARGE, "reason": "bandwidth", "height": 360}]}

    def testAChangeIsToldOnceWhenTwoLooksAgree(self):
        self.assertEqual(self.said(*[self.GOOD] * 11, self.BAD, self.GOOD, *[self.BAD] * 3, self.GOOD, self.GOOD),
                         [[14, *self.told(NARROW)], [17, *self.told(WHOLE)]])

    def testNothingIsToldInTheFirstTenSecondsOfAConnectionOrASize(self):
        self.assertEqual(self.said(*[self.BAD] * 12), [[11, *self.told(NARROW)]])
        self.assertEqual(self.said(*[self.GOOD] * 5, None, *[self.BAD] * 12), [[17, *self.told(NARROW)]])
        self.assertEqual(self.said(*[self.GOOD] * 5, *[{**self.BAD, "connection": "D"}] * 12), [[16, *self.told(NARROW)]])
        small = {"layers": [{**LARGE, "active": False}, {**SMALL, "reason": "bandwidth", "height": 180}]}
        self.assertEqual(self.said(*[self.GOOD] * 5, *[small] * 12), [[16, *self.told(NARROW)]])

    def testAFigureIsToldAgainWhenItDiffersByMoreThanAQuarter(self):
        bad = lambda carried: {**self.BAD, "carried": carried}
        self.assertEqual(self.said(*[bad(480)] * 12, *[bad(600)] * 3, *[bad(601)] * 3),
                         [[11, *self.told(NARROW)], [16, *self.told({**NARROW, "carried": 601})]])

    def testARoomThatMayHaveForgottenIsToldAnewAndANewTrackIsTakenToBeWhole(self):
        self.assertEqual(self.said(*[self.BAD] * 13, "forget", *[self.BAD] * 2),
                         [[11, *self.told(NARROW)], [13, *self.told(NARROW)]])
        self.assertEqual(self.said(*[self.GOOD] * 12, {"sid": "TR_2"}, {"sid": "TR_2"}), [])


class Labels(Modules):
    def labels(self, name="Ann", source="camera", hears=True, **delivery):
        return self.use("delivery_labels", "return m[0].deliveryLabels(given[0])",
                        {"name": name, "source": source, "hears": hears, "delivery": delivery})

    def testYourOwnNetworkIsNamedWithWhatItCarriesAndNobodyIsToBeTold(self):
        self.assertEqual(self.labels(pictures="smaller", limit="receiver_line", carried=480), {
            "chip": "your network: smaller picture",
            "sentence": "Ann shows a smaller picture: your network carries 480 kbit/s.", "complaint": None})

    def testTheirFaultIsSaidToThemAsTheirOwn(self):
        self.assertEqual(self.labels(pictures="fewer", limit="sender_line", carried=1240), {
            "chip": "their network: fewer pictures",
            "sentence": "Ann shows fewer pictures: their network carries 1.2 Mbit/s.",
            "complaint": "@Ann: I see fewer pictures of you: your network carries 1.2 Mbit/s."})
        self.assertEqual(self.labels(pictures="none", limit="sender_computer"), {
            "chip": "their computer: no picture", "sentence": "Ann shows no picture: their computer is busy.",
            "complaint": "@Ann: I see no picture of you: your computer is busy."})

    def testAProgramIsBlamedForWhatItDoesNotSend(self):
        sentences = [self.labels(pictures=each, limit="sender_program")["sentence"] for each in ("none", "smaller", "fewer")]
        self.assertEqual(sentences, ["Ann shows no picture: their program sends none.",
                                     "Ann shows a smaller picture: their program sends no larger one.",
                                     "Ann shows fewer pictures: their program sends no more."])

    def testWithoutACapacityTheLossIsNamedIfItIsHeavy(self):
        def sentence(**figures):
            return self.labels(pictures="smaller", limit="sender_line", **figures)["sentence"].split("their network ")[1]
        self.assertEqual([sentence(lost=0.12), sentence(lost=0.04), sentence(), sentence(lost=0.12, carried=999)],
                         ["loses 12 % of the packets.", "carries too little.", "carries too little.", "carries 999 kbit/s."])

    def testAScreenIsNamedAndAStreamThatHearsNothingIsNotToBeTold(self):
        screen = self.labels(source="screen", pictures="smaller", limit="sender_computer")
        self.assertEqual((screen["sentence"], screen["complaint"]), (
            "Screen of Ann shows a smaller picture: their computer is busy.",
            "@Ann: I see a smaller picture of your screen: your computer is busy."))
        self.assertIsNone(self.labels(hears=False, pictures="none", limit="sender_program")["complaint"])

    def testWordsOfALaterVersionAreNotShown(self):
        self.assertIsNone(self.labels(pictures="toString", limit="sender_line"))
        self.assertIsNone(self.labels(pictures="none", limit="toString"))


class DeliveryModules(Judgement, Watch, Labels, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        address = stack.enter_context(page_server())
        cls.tab = stack.enter_context(browser.tab(stack.enter_context(browser.driver())))
        cls.tab.open(address)


# A room inside the page: its socket, and the far ends of its connections. Messages to it are in `said`; `tell()` is the server's.
ROOM = """const entered = arguments[0], tracks = [], answer = function () { %s };
window.said = [];
window.tell = (message) => room.onmessage({ data: JSON.stringify(message) });
window.WebSocket = class {
  static OPEN = 1;
  readyState = 1;
  constructor() { window.room = this; setTimeout(() => this.onopen?.()); }
  send(text) {
    const message = JSON.parse(text);
    said.push(message);
    if (message.type === 'join') setTimeout(() => tell({ ...entered, you: { ...entered.you, tracks } }));
    if (message.type !== 'publish') return;
    const track = { sid: `TR_${message.source}`, kind: message.kind, source: message.source, muted: false };
    tracks.push(track);
    setTimeout(() => tell({ type: 'published', cid: message.cid, track }));
  }
  close() {}
};
window.fetch = async (url, { method, body }) => {
  const headers = { Location: '/r/token/resource' };
  const response = method === 'POST' ? new Response(await answer(body, url.includes('whep')), { status: 201, headers }) : new Response();
  return Object.defineProperty(response, 'url', { value: location.href });
};
// The line is narrow, as the browser sees it.
RTCRtpSender.prototype.getStats = async () => new Map([
  ['size', { type: 'outbound-rtp', frameHeight: 180, framesPerSecond: 20, qualityLimitationReason: 'bandwidth' }],
  ['line', { type: 'candidate-pair', nominated: true, availableOutgoingBitrate: 480000 }],
]);""" % FAR
CHIP = ".tile:not(.you) .tile-delivery"
SHOWN = f"return document.querySelector('{CHIP}:not([hidden])')?.textContent === arguments[0]"
SENT = "return said.filter((each) => each.type === 'track_sending').length >= arguments[0]"


class RoomPageDelivery(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.address = stack.enter_context(page_server())
        cls.tab = stack.enter_context(browser.tab(stack.enter_context(browser.driver())))

    def setUp(self):
        self.tab.open(self.address)
        self.sees("return document.getElementById('preview-video').videoWidth > 0")
        self.tab.run(ROOM, {**ENTERED, "participants": [{**BOB, "tracks": [*BOB["tracks"], CAMERA]}]})
        self.tab.run("document.getElementById('name').value = 'Ann'")
        self.tab.click("#join")
        self.sees("return document.querySelector('.tile:not(.you) video')?.videoWidth > 0")

    def sees(self, script, *arguments):
        self.assertTrue(self.tab.wait(script, *arguments), f"{script} {arguments}")

    def deliver(self, **delivery):
        self.tab.run("tell(arguments[0])", {"type": "track_delivery", "track": CAMERA["sid"], **delivery})

    def menu(self):
        """Opens it; the texts of its lines and buttons."""
        self.tab.click(CHIP)
        return self.tab.run("return [...document.querySelectorAll('.tile-menu p, .tile-menu button')].map((each) => each.textContent)")

    def testATileSaysWhoseFaultItIsUntilThePicturesComeWhole(self):
        self.deliver(pictures="smaller", limit="receiver_line", carried=480)
        self.sees(SHOWN, "your network: smaller picture")
        sentence = "Bob shows a smaller picture: your network carries 480 kbit/s."
        self.assertEqual(self.tab.run(f"""const chip = document.querySelector('{CHIP}');
            return ['role', 'aria-label', 'title'].map((each) => chip.getAttribute(each))"""), ["img", sentence, sentence])
        texts = self.menu()
        self.assertIn(sentence, texts)
        self.assertNotIn("Tell them in the chat", texts)
        self.tab.run("document.querySelector('.tile-menu').close()")
        self.deliver(pictures="whole", limit="none")
        self.sees(f"return document.querySelector('{CHIP}').hidden")

    def testTheyAreToldInTheChat(self):
        self.deliver(pictures="fewer", limit="sender_computer")
        self.sees(SHOWN, "their computer: fewer pictures")
        self.assertIn("Bob shows fewer pictures: their computer is busy.", self.menu())
        self.tab.run("[...document.querySelectorAll('.tile-menu button')].find((each) => each.textContent === 'Tell them in the chat').click()")
        self.assertEqual(self.tab.run("return said.filter((each) => each.type === 'chat')"),
                         [{"type": "chat", "text": "@Bob: I see fewer pictures of you: your computer is busy."}])
        self.sees("return document.querySelector('.toast')?.textContent === 'The message was sent to the chat.'")

    def testTheWordsStayInsideASmallTile(self):
        others = [{**BOB, "sid": f"PA_{each}", "name": f"Cid {each}", "tracks": []} for each in range(3, 33)]
        self.deliver(pictures="smaller", limit="sender_line", carried=480)
        for each in others:
            self.tab.run("tell({type: 'participant_joined', participant: arguments[0]})", each)
        self.sees("return document.querySelector('.tile.tiny:not(.you)') !== null")
        self.sees(SHOWN, "their network: smaller picture")
        self.sees(f"""const chip = document.querySelector('{CHIP}'), tile = chip.parentElement;
            const [inner, outer, label] = [chip, tile, tile.querySelector('.tile-label')].map((each) => each.getBoundingClientRect());
            return outer.width > 60 && inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top
                && inner.bottom <= label.top + 1 && chip.scrollWidth > chip.clientWidth""")

    def testTheRoomIsToldOfANarrowLineAndAgainAfterABreak(self):
        self.sees(SENT, 1)
        told = {"type": "track_sending", "sid": "TR_camera", **NARROW}
        self.tab.run("room.onclose()")
        self.sees(SENT, 2)
        self.assertEqual(self.tab.run("return said.filter((each) => each.type === 'track_sending')"), [told, told])
        self.assertEqual(self.tab.run("return said.filter((each) => each.type === 'join').map((each) => each.resume ?? null)"), [None, "S"])


if __name__ == "__main__":
    sys.exit(unittest.main())
