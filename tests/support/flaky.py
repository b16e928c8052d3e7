#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flaky.py REGEX [TIMES]: runs the release build's test programs that match, beside two endless programs, each case once a round.

Prints how often each case failed; ends with 1 if any did. Cases of the nightly list run as well."""
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import processes

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Count:
    """How often one case ran and failed, and what it said when it did so first."""

    def __init__(self):
        self.runs = self.failures = 0
        self.message = ""

    def add(self, failed, message):
        self.runs += 1
        self.failures += failed
        if failed and not self.message:
            self.message = next(iter((message or "").splitlines()), "")


@contextlib.contextmanager
def hogs(number=2):
    endless = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(number)]
    try:
        yield
    finally:
        for hog in endless:
            hog.kill()
            hog.wait()


def add_round(folder, tests, counts):
    """The records of one round; a program that has no record, or ended badly, counts as a case of its own."""
    for test in tests:
        record = pathlib.Path(folder) / f"{test}.json"
        told = json.loads(record.read_text()) if record.exists() else {"cases": [], "error": "left no record"}
        for case in told["cases"]:
            if case["outcome"] != "skipped":
                counts[f"{test} {case['name']}"].add(case["outcome"] == "failed", case["message"])
        if told["error"]:
            counts[test].add(True, told["error"])


def rounds(selection, times, **environment):
    """Runs the tests that ctest selects so many times: {program and case: Count}; empty where nothing is selected."""
    chosen = ["ctest", "--test-dir", "build/release", *selection]
    listing = subprocess.run([*chosen, "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    tests = [test["name"] for test in json.loads(listing.stdout)["tests"]]
    counts = collections.defaultdict(Count)
    with hogs():
        for number in range(1, times + 1 if tests else 1):
            with tempfile.TemporaryDirectory(prefix="tactus-flaky-") as folder:
                subprocess.run(["tests/support/session.sh", *chosen, "-j", "2"], cwd=ROOT, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                               env={**os.environ, **environment, "TACTUS_RESULTS": folder, "TACTUS_ATTEMPTS": "1"})
                add_round(folder, tests, counts)
            failures = sum(count.failures for count in counts.values())
            print(f"tactus: round {number} of {times}: {failures} failures", file=sys.stderr, flush=True)
    return counts


def main():
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    processes.adopt_orphans()
    counts = rounds(["-R", sys.argv[1], "-LE", "^lab$"], times, TACTUS_NIGHTLY="1")
    if not counts:
        sys.exit(f"flaky: no test program matches {sys.argv[1]}")
    failed = {case: count for case, count in counts.items() if count.failures}
    for case, count in sorted(failed.items(), key=lambda item: -item[1].failures):
        print(f"{count.failures} of {count.runs} failed: {case}: {count.message}")
    print(f"{len(counts)} cases, {times} rounds, {sum(count.failures for count in failed.values())} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
