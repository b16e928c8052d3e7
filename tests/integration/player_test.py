#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as its users meet it: good films, bad input, sound that arrives, a window that can be closed or lost."""
import array
import concurrent.futures
import contextlib
import functools
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import films

SANITIZED = "asan" in films.tactus()
CODES = {0, 3, 4, 6}


def run(*arguments, timeout=60, **environment):
    return subprocess.run([films.tactus(), *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, env={**os.environ, **environment})


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a real HTTP server on this folder."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def report(*arguments, timeout=90):
    result = run("--headless", "--report=json", *arguments, timeout=timeout)
    return result, json.loads(result.stdout)


class CommandLine(unittest.TestCase):
    def test_help_and_version_answer_with_zero(self):
        self.assertEqual(run("--help").returncode, 0)
        self.assertIn("Exit codes", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"^tactus \d+\.\d+")

    def test_wrong_options_are_usage_errors(self):
        for arguments in (["--nonsense"], ["--speed=9", "x"], ["--headless"]):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr.startswith("tactus: "), result.stderr)

    def test_doctor_names_the_class_and_the_formats(self):
        result = run("doctor")
        self.assertEqual(result.returncode, 0, result.stdout)
        for word in ("real-time class", "io_uring", "PipeWire", "formats", "H.264"):
            self.assertIn(word, result.stdout)

    def test_no_display_is_said_and_has_its_code(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
        result = subprocess.run([films.tactus(), "x.mp4"], capture_output=True, text=True, timeout=30, env=environment)
        self.assertEqual(result.returncode, 5)
        self.assertIn("There is no display", result.stderr)


class GoodFilms(unittest.TestCase):
    def plays(self, path, frames, *arguments, slack=2):
        result, told = report(*arguments, path)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        item = told["items"][0]
        if frames and not SANITIZED:
            self.assertGreaterEqual(item["presented"] + sum(item["dropped"].values()), frames - slack, item)
            self.assertGreaterEqual(item["presented"], 0.9 * frames - slack, item)
        return item

    def test_every_picture_of_a_film_is_presented(self):
        item = self.plays(films.plain(), 60)
        stages = {stage["stage"] for stage in item["stages"]}
        self.assertLessEqual({"video decode", "audio decode", "video display", "audio"}, stages)

    def test_stages_run_in_the_class_that_the_kernel_grants(self):
        result, told = report(films.plain())
        if told["kernel_class"] != "SCHED_FIFO":
            self.skipTest("SCHED_FIFO was refused: " + str(told["refused"]))
        classes = {s["stage"]: (s["kernel_class"], s["priority"]) for s in told["items"][0]["stages"] if s["packets"]}
        for stage, (kernel_class, priority) in classes.items():
            self.assertEqual(kernel_class, "SCHED_FIFO", stage)
            self.assertGreater(priority, 0, stage)

    def test_without_a_class_it_plays_all_the_same(self):
        _, told = report("--realtime=none", films.plain())
        self.assertEqual(told["kernel_class"], "SCHED_OTHER")
        self.assertTrue(all(s["kernel_class"] == "SCHED_OTHER" for s in told["items"][0]["stages"]))

    def test_duration_ends_it_early(self):
        begin = time.monotonic()
        self.plays(films.plain(20), 0, "--duration=1.5")
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

    def test_phone_film_is_turned_upright(self):
        path = films.FOLDER / "turned.mp4"
        films.ffmpeg("-i", films.plain(), "-metadata:s:v:0", "rotate=90", "-c", "copy", path)
        self.plays(path, 60)

    def test_variable_frame_rate_plays(self):
        path = films.film("variable.mkv", "-vf", "select='not(eq(mod(n,5),2))*not(eq(mod(n,7),3))'", "-vsync", "vfr", "-c:a", "aac")
        self.plays(path, 0)

    def test_av1_plays(self):
        path = films.film("one.mkv", size="160x120", seconds=1, sound=False, codec=("-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"))
        self.assertGreater(self.plays(path, 30, slack=3)["presented"], 0)

    def test_vp9_with_opus_plays(self):
        path = films.film("nine.webm", "-c:a", "libopus", codec=("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"))
        self.plays(path, 60)

    def test_four_thousand_pixels_across_play(self):
        if SANITIZED:
            self.skipTest("too slow under the sanitizers")
        item = self.plays(films.film("large.mp4", size="3840x2160", rate=24, seconds=1, sound=False), 0)
        self.assertGreater(item["presented"], 5)

    def test_external_subtitles_and_several_items(self):
        subtitles = films.FOLDER / "words.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:05,000\nHello\n")
        result, told = report("--sub-file", subtitles, films.plain(), films.plain(4))
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual(len(told["items"]), 2)

    def test_film_over_http_plays(self):
        path = films.plain()
        with served(path.parent) as address:
            result, told = report(f"{address}/{path.name}")
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertGreaterEqual(told["items"][0]["presented"], 30 if SANITIZED else 54)

    def test_hls_stream_plays(self):
        folder = films.streamed("hls")
        with served(folder) as address:
            result, told = report(f"{address}/film.m3u8")
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertGreaterEqual(told["items"][0]["presented"], 60 if SANITIZED else 108)

    def test_dash_stream_plays(self):
        folder = films.streamed("dash")
        with served(folder) as address:
            result, told = report(f"{address}/film.mpd")
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertGreaterEqual(told["items"][0]["presented"], 60 if SANITIZED else 108)

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
        if not SANITIZED:  # a second is lost, and what it takes to catch up
            self.assertGreater(items[0]["presented"], (9 - 1 - 1.5) * 30, items)

    def test_trace_opens_as_json_with_spans(self):
        path = films.FOLDER / "trace.json"
        run("--headless", "--trace", path, films.plain())
        events = json.loads(path.read_text())["traceEvents"]
        self.assertGreater(sum(1 for event in events if event["name"] == "run"), 50)



