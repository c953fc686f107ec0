// SPDX-License-Identifier: Apache-2.0
//
// The matrix shapes that coopvk advertises, by component types and by size.
#include <algorithm>
#include <numeric>

#include "api/passes.hpp"
#include "blockio/lower.hpp"
#include "coopvk/advertised.hpp"
#include "coopvk/device.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

struct ShapeTypes {
    ComponentType a, b, c, result;
    bool saturating = false;
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

// Applications look for component types first: those that most of them use come first.
constexpr ShapeRow kShapeRows[] = {
    {{kFloat16, kFloat16, kFloat32, kFloat32}, Depth::kHalf, Demand::kMain},
    {{kFloat16, kFloat16, kFloat16, kFloat16}, Depth::kHalf, Demand::kMain},
    {{kSint8, kSint8, kSint32, kSint32}, Depth::kByte, Demand::kMain},
    {{kUint8, kUint8, kUint32, kUint32}, Depth::kByte, Demand::kSome},
    {{kUint8, kSint8, kSint32, kSint32}, Depth::kByte, Demand::kRare},
    {{kSint8, kUint8, kSint32, kSint32}, Depth::kByte, Demand::kRare},
    {{kUint8, kUint8, kSint32, kSint32}, Depth::kByte, Demand::kRare},
    {{kSint8, kSint8, kUint32, kUint32}, Depth::kByte, Demand::kRare},
    {{kSint8, kSint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kUint8, kUint8, kUint32, kUint32, true}, Depth::kByte, Demand::kRare},
    {{kUint8, kSint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kSint8, kUint8, kSint32, kSint32, true}, Depth::kByte, Demand::kRare},
    {{kFloat32, kFloat32, kFloat32, kFloat32}, Depth::kWord, Demand::kSome},
    {{kSint32, kSint32, kSint32, kSint32}, Depth::kWord, Demand::kRare},
    {{kUint32, kUint32, kUint32, kUint32}, Depth::kWord, Demand::kRare},
    {{kSint16, kSint16, kSint32, kSint32}, Depth::kHalf, Demand::kRare},
    {{kUint16, kUint16, kUint32, kUint32}, Depth::kHalf, Demand::kRare},
    {{kFloat64, kFloat64, kFloat64, kFloat64}, Depth::kLong, Demand::kRare},
    {{kSint64, kSint64, kSint64, kSint64}, Depth::kLong, Demand::kRare},
    {{kUint64, kUint64, kUint64, kUint64}, Depth::kLong, Demand::kRare},
};

// Of formats that programs ask for explicitly: they come after all others.
constexpr ShapeRow kFormatRows[] = {
    {{kBFloat16, kBFloat16, kFloat32, kFloat32}, Depth::kHalf, Demand::kMain},
    {{kBFloat16, kBFloat16, kBFloat16, kBFloat16}, Depth::kHalf, Demand::kSome},
    {{kFloatE4M3, kFloatE4M3, kFloat32, kFloat32}, Depth::kHalf, Demand::kMain},
    {{kFloatE5M2, kFloatE5M2, kFloat32, kFloat32}, Depth::kHalf, Demand::kSome},
    {{kFloatE4M3, kFloatE5M2, kFloat32, kFloat32}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE4M3, kFloat32, kFloat32}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE4M3, kFloat16, kFloat16}, Depth::kHalf, Demand::kSome},
    {{kFloatE5M2, kFloatE5M2, kFloat16, kFloat16}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE5M2, kFloat16, kFloat16}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE4M3, kFloat16, kFloat16}, Depth::kHalf, Demand::kRare},
    {{kFloatE4M3, kFloatE4M3, kFloatE4M3, kFloatE4M3}, Depth::kHalf, Demand::kRare},
    {{kFloatE5M2, kFloatE5M2, kFloatE5M2, kFloatE5M2}, Depth::kHalf, Demand::kRare},
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

