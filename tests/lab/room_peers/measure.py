#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a room costs and how late it is, beside Janus and beside Chromium alone: rows "part,who,block,n,figure,value"."""
import argparse
import contextlib
import json
import pathlib
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration"))
import browser  # noqa: E402
import janus  # noqa: E402
import pages  # noqa: E402
import tactus_host  # noqa: E402

RATE = 1500  # kbit/s of the published pictures, 960x540 at 25 a second
DELAY_RATE = 800  # kbit/s of the test pictures, 640x360 at 25 a second, as `tactus join` sends them
SUBSCRIBERS = (2, 4, 7)
MEMORY_AT = (5, 10, 20, 30)  # minutes


def used(process):
    """Processor time of a process, seconds (CLOCK_PROCESS_CPUTIME_ID of it; time.h of the kernel)."""
    return time.clock_gettime((~process.pid << 3) | 2)


def resident(process):
    """MiB."""
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the process has no memory")


def own_address():
    """Of this machine, as others reach it; what is sent to it stays within the machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
        route.connect(("192.0.2.1", 9))
        return route.getsockname()[0]


class Subscribers:
    """The process of light subscribers."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        if "error" in told:
            raise RuntimeError(f"A subscriber failed: {told['error']}")
        return told

    def offer(self, number):
        return self.ask(do="offer", id=number)["sdp"]

    def accept(self, number, answer):
        self.ask(do="accept", id=number, sdp=answer)

    def answer(self, number, offer):
        return self.ask(do="answer", id=number, sdp=offer)["sdp"]

    def packets(self):
        return self.ask(do="count")["packets"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Experiment:
    def __init__(self, options, stack):
        self.options, self.folder = options, options.scratch
        self.out = stack.enter_context(open(options.out, "w"))
        self.row("part", "who", "block", "n", "figure", "value")
        self.port = stack.enter_context(browser.driver())
        self.address = stack.enter_context(pages.server())

    def row(self, *fields):
        print(*fields, sep=",", file=self.out, flush=True)

    def tab(self, *flags):
        return browser.tab(self.port, *flags)

    def host(self, who):
        """Both at the machine's own address: Janus does not use the loopback device's."""
        if who == "janus":
            return janus.running(self.folder)
        return tactus_host.running(self.options.tactus, self.folder, own_address())

    # (a) what forwarding costs
    def camera(self):
        file = pathlib.Path(self.folder, "camera.y4m")
        if not file.exists():
            subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=960x540:r=25:d=4,noise=alls=7:allf=t",
                            "-pix_fmt", "yuv420p", str(file)], check=True)
        return f"--use-file-for-fake-video-capture={file}"

    def forwarding(self, blocks, span, settle):
        with self.tab(self.camera()) as publisher:
            publisher.open(self.address)
            publisher.run(pages.CAMERA)
            for block in range(blocks):
                for who in ("tactus", "janus")[::1 if block % 2 == 0 else -1]:
                    self.forward(publisher, block, who, span, settle)

    def forward(self, publisher, block, who, span, settle):
        with self.host(who) as host, Subscribers(self.options.subscriber) as subscribers:
            answer = host.publish(publisher.run("return send(stream, arguments[0])", RATE))
            publisher.run("return accept(arguments[0], arguments[1])", answer, RATE)
            publisher.wait("return pc.connectionState === 'connected'")
            time.sleep(settle)
            idle = self.cost(publisher, host, subscribers, block, who, 0, span)
            there = 0
            for count in SUBSCRIBERS:
                while there < count:
                    there += 1
                    host.subscribe(subscribers, there)
                time.sleep(settle)
                busy = self.cost(publisher, host, subscribers, block, who, count, span)
                self.row("forwarding", who, block, count, "percent_a_subscriber", round((busy - idle) / count, 4))
            publisher.run("drop()")

    def cost(self, publisher, host, subscribers, block, who, count, span):
        """Percent of a processor."""
        begun, before, packets, sent = time.monotonic(), used(host.process), subscribers.packets(), publisher.run("return sent()")
        time.sleep(span)
        took, now = time.monotonic() - begun, publisher.run("return sent()")
        percent = 100 * (used(host.process) - before) / took
        arrived = (subscribers.packets() - packets) / took / max(count, 1)
        if count and not arrived:
            raise RuntimeError(f"Nothing came to the subscribers of {who}.")
        self.row("forwarding", who, block, count, "percent", round(percent, 4))
        self.row("forwarding", who, block, count, "packets_a_subscriber", round(arrived, 1))
        self.row("forwarding", who, block, count, "published_kbps", round((now[1] - sent[1]) * 8 / took / 1000))
        return percent

    # (b) from join to the first picture
    def joins(self, blocks):
        with tactus_host.running(self.options.tactus, self.folder) as host, \
                tactus_host.participant(self.options.tactus, self.folder, host.link.text, "Ann", 6 + blocks * 30):
            time.sleep(3)
            for block in range(blocks):
                with tactus_host.participant(self.options.tactus, self.folder, host.link.text, "Bob", 4, "--camera=none", "--mic=none") as ended:
                    self.row("join", "tactus", block, 1, "first_picture_ms", round(self.received(ended())["pictures"]["first_ms"], 1))
                with self.tab() as page:
                    page.open(host.link.text)
                    page.wait("return document.getElementById('preview-video')?.videoWidth > 0")
                    page.run(pages.FIRST)
                    page.run("document.getElementById('name').value = ''")
                    page.type("#name", "Cid\ue007")
                    self.row("join", "chromium", block, 1, "first_picture_ms", round(page.wait("return first"), 1))

    @staticmethod
    def received(report):
        """The one stream that was received to the end."""
        whole = report.get("room", report)
        return next(each for each in whole["received"] if each["present"] and "first_ms" in each["pictures"])

    # (c) how old a picture is that is shown
    def delays(self, blocks, span):
        with self.tab() as sender, self.tab() as receiver:
            for each in (sender, receiver):
                each.open(self.address)
            sender.run("stamped(640, 360, 25)")
            ways = [("tactus", self.tactus_delay), ("chromium", self.chromium_delay), ("chromium-by-room", self.chromium_by_room)]
            for block in range(blocks):
                for who, way in ways[block % 3:] + ways[:block % 3]:
                    self.row("delay", who, block, 1, "age_ms", round(way(sender, receiver, span), 2))

    def tactus_delay(self, _sender, _receiver, span):
        with tactus_host.running(self.options.tactus, self.folder) as host, \
                tactus_host.participant(self.options.tactus, self.folder, host.link.text, "Ann", span + 20):
            time.sleep(2)
            with tactus_host.participant(self.options.tactus, self.folder, host.link.text, "Bob", span + 4, "--camera=none", "--mic=none") as ended:
                return self.received(ended())["pictures"]["recent_age_ms"]

    def age(self, sender, receiver, span):
        receiver.wait("return ages.length > 10")
        time.sleep(2)
        receiver.run("ages.length = 0")
        time.sleep(span)
        ages = receiver.run("return ages")
        for each in (sender, receiver):
            each.run("drop()")
        if len(ages) < 5 * span:
            raise RuntimeError(f"Chromium showed {len(ages)} stamps in {span} s.")
        return statistics.median(ages)

    def chromium_delay(self, sender, receiver, span):
        answer = receiver.run("return answer(arguments[0])", sender.run("return send(stream, arguments[0])", DELAY_RATE))
        sender.run("return accept(arguments[0], arguments[1])", answer, DELAY_RATE)
        return self.age(sender, receiver, span)

    def chromium_by_room(self, sender, receiver, span):
        with tactus_host.running(self.options.tactus, self.folder) as host:
            answer = host.publish(sender.run("return send(stream, arguments[0])", DELAY_RATE))
            sender.run("return accept(arguments[0], arguments[1])", answer, DELAY_RATE)
            sender.wait("return pc.connectionState === 'connected'")
            member = host.join("Bob")
            answer = host.post(f"whep/{host.publisher.sid}/camera", member, receiver.run("return receive()"))
            receiver.run("return accept(arguments[0]).then(() => watch(shown()))", answer)
            return self.age(sender, receiver, span)

    # (d) memory of a long call of four
    def memory(self, minutes):
        with tactus_host.running(self.options.tactus, self.folder) as host, contextlib.ExitStack() as stack:
            begun, names = time.monotonic(), ("Ann", "Bob", "Cid", "Dan")
            for name in names:
                stack.enter_context(tactus_host.participant(self.options.tactus, self.folder, host.link.text, name, max(minutes) * 60 + 30))
            for minute in minutes:
                time.sleep(max(0, begun + minute * 60 - time.monotonic()))
                self.row("memory", "tactus", 0, minute, "resident_mib", round(resident(host.process), 2))


def main():
    parser = argparse.ArgumentParser()
    for name in ("tactus", "subscriber", "out", "scratch"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", default="forwarding,join,delay,memory")
    options = parser.parse_args()
    if why := janus.missing():
        print(why)
        return 77
    parts, quick, blocks = options.parts.split(","), options.quick, options.blocks
    with contextlib.ExitStack() as stack:
        experiment = Experiment(options, stack)
        if "delay" in parts:
            experiment.delays(blocks, 4 if quick else 10)
        if "join" in parts:
            experiment.joins(blocks)
        if "forwarding" in parts:
            experiment.forwarding(blocks, 3 if quick else 12, 2 if quick else 4)
        if "memory" in parts:
            experiment.memory((0.1, 0.2) if quick else MEMORY_AT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
