#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Guests whose lines carry less than a camera's pictures: they are sent the smaller size, and the larger one once the line carries it."""
import contextlib
import tempfile
import time
import unittest

import films
import player
import star
from player_call_test import joining
from player_room_test import Room

NARROW, WIDE = 500_000, 5_000_000
LARGE, SMALL = "640x360", "320x180"
MISSING = star.missing()


@contextlib.contextmanager
def showing_a_film(net, guest):
    """Ann sends a film in two sizes; the guest receives it over the narrow line, into the list that is given."""
    with tempfile.TemporaryDirectory() as data, contextlib.ExitStack() as open_:
        net.add("Ann")
        net.add(guest, NARROW)
        with net.at_host():
            host = open_.enter_context(player.started("host", "--headless", f"--address={star.HOST}", XDG_DATA_HOME=data))
        room, film = Room(host), films.plain()
        with net.at("Ann"):
            open_.enter_context(joining(room.link, "Ann", f"--camera={film}", f"--mic={film}"))
        with net.at(guest):
            taking = open_.enter_context(joining(room.link, guest, "--camera=none", "--mic=none"))
        received = []
        yield received
        received += [each for each in taking.leave()[1]["received"] if each["participant"] == "Ann"]


def shown(received, size):
    return sum(each["pictures"]["sizes"].get(size, 0) for each in received)


@unittest.skipIf(MISSING, MISSING)
class NarrowLine(unittest.TestCase):
    def test_smaller_pictures_are_sent_where_the_line_carries_no_larger_ones(self):
        with star.laid() as net:
            with showing_a_film(net, "Bob") as received:
                time.sleep(20)
            self.assertGreater(shown(received, SMALL), 100, received)
            self.assertGreater(sum(each["sound"]["played_ms"] for each in received), 10_000, received)
            self.assertLess(sum(each["sound"]["concealed_ms"] for each in received), 3_000, received)

    def test_larger_ones_come_once_the_line_carries_them(self):
        with star.laid() as net:
            with showing_a_film(net, "Chidi") as received:
                time.sleep(15)
                net.carry("Chidi", WIDE)
                time.sleep(80)  # it is tried each 64 s at least
            self.assertGreater(shown(received, SMALL), 100, received)
            self.assertGreater(shown(received, LARGE), 250, received)


if __name__ == "__main__":
    unittest.main()
