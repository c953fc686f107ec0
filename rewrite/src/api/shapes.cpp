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

// Sizes of K that make sense for a width of A and B.
enum class Depth { kByte, kHalf, kWord, kLong };

// How many applications ask for a row's types.
enum class Demand { kMain, kSome, kRare };

struct Row {
    Types types;
    Depth depth;
    Demand demand;
};

// Applications look for a type first; those that most ask for come first.
constexpr Row kRows[] = {
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

struct Size {
    uint32_t m, n, k;
};

// 8x16 with lines of 32 bytes: what Intel's drivers list, and kernels for them ask for (ONNX
// Runtime's and Dawn's).
constexpr Size kByteSizes[] = {{16, 16, 32}, {16, 8, 32},  {16, 16, 16}, {16, 8, 16},
                               {8, 8, 32},   {8, 16, 32},  {16, 16, 8},  {16, 8, 8},
                               {8, 8, 16},   {32, 32, 16}, {32, 32, 32}, {8, 8, 8}};
constexpr Size kHalfSizes[] = {{16, 16, 16}, {16, 8, 16}, {16, 8, 8}, {16, 16, 8},
                               {16, 16, 32}, {16, 8, 32}, {8, 8, 16}, {8, 16, 16},
                               {32, 32, 16}, {8, 8, 8},   {8, 8, 32}};
constexpr Size kWordSizes[] = {{16, 16, 16}, {16, 16, 8}, {16, 8, 8},  {16, 8, 16},
                               {8, 8, 16},   {8, 8, 8},   {32, 32, 16}};
constexpr Size kLongSizes[] = {{16, 8, 8}, {8, 8, 8}, {16, 16, 16}};

std::span<const Size> sizesOf(Depth depth) {
    switch (depth) {
        case Depth::kByte:
            return kByteSizes;
        case Depth::kHalf:
            return kHalfSizes;
        case Depth::kWord:
            return kWordSizes;
        case Depth::kLong:
            return kLongSizes;
    }
    return {};
}

// CPUs compile the code of large matrices for seconds, and have 32 KB of shared memory: too little
// for the operands of four subgroups where 32x32 results have 32 bits.
bool suitsCpu(const Row& row, const Size& size) {
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

bool has(const DeviceTraits& device, ComponentType type) { return findNumber(type)->isOn(device); }

bool sameTypes(const MatrixShape& shape, const Types& t) {
    return shape.a == t.a && shape.b == t.b && shape.c == t.c && shape.result == t.result &&
           shape.saturating == t.saturating;
}

// Of matrices whose sizes are flexible.
std::vector<MatrixShape> granularities(const DeviceTraits& device) {
    constexpr Size kSize = {16, 16, 16};
    std::vector<MatrixShape> shapes;
    for (const Row& row : kRows) {
        const Types& t = row.types;
        if (t.a != kFloat16 && row.depth != Depth::kByte) continue;
        if (!has(device, t.a) || !has(device, t.b) || !has(device, t.c)) continue;
        shapes.push_back({kSize.m, kSize.n, kSize.k, t.a, t.b, t.c, t.result, t.saturating});
    }
    return shapes;
}

// Appends a size of types that the device lists, unless it is there.
void ensure(std::vector<MatrixShape>& shapes, const Types& t, const Size& size) {
    const MatrixShape shape = {size.m, size.n, size.k, t.a, t.b, t.c, t.result, t.saturating};
    const auto isOfTypes = [&](const MatrixShape& other) { return sameTypes(other, t); };
    if (std::ranges::none_of(shapes, isOfTypes)) return;
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
}

void eraseNotCarried(std::vector<MatrixShape>& shapes, const DeviceTraits& device) {
    if (!device.onlyNativeShapes) return;
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return std::ranges::none_of(device.nativeShapes, [&](const MatrixShape& native) {
            return isMadeOf(shape, native);
        });
    });
}

// VK_QCOM_cooperative_matrix_conversion takes factors with lines of 32 bytes, and no more lines
// than the subgroup has lanes.
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
    // Applications size their tiles by the subgroup and assume that a matrix of the first shape
    // fits: ggml's are max(subgroup size, 8) rows high.
    const uint32_t highest = std::max(device.subgroupSize, 8u);
    for (const Row& row : kRows) {
        const Types& t = row.types;
        if (!has(device, t.a) || !has(device, t.b) || !has(device, t.c)) continue;
        const std::span<const Size> sizes = sizesOf(row.depth);
        for (const bool fitting : {true, false}) {
            for (const Size& size : sizes) {
                if ((size.m <= highest) != fitting) continue;
                if (device.isCpu && !suitsCpu(row, size)) continue;
                shapes.push_back({size.m, size.n, size.k, t.a, t.b, t.c, t.result, t.saturating});
            }
        }
    }
    ensureConvertible(shapes, device);
    eraseNotCarried(shapes, device);
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
    // Nothing higher than any driver lists.
    std::erase_if(shapes,
                  [](const MatrixShape& shape) { return shape.saturating || shape.m > 16; });
    // What the extension's own driver lists.
    for (const Size& size : {Size{16, 16, 16}, Size{16, 8, 16}, Size{16, 8, 8}}) {
        ensure(shapes, {kFloat16, kFloat16, kFloat32, kFloat32, false}, size);
        ensure(shapes, {kFloat16, kFloat16, kFloat16, kFloat16, false}, size);
    }
    for (const Size& size : {Size{16, 16, 32}, Size{16, 8, 32}}) {
        ensure(shapes, {kSint8, kSint8, kSint32, kSint32, false}, size);
        ensure(shapes, {kUint8, kUint8, kUint32, kUint32, false}, size);
    }
    // The conformance suite keeps the length of a matrix in one of its components, here of M x K
    // ones: at 4 lanes 128 of s8 are too many.
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return shape.a == kSint8 && shape.m * shape.k / device.subgroupSize > 127;
    });
    eraseNotCarried(shapes, device);
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
    // Without cooperativeMatrixFlexibleDimensions these are sizes: all that there are.
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
    DeviceTraits core = device;  // matrices of 4-bit components are never native ones
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
