// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/passes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

constexpr ShapeRow kShapeRows[] = {
    {{kFloat16, kFloat16, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kMain},
    {{kFloat16, kFloat16, kFloat16, kFloat16, false}, Depth::kHalf, Demand::kMain},
    {{kSint8, kSint8, kSint32, kSint32, false}, Depth::kByte, Demand::kMain},
    {{kUint8, kUint8, kUint32, kUint32, false}, Depth::kByte, Demand::kSome},
    {{kUint8, kSint8, kSint32, kSint32, false}, Depth::kByte, Demand::kRare},
    {{kSint8, kUint8, kSint32, kSint32, false}, Depth::kByte, Demand::kRare},
    {{kUint8, kUint8, kSint32, kSint32, false}, Depth::kByte, Demand::kRare},
    {{kSint8, kSint8, kUint32, kUint32, false}, Depth::kByte, Demand::kRare},
    {{kSint8, kSint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kUint8, kUint8, kUint32, kUint32, true}, Depth::kByte, Demand::kRare},
    {{kUint8, kSint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kSint8, kUint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kFloat32, kFloat32, kFloat32, kFloat32, false}, Depth::kWord, Demand::kSome},
    {{kSint32, kSint32, kSint32, kSint32, false}, Depth::kWord, Demand::kRare},
    {{kUint32, kUint32, kUint32, kUint32, false}, Depth::kWord, Demand::kRare},
    {{kSint16, kSint16, kSint32, kSint32, false}, Depth::kHalf, Demand::kRare},
    {{kUint16, kUint16, kUint32, kUint32, false}, Depth::kHalf, Demand::kRare},
    {{kFloat64, kFloat64, kFloat64, kFloat64, false}, Depth::kLong, Demand::kRare},
    {{kSint64, kSint64, kSint64, kSint64, false}, Depth::kLong, Demand::kRare},
    {{kUint64, kUint64, kUint64, kUint64, false}, Depth::kLong, Demand::kRare},
};

constexpr ShapeRow kFormatRows[] = {
    {{kBFloat16, kBFloat16, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kMain},
    {{kBFloat16, kBFloat16, kBFloat16, kBFloat16, false}, Depth::kHalf, Demand::kSome},
    {{kFloatE4M3, kFloatE4M3, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kMain},
    {{kFloatE5M2, kFloatE5M2, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kSome},
    {{kFloatE4M3, kFloatE5M2, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE4M3, kFloat32, kFloat32, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE4M3, kFloat16, kFloat16, false}, Depth::kHalf, Demand::kSome},
    {{kFloatE5M2, kFloatE5M2, kFloat16, kFloat16, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE5M2, kFloat16, kFloat16, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE4M3, kFloat16, kFloat16, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE4M3, kFloatE4M3, kFloatE4M3, false}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE5M2, kFloatE5M2, kFloatE5M2, false}, Depth::kHalf, Demand::kRare},
};

// 8x16 with K of 32 bytes is what Intel's drivers list, and what kernels for them use (in ONNX
// Runtime and Dawn).
constexpr Dimensions kByteSizes[] = {{16, 16, 32}, {16, 8, 32},  {16, 16, 16}, {16, 8, 16},
                                     {8, 8, 32},   {8, 16, 32},  {16, 16, 8},  {16, 8, 8},
                                     {8, 8, 16},   {32, 32, 16}, {32, 32, 32}, {8, 8, 8}};
constexpr Dimensions kHalfSizes[] = {{16, 16, 16}, {16, 8, 16}, {16, 8, 8}, {16, 16, 8},
                                     {16, 16, 32}, {16, 8, 32}, {8, 8, 16}, {8, 16, 16},
                                     {32, 32, 16}, {8, 8, 8},   {8, 8, 32}};
constexpr Dimensions kWordSizes[] = {{16, 16, 16}, {16, 16, 8}, {16, 8, 8},  {16, 8, 16},
                                     {8, 8, 16},   {8, 8, 8},   {32, 32, 16}};
constexpr Dimensions kLongSizes[] = {{16, 8, 8}, {8, 8, 8}, {16, 16, 16}};

std::span<const Dimensions> sizesOf(Depth depth) {
    constexpr std::span<const Dimensions> kSizes[] = {kByteSizes, kHalfSizes, kWordSizes,
                                                      kLongSizes};
    return kSizes[static_cast<size_t>(depth)];
}

// CPU drivers take seconds to compile the code of large matrices. They have 32 KB of shared memory:
// too little for the operands of four subgroups with 32x32 results of 32 bits.
bool suitsCpu(const ShapeRow& row, const Dimensions& size) {
    const bool square = size.m == size.n;
    switch (row.demand) {
        case Demand::kMain:
            return size.m <= 16 || (size.k <= 16 && row.types.result == kFloat16);
        case Demand::kSome:
            return square && size.m <= 16 && size.k <= 16;
        case Demand::kRare:
            return square && size.k == size.m && size.m <= (row.depth == Depth::kLong ? 8u : 16u);
    }
    return true;
}

bool hasType(const DeviceTraits& device, ComponentType type) {
    const Number& number = *findNumber(type);
    const bool offered = type == kBFloat16       ? device.shaderBFloat16CooperativeMatrix
                         : number.isSmallFloat() ? device.shaderFloat8CooperativeMatrix
                                                 : true;
    return offered && number.isSupportedBy(device);
}

}  // namespace

std::span<const ShapeRow> shapeRows() { return kShapeRows; }

std::span<const ShapeRow> formatRows() { return kFormatRows; }

bool hasTypes(const DeviceTraits& device, const ShapeTypes& types) {
    return hasType(device, types.a) && hasType(device, types.b) && hasType(device, types.c);
}

MatrixShape shapeOf(const Dimensions& size, const ShapeTypes& t) {
    return {size.m, size.n, size.k, t.a, t.b, t.c, t.result, t.saturating};
}

void appendRows(std::vector<MatrixShape>& shapes, std::span<const ShapeRow> rows,
                const DeviceTraits& device) {
    // Shapes with more rows come last: applications take the first shape and assume that it fits
    // into their tiles, which have max(subgroup size, 8) rows in ggml.
    const uint32_t highest = std::max(device.subgroupSize, 8u);
    for (const ShapeRow& row : rows) {
        if (!hasTypes(device, row.types)) continue;
        for (const bool fitting : {true, false}) {
            for (const Dimensions& size : sizesOf(row.depth)) {
                if ((size.m <= highest) != fitting) continue;
                if (device.isCpu && !suitsCpu(row, size)) continue;
                shapes.push_back(shapeOf(size, row.types));
            }
        }
    }
}

}  // namespace coopvk::rewrite
