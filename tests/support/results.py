# SPDX-License-Identifier: Apache-2.0
"""What the steps of a test run say, added up: every test that was expected is counted, or is a failure."""
import json
import os
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# So many cases may need a second attempt; more say that something is wrong with the machine or the program.
RETRIED_AT_MOST = 3


class Skips:
    """skips.txt: lines `CASE CAPABILITY`: the case may be skipped where the capability is not required ($TACTUS_REQUIRE)."""

    def __init__(self, path=HERE / "skips.txt", required=None):
        self.required = set((os.environ.get("TACTUS_REQUIRE", "") if required is None else required).split(",")) - {""}
        self.allowed = dict(line.split("#")[0].split() for line in path.read_text().splitlines() if line.split("#")[0].strip())

    def refuses(self, case):
        """Why this case may not be skipped; None if it may."""
        capability = self.allowed.get(case)
        if capability is None:
            return "skipped, and not in skips.txt"
        return f"skipped, though {capability} is required here" if capability in self.required else None


class Totals:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0
        self.retried, self.failures = [], []

    def fail(self, name, why):
        self.failed += 1
        self.failures.append(f"failed: {name}: {why}")

    def add(self, name, passed, why="failed"):
        """A check that is one case by itself: lint, a build."""
        if passed:
            self.passed += 1
        else:
            self.fail(name, why)

    def add_step(self, step, folder, expected, skips):
        """The records of one step; `expected`: the names of all test programs that it was to run."""
        for test in expected:
            try:
                told = json.loads((folder / f"{test}.json").read_text())
            except (OSError, ValueError):
                self.fail(f"{step}: {test}", "left no record")
                continue
            if told["error"]:
                self.fail(f"{step}: {test}", told["error"])
            elif not told["cases"]:
                self.fail(f"{step}: {test}", "ran no case")
            for case in told["cases"]:
                self._add_case(step, case, skips)

    def _add_case(self, step, case, skips):
        name = f"{step}: {case['name']}"
        if case["outcome"] == "failed":
            self.fail(name, case["message"].split("\n")[0])
        elif case["outcome"] == "passed":
            self.passed += 1
            if case["attempts"] > 1:
                self.retried.append(f"attempt {case['attempts']} passed: {name}: {case['message'].split(chr(10))[0]}")
        elif why := skips.refuses(case["name"]):
            self.fail(name, f"{why}: {case['message']}")
        else:
            self.skipped += 1

    def close(self):
        """Prints what there is to say, the counts last; returns whether all is well."""
        if len(self.retried) > RETRIED_AT_MOST:
            self.fail("retries", f"{len(self.retried)} cases needed more than one attempt, {RETRIED_AT_MOST} may")
        if not self.passed and not self.failed:
            self.fail("tests", "nothing ran")
        for line in self.retried + self.failures:
            print(line)
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return not self.failed
