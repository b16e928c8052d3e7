# SPDX-License-Identifier: Apache-2.0
"""Random loss of what comes by a network device, by an XDP program of a few instructions (Linux, bpf(2); generic mode)."""
import contextlib
import ctypes
import os
import socket
import struct

SYSCALL = 321  # bpf(2) of x86-64
PROG_LOAD, LINK_CREATE = 5, 28
PROG_TYPE_XDP, ATTACH_XDP, SKB_MODE = 6, 37, 2
DROP, PASS = 1, 2
GET_PRANDOM = 7  # bpf_get_prandom_u32()
RANGE = 1 << 16


def _bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(SYSCALL, command, buffer, len(attributes))
    if descriptor < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"bpf({command}): {os.strerror(error)}")
    return descriptor


def _instruction(operation, target=0, source=0, offset=0, value=0):
    return struct.pack("<BBhi", operation, source << 4 | target, offset, value)


def _program(share):
    """Drops that share of all packets, each by a number of its own."""
    return b"".join((
        _instruction(0x85, value=GET_PRANDOM),                       # r0 = random
        _instruction(0x54, value=RANGE - 1),                         # w0 &= 0xffff
        _instruction(0xb7, target=1, value=DROP),                    # r1 = drop
        _instruction(0xa5, offset=1, value=round(share * RANGE)),    # if r0 < share: skip one
        _instruction(0xb7, target=1, value=PASS),                    # r1 = pass
        _instruction(0xbf, source=1),                                # r0 = r1
        _instruction(0x95)))                                         # return


def _load(share):
    code = _program(share)
    program = ctypes.create_string_buffer(code, len(code))
    license_ = ctypes.create_string_buffer(b"Apache-2.0")
    return _bpf(PROG_LOAD, struct.pack("<IIQQIIQII16sII", PROG_TYPE_XDP, len(code) // 8, ctypes.addressof(program),
                                       ctypes.addressof(license_), 0, 0, 0, 0, 0, b"", 0, ATTACH_XDP))


def missing():
    """Why there can be none here; None where there can."""
    try:
        os.close(_load(0.5))
    except OSError as error:
        return str(error)
    return None


@contextlib.contextmanager
def losing(device, share):
    """Of the packets that come by the device of the namespace we are in, that share is lost until the end of the block."""
    program = _load(share)
    link = _bpf(LINK_CREATE, struct.pack("<IIII", program, socket.if_nametoindex(device), ATTACH_XDP, SKB_MODE))
    try:
        yield
    finally:
        os.close(link)
        os.close(program)
