// SPDX-License-Identifier: Apache-2.0
//
// The combinations of types that matrix-vector products of VK_NV_cooperative_vector take.
#include "coopvk/rewrite.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentType;

// Input, its interpretation, matrix, bias, result. The rows that every implementation must have
// come first, then those that NVIDIA's drivers list, then what else costs nothing.
constexpr VectorCombination kRows[] = {
    {kFloat16, kFloat16, kFloat16, kFloat16, kFloat16},
    {kUint32, kSint8Packed, kSint8, kSint32, kSint32},
    {kSint8, kSint8, kSint8, kSint32, kSint32},
    {kFloat32, kSint8, kSint8, kSint32, kSint32},
    {kFloat16, kFloatE4M3, kFloatE4M3, kFloat16, kFloat16},
    {kFloat16, kFloatE5M2, kFloatE5M2, kFloat16, kFloat16},
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
    for (const VectorCombination& row : kRows) {
        // Only these two are types of values in the shader; the others exist in memory only.
        if (findNumber(row.input)->isOn(device) && findNumber(row.result)->isOn(device)) {
            list.push_back(row);
        }
    }
    return list;
}

}  // namespace coopvk::rewrite
