// SPDX-License-Identifier: Apache-2.0
//
// What is advertised beside matrix shapes: combinations of types of VK_NV_cooperative_vector's
// matrix-vector products, and sizes of 2D blocks.

#include "coopvk/advertised.hpp"

#include <algorithm>

#include "blockio/lower.hpp"
#include "coopvk/device.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

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
