// SPDX-License-Identifier: Apache-2.0
#include "matrix/layout.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::rewrite {

namespace {

// A lane holds `block` neighbours together where the size allows it; 0: all that it holds.
Axis makeAxis(uint32_t size, uint32_t lanes, uint32_t block) {
    Axis axis;
    axis.size = size;
    axis.lanes = std::min(lanes, largestPowerOfTwoIn(size));
    axis.block = axis.lanes == 1 || block == 0 ? axis.count()
                                               : std::min(block, largestPowerOfTwoIn(axis.count()));
    return axis;
}

}  // namespace

Fragment makeFragment(const LayoutPolicy& policy, Use use, uint32_t rows, uint32_t columns,
                      uint32_t componentBits) {
    Fragment fragment;
    fragment.rows = makeAxis(rows, use == Use::kB ? 1 : policy.grid.rows, policy.rowBlock);
    fragment.columns =
        makeAxis(columns, use == Use::kA ? 1 : policy.grid.columns, policy.columnBlock);
    // Dot products read neighbours along K; packed 16-bit arithmetic reads pairs along N or K.
    const bool alongRows =
        use == Use::kB && (componentBits <= 8 || (componentBits == 16 && policy.halfPairsAlongK));
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    const uint32_t packed = alongRows ? fragment.rows.count() : fragment.columns.count();
    fragment.packWidth = std::min(largestPowerOfTwoIn(packed), std::max(1u, 32 / componentBits));
    return fragment;
}

Fragment makeWorkgroupFragment(const LayoutPolicy& policy, uint32_t rows, uint32_t columns,
                               uint32_t componentBits) {
    const auto axis = [](uint32_t size, uint32_t lanes) {
        const uint32_t blocks = std::max(1u, largestPowerOfTwoIn(size) / kWorkgroupBlock);
        return makeAxis(size, std::min(lanes, blocks), kWorkgroupBlock);
    };
    Fragment fragment;
    fragment.scope = LaneScope::kWorkgroup;
    fragment.rows = axis(rows, policy.workgroup.rows);
    fragment.columns = axis(columns, policy.workgroup.columns);
    fragment.packWidth = std::max(1u, 32 / componentBits);
    return fragment;
}

Fragment makeRunFragment(const LayoutPolicy& policy, Run run, uint32_t rows, uint32_t columns,
                         uint32_t componentBits) {
    const uint32_t lanes = policy.workgroup.rows * policy.workgroup.columns;
    Fragment fragment;
    fragment.scope = LaneScope::kWorkgroup;
    fragment.run = run;
    const bool alongRows = run.along == Dimension::kRows;
    Axis& along = alongRows ? fragment.rows : fragment.columns;
    Axis& across = alongRows ? fragment.columns : fragment.rows;
    along.size = alongRows ? rows : columns;
    along.lanes = std::min(lanes, largestPowerOfTwoIn(along.size / run.length));
    along.block = run.length;
    across.size = alongRows ? columns : rows;
    across.lanes = std::min(lanes / along.lanes, largestPowerOfTwoIn(across.size));
    fragment.packWidth = std::max(1u, 32 / componentBits);
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    return fragment;
}

Grid makeGrid(uint32_t lanes, bool tall) {
    const auto log2 = static_cast<uint32_t>(std::bit_width(lanes)) - 1;
    const uint32_t smaller = 1u << log2 / 2;
    const uint32_t larger = lanes / smaller;
    return tall ? Grid{larger, smaller} : Grid{smaller, larger};
}

}  // namespace coopvk::rewrite
