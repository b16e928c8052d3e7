#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""file_lengths.py FILE...: names each source file of more than 400 lines. `./dev lint` runs it."""
import pathlib
import sys

LIMIT = 400
# file: why it may be longer. A file of this list that became short, or is gone, is an error.
LONG = {
}


def faults(lengths, long, limit=LIMIT):
    """One sentence for each file that is too long without a reason, and for each reason that nothing needs."""
    for file, lines in sorted(lengths.items()):
        if lines > limit and file not in long:
            yield f'{file}:{lines}: {lines} lines, the limit is {limit}: split it by concept'
    for file in sorted(long):
        if lengths.get(file, 0) <= limit:
            yield f'file_lengths.py: {file} needs no entry: it has {lengths.get(file, 0)} lines'


def main():
    lengths = {file: len(pathlib.Path(file).read_text().splitlines()) for file in sys.argv[1:]}
    found = list(faults(lengths, LONG))
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
