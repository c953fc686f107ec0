#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model of random weights for whisper.cpp, a file of the format that its converter writes.

usage: random_whisper.py SIZE TYPE FILE

SIZE   tiny (9 million parameters), medium (760 million) or large (1.5 billion)
TYPE   of the matrices: f16 or q4_0
FILE   what to write

The weights are those of random_model.py.
"""
import math
import os
import struct
import sys

from random_model import TYPES, pattern, write_pattern

# Width, heads, layers, of the encoder and the decoder alike. The larger ones are as usual.
SIZES = {"tiny": (128, 2, 4), "medium": (1024, 16, 24), "large": (1280, 20, 32)}
AUDIO_CONTEXT, TEXT_CONTEXT, MELS, FREQUENCIES = 1500, 448, 80, 201
TOKENS, NAMED_TOKENS = 51865, 50257  # the program makes up names of the others
QUANTIZATION_VERSION = 2
F32, F16 = "f32", "f16"


def linear(name, inputs, outputs, kind, bias=True):
    yield f"{name}.weight", (inputs, outputs), kind
    if bias:
        yield f"{name}.bias", (outputs,), F32


def norm(name, width):
    yield f"{name}.weight", (width,), F32
    yield f"{name}.bias", (width,), F32


def attention(name, width, kind):
    yield from norm(f"{name}_ln", width)
    for part in "query", "key", "value", "out":
        yield from linear(f"{name}.{part}", width, width, kind, part != "key")


def blocks(name, width, layers, kind, attentions):
    for layer in range(layers):
        block = f"{name}.blocks.{layer}"
        for part in attentions:
            yield from attention(f"{block}.{part}", width, kind)
        yield from norm(f"{block}.mlp_ln", width)
        yield from linear(f"{block}.mlp.0", width, 4 * width, kind)
        yield from linear(f"{block}.mlp.2", 4 * width, width, kind)


def tensors(size, kind):
    """Names, shapes (the length of a row first) and types."""
    width, _, layers = SIZES[size]
    yield "encoder.positional_embedding", (width, AUDIO_CONTEXT), F32
    for name, inputs in (("conv1", MELS), ("conv2", width)):
        yield f"encoder.{name}.weight", (3, inputs, width), F16
        yield f"encoder.{name}.bias", (1, width), F32
    yield from blocks("encoder", width, layers, kind, ("attn",))
    yield from norm("encoder.ln_post", width)
    yield "decoder.positional_embedding", (width, TEXT_CONTEXT), F32
    yield "decoder.token_embedding.weight", (width, TOKENS), kind
    yield from blocks("decoder", width, layers, kind, ("attn", "cross_attn"))
    yield from norm("decoder.ln", width)


def head(size, kind):
    width, heads, layers = SIZES[size]
    number = TYPES[kind][1]
    data = struct.pack(
        "<12i", 0x67676d6c, TOKENS, AUDIO_CONTEXT, width, heads, layers, TEXT_CONTEXT, width, heads,
        layers, MELS, number if kind == F16 else QUANTIZATION_VERSION * 1000 + number)
    data += struct.pack("<2i", MELS, FREQUENCIES)
    data += struct.pack("<f", 1 / FREQUENCIES) * (MELS * FREQUENCIES)
    # whisper.cpp looks for the blank, so as not to begin with it.
    names = [b" "] + [f" w{number}".encode() for number in range(1, NAMED_TOKENS)]
    data += struct.pack("<i", len(names))
    return data + b"".join(struct.pack("<i", len(name)) + name for name in names)


def write(size, kind, file):
    data = {kind: pattern(kind), F16: pattern(F16)}
    file.write(head(size, kind))
    for name, shape, what in tensors(size, kind):
        number, _, per_block, block = TYPES.get(what, (0, 0, 1, 4))
        file.write(struct.pack(f"<3i{len(shape)}i", len(shape), len(name), number, *shape) + name.encode())
        count = math.prod(shape)
        if what == F32:
            one = name.endswith("weight")  # of a norm
            file.write(struct.pack("<f", float(one)) * count)
        else:
            write_pattern(file, data[what], count // per_block * block, block)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in SIZES or sys.argv[2] not in TYPES:
        sys.exit(__doc__)
    size, kind, path = sys.argv[1:]
    with open(path + ".new", "wb") as file:
        write(size, kind, file)
    os.replace(path + ".new", path)


main()
