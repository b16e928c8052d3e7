#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A guest whose pictures are not whole is told whose fault it is: its line, the sender's line, or the sender's program."""
import contextlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import films
import player
import star
from player import wait_for
from player_call_test import joining
from player_room_test import Room

NARROW = 450_000  # of a film of 1000 kbit/s in two sizes, the smaller one of 200
MISSING = star.missing()


@contextlib.contextmanager
def hogs(count):
    """So many programs that take all the processor time that they get."""
    with contextlib.ExitStack() as open_:
        for _ in range(count):
            each = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            open_.callback(each.wait)
            open_.callback(each.kill)
        yield


class Call:
    """Bob receives the film that Ann sends; what the governor of Bob's program told of it so far."""

    def __init__(self, net, ann, bob, events):
        self.net, self.ann, self.bob, self._events = net, ann, bob, events

    def sentences(self, event):
        return [each["sentence"] for each in list(self._events) if each["event"] == event]

    def wait_for(self, event, sentence):
        wait_for(f"'{sentence}'", lambda: any(sentence in each for each in self.sentences(event)), self.bob.process)


@contextlib.contextmanager
def calling(loss=0.0):
    """Bob's line loses that share."""
    with star.laid() as net, contextlib.ExitStack() as open_:
        net.add("Ann")
        net.add("Bob", loss=loss)
        data = open_.enter_context(tempfile.TemporaryDirectory())
        path, events = open_.enter_context(player.listening())
        with net.at_host():
            host = open_.enter_context(player.started("host", "--headless", f"--address={star.HOST}", XDG_DATA_HOME=data))
        room, film = Room(host), films.plain()
        with net.at("Ann"):
            ann = open_.enter_context(joining(room.link, "Ann", f"--camera={film}", f"--mic={film}"))
        with net.at("Bob"):
            bob = open_.enter_context(joining(room.link, "Bob", "--camera=none", "--mic=none", f"--qos-socket={path}"))
        wait_for("Bob hears Ann", lambda: receiving(bob.process.pid), bob.process)
        time.sleep(3)  # of pictures
        yield Call(net, ann, bob, events)


def receiving(pid):
    """A thread for the packets of the sound and one for those of the pictures: both have begun to come."""
    listed = subprocess.run(["ps", "-T", "-o", "comm=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    return listed.count("rtpjitterbuffe") >= 2


@unittest.skipIf(MISSING, MISSING)
class Cause(unittest.TestCase):
    def only(self, call, whose):
        """Nobody else was blamed."""
        for sentence in call.sentences("limited"):
            self.assertIn(whose, sentence)

    def test_the_own_line(self):
        for count in (0, 4):
            with self.subTest(hogs=count), hogs(count), calling() as call:
                call.net.carry("Bob", NARROW)
                call.wait_for("limited", "your network")
                if count == 0:  # of a busy machine the sender's part is true as well
                    self.only(call, "your network")

    def test_the_own_line_that_loses(self):
        with calling(loss=0.25) as call:
            call.wait_for("limited", "your network")
            self.only(call, "your network")

    def test_the_senders_line(self):
        with calling() as call:
            call.net.narrow("Ann", NARROW)
            call.wait_for("limited", "their network")
            self.only(call, "their network")

    def test_the_senders_program(self):
        for count in (0, 4):
            with self.subTest(hogs=count), hogs(count), calling() as call:
                call.ann.process.send_signal(signal.SIGSTOP)
                try:
                    call.wait_for("limited", "their program sends none")
                finally:
                    call.ann.process.send_signal(signal.SIGCONT)
                call.wait_for("whole", "shows every picture again")

    def test_nobodys(self):
        with calling() as call:
            time.sleep(15)
            self.assertEqual(call.sentences("limited"), [])


if __name__ == "__main__":
    unittest.main()
