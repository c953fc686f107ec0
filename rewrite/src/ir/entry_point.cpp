// SPDX-License-Identifier: Apache-2.0
#include "ir/entry_point.hpp"

#include <algorithm>

#include "ir/composites.hpp"

namespace coopvk::rewrite {

namespace {

struct StageRow {
    Stage stage;
    spv::ExecutionModel model;
    std::string_view name;
};

constexpr StageRow kStages[] = {
    {Stage::kVertex, spv::ExecutionModel::Vertex, "vertex"},
    {Stage::kTessellationControl, spv::ExecutionModel::TessellationControl, "tessellation-control"},
    {Stage::kTessellationEvaluation, spv::ExecutionModel::TessellationEvaluation,
     "tessellation-evaluation"},
    {Stage::kGeometry, spv::ExecutionModel::Geometry, "geometry"},
    {Stage::kFragment, spv::ExecutionModel::Fragment, "fragment"},
    {Stage::kCompute, spv::ExecutionModel::GLCompute, "compute"},
    {Stage::kTask, spv::ExecutionModel::TaskEXT, "task"},
    {Stage::kTask, spv::ExecutionModel::TaskNV, "task"},
    {Stage::kMesh, spv::ExecutionModel::MeshEXT, "mesh"},
    {Stage::kMesh, spv::ExecutionModel::MeshNV, "mesh"},
    {Stage::kRaygen, spv::ExecutionModel::RayGenerationKHR, "raygen"},
    {Stage::kAnyHit, spv::ExecutionModel::AnyHitKHR, "any-hit"},
    {Stage::kClosestHit, spv::ExecutionModel::ClosestHitKHR, "closest-hit"},
    {Stage::kMiss, spv::ExecutionModel::MissKHR, "miss"},
    {Stage::kIntersection, spv::ExecutionModel::IntersectionKHR, "intersection"},
    {Stage::kCallable, spv::ExecutionModel::CallableKHR, "callable"},
};

}  // namespace

std::optional<Stage> stageOf(spv::ExecutionModel model) {
    const auto row = std::ranges::find(kStages, model, &StageRow::model);
    return row == std::end(kStages) ? std::nullopt : std::optional(row->stage);
}

std::string_view stageName(Stage stage) {
    const auto row = std::ranges::find(kStages, stage, &StageRow::stage);
    return row == std::end(kStages) ? "unknown" : row->name;
}

namespace {

using Size3 = std::array<uint32_t, 3>;

// More invocations than any device allows in a workgroup.
constexpr uint64_t kTooMany = (uint64_t{1} << 16) + 1;

// nullopt unless all three ids are constants. Larger sizes become kTooMany.
std::optional<Size3> constants(const Module& module, const std::array<Id, 3>& ids) {
    Size3 size = {};
    for (size_t axis = 0; axis < 3; ++axis) {
        const std::optional<uint64_t> value = module.constantValue(ids[axis]);
        if (!value) return std::nullopt;
        size[axis] = static_cast<uint32_t>(std::min(*value, kTooMany));
    }
    return size;
}

// Of the constant with BuiltIn WorkgroupSize.
std::optional<Size3> builtInSize(const Module& module, const Instruction& vector) {
    if (vector.opcode == OpConstantNull) return Size3{};
    const auto at = [&](uint32_t axis) { return constituentOf(vector, axis); };
    return constants(module, {at(0), at(1), at(2)});
}

bool hasWorkgroups(uint32_t executionModel) {
    using enum spv::ExecutionModel;
    return isOneOf(static_cast<spv::ExecutionModel>(executionModel),
                   {GLCompute, Kernel, TaskNV, MeshNV, TaskEXT, MeshEXT});
}

// nullopt if the module has no size, or not a constant one.
std::optional<Size3> findLocalSize(const Module& module) {
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (decorates(*i, spv::Decoration::BuiltIn) &&
            i->word(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
            return builtInSize(module, module.def(i->word(0)));
        }
    }
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize)) {
            return Size3{i->word(2), i->word(3), i->word(4)};
        }
        if (i->word(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSizeId)) {
            return constants(module, {i->word(2), i->word(3), i->word(4)});
        }
    }
    return std::nullopt;
}

uint64_t product(const Size3& size) {
    uint64_t invocations = 1;
    for (const uint32_t axis : size) invocations = std::min(invocations * axis, kTooMany);
    return invocations;
}

bool hasVulkanMemoryModel(const Module& module) {
    return std::ranges::any_of(module.section(Section::kMemoryModel), [](const InstructionPtr& i) {
        return i->opcode == OpMemoryModel &&
               i->word(1) == static_cast<uint32_t>(spv::MemoryModel::Vulkan);
    });
}

}  // namespace

std::optional<Error> checkWorkgroupSize(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.empty() || !hasWorkgroups(entries.front()->word(0))) return std::nullopt;
    const std::optional<Size3> size = findLocalSize(module);
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
    return findLocalSize(module).value_or(Size3{});
}

uint32_t invocationsOf(const Module& module) {
    return static_cast<uint32_t>(product(localSize(module)));
}

uint32_t subgroupsOf(const Module& module, uint32_t subgroupSize) {
    return divideUp(invocationsOf(module), subgroupSize);
}

Operands nonPrivateAccess(const Module& module) {
    if (!hasVulkanMemoryModel(module)) return {};
    return {literal(spv::MemoryAccessMask::NonPrivatePointer)};
}

uint32_t sharedSemantics(const Module& module, spv::MemorySemanticsMask order) {
    using enum spv::MemorySemanticsMask;
    auto mask = static_cast<uint32_t>(order) | static_cast<uint32_t>(WorkgroupMemory);
    if (!hasVulkanMemoryModel(module)) return mask;
    if (order != Acquire) mask |= static_cast<uint32_t>(MakeAvailable);
    if (order != Release) mask |= static_cast<uint32_t>(MakeVisible);
    return mask;
}

spv::Scope widestScope(const Module& module) {
    const bool device = !hasVulkanMemoryModel(module) ||
                        module.hasCapability(spv::Capability::VulkanMemoryModelDeviceScope);
    return device ? spv::Scope::Device : spv::Scope::QueueFamily;
}

bool preservesHalfDenormals(Module& module) {
    using enum spv::ExecutionMode;
    bool isDeclared = false, flushes = false;
    for (const InstructionPtr& i : module.section(Section::kExecutionModes)) {
        if (i->opcode != OpExecutionMode || i->operands.size() != 3) continue;
        const auto mode = static_cast<spv::ExecutionMode>(i->word(1));
        isDeclared |= mode == DenormPreserve && i->word(2) == 16;
        // Of any width: devices may have one mode for all.
        flushes |= mode == DenormFlushToZero;
    }
    if (!module.mayPreserveHalfDenormals()) return false;
    if (isDeclared || flushes) return isDeclared;
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints)) {
        module.append(
            Section::kExecutionModes,
            makeInstruction(OpExecutionMode, 0, 0,
                            {idOperand(entry->word(1)), literal(DenormPreserve), literal(16u)}));
    }
    module.addCapability(spv::Capability::DenormPreserve);
    if (module.version() < 0x00010400) module.addExtension("SPV_KHR_float_controls");
    return true;
}

}  // namespace coopvk::rewrite
