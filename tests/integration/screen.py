# SPDX-License-Identifier: Apache-2.0
"""What the X server shows, and somebody who sits before it: a pointer and keys. Without a window manager a window stays where it
is put, and keys go to the one under the pointer."""
import ctypes
import subprocess

import player

COLOURS = {"red": (255, 0, 0), "lime": (0, 255, 0), "blue": (0, 0, 255), "yellow": (255, 255, 0)}


def told(*command):
    """What a command says; one that fails has nothing to say."""
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=player.PATIENCE).stdout


def pixels(*options):
    """The red, green and blue of each, of the screen as the options of ImageMagick's `import` have it."""
    return subprocess.run(["import", "-window", "root", *options, "-depth", "8", "rgb:-"],
                          capture_output=True, check=True, timeout=player.PATIENCE).stdout


def shot(x, y, width, height):
    return pixels("-crop", f"{width}x{height}+{x}+{y}")


def alike(one, other):
    """Whether two shots of one place show the same, but for what another scaler makes of it."""
    return all(abs(a - b) < 50 for a, b in zip(one, other))


def colours(*options):
    """How many different ones there are, of a screen made small."""
    small = pixels(*options, "-resize", "64x40!")
    return len({small[i:i + 3] for i in range(0, len(small), 3)})


def colour(x, y):
    """The name of the one at this place; None for another."""
    pixel = shot(x, y, 1, 1)
    return next((name for name, wanted in COLOURS.items() if all(abs(a - b) < 40 for a, b in zip(pixel, wanted))), None)


def number(width):
    """Which one of films.numbered() a window so wide at the left edge of the screen shows; 0 without any, too."""
    row = shot(0, 200, width, 1)
    return sum(1 << digit for digit in range(16) if row[3 * (width * (2 * digit + 1) // 32)] > 128)


def windows(process, name):
    """Those of the process that are seen."""
    return told("xdotool", "search", "--all", "--onlyvisible", "--pid", process.pid, "--name", name).split()


def window(process, name):
    """The only one of that name, once it is there. A search may miss it while another program's window comes or goes."""
    def only():
        found = windows(process, name)
        return found[0] if len(found) == 1 else None
    return player.wait_for(f"one window '{name}'", only, process)


def shell(command, *arguments):
    """The lines NAME=VALUE that xdotool tells."""
    return set(told("xdotool", command, "--shell", *arguments).split())


def place(window, x, y):
    told("xdotool", "windowmove", window, x, y)
    player.wait_for("the window's place", lambda: {f"X={x}", f"Y={y}"} <= shell("getwindowgeometry", window))


def await_size(window, width, height):
    player.wait_for("the window's size", lambda: {f"WIDTH={width}", f"HEIGHT={height}"} <= shell("getwindowgeometry", window))


def resize(window, width, height):
    """In pixels. After await_size(): a window is mapped before it takes the size of --geometry."""
    told("xdotool", "windowsize", window, width, height)
    await_size(window, width, height)


def point(x, y, window):
    """Moves the pointer there, and waits until it stands over the window."""
    told("xdotool", "mousemove", x, y)
    player.wait_for(f"the pointer at {x}, {y}", lambda: {f"X={x}", f"Y={y}", f"WINDOW={window}"} <= shell("getmouselocation"))


def press(key):
    subprocess.run(["xdotool", "key", key], check=True, timeout=player.PATIENCE)


def write(text):
    subprocess.run(["xdotool", "type", text], check=True, timeout=player.PATIENCE)


def click(x, y, window):
    point(x, y, window)
    subprocess.run(["xdotool", "click", "1"], check=True, timeout=player.PATIENCE)


def double_click():
    """In one packet to the server, whose clock says how long it took: as two commands they may be too far from each other."""
    x11, test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    for pressed in (1, 0, 1, 0):
        test.XTestFakeButtonEvent(display, 1, pressed, ctypes.c_ulong(0))
    x11.XCloseDisplay(display)
