# SPDX-License-Identifier: Apache-2.0
"""The program under test, run as its users run it."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import films

SANITIZED = pathlib.Path(films.tactus()).parents[1].name.startswith("asan")  # by its preset
CODES = {0, 3, 4, 6}  # every way in which a film may end
PATIENCE = 60  # seconds: what comes at all comes within them


def run(*arguments, timeout=PATIENCE, **environment):
    return subprocess.run([films.tactus(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


def report(*arguments, timeout=90):
    result = run("--headless", "--report=json", *arguments, timeout=timeout)
    return result, json.loads(result.stdout)


def counted(item):
    """How many pictures came to be shown, or are told as dropped."""
    return item["presented"] + sum(item["dropped"].values())


@contextlib.contextmanager
def started(*arguments, **environment):
    """The program while it runs, with a folder of its own for what it remembers. It ends with the block at the latest."""
    with tempfile.TemporaryDirectory(prefix="tactus-state-") as folder:
        said = pathlib.Path(folder, "said")
        with open(said, "w") as out:
            process = subprocess.Popen([films.tactus(), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       env={**os.environ, "XDG_STATE_HOME": folder, **environment})
        process.state, process.said = pathlib.Path(folder, "tactus"), said.read_text
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def wait_for(what, condition, process=None):
    """What the condition says, once that is true; a process that ends meanwhile will not bring it about."""
    end = time.monotonic() + PATIENCE
    while True:
        ended = process is not None and process.poll() is not None
        if value := condition():
            return value
        if ended:
            raise AssertionError(f"{what} did not come: it ended with {process.returncode}: {process.said()}")
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come within {PATIENCE} s")
        time.sleep(0.05)


@contextlib.contextmanager
def listening():
    """The path of a QoS socket, and the events that come through it until the program ends."""
    path, events, over = str(films.FOLDER / "qos.sock"), [], threading.Event()

    def listen():
        while not over.is_set():
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                with client.makefile() as reader:
                    for line in reader:
                        events.append(json.loads(line))
                return
            time.sleep(0.02)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield path, events
    finally:
        over.set()
        listener.join(timeout=PATIENCE)
    assert not listener.is_alive(), "the socket stays open"


def stop_until_violated(process, events, films=1):
    """Stops the program for a second, as a suspend does, until so many films tell that they missed deadlines: a stop before the
    first picture does no harm. Then waits until all are in time again. The answer is how long it stood, in all."""
    def state():
        return {event["window"]: event["event"] for event in list(events) if event["event"] in ("violation", "recovered")}

    def stop():
        begin = time.monotonic()
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        stops.append(time.monotonic() - begin)
        end = time.monotonic() + 2
        while len(state()) < films and time.monotonic() < end:
            time.sleep(0.05)
        return len(state()) == films

    stops = []
    wait_for("a violation", stop, process)
    wait_for("the recovery", lambda: set(state().values()) == {"recovered"}, process)
    return sum(stops)


class Refusals(unittest.TestCase):
    def refused(self, path, *words, timeout=PATIENCE):
        result = run("--headless", "--report=json", path, timeout=timeout)
        self.assertEqual(result.returncode, 3, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
