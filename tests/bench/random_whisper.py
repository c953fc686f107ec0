#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model of random weights for whisper.cpp, a file of the format that its converter writes.

usage: random_whisper.py SIZE TYPE FILE

SIZE   mini (4 million parameters), tiny (9 million), medium (760 million) or large (1.5 billion)
TYPE   of the matrices: f16 or q4_0
FILE   what to write

The weights are those of random_model.py. Of a model of size mini they are so large that what it says depends on all
that it heard and said, and it hears and says little.
"""
import math
import os
import struct
import sys
from array import array

from random_model import EXPONENT, TYPES, pattern, write_pattern

# Width, heads, layers, of the encoder and the decoder alike, then parts of sound and tokens that they see at once. The
# larger ones are as usual.
SIZES = {"mini": (64, 1, 2, 128, 20), "tiny": (128, 2, 4, 1500, 448), "medium": (1024, 16, 24, 1500, 448),
         "large": (1280, 20, 32, 1500, 448)}
# Exponents of weights of mini: most keep the variance of a vector of its width. Some tokens are much more probable than
# others, and what was heard, which is a mean over all parts, counts as much as what was said.
EXPONENTS = {"token_embedding": -2, "cross_attn.out": 0, "": -3}
MELS, FREQUENCIES = 80, 201
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
    width, _, layers, sounds, texts = SIZES[size]
    yield "encoder.positional_embedding", (width, sounds), F32
    for name, inputs in (("conv1", MELS), ("conv2", width)):
        yield f"encoder.{name}.weight", (3, inputs, width), F16
        yield f"encoder.{name}.bias", (1, width), F32
    yield from blocks("encoder", width, layers, kind, ("attn",))
    yield from norm("encoder.ln_post", width)
    yield "decoder.positional_embedding", (width, texts), F32
    yield "decoder.token_embedding.weight", (width, TOKENS), kind
    yield from blocks("decoder", width, layers, kind, ("attn", "cross_attn"))
    yield from norm("decoder.ln", width)


def head(size, kind):
    width, heads, layers, sounds, texts = SIZES[size]
    number = TYPES[kind][1]
    data = struct.pack(
        "<12i", 0x67676d6c, TOKENS, sounds, width, heads, layers, texts, width, heads, layers,
        MELS, number if kind == F16 else QUANTIZATION_VERSION * 1000 + number)
    data += struct.pack("<2i", MELS, FREQUENCIES)
    data += struct.pack("<f", 1 / FREQUENCIES) * (MELS * FREQUENCIES)
    # whisper.cpp looks for the blank, so as not to begin with it.
    names = [b" "] + [f" w{number}".encode() for number in range(1, NAMED_TOKENS)]
    data += struct.pack("<i", len(names))
    return data + b"".join(struct.pack("<i", len(name)) + name for name in names)


def floats(name, shape):
    """Waves of many lengths tell places apart. Norms multiply by 1, and nothing is added."""
    if name.endswith("positional_embedding"):
        width, places = shape
        return array("f", (math.sin(place * (1 + column) + column)
                           for place in range(places) for column in range(width)))
    return array("f", [float(name.endswith("weight"))]) * math.prod(shape)


def write(size, kind, file):
    patterns = {}
    file.write(head(size, kind))
    for name, shape, what in tensors(size, kind):
        number, _, per_block, block = TYPES.get(what, (0, 0, 1, 4))
        file.write(struct.pack(f"<3i{len(shape)}i", len(shape), len(name), number, *shape) + name.encode())
        if what == F32:
            file.write(floats(name, shape).tobytes())
        else:
            exponent = next(value for part, value in EXPONENTS.items() if part in name) if size == "mini" else EXPONENT
            if (what, exponent) not in patterns:
                patterns[what, exponent] = pattern(what, exponent)
            write_pattern(file, patterns[what, exponent], math.prod(shape) // per_block * block, block)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in SIZES or sys.argv[2] not in TYPES:
        sys.exit(__doc__)
    size, kind, path = sys.argv[1:]
    with open(path + ".new", "wb") as file:
        write(size, kind, file)
    os.replace(path + ".new", path)


main()
