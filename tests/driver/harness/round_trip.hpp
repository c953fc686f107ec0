// SPDX-License-Identifier: Apache-2.0
//
// A matrix converted there and back in command buffers.
#pragma once

#include <string_view>
#include <vector>

#include "compute.hpp"
#include "conversion.hpp"

namespace coopvk::test {

// 4x4 from rows of float32 to the training layout, and back. Exact: the elements are halves.
extern const ConversionRequest kThere;
extern const ConversionRequest kBack;

// Sixteen floats that halves can hold.
Bytes halves(std::string_view seed);

// A source, an optimal matrix, the result.
std::vector<Bytes> roundTripBuffers();

void recordThere(VkCommandBuffer commands, const Memory& memory);
void recordBack(VkCommandBuffer commands, const Memory& memory);

// Runs what records both, and compares the results.
void expectRoundTrip(const Recorder& record);

}  // namespace coopvk::test