bool hasType(const DeviceTraits& device, ComponentType type) {
    const Number& number = *findNumber(type);
    const bool offered = type == kBFloat16       ? device.shaderBFloat16CooperativeMatrix
                         : number.isSmallFloat() ? device.shaderFloat8CooperativeMatrix
                                                 : true;
    return offered && number.isSupportedBy(device);
}

bool hasTypes(const DeviceTraits& device, const ShapeTypes& types) {
    return hasType(device, types.a) && hasType(device, types.b) && hasType(device, types.c);
}

MatrixShape shapeOf(const Dimensions& size, const ShapeTypes& t) {
    return {size.m, size.n, size.k, t.a, t.b, t.c, t.result, t.saturating};
}

// Appends the shapes of rows that the device has, those that suit it best first.
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

// Programs with matrices of 8-bit floats compute with this one, too: vkd3d-proton takes no matrices
// from a device without it.
constexpr MatrixShape kBesideFloat8 = {16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false};

bool sameTypes(const MatrixShape& shape, const ShapeTypes& t) {
    return shape.a == t.a && shape.b == t.b && shape.c == t.c && shape.result == t.result &&
           shape.saturating == t.saturating;
}

// Appends a shape if it is missing and the list has another one of its types.
void ensure(std::vector<MatrixShape>& shapes, const ShapeTypes& t, const Dimensions& size) {
    const MatrixShape shape = shapeOf(size, t);
    const auto isOfTypes = [&](const MatrixShape& other) { return sameTypes(other, t); };
    if (std::ranges::none_of(shapes, isOfTypes)) return;
    if (std::ranges::find(shapes, shape) == shapes.end()) shapes.push_back(shape);
}

bool isTileable(const MatrixShape& shape, const DeviceTraits& device) {
    return std::ranges::any_of(device.nativeShapes, [&](const MatrixShape& native) {
        return native.a != kBFloat16 && isMadeOf(heldShape(shape), native);
    });
}

void keepTileable(std::vector<MatrixShape>& shapes, const DeviceTraits& device) {
    if (!device.onlyNativeShapes) return;
    std::erase_if(shapes, [&](const MatrixShape& shape) { return !isTileable(shape, device); });
}

// The smallest multiple of a shape whose own multiples all consist of one of the driver's shapes.
std::optional<MatrixShape> tileableMultiple(const MatrixShape& shape, const DeviceTraits& device) {
    constexpr uint32_t kMaxSize = 65535;  // of matrices
    std::optional<MatrixShape> smallest;
    const auto volume = [](const MatrixShape& s) { return uint64_t{s.m} * s.n * s.k; };
    for (const MatrixShape& native : device.nativeShapes) {
        if (std::max({native.m, native.n, native.k}) > kMaxSize) continue;
        MatrixShape multiple = shape;
        multiple.m = std::lcm(shape.m, native.m);
        multiple.n = std::lcm(shape.n, native.n);
        multiple.k = std::lcm(shape.k, native.k);
        MatrixShape larger = multiple;
        larger.k *= 2;
        const bool fits = native.a != kBFloat16 && isMadeOf(heldShape(multiple), native) &&
                          isMadeOf(heldShape(larger), native);
        if (fits && (!smallest || volume(multiple) < volume(*smallest))) smallest = multiple;
    }
    return smallest;
}

// For matrices of flexible dimensions. Those of a workgroup may become core SPIR-V in any case.
std::vector<MatrixShape> granularities(const DeviceTraits& device, bool isOfWorkgroup) {
    std::vector<MatrixShape> shapes;
    const auto add = [&](const ShapeRow& row) {
        if (!hasTypes(device, row.types)) return;
        const MatrixShape shape = shapeOf({16, 16, 16}, row.types);
        const auto listed = isOfWorkgroup || !device.onlyNativeShapes
                                ? std::optional(shape)
                                : tileableMultiple(shape, device);
        if (listed) shapes.push_back(*listed);
    };
    for (const ShapeRow& row : kShapeRows) {
        if (row.types.a == kFloat16 || row.depth == Depth::kByte) add(row);
    }
    for (const ShapeRow& row : kFormatRows) add(row);
    return shapes;
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

DeviceTraits withoutFormats(DeviceTraits device) {
    device.shaderBFloat16CooperativeMatrix = device.shaderFloat8CooperativeMatrix = false;
    return device;
}

}  // namespace

