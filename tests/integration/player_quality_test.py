#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is when a stream suffers, as its receiver tells: the network's or the sender's."""
import contextlib
import signal
import time
import unittest

import cable
import films
import player
from player import PATIENCE, wait_for

PLACE = f"udp://{cable.ADDRESS['far']}:7000/film?token=t"
MISSING = cable.missing()


def dense(seconds):
    """Noise of 20 Mbit/s."""
    return films.film(f"noise{seconds}.ts", "-c:a", "mp2", pictures="nullsrc=sar=1", size="640x480", seconds=seconds,
                      codec=("-vf", "noise=alls=100:allf=t", "-c:v", "mpeg2video", "-b:v", "20M", "-minrate", "20M", "-maxrate", "20M",
                             "-bufsize", "4M", "-pix_fmt", "yuv420p"))


@unittest.skipIf(MISSING, f"no network namespaces: {MISSING}")
class Quality(unittest.TestCase):
    @contextlib.contextmanager
    def stream(self, film, carries=None):
        """A film that goes from one end of a cable to the other: the two programs, and the receiver's events as they come."""
        with cable.laid() as line, player.listening() as (socket, events), contextlib.ExitStack() as programs:
            def start(end, *arguments):
                with line.at(end):
                    return programs.enter_context(player.started(*arguments))

            receiving = start("far", "recv", "--headless", f"--qos-socket={socket}", PLACE)
            wait_for("the address", lambda: "?token=t" in receiving.said(), receiving)
            if carries:
                line.carries(carries)
            sending = start("near", "send", film, PLACE)
            wait_for("the stream", lambda: "goes to" in sending.said(), sending)
            yield receiving, sending, events

    def await_cause(self, cause, events, process):
        wait_for(f"a violation by the {cause}",
                 lambda: any(e["event"] == "violation" and e["cause"] == cause for e in list(events)), process)

    def test_a_line_that_carries_too_little_is_the_networks_fault(self):
        with self.stream(dense(20), carries=5_000_000) as (receiving, _, events):
            self.await_cause("network", events, receiving)
            receiving.send_signal(signal.SIGINT)
            receiving.wait(PATIENCE)

    def test_a_sender_that_stands_still_is_at_fault(self):
        with self.stream(films.plain(60)) as (receiving, sending, events):
            def stand():
                sending.send_signal(signal.SIGSTOP)
                time.sleep(1)
                sending.send_signal(signal.SIGCONT)
                time.sleep(2)
                return any(e["event"] == "violation" and e["cause"] == "sender" for e in list(events))
            wait_for("a violation by the sender", stand, receiving)
            receiving.send_signal(signal.SIGINT)
            receiving.wait(PATIENCE)


if __name__ == "__main__":
    unittest.main()
