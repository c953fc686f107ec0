// SPDX-License-Identifier: Apache-2.0
//
// Texels of BC6H (Khronos Data Format Specification, "BC6H").
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "images/blocks.hpp"
#include "numbers/exact.hpp"

namespace coopvk::reference::images {
namespace {

using numbers::lowBits;

// The fields behind the mode's number, as the specification writes them: channel, endpoint, bits.
struct Bc6hMode {
    uint8_t number, numberBits, bits;  // bits of the first endpoint
    bool isTransformed;                // the others are differences to the first
    uint8_t subsets;
    std::string_view fields;
};
constexpr Bc6hMode kBc6hModes[] = {
    {0, 2, 10, true, 2,
     "g2[4] b2[4] b3[4] r0[9:0] g0[9:0] b0[9:0] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] "
     "g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"},
    {1, 2, 7, true, 2,
     "g2[5] g3[4] g3[5] r0[6:0] b3[0] b3[1] b2[4] g0[6:0] b2[5] b3[2] g2[4] b0[6:0] "
     "b3[3] b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] "
     "r3[5:0]"},
    {2, 5, 11, true, 2,
     "r0[9:0] g0[9:0] b0[9:0] r1[4:0] r0[10] g2[3:0] g1[3:0] g0[10] b3[0] g3[3:0] "
     "b1[3:0] b0[10] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"},
    {6, 5, 11, true, 2,
     "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] g3[4] g2[3:0] g1[4:0] g0[10] g3[3:0] "
     "b1[3:0] b0[10] b3[1] b2[3:0] r2[3:0] b3[0] b3[2] r3[3:0] g2[4] b3[3]"},
    {10, 5, 11, true, 2,
     "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10] b2[4] g2[3:0] g1[3:0] g0[10] b3[0] "
     "g3[3:0] b1[4:0] b0[10] b2[3:0] r2[3:0] b3[1] b3[2] r3[3:0] b3[4] b3[3]"},
    {14, 5, 9, true, 2,
     "r0[8:0] b2[4] g0[8:0] g2[4] b0[8:0] b3[4] r1[4:0] g3[4] g2[3:0] g1[4:0] b3[0] "
     "g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"},
    {18, 5, 8, true, 2,
     "r0[7:0] g3[4] b2[4] g0[7:0] b3[2] g2[4] b0[7:0] b3[3] b3[4] r1[5:0] g2[3:0] "
     "g1[4:0] b3[0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[5:0] r3[5:0]"},
    {22, 5, 8, true, 2,
     "r0[7:0] b3[0] b2[4] g0[7:0] g2[5] g2[4] b0[7:0] g3[5] b3[4] r1[4:0] g3[4] "
     "g2[3:0] g1[5:0] g3[3:0] b1[4:0] b3[1] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"},
    {26, 5, 8, true, 2,
     "r0[7:0] b3[1] b2[4] g0[7:0] b2[5] g2[4] b0[7:0] b3[5] b3[4] r1[4:0] g3[4] "
     "g2[3:0] g1[4:0] b3[0] g3[3:0] b1[5:0] b2[3:0] r2[4:0] b3[2] r3[4:0] b3[3]"},
    {30, 5, 6, false, 2,
     "r0[5:0] g3[4] b3[1:0] b2[4] g0[5:0] g2[5] b2[5] b3[2] g2[4] b0[5:0] g3[5] b3[3] "
     "b3[5] b3[4] r1[5:0] g2[3:0] g1[5:0] g3[3:0] b1[5:0] b2[3:0] r2[5:0] r3[5:0]"},
    {3, 5, 10, false, 1, "r0[9:0] g0[9:0] b0[9:0] r1[9:0] g1[9:0] b1[9:0]"},
    {7, 5, 11, true, 1, "r0[9:0] g0[9:0] b0[9:0] r1[8:0] r0[10] g1[8:0] g0[10] b1[8:0] b0[10]"},
    {11, 5, 12, true, 1,
     "r0[9:0] g0[9:0] b0[9:0] r1[7:0] r0[10:11] g1[7:0] g0[10:11] b1[7:0] b0[10:11]"},
    {15, 5, 16, true, 1,
     "r0[9:0] g0[9:0] b0[9:0] r1[3:0] r0[10:15] g1[3:0] g0[10:15] b1[3:0] b0[10:15]"},
};

using Bc6hEndpoints = std::array<std::array<int32_t, 3>, 4>;

struct Fields {
    Bc6hEndpoints ends = {};
    std::array<uint32_t, 3> widths = {};  // of endpoints but the first
};

// One bit of an endpoint.
void takeBit(Fields& fields, BlockBits& block, uint32_t channel, uint32_t end, uint32_t bit) {
    fields.ends[end][channel] |= int32_t(block.take(1) << bit);
    if (end != 0) fields.widths[channel] = std::max(fields.widths[channel], bit + 1);
}

uint32_t numberIn(std::string_view text) {
    uint32_t number = 0;
    for (const char digit : text) number = number * 10 + uint32_t(digit - '0');
    return number;
}

// In [last:first], the bit on the right comes first.
Fields takeFields(std::string_view text, BlockBits& block) {
    Fields fields;
    while (!text.empty()) {
        const size_t length = std::min(text.find(' '), text.size());
        const std::string_view field = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        const uint32_t channel = field[0] == 'r' ? 0 : field[0] == 'g' ? 1 : 2;
        const auto end = uint32_t(field[1] - '0');
        const size_t colon = std::min(field.find(':'), field.size() - 1);
        const uint32_t last = numberIn(field.substr(3, colon - 3));
        const bool isRange = colon != field.size() - 1;
        uint32_t bit = isRange ? numberIn(field.substr(colon + 1, field.size() - colon - 2)) : last;
        while (bit != last) {
            takeBit(fields, block, channel, end, bit);
            bit += bit < last ? 1 : -1;
        }
        takeBit(fields, block, channel, end, last);
    }
    return fields;
}

int32_t signExtended(int32_t number, uint32_t bits) {
    return int32_t(uint32_t(number) << (32 - bits)) >> (32 - bits);
}

// To 16 bits.
int32_t unquantized(int32_t number, uint32_t bits, bool isSigned) {
    if (bits >= 15 + uint32_t(isSigned)) return number;
    const int32_t size = std::abs(number), most = int32_t(lowBits(bits - uint32_t(isSigned)));
    if (size == 0) return 0;
    const int32_t wide =
        size >= most ? isSigned ? 0x7FFF : 0xFFFF : ((size << 15) + 0x4000) >> (bits - 1);
    return number < 0 ? -wide : wide;
}

Bc6hEndpoints endpointsOf(const Bc6hMode& mode, const Fields& fields, bool isSigned) {
    Bc6hEndpoints ends = fields.ends;
    for (uint32_t end = 0; end < 2u * mode.subsets; ++end)
        for (uint32_t c = 0; c < 3; ++c) {
            int32_t number = ends[end][c];
            if (mode.isTransformed && end != 0) {
                number = fields.ends[0][c] + signExtended(number, fields.widths[c]);
                number &= int32_t(lowBits(mode.bits));
            }
            if (isSigned) number = signExtended(number, mode.bits);
            ends[end][c] = unquantized(number, mode.bits, isSigned);
        }
    return ends;
}

// The bits of a half.
uint16_t halfOf(int32_t number, bool isSigned) {
    if (!isSigned) return uint16_t(number * 31 >> 6);
    const int32_t size = std::abs(number) * 31 >> 5;
    return uint16_t(number < 0 ? size | 0x8000 : size);
}

constexpr TexelFormat kHalves{.bytes = 6,
                              .count = 3,
                              .components = {{{TexelKind::kFloat, 0, 0, 16},
                                              {TexelKind::kFloat, 1, 16, 16},
                                              {TexelKind::kFloat, 2, 32, 16}}}};

}  // namespace

Texel bc6hTexel(const BlockBits& block, bool isSigned, uint32_t texel) {
    const auto* const mode = std::ranges::find_if(kBc6hModes, [&](const Bc6hMode& each) {
        return block.at(0, each.numberBits) == each.number;
    });
    if (mode == std::end(kBc6hModes)) return {0, 0, 0, 1};  // "reserved"
    BlockBits rest(block, mode->numberBits);
    const Fields fields = takeFields(mode->fields, rest);
    const Bc6hEndpoints ends = endpointsOf(*mode, fields, isSigned);
    const uint32_t partition = mode->subsets == 2 ? rest.take(5) : 0;
    const uint32_t subset = subsetOf(mode->subsets, partition, texel);
    const uint32_t bits = mode->subsets == 2 ? 3 : 4;
    const uint32_t index = indexOf(block, rest.next(), bits, mode->subsets, partition, texel);
    TexelBytes bytes{};
    for (uint32_t c = 0; c < 3; ++c) {
        const uint16_t half =
            halfOf(between(ends[2 * subset][c], ends[2 * subset + 1][c], index, bits), isSigned);
        std::memcpy(bytes.data() + 2 * c, &half, sizeof half);
    }
    return decodeTexel(kHalves, bytes);
}

}  // namespace coopvk::reference::images
