#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Good films play: every picture, every common format, at the speed and from the place that was asked for."""
import json
import signal
import subprocess
import tempfile
import time
import unittest

import films
import player


class GoodFilms(unittest.TestCase):
    def plays(self, path, frames, *arguments, slack=2):
        result, told = player.report(*arguments, path)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        item = told["items"][0]
        if frames and not player.SANITIZED:
            self.assertGreaterEqual(item["presented"] + sum(item["dropped"].values()), frames - slack, item)
            self.assertGreaterEqual(item["presented"], 0.9 * frames - slack, item)
        return item

    def test_every_picture_of_a_film_is_presented(self):
        item = self.plays(films.plain(), 60)
        stages = {stage["stage"] for stage in item["stages"]}
        self.assertLessEqual({"video decode", "audio decode", "video display", "audio"}, stages)

    def test_stages_run_in_the_class_that_the_kernel_grants(self):
        result, told = player.report(films.plain())
        if told["kernel_class"] != "SCHED_FIFO":
            self.skipTest("SCHED_FIFO was refused: " + str(told["refused"]))
        classes = {s["stage"]: (s["kernel_class"], s["priority"]) for s in told["items"][0]["stages"] if s["packets"]}
        for stage, (kernel_class, priority) in classes.items():
            self.assertEqual(kernel_class, "SCHED_FIFO", stage)
            self.assertGreater(priority, 0, stage)

    def test_without_a_class_it_plays_all_the_same(self):
        _, told = player.report("--realtime=none", films.plain())
        self.assertEqual(told["kernel_class"], "SCHED_OTHER")
        self.assertTrue(all(s["kernel_class"] == "SCHED_OTHER" for s in told["items"][0]["stages"]))

    def test_duration_ends_it_early(self):
        film = films.plain(20)
        begin = time.monotonic()
        self.plays(film, 0, "--duration=1.5")
        self.assertLess(time.monotonic() - begin, 12)

    def test_double_speed_and_start_position(self):
        item = self.plays(films.plain(4), 0, "--speed=2", "--start=2")
        self.assertLess(item["presented"], 80)
        self.assertGreater(item["presented"], 20)

    def test_sound_alone_plays(self):
        path = films.FOLDER / "sound.ogg"
        films.ffmpeg("-f", "lavfi", "-i", "sine=440", "-t", 2, "-c:a", "libvorbis", path)
        self.assertEqual(self.plays(path, 0)["presented"], 0)

    def test_pictures_alone_play(self):
        self.plays(films.film("silent.mp4", sound=False), 60)

    def test_odd_sizes_play(self):
        self.plays(films.film("odd.mkv", size="321x243", sound=False, codec=("-c:v", "ffv1", "-pix_fmt", "yuv444p")), 60)

    def test_variable_frame_rate_plays(self):
        path = films.film("variable.mkv", "-vf", "select='not(eq(mod(n,5),2))*not(eq(mod(n,7),3))'", "-vsync", "vfr", "-c:a", "aac")
        self.plays(path, 41, slack=0)

    def test_av1_plays(self):
        path = films.film("one.mkv", size="160x120", seconds=1, sound=False, codec=("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"))
        self.assertGreater(self.plays(path, 30, slack=3)["presented"], 0)

    def test_vp9_with_opus_plays(self):
        path = films.film("nine.webm", "-c:a", "libopus", codec=("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"))
        self.plays(path, 60)

    def test_four_thousand_pixels_across_play(self):
        if player.SANITIZED:
            self.skipTest("too slow under the sanitizers")
        item = self.plays(films.film("large.mp4", size="3840x2160", rate=24, seconds=1, sound=False), 0)
        self.assertGreater(item["presented"], 5)

    def test_external_subtitles_are_read_beside_each_of_several_items(self):
        def sources(item):
            return sum(1 for stage in item["stages"] if stage["stage"] == "source")

        subtitles = films.FOLDER / "words.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:05,000\nHello\n")
        alone = self.plays(films.plain(), 60)
        result, told = player.report("--sub-file", subtitles, films.plain(), films.plain())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual([item["outcome"] for item in told["items"]], ["played", "played"])
        self.assertGreater(sources(told["items"][0]), sources(alone))

    def test_subtitles_that_are_not_there_are_told_and_the_film_plays(self):
        result = player.run("--headless", "--report=json", "--sub-file", "/nowhere/words.srt", films.plain())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("There is no file", result.stderr)
        self.assertEqual(json.loads(result.stdout)["items"][0]["outcome"], "played")

    def test_player_that_was_stopped_catches_up(self):
        # As after a suspend, or a machine that hung: the film is where its clock is within moments, not minutes.
        path = films.plain(9)
        with tempfile.NamedTemporaryFile(suffix=".json") as told:
            process = subprocess.Popen(
                [films.tactus(), "--headless", "--no-audio", f"--report=json:{told.name}", path])
            try:
                time.sleep(2)
                process.send_signal(signal.SIGSTOP)
                time.sleep(1)
                process.send_signal(signal.SIGCONT)
                process.wait(60)
            finally:
                process.kill()
            items = json.load(open(told.name))["items"]
        if not player.SANITIZED:  # a second is lost, and what it takes to catch up
            self.assertGreater(items[0]["presented"], (9 - 1 - 1.5) * 30, items)

    def test_trace_opens_as_json_with_spans(self):
        path = films.FOLDER / "trace.json"
        player.run("--headless", "--trace", path, films.plain())
        events = json.loads(path.read_text())["traceEvents"]
        self.assertGreater(sum(1 for event in events if event["name"] == "run"), 50)


if __name__ == "__main__":
    unittest.main(verbosity=2)
