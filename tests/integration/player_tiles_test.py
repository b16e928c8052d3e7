#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several films at once: terms, refusal, who gives way."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import unittest

import films
import player


class Tiles(unittest.TestCase):
    def told(self, *arguments, **options):
        result, told = player.report("--no-audio", *arguments, **options)
        return result, {item["window"]["name"]: item for item in told["items"]}, told


@contextlib.contextmanager
def control_group(limit):
    """The file to write a process's number to, so that it and its children have so many bytes of memory."""
    unified = pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists()
    folder = pathlib.Path("/sys/fs/cgroup", "" if unified else "memory", f"tactus-test-{os.getpid()}")
    try:
        folder.mkdir()
        (folder / ("memory.max" if unified else "memory.limit_in_bytes")).write_text(str(limit))
    except OSError as error:
        with contextlib.suppress(OSError):
            folder.rmdir()
        raise unittest.SkipTest(f"no control group can be made here: {error}")
    try:
        yield folder / "cgroup.procs"
    finally:
        player.wait_for("the group is empty", lambda: not (folder / "cgroup.procs").read_text())
        folder.rmdir()


@unittest.skipIf(player.SANITIZED, "a sanitizer takes memory of its own")
class Memory(Tiles):
    def test_films_that_do_not_fit_into_the_control_group_are_refused(self):
        film = films.film("large.mp4", size="3840x2160", rate=10, seconds=1, sound=False)
        with control_group(700_000_000) as processes:
            command = [films.tactus(), "--headless", "--report=json", "--no-audio"]
            for name in "abc":
                command += ["--tile", f"{film}@name={name}"]
            result = subprocess.run(command, capture_output=True, text=True, timeout=player.PATIENCE,
                                    preexec_fn=lambda: processes.write_text(str(os.getpid())))
        self.assertEqual(result.returncode, 3, result.stderr)
        items = json.loads(result.stdout)["items"]
        played = [item for item in items if item["outcome"] == "played"]
        self.assertEqual(len(played), 1, [item["outcome"] for item in items])
        self.assertEqual(player.counted(played[0]), 10)
        self.assertGreater(played[0]["memory_bytes"], 100e6)
        for item in items:
            if item not in played:
                self.assertRegex(item["outcome"], r"needs \d+ MB of memory; \d+ MB are left beside the \d+ MB that others were "
                                                  rf"promised\. Closing '{played[0]['window']['name']}' would make room\.$")


class SeveralAtOnce(Tiles):
    def test_tiles_play_together_each_with_its_terms(self):
        film = films.plain(2)
        result, tiles, _ = self.told("--tile", f"{film}@high,name=a", "--tile", f"{film}@background,f_min=0.25,name=b",
                                     "--tile", film)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual(set(tiles), {"a", "b", film.name})
        self.assertEqual([tiles[n]["window"]["priority"] for n in ("a", "b", film.name)], ["high", "background", "normal"])
        self.assertEqual(tiles["b"]["window"]["f_min"], 0.25)
        for item in tiles.values():
            self.assertEqual(item["outcome"], "played")
            self.assertGreaterEqual(player.counted(item), 58)
            self.assertGreater(item["presented"], 0)

    def test_one_that_cannot_be_opened_does_not_stop_the_others(self):
        film = films.plain(2)
        result, _, told = self.told("--tile", "/nowhere.mp4@high", "--tile", film)
        self.assertEqual(result.returncode, 3)
        self.assertIn("There is no file", told["items"][0]["outcome"])
        self.assertEqual(told["items"][1]["outcome"], "played")
        self.assertGreater(told["items"][1]["presented"], 0)

    def test_terms_out_of_range_are_usage_errors(self):
        for tile in ("a@f_min=2", "a@high,weight=-1", "a@class=best"):
            result = player.run("--headless", "--tile", tile)
            self.assertEqual(result.returncode, 2, tile)
        occupied = films.FOLDER / "occupied"
        occupied.write_text("mine")
        result = player.run("--headless", "--qos-socket", occupied, films.plain(2))
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is a file of that name", result.stderr)
        self.assertEqual(occupied.read_text(), "mine")

    def test_the_sockets_lines_are_those_of_the_report(self):
        film, told = films.plain(20), films.FOLDER / "socket.json"
        with player.listening() as (path, events), player.started(
                "--headless", "--no-audio", "--loop", "--admission=strict", "--qos-socket", path, f"--report=json:{told}",
                "--tile", f"{film}@high,name=a", "--tile", f"{film}@background,name=b") as process:
            player.stop_until_violated(process, events, films=2)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(player.PATIENCE), 130)
        told = json.loads(told.read_text())
        self.assertEqual({item["window"]["name"]: item["outcome"] for item in told["items"]}, {"a": "played", "b": "played"})
        self.assertLessEqual({(name, kind) for name in "ab" for kind in ("violation", "recovered")},
                             {(event["window"], event["event"]) for event in events})
        self.assertEqual(events, told["qos"][len(told["qos"]) - len(events):])
        self.assertFalse(os.path.exists(path))

    def test_a_program_at_the_socket_acts_on_a_window(self):
        film, told = films.plain(20), films.FOLDER / "acted.json"
        path = str(films.FOLDER / "acts.sock")
        with player.started("--headless", "--no-audio", "--loop", "--qos-socket", path, f"--report=json:{told}",
                            "--tile", f"{film}@name=Camera", "--tile", f"{film}@name=Other") as process:
            player.wait_for("the socket is open", lambda: os.path.exists(path))
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                client.settimeout(player.PATIENCE)
                reader = client.makefile()

                def answer(*lines):
                    client.sendall("".join(line + "\n" for line in lines).encode())
                    answers = (json.loads(line) for line in reader)
                    return [each for _, each in zip(lines, (a for a in answers if "event" not in a))]
                player.wait_for("the window is open", lambda: "error" not in answer('{"window": "Camera", "weight": 2}')[0])
                faults = answer("{", '{"window": "Nobody", "size": 0.5}', '{"window": "Camera", "size": 7}')
                self.assertTrue(all("error" in fault for fault in faults), faults)
                self.assertEqual(faults[1]["error"], "There is no window 'Nobody'.")
                self.assertEqual(answer('{"handle": true}', '{"window": "Camera", "size": 0.5, "frequency": 0.5}'),
                                 [{"accepted": True}] * 2)
                thinned = next(event for event in map(json.loads, reader) if event["window"] == "Camera" and
                               event["event"] == "thinned" and event["cause"] == "handler")
                self.assertEqual(thinned["sentence"], "'Camera' shows 15 of 30 pictures a second: 'socket' asked for it.")
                client.sendall(b"x" * 5000)
                self.assertIn("longer than 4096 bytes", reader.read())  # and it is let go
            for _ in range(100):  # each is forgotten as soon as it goes
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
                client.settimeout(player.PATIENCE)
                client.sendall(b'{"handle": false}\n')
                self.assertEqual(json.loads(next(line for line in client.makefile() if "event" not in line)), {"accepted": True})
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(player.PATIENCE), 130)
        windows = {item["window"]["name"]: item["window"] for item in json.loads(told.read_text())["items"]}
        self.assertEqual((windows["Camera"]["size"], windows["Camera"]["frequency"]), (0.5, 0.5))
        self.assertEqual(windows["Other"]["size"], 1)


