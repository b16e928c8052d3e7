#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A window shows the film, takes keys, and can be closed or lost."""
import json
import os
import signal
import subprocess
import time
import unittest

import films
import player as program


def own_x_server():
    """A server that a test may end, and its display; the number comes before it listens."""
    for _ in range(5):
        read, write = os.pipe()
        server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
                                  pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as told:  # to the line's end: a server that cannot write all of it gives up
            display = ":" + told.readline().strip()
        for _ in range(50):
            if subprocess.run(["xdpyinfo", "-display", display], capture_output=True).returncode == 0:
                return server, display
            time.sleep(0.1)
        server.terminate()
        server.wait()
    raise AssertionError("no X server starts here")


class Window(unittest.TestCase):
    def start(self, *arguments, **environment):
        return subprocess.Popen([films.tactus(), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={**os.environ, **environment})

    def colours(self):
        shot = subprocess.run(["import", "-window", "root", "-resize", "64x40!", "-depth", "8", "rgb:-"], capture_output=True, check=True).stdout
        return len({shot[i:i + 3] for i in range(0, len(shot), 3)})

    def await_picture(self, player):
        for _ in range(100):
            self.assertIsNone(player.poll(), "it ended: " + (player.stderr.read() if player.poll() is not None else ""))
            if self.colours() > 50:
                return
            time.sleep(0.1)
        self.fail("the window shows no picture")

    def test_window_shows_the_film_takes_keys_and_ends_on_q(self):
        for output in ("software", "rhi"):
            player = self.start(f"--video-output={output}", "--loop", films.plain())
            try:
                self.await_picture(player)
                # Without a window manager keys go to the window under the pointer.
                subprocess.run(["xdotool", "mousemove", "100", "100"], check=True)
                for key in ("i", "space", "Right", "period", "comma", "bracketright", "question", "f", "f", "9", "m", "l", "space"):
                    subprocess.run(["xdotool", "key", key], check=True)
                    time.sleep(0.15)
                    self.assertIsNone(player.poll(), key)
                subprocess.run(["xdotool", "key", "q"], check=True)
                self.assertIn(player.wait(15), (0, 4), output)
            finally:
                player.kill()
                player.communicate()

    def test_phone_film_is_turned_upright(self):
        turned = films.FOLDER / "turned.mp4"
        films.ffmpeg("-i", films.plain(), "-metadata:s:v:0", "rotate=90", "-c", "copy", turned)
        # A picture of 4:3 fills this window; turned, it leaves a black bar on its left.
        for film, bar in ((films.plain(), False), (turned, True)):
            player = self.start("--geometry=400x300", "--loop", film)
            try:
                self.await_picture(player)
                left = subprocess.run(["import", "-window", "root", "-crop", "40x100+20+100", "-depth", "8", "rgb:-"],
                                      capture_output=True, check=True).stdout
                self.assertEqual(max(left) == 0, bar, film)
                player.send_signal(signal.SIGTERM)
                player.wait(15)
            finally:
                player.kill()
                player.communicate()

    def test_windows_are_closed_one_by_one_and_keys_set_priorities(self):
        film = films.plain(20)
        told = films.FOLDER / "windows.json"
        player = self.start("--geometry", "400x300", f"--report=json:{told}", "--tile", f"{film}@name=a", "--tile", f"{film}@name=b")
        try:
            self.await_picture(player)
            windows = []
            for _ in range(100):
                windows = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(player.pid), "--name", "Tactus"],
                                         capture_output=True, text=True).stdout.split()
                if len(windows) == 2:
                    break
                time.sleep(0.1)
            self.assertEqual(len(windows), 2)
            for i, window in enumerate(windows):
                subprocess.run(["xdotool", "windowmove", window, str(500 * i), "0"], check=True)
            time.sleep(0.5)
            for x, key in ((100, "ctrl+3"), (600, "ctrl+1"), (100, "ctrl+w")):
                subprocess.run(["xdotool", "mousemove", str(x), "150", "sleep", "0.3", "key", key, "sleep", "0.5"], check=True)
                self.assertIsNone(player.poll(), key)
            subprocess.run(["xdotool", "mousemove", "600", "150", "sleep", "0.3", "key", "ctrl+w"], check=True)
            self.assertIn(player.wait(15), (0, 4))
            items = json.loads(told.read_text())["items"]
            self.assertEqual(sorted(item["window"]["name"] for item in items), ["a", "b"])
            self.assertEqual([item["window"]["priority"] for item in items], ["high", "background"])
        finally:
            player.kill()
            player.communicate()

    def test_a_grid_pins_detaches_and_closes_its_films(self):
        film = films.plain(20)
        told = films.FOLDER / "grid.json"
        player = self.start("--grid", "--geometry", "800x450", f"--report=json:{told}",
                            *[f"--tile={film}@name={name}" for name in "abcd"])

        def windows(name):
            return subprocess.run(["xdotool", "search", "--all", "--onlyvisible", "--pid", str(player.pid), "--name", name],
                                  capture_output=True, text=True).stdout.split()

        def press(x, y, *what):
            subprocess.run(["xdotool", "mousemove", str(x), str(y), "sleep", "0.3", "click", "1", "sleep", "0.3", *what,
                            "sleep", "0.7"], check=True)
            self.assertIsNone(player.poll(), what)

        try:
            self.await_picture(player)
            grid = windows("Grid")
            self.assertEqual(len(grid), 1)
            subprocess.run(["xdotool", "windowmove", grid[0], "0", "0", "sleep", "0.5"], check=True)
            press(600, 100, "key", "ctrl+3")  # b at High
            press(600, 100, "click", "--repeat", "2", "1")  # and large
            press(100, 100, "key", "ctrl+i")  # the load window comes and goes
            self.assertEqual(len(windows("Load")), 1)
            subprocess.run(["xdotool", "windowmove", windows("Load")[0], "0", "0", "mousemove", "300", "300", "sleep", "0.3", "key",
                            "ctrl+i", "sleep", "0.7"], check=True)
            self.assertEqual(len(windows("Load")), 0)
            press(100, 100, "key", "ctrl+g")  # out, into a window of its own
            self.assertEqual(len(windows("plain20")), 1)
            subprocess.run(["xdotool", "windowmove", windows("plain20")[0], "820", "0", "sleep", "0.5"], check=True)
            press(700, 300, "key", "ctrl+w")
            subprocess.run(["xdotool", "mousemove", "900", "100", "sleep", "0.3", "click", "1", "sleep", "0.3", "key", "q"], check=True)
            self.assertIn(player.wait(15), (0, 4))
            items = json.loads(told.read_text())["items"]
            self.assertEqual(sorted(item["window"]["name"] for item in items), ["a", "b", "c", "d"])
            self.assertEqual({item["window"]["name"] for item in items if item["window"]["priority"] == "high"}, {"b"})
        finally:
            player.kill()
            player.communicate()

    def test_interrupt_ends_it_with_130(self):
        player = self.start(films.plain(20))
        try:
            self.await_picture(player)
            player.send_signal(signal.SIGTERM)
            self.assertEqual(player.wait(15), 130)
        finally:
            player.kill()
            player.communicate()

    def test_display_that_goes_away_is_said_and_ends_it(self):
        server, display = own_x_server()
        try:
            player = self.start(films.plain(20), DISPLAY=display)
            try:
                for _ in range(100):  # until its window is there
                    tree = subprocess.run(["xwininfo", "-display", display, "-root", "-tree"], capture_output=True, text=True)
                    if "plain20" in tree.stdout:
                        break
                    time.sleep(0.1)
                time.sleep(1)
                server.terminate()  # by SIGKILL it would leave its lock to the next
                server.wait()
                _, told = player.communicate(timeout=20)
                self.assertEqual(player.returncode, 5, told)
                self.assertIn("The display went away.", told)
            finally:
                player.kill()
                player.communicate()
        finally:
            server.terminate()
            server.wait()

    def test_missing_file_leaves_the_window_open_with_a_banner(self):
        player = self.start("/nowhere/film.mp4")
        try:
            time.sleep(5 if program.SANITIZED else 2)
            self.assertIsNone(player.poll())
            shot = subprocess.run(["import", "-window", "root", "-crop", "400x60+20+20", "-depth", "8", "rgb:-"], capture_output=True, check=True).stdout
            reds = sum(1 for i in range(0, len(shot), 3) if shot[i] > 110 and shot[i + 1] < 70)
            self.assertGreater(reds, 1000, "no red banner")
            player.send_signal(signal.SIGINT)
            self.assertEqual(player.wait(15), 130)
        finally:
            player.kill()
            player.communicate()


if __name__ == "__main__":
    unittest.main(verbosity=2)
