#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""At a fractional scale a picture of the window's size is shown pixel by pixel, and fills the window."""
import contextlib
import signal
import unittest

import films
import player as program
import screen
from player import PATIENCE, wait_for

# At a fractional scale neither is a whole number of logical pixels. Four such windows fit on the screen.
WIDTH, HEIGHT = 632, 382
PLACES = {1: (0, 0), 1.25: (WIDTH, 0), 1.5: (0, HEIGHT), 1.85: (WIDTH, HEIGHT)}  # by scale
FIRST_SIZE = 320, 200  # logical pixels: at each scale a whole number of real ones
ABOVE_THE_CONTROLS = 200  # rows


def stripes():
    """White columns and black ones, each of one pixel."""
    return films.film("stripes.mkv", "-vf", "geq=lum='235-219*mod(X,2)':cb=128:cr=128", pictures="nullsrc=sar=1",
                      size=f"{WIDTH}x{HEIGHT}", rate=5, sound=False,
                      codec=("-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv420p"))


def striped(x, y, rows):
    """Whether so many rows of the window there show the stripes as they are: no grey, no black edge."""
    shot = screen.shot(x, y, WIDTH, rows)
    return all(min(shot[channel::6]) >= 250 and max(shot[channel + 3::6]) <= 5 for channel in range(3))


class Scale(unittest.TestCase):
    def test_the_software_output_resamples_nothing(self):
        self.shows_stripes("software")

    def test_the_rhi_output_resamples_nothing(self):
        self.shows_stripes("rhi")

    def shows_stripes(self, output):
        # A paused film has the controls over it, so the scene graph draws it. In the software output a playing one goes round it.
        for way, rows in (("--pause", ABOVE_THE_CONTROLS), ("--loop", HEIGHT)):
            with self.players(output, way) as players:
                for scale, player in players.items():
                    wait_for(f"stripes by {output} at {scale} with {way}", lambda: striped(*PLACES[scale], rows), player)
                for player in players.values():
                    player.send_signal(signal.SIGTERM)
                for player in players.values():
                    self.assertEqual(player.wait(PATIENCE), 130)

    @contextlib.contextmanager
    def players(self, output, way):
        """{scale: player}, each with a window of the film's size in pixels."""
        screen.told("xdotool", "mousemove", 2 * WIDTH + 10, 2 * HEIGHT + 10)  # over none of them: no controls
        with contextlib.ExitStack() as stack:
            # No film gives way: a pill that says so would lie over the picture.
            options = (f"--video-output={output}", "--shedding=off", "--geometry={}x{}".format(*FIRST_SIZE), way, stripes())
            players = {scale: stack.enter_context(program.started(*options, QT_SCALE_FACTOR=str(scale))) for scale in PLACES}
            for scale, player in players.items():
                window = screen.window(player, "stripes")
                screen.await_size(window, *(round(scale * length) for length in FIRST_SIZE))
                screen.resize(window, WIDTH, HEIGHT)
                screen.place(window, *PLACES[scale])
            yield players


if __name__ == "__main__":
    unittest.main(verbosity=2)
