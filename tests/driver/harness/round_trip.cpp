// SPDX-License-Identifier: Apache-2.0
#include "round_trip.hpp"

#include <gtest/gtest.h>

#include "random.hpp"

namespace coopvk::test {
namespace {

constexpr MatrixType kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr MatrixType kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;

}  // namespace

const ConversionRequest kThere = {{kF32, kRowMajor, 16}, {kF16, kTraining}, 4, 4};
const ConversionRequest kBack = {{kF16, kTraining}, {kF32, kRowMajor, 16}, 4, 4};

Bytes halves(std::string_view seed) {
    Rng rng(seed);
    Bytes bytes(64);
    for (size_t at = 0; at < 64; at += 4)
        writeElement(bytes, at, kF32, encodeElement(kF32, static_cast<double>(rng.range(-99, 99))));
    return bytes;
}

std::vector<Bytes> roundTripBuffers() {
    return {halves("round trip"), Rng("optimal").bytes(querySize(kThere)), Rng("end").bytes(64)};
}

void recordThere(VkCommandBuffer commands, const Memory& memory) {
    recordConversion(commands, kThere, memory, 0, 64, 1, querySize(kThere));
}
void recordBack(VkCommandBuffer commands, const Memory& memory) {
    recordConversion(commands, kBack, memory, 1, querySize(kThere), 2, 64);
}

void expectRoundTrip(const Recorder& record) {
    const std::vector<Bytes> before = roundTripBuffers();
    const std::vector<Bytes> after = runCommands(before, record);
    EXPECT_EQ(difference(after[0], before[0]), "");
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[2], before[0]), "");
}

}  // namespace coopvk::test
