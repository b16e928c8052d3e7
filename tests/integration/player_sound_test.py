#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sound arrives at the device, and the picture plays without one."""
import array
import contextlib
import json
import statistics
import subprocess
import tempfile
import time
import unittest

import films
import player
from player_call_test import joining
from player_room_test import hosting


RATE = 48000


def pitch(samples):
    """The frequency of a tone, from the first upward crossing of zero to the last; None for silence."""
    if max(samples, default=0) < 100:
        return None
    crossings = [i - b / (b - a) for i, (a, b) in enumerate(zip(samples, samples[1:]), 1) if a < 0 <= b]
    return (len(crossings) - 1) * RATE / (crossings[-1] - crossings[0]) if len(crossings) > 1 else None


@contextlib.contextmanager
def listening():
    """What the device's monitor hears, as a function that reads so many samples."""
    recorder = subprocess.Popen(["parec", "--latency-msec=50", "-d", "tactus-test-sink.monitor", "--format=s16le", "--channels=1",
                                 f"--rate={RATE}", "--raw"], stdout=subprocess.PIPE)
    try:
        yield lambda count: array.array("h", recorder.stdout.read(2 * count))
    finally:
        recorder.kill()
        recorder.communicate()


@contextlib.contextmanager
def playing(*arguments):
    """The player, and what its device's monitor hears."""
    with listening() as listen, player.started("--headless", *arguments):
        yield listen


class Sound(unittest.TestCase):
    def tone(self, *arguments):
        """A fifth of a second of the film's tone without a gap: there is one on any machine."""
        with playing("--loop", *arguments, films.plain(20)) as listen:
            heard, end = None, time.monotonic() + player.PATIENCE
            while (heard is None or abs(heard - 440) > 1) and time.monotonic() < end:
                samples = listen(RATE // 5)
                heard = pitch(samples)
            self.assertIsNotNone(heard, "silence")
            self.assertAlmostEqual(heard, 440, delta=1)
            return samples

    def test_the_films_tone_is_heard_at_the_device(self):
        self.assertGreater(max(self.tone()), 1000)

    def test_one_second_of_the_tone_is_unbroken(self):
        with playing(films.plain(20)) as listen:
            for _ in range(100):
                if pitch(listen(RATE // 10)):
                    break
            listen(RATE)
            self.assertAlmostEqual(pitch(listen(RATE)) or 0, 440, delta=1)

    def test_half_the_volume_is_an_eighth_of_the_sound(self):
        def amplitude(samples):
            peaks = (max(samples[at:at + RATE // 440]) for at in range(0, len(samples), RATE // 440))
            return statistics.median(peak for peak in peaks if peak >= 100)  # the film may begin in these samples

        quiet, loud = (amplitude(self.tone(f"--volume={percent}")) for percent in (50, 100))
        self.assertAlmostEqual(quiet / loud, 1 / 8, delta=0.01)

    def test_what_another_says_in_a_room_is_heard_at_the_device(self):
        with hosting() as room, listening() as listen, joining(room.link, "Ann", "--camera=none"), \
                joining(room.link, "Bob", "--camera=none", "--mic=none", "--speaker=default") as bob:
            heard, end = None, time.monotonic() + player.PATIENCE
            while abs((heard or 0) - 440) > 5 and time.monotonic() < end:
                heard = pitch(listen(RATE // 5))
            self.assertAlmostEqual(heard or 0, 440, delta=5)
            code, said = bob.leave()
            self.assertEqual(code, 0, bob.process.said())
            output = bob.received(said)["Ann"]["sound"]["output"]
            self.assertTrue(output["connected"], output)

    def test_without_pipewire_the_picture_plays(self):
        with tempfile.TemporaryDirectory() as nowhere:
            result = player.run("--headless", "--report=json", films.plain(),
                                XDG_RUNTIME_DIR=nowhere, PIPEWIRE_RUNTIME_DIR=nowhere)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("PipeWire", result.stderr)
        item = json.loads(result.stdout)["items"][0]
        self.assertFalse(item["audio"]["connected"])
        self.assertGreaterEqual(player.counted(item), 58, item)
        self.assertGreaterEqual(item["presented"], 1 if player.SANITIZED else 55, item)


if __name__ == "__main__":
    unittest.main(verbosity=2)
