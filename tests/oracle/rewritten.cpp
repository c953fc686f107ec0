// SPDX-License-Identifier: Apache-2.0
#include "rewritten.hpp"

#include <cstdlib>
#include <string_view>

#include "coopvk/rewrite.hpp"
#include "device.hpp"

namespace coopvk::oracle {
namespace {

using Device = rewrite::DeviceTraits;

// Of each class of devices that the rewriter knows.
constexpr void (*kClasses[])(Device&) = {
    [](Device&) {},
    [](Device& d) { d.scalarRegisters = true; },
    [](Device& d) { d.isCpu = true; },
    [](Device& d) { d.dot4x8Signed = d.dot4x8Unsigned = true; },
};

// What some devices have, and others lack.
constexpr bool Device::* kFeatures[] = {
    &Device::shaderIntegerDotProduct, &Device::subgroupArithmetic,
    &Device::subgroupBallot,          &Device::subgroupVote,
    &Device::subgroupShuffle,         &Device::scalarBlockLayout,
    &Device::computeFullSubgroups,    &Device::dot4x8Mixed,
    &Device::dropsHalfRoundings,
};

// Choices that change no results.
rewrite::MatrixTuning tuningFor(Random& random) {
    rewrite::MatrixTuning tuning;
    const auto choose = [&](auto& choice, auto value) {
        if (random() % 3 == 0) choice = value;
    };
    choose(tuning.halfPairsAlongK, random() % 2 == 0);
    choose(tuning.unrolledProducts, uint32_t(1) << random() % 8);
    choose(tuning.sliceDepth, uint32_t(4) << random() % 3);
    choose(tuning.rollSlices, random() % 2 == 0);
    choose(tuning.joinTails, random() % 2 == 0);
    choose(tuning.openSums, random() % 2 == 0);
    choose(tuning.smallProduct, uint32_t(64) << random() % 8);
    choose(tuning.linesAtOnce, uint32_t(2) << random() % 2);
    choose(tuning.tileColumns, uint32_t(2) << random() % 3);
    choose(tuning.shiftsRows, random() % 2 == 0);
    choose(tuning.gridRows, uint32_t(1) << random() % 3);
    return tuning;
}

rewrite::Target targetFor(Random& random, uint32_t lanes) {
    rewrite::Target target;
    target.subgroupSize = lanes;
    target.backEnd = rewrite::BackEnd::kCore;
    Device& device = target.device;
    device.minSubgroupSize = 4;
    device.maxSubgroupSize = lanes == 32 && random() % 2 == 0 ? 32 : 128;
    device.maxComputeSharedMemorySize = 65536;
    device.shaderFloat64 = device.shaderInt64 = device.bufferDeviceAddress = true;
    kClasses[random() % std::size(kClasses)](device);
    for (bool Device::* feature : kFeatures) device.*feature = random() % 2 == 0;
    device.emulatesFloat16 = random() % 8 == 0;
    device.shaderFloat16 = !device.emulatesFloat16;
    target.tuning = tuningFor(random);
    return target;
}

}  // namespace

bool judgesRewriter() {
    const char* text = std::getenv("COOPVK_ORACLE_REWRITES");
    return text != nullptr && std::string_view(text) == "1";
}

void executeRewritten(reference::test::Execution& execution, const std::string& text) {
    const std::vector<uint32_t> words = reference::test::assemble(text);
    Random random(std::hash<std::string>()(text));
    rewrite::Target target = targetFor(random, execution.lanes);
    // Devices announce no modes of floats that are emulated.
    if (text.find("OpExecutionMode %main RoundingMode") != text.npos ||
        text.find("OpExecutionMode %main Denorm") != text.npos) {
        target.device.emulatesFloat16 = false;
        target.device.shaderFloat16 = true;
    }
    const auto result = rewrite::rewrite({.words = words}, target);
    if (result) return execute(execution, result->words);
    execute(execution, words);
    if (result.error().code != rewrite::ErrorCode::kUnsupported)
        execution.error += result.error().message;
}

}  // namespace coopvk::oracle