MatrixShape heldShape(MatrixShape shape) {
    for (ComponentType* factor : {&shape.a, &shape.b}) {
        const Number* number = findNumber(*factor);
        if (number != nullptr && number->isSmallFloat()) *factor = kFloat16;
    }
    return shape;
}

bool isMadeOf(const MatrixShape& shape, const MatrixShape& tile) {
    const ShapeTypes types = {tile.a, tile.b, tile.c, tile.result, tile.saturating};
    if (!sameTypes(shape, types) || tile.m == 0 || tile.n == 0 || tile.k == 0) return false;
    if (shape.m % tile.m != 0 || shape.n % tile.n != 0 || shape.k % tile.k != 0) return false;
    return shape.k == tile.k || (!shape.saturating && shape.c == shape.result);
}

std::vector<MatrixShape> matrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes;
    appendRows(shapes, kShapeRows, device);
    ensureConvertible(shapes, device);
    keepTileable(shapes, device);
    const std::vector<MatrixShape> formats = formatMatrixShapes(device);
    shapes.insert(shapes.end(), formats.begin(), formats.end());
    return shapes;
}

std::vector<MatrixShape> formatMatrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes;
    appendRows(shapes, kFormatRows, device);
    const uint32_t lines = std::min(device.subgroupSize, 8u);
    ensure(shapes, {kBFloat16, kBFloat16, kFloat32, kFloat32, false}, {lines, lines, 16});
    for (const Number& number : allNumbers()) {
        if (!number.isSmallFloat()) continue;
        ensure(shapes, {number.type, number.type, kFloat32, kFloat32, false}, {lines, lines, 32});
    }
    keepTileable(shapes, device);
    // The driver's matrices are faster.
    std::ranges::stable_partition(
        shapes, [&](const MatrixShape& shape) { return isTileable(shape, device); });
    return shapes;
}

std::vector<MatrixShape> addedMatrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes;
    if (device.onlyNativeShapes) {
        if (!device.nativeShapes.empty()) shapes = matrixShapes(withoutFormats(device));
    } else if (device.shaderFloat8CooperativeMatrix) {
        shapes = {kBesideFloat8};
    }
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        return std::ranges::find(device.nativeShapes, shape) != device.nativeShapes.end();
    });
    return shapes;
}

std::vector<MatrixShape> nvMatrixShapes(const DeviceTraits& device) {
    std::vector<MatrixShape> shapes = matrixShapes(withoutFormats(device));
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
    // The conformance suite stores the length of a matrix in its components: an s8 holds at most
    // 127.
    std::erase_if(shapes, [&](const MatrixShape& shape) {
        const uint32_t lines =
            std::max(shape.a == kSint8 ? shape.m : 0, shape.b == kSint8 ? shape.n : 0);
        return lines * shape.k / device.subgroupSize > 127;
    });
    keepTileable(shapes, device);
    return shapes;
}

