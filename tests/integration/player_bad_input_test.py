#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are no films, or damaged ones."""
import concurrent.futures
import contextlib
import os
import pathlib
import random
import unittest

import films
import player


def opened_by(pid):
    """The files that a process has open."""
    names = set()
    with contextlib.suppress(OSError):  # one is closed meanwhile, or the process ends
        for link in pathlib.Path("/proc", str(pid), "fd").iterdir():
            names.add(os.readlink(link))
    return names


def threads_of(pid):
    names = set()
    with contextlib.suppress(OSError):  # one ends meanwhile, or the whole process
        for task in pathlib.Path("/proc", str(pid), "task").iterdir():
            names.add((task / "comm").read_text().strip())
    return names


class BadInput(player.Refusals):
    def test_missing_file(self):
        self.refused("/nowhere/film.mp4", "There is no file '/nowhere/film.mp4'.")

    def test_directory(self):
        self.refused(films.FOLDER, "is a directory")

    def test_empty_file(self):
        path = films.FOLDER / "empty.mp4"
        path.write_bytes(b"")
        self.refused(path, "is an empty file")

    def test_text_named_as_a_film(self):
        path = films.FOLDER / "text.mp4"
        path.write_text("This is no film.\n" * 100)
        self.refused(path, "text.mp4")

    def test_film_cut_in_the_middle_ends_without_a_hang(self):
        path = films.FOLDER / "cut.mkv"
        films.ffmpeg("-i", films.plain(4), "-c", "copy", films.FOLDER / "whole.mkv")
        whole = (films.FOLDER / "whole.mkv").read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        result, told = player.report(path)
        self.assertIn(result.returncode, player.CODES)
        self.assertGreater(told["items"][0]["presented"], 20)
        path = films.FOLDER / "cut.mp4"  # its index is at the end, and gone
        whole = films.plain().read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        self.assertIn(player.run("--headless", path).returncode, player.CODES)

    def test_pipe_that_nobody_writes_is_left_with_a_signal(self):
        path = films.FOLDER / "pipe"
        os.mkfifo(path)
        with player.started("--headless", path) as process:
            player.wait_for("the pipe", lambda: str(path) in opened_by(process.pid), process)
            process.terminate()
            self.assertEqual(process.wait(timeout=player.PATIENCE), 130, process.said())

    def test_film_that_is_cut_while_it_plays_is_said_to_have_broken_off(self):
        whole = films.film("cut_later.mkv", "-c:a", "aac", "-g", "30", seconds=20).read_bytes()
        path = films.FOLDER / "cut_while_it_plays.mkv"
        path.write_bytes(whole)
        with player.started("--headless", "--no-audio", "--speed=4", path) as process:
            player.wait_for("an open film", lambda: "video decode" in threads_of(process.pid), process)
            os.truncate(path, len(whole) // 2)
            self.assertEqual(process.wait(timeout=player.PATIENCE), 6, process.said())
            self.assertIn("broke off: the file is shorter than it was", process.said())

    def test_flipped_bytes_never_crash_or_hang(self):
        whole = films.film("small.mp4", "-c:a", "aac", size="160x120", seconds=1).read_bytes()

        def play(seed):
            source = random.Random(seed)
            damaged = bytearray(whole)
            for _ in range(source.choice((1, 5, 50))):
                damaged[source.randrange(len(damaged))] = source.randrange(256)
            path = films.FOLDER / f"flip{seed}.mp4"
            path.write_bytes(damaged)
            result = player.run("--headless", "--no-audio", "--speed=4", "--duration=4", path, timeout=60)
            path.unlink()
            return seed, result.returncode, result.stderr[-500:]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            # Of the player in process there are more (player_damaged_test); here it is the program that must end.
            for seed, code, told in pool.map(play, range(200 if os.environ.get("TACTUS_NIGHTLY") else 40)):
                self.assertIn(code, player.CODES, f"seed {seed}: {told}")

    def test_report_that_cannot_be_written(self):
        result = player.run("--headless", "--report=json:/nowhere/report.json", films.plain())
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not be written to /nowhere/report.json", result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
