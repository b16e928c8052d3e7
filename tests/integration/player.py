# SPDX-License-Identifier: Apache-2.0
"""The program under test, run as its users run it."""
import json
import os
import subprocess
import unittest

import films

SANITIZED = "asan" in films.tactus()
CODES = {0, 3, 4, 6}  # every way in which a film may end


def run(*arguments, timeout=60, **environment):
    return subprocess.run([films.tactus(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


def report(*arguments, timeout=90):
    result = run("--headless", "--report=json", *arguments, timeout=timeout)
    return result, json.loads(result.stdout)


class Refusals(unittest.TestCase):
    def refused(self, path, *words, timeout=60):
        result = run("--headless", "--report=json", path, timeout=timeout)
        self.assertEqual(result.returncode, 3, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
