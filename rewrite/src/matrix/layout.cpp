// SPDX-License-Identifier: Apache-2.0
#include "matrix/layout.hpp"

#include <algorithm>

namespace coopvk::rewrite {

namespace {

uint32_t largestPowerOfTwoIn(uint32_t value) { return value & (~value + 1); }

Axis makeAxis(uint32_t size, uint32_t lanes, bool interleave) {
    Axis axis;
    axis.size = size;
    axis.lanes = std::min(lanes, largestPowerOfTwoIn(size));
    axis.block = interleave ? 1 : axis.count();
    return axis;
}

}  // namespace

Fragment makeFragment(const LayoutPolicy& policy, Use use, uint32_t rows, uint32_t columns,
                      uint32_t componentBits) {
    Fragment fragment;
    fragment.rows = makeAxis(rows, use == Use::kB ? 1 : policy.grid.rows, policy.interleaveRows);
    fragment.columns = makeAxis(columns, use == Use::kA ? 1 : policy.grid.columns, false);
    if (fragment.rows.lanes == 1) fragment.rows.block = rows;
    // Dot products read four neighbours along K; packed 16-bit arithmetic pairs along N.
    const bool alongRows = use == Use::kB && componentBits == 8;
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    const uint32_t packed = alongRows ? fragment.rows.count() : fragment.columns.count();
    fragment.packWidth = std::min(largestPowerOfTwoIn(packed), std::max(1u, 32 / componentBits));
    return fragment;
}

Grid makeGrid(uint32_t subgroupSize, bool tall) {
    const auto log2 = static_cast<uint32_t>(std::bit_width(subgroupSize)) - 1;
    const uint32_t smaller = 1u << log2 / 2;
    const uint32_t larger = subgroupSize / smaller;
    return tall ? Grid{larger, smaller} : Grid{smaller, larger};
}

}  // namespace coopvk::rewrite
