# SPDX-License-Identifier: Apache-2.0
"""A guest of a room: HTTPS and WebSocket (RFC 6455) over python's ssl, with the certificate of the link."""
import base64
import hashlib
import http.client
import json
import os
import socket
import ssl
import struct
import urllib.parse

PATIENCE = 60  # seconds


class Link:
    def __init__(self, text):
        parts = urllib.parse.urlsplit(text)
        self.text, self.host, self.port, self.path = text, parts.hostname, parts.port, parts.path
        self.fingerprint = urllib.parse.parse_qs(parts.fragment)["sha256"][0]

    def connect(self, host=None):
        """TLS to the host, whose certificate is that of the link."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        stream = context.wrap_socket(socket.create_connection((host or self.host, self.port), PATIENCE))
        digest = hashlib.sha256(stream.getpeercert(binary_form=True)).digest()
        assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == self.fingerprint, "another certificate"
        return stream

    def get(self, path, method="GET", body=None, headers=None, host=None):
        """Status, headers and body of the answer."""
        connection = http.client.HTTPConnection(self.host, self.port)
        connection.sock = self.connect(host)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        told = answer.status, answer.headers, answer.read()
        connection.close()
        return told


class Guest:
    """A WebSocket to the room. ConnectionError: it was not let in."""

    def __init__(self, link, host=None):
        self.stream = link.connect(host)
        self.stream.sendall(f"GET {link.path}/socket HTTP/1.1\r\nHost: {link.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            "Sec-WebSocket-Protocol: tactus.room.1\r\n\r\n".encode())
        self.reader = self.stream.makefile("rb")
        status = self.reader.readline().decode()
        while self.reader.readline() not in (b"\r\n", b""):
            pass
        if " 101 " not in status:
            raise ConnectionError(status)

    def send_frame(self, payload, code=1):
        mask = os.urandom(4)
        size = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xff" + struct.pack(">Q", len(payload))
        masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
        self.stream.sendall(bytes([0x80 | code]) + size + mask + masked)

    def say(self, kind, **fields):
        self.send_frame(json.dumps({"type": kind, **fields}).encode())

    def frame(self):
        """Code and payload of the next frame; None at the end of the connection."""
        head = self.reader.read(2)
        if len(head) < 2:
            return None
        size = head[1]
        if size == 126:
            size, = struct.unpack(">H", self.reader.read(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.reader.read(8))
        return head[0] & 15, self.reader.read(size)

    def next(self, *kinds):
        """The next message of these kinds; what comes before is dropped."""
        while (frame := self.frame()) is not None:
            code, payload = frame
            if code == 9:
                self.send_frame(payload, 10)
            if code == 8:
                self.send_frame(payload[:2], 8)
            if code == 1 and (message := json.loads(payload))["type"] in kinds:
                return message
        raise ConnectionError(f"the connection has ended before {kinds}")

    def join(self, name):
        self.say("join", name=name, client="browser")
        return self.next("joined", "waiting", "refused")

    def close(self):
        self.reader.close()
        self.stream.close()
