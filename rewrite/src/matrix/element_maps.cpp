// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_maps.hpp"

#include <algorithm>
#include <map>

#include "matrix/element_flow.hpp"
#include "matrix/matrix_uses.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

namespace {

using enum ElementLayout;

// As a block of rows or columns: as many components as fill a word of 32 bits.
constexpr uint32_t kWord = ~0u;

struct MapRow {
    ElementLayout layout;
    uint32_t lanes;
    Use use;
    MappedLanes held;
};

// nvidia: read on an H200 with driver 580.159.04, for 31 combinations of types and sizes.
// rdna3, rdna4: AMD's "RDNA3" and "RDNA4 Instruction Set Architecture", the sections about WMMA;
// not read on hardware. There both halves of an RDNA 3 subgroup hold the same A and B.
constexpr MapRow kMaps[] = {
    {kNvidia, 32, Use::kAccumulator, {{8, 4}, false, 1, 2, false}},
    {kNvidia, 32, Use::kA, {{8, 4}, false, 1, kWord, false}},
    {kNvidia, 32, Use::kB, {{4, 8}, true, kWord, 1, true}},
    {kRdna3, 32, Use::kAccumulator, {{2, 16}, false, 1, 1, false}},
    {kRdna3, 32, Use::kA, {{16, 2}, true, 1, kUndivided, false}},
    {kRdna3, 32, Use::kB, {{2, 16}, false, kUndivided, 1, true}},
    {kRdna3, 64, Use::kAccumulator, {{4, 16}, false, 1, 1, false}},
    {kRdna3, 64, Use::kA, {{16, 4}, true, 1, kUndivided, false}},
    {kRdna3, 64, Use::kB, {{4, 16}, false, kUndivided, 1, true}},
    {kRdna4, 32, Use::kAccumulator, {{2, 16}, false, 8, 1, false}},
    {kRdna4, 32, Use::kA, {{16, 2}, true, 1, 8, false}},
    {kRdna4, 32, Use::kB, {{2, 16}, false, 8, 1, true}},
};

struct LayoutName {
    ElementLayout layout;
    std::string_view name;
};
constexpr LayoutName kNames[] = {
    {kAuto, "auto"}, {kFree, "free"}, {kNvidia, "nvidia"}, {kRdna3, "rdna3"}, {kRdna4, "rdna4"}};

// SPV_NV_* extensions are those of programs that were made on NVIDIA's GPUs.
ElementLayout suggestedLayout(const Module& module) {
    const auto isNvidias = [](const InstructionPtr& i) {
        return stringFromOperands(*i, 0).starts_with("SPV_NV_");
    };
    return std::ranges::any_of(module.section(Section::kExtensions), isNvidias) ? kNvidia : kFree;
}

}  // namespace

bool hasMap(ElementLayout layout, uint32_t subgroupSize) {
    return std::ranges::any_of(kMaps, [&](const MapRow& row) {
        return row.layout == layout && row.lanes == subgroupSize;
    });
}

uint32_t subgroupSizeOf(ElementLayout layout) {
    const auto row = std::ranges::find(kMaps, layout, &MapRow::layout);
    return row == std::end(kMaps) ? 0 : row->lanes;
}

std::optional<MappedLanes> mappedLanes(ElementLayout layout, uint32_t subgroupSize, Use use,
                                       uint32_t bits) {
    for (const MapRow& row : kMaps) {
        if (row.layout != layout || row.lanes != subgroupSize || row.use != use) continue;
        MappedLanes held = row.held;
        for (uint32_t* block : {&held.rowBlock, &held.columnBlock}) {
            if (*block == kWord) *block = std::max(1u, 32 / bits);
        }
        return held;
    }
    return std::nullopt;
}

std::optional<ElementLayout> elementLayoutFromName(std::string_view name) {
    const auto row = std::ranges::find(kNames, name, &LayoutName::name);
    return row == std::end(kNames) ? std::nullopt : std::optional(row->layout);
}

std::string_view elementLayoutName(ElementLayout layout) {
    return std::ranges::find(kNames, layout, &LayoutName::layout)->name;
}

ElementLayout chooseElementLayout(const Module& module, const MatrixUses& uses,
                                  const PlannedTarget& target, ElementLayout family) {
    if (!namesElements(uses)) return kFree;
    if (target.elementLayout != kAuto) return target.elementLayout;
    const ElementLayout layout =
        target.programLayout != kAuto ? target.programLayout : suggestedLayout(module);
    if (layout != kFree) return whyDependsOnLanes(uses).empty() ? kFree : layout;
    return family == kAuto || whyDependsOnMap(uses).empty() ? kFree : family;
}

// Whether results depend on which lane holds which element of a matrix.

bool namesElements(const MatrixUses& uses) {
    return std::ranges::any_of(uses.types(), [&](const auto& type) {
        return type.second.isOfSubgroup() &&
               (uses.facts(type.first) & (kHasElements | kAsksLength)) != 0;
    });
}

namespace {

// Whether elements are copied, by their numbers, between types for which differ(a, b) is true.
template <typename Differ>
bool copiesBetween(const MatrixUses& uses, const Differ& differ) {
    const std::map<Id, MatrixDimensions> types(uses.types().begin(), uses.types().end());
    return std::ranges::any_of(uses.elementCopies(), [&](const auto& copy) {
        const auto a = types.find(copy.first), b = types.find(copy.second);
        return a != types.end() && b != types.end() && a->second.isOfSubgroup() &&
               differ(a->second, b->second);
    });
}

bool differInSize(const MatrixDimensions& a, const MatrixDimensions& b) {
    return a.rows != b.rows || a.columns != b.columns;
}

bool differInUseOrSize(const MatrixDimensions& a, const MatrixDimensions& b) {
    return a.use != b.use || differInSize(a, b);
}

}  // namespace

std::string_view whyDependsOnLanes(const MatrixUses& uses) {
    if (!namesElements(uses)) return {};
    if (copiesBetween(uses, differInUseOrSize))
        return "elements are copied between matrices of different use or size by their numbers";
    return uses.elementFlow().why;
}

std::string_view whyDependsOnMap(const MatrixUses& uses) {
    if (!namesElements(uses)) return {};
    if (copiesBetween(uses, differInSize))
        return "elements are copied between matrices of different size by their numbers";
    return uses.elementFlow().why;
}

}  // namespace coopvk::rewrite
