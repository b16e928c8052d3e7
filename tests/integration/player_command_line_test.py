#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Options, help, the doctor, and the codes that the program ends with."""
import os
import subprocess
import unittest

import films
import player


class CommandLine(unittest.TestCase):
    def test_help_and_version_answer_with_zero(self):
        self.assertEqual(player.run("--help").returncode, 0)
        self.assertIn("Exit codes", player.run("--help").stdout)
        self.assertRegex(player.run("--version").stdout, r"^tactus \d+\.\d+")

    def test_wrong_options_are_usage_errors(self):
        for arguments in (["--nonsense"], ["--speed=9", "x"], ["--headless"]):
            result = player.run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("tactus: "), result.stderr)

    def test_a_rate_that_is_none_is_a_usage_error_with_a_sentence(self):
        for rate, sentence in (("0", "--rate is above 0: nothing would leave."), ("fast", "--rate: "), ("", "--rate: ")):
            result = player.run("host", "--headless", f"--rate={rate}")
            self.assertEqual((result.returncode, result.stdout), (2, ""), rate)
            self.assertTrue(result.stderr.startswith(f"tactus: {sentence}"), result.stderr)

    def test_doctor_names_the_class_and_the_formats(self):
        result = player.run("doctor")
        self.assertEqual(result.returncode, 0, result.stdout)
        for word in ("real-time class", "io_uring", "PipeWire", "formats", "H.264", "streams", "HLS"):
            self.assertIn(word, result.stdout)

    def test_no_display_is_said_and_has_its_code(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        result = subprocess.run([films.tactus(), "x.mp4"], capture_output=True, text=True, timeout=player.PATIENCE,
                                env=environment)
        self.assertEqual(result.returncode, 5)
        self.assertIn("There is no display", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
