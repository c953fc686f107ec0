// SPDX-License-Identifier: Apache-2.0
//
// The matrices and vectors that the device lists. It takes any size, since a matrix is one value of
// its scope; lists that must end have some usual ones.
#pragma once

#include <vulkan/vulkan_core.h>

#include <cstdint>

namespace coopvk::reference::listed {

inline constexpr auto kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
inline constexpr auto kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
inline constexpr auto kF64 = VK_COMPONENT_TYPE_FLOAT64_KHR;
inline constexpr auto kBF16 = VK_COMPONENT_TYPE_BFLOAT16_KHR;
inline constexpr auto kE4M3 = VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT;
inline constexpr auto kE5M2 = VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT;
inline constexpr auto kS8 = VK_COMPONENT_TYPE_SINT8_KHR;
inline constexpr auto kS16 = VK_COMPONENT_TYPE_SINT16_KHR;
inline constexpr auto kS32 = VK_COMPONENT_TYPE_SINT32_KHR;
inline constexpr auto kU8 = VK_COMPONENT_TYPE_UINT8_KHR;
inline constexpr auto kU16 = VK_COMPONENT_TYPE_UINT16_KHR;
inline constexpr auto kU32 = VK_COMPONENT_TYPE_UINT32_KHR;
inline constexpr auto kPackedS8 = VK_COMPONENT_TYPE_SINT8_PACKED_NV;
inline constexpr auto kPackedU8 = VK_COMPONENT_TYPE_UINT8_PACKED_NV;

// A x B + C; the result has C's type.
struct Product {
    VkComponentTypeKHR a, b, c;
    bool saturating = false;
};
inline constexpr Product kProducts[] = {
    {kF16, kF16, kF16},    {kF16, kF16, kF32},     {kF32, kF32, kF32},     {kF64, kF64, kF64},
    {kBF16, kBF16, kBF16}, {kBF16, kBF16, kF32},   {kE4M3, kE4M3, kF16},   {kE4M3, kE4M3, kF32},
    {kE5M2, kE5M2, kF16},  {kE5M2, kE5M2, kF32},   {kE4M3, kE5M2, kF32},   {kE5M2, kE4M3, kF32},
    {kS8, kS8, kS32},      {kS8, kU8, kS32},       {kU8, kS8, kS32},       {kU8, kU8, kU32},
    {kU8, kU8, kS32},      {kS8, kS8, kS32, true}, {kU8, kU8, kU32, true}, {kS16, kS16, kS32},
    {kU16, kU16, kU32},    {kS32, kS32, kS32},     {kU32, kU32, kU32},     {kE4M3, kE4M3, kE4M3},
    {kE5M2, kE5M2, kE5M2},
};

struct Shape {
    uint32_t m, n, k;
};
inline constexpr Shape kShapes[] = {{16, 16, 16}, {8, 8, 8}, {16, 8, 32}};

// Of flexible dimensions: 0 for the scope Subgroup, else the invocations of a workgroup.
inline constexpr uint32_t kInvocations[] = {0, 32, 64, 128, 256, 512, 1024};

// A product of cooperative vectors. A row for each kind of input, as its components lie in memory.
struct VectorProduct {
    VkComponentTypeKHR input, interpretation, matrix, bias, result;
};
inline constexpr VectorProduct kVectorProducts[] = {
    {kF16, kF16, kF16, kF16, kF16},     {kF32, kF32, kF32, kF32, kF32},
    {kF16, kF16, kF16, kF32, kF32},     {kF16, kE4M3, kE4M3, kF16, kF16},
    {kF16, kE5M2, kE5M2, kF16, kF16},   {kE4M3, kE4M3, kE4M3, kF16, kF16},
    {kE5M2, kE5M2, kE5M2, kF16, kF16},  {kS8, kS8, kS8, kS32, kS32},
    {kU8, kU8, kU8, kU32, kU32},        {kU8, kU8, kU8, kS32, kS32},
    {kF32, kS8, kS8, kS32, kS32},       {kF32, kU8, kU8, kU32, kU32},
    {kU32, kPackedS8, kS8, kS32, kS32}, {kU32, kPackedU8, kU8, kU32, kU32},
    {kU32, kPackedU8, kU8, kS32, kS32}, {kS8, kS8, kU8, kS32, kS32},
    {kU8, kU8, kS8, kS32, kS32},        {kS32, kS8, kS8, kS32, kS32},
    {kF32, kS8, kU8, kS32, kS32},       {kF32, kU8, kS8, kS32, kS32},
    {kU32, kPackedS8, kU8, kS32, kS32}, {kU32, kPackedU8, kS8, kS32, kS32},
};

}  // namespace coopvk::reference::listed
