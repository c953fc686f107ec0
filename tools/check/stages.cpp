// SPDX-License-Identifier: Apache-2.0
#include "stages.hpp"

#include <algorithm>

namespace coopvk::check {
namespace {

using Model = spv::ExecutionModel;
using rewrite::Stage;

struct StageRow {
    Stage stage;
    Model model;
};
constexpr StageRow kStages[] = {
    {Stage::kVertex, Model::Vertex},
    {Stage::kTessellationControl, Model::TessellationControl},
    {Stage::kTessellationEvaluation, Model::TessellationEvaluation},
    {Stage::kGeometry, Model::Geometry},
    {Stage::kFragment, Model::Fragment},
    {Stage::kCompute, Model::GLCompute},
    {Stage::kTask, Model::TaskEXT},
    {Stage::kTask, Model::TaskNV},
    {Stage::kMesh, Model::MeshEXT},
    {Stage::kMesh, Model::MeshNV},
    {Stage::kRaygen, Model::RayGenerationKHR},
    {Stage::kAnyHit, Model::AnyHitKHR},
    {Stage::kClosestHit, Model::ClosestHitKHR},
    {Stage::kMiss, Model::MissKHR},
    {Stage::kIntersection, Model::IntersectionKHR},
    {Stage::kCallable, Model::CallableKHR},
};

// The first entry point of the subject's name and stage, as far as it has them.
const Module::EntryPoint* pointOf(const Subject& subject,
                                  const std::vector<Module::EntryPoint>& points,
                                  std::optional<Stage> stage) {
    const auto found = std::ranges::find_if(points, [&](const Module::EntryPoint& point) {
        const auto* row = std::ranges::find(kStages, point.stage, &StageRow::model);
        return row != std::end(kStages) && (!stage || row->stage == *stage) &&
               (subject.entryPoint.empty() || subject.entryPoint == point.name);
    });
    return found != points.end() ? &*found : nullptr;
}

Model modelOf(const Subject& subject) {
    const auto points = Module(subject.words, {}).entryPoints();
    if (const auto* point = pointOf(subject, points, subject.stage)) return point->stage;
    return std::ranges::find(kStages, subject.stage.value_or(Stage::kCompute), &StageRow::stage)
        ->model;
}

}  // namespace

Subject withStage(const Subject& subject) {
    Subject result = subject;
    const auto points = Module(subject.words, {}).entryPoints();
    const auto* point = pointOf(subject, points, subject.stage.value_or(Stage::kCompute));
    if (point == nullptr && !subject.stage) point = pointOf(subject, points, std::nullopt);
    result.stage = subject.stage.value_or(Stage::kCompute);
    if (point == nullptr) return result;
    result.stage = std::ranges::find(kStages, point->stage, &StageRow::model)->stage;
    result.entryPoint = point->name;
    return result;
}

Options forStage(Options options, const Subject& subject) {
    options.memory.stage = modelOf(subject);
    if (options.memory.stage == Model::GLCompute) return options;
    options.groups = {1, 1, 1};
    options.moreGroups = false;
    return options;
}

}  // namespace coopvk::check
