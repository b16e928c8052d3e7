#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is counted, and what turns a run red."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import results


class Counts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "skips.txt").write_text("# why\nFilm.Plays fifo\n")

    def closes(self, expected, required="", **records):
        for name, (error, *cases) in records.items():
            (self.folder / f"{name}.json").write_text(json.dumps({"error": error, "cases": [
                {"name": case, "outcome": outcome, "attempts": attempts, "message": message}
                for case, outcome, attempts, message in cases]}))
        totals = results.Totals()
        totals.add_step("release", self.folder, expected, results.Skips(self.folder / "skips.txt", required))
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            good = totals.close()
        return good, out.getvalue().splitlines()

    def test_all_that_pass(self):
        self.assertEqual(self.closes(["a"], a=(None, ("Film.Plays", "passed", 1, ""), ("Film.Ends", "passed", 1, ""))),
                         (True, ["2 passed, 0 failed, 0 skipped"]))

    def test_an_expected_program_without_a_record_is_a_failure(self):
        self.assertEqual(self.closes(["a", "b"], a=(None, ("Film.Plays", "passed", 1, ""))),
                         (False, ["failed: release: b: left no record", "1 passed, 1 failed, 0 skipped"]))

    def test_a_program_that_ran_no_case_is_a_failure(self):
        self.assertEqual(self.closes(["a"], a=(None,)), (False, ["failed: release: a: ran no case", "0 passed, 1 failed, 0 skipped"]))

    def test_a_crash_is_a_failure_beside_what_passed(self):
        self.assertEqual(self.closes(["a"], a=("ended with signal 11", ("Film.Plays", "passed", 1, ""))),
                         (False, ["failed: release: a: ended with signal 11", "1 passed, 1 failed, 0 skipped"]))

    def test_a_skip_must_be_listed_and_its_capability_not_be_required(self):
        skipped = (None, ("Film.Plays", "skipped", 1, "no class"), ("Film.Ends", "passed", 1, ""))
        self.assertEqual(self.closes(["a"], a=skipped), (True, ["1 passed, 0 failed, 1 skipped"]))
        self.assertEqual(self.closes(["a"], required="x11,fifo", a=skipped), (False, [
            "failed: release: Film.Plays: skipped, though fifo is required here: no class", "1 passed, 1 failed, 0 skipped"]))
        self.assertFalse(self.closes(["a"], a=(None, ("Film.Seeks", "skipped", 1, "")))[0])

    def test_a_second_attempt_is_named_and_more_than_three_are_a_failure(self):
        cases = [(f"Film.Case{i}", "passed", 2, "41 not 40\nmore") for i in range(4)]
        good, lines = self.closes(["a"], a=(None, *cases[:3]))
        self.assertEqual((good, lines[0], lines[-1]),
                         (True, "attempt 2 passed: release: Film.Case0: 41 not 40", "3 passed, 0 failed, 0 skipped"))
        good, lines = self.closes(["a"], a=(None, *cases))
        self.assertEqual((good, lines[-1]), (False, "4 passed, 1 failed, 0 skipped"))

    def test_nothing_at_all_is_a_failure(self):
        self.assertEqual(self.closes([])[0], False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
