// SPDX-License-Identifier: Apache-2.0
//
// The matrix shapes that coopvk advertises, by component types and by size.
#include <algorithm>

#include "coopvk/rewrite.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

struct Types {
    ComponentType a, b, c, result;
    bool saturating;
};

// Chooses the list of sizes by the width of A and B: 8, 16, 32 or 64 bits.
enum class Depth { kByte, kHalf, kWord, kLong };

// How many applications use a row's types.
enum class Demand { kMain, kSome, kRare };

struct ShapeRow {
    Types types;
    Depth depth;
    Demand demand;
};

// Applications look for component types first: those that most of them use come first.
constexpr ShapeRow kRows[] = {
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

struct Dimensions {
    uint32_t m, n, k;
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

bool hasTypes(const DeviceTraits& device, const Types& types) {
    return findNumber(types.a)->isSupportedBy(device) &&
           findNumber(types.b)->isSupportedBy(device) && findNumber(types.c)->isSupportedBy(device);
}

MatrixShape shapeOf(const Dimensions& size, const Types& t) {
    return {size.m, size.n, size.k, t.a, t.b, t.c, t.result, t.saturating};
}

bool sameTypes(const MatrixShape& shape, const Types& t) {
    return shape.a == t.a && shape.b == t.b && shape.c == t.c && shape.result == t.result &&
           shape.saturating == t.saturating;
}

// For matrices of flexible dimensions.
std::vector<MatrixShape> granularities(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes;
    for (const ShapeRow& row : kRows) {
        if (row.types.a != kFloat16 && row.depth != Depth::kByte) continue;
        if (hasTypes(device, row.types)) shapes.push_back(shapeOf({16, 16, 16}, row.types));
    }
    return shapes;
}

// Appends a shape if it is missing and the list has another one of its types.
void ensure(std::vector<MatrixShape>& shapes, const Types& t, const Dimensions& size) {
    const MatrixShape shape = shapeOf(size, t);
    const auto isOfTypes = [&](const MatrixShape& other) { return sameTypes(other, t); };
    if (std::ranges::none_of(shapes, isOfTypes)) return;
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
}

void keepTileable(std::vector<MatrixShape>& shapes, const DeviceTraits& device) {
    if (!device.onlyNativeShapes) return;
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return std::ranges::none_of(device.nativeShapes, [&](const MatrixShape& native) {
            return isMadeOf(shape, native);
        });
    });
}

// The matrices of VK_QCOM_cooperative_matrix_conversion have K of 32 bytes, and at most as many
// rows (A) or columns (B) as the subgroup has invocations.
void ensureConvertible(std::vector<MatrixShape>& shapes, const DeviceTraits& device) {
    const uint32_t lines = std::min(device.subgroupSize, 8u);
    ensure(shapes, {kFloat16, kFloat16, kFloat32, kFloat32, false}, {lines, lines, 16});
    ensure(shapes, {kFloat16, kFloat16, kFloat16, kFloat16, false}, {lines, lines, 16});
    ensure(shapes, {kSint8, kSint8, kSint32, kSint32, false}, {lines, lines, 32});
    ensure(shapes, {kUint8, kUint8, kUint32, kUint32, false}, {lines, lines, 32});
    ensure(shapes, {kFloat32, kFloat32, kFloat32, kFloat32, false}, {lines, lines, 8});
}

}  // namespace

bool isMadeOf(const MatrixShape& shape, const MatrixShape& tile) {
    const Types types = {tile.a, tile.b, tile.c, tile.result, tile.saturating};
    if (!sameTypes(shape, types) || tile.m == 0 || tile.n == 0 || tile.k == 0) return false;
    if (shape.m % tile.m != 0 || shape.n % tile.n != 0 || shape.k % tile.k != 0) return false;
    return shape.k == tile.k || (!shape.saturating && shape.c == shape.result);
}

std::string_view name(ComponentType type) {
    if (type == kSint8Packed) return "s8packed";
    if (type == kUint8Packed) return "u8packed";
    const Number* number = findNumber(type);
    return number == nullptr ? "unknown" : number->name;
}

std::vector<MatrixShape> matrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes;
    // Shapes with more rows come last: applications take the first shape and assume that it fits
    // into their tiles, which have max(subgroup size, 8) rows in ggml.
    const uint32_t highest = std::max(device.subgroupSize, 8u);
    for (const ShapeRow& row : kRows) {
        if (!hasTypes(device, row.types)) continue;
        for (const bool fitting : {true, false}) {
            for (const Dimensions& size : sizesOf(row.depth)) {
                if ((size.m <= highest) != fitting) continue;
                if (device.isCpu && !suitsCpu(row, size)) continue;
                shapes.push_back(shapeOf(size, row.types));
            }
        }
    }
    ensureConvertible(shapes, device);
    keepTileable(shapes, device);
    return shapes;
}

