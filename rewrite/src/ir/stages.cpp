// SPDX-License-Identifier: Apache-2.0
#include "ir/stages.hpp"

#include <algorithm>

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

}  // namespace coopvk::rewrite
