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
def served(folder):
    """The address of a real HTTP server on this folder."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


class Streams(player.Refusals):
    def played(self, result, told, frames):
        self.assertIn(result.returncode, (0, 4), result.stderr)
        item = told["items"][0]
        self.assertEqual(item["outcome"], "played")
        self.assertGreaterEqual(player.counted(item), frames - 2, item)
        self.assertGreaterEqual(item["presented"], (0.5 if player.SANITIZED else 0.9) * frames, item)

    def test_film_over_http_plays(self):
        path = films.plain()
        with served(path.parent) as address:
            result, told = player.report(f"{address}/{path.name}")
        self.played(result, told, 60)

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
