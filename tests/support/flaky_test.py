#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
import collections
import json
import pathlib
import tempfile
import unittest

import flaky


class AddRound(unittest.TestCase):
    def counts(self, *records):
        counts = collections.defaultdict(flaky.Count)
        for record in records:
            with tempfile.TemporaryDirectory() as folder:
                if record is not None:
                    (pathlib.Path(folder) / "film.json").write_text(json.dumps(record))
                flaky.add_round(folder, ["film"], counts)
        return {case: (count.runs, count.failures, count.message) for case, count in counts.items()}

    def test_each_case_is_counted_and_the_first_failure_says_why(self):
        def record(outcome, message=""):
            return {"cases": [{"name": "Plays", "outcome": outcome, "message": message}], "error": None}

        self.assertEqual(self.counts(record("passed"), record("failed", "late\nby much"), record("failed", "later"), record("skipped")),
                         {"film Plays": (3, 2, "late")})

    def test_a_program_without_a_record_or_with_a_bad_end_has_failed(self):
        self.assertEqual(self.counts(None), {"film": (1, 1, "left no record")})
        self.assertEqual(self.counts({"cases": [], "error": "ended with signal 11"}), {"film": (1, 1, "ended with signal 11")})


if __name__ == "__main__":
    unittest.main(verbosity=2)
