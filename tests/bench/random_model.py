#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a model of random weights for llama.cpp, a GGUF file of the architecture "llama".

usage: random_model.py SIZE TYPE FILE

SIZE   tiny (12 million parameters), 1b or 7b
TYPE   of the matrices: f16 or q4_0
FILE   what to write

The weights are small and finite, and the same in each file of the same SIZE and TYPE. The model says
nothing of sense, but programs take as much time for it as for one that does. ggml's page
gguf.md describes the format.
"""
import math
import os
import random
import struct
import sys

# Width, layers, width of the feed-forward part, heads, heads of keys and values, tokens. The larger ones
# are as usual models of these sizes.
SIZES = {
    "tiny": (512, 4, 1408, 8, 4, 512),
    "1b": (2048, 16, 8192, 32, 8, 32000),
    "7b": (4096, 32, 11008, 32, 32, 32000),
}
CONTEXT = 4096
ALIGNMENT = 32

# Numbers of the format: kinds of values, then types of tensors.
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
TENSOR_F32 = 0
# Type: its number, the number that a file of it has, weights in a block, bytes of a block.
TYPES = {"f16": (1, 1, 1, 2), "q4_0": (2, 2, 32, 18)}

# Bytes of the pattern that all matrices repeat: an odd number of blocks of any type, so that rows differ.
PATTERN_BYTES = 18 * 524287
EXPONENT = -7  # of the weights


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    """A key of the metadata and its value."""
    code = {U32: "<I", I32: "<i", F32: "<f"}
    data = string(value) if kind == STRING else struct.pack(code[kind], value)
    return string(key) + struct.pack("<I", kind) + data


def array(key, kind, values):
    head = string(key) + struct.pack("<IIQ", ARRAY, kind, len(values))
    if kind == STRING:
        return head + b"".join(map(string, values))
    code = {I32: "i", F32: "f"}[kind]
    return head + struct.pack(f"<{len(values)}{code}", *values)


def vocabulary(count):
    """Tokens, scores and kinds as SentencePiece has them: three for control, one for each byte, words."""
    unknown, control, byte, normal = 2, 3, 6, 1
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{value:02X}>" for value in range(256)]
    kinds = [unknown, control, control] + [byte] * 256
    tokens += [f"\u2581w{number}" for number in range(count - len(tokens))]
    kinds += [normal] * (count - len(kinds))
    return [
        entry("tokenizer.ggml.model", STRING, "llama"),
        array("tokenizer.ggml.tokens", STRING, tokens),
        array("tokenizer.ggml.scores", F32, [-float(number) for number in range(count)]),
        array("tokenizer.ggml.token_type", I32, kinds),
        entry("tokenizer.ggml.unknown_token_id", U32, 0),
        entry("tokenizer.ggml.bos_token_id", U32, 1),
        entry("tokenizer.ggml.eos_token_id", U32, 2),
    ]


def metadata(size, kind):
    width, layers, inner, heads, kv_heads, tokens = SIZES[size]
    return [
        entry("general.architecture", STRING, "llama"),
        entry("general.name", STRING, f"random {size}"),
        entry("general.file_type", U32, TYPES[kind][1]),
        entry("general.quantization_version", U32, 2),
        entry("general.alignment", U32, ALIGNMENT),
        entry("llama.context_length", U32, CONTEXT),
        entry("llama.embedding_length", U32, width),
        entry("llama.block_count", U32, layers),
        entry("llama.feed_forward_length", U32, inner),
        entry("llama.attention.head_count", U32, heads),
        entry("llama.attention.head_count_kv", U32, kv_heads),
        entry("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        entry("llama.rope.dimension_count", U32, width // heads),
        entry("llama.vocab_size", U32, tokens),
    ] + vocabulary(tokens)


def tensors(size):
    """Names and shapes; the first number is the length of a row. One number: a norm."""
    width, layers, inner, heads, kv_heads, tokens = SIZES[size]
    narrow = width // heads * kv_heads
    yield "token_embd.weight", (width, tokens)
    for layer in range(layers):
        for name, shape in (
                ("attn_norm", (width,)),
                ("attn_q", (width, width)),
                ("attn_k", (width, narrow)),
                ("attn_v", (width, narrow)),
                ("attn_output", (width, width)),
                ("ffn_norm", (width,)),
                ("ffn_gate", (width, inner)),
                ("ffn_up", (width, inner)),
                ("ffn_down", (inner, width))):
            yield f"blk.{layer}.{name}.weight", shape
    yield "output_norm.weight", (width,)
    yield "output.weight", (width, tokens)


def pattern(kind, exponent=EXPONENT):
    """PATTERN_BYTES of random weights: f16 of that exponent, or q4_0 of about that."""
    data = bytearray(random.Random(1).randbytes(PATTERN_BYTES))
    if kind == "f16":  # sign and mantissa at random
        data[1::2] = bytes(data[1::2]).translate(bytes(b & 0x83 | exponent + 15 << 2 for b in range(256)))
    else:  # a scale of half of that; each nibble is a number from -8 to 7
        blocks = PATTERN_BYTES // 18
        data[0::18] = bytes(blocks)
        data[1::18] = bytes([exponent + 14 << 2]) * blocks
    return bytes(data)


def write_pattern(file, data, count, block):
    """COUNT bytes of the pattern, not from the same place as the last tensor."""
    place = file.tell() // block * block % len(data)
    view = memoryview(data)
    while count > 0:
        part = view[place:place + count]
        file.write(part)
        count -= len(part)
        place = 0


def aligned(number):
    return (number + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def write(size, kind, file):
    number, _, per_block, block = TYPES[kind]
    entries, infos, sizes, offset = metadata(size, kind), [], [], 0
    for name, shape in tensors(size):
        norm = len(shape) == 1
        sizes.append((norm, shape[0] * 4 if norm else math.prod(shape) // per_block * block))
        infos.append(string(name) + struct.pack(
            f"<I{len(shape)}QIQ", len(shape), *shape, TENSOR_F32 if norm else number, offset))
        offset += aligned(sizes[-1][1])
    file.write(struct.pack("<4sIQQ", b"GGUF", 3, len(infos), len(entries)))
    file.write(b"".join(entries + infos))
    data = pattern(kind)
    for norm, count in sizes:
        file.write(bytes(aligned(file.tell()) - file.tell()))
        if norm:
            file.write(struct.pack("<f", 1.0) * (count // 4))
        else:
            write_pattern(file, data, count, block)
    file.write(bytes(aligned(file.tell()) - file.tell()))


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in SIZES or sys.argv[2] not in TYPES:
        sys.exit(__doc__)
    size, kind, path = sys.argv[1:]
    with open(path + ".new", "wb") as file:
        write(size, kind, file)
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
