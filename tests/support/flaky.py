#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flaky.py REGEX [TIMES]: runs the release build's test programs that match, beside two endless programs, each case once a round.

Prints how often each case failed; ends with 1 if any did. Cases of the nightly list run as well."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import processes

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    chosen = ["ctest", "--test-dir", "build/release", "-R", sys.argv[1], "-LE", "^lab$"]
    listing = subprocess.run([*chosen, "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True, check=True)
    tests = [test["name"] for test in json.loads(listing.stdout)["tests"]]
    if not tests:
        sys.exit(f"flaky: no test program matches {sys.argv[1]}")
    processes.adopt_orphans()
    failures, messages = collections.Counter(), {}
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        for round_ in range(1, times + 1):
            with tempfile.TemporaryDirectory(prefix="tactus-flaky-") as folder:
                environment = {**os.environ, "TACTUS_RESULTS": folder, "TACTUS_NIGHTLY": "1", "TACTUS_ATTEMPTS": "1"}
                subprocess.run(["tests/support/session.sh", *chosen], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, check=False)
                for test in tests:
                    record = pathlib.Path(folder) / f"{test}.json"
                    told = json.loads(record.read_text()) if record.exists() else {"cases": [], "error": "left no record"}
                    failed = {case["name"]: case["message"] for case in told["cases"] if case["outcome"] == "failed"}
                    if told["error"]:
                        failed[test] = told["error"]
                    failures.update(failed.keys())
                    messages.update(failed)
            print(f"\rround {round_} of {times}: {sum(failures.values())} failures", end="", file=sys.stderr, flush=True)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    print(file=sys.stderr)
    for case, count in failures.most_common():
        print(f"{count} of {times} failed: {case}: {messages[case].splitlines()[0] if messages[case] else ''}")
    print(f"{len(tests)} test programs, {times} rounds, {sum(failures.values())} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
