#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""attempts.py --name NAME [--part I/N] [--attempts N] [--limit SECONDS] [--plain] -- COMMAND...: one test program, with a record of
every case.

COMMAND is a GoogleTest binary or unittest_xml.py FILE; with --plain any command, which is one case by itself. A command that
ends with code 77 could not do its work here, and is skipped. Failed cases alone run again, N attempts in all, each with an empty
cache of its own. Never tried again: a crash, a time-out, a sanitizer's report, a process left behind, results that are missing.
With --part only each N-th case runs, from the I-th on: N such runs, side by side, are the whole program.
The record goes to $TACTUS_RESULTS/NAME.json (NAME_I.json with --part), the output to NAME.log beside it:
{"cases": [{"name", "outcome": passed|failed|skipped, "attempts", "message"}], "error": null or a sentence}."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import processes

HERE = pathlib.Path(__file__).resolve().parent
# A sanitizer that found something ends the program so, and writes its report to a file beside the record.
SANITIZER_CODE = 86
SKIPPED_CODE = 77


def nightly_cases(test, path=HERE / "nightly.txt", sanitizer=""):
    """Cases of this test program that only the nightly run has: lines `[sanitizer:]program Case reason`."""
    cases = []
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split(maxsplit=2)
        if len(words) >= 2 and words[0] in (test, f"{sanitizer}:{test}"):
            cases.append(words[1])
    return cases


def listed_cases(command):
    """What the program says it has (--gtest_list_tests), in its order."""
    text = subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True, timeout=60).stdout
    cases, suite = [], ""
    for line in text.splitlines():
        word = line.split("#")[0].strip()
        if word and not line.startswith(" "):
            suite = word
        elif word:
            cases.append(suite + word)
    return cases


