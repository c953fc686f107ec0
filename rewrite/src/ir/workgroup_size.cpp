// SPDX-License-Identifier: Apache-2.0
#include "ir/workgroup_size.hpp"

#include "ir/composites.hpp"

namespace coopvk::rewrite {

namespace {

using Size = std::array<uint32_t, 3>;

// More invocations than any device allows in a workgroup.
constexpr uint64_t kTooMany = (uint64_t{1} << 16) + 1;

// nullopt unless all three ids are constants. Larger sizes become kTooMany.
std::optional<Size> constants(const Module& module, const std::array<Id, 3>& ids) {
    Size size = {};
    for (size_t axis = 0; axis < 3; ++axis) {
        const std::optional<uint64_t> value = module.constantValue(ids[axis]);
        if (!value) return std::nullopt;
        size[axis] = static_cast<uint32_t>(std::min(*value, kTooMany));
    }
    return size;
}

// Of the constant with BuiltIn WorkgroupSize.
std::optional<Size> builtInSize(const Module& module, const Instruction& vector) {
    if (vector.opcode == spv::Op::OpConstantNull) return Size{};
    const auto at = [&](uint32_t axis) { return constituentOf(vector, axis); };
    return constants(module, {at(0), at(1), at(2)});
}

bool hasWorkgroups(uint32_t executionModel) {
    using enum spv::ExecutionModel;
    return isOneOf(static_cast<spv::ExecutionModel>(executionModel),
                   {GLCompute, Kernel, TaskNV, MeshNV, TaskEXT, MeshEXT});
}

// nullopt if the module has no size, or not a constant one.
std::optional<Size> findLocalSize(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (decorates(*i, spv::Decoration::BuiltIn) &&
            i->word(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
            return builtInSize(module, module.def(i->word(0)));
        }
    }
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
            return Size{i->word(2), i->word(3), i->word(4)};
        }
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            return constants(module, {i->word(2), i->word(3), i->word(4)});
        }
    }
    return std::nullopt;
}

uint64_t product(const Size& size) {
    uint64_t invocations = 1;
    for (const uint32_t axis : size) invocations = std::min(invocations * axis, kTooMany);
    return invocations;
}

}  // namespace

std::optional<Error> checkWorkgroupSize(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.empty() || !hasWorkgroups(entries.front()->word(0))) return std::nullopt;
    const std::optional<Size> size = findLocalSize(module);
    if (!size) {
        return Error{ErrorCode::kUnsupported,
                     "the entry point has no workgroup size, or one that is not a constant"};
    }
    const uint64_t invocations = product(*size);
    if (invocations == 0) {
        return Error{ErrorCode::kInvalidArgument, "the entry point has a workgroup size of zero"};
    }
    if (invocations >= kTooMany) {
        return Error{ErrorCode::kInvalidArgument,
                     "a workgroup of the entry point has more than 65536 invocations"};
    }
    return std::nullopt;
}

std::array<uint32_t, 3> localSize(const Module& module) {
    return findLocalSize(module).value_or(Size{});
}

uint32_t invocationsOf(const Module& module) {
    return static_cast<uint32_t>(product(localSize(module)));
}

uint32_t subgroupsOf(const Module& module, uint32_t subgroupSize) {
    return (invocationsOf(module) + subgroupSize - 1) / subgroupSize;
}

}  // namespace coopvk::rewrite