std::vector<FlexibleShape> flexibleShapes(const DeviceTraits& device) {
    std::vector<FlexibleShape> shapes;
    for (const MatrixShape& shape : granularities(device, false)) shapes.push_back({shape, 0});
    for (const uint32_t invocations : {64, 128, 256, 512, 1024}) {
        if (invocations > maxMatrixWorkgroupSize(device)) break;
        for (const MatrixShape& shape : granularities(device, true)) {
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
    std::vector<MatrixShape> shapes = granularities(device, query.isOfWorkgroup);
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

// What is advertised beside matrix shapes: combinations of types of VK_NV_cooperative_vector's
// matrix-vector products, and sizes of 2D blocks.

namespace {

// Input, its interpretation, matrix, bias, result. First the combinations that every implementation
// must have, the 8-bit floats last of them; then those of NVIDIA's drivers; then further ones.
constexpr VectorCombination kListedFirst[] = {
    {kFloat16, kFloat16, kFloat16, kFloat16, kFloat16},
    {kUint32, kSint8Packed, kSint8, kSint32, kSint32},
    {kSint8, kSint8, kSint8, kSint32, kSint32},
    {kFloat32, kSint8, kSint8, kSint32, kSint32},
};
constexpr VectorCombination kFurther[] = {
    {kUint32, kUint8Packed, kUint8, kSint32, kSint32},
    {kUint32, kUint8Packed, kSint8, kSint32, kSint32},
    {kUint32, kSint8Packed, kUint8, kSint32, kSint32},
    {kUint8, kUint8, kUint8, kSint32, kSint32},
    {kUint8, kUint8, kSint8, kSint32, kSint32},
    {kSint8, kSint8, kUint8, kSint32, kSint32},
    {kSint32, kSint8, kSint8, kSint32, kSint32},
    {kSint32, kUint8, kUint8, kSint32, kSint32},
    {kSint32, kUint8, kSint8, kSint32, kSint32},
    {kSint32, kSint8, kUint8, kSint32, kSint32},
    {kFloat32, kUint8, kUint8, kSint32, kSint32},
    {kFloat32, kUint8, kSint8, kSint32, kSint32},
    {kFloat32, kSint8, kUint8, kSint32, kSint32},
    {kUint8, kUint8, kUint8, kUint32, kUint32},
    {kUint32, kUint8Packed, kUint8, kUint32, kUint32},
    {kFloat16, kFloat16, kFloat16, kFloat32, kFloat32},
    {kFloat32, kFloat32, kFloat32, kFloat32, kFloat32},
};

}  // namespace

std::vector<VectorCombination> vectorCombinations(const DeviceTraits& device) {
    std::vector<VectorCombination> list;
    const auto add = [&](const VectorCombination& row) {
        // Shaders have values of these two types only; the others are types in memory.
        if (findNumber(row.input)->isSupportedBy(device) &&
            findNumber(row.result)->isSupportedBy(device)) {
            list.push_back(row);
        }
    };
    std::ranges::for_each(kListedFirst, add);
    for (const Number& number : allNumbers()) {
        if (!number.isSmallFloat()) continue;
        add({kFloat16, number.type, number.type, kFloat16, kFloat16});
    }
    std::ranges::for_each(kFurther, add);
    return list;
}

std::vector<BlockSizes> blockSizes(const DeviceTraits& device) {
    std::vector<BlockSizes> list;
    for (const auto operation :
         {BlockOperation::kLoad, BlockOperation::kLoadTranspose, BlockOperation::kLoadTransform,
          BlockOperation::kPrefetch, BlockOperation::kStore}) {
        for (const uint32_t size : {1u, 2u, 4u, 8u}) {
            if (operation == BlockOperation::kLoadTransform && size > kMaxTransformedSize) continue;
            if (!canAccessElements(device, size)) continue;
            const uint32_t granularity = size < 4 ? 4 / size : 1;
            list.push_back(
                {operation, size, granularity, kMaxBlockSize, kMaxBlockSize, kMaxBlockSize});
        }
    }
    return list;
}

std::string_view name(ComponentType type) {
    if (type == ComponentType::kSint8Packed) return "s8packed";
    if (type == ComponentType::kUint8Packed) return "u8packed";
    const Number* number = findNumber(type);
    return number == nullptr ? "unknown" : number->name;
}

std::optional<ComponentType> componentType(std::string_view name) {
    const auto found = std::ranges::find_if(allNumbers(), [&](const Number& number) {
        return number.type != kNoComponentType && number.name == name;
    });
    return found == allNumbers().end() ? std::nullopt : std::optional(found->type);
}

std::optional<ComponentFormat> componentFormat(ComponentType type) {
    const Number* number = findNumber(type);
    if (number == nullptr) return std::nullopt;
    if (!number->isFloat()) return ComponentFormat{.bits = number->bits};
    return ComponentFormat{number->bits, number->fields.exponentBits, number->mantissaBits(),
                           number->fields.bias, number->hasInfinity()};
}

}  // namespace coopvk::rewrite