std::vector<MatrixShape> addedMatrixShapes(const DeviceTraits& device) {
    DeviceTraits tiled = device;
    tiled.onlyNativeShapes = true;
    std::vector<MatrixShape> shapes = matrixShapes(tiled);
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return std::ranges::find(device.nativeShapes, shape) != device.nativeShapes.end();
    });
    return shapes;
}

std::vector<MatrixShape> nvMatrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes = matrixShapes(device);
    // No driver lists more than 16 rows.
    std::erase_if(shapes,
                  [](const MatrixShape& shape) { return shape.saturating || shape.m > 16; });
    // NVIDIA's driver lists these.
    for (const Dimensions& size :
         {Dimensions{16, 16, 16}, Dimensions{16, 8, 16}, Dimensions{16, 8, 8}}) {
        ensure(shapes, {kFloat16, kFloat16, kFloat32, kFloat32, false}, size);
        ensure(shapes, {kFloat16, kFloat16, kFloat16, kFloat16, false}, size);
    }
    for (const Dimensions& size : {Dimensions{16, 16, 32}, Dimensions{16, 8, 32}}) {
        ensure(shapes, {kSint8, kSint8, kSint32, kSint32, false}, size);
        ensure(shapes, {kUint8, kUint8, kUint32, kUint32, false}, size);
    }
    // The conformance suite stores the length of an M x K matrix in its components: an s8 holds at
    // most 127.
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return shape.a == kSint8 && shape.m * shape.k / device.subgroupSize > 127;
    });
    keepTileable(shapes, device);
    return shapes;
}

std::vector<FlexibleShape> flexibleShapes(const DeviceTraits& device) {
    std::vector<FlexibleShape> shapes;
    for (const MatrixShape& shape : granularities(device)) shapes.push_back({shape, 0});
    for (const uint32_t invocations : {64, 128, 256, 512, 1024}) {
        if (invocations > maxMatrixWorkgroupSize(device)) break;
        for (const MatrixShape& shape : granularities(device)) {
            shapes.push_back({shape, invocations});
        }
    }
    return shapes;
}

std::vector<MatrixShape> matrixGranularities(const DeviceTraits& device, const MatrixQuery& query) {
    if (query.isOfWorkgroup && (query.invocations > maxMatrixWorkgroupSize(device) ||
                                query.invocations < device.minSubgroupSize)) {
        return {};
    }
    if (query.subgroupSize != 0 && (query.subgroupSize < device.minSubgroupSize ||
                                    query.subgroupSize > device.maxSubgroupSize)) {
        return {};
    }
    std::vector<MatrixShape> shapes = granularities(device);
    // Applications without cooperativeMatrixFlexibleDimensions take each row as one size.
    for (const MatrixShape& shape : matrixShapes(device)) {
        if (query.isOfWorkgroup || std::ranges::find(shapes, shape) != shapes.end()) continue;
        shapes.push_back(shape);
    }
    std::erase_if(shapes,
                  [&](const MatrixShape& shape) { return shape.saturating != query.saturating; });
    return shapes;
}

uint32_t maxMatrixWorkgroupSize(const DeviceTraits& device) {
    return std::min(device.maxComputeWorkGroupInvocations, 1024u);
}

uint32_t reservedSharedMemory(const DeviceTraits& device) {
    return std::min(device.maxComputeSharedMemorySize / 2, 32768u);
}

std::vector<Int4MatrixShape> int4MatrixShapes(const DeviceTraits& device) {
    std::vector<Int4MatrixShape> shapes;
    if (!info(Extension::kKhrCooperativeMatrix).missing(device).empty()) return shapes;
    DeviceTraits core = device;  // no driver has matrices of 4-bit components
    core.onlyNativeShapes = false;
    for (const MatrixShape& shape : matrixShapes(core)) {
        const bool bytes =
            (shape.a == kSint8 || shape.a == kUint8) && (shape.b == kSint8 || shape.b == kUint8);
        const bool words = shape.c == kSint32 || shape.c == kUint32;
        if (!bytes || !words) continue;
        shapes.push_back({shape.m, shape.n, shape.k, shape.a == kSint8, shape.b == kSint8, shape.c,
                          shape.result, shape.saturating});
    }
    return shapes;
}

}  // namespace coopvk::rewrite
