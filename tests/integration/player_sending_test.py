#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Films that one program sends and another plays."""
import contextlib
import json
import signal
import socket
import unittest

import films
import player
from player import PATIENCE, wait_for

FRAMES = 4 * 30  # of films.plain(4)


def free_port():
    """A number that nothing listens at. Another program may take it before we do, which no test beside this one does."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Receiver:
    """`tactus recv --headless` while it runs, with the address that it printed."""

    def __init__(self, process, addresses, report):
        self.process, self.addresses, self._report = process, addresses, report

    def ended(self):
        """Its exit code, and its report."""
        code = self.process.wait(PATIENCE)
        return code, json.loads(self._report.read_text())


@contextlib.contextmanager
def receiving(*places, environment=None):
    report = films.FOLDER / "received.json"
    report.unlink(missing_ok=True)
    with player.started("recv", "--headless", f"--report=json:{report}", *places, **(environment or {})) as process:
        def printed():
            lines = [line for line in process.said().splitlines() if "?token=" in line]
            return lines if len(lines) == len(places) else None
        yield Receiver(process, wait_for("the addresses", printed, process), report)


@contextlib.contextmanager
def sending(*arguments):
    """`tactus send` while its stream goes on."""
    with player.started("send", *arguments) as process:
        wait_for("the stream", lambda: "goes to" in process.said(), process)
        yield process


def sent(*arguments, **environment):
    result = player.run("send", "--report=json", *arguments, **environment)
    told = json.loads(result.stdout) if result.stdout else None
    return result, told


class Sending(unittest.TestCase):
    def whole(self, receiver, frames=FRAMES):
        """Everything was shown, or told as dropped."""
        code, told = receiver.ended()
        self.assertIn(code, (0, 4), receiver.process.said())
        item = told["items"][0]
        self.assertEqual(item["outcome"], "played")
        self.assertGreaterEqual(player.counted(item), frames - 2, item)
        stream = told["network"]["streams"][0]
        self.assertEqual((stream["type"], stream["lost"], stream["error"]), ("read", 0, ""))
        return told

    def test_a_film_over_tcp_is_played_whole(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            result, told = sent(films.plain(4), *receiver.addresses)
            self.assertIn(result.returncode, (0, 4), result.stderr)
            self.whole(receiver)
            stream = told["network"]["streams"][0]
            self.assertEqual((stream["type"], stream["contract"]["transport"]), ("write", "tcp"))
            self.assertGreater(stream["bytes"], 10_000)
            self.assertIn("buffers/s", result.stderr)

    def test_a_film_within_this_machine_is_played_whole(self):
        with receiving("local:film", environment={"XDG_RUNTIME_DIR": str(films.FOLDER)}) as receiver:
            self.assertTrue((films.FOLDER / "tactus-film").is_socket())
            result, _ = sent(films.plain(4), *receiver.addresses, XDG_RUNTIME_DIR=str(films.FOLDER))
            self.assertIn(result.returncode, (0, 4), result.stderr)
            self.whole(receiver)
        self.assertFalse((films.FOLDER / "tactus-film").exists())

    def test_a_film_over_udp_is_played(self):
        with receiving(f"udp://127.0.0.1:{free_port()}/film") as receiver:
            result, _ = sent(films.plain(4), *receiver.addresses)
            self.assertIn(result.returncode, (0, 4), result.stderr)
            code, told = receiver.ended()
            self.assertIn(code, (0, 4), receiver.process.said())
            # Datagrams may be lost, even here.
            self.assertGreater(player.counted(told["items"][0]), FRAMES // 2)

    def test_several_leave_one_program_and_one_too_many_is_refused(self):
        port = free_port()
        places = [f"tcp://127.0.0.1:{port}/{name}?token=t" for name in ("a", "b")]
        with receiving(*places) as receiver:
            result, told = sent("--rate=20mbit", films.plain(4), places[0], f"{films.plain(4)}@high", places[1],
                                films.dense(), places[0])
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("'dense.ts' is not sent: ", result.stderr)
            self.assertIn("Mbit/s of the link", result.stderr)
            self.assertEqual(len(told["network"]["streams"]), 2)
            self.assertEqual(told["network"]["link"]["bits_per_s"], 20_000_000)
            code, told = receiver.ended()
            self.assertIn(code, (0, 4), receiver.process.said())
            for item in told["items"]:
                self.assertGreaterEqual(player.counted(item), FRAMES - 2, item)

    def test_who_has_not_the_token_is_refused(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            wrong = receiver.addresses[0].split("?")[0]
            result, _ = sent(films.plain(4), wrong)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("The token is not that of the port film.", result.stderr)

    def test_nobody_receives(self):
        result, _ = sent(films.plain(4), f"tcp://127.0.0.1:{free_port()}/film")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("'plain4.mp4' is not sent: ", result.stderr)

    def test_what_is_no_film_is_not_sent(self):
        path = films.FOLDER / "garbage.mp4"
        path.write_bytes(b"no film" * 1000)
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            result, _ = sent(path, *receiver.addresses)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("garbage.mp4", result.stderr)

    def test_a_sender_that_dies_breaks_the_film_off(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            with sending(films.plain(20), *receiver.addresses) as sender:
                # It is read ahead: what has come is played first.
                sender.send_signal(signal.SIGKILL)
            code, told = receiver.ended()
            self.assertEqual(code, 6 if told["items"][0]["presented"] else 3, receiver.process.said())
            self.assertNotEqual(told["network"]["streams"][0]["error"], "")

    def test_the_microphone_is_sent(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/voice") as receiver:
            result, told = sent("--duration=3", "mic@name=Voice", *receiver.addresses)
            self.assertIn(result.returncode, (0, 4), result.stderr)
            self.assertIn("'Voice' goes to", result.stderr)
            self.assertGreater(told["network"]["streams"][0]["bytes"], 1000)
            code, told = receiver.ended()
            self.assertIn(code, (0, 4), receiver.process.said())
            self.assertEqual(told["items"][0]["outcome"], "played")

    def test_there_is_no_camera(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/camera") as receiver:
            result, _ = sent("camera:/dev/no-camera", *receiver.addresses)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("no-camera", result.stderr)

    def test_an_interrupted_sender_ends_its_stream(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            with sending(films.plain(20), *receiver.addresses) as sender:
                sender.send_signal(signal.SIGINT)
                self.assertEqual(sender.wait(PATIENCE), 130)
            code, told = receiver.ended()
            self.assertIn(code, (0, 4), receiver.process.said())
            self.assertEqual(told["network"]["streams"][0]["error"], "")

    def test_waiting_for_a_stream_is_interrupted(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            receiver.process.send_signal(signal.SIGINT)
            self.assertEqual(receiver.process.wait(PATIENCE), 130)

    def test_a_place_that_is_taken_is_told(self):
        with receiving(f"tcp://127.0.0.1:{free_port()}/film") as receiver:
            result = player.run("recv", "--headless", receiver.addresses[0])
            self.assertEqual(result.returncode, 3)
            self.assertIn("cannot be listened at", result.stderr)


if __name__ == "__main__":
    unittest.main()
