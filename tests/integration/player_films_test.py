#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Good films play: every picture, every common format, at the speed and from the place that was asked for."""
import json
import signal
import time
import unittest

import films
import player

EVERY = ("video decode", "audio decode", "video display", "audio")


class GoodFilms(unittest.TestCase):
    def plays(self, path, frames, *arguments, slack=2):
        result, told = player.report(*arguments, path)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        item = told["items"][0]
        self.assertEqual(item["outcome"], "played")
        if frames:
            self.assertGreaterEqual(player.counted(item), frames - slack, item)
            self.assertGreaterEqual(item["presented"], 1 if player.SANITIZED else 0.9 * frames - slack, item)
        return item

    def stages(self, item, *wanted):
        """Those that had something to do; `wanted` must be among them."""
        stages = {stage["stage"]: stage for stage in item["stages"] if stage["packets"]}
        self.assertLessEqual(set(wanted), set(stages))
        return stages

    def test_every_picture_of_a_film_is_presented(self):
        self.stages(self.plays(films.plain(), 60), *EVERY)

    def test_stages_run_in_the_class_that_the_kernel_grants(self):
        result, told = player.report(films.plain())
        if told["kernel_class"] != "SCHED_FIFO":
            self.skipTest("SCHED_FIFO was refused: " + str(told["refused"]))
        for name, stage in self.stages(told["items"][0], *EVERY).items():
            self.assertEqual(stage["kernel_class"], "SCHED_FIFO", name)
            self.assertGreater(stage["priority"], 0, name)

    def test_without_a_class_it_plays_all_the_same(self):
        result, told = player.report("--realtime=none", films.plain())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual(told["kernel_class"], "SCHED_OTHER")
        self.stages(told["items"][0], *EVERY)
        self.assertEqual({stage["kernel_class"] for stage in told["items"][0]["stages"]}, {"SCHED_OTHER"})
        self.assertGreaterEqual(player.counted(told["items"][0]), 58)
        self.assertGreater(told["items"][0]["presented"], 0)

    def test_duration_ends_it_early(self):
        film = films.plain(20)
        begin = time.monotonic()
        item = self.plays(film, 0, "--loop", "--duration=1.5")  # by itself it would not end
        self.assertGreaterEqual(time.monotonic() - begin, 1.5)
        self.assertLess(player.counted(item), 300)

    def test_double_speed_and_start_position(self):
        item = self.plays(films.plain(4), 60, "--speed=2", "--start=2")
        self.assertLess(item["presented"], 80)
        self.assertGreater(item["presented"], 20)
        self.assertAlmostEqual(self.stages(item, *EVERY)["video decode"]["rate"], 60, delta=3)

    def test_sound_alone_plays(self):
        path = films.FOLDER / "sound.ogg"
        films.ffmpeg("-f", "lavfi", "-i", "sine=440", "-t", 2, "-c:a", "libvorbis", path)
        item = self.plays(path, 0)
        self.assertEqual(item["presented"], 0)
        self.assertTrue(item["audio"]["connected"], item["audio"])
        self.assertNotIn("video decode", self.stages(item, "audio decode", "audio"))
        self.assertAlmostEqual(item["duration_s"], 2, delta=0.1)

    def test_pictures_alone_play(self):
        self.plays(films.film("silent.mp4", sound=False), 60)

    def test_odd_sizes_play(self):
        self.plays(films.film("odd.mkv", size="321x243", sound=False, codec=("-c:v", "ffv1", "-pix_fmt", "yuv444p")), 60)

    def test_variable_frame_rate_plays(self):
        path = films.film("variable.mkv", "-vf", "select='not(eq(mod(n,5),2))*not(eq(mod(n,7),3))'", "-vsync", "vfr",
                          "-c:a", "aac")
        self.plays(path, 41, slack=0)

    def test_av1_plays(self):
        path = films.film("one.mkv", size="160x120", seconds=1, sound=False,
                          codec=("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"))
        self.assertGreater(self.plays(path, 30, slack=3)["presented"], 0)

    def test_vp9_with_opus_plays(self):
        path = films.film("nine.webm", "-c:a", "libopus", codec=("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"))
        self.plays(path, 60)

    def test_four_thousand_pixels_across_play(self):
        if player.SANITIZED:
            self.skipTest("too slow under the sanitizers")
        item = self.plays(films.film("large.mp4", size="3840x2160", rate=24, seconds=1, sound=False), 0)
        self.assertGreaterEqual(player.counted(item), 22)
        self.assertGreater(item["presented"], 5)

    def test_external_subtitles_are_drawn_for_each_of_several_items(self):
        def drawn(item):
            return sum(stage["packets"] for stage in item["stages"] if stage["name"].endswith("subtitles"))

        subtitles = films.FOLDER / "words.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:05,000\nHello\n")
        self.assertEqual(drawn(self.plays(films.plain(), 60)), 0)
        result, told = player.report("--sub-file", subtitles, films.plain(), films.plain())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual([item["outcome"] for item in told["items"]], ["played", "played"])
        for item in told["items"]:
            self.assertGreater(drawn(item), 10, item["stages"])

    def test_subtitles_that_are_not_there_are_told_and_the_film_plays(self):
        result = player.run("--headless", "--report=json", "--sub-file", "/nowhere/words.srt", films.plain())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("There is no file", result.stderr)
        self.assertEqual(json.loads(result.stdout)["items"][0]["outcome"], "played")

    def test_player_that_was_stopped_catches_up(self):
        # As after a suspend, or a machine that hung: the film is where its clock is within moments, not minutes.
        path, told = films.plain(20), films.FOLDER / "stopped.json"
        with player.listening() as (socket, events), player.started("--headless", "--no-audio", "--loop", "--qos-socket", socket,
                                                                    f"--report=json:{told}", "--tile", path) as process:
            stood = player.stop_until_violated(process, events)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(player.PATIENCE), 130)
        item, = json.loads(told.read_text())["items"]
        lost = sum(count for why, count in item["dropped"].items() if not why.startswith("shed"))
        self.assertGreater(item["presented"], 0)
        self.assertGreater(lost, 15, item)  # what was due meanwhile is not shown now
        if not player.SANITIZED:  # the time it stood is lost, and what it takes to catch up
            self.assertLess(lost, (stood + 1.5) * 30, item)

    def test_trace_opens_as_json_with_spans(self):
        path = films.FOLDER / "trace.json"
        self.assertIn(player.run("--headless", "--trace", path, films.plain()).returncode, (0, 4))
        events = json.loads(path.read_text())["traceEvents"]
        self.assertGreater(sum(1 for event in events if event["name"] == "run"), 50)


if __name__ == "__main__":
    unittest.main(verbosity=2)
