# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces and a cable between them, which carries so much a second in one direction."""
import contextlib
import os
import shlex
import subprocess

import films

ADDRESS = {"near": "10.77.0.1", "far": "10.77.0.2"}


def missing():
    """Why there can be none here; None where there can."""
    made = subprocess.run(["unshare", "--net", "ip", "link", "add", "cable", "type", "veth", "peer", "name", "end"],
                          capture_output=True, text=True, check=False)
    return made.stderr.strip() if made.returncode else None


@contextlib.contextmanager
def namespace():
    """The process that holds one."""
    with subprocess.Popen(["unshare", "--net", "sh", "-c", "echo made; exec sleep 600"], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "made\n"
            yield holder.pid
        finally:
            holder.kill()


def command(pid, *words):
    return ["nsenter", f"--net=/proc/{pid}/ns/net", *map(str, words)]


class Cable:
    def __init__(self, ends):
        self.ends = ends
        self.programs = {}
        for end, pid in ends.items():
            script = films.FOLDER / f"tactus-{end}"
            script.write_text(f"#!/bin/sh\nexec {shlex.join(command(pid, films.tactus()))} \"$@\"\n")
            script.chmod(0o755)
            self.programs[end] = str(script)

    @contextlib.contextmanager
    def at(self, end):
        """Programs that are started in the block run at this end."""
        usual = os.environ["TACTUS"]
        os.environ["TACTUS"] = self.programs[end]
        try:
            yield
        finally:
            os.environ["TACTUS"] = usual

    def carries(self, bits):
        """So many bits a second leave the near end, in a queue of 100 ms."""
        run(self.ends["near"], "tc", "qdisc", "replace", "dev", "cable", "root", "tbf", "rate", f"{bits}bit", "burst", "4000",
            "latency", "100ms")


def run(pid, *words):
    subprocess.run(command(pid, *words), check=True)


@contextlib.contextmanager
def laid():
    """A cable that carries what comes, until carries()."""
    with namespace() as near, namespace() as far:
        subprocess.run(["ip", "link", "add", "cable", "netns", str(near), "type", "veth", "peer", "name", "cable", "netns", str(far)],
                       check=True)
        for end, pid in (("near", near), ("far", far)):
            run(pid, "ip", "link", "set", "lo", "up")
            run(pid, "ip", "addr", "add", f"{ADDRESS[end]}/24", "dev", "cable")
            run(pid, "ip", "link", "set", "cable", "up")
        yield Cable({"near": near, "far": far})