class SeveralAtOnce(unittest.TestCase):
    def told(self, *arguments, **options):
        result, told = report("--no-audio", *arguments, **options)
        return result, {item["window"]["name"]: item for item in told["items"]}, told

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
            self.assertGreaterEqual(item["presented"] + sum(item["dropped"].values()), 58)

    def test_one_that_cannot_be_opened_does_not_stop_the_others(self):
        film = films.plain(2)
        result, _, told = self.told("--tile", "/nowhere.mp4@high", "--tile", film)
        self.assertEqual(result.returncode, 3)
        self.assertIn("There is no file", told["items"][0]["outcome"])
        self.assertEqual(told["items"][1]["outcome"], "played")

    def test_terms_out_of_range_are_usage_errors(self):
        for tile in ("a@f_min=2", "a@high,weight=-1", "a@class=best"):
            result = run("--headless", "--tile", tile)
            self.assertEqual(result.returncode, 2, tile)
        occupied = films.FOLDER / "occupied"
        occupied.write_text("mine")
        result = run("--headless", "--qos-socket", occupied, films.plain(2))
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is a file of that name", result.stderr)
        self.assertEqual(occupied.read_text(), "mine")

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
        path = str(films.FOLDER / "qos.sock")
        lines = []

        def listen():
            for _ in range(500):
                with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
                    client.connect(path)
                    with client.makefile() as reader:
                        lines.extend(reader)
                    return
                time.sleep(0.02)

        listener = threading.Thread(target=listen)
        listener.start()
        count = 4 * (os.cpu_count() or 1)  # a tile takes about 0.4 of a processor here
        others = [f"--tile={film}@background,name=Camera{i}" for i in range(count)]
        result, tiles, told = self.told("--qos-socket", path, "--tile", f"{film}@high,name=Lecture", *others,
                                        "--duration", "10", timeout=120)
        listener.join(timeout=20)
        self.assertFalse(listener.is_alive())
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertEqual(tiles["Lecture"]["window"]["frequency"], 1)
        self.assertFalse(tiles["Lecture"]["window"]["keyframes_only"])
        for name in ("shed before decoding", "shed before conversion", "shed up to the next keyframe"):
            self.assertEqual(tiles["Lecture"]["dropped"][name], 0)
        cameras = [item for name, item in tiles.items() if name != "Lecture"]
        self.assertGreater(sum(item["dropped"]["shed before conversion"] for item in cameras), 0)
        self.assertGreater(tiles["Lecture"]["presented"], max(item["presented"] for item in cameras))
        events = [json.loads(line) for line in lines]
        self.assertEqual([e["sentence"] for e in events], [e["sentence"] for e in told["qos"]][-len(events):])
        thinned = [e for e in events if e["event"] == "thinned"]
        self.assertTrue(thinned)
        self.assertTrue(all(e["window"] != "Lecture" for e in thinned))
        self.assertRegex(thinned[0]["sentence"], r"^'Camera\d+' shows .* of 30 pictures a second: .*\.$")
        self.assertFalse(os.path.exists(path))


