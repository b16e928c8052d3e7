# SPDX-License-Identifier: Apache-2.0
"""A network namespace for a host and one for each guest; a line of its own leads from each guest to the host."""
import contextlib
import ctypes
import os
import subprocess

import cable
import packet_loss

HOST = "10.78.0.1"
CLONE_NEWNET = 0x40000000


def missing():
    """Why there can be none here; None where there can."""
    return cable.missing() or packet_loss.missing()


@contextlib.contextmanager
def inside(pid):
    """Whatever this thread opens or starts in the block belongs to the namespace of that process."""
    def enter(descriptor):
        if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    with open("/proc/thread-self/ns/net", "rb") as before, open(f"/proc/{pid}/ns/net", "rb") as wanted:
        enter(wanted.fileno())
        try:
            yield
        finally:
            enter(before.fileno())


class Star:
    def __init__(self):
        self._open = contextlib.ExitStack()
        self._host = self._open.enter_context(cable.namespace())
        self._guests = {}
        self._ip(self._host, "link", "set", "lo", "up")
        self._ip(self._host, "addr", "add", f"{HOST}/32", "dev", "lo")

    def close(self):
        self._open.close()

    @staticmethod
    def _ip(pid, *words):
        cable.run(pid, "ip", *words)

    def at_host(self):
        return inside(self._host)

    def at(self, guest):
        return inside(self._guests[guest])

    @staticmethod
    def _shape(end, device, bits):
        cable.run(end, "tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", f"{bits}bit", "burst", "4000", "latency",
                  "200ms")

    def narrow(self, guest, bits):
        """From now on a guest's line carries so many bits a second from it to the host."""
        self._shape(self._guests[guest], "line", bits)

    def carry(self, guest, bits):
        """From now on a guest's line carries so many bits a second from the host to it."""
        self._shape(self._host, f"line{list(self._guests).index(guest) + 1}", bits)

    def add(self, guest, bits=None, loss=0.0):
        """A guest whose line carries so many bits a second each way (None: what comes), in queues of 200 ms, and loses that share."""
        number = len(self._guests) + 1
        pid = self._guests[guest] = self._open.enter_context(cable.namespace())
        near, far = f"line{number}", "line"
        subprocess.run(["ip", "link", "add", near, "netns", str(self._host), "type", "veth", "peer", "name", far,
                        "netns", str(pid)], check=True)
        for end, device, last in ((self._host, near, 1), (pid, far, 2)):
            self._ip(end, "addr", "add", f"10.78.{number}.{last}/24", "dev", device)
            self._ip(end, "link", "set", device, "up")
            if bits:
                self._shape(end, device, bits)
            if loss:
                with inside(end):
                    self._open.enter_context(packet_loss.losing(device, loss))
        self._ip(pid, "link", "set", "lo", "up")
        self._ip(pid, "route", "add", "default", "via", f"10.78.{number}.1")


@contextlib.contextmanager
def laid():
    star = Star()
    try:
        yield star
    finally:
        star.close()
