#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the sample data beside this file, always the same bytes. Needs nothing but Python."""

import math
import os
import struct
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(HERE, name)


class Random:
    """A small generator of our own, so that the data do not change with Python's."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def piano_roll(width, height):
    """The perforations of a player-piano roll: bright dashes in tracks on dark paper."""
    random = Random(1887)
    pixels = [[16] * width for _ in range(height)]
    for track in range(8, height - 8, 8):
        x = 8 + random.below(24)
        while x < width - 16:
            length = 4 + random.below(28)
            for y in range(track, track + 4):
                for i in range(x, min(x + length, width - 8)):
                    pixels[y][i] = 240
            x += length + 6 + random.below(40)
    return pixels


def keyboard(width, height):
    """RGB: two octaves of piano keys below a sunrise of soft discs."""
    rows = []
    split = height * 3 // 5
    white = width / 14
    black_after = {0, 1, 3, 4, 5}
    for y in range(height):
        row = []
        for x in range(width):
            if y < split:
                d = math.hypot(x - width / 2, y - split) / width
                glow = 0.5 + 0.5 * math.cos(d * 40)
                row.append((int(60 + 190 * glow * max(0.0, 1 - d)), int(40 + 120 * glow * max(0.0, 1 - 1.5 * d)), 70))
                continue
            key = int(x / white)
            inside = x / white - key
            level = 235 if 0.04 < inside < 0.96 else 60
            if y < split + (height - split) * 3 // 5:
                for k in (key - 1, key):
                    if k >= 0 and k % 7 in black_after and abs(x / white - (k + 1)) < 0.3:
                        level = 20
            row.append((level, level, level - 5))
        rows.append(row)
    return rows


def write_pgm(name, pixels):
    with open(path(name), "wb") as f:
        f.write(b"P5\n%d %d\n255\n" % (len(pixels[0]), len(pixels)))
        for row in pixels:
            f.write(bytes(row))


def write_png(name, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    data = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    with open(path(name), "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


def write_laplacian(name, n):
    """The 5-point Laplacian of an n x n grid: symmetric, positive definite, lower triangle only."""
    entries = []
    for i in range(n):
        for j in range(n):
            row = i * n + j
            if i > 0:
                entries.append((row, row - n, -1))
            if j > 0:
                entries.append((row, row - 1, -1))
            entries.append((row, row, 4))
    with open(path(name), "w", newline="\n") as f:
        f.write("%%MatrixMarket matrix coordinate real symmetric\n")
        f.write("% 5-point Laplacian of a {0} x {0} grid, made by generate.py\n".format(n))
        f.write("{0} {0} {1}\n".format(n * n, len(entries)))
        for row, column, value in entries:
            f.write("{} {} {}\n".format(row + 1, column + 1, value))


write_pgm("piano_roll.pgm", piano_roll(256, 256))
write_png("keyboard.png", keyboard(420, 300))
write_laplacian("laplacian_32x32.mtx", 32)
