#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example's microphone and speaker, two programs and the stream between them, beside a real PipeWire."""
import array
import contextlib
import itertools
import math
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import unittest

import player


RATE = 48000
TONE = 1000
LOUDNESS = 8000  # of the tone, its amplitude
WINDOW = RATE // 50  # twenty whole periods of the tone


def started(*words):
    return player.started(*words, PIPEWIRE_DEBUG="0")  # its own library may say what the session lacks


def run(*words, **environment):
    return player.run(*words, PIPEWIRE_DEBUG="0", **environment)


def pactl(*words):
    return subprocess.run(["pactl", *words], check=True, capture_output=True, text=True, timeout=player.PATIENCE).stdout.strip()


@contextlib.contextmanager
def loaded(module, *arguments):
    number = pactl("load-module", module, *arguments)
    try:
        yield
    finally:
        pactl("unload-module", number)


@contextlib.contextmanager
def microphone_that_hears_a_tone():
    """A source, the session's default, beside which a speaker plays the tone."""
    def is_default():
        with contextlib.suppress(subprocess.CalledProcessError):  # it is not there yet
            pactl("set-default-source", "example-microphone")
            return pactl("get-default-source") == "example-microphone"

    def feed():
        second = array.array("h", (round(LOUDNESS * math.sin(2 * math.pi * TONE * i / RATE)) for i in range(RATE))).tobytes()
        with contextlib.suppress(BrokenPipeError):
            while True:
                speaker.stdin.write(second)

    with loaded("module-null-sink", "sink_name=example-room", "channel_map=mono"), \
         loaded("module-remap-source", "source_name=example-microphone", "master=example-room.monitor", "channel_map=mono"):
        player.wait_for("the microphone", is_default)
        speaker = subprocess.Popen(["pacat", "--playback", "--device=example-room", "--raw", "--format=s16le", "--channels=1",
                                    f"--rate={RATE}"], stdin=subprocess.PIPE)
        feeder = threading.Thread(target=feed)
        feeder.start()
        try:
            yield
        finally:
            speaker.kill()
            speaker.wait()
            feeder.join()
            with contextlib.suppress(BrokenPipeError):
                speaker.stdin.close()


@contextlib.contextmanager
def heard_at_the_device():
    """What the device's left speaker plays, as samples that become more until the block ends."""
    recorder = subprocess.Popen(["parec", "--latency-msec=50", "--device=tactus-test-sink.monitor", "--raw", "--format=s16le",
                                 "--channels=2", f"--rate={RATE}"], stdout=subprocess.PIPE)
    samples = array.array("h")

    def listen():
        while len(piece := recorder.stdout.read(4 * WINDOW)) == 4 * WINDOW:
            samples.extend(array.array("h", piece)[::2])

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        player.wait_for("the recorder", lambda: len(samples) > 0)
        yield samples
    finally:
        recorder.kill()
        listener.join()
        recorder.communicate()


def tone_in(samples):
    """The amplitude of the tone (Goertzel), and of all that is there, by its power; equal where nothing else is heard."""
    coefficient, one, other = 2 * math.cos(2 * math.pi * TONE / RATE), 0.0, 0.0
    for sample in samples:
        one, other = sample + coefficient * one - other, one
    power = max(0.0, one * one + other * other - coefficient * one * other)
    return 2 * math.sqrt(power) / len(samples), math.sqrt(2 * sum(sample * sample for sample in samples) / len(samples))


def windows(samples):
    return [tone_in(samples[at:at + WINDOW]) for at in range(0, len(samples) - WINDOW + 1, WINDOW)]


