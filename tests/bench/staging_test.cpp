// SPDX-License-Identifier: Apache-2.0
//
// Tests the arithmetic by which the matrix kernels of this folder divide their copies to shared
// memory: each piece is copied once at every subgroup size that Vulkan drivers have, also at sizes
// of drivers that cannot run the kernels.
#include "shaders/staging.glsl"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

constexpr uint32_t kSubgroups = 8;  // of a workgroup, in gemm.comp and int_gemm.comp

struct Copy {
    const char* what;
    uint32_t parts;  // of 16 bytes
};
constexpr Copy kCopies[] = {
    {"gemm A, 128 x 32 f16", 128 * 32 / 8},
    {"gemm B, 32 x 128 f16", 32 * 128 / 8},
    {"int_gemm, 128 x 64 bytes", 128 * 64 / 16},
    {"int_gemm, 128 x 64 nibbles", 128 * 64 / 32},
};

// How often each part is copied.
std::vector<uint32_t> timesCopied(uint32_t parts, uint32_t threads) {
    std::vector<uint32_t> times(parts);
    for (uint32_t step = 0; step < STAGING_STEPS(parts, threads); ++step)
        for (uint32_t thread = 0; thread < threads; ++thread) {
            const uint32_t part = STAGING_PART(step, thread, threads);
            if (STAGING_HAS(part, parts, threads)) ++times.at(part);
        }
    return times;
}

TEST(BenchStaging, CopiesEachPartOnceAtEverySubgroupSize) {
    for (const Copy& copy : kCopies)
        for (uint32_t size = 4; size <= 128; size *= 2)
            EXPECT_EQ(timesCopied(copy.parts, kSubgroups * size),
                      std::vector<uint32_t>(copy.parts, 1))
                << copy.what << " at " << size << " lanes";
}

}  // namespace
