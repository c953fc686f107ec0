// SPDX-License-Identifier: Apache-2.0
//
// What tests of pointers share: they copy one 8x8 matrix of f16 from some place to another.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "harness/compute.hpp"
#include "harness/random.hpp"

namespace coopvk::test {

inline constexpr uint32_t kRows = 8, kColumns = 8, kElements = kRows * kColumns;
inline constexpr size_t kBytes = kElements * 2;  // f16

// A buffer of f16.
inline Bytes halves(Rng& rng, uint32_t matrices) { return rng.bytes(matrices * kBytes); }

// That a matrix was copied between these places of the buffers, and nothing else changed.
inline void expectCopy(const std::vector<Bytes>& before, const std::vector<Bytes>& after,
                       size_t fromBuffer, size_t fromOffset, size_t toBuffer, size_t toOffset) {
    std::vector<Bytes> expected = before;
    std::copy_n(before[fromBuffer].begin() + static_cast<std::ptrdiff_t>(fromOffset), kBytes,
                expected[toBuffer].begin() + static_cast<std::ptrdiff_t>(toOffset));
    for (size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
}

}  // namespace coopvk::test
