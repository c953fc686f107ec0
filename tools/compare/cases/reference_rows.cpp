// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/reference_rows.hpp"

#include <algorithm>

#include "coopvk_reference/listed.hpp"

namespace coopvk::compare {
namespace {

namespace listed = reference::listed;

constexpr uint32_t kGranularity = 16, kMaxDimension = 1024;

MatrixRow rowOf(const listed::Shape& shape, const listed::Product& product, uint32_t workgroup) {
    return {shape.m,   shape.n,   shape.k,   product.a,
            product.b, product.c, product.c, product.saturating,
            workgroup, true};
}

void addType(VectorProperties& all, Component component) {
    const auto same = [&](const VectorType& type) { return type.component == component; };
    if (std::ranges::none_of(all.types, same)) all.types.push_back({component, {true, false}});
}

}  // namespace

MatrixRows referenceRows(Dialect dialect) {
    MatrixRows all;
    for (const listed::Product& product : listed::kProducts) {
        // VK_NV_cooperative_matrix has no other formats, and no saturation.
        if (dialect == Dialect::kNv &&
            (product.saturating || !hasArithmetic(product.a) || !hasArithmetic(product.c)))
            continue;
        for (const listed::Shape& shape : listed::kShapes)
            all.rows.push_back(rowOf(shape, product, 0));
    }
    return all;
}

FlexibleRows referenceFlexibleRows() {
    FlexibleRows all;
    all.maxDimension = kMaxDimension;
    for (const uint32_t workgroup : listed::kInvocations)
        for (const listed::Product& product : listed::kProducts)
            all.rows.push_back(
                rowOf({kGranularity, kGranularity, kGranularity}, product, workgroup));
    return all;
}

VectorProperties referenceVectors() {
    constexpr OnSides kNative = {true, false};
    VectorProperties all;
    for (const listed::VectorProduct& p : listed::kVectorProducts) {
        if (!hasArithmetic(p.input)) continue;  // cases have no such vectors
        all.rows.push_back(
            {p.input, p.interpretation, p.matrix, p.bias, p.result, kNative, kNative});
        addType(all, p.input);
        addType(all, p.result);
    }
    all.trainsFloat16 = all.trainsFloat32 = kNative;
    return all;
}

}  // namespace coopvk::compare
