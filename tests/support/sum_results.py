#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sum_results.py FOLDER [NAME=passed|failed]...: adds up the results of all presets, and of the checks named, and closes
with 'N passed, N failed, N skipped'."""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree


def google_cases(path):
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None:
            yield name, "failed"
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            yield name, "skipped"
        else:
            yield name, "passed"


def preset_cases(folder):
    """Cases of one preset: GoogleTest's own, and ctest's for what reports none (or died)."""
    counted = set()
    for path in sorted(folder.glob("*.xml")):
        try:
            cases = list(google_cases(path))
        except ElementTree.ParseError:
            continue
        counted.add(path.stem)
        yield from cases
    junit = folder / "ctest.junit"
    if not junit.exists():
        yield "ctest", "failed"
        return
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status == "fail":
            # A binary that failed without a failed case of its own crashed or hung.
            yield name, "failed"
        elif name not in counted:
            yield name, "skipped" if status in ("notrun", "disabled") or case.find("skipped") is not None else "passed"


def main():
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    folders = [path for path in sorted(pathlib.Path(sys.argv[1]).iterdir()) if path.is_dir()]
    for folder in folders:
        for name, outcome in preset_cases(folder):
            totals[outcome] += 1
            if outcome == "failed":
                print(f"failed: {folder.name}: {name}")
    for name, _, outcome in (argument.partition("=") for argument in sys.argv[2:]):
        totals[outcome] += 1
        if outcome == "failed":
            print(f"failed: {name}")
    if not folders and not totals["failed"]:
        totals["failed"] = 1
    print(f"{totals['passed']} passed, {totals['failed']} failed, {totals['skipped']} skipped")
    return 1 if totals["failed"] or not totals["passed"] else 0


sys.exit(main())
