#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A room that the program hosts, and those who join it or try to."""
import contextlib
import json
import pathlib
import signal
import socket
import tempfile
import unittest

import cable
import player
import star
from player import PATIENCE, wait_for
from room_client import Guest, Link


class Room:
    def __init__(self, process):
        self.process = process

        def links():
            found = [line for line in process.said().splitlines() if line.startswith("https://")]
            return found if len(found) == 2 else None
        self.link, self.host_link = map(Link, wait_for("the links", links, process))


@contextlib.contextmanager
def hosting(*arguments, data=None):
    with tempfile.TemporaryDirectory(prefix="tactus-data-") as folder:
        with player.started("host", "--headless", "--address=127.0.0.1", *arguments,
                            XDG_DATA_HOME=str(data or folder)) as process:
            yield Room(process)


class Hosting(unittest.TestCase):
    def guest(self, link):
        guest = Guest(link)
        self.addCleanup(guest.close)
        return guest

    def test_two_guests_meet_and_the_end_is_told(self):
        with hosting("--name=Tuesday") as room:
            ann, bob = self.guest(room.link), self.guest(room.link)
            joined = ann.join("Ann")
            self.assertEqual((joined["type"], joined["room"]["name"], joined["you"]["role"]), ("joined", "Tuesday", "guest"))
            self.assertEqual(bob.join("Bob")["participants"][0]["name"], "Ann")
            bob.say("chat", text="hello")
            self.assertEqual(ann.next("chat")["text"], "hello")
            bob.say("leave")
            wait_for("Bob's end", lambda: "Bob has left." in room.process.said(), room.process)
            room.process.send_signal(signal.SIGTERM)
            self.assertEqual(ann.next("closed")["message"], "The host has closed the room.")
            self.assertEqual(room.process.wait(PATIENCE), 0)
            self.assertIn("Ann has come.", room.process.said())

    def test_the_identity_stays_and_the_secrets_do_not(self):
        with tempfile.TemporaryDirectory() as data:
            with hosting(data=data) as room:
                first = room.link
            with hosting(data=data) as room:
                self.assertEqual(room.link.fingerprint, first.fingerprint)
                self.assertNotEqual(room.link.path, first.path)
                self.assertEqual(room.link.get(first.path + "/")[0], 404)
                key = pathlib.Path(data, "tactus/room-certificate.pem")
                self.assertEqual(key.stat().st_mode & 0o777, 0o600)
            key.write_text("damaged")
            result = player.run("host", XDG_DATA_HOME=data)
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("cannot be used: the certificate is damaged.", result.stderr)
            self.assertEqual(key.read_text(), "damaged")

    def test_the_page_is_served_to_whoever_has_the_link(self):
        with hosting() as room:
            status, headers, body = room.link.get(room.link.path + "/")
            self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            self.assertIn(b"<title>", body)
            for path in ("/", "/r/", "/r/" + "A" * 32 + "/", room.link.path + "x/", room.link.path[:-1] + "/socket"):
                self.assertEqual(room.link.get(path)[0::2], (404, b"There is nothing here.\n"), path)

    def test_who_waits_in_the_lobby_is_admitted_by_a_host(self):
        with hosting("--lobby") as room:
            host, ann = self.guest(room.host_link), self.guest(room.link)
            self.assertEqual(host.join("Host")["you"]["role"], "host")
            self.assertEqual(ann.join("Ann")["type"], "waiting")
            waiting = host.next("waiting_list")["waiting"]
            self.assertEqual([each["name"] for each in waiting], ["Ann"])
            wait_for("the lobby's line", lambda: "Ann waits in the lobby." in room.process.said(), room.process)
            host.say("admit", sid=waiting[0]["sid"])
            self.assertEqual(ann.next("joined")["you"]["name"], "Ann")

    def test_bad_guests_disturb_nobody(self):
        with hosting() as room:
            ann = self.guest(room.link)
            ann.join("Ann")
            half = [socket.create_connection((room.link.host, room.link.port), source_address=("127.0.0.3", 0))
                    for _ in range(200)]
            large, broken, flood = (self.guest(room.link) for _ in range(3))
            large.stream.sendall(b"\x81\xff" + (10 << 20).to_bytes(8, "big") + b"mask" + b"a" * 1000)
            self.assertEqual(large.frame()[1][:2], b"\x03\xf1")  # 1009
            broken.send_frame(b"{")
            self.assertEqual(broken.next("error")["code"], "malformed")
            flood.join("Flood")
            with contextlib.suppress(OSError):
                for _ in range(5000):
                    flood.say("hand", raised=True)
            with contextlib.suppress(OSError):
                self.assertEqual(flood.next("closed")["reason"], "flood")
            ann.say("ping", t=7)
            self.assertEqual(ann.next("pong")["t"], 7)
            for each in half:
                each.close()

    def test_descriptions_that_are_none_are_refused_and_the_room_goes_on(self):
        with hosting() as room:
            ann, eve = self.guest(room.link), self.guest(room.link)
            bearer = ann.join("Ann")["session"], eve.join("Eve")["session"]
            sid = ann.next("participant_joined")["participant"]["sid"]

            def post(path, body, session=bearer[1], kind="application/sdp"):
                return room.link.get(f"{room.link.path}/{path}", "POST", body, {"Content-Type": kind, "Authorization": f"Bearer {session}"})

            for path in ("whip/camera", "whip/screen", f"whep/{sid}/camera"):
                for body in (b"v=0", b"\0" * 1000, b"v=0\r\n" + b"a=candidate:1 1 udp 1 999.9.9.9 0 typ host\r\n" * 500, b"{}"):
                    status, _, text = post(path, body)
                    self.assertIn(status, (400, 404, 422), (path, body[:20]))
                    self.assertTrue(text.endswith((b".", b".\n")), text)
                self.assertEqual(post(path, b"v=0", session="A" * 32)[0], 401)
                self.assertEqual(post(path, b"v=0", session="")[0], 401)
            self.assertEqual(post("whip/camera", b"v=0", kind="text/plain")[0], 415)
            self.assertEqual(post("whip/camera", b"a" * (10 << 20))[0], 413)
            # Without a token all of it is nothing.
            nothing = room.link.get("/nothing")
            for path in ("whip/camera", f"whep/{sid}/camera"):
                told = room.link.get(f"/r/{'A' * 32}/{path}", "POST", b"v=0", {"Authorization": f"Bearer {bearer[0]}"})
                self.assertEqual(told[0::2], nothing[0::2])
            ann.say("ping", t=7)
            self.assertEqual(ann.next("pong")["t"], 7)

    @unittest.skipIf(cable.missing(), f"no network namespaces: {cable.missing()}")
    def test_without_a_network_each_says_so(self):
        with cable.namespace() as pid, star.inside(pid), tempfile.TemporaryDirectory() as data:
            result = player.run("host", "--duration=0.2", XDG_DATA_HOME=data)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("This machine has no address that others could reach", result.stderr)
            result = player.run("join", f"https://10.1.2.3:7000/r/{'A' * 32}#sha256={'A' * 43}", "--headless")
            self.assertEqual(result.returncode, 3, result.stderr)
            self.assertIn("tactus: ", result.stderr)

    def test_a_report_tells_who_came(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            with hosting(f"--report=json:{report}", "--name=Tuesday") as room:
                self.guest(room.link).join("Ann")
                room.process.send_signal(signal.SIGINT)
                self.assertEqual(room.process.wait(PATIENCE), 0)
            told = json.loads(report.read_text())["room"]
            self.assertEqual((told["name"], told["came"], told["most"]), ("Tuesday", 1, 1))

    def test_a_room_ends_after_its_duration(self):
        with tempfile.TemporaryDirectory() as data:
            result = player.run("host", "--duration=0.2", "--report=json", "--address=127.0.0.1", XDG_DATA_HOME=data)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertTrue(lines[0].startswith("https://127.0.0.1:"), lines[0])
        self.assertEqual(json.loads("\n".join(lines[2:]))["room"]["came"], 0)

    def test_a_taken_port_is_told(self):
        with socket.socket() as taken, tempfile.TemporaryDirectory() as data:
            taken.bind(("0.0.0.0", 0))
            taken.listen()
            port = taken.getsockname()[1]
            result = player.run("host", f"--port={port}", XDG_DATA_HOME=data)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn(f"Port {port} is taken by another program.", result.stderr)
        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
