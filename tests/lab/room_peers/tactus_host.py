# SPDX-License-Identifier: Apache-2.0
"""`tactus host`, and those who take part in its room without a page."""
import contextlib
import json
import os
import pathlib
import subprocess
import threading
import time

from room_client import Guest, Link

PATIENCE = 30  # seconds
PING = 4  # seconds


class Member:
    """A guest whose messages are read, so that the host keeps it."""

    def __init__(self, link, name):
        self.guest = Guest(link)
        joined = self.guest.join(name)
        if joined["type"] != "joined":
            raise RuntimeError(f"{name} was not let in: {joined}")
        self.session, self.sid, self.lock, self.over = joined["session"], joined["you"]["sid"], threading.Lock(), threading.Event()
        threading.Thread(target=self.read, daemon=True).start()
        threading.Thread(target=self.ping, daemon=True).start()

    def read(self):
        with contextlib.suppress(OSError, ValueError):
            self.guest.next("nothing")

    def ping(self):
        while not self.over.wait(PING):
            with contextlib.suppress(OSError):
                self.say("ping", t=1)

    def say(self, message, **fields):
        with self.lock:
            self.guest.send_frame(json.dumps({"type": message, **fields}).encode())


class TactusHost:
    """The process, with one publisher at most."""

    def __init__(self, process, link):
        self.process, self.link, self.members, self.publisher = process, Link(link), [], None

    def post(self, path, member, offer):
        """The answer to an offer; it is asked again while the stream has not begun."""
        headers = {"Content-Type": "application/sdp", "Authorization": f"Bearer {member.session}"}
        end = time.monotonic() + PATIENCE
        while True:
            status, _, answer = self.link.get(f"{self.link.path}/{path}", "POST", offer.encode(), headers)
            if status == 201:
                return answer.decode()
            if status != 503 or time.monotonic() > end:
                raise RuntimeError(f"{path}: {status} {answer.decode()}")
            time.sleep(0.2)

    def join(self, name):
        self.members.append(Member(self.link, name))
        return self.members[-1]

    def publish(self, offer):
        """The answer to a publisher's offer."""
        self.publisher = self.join("Ann")
        tracks = [line.split()[-1] for line in offer.splitlines() if line.startswith("a=msid:")]
        kinds = [line[2:7] for line in offer.splitlines() if line.startswith("m=")]
        for kind, cid in zip(kinds, tracks):
            self.publisher.say("publish", cid=cid, kind=kind, source="camera" if kind == "video" else "microphone")
        return self.post("whip/camera", self.publisher, offer)

    def subscribe(self, subscribers, number):
        member = self.join(f"Guest {number}")
        offer = subscribers.offer(number)
        subscribers.accept(number, self.post(f"whep/{self.publisher.sid}/camera", member, offer))

    def close(self):
        for member in self.members:
            member.over.set()
            member.guest.close()


@contextlib.contextmanager
def running(program, folder, address="127.0.0.1"):
    folder = pathlib.Path(folder, "host")
    folder.mkdir(exist_ok=True)
    said = folder / "said"
    with open(said, "w") as out:
        process = subprocess.Popen([program, "host", "--headless", f"--address={address}"], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env=environment(folder))
    try:
        end = time.monotonic() + PATIENCE
        while said.read_text().count("https://") < 2:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"tactus host gave no link: {said.read_text()}")
            time.sleep(0.05)
        host = TactusHost(process, said.read_text().split()[0])
        try:
            yield host
        finally:
            host.close()
    finally:
        process.kill()
        process.wait()


def environment(folder):
    return {**os.environ, "XDG_DATA_HOME": str(folder), "XDG_STATE_HOME": str(folder), "XDG_CACHE_HOME": str(folder)}


@contextlib.contextmanager
def participant(program, folder, link, name, duration, *arguments):
    """`tactus join`; its report, once it has ended."""
    folder = pathlib.Path(folder, name)
    folder.mkdir(exist_ok=True)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    with open(folder / "said", "w") as out:
        process = subprocess.Popen([program, "join", link, "--headless", f"--name={name}", f"--duration={duration}",
                                    f"--report=json:{report}", *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   env=environment(folder))

    def ended():
        if process.wait(duration + PATIENCE) != 0:
            raise RuntimeError(f"tactus join ended with {process.returncode}: {(folder / 'said').read_text()}")
        return json.loads(report.read_text())
    try:
        yield ended
    finally:
        process.kill()
        process.wait()
