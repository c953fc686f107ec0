#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What whisper-cli hears, for tests/apps/whisper.bash.

usage: whisper.py sound NUMBER FILE        writes two seconds of a tone, another one for each number
       whisper.py compare EXPECTED FILE    compares what whisper-cli wrote (--output-json-full)

Prints "RIGHT WRONG REMARK": tokens must be equal, and have nearly the same probabilities.
"""
import json
import math
import struct
import sys
import wave

RATE, SECONDS = 16000, 2
# Between the sound and a token there are some twenty products, one after the other. Each rounds its operands to f16,
# here or there in another order of the sums: 2^-11 of a number at most, 2^-11 / sqrt(3) of a product on average. So
# the logarithm of a probability, which is of the size 3 with the mini model, is off by sqrt(20) * 2^-11 / sqrt(3) * 3 =
# 0.4 %, and eight times as much hardly ever happens.
TOLERANCE = 0.03


def write_sound(number, path):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for i in range(SECONDS * RATE):
            value = 8000 * math.sin(i * 0.05 * number) * math.sin(i * 0.0013 * number)
            file.writeframesraw(struct.pack("<h", int(value)))


def tokens(path):
    with open(path, encoding="utf-8") as file:
        return [(token["id"], token["p"]) for part in json.load(file)["transcription"] for token in part["tokens"]]


def compare(expected, got):
    largest = max((abs(mine[1] / theirs[1] - 1) for mine, theirs in zip(got, expected)), default=math.inf)
    right = sum(mine[0] == theirs[0] and abs(mine[1] / theirs[1] - 1) <= TOLERANCE for mine, theirs in zip(got, expected))
    print(right, max(len(expected), len(got), 1) - right, f"probabilities differ by {100 * largest:.2f} % at most")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("sound", "compare"):
        sys.exit(__doc__)
    if sys.argv[1] == "sound":
        write_sound(int(sys.argv[2]), sys.argv[3])
    else:
        compare(tokens(sys.argv[2]), tokens(sys.argv[3]))


main()
