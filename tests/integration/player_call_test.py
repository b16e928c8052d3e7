#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program takes part in a room, beside others of its kind and a browser: what each of them receives."""
import contextlib
import json
import pathlib
import signal
import tempfile
import time
import unittest

import browser
import films
import player
from player import PATIENCE, wait_for
from player_room_test import hosting

PLAYED = """const videos = [...document.querySelectorAll('.tile:not(.you) video')];
return videos.filter((each) => each.videoWidth > 0 && each.currentTime > arguments[1]).length >= arguments[0]"""


class Taking:
    """A participant; its report is there once it has left."""

    def __init__(self, process, file):
        self.process, self.file = process, file

    def leave(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        code = self.process.wait(PATIENCE)
        return code, json.loads(self.file.read_text())["room"]

    def received(self, room):
        """Of those who are still there, by name."""
        return {each["participant"]: each for each in room["received"] if each["present"]}


@contextlib.contextmanager
def joining(link, name, *arguments, window=False):
    with tempfile.TemporaryDirectory(prefix="tactus-call-") as folder:
        file = pathlib.Path(folder, "report.json")
        how = ["--camera=test", "--mic=test"] if window else ["--headless"]
        with player.started("join", *how, link.text, f"--name={name}", f"--report=json:{file}", *arguments) as process:
            wait_for(f"{name} in the room", lambda: f"as {name}." in process.said(), process)
            yield Taking(process, file)


def enter(tab, link):
    """The browser joins as Dora, with its camera and its microphone."""
    tab.open(link.text)
    if not tab.wait("return document.getElementById('preview-video')?.videoWidth > 0"):
        raise AssertionError(f"no preview: {tab.console()}")
    tab.run("document.getElementById('name').value = ''")
    tab.type("#name", "Dora\ue007")


class Call(unittest.TestCase):
    def check(self, received, pictures=True):
        self.assertEqual(received["state"], "live", received["why"])
        if pictures:
            self.assertGreater(received["pictures"]["shown"], 20)
        self.assertGreater(received["sound"]["played_ms"], 1000)

    def test_three_of_the_program_and_a_browser_see_and_hear_each_other(self):
        with hosting() as room, browser.driver() as port, browser.tab(port) as tab, \
                joining(room.link, "Ann") as ann, joining(room.link, "Bob", f"--camera={films.plain()}", f"--mic={films.plain()}") as bob, \
                joining(room.link, "Chidi", "--camera=none") as chidi:
            enter(tab, room.link)
            # Two of them have pictures. Of ten seconds a busy participant, too, shows more than one.
            self.assertTrue(tab.wait(PLAYED, 2, 10), tab.console())
            told = {each: each.leave() for each in (chidi, bob, ann)}
            for each, (code, said) in told.items():
                self.assertEqual(code, 0, each.process.said())
                self.assertTrue(any(stage["stage"] == "send" for stage in said["sent"]["stages"]), said["sent"])
            of_chidi = chidi.received(told[chidi][1])
            self.assertEqual(set(of_chidi), {"Ann", "Bob", "Dora"})
            for each in of_chidi.values():
                self.check(each)
            self.assertEqual(set(bob.received(told[bob][1])), {"Ann", "Dora"})
            self.check(bob.received(told[bob][1])["Dora"])
            gone = [each for each in told[ann][1]["received"] if each["participant"] == "Chidi" and not each["present"]]
            self.assertEqual(len(gone), 1, told[ann][1]["received"])
            self.check(gone[0], pictures=False)

    def test_a_window_takes_part_as_well(self):
        with hosting() as room, joining(room.link, "Ann", window=True) as ann, joining(room.link, "Bob") as bob:
            time.sleep(6)  # of which a busy machine shows a second
            _, of_bob = bob.leave()
            code, of_ann = ann.leave()
            self.assertEqual(code, 0, ann.process.said())
            self.check(bob.received(of_bob)["Ann"])
            # Connections that were made anew count together.
            gone = [each for each in of_ann["received"] if each["participant"] == "Bob"]
            self.assertGreater(sum(each["pictures"]["shown"] for each in gone), 20, of_ann)
            played = [each["sound"]["output"]["connected"] for each in gone if "output" in each["sound"]]
            self.assertTrue(any(played), "it is played on the session's device")

    def test_without_a_display_it_says_how_to_take_part(self):
        link = f"https://10.1.2.3:7000/r/{'A' * 32}#sha256={'A' * 43}"
        result = player.run("join", link, DISPLAY="", WAYLAND_DISPLAY="")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("`tactus join --headless LINK` takes part without one.", result.stderr)

    def test_what_a_host_sends_passes_its_link(self):
        with tempfile.TemporaryDirectory() as folder, browser.driver() as port, browser.tab(port) as tab:
            file = pathlib.Path(folder, "report.json")
            with hosting("--rate=20mbit", f"--report=json:{file}") as room, joining(room.link, "Ann"):
                enter(tab, room.link)
                self.assertTrue(tab.wait(PLAYED, 1, 2), tab.console())
                room.process.send_signal(signal.SIGTERM)
                self.assertEqual(room.process.wait(PATIENCE), 0)
            link = json.loads(file.read_text())["network"]["link"]
            self.assertEqual(link["bits_per_s"], 20_000_000)
            # Ann's sound and pictures to Dora, and Dora's to her.
            self.assertEqual(sorted(each["class"] for each in link["flows"]), ["audio", "audio", "stream", "stream"], link)
            for each in link["flows"]:
                self.assertGreater(each["sent"], 0, link)
                self.assertEqual(each["full"], 0, link)

    def test_the_end_of_the_room_ends_the_stay(self):
        with hosting() as room, joining(room.link, "Ann", "--camera=none", "--mic=none") as ann:
            room.process.send_signal(signal.SIGTERM)
            code, said = ann.end()
            self.assertEqual((code, said["end"]), (6, "The host has closed the room."))

    def test_a_link_that_leads_nowhere_is_told(self):
        with hosting() as room:
            text = room.link.text
            wrong = text.replace("/r/" + room.link.path[3:], "/r/" + "A" * 32)
            result = player.run("join", "--headless", wrong, "--duration=30")
            self.assertEqual(result.returncode, 3, result.stderr)
            impostor = text.split("#")[0] + "#sha256=" + "A" * 43
            result = player.run("join", "--headless", impostor, "--duration=30")
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("is not the host that the link names", result.stderr)


if __name__ == "__main__":
    unittest.main()
