#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every #include against the one table of allowed arrows and names file and line of those that are not.

A folder may include itself, what its row lists, and what these may include. `./dev lint` runs it.
"""
import pathlib
import re
import subprocess
import sys

# folder: the folders it may include, besides those that they may include. A folder without a row is an error.
ARROWS = {
    'core/periodic': [],  # result.h alone
    'core/periodic/time': ['core/periodic'],
    'core/periodic/trace': ['core/periodic/time'],
    'core/periodic/workload': ['core/periodic/time', 'core/periodic/trace'],
    'core/periodic/admission': ['core/periodic/workload'],
    'core/periodic/kernel': ['core/periodic/workload'],
    'core/periodic/qos': ['core/periodic/workload'],
    'core/periodic/share': ['core/periodic/workload'],
    'core/periodic/task': ['core/periodic/admission', 'core/periodic/kernel', 'core/periodic/qos',
                           'core/periodic/share'],
    'core/periodic/event': ['core/periodic/task'],
    'core/periodic/simulation': ['core/periodic/task'],
    'core/net': ['core/periodic/task', 'core/periodic/event'],
    'core/io': ['core/periodic/task', 'core/periodic/event'],
    'plugins': ['core/net', 'core/io'],
    'media/sharing': ['plugins'],
    'media/stage': ['media/sharing'],
    'media/playback': ['media/stage'],
    'conference': ['media/playback'],
    'ui/models': ['conference'],
    'ui/video': ['plugins'],
    'ui/windows': ['ui/models', 'ui/video'],
    'app': ['ui/windows'],
    'tests/bench': ['core/periodic/simulation'],
    'tests/lab': ['core/periodic/simulation'],
}
# What tests (files that end in _test.cpp) may include besides.
TESTS = {
    'core/periodic': ['core/periodic/simulation'],
    'media': ['core/periodic/simulation'],
    'ui/models': ['ui/windows'],
    'ui/windows': ['app'],
}


def closure(folder, arrows, path=()):
    """Every folder that `folder` reaches; raises on a circle."""
    if folder in path:
        raise SystemExit('arrows.py: the table has a circle: ' + ' -> '.join(path + (folder,)))
    reached = {folder}
    for below in arrows[folder]:
        reached |= closure(below, arrows, path + (folder,))
    return reached


def complaints(files, arrows, tests, read):
    reached = {folder: closure(folder, arrows) for folder in arrows}
    for file in files:
        folder = str(pathlib.PurePosixPath(file).parent)
        if folder not in arrows:
            yield f'{file}:1: {folder} has no row in the table of arrows'
            continue
        allowed = set(reached[folder])
        if file.endswith('_test.cpp'):
            for prefix, extra in tests.items():
                if folder == prefix or folder.startswith(prefix + '/'):
                    for each in extra:
                        allowed |= reached[each]
        for number, line in enumerate(read(file).splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not included:
                continue
            target = str(pathlib.PurePosixPath(included.group(1)).parent)
            if target not in allowed:
                yield f'{file}:{number}: {folder} may not include {included.group(1)}'


def main():
    listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.h', '*.cpp'], check=True, capture_output=True, text=True)
    files = [file for file in listed.stdout.split() if pathlib.Path(file).exists()]
    found = list(complaints(files, ARROWS, TESTS, lambda file: pathlib.Path(file).read_text()))
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
