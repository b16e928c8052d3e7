#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A room whose guests have bad lines: 600 kbit/s each way, of which each twentieth packet is lost."""
import contextlib
import tempfile
import unittest

import browser
import player
import star
from player_call_test import PLAYED, enter, joining
from player_room_test import Room

BITS, LOSS = 600_000, 0.05
GUESTS = ("Ann", "Bob", "Chidi")
# Of 20 s and more, in ms; the browser's test sound beeps, and of the silence between Opus sends nothing (DTX).
HEARD = {"Ann": 15_000, "Bob": 15_000, "Chidi": 15_000, "Dora": 6_000}
MISSING = star.missing()


@unittest.skipIf(MISSING, MISSING)
class BadLine(unittest.TestCase):
    def check(self, received, name):
        """It was heard all the time, but for what the line lost; connections that were made anew count together."""
        of = [each for each in received if each["participant"] == name]
        played = sum(each["sound"]["played_ms"] for each in of)
        concealed = sum(each["sound"]["concealed_ms"] for each in of)
        self.assertGreater(played, HEARD[name], of)
        self.assertLess(concealed, played / 2, of)
        self.assertGreater(sum(each["pictures"]["shown"] for each in of), 5, of)

    def test_all_stay_and_hear_each_other_over_bad_lines(self):
        with star.laid() as net, contextlib.ExitStack() as open_, tempfile.TemporaryDirectory() as data:
            for name in (*GUESTS, "Dora"):
                net.add(name, BITS, LOSS)
            with net.at_host():
                host = open_.enter_context(player.started("host", "--headless", f"--address={star.HOST}", XDG_DATA_HOME=data))
            room, guests = Room(host), {}
            for name in GUESTS:
                with net.at(name):
                    guests[name] = open_.enter_context(joining(room.link, name))
            # The browser is ended from where it can be reached.
            with net.at("Dora"), browser.driver() as port, browser.tab(port) as tab:
                enter(tab, room.link)
                # Of each of the three, 20 s of sound and of what pictures there are.
                self.assertTrue(tab.wait(PLAYED, 3, 20, patience=120), tab.console())
                told = {}
                self.assertNotRegex(host.said(), "has left|has lost", host.said())
                for name, each in guests.items():
                    self.assertIsNone(each.process.poll(), each.process.said())
                    told[name] = each.leave()
            for name, (code, said) in told.items():
                self.assertEqual((code, said.get("end")), (0, None), guests[name].process.said())
                for other in {*GUESTS, "Dora"} - {name}:
                    with self.subTest(hears=other, name=name):
                        self.check(said["received"], other)


if __name__ == "__main__":
    unittest.main()