def cases_of(path):
    """{case: (outcome, message)} of a GoogleTest XML file; None if there is no such file, or a broken one."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    cases = {}
    for case in root.iter("testcase"):
        failure, skipped = case.find("failure"), case.find("skipped")
        outcome, message = "passed", ""
        if failure is not None:
            outcome, message = "failed", failure.get("message") or failure.text or ""
        elif skipped is not None:
            outcome, message = "skipped", skipped.get("message") or skipped.text or ""
        elif case.get("status") == "notrun":
            outcome, message = "skipped", "disabled"
        cases[f"{case.get('classname')}.{case.get('name')}"] = (outcome, message.strip())
    return cases


def running_case(log):
    """The case that was running when the output ended, for a program that died or hung."""
    begun = re.findall(r"^\[ RUN      \] (\S+)", log, re.MULTILINE)
    return begun[-1] if begun and not re.search(r"^\[(?:       OK|  FAILED ) \] " + re.escape(begun[-1]), log, re.MULTILINE) else None


def has_fast_unwinder(program):
    """Whether this program's stacks are found without the slow unwinder, with which each allocation takes many times as long: it has
    the address sanitizer, and no GLib, which keeps no frame pointers; or its declaration says that GLib keeps nothing of it until
    the end (FAST_UNWINDER, cmake/TactusTest.cmake)."""
    if os.environ.get("TACTUS_FAST_UNWINDER"):
        return True
    try:
        content = pathlib.Path(program).read_bytes()
    except OSError:
        return False
    return b"libasan" in content and not re.search(rb"lib(glib|gst)", content)


class Attempt:
    """One run of the program: its cases, and why it may not be tried again (None if it may)."""

    def __init__(self, name, command, filter_, limit, plain, log, reports):
        cache = tempfile.mkdtemp(prefix="tactus-cache-")
        with tempfile.TemporaryDirectory(prefix="tactus-attempt-") as scratch:
            results = pathlib.Path(scratch) / "results.xml"
            environment = {**os.environ, "GTEST_OUTPUT": f"xml:{results}", "GTEST_FILTER": filter_, "XDG_CACHE_HOME": cache}
            told = [f"log_path={reports}", f"exitcode={SANITIZER_CODE}"]
            unwinder = ["fast_unwind_on_malloc=1"] if os.environ.get("ASAN_OPTIONS") and has_fast_unwinder(command[0]) else []
            for variable, more in (("ASAN_OPTIONS", told + unwinder), ("TSAN_OPTIONS", told)):
                environment[variable] = ":".join(filter(None, (os.environ.get(variable), *more)))
            with open(log, "ab") as out:
                begin = out.tell()
                status, late = processes.run(command, limit, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
            # A program may end just before what it told to end.
            left = processes.end_descendants(grace=0 if late else 5)
            with open(log, "rb") as written:
                written.seek(begin)
                text = written.read().decode(errors="replace")
            self.cases = cases_of(results) or {}
            last = text.strip().rpartition("\n")[2]
            if status == SKIPPED_CODE and not self.cases:
                self.cases = {name: ("skipped", last)}
            elif plain and status >= 0:
                self.cases = {name: ("failed" if status else "passed", last)}
            where = f" in {running_case(text)}" if running_case(text) else ""
            found = sorted(reports.parent.glob(reports.name + ".*"))
            failed = [case for case, (outcome, _) in self.cases.items() if outcome == "failed"]
            self.final = None
            if late:
                self.final = f"ran out of its {limit:.0f} s{where}"
            elif found:
                self.final = "a sanitizer reports: " + first_line(found[0].read_text(errors="replace"))
            elif status < 0 or not self.cases:
                self.final = f"ended with {'signal %d' % -status if status < 0 else 'code %d' % status}{where}" + \
                    ("" if self.cases else " and left no results")
            elif status not in (0, SKIPPED_CODE) and not failed:
                self.final = f"ended with code {status}, though no case failed"
            elif left:
                self.final = "left processes behind: " + "; ".join(name[:80] for name in left)
        shutil.rmtree(cache, ignore_errors=True)


def first_line(text):
    return next((line.strip() for line in text.splitlines() if line.strip(" =")), "")


def part_of(cases, part):
    """Those of the I-th of N parts, where `part` is "I/N"."""
    number, parts = map(int, part.split("/"))
    return cases[number - 1::parts]


def record(name, command, attempts, limit, plain, folder, excluded, part=None):
    log, reports = folder / f"{name}.log", folder / f"{name}.sanitizer"
    listed = listed_cases(command) if excluded or part else []
    unknown = set(excluded) - set(listed)
    if unknown:
        return {"cases": [], "error": "nightly.txt names cases that it does not have: " + ", ".join(sorted(unknown))}
    cases, error, filter_ = {}, None, "*" + ("-" + ":".join(excluded) if excluded else "")
    if part:
        wanted = part_of([case for case in listed if case not in excluded], part)
        if not wanted:
            return {"cases": [], "error": f"there is no case in part {part}"}
        filter_ = ":".join(wanted)
    for number in range(1, attempts + 1):
        attempt = Attempt(name, command, filter_, limit, plain, log, reports)
        for case, (outcome, message) in attempt.cases.items():
            first = cases.get(case, {}).get("message", "")
            cases[case] = {"name": case, "outcome": outcome, "attempts": number, "message": first or message}
        error = attempt.final
        failed = [case for case, said in cases.items() if said["outcome"] == "failed"]
        if error or not failed:
            break
        filter_ = ":".join(failed)
    return {"cases": list(cases.values()), "error": error}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", required=True)
    parser.add_argument("--part")
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    processes.adopt_orphans()
    folder = pathlib.Path(os.environ.get("TACTUS_RESULTS") or tempfile.mkdtemp(prefix="tactus-results-"))
    sanitizer = os.environ.get("TACTUS_SANITIZED", "")
    excluded = [] if os.environ.get("TACTUS_NIGHTLY") else nightly_cases(arguments.name, sanitizer=sanitizer)
    name = arguments.name + (f"_{arguments.part.split('/')[0]}" if arguments.part else "")
    if not shutil.which(arguments.command[0]):
        told = {"cases": [], "error": f"there is no program {arguments.command[0]}"}
    else:
        told = record(name, arguments.command, int(os.environ.get("TACTUS_ATTEMPTS") or arguments.attempts),
                      arguments.limit * (2 if sanitizer else 1),
                      arguments.plain, folder, excluded, arguments.part)
    (folder / f"{name}.json").write_text(json.dumps(told, indent=1))
    failed = [case for case in told["cases"] if case["outcome"] == "failed"]
    if told["error"] or failed:
        log = folder / f"{name}.log"
        if log.exists():
            print(log.read_text(errors="replace")[-8000:])
        print(f"{name}: {told['error'] or ', '.join(case['name'] for case in failed)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