class BadInput(unittest.TestCase):
    def refused(self, path, *words, timeout=60):
        result = run("--headless", "--report=json", path, timeout=timeout)
        self.assertEqual(result.returncode, 3, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

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
        result, told = report(path)
        self.assertIn(result.returncode, CODES)
        self.assertGreater(told["items"][0]["presented"], 20)
        path = films.FOLDER / "cut.mp4"  # its index is at the end, and gone
        whole = films.plain().read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        self.assertIn(run("--headless", path).returncode, CODES)

    def test_flipped_bytes_never_crash_or_hang(self):
        whole = films.film("small.mp4", "-c:a", "aac", size="160x120", seconds=1).read_bytes()

        def play(seed):
            source = random.Random(seed)
            damaged = bytearray(whole)
            for _ in range(source.choice((1, 5, 50))):
                damaged[source.randrange(len(damaged))] = source.randrange(256)
            path = films.FOLDER / f"flip{seed}.mp4"
            path.write_bytes(damaged)
            result = run("--headless", "--no-audio", "--speed=4", "--duration=4", path, timeout=60)
            path.unlink()
            return seed, result.returncode, result.stderr[-500:]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for seed, code, told in pool.map(play, range(30 if SANITIZED else 200)):
                self.assertIn(code, CODES, f"seed {seed}: {told}")

    def test_refused_connection(self):
        self.refused("http://127.0.0.1:9/film.mp4", "127.0.0.1:9")

    def test_server_that_stalls(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            self.refused(f"http://127.0.0.1:{server.getsockname()[1]}/film.mp4", "did not answer in time", timeout=60)

    def test_report_that_cannot_be_written(self):
        result = run("--headless", "--report=json:/nowhere/report.json", films.plain())
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not be written to /nowhere/report.json", result.stderr)


class Sound(unittest.TestCase):
    def test_the_films_tone_reaches_the_devices_monitor(self):
        player = subprocess.Popen([films.tactus(), "--headless", str(films.plain(20)), "--duration=8"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(4 if SANITIZED else 2)
            recorder = subprocess.Popen(["parec", "--latency-msec=50", "-d", "tactus-test-sink.monitor", "--format=s16le",
                                         "--channels=1", "--rate=48000"], stdout=subprocess.PIPE)
            heard = array.array("h", recorder.stdout.read(2 * 48000 * 2))
            recorder.kill()
            recorder.wait()
        finally:
            player.terminate()
            player.wait(20)
        heard = heard[len(heard) // 2:]
        self.assertGreater(max(heard), 1000)
        crossings = sum(1 for a, b in zip(heard, heard[1:]) if a < 0 <= b)
        self.assertAlmostEqual(crossings * 48000 / len(heard), 440, delta=5)

    def test_without_pipewire_the_picture_plays(self):
        with tempfile.TemporaryDirectory() as nowhere:
            result = run("--headless", "--report=json", films.plain(), XDG_RUNTIME_DIR=nowhere, PIPEWIRE_RUNTIME_DIR=nowhere)
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertIn("PipeWire", result.stderr)
        if not SANITIZED:
            self.assertGreaterEqual(json.loads(result.stdout)["items"][0]["presented"], 55)


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
        player = self.start(films.plain(20), DISPLAY=display)
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

    def test_missing_file_leaves_the_window_open_with_a_banner(self):
        player = self.start("/nowhere/film.mp4")
        try:
            time.sleep(5 if SANITIZED else 2)
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
