# SPDX-License-Identifier: Apache-2.0
"""Films made by ffmpeg for the tests, each once per run."""
import functools
import os
import pathlib
import subprocess
import tempfile

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="tactus-films-"))


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)


@functools.cache
def film(name, *options, pictures="testsrc2=sar=1", size="320x240", rate=30, seconds=2, sound=True,
         codec=("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p")):
    path = FOLDER / name
    source = ["-f", "lavfi", "-i", f"{pictures}:s={size}:r={rate}"]
    if sound:
        source += ["-f", "lavfi", "-i", "sine=440:r=48000"]
    ffmpeg(*source, "-t", seconds, *codec, *options, path)
    return path


def plain(seconds=2):
    return film(f"plain{seconds}.mp4", "-c:a", "aac", "-g", "30", seconds=seconds)


def coloured(colour):
    """Twenty seconds of nothing but this colour."""
    return film(f"{colour}.mp4", "-c:a", "aac", "-g", "30", pictures=f"color={colour}", seconds=20)


def numbered():
    """A minute and a half of pictures that say their number, in 16 columns of black and white, the lowest digit on the left."""
    digits = "geq=lum='if(mod(floor(N/pow(2,X)),2),235,16)':cb=128:cr=128,scale=640:480:flags=neighbor,setsar=1"
    return film("numbered.mp4", "-vf", digits, "-c:a", "aac", "-g", "30", pictures="color=black", size="16x8", seconds=90)


def dense():
    """Half a second that needs more than 30 Mbit/s: what no two machines encode to less."""
    return film("dense.ts", "-c:a", "mp2", pictures="nullsrc=sar=1", size="640x480", seconds=0.5,
                codec=("-vf", "geq=random(1)*255:128:128", "-c:v", "mpeg2video", "-b:v", "40M", "-minrate", "40M",
                       "-maxrate", "40M", "-bufsize", "8M", "-pix_fmt", "yuv420p"))


@functools.cache
def streamed(kind):
    """Four seconds in segments of one second: the folder with film.m3u8 or film.mpd."""
    folder = FOLDER / kind
    folder.mkdir()
    options = ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", folder / "film.m3u8"] if kind == "hls" else \
        ["-f", "dash", "-seg_duration", "1", folder / "film.mpd"]
    ffmpeg("-i", plain(4), "-c", "copy", *options)
    return folder


def tactus():
    return os.environ["TACTUS"]
