# SPDX-License-Identifier: Apache-2.0
"""Children that end with their parent: whatever a command starts, however deep, can be found and ended."""
import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def _prctl(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def adopt_orphans():
    """From now on a process whose parent ended becomes a child of this one instead of init's."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants():
    """(pid, command line) of all that this process started, directly or not, and that still runs."""
    parents, names = {}, {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if state != "Z":  # both are known, or neither: it may end in between
                parents[int(folder.name)], names[int(folder.name)] = int(parent), command
    found, wanted = [], {os.getpid()}
    while wanted:
        wanted = {pid for pid, parent in parents.items() if parent in wanted}
        found += [(pid, names[pid]) for pid in wanted]
    return found


def reap():
    """Collects the ended children that were adopted."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass


def end_descendants(grace=0.0):
    """Waits up to `grace` seconds for what is left, kills the rest, and returns the command lines of those killed."""
    end = time.monotonic() + grace
    reap()
    while descendants() and time.monotonic() < end:
        time.sleep(0.05)
        reap()
    killed = []
    for _ in range(100):  # a killed process may have started another
        left = descendants()
        if not left:
            break
        for pid, name in left:
            killed.append(name)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
        reap()
    return list(dict.fromkeys(killed))


def run(command, limit, **options):
    """Runs `command` for at most `limit` seconds: (exit status, whether it ran out of time). It dies with this process."""
    process = subprocess.Popen(command, preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGKILL), **options)
    try:
        return process.wait(timeout=max(0, limit)), False
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait(), True
