// SPDX-License-Identifier: Apache-2.0
//
// Texels of BC7 (Khronos Data Format Specification, "BC7").
#include <array>
#include <bit>
#include <utility>

#include "images/blocks.hpp"

namespace coopvk::reference::images {
namespace {

// Bits of each mode.
struct Bc7Mode {
    uint8_t subsets, partition, rotation, selection, color, alpha, ownP, sharedP, index, second;
};
constexpr Bc7Mode kBc7Modes[] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

using Bc7Endpoints = std::array<std::array<uint32_t, 4>, 6>;  // two of each subset

// To eight bits: the upper ones are repeated below.
uint32_t widened(uint32_t number, uint32_t bits) {
    return bits == 0 ? 255 : number << (8 - bits) | number >> (2 * bits - 8);
}

Bc7Endpoints takeBc7Endpoints(const Bc7Mode& mode, BlockBits& block) {
    Bc7Endpoints ends{};
    const uint32_t count = 2 * mode.subsets;
    for (uint32_t c = 0; c < 4; ++c)
        for (uint32_t e = 0; e < count; ++e)
            ends[e][c] = block.take(c < 3 ? mode.color : mode.alpha);
    std::array<uint32_t, 6> lowest{};
    for (uint32_t e = 0; e < count; ++e) {
        if (mode.ownP != 0) lowest[e] = block.take(1);
        if (mode.sharedP != 0) lowest[e] = e % 2 == 0 ? block.take(1) : lowest[e - 1];
    }
    const uint32_t more = mode.ownP + mode.sharedP;
    for (uint32_t e = 0; e < count; ++e)
        for (uint32_t c = 0; c < 4; ++c) {
            const uint32_t bits = c < 3 ? mode.color : mode.alpha;
            ends[e][c] = widened(ends[e][c] << more | lowest[e], bits == 0 ? 0 : bits + more);
        }
    return ends;
}

}  // namespace

Texel bc7Texel(BlockBits block, uint32_t texel) {
    const auto number = uint32_t(std::countr_zero(block.take(8) | 0x100));
    if (number == 8) return {};  // "reserved": zeros
    const Bc7Mode& mode = kBc7Modes[number];
    block = BlockBits(block, number + 1);
    const uint32_t partition = block.take(mode.partition), rotation = block.take(mode.rotation),
                   selection = block.take(mode.selection);
    const Bc7Endpoints ends = takeBc7Endpoints(mode, block);
    const uint32_t subset = subsetOf(mode.subsets, partition, texel);
    const uint32_t begin = block.next();
    uint32_t bits[] = {mode.index, mode.index};
    uint32_t indices[2];
    indices[0] = indices[1] = indexOf(block, begin, mode.index, mode.subsets, partition, texel);
    if (mode.second != 0) {
        bits[1] = mode.second;
        indices[1] = indexOf(block, begin + 16 * mode.index - 1, mode.second, 1, 0, texel);
        if (selection != 0) {
            std::swap(bits[0], bits[1]);
            std::swap(indices[0], indices[1]);
        }
    }
    Texel result;
    for (uint32_t c = 0; c < 4; ++c) {
        const auto& [a, b] = std::pair(ends[2 * subset][c], ends[2 * subset + 1][c]);
        result[c] = between(int32_t(a), int32_t(b), indices[c / 3], bits[c / 3]) / 255.0;
    }
    if (rotation != 0) std::swap(result[3], result[rotation - 1]);
    return result;
}

}  // namespace coopvk::reference::images
