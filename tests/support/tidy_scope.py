#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy_scope.py [--all]: the sources that clang-tidy is to read, a line each.

Since the newest commit whose tree passed here (tactus-dev/green): each .cpp that changed, and those of the always covered rooms
that include a header that changed. Without such a commit, or when the rules changed: all of the covered rooms."""
import os
import pathlib
import re
import subprocess
import sys

COVERED = re.compile(r"(core|media/sharing|media/stage)/.*(?<!_test)\.cpp")  # about three minutes
RULES = {".clang-tidy", "CMakeLists.txt", "packaging/debian-packages.txt"}
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout.splitlines()


def passed_commit(log, green):
    """The newest of `log`'s "commit tree" lines whose tree is in `green`."""
    return next((commit for commit, tree in (line.split() for line in log) if tree in green), None)


def scope(changed, includes):
    """`changed` paths, `includes`: {source: the headers that it includes}: what is to be read."""
    touched = set(changed)
    while True:
        more = {source for source, headers in includes.items() if headers & touched} - touched
        if not more:
            break
        touched |= more
    return sorted(path for path in touched if path in includes and path.endswith(".cpp") and (path in changed or COVERED.fullmatch(path)))


def main():
    sources = [path for path in git("ls-files", "--cached", "--others", "--exclude-standard", "--", "*.h", "*.cpp") if os.path.exists(path)]
    if "--all" in sys.argv:
        chosen = [path for path in sources if path.endswith(".cpp")]
    else:
        green = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "tactus-dev" / "green"
        base = passed_commit(git("log", "--format=%H %T"), set(green.read_text().split())) if green.exists() else None
        changed = set(git("diff", "--name-only", base)) | set(git("ls-files", "--others", "--exclude-standard")) if base else RULES
        if changed & RULES:
            chosen = [path for path in sources if COVERED.fullmatch(path)]
        else:
            chosen = scope(changed, {path: set(INCLUDE.findall(pathlib.Path(path).read_text())) for path in sources})
    print(*chosen, sep="\n", end="\n" if chosen else "")


if __name__ == "__main__":
    main()
