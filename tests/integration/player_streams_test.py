#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Films that come over the network, and servers that do not answer."""
import contextlib
import functools
import http.server
import socket
import threading
import unittest

import films
import player


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler):
    """The address of a real HTTP server whose requests this handler answers."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def served(folder):
    return serving(functools.partial(Quiet, directory=folder))


class FilmServer(http.server.BaseHTTPRequestHandler):
    """Serves a folder as its `manner` has it: the oddities of servers in the field."""
    protocol_version = "HTTP/1.1"

    def __init__(self, folder, manner, *request):
        self.folder, self.manner = folder, manner
        super().__init__(*request)  # answers it

    def log_message(self, *_):
        pass

    def do_GET(self):
        manner = self.manner
        self.close_connection = True
        path = self.folder / self.path.split("?")[0].lstrip("/")
        if manner == "redirects" and "?" not in self.path:
            return self.answer(302, {"Location": f"{self.path}?token=1", "Content-Length": 0}, b"")
        if not path.is_file():
            return self.answer(404, {"Content-Length": 0}, b"")
        whole = path.read_bytes()
        asked = self.headers.get("Range")
        if manner in ("without ranges", "without length") or not asked:
            length = {} if manner == "without length" else {"Content-Length": len(whole)}
            return self.answer(200, length, whole)
        first = int(asked.removeprefix("bytes=").split("-")[0])
        end = min(len(whole), first + 20_000) if manner == "short answers" else len(whole)
        fields = {"Content-Range": f"bytes {first}-{end - 1}/{len(whole)}", "Content-Length": end - first}
        sent = whole[first:end]
        return self.answer(206, fields, sent[: len(whole) // 3] if manner == "hangs up" else sent)

    def answer(self, code, fields, body):
        self.send_response(code)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body[: len(body) // 2] if self.manner == "falls silent" else body)
            if self.manner == "falls silent":
                self.wfile.flush()
                self.connection.recv(1)  # until who asked hangs up


def films_served(folder, manner):
    return serving(functools.partial(FilmServer, folder, manner))


class Streams(player.Refusals):
    def whole(self, result, told, frames):
        self.assertIn(result.returncode, (0, 4), result.stderr)
        item = told["items"][0]
        self.assertEqual(item["outcome"], "played")
        self.assertGreaterEqual(player.counted(item), frames - 2, item)

    def played(self, result, told, frames):
        self.whole(result, told, frames)
        item = told["items"][0]
        self.assertGreaterEqual(item["presented"], (0.5 if player.SANITIZED else 0.9) * frames, item)

    def test_film_over_http_plays(self):
        path = films.plain()
        with served(path.parent) as address:
            result, told = player.report(f"{address}/{path.name}")
        self.played(result, told, 60)

    def test_servers_of_every_manner_give_the_whole_film(self):
        path = films.film("second.mkv", "-c:a", "aac", "-g", "30", seconds=1)
        for manner in ("ranges", "redirects", "without ranges", "without length", "short answers", "hangs up"):
            with self.subTest(manner), films_served(path.parent, manner) as address:
                result, told = player.report(f"{address}/{path.name}")
                self.whole(result, told, 30)
                self.assertEqual(told["items"][0]["engine"], "av")

    def test_film_whose_index_is_at_its_end_plays_where_the_server_has_no_ranges(self):
        path = films.film("late.mp4", "-c:a", "aac", "-g", "30")
        with films_served(path.parent, "without ranges") as address:
            result, told = player.report(f"{address}/{path.name}")
        self.whole(result, told, 60)

    def test_seeks_ask_for_what_they_need(self):
        path = films.plain(20)
        with films_served(path.parent, "ranges") as address:
            result, told = player.report("--start=18.5", f"{address}/{path.name}")
        self.assertIn(result.returncode, (0, 4), result.stderr)
        self.assertLess(player.counted(told["items"][0]), 90)

    def test_what_the_server_has_not_is_named(self):
        with films_served(films.plain().parent, "ranges") as address:
            self.refused(f"{address}/nowhere.mkv", "nowhere.mkv' was not found")

    def test_film_that_breaks_off_is_played_so_far_and_said_to_have_ended_early(self):
        whole = films.film("streamed.mkv", "-c:a", "aac", "-g", "30").read_bytes()
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()

            def answer_once():
                peer, _ = server.accept()
                with peer:
                    peer.recv(65536)
                    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(whole) + whole[: len(whole) // 2])
                server.close()  # and nobody answers any more

            threading.Thread(target=answer_once, daemon=True).start()
            result, told = player.report(f"http://127.0.0.1:{server.getsockname()[1]}/film.mkv")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("broke off", result.stderr)
        self.assertGreater(player.counted(told["items"][0]), 10)

    def test_server_that_falls_silent_is_waited_for_once_and_the_film_said_to_have_broken_off(self):
        path = films.film("silent.mkv", "-c:a", "aac", "-g", "30", seconds=4)
        with films_served(path.parent, "falls silent") as address:
            result, told = player.report(f"{address}/{path.name}")
        self.assertEqual(result.returncode, 6, result.stderr)
        self.assertIn("broke off", result.stderr)
        self.assertGreater(player.counted(told["items"][0]), 30)

    def test_list_of_segments_is_told_by_its_content(self):
        folder = films.streamed("hls")
        (folder / "list").write_bytes((folder / "film.m3u8").read_bytes())
        with served(folder) as address:
            result, told = player.report(f"{address}/list")
        self.whole(result, told, 120)

    def test_subtitles_beside_a_list_of_segments_are_drawn(self):
        subtitles = films.FOLDER / "beside.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:05,000\nHello\n")
        folder = films.streamed("hls")
        with served(folder) as address:
            result, told = player.report("--sub-file", subtitles, f"{address}/film.m3u8")
        self.whole(result, told, 120)
        drawn = [stage["packets"] for stage in told["items"][0]["stages"] if stage["name"].endswith("subtitles")]
        self.assertGreater(sum(drawn), 10, told["items"][0]["stages"])

    def test_hls_stream_plays(self):
        folder = films.streamed("hls")
        with served(folder) as address:
            result, told = player.report(f"{address}/film.m3u8")
        self.played(result, told, 120)

    def test_dash_stream_plays(self):
        folder = films.streamed("dash")
        with served(folder) as address:
            result, told = player.report(f"{address}/film.mpd")
        self.played(result, told, 120)

    def test_refused_connection(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.refused(f"http://127.0.0.1:{port}/film.mp4", f"127.0.0.1:{port}")

    def test_server_that_stalls(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen()
            self.refused(f"http://127.0.0.1:{server.getsockname()[1]}/film.mp4", "did not answer in time")


if __name__ == "__main__":
    unittest.main(verbosity=2)
