# SPDX-License-Identifier: Apache-2.0
"""A real Chromium, driven over W3C WebDriver (chromedriver) with the standard library alone."""
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver, 11: the key of a web element
PATIENCE = 60  # seconds: what comes at all comes within them
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--mute-audio", "--autoplay-policy=no-user-gesture-required", "--use-fake-device-for-media-stream",
         "--use-fake-ui-for-media-stream", "--auto-select-desktop-capture-source=Entire screen",
         # one machine: addresses of the loopback device are addresses, too, and none is hidden behind a name
         "--allow-loopback-in-peer-connection", "--disable-features=WebRtcHideLocalIpsWithMdns"]


class Refused(Exception):
    """What the browser answered: its error code and sentence."""


class Tab:
    """One browser with one page; it trusts any certificate, as a user who has clicked the warning away."""

    def __init__(self, port, flags):
        self._base = f"http://127.0.0.1:{port}/session"
        options = {"args": flags, "binary": "/usr/bin/chromium"}
        wanted = {"browserName": "chrome", "acceptInsecureCerts": True, "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL"}, "timeouts": {"script": PATIENCE * 1000}}
        session = self._call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        self._base += "/" + session["sessionId"]
        self._process = session["capabilities"]["goog:processID"]

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Refused(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a function body; a promise is waited for."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        return self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self._call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def keys(self, actions):
        """Key actions (WebDriver, 17.4.2); a key that is not let go stays down."""
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector):
        return self._call("GET", f"/element/{self.find(selector)}/text")

    def resize(self, width, height):
        self._call("POST", "/window/rect", {"width": width, "height": height})

    def screenshot(self):
        """PNG, base64."""
        return self._call("GET", "/screenshot")

    def console(self):
        """What the page and the browser logged since the last call."""
        return [f"{each['level']} {each['message']}" for each in self._call("POST", "/se/log", {"type": "browser"})]

    def wait(self, script, *arguments, patience=PATIENCE):
        """The first true value of a function body; None if none comes in time."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            with contextlib.suppress(Refused):
                if value := self.run(script, *arguments):
                    return value
            time.sleep(0.05)
        return None

    def kill(self):
        """Ends the browser without a word to anybody."""
        os.kill(self._process, signal.SIGKILL)

    def close(self):
        with contextlib.suppress(OSError, Refused):
            self._call("DELETE", "")


@contextlib.contextmanager
def driver():
    """The port of a chromedriver that ends with the block, and all of its browsers with it."""
    with subprocess.Popen(["chromedriver", "--port=0", "--allowed-ips="], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            for line in process.stdout:
                if "started successfully on port" in line:
                    yield int(line.rsplit(" ", 1)[1].strip(".\n"))
                    return
            raise RuntimeError("chromedriver ended before it listened")
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@contextlib.contextmanager
def tab(port, *flags):
    """A browser with a profile of its own."""
    with tempfile.TemporaryDirectory(prefix="tactus-chromium-", ignore_cleanup_errors=True) as profile:
        opened = Tab(port, [*FLAGS, f"--user-data-dir={profile}", *flags])
        try:
            yield opened
        finally:
            opened.close()
