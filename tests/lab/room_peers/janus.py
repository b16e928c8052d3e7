# SPDX-License-Identifier: Apache-2.0
"""Debian's Janus with its plug-in of rooms, driven over its REST interface."""
import contextlib
import itertools
import json
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request

PATIENCE = 30  # seconds
ROOM = 1234
GENERAL = """general: {{ configs_folder = "{folder}" plugins_folder = "{plugins}/plugins" transports_folder = "{plugins}/transports"
  events_folder = "{plugins}/events" loggers_folder = "{plugins}/loggers" debug_level = 3 log_to_stdout = true }}
nat: {{ nice_debug = false full_trickle = false ice_lite = false }}
media: {{ rtp_port_range = "20000-40000" }}
plugins: {{ disable = "{others}" }}
transports: {{ disable = "libjanus_websockets.so,libjanus_pfunix.so,libjanus_rabbitmq.so,libjanus_mqtt.so,libjanus_nanomsg.so" }}
"""
HTTP = 'general: {{ json = "compact" base_path = "/janus" http = true port = {port} interface = "lo" https = false }}\nadmin: {{ admin_http = false }}\n'
VIDEO_ROOM = """room-{room}: {{ description = "Lab" publishers = 6 audiocodec = "opus" videocodec = "vp8" bitrate = 0
  record = false transport_wide_cc_ext = true notify_joining = false }}
"""


def plugins():
    return next(iter(pathlib.Path("/usr/lib").glob("*/janus")), None)


def missing():
    return None if shutil.which("janus") and plugins() else "Janus is missing (package janus)"


class Handle:
    """A connection of a participant: publishes, or receives another."""

    def __init__(self, session):
        self.session = session
        self.id = session.request({"janus": "attach", "plugin": "janus.plugin.videoroom"})["data"]["id"]

    def ask(self, body, jsep=None):
        """The plug-in's event that answers, and its description."""
        message = {"janus": "message", "body": body}
        if jsep:
            message["jsep"] = jsep
        event = self.session.ask(self.id, message)
        data = event["plugindata"]["data"]
        if "error" in data:
            raise RuntimeError(f"Janus refused: {data['error']}")
        return data, event.get("jsep", {}).get("sdp")

    def detach(self):
        with contextlib.suppress(OSError, RuntimeError):
            self.session.request({"janus": "detach"}, f"/{self.id}")


class Session:
    def __init__(self, base):
        self.base, self.numbers, self.events, self.over = base, itertools.count(), {}, False
        self.arrived = threading.Condition()
        self.path = ""
        self.path = f"/{self.request({'janus': 'create'})['data']['id']}"
        threading.Thread(target=self.listen, daemon=True).start()

    def request(self, message, path=""):
        text = json.dumps({"transaction": f"t{next(self.numbers)}", **message}).encode()
        call = urllib.request.Request(self.base + self.path + path, text, {"Content-Type": "application/json"})
        with urllib.request.urlopen(call, timeout=PATIENCE) as answer:
            told = json.load(answer)
        if told["janus"] == "error":
            raise RuntimeError(f"Janus refused: {told['error']['reason']}")
        return told

    def listen(self):
        while not self.over:
            with contextlib.suppress(OSError, ValueError):
                with urllib.request.urlopen(self.base + self.path + "?maxev=1", timeout=PATIENCE + 60) as answer:
                    event = json.load(answer)
                with self.arrived:
                    self.events[event.get("transaction")] = event
                    self.arrived.notify_all()

    def ask(self, handle, message):
        transaction = f"t{next(self.numbers)}"
        self.request({**message, "transaction": transaction}, f"/{handle}")
        with self.arrived:
            if not self.arrived.wait_for(lambda: transaction in self.events, PATIENCE):
                raise RuntimeError(f"Janus did not answer {message['body']}")
            return self.events.pop(transaction)


class Janus:
    """The process, with one publisher at most."""

    def __init__(self, process, base):
        self.process, self.session, self.feed = process, Session(base), None

    def publish(self, offer):
        """The answer to a publisher's offer."""
        handle = Handle(self.session)
        joined, _ = handle.ask({"request": "join", "ptype": "publisher", "room": ROOM, "display": "Ann"})
        self.feed = joined["id"]
        _, answer = handle.ask({"request": "publish"}, {"type": "offer", "sdp": offer})
        return answer

    def subscribe(self, subscribers, number):
        handle = Handle(self.session)
        _, offer = handle.ask({"request": "join", "ptype": "subscriber", "room": ROOM, "streams": [{"feed": self.feed}]})
        answer = subscribers.answer(number, offer)
        handle.ask({"request": "start"}, {"type": "answer", "sdp": answer})

    def close(self):
        self.session.over = True


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextlib.contextmanager
def running(folder):
    folder = pathlib.Path(folder, "janus")
    folder.mkdir(exist_ok=True)
    port, installed = free_port(), plugins()
    others = ",".join(each.name for each in (installed / "plugins").glob("*.so") if "videoroom" not in each.name)
    (folder / "janus.jcfg").write_text(GENERAL.format(folder=folder, plugins=installed, others=others))
    (folder / "janus.transport.http.jcfg").write_text(HTTP.format(port=port))
    (folder / "janus.plugin.videoroom.jcfg").write_text(VIDEO_ROOM.format(room=ROOM))
    base = f"http://127.0.0.1:{port}/janus"
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(["janus", "-F", str(folder), "-C", str(folder / "janus.jcfg")], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                urllib.request.urlopen(base + "/info", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > end:
                    raise RuntimeError(f"Janus did not start: {(folder / 'log').read_text()[-500:]}") from None
                time.sleep(0.1)
        janus = Janus(process, base)
        try:
            yield janus
        finally:
            janus.close()
    finally:
        process.kill()
        process.wait()
