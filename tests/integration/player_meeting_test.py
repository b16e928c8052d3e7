#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A call is started from a player's window, and joined from another one by the link in the clipboard."""
import contextlib
import tempfile
import unittest

import player as program
import screen
from player import PATIENCE, wait_for


@contextlib.contextmanager
def window(name, data, x):
    """A program with an empty window at this place."""
    with program.started("--geometry=480x360+0+0", "--mute", XDG_DATA_HOME=data) as process:
        first = screen.window(process, "Tactus")
        screen.place(first, x, 0)
        screen.point(x + 240, 180, first)
        yield process


def choose(process, name, x):
    """On the page before the call: as who. The window has taken the place of the empty one."""
    page = screen.window(process, "Call")
    screen.resize(page, 600, 400)
    screen.place(page, x, 0)
    screen.point(x + 300, 5, page)
    screen.press("ctrl+a")
    screen.write(name)
    wait_for("the name", lambda: screen.press("Return") or not screen.windows(process, "^Call"), process)


class Meeting(unittest.TestCase):
    def test_two_windows_meet_by_keyboard_and_clipboard(self):
        with tempfile.TemporaryDirectory() as data, window("Ann", data, 0) as ann, window("Bob", data, 640) as bob:
            screen.point(240, 180, screen.window(ann, "Tactus"))
            screen.press("ctrl+t")
            choose(ann, "Ann", 0)
            wait_for("Ann in her room", lambda: "as Ann." in ann.said(), ann)
            screen.press("ctrl+c")
            screen.point(640 + 240, 180, screen.window(bob, "Tactus"))
            screen.press("ctrl+v")
            choose(bob, "Bob", 640)
            wait_for("Bob in the room", lambda: "as Bob." in bob.said(), bob)
            wait_for("Ann's program to tell it", lambda: "Bob has come." in ann.said(), ann)
            screen.press("ctrl+w")
            self.assertEqual(bob.wait(PATIENCE), 0, bob.said())
            wait_for("Bob's end", lambda: "Bob has left." in ann.said(), ann)
            screen.point(300, 5, screen.window(ann, "Room"))
            screen.press("ctrl+w")
            self.assertEqual(ann.wait(PATIENCE), 0, ann.said())


if __name__ == "__main__":
    unittest.main()
