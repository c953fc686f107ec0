// SPDX-License-Identifier: Apache-2.0
//
// The component types and sizes of the matrix shapes that coopvk advertises.
#pragma once

#include <span>

#include "coopvk/advertised.hpp"

namespace coopvk::rewrite {

struct ShapeTypes {
    ComponentType a, b, c, result;
    bool saturating;
};

// Chooses the list of sizes by the width of A and B: 8, 16, 32 or 64 bits.
enum class Depth { kByte, kHalf, kWord, kLong };

// How many applications use a row's types.
enum class Demand { kMain, kSome, kRare };

struct ShapeRow {
    ShapeTypes types;
    Depth depth;
    Demand demand;
};

struct Dimensions {
    uint32_t m, n, k;
};

// Applications look for component types first: those that most of them use come first.
std::span<const ShapeRow> shapeRows();
// Of formats that programs ask for explicitly: they come after all others.
std::span<const ShapeRow> formatRows();

bool hasTypes(const DeviceTraits& device, const ShapeTypes& types);
MatrixShape shapeOf(const Dimensions& size, const ShapeTypes& types);
// Appends the shapes of rows that the device has, those that suit it best first.
void appendRows(std::vector<MatrixShape>& shapes, std::span<const ShapeRow> rows,
                const DeviceTraits& device);

}  // namespace coopvk::rewrite
