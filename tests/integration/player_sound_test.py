#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sound arrives at the device, and the picture plays without one."""
import array
import json
import subprocess
import tempfile
import time
import unittest

import films
import player


class Sound(unittest.TestCase):
    def test_the_films_tone_reaches_the_devices_monitor(self):
        process = subprocess.Popen([films.tactus(), "--headless", str(films.plain(20)), "--duration=8"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(4 if player.SANITIZED else 2)
            recorder = subprocess.Popen(["parec", "--latency-msec=50", "-d", "tactus-test-sink.monitor", "--format=s16le",
                                         "--channels=1", "--rate=48000"], stdout=subprocess.PIPE)
            heard = array.array("h", recorder.stdout.read(2 * 48000 * 2))
            recorder.kill()
            recorder.wait()
        finally:
            process.terminate()
            process.wait(20)
        heard = heard[len(heard) // 2:]
        self.assertGreater(max(heard), 1000)
        crossings = sum(1 for a, b in zip(heard, heard[1:]) if a < 0 <= b)
        self.assertAlmostEqual(crossings * 48000 / len(heard), 440, delta=5)

    def test_without_pipewire_the_picture_plays(self):
        with tempfile.TemporaryDirectory() as nowhere:
            result = player.run("--headless", "--report=json", films.plain(), XDG_RUNTIME_DIR=nowhere, PIPEWIRE_RUNTIME_DIR=nowhere)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("PipeWire", result.stderr)
        if not player.SANITIZED:
            self.assertGreaterEqual(json.loads(result.stdout)["items"][0]["presented"], 55)


if __name__ == "__main__":
    unittest.main(verbosity=2)
