#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against one table of what each folder may include, and names file and line of each breach.

A folder may include itself, the folders of its row, and whatever these may include. `./dev lint` runs it.
"""
import pathlib
import re
import subprocess
import sys

# folder: the folders it may include; it may also include what these may include. A folder without a row is an error.
# A row without a folder is none: the table also says where rooms that come later will stand.
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
    'core/net': ['core/periodic'],  # descriptor.h alone
    'core/net/link': ['core/periodic/task'],
    'core/net/estimator': ['core/net/link'],
    'core/net/stream': ['core/net', 'core/net/link', 'core/periodic/event'],
    'core/net/port': ['core/net/stream'],
    'core/io': ['core/periodic/task', 'core/periodic/event'],
    'examples': ['core/net/port'],
    'plugins/av': ['plugins'],
    'plugins/subtitles': ['plugins/av'],
    'plugins': ['core/net/port', 'core/io'],
    'media/sharing': ['plugins'],
    'media/stage': ['media/sharing'],
    'media/playback': ['media/stage', 'plugins/subtitles'],
    'media/streaming': ['media/sharing', 'plugins/av'],
    'media/room': ['media/stage', 'core/net/estimator'],  # what ingest, egress and participant share
    'media/room/ingest': ['media/room'],
    'media/room/egress': ['media/room'],
    'media/room/participant': ['media/room'],
    'media/capture': ['media/room/participant'],
    'conference/room': ['core/periodic/time'],
    'conference/door': ['core/net/stream', 'conference/room'],
    'conference/carriage': ['conference/door', 'media/room/ingest', 'media/room/egress', 'core/net/link'],
    'conference': ['media/playback', 'media/streaming', 'media/capture', 'conference/carriage'],
    'ui/models': ['conference'],
    'ui/video': ['plugins'],
    'ui/windows': ['ui/models', 'ui/video'],
    'app': ['ui/windows'],
    'tests/bench': ['core/net/link', 'core/periodic/simulation'],
    'tests/lab': ['core/periodic/simulation', 'core/net/port'],
    'tests/lab/rpc_peers': ['tests/lab'],
    'tests/lab/room_peers': [],
    'tests/fuzz': [],
    'tests/support': [],
}
# What tests (files that end in _test.cpp) may include as well.
TESTS = {
    'core/periodic': ['core/periodic/simulation'],
    'core/net': ['core/periodic/simulation'],
    'plugins': ['core/periodic/simulation'],
    'plugins/av': ['media/playback'],  # its films
    'plugins/subtitles': ['media/playback'],
    'media': ['core/periodic/simulation'],
    'media/room': ['media/playback'],  # its films
    'media/room/participant': ['media/room/ingest', 'media/room/egress'],  # a call through a host
    'media/streaming': ['media/playback'],  # its films and its player
    'ui/windows': ['app'],
}


def table_faults(arrows, tests):
    """Sentences about the table itself: a row that names a folder without a row, and circles."""
    for rows, title in ((arrows, 'ARROWS'), (tests, 'TESTS')):
        for folder, below in rows.items():
            for each in below:
                if each not in arrows:
                    yield f"arrows.py: {title}['{folder}'] names {each}, which has no row"
    done = set()

    def walk(folder, path):
        if folder in path:
            circle = path[path.index(folder):] + [folder]
            yield 'arrows.py: the table has a circle: ' + ' -> '.join(circle)
        elif folder not in done:
            for each in arrows.get(folder, []):
                yield from walk(each, path + [folder])
            done.add(folder)

    for folder in arrows:
        yield from walk(folder, [])


def reach(folder, arrows):
    """`folder` and every folder below it in the table."""
    reached, waiting = set(), [folder]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting += arrows.get(each, [])
    return reached


def include_faults(files, arrows, tests, read):
    """One sentence for each include that the table does not allow; `read` gives the text of a file."""
    for file in files:
        folder = str(pathlib.PurePosixPath(file).parent)
        if folder not in arrows:
            yield f'{file}:1: {folder} has no row in the table of arrows'
            continue
        allowed = reach(folder, arrows)
        if file.endswith('_test.cpp'):
            for prefix, extra in tests.items():
                if folder == prefix or folder.startswith(prefix + '/'):
                    for each in extra:
                        allowed |= reach(each, arrows)
        for number, line in enumerate(read(file).splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not included:
                continue
            target = str(pathlib.PurePosixPath(included.group(1)).parent)
            if target not in allowed:
                yield f'{file}:{number}: {folder} may not include {included.group(1)}'


def main():
    listed = subprocess.run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '*.h', '*.cpp'],
                            check=True, capture_output=True, text=True)
    files = [file for file in listed.stdout.split() if pathlib.Path(file).exists()]
    faults = list(table_faults(ARROWS, TESTS))
    faults += include_faults(files, ARROWS, TESTS, lambda file: pathlib.Path(file).read_text())
    for each in faults:
        print(each, file=sys.stderr)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
