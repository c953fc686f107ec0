// SPDX-License-Identifier: Apache-2.0
//
// The tables of stages, of their variables' storage classes, and of instructions that are scripted.
#include "coopvk_reference/stages.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <format>
#include <string_view>

namespace coopvk::reference {
namespace {

using Model = spv::ExecutionModel;
using Class = spv::StorageClass;

// Of a subgroup, and of a workgroup.
constexpr uint32_t kFew = 128, kMany = 1024;

constexpr Stage kStages[] = {
    {Model::Vertex, false, false, false, false, kFew},
    {Model::TessellationControl, true, true, false, false, kFew},
    {Model::TessellationEvaluation, false, false, false, false, kFew},
    {Model::Geometry, false, false, true, false, kFew},
    {Model::Fragment, false, false, false, true, kFew},
    {Model::GLCompute, true, false, false, false, kMany},
    {Model::TaskNV, true, true, false, false, kMany},
    {Model::MeshNV, true, true, false, false, kMany},
    {Model::TaskEXT, true, true, false, false, kMany},
    {Model::MeshEXT, true, true, false, false, kMany},
    {Model::RayGenerationKHR, false, false, false, false, kFew},
    {Model::IntersectionKHR, false, false, false, false, kFew},
    {Model::AnyHitKHR, false, false, false, false, kFew},
    {Model::ClosestHitKHR, false, false, false, false, kFew},
    {Model::MissKHR, false, false, false, false, kFew},
    {Model::CallableKHR, false, false, false, false, kFew},
};

struct NamedStorage : ListStorage {
    const char* name;
};
constexpr NamedStorage kStorages[] = {
    {{Class::Input, true, false, false, false}, "Input"},
    {{Class::Output, false, true, false, false}, "Output"},
    {{Class::IncomingRayPayloadKHR, true, true, false, false}, "IncomingRayPayloadKHR"},
    {{Class::IncomingCallableDataKHR, true, true, false, false}, "IncomingCallableDataKHR"},
    {{Class::RayPayloadKHR, false, false, true, false}, "RayPayloadKHR"},
    {{Class::CallableDataKHR, false, false, true, false}, "CallableDataKHR"},
    {{Class::HitAttributeKHR, true, false, true, false}, "HitAttributeKHR"},
    {{Class::HitObjectAttributeNV, false, false, true, false}, "HitObjectAttributeNV"},
    {{Class::HitObjectAttributeEXT, false, false, true, false}, "HitObjectAttributeEXT"},
    {{Class::TaskPayloadWorkgroupEXT, true, false, false, true}, "TaskPayloadWorkgroupEXT"},
    {{Class::ShaderRecordBufferKHR, true, false, false, true}, "ShaderRecordBufferKHR"},
};

// How names begin; the first that fits counts.
struct ScriptRow {
    std::string_view name;
    Script script;
};
constexpr ScriptRow kScripts[] = {
    {"HitObjectGet", Script::kAsks},
    {"HitObjectIs", Script::kAsks},
    {"HitObject", Script::kEvent},
    {"RayQueryGet", Script::kAsks},
    {"RayQueryIs", Script::kAsks},
    {"RayQuery", Script::kEvent},
    {"ReorderThreadWith", Script::kEvent},
    {"TraceRay", Script::kEvent},
    {"ExecuteCallableKHR", Script::kEvent},
    {"ReportIntersection", Script::kEvent},
    {"IgnoreIntersectionKHR", Script::kEnds},
    {"TerminateRayKHR", Script::kEnds},
    {"SetMeshOutputsEXT", Script::kEvent},
    {"EmitMeshTasksEXT", Script::kEnds},
};

const NamedStorage* namedStorage(spv::StorageClass storage) {
    const auto* row = std::ranges::find(kStorages, storage, &NamedStorage::storage);
    return row != std::end(kStorages) ? row : nullptr;
}

std::string nameOfVariable(const StageList& list) {
    const NamedStorage* row = namedStorage(spv::StorageClass(list.of));
    const bool isBuiltIn = (list.number & kBuiltIn) != 0;
    std::string name = std::format("{} {}{}", row != nullptr ? row->name : "variable",
                                   isBuiltIn ? "built-in " : "", list.number & ~kBuiltIn);
    if (list.component != 0) name += std::format(", component {}", list.component);
    if (row != nullptr && (row->isRepeated || (row->isGiven && row->isTaken)))
        name += list.kind == StageList::Kind::kGiven ? ", given" : ", taken";
    return name;
}

}  // namespace

std::string nameOf(const StageList& list) {
    using enum StageList::Kind;
    const auto opcode = [&] { return std::string("Op") + spvOpcodeString(list.of); };
    if (list.kind == kOperand) return std::format("operand {} of {}", list.number, opcode());
    if (list.kind == kResult) return "result of " + opcode();
    return list.kind == kEnd ? "ends" : nameOfVariable(list);
}

const ListStorage* listStorage(spv::StorageClass storage) { return namedStorage(storage); }

Script scriptOf(spv::Op opcode) {
    const std::string_view name = spvOpcodeString(uint32_t(opcode));
    const auto* row = std::ranges::find_if(
        kScripts, [&](const ScriptRow& each) { return name.starts_with(each.name); });
    return row != std::end(kScripts) ? row->script : Script::kNone;
}

const Stage* findStage(spv::ExecutionModel model) {
    const auto* row = std::ranges::find(kStages, model, &Stage::model);
    return row != std::end(kStages) ? row : nullptr;
}

uint32_t listLength(const Stage& stage, const ListStorage& storage) {
    if (storage.storage == Class::Output && stage.emits) return kListedVertices;
    return storage.isRepeated ? kListedEvents : 1;
}

}  // namespace coopvk::reference
