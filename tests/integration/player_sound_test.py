#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sound arrives at the device, and the picture plays without one."""
import array
import contextlib
import json
import subprocess
import tempfile
import time
import unittest

import films
import player


RATE = 48000


def pitch(samples):
    """The frequency of a tone, from the first upward crossing of zero to the last; None for silence."""
    if max(samples, default=0) < 1000:
        return None
    crossings = [i - b / (b - a) for i, (a, b) in enumerate(zip(samples, samples[1:]), 1) if a < 0 <= b]
    return (len(crossings) - 1) * RATE / (crossings[-1] - crossings[0]) if len(crossings) > 1 else None


@contextlib.contextmanager
def playing(*arguments):
    """The player, and what its device's monitor hears, as a function that reads so many samples."""
    with contextlib.ExitStack() as ends:
        processes = []

        def start(command, **options):
            processes.append(subprocess.Popen(command, **options))
            ends.callback(lambda process: (process.terminate(), process.communicate(timeout=30)), processes[-1])
            return processes[-1]

        recorder = start(["parec", "--latency-msec=50", "-d", "tactus-test-sink.monitor", "--format=s16le", "--channels=1",
                          f"--rate={RATE}", "--raw"], stdout=subprocess.PIPE)
        start([films.tactus(), "--headless", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield lambda count: array.array("h", recorder.stdout.read(2 * count))


class Sound(unittest.TestCase):
    def test_the_films_tone_is_heard_at_the_device(self):
        with playing(films.plain(20)) as listen:
            heard, end = None, time.monotonic() + 15
            # Any fifth of a second without a gap will do.
            while (heard is None or abs(heard - 440) > 1) and time.monotonic() < end:
                heard = pitch(listen(RATE // 5))
            self.assertIsNotNone(heard, "silence")
            self.assertAlmostEqual(heard, 440, delta=1)

    def test_one_second_of_the_tone_is_unbroken(self):
        with playing(films.plain(20)) as listen:
            for _ in range(100):
                if pitch(listen(RATE // 10)):
                    break
            listen(RATE)
            self.assertAlmostEqual(pitch(listen(RATE)) or 0, 440, delta=1)

    def test_without_pipewire_the_picture_plays(self):
        with tempfile.TemporaryDirectory() as nowhere:
            result = player.run("--headless", "--report=json", films.plain(), XDG_RUNTIME_DIR=nowhere, PIPEWIRE_RUNTIME_DIR=nowhere)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("PipeWire", result.stderr)
        if not player.SANITIZED:
            self.assertGreaterEqual(json.loads(result.stdout)["items"][0]["presented"], 55)


if __name__ == "__main__":
    unittest.main(verbosity=2)
