#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what a participant is told of its packets, behind a line that changes: for core/net/estimator/recorded_feedback_test.cpp.

usage: tests/support/session.sh python3 tests/integration/record_feedback.py FILE RATE[@SECOND] ...     (TACTUS=PROGRAM)

RATE is in bit/s, and holds from that second on. The rtpsession of GStreamer logs each packet.
"""
import pathlib
import re
import sys
import tempfile
import time

import cable
import films
import player
import star
from player_call_test import joining
from player_room_test import Room

SECONDS = 20
TIME = r"(\d+):(\d\d):(\d\d)\.(\d{9})"


def micro(groups):
    hours, minutes, seconds, nanoseconds = map(int, groups)
    return (hours * 3600 + minutes * 60 + seconds) * 1_000_000 + nanoseconds // 1000


def read(log):
    """Lines of the recording: of each report its instant, then its packets."""
    start = re.compile(rf"^{TIME} .*Parsed TWCC feedback")
    remote = re.compile(rf"pkt: #(\d+), remote_ts: {TIME} ")
    local = re.compile(rf"matching pkt: #(\d+) with local_ts: {TIME} size: (\d+)")
    sent = re.compile(rf"^{TIME} .*Send: twcc-seqnum: .* ts: {TIME}")
    offset, now, arrived, lines, first = None, None, {}, [], None
    for line in log:
        if found := sent.search(line):
            difference = micro(found.groups()[4:]) - micro(found.groups()[:4])
            offset = difference if offset is None else max(offset, difference)
        elif found := start.search(line):
            now, arrived = micro(found.groups()), {}
        elif (found := remote.search(line)) and "matching" not in line:
            arrived[found.group(1)] = micro(found.groups()[1:])
        elif (found := local.search(line)) and offset is not None:
            at = micro(found.groups()[1:5])
            first = at if first is None else first
            if now is not None:
                lines.append(f"report {now + offset - first}")
                now = None
            lines.append(f"{at - first} {found.group(6)} {arrived.get(found.group(1), 'lost')}")
    return lines


def main():
    file, steps = pathlib.Path(sys.argv[1]), []
    for word in sys.argv[2:]:
        rate, _, second = word.partition("@")
        steps.append((int(second or 0), int(rate)))
    # Pictures that no encoder makes small.
    film = films.film("noise.mp4", "-c:a", "aac", "-g", "30", "-vf", "noise=alls=40:allf=t", size="640x360", rate=25, seconds=8)
    with star.laid() as net, tempfile.TemporaryDirectory() as data:
        log = pathlib.Path(data, "log")
        net.add("Ann", steps[0][1])
        net.add("Bob")
        with net.at_host(), player.started("host", "--headless", f"--address={star.HOST}", XDG_DATA_HOME=data) as host:
            room = Room(host)
            with net.at("Bob"), joining(room.link, "Bob", "--camera=none"), net.at("Ann"):
                player.os.environ.update(GST_DEBUG="rtpsession:6", GST_DEBUG_FILE=str(log), GST_DEBUG_NO_COLOR="1")
                with joining(room.link, "Ann", f"--camera={film}") as ann:
                    begun = time.monotonic()
                    for second, rate in steps:
                        time.sleep(max(0, begun + second - time.monotonic()))
                        net.narrow("Ann", rate)
                    time.sleep(max(0, begun + SECONDS - time.monotonic()))
                    print(ann.leave()[1]["sent"]["path"])
        with open(log, encoding="utf-8", errors="replace") as lines:
            told = read(lines)
    file.write_text("\n".join([f"# A call of ours behind a line of {' '.join(sys.argv[2:])} bit/s, a queue of 200 ms.", *told]) + "\n")


if __name__ == "__main__":
    main()
