# SPDX-License-Identifier: Apache-2.0
"""The files of the room's page, served as a room's door serves them, but without a room: for tests of its modules."""
import contextlib
import functools
import http.server
import pathlib
import threading

PAGE = pathlib.Path(__file__).resolve().parents[2] / "conference" / "page"
POLICY = ("default-src 'self'; style-src 'self'; script-src 'self'; connect-src 'self' wss:; "
          "media-src blob: mediastream:; img-src 'self' data:")


class Files(http.server.SimpleHTTPRequestHandler):
    """`/r/TOKEN/` is index.html, `/r/TOKEN/page/*` its files; nothing else is there."""

    def translate_path(self, path):
        parts = path.split("?")[0].split("/")  # "", "r", token, ...
        inside = parts[4] if len(parts) == 5 and parts[3] == "page" else "index.html" if len(parts) == 4 else "none"
        return str(PAGE / (inside or "none"))

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def page_server(handler=Files):
    """The address of the page; `localhost`, because a browser gives its devices to no other page without TLS."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(PAGE))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://localhost:{server.server_port}/r/token/"
        finally:
            server.shutdown()
            thread.join()
