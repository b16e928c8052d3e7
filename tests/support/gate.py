#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gate.py [--all] [--quick] [--lint] [-R REGEX]: builds and tests in steps, cheapest first, and stops after one that fails.

Whatever happens, a limit reached or an interrupt included, it closes with 'N passed, N failed, N skipped'."""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import flaky
import processes
from results import Skips, Totals

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "build" / "results"
SEED = "seed=20260101"  # RapidCheck's: a property that fails by chance fails for everybody
AT_A_TIME = 6  # test programs of the steps whose programs wait most of their time
LIMIT, NIGHTLY_LIMIT = 45 * 60, 8 * 3600  # seconds
ROUNDS = int(os.environ.get("TACTUS_ROUNDS", "20"))
SANITIZERS = {
    # By the slow unwinder: GLib keeps no frame pointers, and leaks.txt names who asked it for memory.
    "asan": {"ASAN_OPTIONS": "detect_odr_violation=0:fast_unwind_on_malloc=0:malloc_context_size=8",
             "LSAN_OPTIONS": f"suppressions={ROOT}/tests/support/leaks.txt:print_suppressions=0",
             "UBSAN_OPTIONS": "print_stacktrace=1"},
    # Without leaks: what Qt keeps until the end is not known by name.
    "asan-whole": {"ASAN_OPTIONS": "detect_odr_violation=0:detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=0"},
}


def say(text):
    print(f"tactus: {text}", file=sys.stderr, flush=True)


class OutOfTime(Exception):
    pass


class Gate:
    def __init__(self, options):
        self.options = options
        self.totals = Totals()
        self.skips = Skips()
        self.deadline = time.monotonic() + (NIGHTLY_LIMIT if options.all else LIMIT)
        self.times = []

    def step(self, name, action):
        """Runs one step. Later ones are left out after a failure, but in a nightly run."""
        if self.totals.failed and not self.options.all:
            return
        say(name)
        begin = time.monotonic()
        try:
            action(name)
        finally:
            self.times.append((name, time.monotonic() - begin))

    def run(self, command, **options):
        status, late = processes.run(command, self.deadline - time.monotonic(), cwd=ROOT, stdin=subprocess.DEVNULL, **options)
        if late:
            raise OutOfTime
        return status

    def check(self, *command):
        """A step that is one case by itself."""
        return lambda name: self.totals.add(name, self.run(command) == 0)

    def build(self, preset):
        def action(name):
            if self.run(["./dev", "build", preset]) != 0:
                self.totals.fail(name, f"build/build-{preset}.log has it all")

        self.step(f"build {preset}", action)

    def tests(self, preset, labels, jobs):
        """A step that runs the tests of one preset that have one of the labels."""

        def action(name):
            folder = RESULTS / name.replace(" ", "-")
            folder.mkdir(parents=True)
            chosen = ["--test-dir", f"build/{preset}", "-L", f"^({'|'.join(labels)})$"]
            if not self.options.all:
                chosen += ["-LE", "^nightly$"]
            if self.options.regex:
                chosen += ["-R", self.options.regex]
            listing = subprocess.run(["ctest", *chosen, "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True, timeout=60)
            expected = [test["name"] for test in json.loads(listing.stdout)["tests"]]
            if not expected:
                return
            environment = {**os.environ, **SANITIZERS.get(preset, {}), "TACTUS_RESULTS": str(folder)}
            if preset in SANITIZERS:
                environment["TACTUS_SANITIZED"] = preset.split("-")[0]
            if self.options.all:
                environment["TACTUS_NIGHTLY"] = "1"
                environment["RC_PARAMS"] = f"seed={time.time_ns()} max_success=1000"
                say(f"RC_PARAMS='{environment['RC_PARAMS']}'")
            else:
                environment["RC_PARAMS"] = SEED
            with open(folder / "ctest.log", "w") as log:
                try:
                    self.run(["tests/support/session.sh", "ctest", *chosen, "-j", str(jobs), "--output-on-failure"],
                             env=environment, stdout=log, stderr=subprocess.STDOUT)
                finally:
                    # A test that did not run, or whose record is missing, is found by its name.
                    failed = self.totals.failed
                    self.totals.add_step(name, folder, expected, self.skips)
                    if self.totals.failed > failed:
                        log.flush()
                        say("the end of " + str(folder.relative_to(ROOT) / "ctest.log"))
                        print((folder / "ctest.log").read_text(errors="replace")[-6000:], file=sys.stderr)
            left_over = processes.end_descendants(grace=10)
            if left_over:
                self.totals.fail(name, "left processes behind: " + "; ".join(left_over))

        return action

    def rounds(self, name):
        """What waits for the machine, again and again beside two endless programs; build/nightly.tsv has every case."""
        counts = flaky.rounds(["-L", "^(kernel|media|program|sound|display)$", "-LE", "^nightly$"], ROUNDS, RC_PARAMS=SEED)
        lines = [f"{case}\t{count.runs}\t{count.failures}" for case, count in sorted(counts.items())]
        (ROOT / "build" / "nightly.tsv").write_text("\n".join(["case\tattempts\tfailures", *lines]) + "\n")
        for case, count in counts.items():
            self.totals.add(f"{name}: {case}", not count.failures, f"{count.failures} of {count.runs}: {count.message}")

    def steps(self):
        if self.options.lint:
            self.step("lint", self.check("./dev", "lint", "--no-tidy"))
        if not self.options.quick:
            self.build("tsan")
            self.step("tsan", self.tests("tsan", ["threads", "kernel"], AT_A_TIME))
        self.build("release")
        self.step("release pure", self.tests("release", ["pure", "threads"], AT_A_TIME))
        self.step("release kernel", self.tests("release", ["kernel"], 1))
        self.step("release media", self.tests("release", ["media", "program"], AT_A_TIME))
        self.step("release desktop", self.tests("release", ["sound", "display"], 1))
        if self.options.all:
            self.step("lab", self.tests("release", ["lab"], 1))
            self.step("rounds", self.rounds)
        if not self.options.quick:
            asan = "asan-whole" if self.options.all else "asan"
            self.build(asan)
            self.step("asan pure", self.tests(asan, ["pure", "threads"], AT_A_TIME))
            self.step("asan media", self.tests(asan, ["media", "program"], AT_A_TIME))
            self.step("asan desktop", self.tests(asan, ["kernel", "sound", "display"], 1))
        if self.options.lint:
            self.step("clang-tidy", self.check("./dev", "tidy", *(["--all"] if self.options.all else [])))

    def close(self):
        processes.end_descendants()
        for name, seconds in self.times:
            say(f"{seconds:5.0f} s  {name}")
        return 0 if self.totals.close() else 1


def interrupted(*_):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(prog="./dev test")
    parser.add_argument("--all", action="store_true", help="the nightly run: every case, sanitizers whole, random seeds, the lab")
    parser.add_argument("--quick", action="store_true", help="the release build alone")
    parser.add_argument("--lint", action="store_true", help="./dev lint counts as one more test")
    parser.add_argument("-R", dest="regex", help="only the test programs whose name matches")
    gate = Gate(parser.parse_args())
    processes.adopt_orphans()
    signal.signal(signal.SIGTERM, interrupted)
    shutil.rmtree(RESULTS, ignore_errors=True)
    try:
        gate.steps()
    except OutOfTime:
        gate.totals.fail("all tests", "the time for all of them is over")
    except KeyboardInterrupt:
        gate.totals.fail("all tests", "interrupted")
    except Exception as problem:  # the last line is owed in every outcome
        gate.totals.fail("all tests", f"{type(problem).__name__}: {problem}")
    return gate.close()


if __name__ == "__main__":
    sys.exit(main())
