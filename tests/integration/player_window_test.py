#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A window shows the film, takes keys, and can be closed or lost."""
import contextlib
import itertools
import json
import os
import signal
import subprocess
import time
import unittest

import films
import player as program
import screen
from player import PATIENCE, wait_for


@contextlib.contextmanager
def own_x_server():
    """The display of a server that the block may end, and the server; the number comes before it listens."""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"],
                              pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as told:  # to the line's end: a server that cannot write all of it gives up
            display = ":" + told.readline().strip()
        wait_for("the X server", lambda: subprocess.run(["xdpyinfo", "-display", display], capture_output=True).returncode == 0)
        yield server, display
    finally:
        server.terminate()  # by SIGKILL it would leave its lock to the next
        server.wait()


class Window(unittest.TestCase):
    def await_picture(self, player):
        screen.window(player, "Tactus")  # that of a player before is gone then
        wait_for("a picture", lambda: screen.colours() > 50, player)

    def await_colours(self, player, what, **places):
        """Waits until each colour is at its place."""
        wait_for(what, lambda: all(screen.colour(*place) == colour for colour, place in places.items()), player)

    def priorities(self, player):
        """{film: priority}, as they are remembered."""
        try:
            films = json.loads((player.state / "priorities.json").read_text())["films"]
        except FileNotFoundError:
            return {}
        return {os.path.basename(film["uri"]): film["priority"] for film in films}

    def test_window_shows_the_film_takes_keys_and_ends_on_q(self):
        for output in ("software", "rhi"):
            with program.started(f"--video-output={output}", "--geometry=640x480+0+0", "--loop", films.numbered()) as player:
                self.takes_keys(player)
                screen.press("q")
                self.assertIn(player.wait(PATIENCE), (0, 4), output)

    def takes_keys(self, player):
        def number():
            return screen.number(640)

        def rests():
            before = number()
            time.sleep(1)
            return number() == before

        def changes(area, key, back):
            """The area is another one by the key, and by `back` what it was: the answer is how it was meanwhile."""
            before, shown = wait_for(f"rest before {key}", lambda: self.still(area), player), number()
            screen.press(key)
            wait_for(f"an effect of {key}", lambda: not screen.alike(screen.shot(*area), before), player)
            meanwhile = wait_for(f"rest after {key}", lambda: self.still(area), player)
            screen.press(back)
            # The picture comes back later than what lies over it: the next is compared with both.
            wait_for(f"an effect of {back}", lambda: screen.alike(screen.shot(*area), before) and number() == shown, player)
            return meanwhile

        screen.point(100, 100, screen.window(player, "numbered"))
        first = wait_for("a picture", number, player)
        wait_for("the next", lambda: number() not in (0, first), player)
        screen.press("space")
        wait_for("a pause", rests, player)
        for key, wanted in (("Home", 0), ("l", 0), ("period", 1), ("comma", 0), ("Right", 150), ("l", 150)):
            screen.press(key)
            wait_for(f"picture {wanted} by {key}", lambda: number() == wanted, player)
        buttons, left, middle = (230, 432, 410, 48), (12, 12, 380, 120), (250, 150, 140, 140)
        keys = (("bracketright", "bracketleft"), ("9", "0"), ("m", "m"), ("f", "f"))
        for one, other in itertools.combinations([changes(buttons, *pair) for pair in keys], 2):
            self.assertFalse(screen.alike(one, other))
        changes(left, "i", "i")
        changes(middle, "question", "question")
        screen.press("space")
        wait_for("the film going on at A after B", lambda: 0 < number() < 150, player)

    def still(self, area):
        before = screen.shot(*area)
        time.sleep(0.3)
        return before if screen.alike(screen.shot(*area), before) else None

    def test_phone_film_is_turned_upright(self):
        turned = films.FOLDER / "turned.mp4"
        films.ffmpeg("-i", films.plain(20), "-metadata:s:v:0", "rotate=90", "-c", "copy", turned)
        # A picture of 4:3 fills this window; turned, it leaves a black bar on its left.
        for film, bar in ((films.plain(20), False), (turned, True)):
            with program.started("--geometry=400x300", "--loop", film) as player:
                self.await_picture(player)
                self.assertEqual(max(screen.shot(20, 100, 40, 100)) == 0, bar, film)
                self.assertGreater(max(screen.shot(180, 100, 40, 100)), 0)
                player.send_signal(signal.SIGTERM)
                self.assertEqual(player.wait(PATIENCE), 130)

    def test_windows_are_closed_one_by_one_and_keys_set_priorities(self):
        told = films.FOLDER / "windows.json"
        tiles = [f"--tile={films.coloured(colour)}@name={colour}" for colour in ("red", "blue")]
        with program.started("--geometry=400x300", "--loop", f"--report=json:{told}", *tiles) as player:
            places = {"red": 0, "blue": 500}
            windows = {colour: screen.window(player, f"^{colour}") for colour in places}
            for colour, x in places.items():
                screen.place(windows[colour], x, 0)
            self.await_colours(player, "both films", red=(100, 150), blue=(600, 150))
            for colour, key, priority in (("red", "ctrl+3", "high"), ("blue", "ctrl+1", "background")):
                screen.point(places[colour] + 100, 150, windows[colour])
                screen.press(key)
                wait_for(f"{colour} {priority}", lambda: self.priorities(player).get(f"{colour}.mp4") == priority, player)
            screen.point(100, 150, windows["red"])
            screen.press("ctrl+w")
            wait_for("the end of red", lambda: not screen.windows(player, "^red"), player)
            self.assertEqual(screen.windows(player, "^blue"), [windows["blue"]])
            self.assertIsNone(player.poll())
            screen.point(600, 150, windows["blue"])
            screen.press("ctrl+w")
            self.assertIn(player.wait(PATIENCE), (0, 4))
        items = [item["window"] for item in json.loads(told.read_text())["items"]]
        self.assertEqual([(item["name"], item["priority"]) for item in items], [("red", "high"), ("blue", "background")])

    def test_a_grid_pins_detaches_and_closes_its_films(self):
        told = films.FOLDER / "grid.json"
        tiles = [f"--tile={films.coloured(colour)}@name={colour}" for colour in screen.COLOURS]

        with program.started("--grid", "--geometry=800x450", "--loop", f"--report=json:{told}", *tiles) as player:
            grid = screen.window(player, "Grid")
            screen.place(grid, 0, 0)
            self.await_colours(player, "four films", red=(100, 100), lime=(600, 100), blue=(100, 350), yellow=(600, 350))
            screen.click(600, 100, grid)
            screen.press("ctrl+3")
            wait_for("lime at High", lambda: self.priorities(player) == {"lime.mp4": "high"}, player)
            screen.double_click()
            self.await_colours(player, "lime large", lime=(300, 350), red=(710, 140), blue=(710, 225), yellow=(710, 310))
            screen.click(600, 100, grid)
            screen.press("ctrl+i")  # the load window comes and goes
            load = screen.window(player, "Load")
            screen.place(load, 0, 0)
            screen.point(300, 300, load)
            screen.press("ctrl+i")
            wait_for("the load window's end", lambda: not screen.windows(player, "Load"), player)
            screen.click(100, 100, grid)
            screen.press("ctrl+g")  # out, into a window of its own
            lime = screen.window(player, "^lime")
            screen.place(lime, 820, 0)
            self.await_colours(player, "three films and one", red=(100, 100), blue=(600, 100), yellow=(400, 350), lime=(1000, 100))
            screen.click(400, 350, grid)
            screen.press("ctrl+w")
            self.await_colours(player, "two films", red=(400, 100), blue=(400, 350))
            self.assertEqual([screen.windows(player, "Grid"), screen.windows(player, "^lime")], [[grid], [lime]])
            screen.click(1000, 100, lime)
            screen.press("q")
            self.assertIn(player.wait(PATIENCE), (0, 4))
        items = [item["window"] for item in json.loads(told.read_text())["items"]]
        self.assertEqual(sorted(item["name"] for item in items), sorted(screen.COLOURS))
        self.assertEqual({item["name"] for item in items if item["priority"] == "high"}, {"lime"})

    def test_interrupt_ends_it_with_130(self):
        with program.started("--loop", films.plain(20)) as player:
            self.await_picture(player)
            player.send_signal(signal.SIGTERM)
            self.assertEqual(player.wait(PATIENCE), 130)

    def test_display_that_goes_away_is_said_and_ends_it(self):
        with own_x_server() as (server, display), program.started("--loop", films.plain(20), DISPLAY=display) as player:
            wait_for("a picture", lambda: screen.colours("-display", display) > 50, player)
            server.terminate()
            server.wait()
            self.assertEqual(player.wait(PATIENCE), 5, player.said())
            self.assertIn("The display went away.", player.said())

    def test_missing_file_leaves_the_window_open_with_a_banner(self):
        def reds():
            shot = screen.shot(20, 20, 400, 60)
            return sum(1 for i in range(0, len(shot), 3) if shot[i] > 110 and shot[i + 1] < 70)

        with program.started("/nowhere/film.mp4") as player:
            screen.window(player, "Tactus")
            wait_for("a red banner", lambda: reds() > 1000, player)
            player.send_signal(signal.SIGINT)
            self.assertEqual(player.wait(PATIENCE), 130)


if __name__ == "__main__":
    unittest.main(verbosity=2)
