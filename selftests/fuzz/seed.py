#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR MIT
"""seed.py GOLDEN.H CORPUS: the captured messages as inputs for the fuzzers."""

import os
import re
import sys

# What precedes the message in a target's input: see the targets.
PREFIX = {
    "clc": [b"\0"],
    "llc": [b"\x02", b"\x03", b"\x0e"],
    "negotiate": [b"\x1c\xff\x01\0\1S", b"\0\0\0\0\0"],
}


def put(corpus, target, name, data):
    folder = os.path.join(corpus, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(data)


def udp_frame(message):
    bth = bytes([4, 0, 255, 255, 0, 0, 0, 17, 0, 0, 0, 1])
    udp = (0xC000).to_bytes(2, "big") + (4791).to_bytes(2, "big") + (24 + len(message)).to_bytes(2, "big") + b"\0\0"
    ip = b"\x45\0" + (44 + len(message)).to_bytes(2, "big") + b"\0\0\0\0\x40\x11\0\0\x0a\0\0\2\x0a\0\0\1"
    return b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip + udp + bth + message + b"\0\0\0\0"


def segment(how, data=b"", shift=0):
    """Segments of fuzz_decode.c's streams."""
    out = b""
    while True:
        out += bytes([how, shift, min(len(data), 255)]) + data[:255]
        data = data[255:]
        if not data:
            return out


def seed_streams(corpus, messages):
    """1 SYN, 2 ACK, 4 option, 8 back, 16 nothing of the SYN's data taken, 32 cut."""
    prop, acc, conf = (messages[name] for name in ("proposal_612", "accept_612_first", "confirm_612_first"))
    early = prop[:5] + (len(prop) + 26).to_bytes(2, "big") + prop[7:-4] + bytes(26) + prop[-4:]
    answers = segment(10, acc) + segment(2, conf)
    put(corpus, "decode", "stream", b"\0" + segment(5) + segment(15) + segment(2, prop) + answers)
    put(corpus, "decode", "fastopen", b"\0" + segment(5, early) + segment(15) + answers)
    half = 256 - len(early) // 2
    put(corpus, "decode", "refused", b"\0" + segment(5, early) + segment(31) + segment(2, b"", half) + segment(2, prop, half) +
        answers)
    put(corpus, "decode", "cut", b"\0" + segment(37) + segment(47) + segment(34, prop) + segment(42, acc) + segment(34, conf))
    put(corpus, "decode", "half", b"\0" + segment(66, prop) + segment(15) + segment(2, prop) + segment(10, acc))


def seed_decode(corpus, name, message, target):
    put(corpus, "decode", f"{name}-text", b"\x02" + message.hex().encode())
    if target == "clc":
        put(corpus, "decode", f"{name}-stream", b"\0" + segment(5) + segment(2, message))
        put(corpus, "decode", f"{name}-json", b"\x80" + segment(5) + segment(2, message))
    else:
        frame = udp_frame(message)
        put(corpus, "decode", f"{name}-send", b"\1" + message)
        if len(frame) < 256:
            put(corpus, "decode", f"{name}-frame", b"\x03" + bytes([len(frame)]) + frame)


def main():
    text = open(sys.argv[1], encoding="ascii").read()
    corpus = sys.argv[2]
    messages = {}
    for name, body in re.findall(r'{ "(\w+)",\s*((?:"[0-9a-f]+"\s*)+)}', text):
        message = bytes.fromhex("".join(re.findall('"([0-9a-f]+)"', body)))
        messages[name] = message
        targets = ["clc", "negotiate"] if message[:3] == b"\xe2\xd4\xc3" else ["llc"]
        for target in targets:
            for i, prefix in enumerate(PREFIX[target]):
                put(corpus, target, f"{name}-{i}", prefix + message)
        seed_decode(corpus, name, message, targets[0])
    seed_streams(corpus, messages)
    put(corpus, "cursor", "walk", bytes([0, 0]) + bytes([2, 0, 0, 99, 99, 0, 0, 0, 50, 50, 7, 0, 0, 1, 2] * 8))
    put(corpus, "close", "both", bytes([0x04, 0x0f, 0x05, 0x0e]))
    put(corpus, "close", "half", bytes([0x00, 0x0f, 0x01, 0x0e, 0x04, 0x0f, 0x05, 0x0e]))


main()