class MicrophoneAndSpeaker(unittest.TestCase):
    def setUp(self):
        self.contexts = contextlib.ExitStack()
        self.addCleanup(self.contexts.close)
        self.folder = self.enter(tempfile.TemporaryDirectory(prefix="tactus-example-"))

    def enter(self, context):
        return self.contexts.enter_context(context)

    def speaker(self, where=None):
        """It, its address, and its token."""
        process = self.enter(started("speaker", where or f"{self.folder}/socket", "living-room"))
        player.wait_for("its address", lambda: process.said().endswith("\n"), process)
        return process, *process.said().split()

    def ended(self, process):
        """How a program ended, and what it said."""
        return process.wait(timeout=player.PATIENCE), process.said()

    def test_the_tone_is_heard_at_its_loudness_while_live_and_not_while_paused(self):
        seconds = 12
        self.enter(microphone_that_hears_a_tone())
        samples = self.enter(heard_at_the_device())
        speaker, address, token = self.speaker()
        microphone = self.enter(started("microphone", address, token, seconds))
        self.assertEqual(self.ended(microphone), (0, "live\npaused\nlive\n"))
        self.assertEqual(self.ended(speaker), (0, f"{address} {token}\n"))
        end = len(samples)
        player.wait_for("the rest of the sound", lambda: len(samples) > end + RATE)

        heard = windows(samples)
        loud = [at for at, (tone, _) in enumerate(heard) if tone > LOUDNESS / 2]
        self.assertTrue(loud, "silence")
        self.assertAlmostEqual(statistics.median(heard[at][0] for at in loud), LOUDNESS, delta=LOUDNESS / 100)
        self.assertAlmostEqual(statistics.median(heard[at][1] for at in loud), LOUDNESS, delta=LOUDNESS / 100)
        between = heard[loud[0]:loud[-1]]
        silences = [len(list(run)) for silent, run in itertools.groupby(between, lambda window: window[1] < 1) if silent]
        # The pause is as long as each of the other two parts.
        self.assertGreater(max(silences, default=0) * WINDOW, seconds / 3 / 2 * RATE)
        self.assertTrue(all(everything < 1 for _, everything in heard[-10:]), "it is heard after the end")

    def test_who_interrupts_the_microphone_ends_the_stream_over_tcp_too(self):
        # Who else asks for a port that is free gets another one, as this one is bound; the speaker alone may share it.
        with socket.socket() as held:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind(("127.0.0.1", 0))
            speaker, address, token = self.speaker(f"tcp://127.0.0.1:{held.getsockname()[1]}")
            microphone = self.enter(started("microphone", address, token))
            player.wait_for("the stream", lambda: microphone.said().startswith("live"), microphone)
            microphone.send_signal(signal.SIGINT)
            self.assertEqual(self.ended(microphone), (130, "live\npaused\nlive\n"))
            self.assertEqual(self.ended(speaker), (0, f"{address} {token}\n"))

    def test_a_wrong_token_is_refused_and_the_right_one_is_let_in_after_it(self):
        speaker, address, token = self.speaker()
        refused = run("microphone", address, "secret")
        self.assertEqual((refused.returncode, refused.stderr), (3, "The token is not that of the port living-room.\n"))
        self.assertEqual(run("microphone", address, token, 1).returncode, 0)
        self.assertEqual(self.ended(speaker)[0], 0)

    def test_the_microphone_says_that_its_speaker_was_killed(self):
        speaker, address, token = self.speaker()
        microphone = self.enter(started("microphone", address, token))
        player.wait_for("the stream", lambda: microphone.said().startswith("live"), microphone)
        speaker.kill()
        code, said = self.ended(microphone)
        self.assertEqual(code, 6)
        self.assertRegex(said, r"^(live|paused|\n)*The other host closed the connection\.\n$")

    def test_the_speaker_says_that_its_microphone_was_killed(self):
        speaker, address, token = self.speaker()
        microphone = self.enter(started("microphone", address, token))
        player.wait_for("the stream", lambda: microphone.said().startswith("live"), microphone)
        microphone.kill()
        self.assertEqual(self.ended(speaker), (6, f"{address} {token}\nThe other host closed the connection.\n"))

    def test_nobody_there_is_told(self):
        result = run("microphone", f"unix:{self.folder}/nobody#living-room", "secret")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(result.stderr, f"Nobody could be reached at {self.folder}/nobody: No such file or directory.\n")

    def test_without_pipewire_there_is_no_sound_to_send_or_to_play(self):
        for words in (["speaker", f"{self.folder}/socket", "living-room"],
                      ["microphone", f"unix:{self.folder}/socket#living-room", "secret"]):
            result = run(*words, XDG_RUNTIME_DIR=self.folder, PIPEWIRE_RUNTIME_DIR=self.folder)
            self.assertEqual((result.returncode, result.stderr), (3, "PipeWire is not running.\n"))

    def test_what_it_does_not_understand_is_answered_with_its_usage(self):
        for words in ([], ["speaker"], ["microphone", "a", "b", "soon"], ["listener", "a", "b"]):
            result = run(*words)
            self.assertEqual(result.returncode, 2)
            self.assertTrue(result.stderr.startswith("usage: "), result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
