// SPDX-License-Identifier: Apache-2.0
//
// Choices of the rewriter's plan, for tests: results are the same with each of them.
#pragma once

#include <algorithm>

#include "coopvk/rewrite.hpp"
#include "numbers.hpp"

namespace coopvk::test {

// One in four of the features that some devices have, and others lack.
inline void changeFeatures(rewrite::DeviceTraits& device, check::Random& random) {
    using Device = rewrite::DeviceTraits;
    constexpr bool Device::* kFeatures[] = {
        &Device::robustBufferAccess, &Device::shaderIntegerDotProduct,
        &Device::subgroupArithmetic, &Device::subgroupBallot,
        &Device::subgroupVote,       &Device::computeFullSubgroups,
        &Device::shaderInt64,        &Device::vulkanMemoryModel,
        &Device::scalarBlockLayout,
    };
    for (bool Device::* feature : kFeatures) {
        if (random.below(4) == 0) device.*feature = !(device.*feature);
    }
}

inline void changeMemory(rewrite::DeviceTraits& device, check::Random& random) {
    constexpr uint32_t kLeastShared = 16384;  // Vulkan's required limit
    device.maxComputeSharedMemorySize = kLeastShared << random.below(3);
    device.shaderBufferFloat32AtomicAdd = random.below(4) == 0;
}

// One choice in four has another value than the device's plan gives it.
inline rewrite::MatrixTuning randomTuning(uint64_t seed, uint32_t lanes) {
    check::Random random(seed);
    const auto choose = [&](auto& choice, auto value) {
        if (random.below(4) == 0) choice = value;
    };
    const auto powerBelow = [&](uint32_t end) { return 1u << random.below(end); };
    rewrite::MatrixTuning tuning;
    choose(tuning.gridRows, std::min(powerBelow(6), lanes));
    choose(tuning.rowBlock, powerBelow(5) / 2);
    choose(tuning.columnBlock, powerBelow(5) / 2);
    choose(tuning.halfPairsAlongK, random.below(2) == 0);
    choose(tuning.unrolledProducts, powerBelow(12));
    choose(tuning.sliceDepth, powerBelow(5) / 2 * 4);
    choose(tuning.rollSlices, random.below(2) == 0);
    choose(tuning.sharedSingles, random.below(2) == 0);
    choose(tuning.joinLoops, random.below(2) == 0);
    choose(tuning.joinTails, random.below(2) == 0);
    choose(tuning.openSums, random.below(2) == 0);
    choose(tuning.smallProduct, powerBelow(13) / 2);
    choose(tuning.linesAtOnce, 2 * powerBelow(2));
    choose(tuning.tileColumns, 2 * powerBelow(3));
    choose(tuning.shiftsRows, random.below(2) == 0);
    return tuning;
}

}  // namespace coopvk::test