class Overloads(Tiles):
    def test_where_it_is_strict_the_one_too_many_is_refused_with_the_numbers(self):
        film = films.film("heavy.mp4", size="1920x1080", seconds=12, sound=False,
                          codec=("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-bf", "3"))
        count = 6 * (os.cpu_count() or 1)
        tiles = [f"--tile={film}@high,name=film{i}" for i in range(count)]
        result, played, told = self.told("--admission=strict", "--loop", "--duration", str(2 * count), *tiles, timeout=120)
        self.assertEqual(result.returncode, 3, result.stderr)
        refused = [name for name, item in played.items() if item["outcome"] != "played"]
        self.assertTrue(0 < len(refused) < len(played), refused)
        self.assertEqual(played["film0"]["outcome"], "played")
        for name in refused:
            self.assertRegex(played[name]["outcome"], f"There is no room for '{name}': it needs [0-9.]+ processors")
        self.assertIn("refused", {event["event"] for event in told["qos"]})

    def test_overload_leaves_the_high_one_whole_and_the_socket_says_who_gave_way(self):
        film = films.film("heavy.mp4", size="1920x1080", seconds=12, sound=False,
                          codec=("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-bf", "3"))
        count = 10 * (os.cpu_count() or 1)  # a tile takes from 0.2 to 0.4 of a processor
        others = [f"--tile={film}@background,name=Camera{i}" for i in range(count)]
        with player.listening() as (path, events):
            result, tiles, told = self.told("--qos-socket", path, "--tile", f"{film}@high,name=Lecture", *others,
                                            "--duration", "10", timeout=120)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual(tiles["Lecture"]["window"]["frequency"], 1)
        self.assertFalse(tiles["Lecture"]["window"]["keyframes_only"])
        for name in ("shed before decoding", "shed before conversion", "shed up to the next keyframe"):
            self.assertEqual(tiles["Lecture"]["dropped"][name], 0)
        cameras = [item for name, item in tiles.items() if name != "Lecture"]
        self.assertGreater(sum(item["dropped"]["shed before conversion"] for item in cameras), 0)
        self.assertGreater(tiles["Lecture"]["presented"], max(item["presented"] for item in cameras))
        self.assertEqual(events, told["qos"][len(told["qos"]) - len(events):])
        thinned = [e for e in events if e["event"] == "thinned"]
        self.assertTrue(thinned)
        self.assertTrue(all(e["window"] != "Lecture" for e in thinned))
        self.assertRegex(thinned[0]["sentence"], r"^'Camera\d+' shows .* of 30 pictures a second: .*\.$")
        self.assertFalse(os.path.exists(path))


if __name__ == "__main__":
    unittest.main(verbosity=2)
