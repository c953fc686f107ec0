// SPDX-License-Identifier: Apache-2.0
#include "ir/workgroup_size.hpp"

#include <format>

namespace coopvk::rewrite {

namespace {

std::array<uint32_t, 3> constants(const Module& module, const Instruction& i, size_t first) {
    std::array<uint32_t, 3> values = {0, 0, 0};
    for (size_t axis = 0; axis < 3; ++axis) {
        values[axis] =
            static_cast<uint32_t>(module.constantValue(i.word(first + axis)).value_or(0));
    }
    return values;
}

}  // namespace

std::optional<Error> checkWorkgroupSizes(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->word(1) != static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) continue;
        for (size_t axis = 0; axis < 3; ++axis) {
            if (module.constantValue(i->word(2 + axis)) != uint64_t{0}) continue;
            return Error{ErrorCode::kInvalidArgument,
                         std::format("entry point %{} has a workgroup size of zero", i->word(0))};
        }
    }
    return std::nullopt;
}

std::array<uint32_t, 3> localSize(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (decorates(*i, spv::Decoration::BuiltIn) &&
            i->word(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
            return constants(module, module.def(i->word(0)), 0);
        }
    }
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
            return {i->word(2), i->word(3), i->word(4)};
        }
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            return constants(module, *i, 2);
        }
    }
    return {0, 0, 0};
}

uint32_t invocationsOf(const Module& module) {
    constexpr uint32_t kMost = 1u << 16;
    uint64_t product = 1;
    for (const uint32_t size : localSize(module)) {
        if (size > kMost) return 0;
        product *= size;
    }
    return product > kMost ? 0 : static_cast<uint32_t>(product);
}

uint64_t subgroupsOf(const Module& module, uint32_t subgroupSize) {
    const auto [x, y, z] = localSize(module);
    return (uint64_t{x} * y * z + subgroupSize - 1) / subgroupSize;
}

}  // namespace coopvk::rewrite
