// SPDX-License-Identifier: Apache-2.0
//
// Finds modules whose results depend on which lane holds which element of a matrix.
#include <algorithm>
#include <map>

#include "matrix/element_flow.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

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
