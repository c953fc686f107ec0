// SPDX-License-Identifier: Apache-2.0
//
// The matrix shapes, component types and block sizes that are advertised for a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coopvk/device.hpp"

namespace coopvk::rewrite {

// ---------------------------------------------------------------------------------------------
// Cooperative matrix shapes

// Returns the shapes to advertise, those that suit the device best first. Applications depend on
// the order: some take the first row of a component type and ignore the others.
std::vector<MatrixShape> matrixShapes(const DeviceTraits& device);
// The same for vkGetPhysicalDeviceCooperativeMatrixPropertiesNV, which has no saturation.
std::vector<MatrixShape> nvMatrixShapes(const DeviceTraits& device);

// Those of matrixShapes() that have components of bfloat16 or of 8-bit floats. They are listed
// after the driver's where VK_KHR_cooperative_matrix is native and one of these formats is
// emulated.
std::vector<MatrixShape> formatMatrixShapes(const DeviceTraits& device);

// Returns shapes that the driver does not list and that are listed after its own, where
// VK_KHR_cooperative_matrix is native: with DeviceTraits::onlyNativeShapes those that consist of
// tiles of the driver's; else f16 of 16x16x16 if matrices of 8-bit floats are emulated.
std::vector<MatrixShape> addedMatrixShapes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative matrices of flexible dimensions and of scope Workgroup

// One row of vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV: M, N and K may be
// any multiples of those of `granularity`.
struct FlexibleShape {
    MatrixShape granularity;
    uint32_t workgroupInvocations;  // 0: the scope is Subgroup; else it is Workgroup
    bool operator==(const FlexibleShape&) const = default;
};
std::vector<FlexibleShape> flexibleShapes(const DeviceTraits& device);

// VkPhysicalDeviceCooperativeMatrixInfo2EXT.
struct MatrixQuery {
    bool isOfWorkgroup;
    uint32_t invocations;   // of the workgroup, for that scope
    uint32_t subgroupSize;  // 0: any
    bool saturating;
};
// Returns the rows of vkGetPhysicalDeviceCooperativeMatrixProperties2EXT, those that suit the
// device best first. Each granularity is also a valid size.
std::vector<MatrixShape> matrixGranularities(const DeviceTraits& device, const MatrixQuery& query);

// VkPhysicalDeviceCooperativeMatrix2PropertiesNV.
inline constexpr uint32_t kMaxMatrixDimension = 512;
uint32_t maxMatrixWorkgroupSize(const DeviceTraits& device);  // invocations
// In bytes. Modules with matrices of scope Workgroup leave this much shared memory unused.
uint32_t reservedSharedMemory(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative vector types

// One row of vkGetPhysicalDeviceCooperativeVectorPropertiesNV. Every row may be transposed.
struct VectorCombination {
    ComponentType input, inputInterpretation, matrix, bias, result;
    bool operator==(const VectorCombination&) const = default;
};

std::vector<VectorCombination> vectorCombinations(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative matrices of 4-bit integers

// A product with 4-bit A and B; the scope is always Subgroup.
struct Int4MatrixShape {
    uint32_t m, n, k;
    bool aSigned, bSigned;
    ComponentType c, result;
    bool saturating;
    bool operator==(const Int4MatrixShape&) const = default;
};

// Returns the shapes in the order of those for 8-bit components; none if the device cannot carry
// VK_KHR_cooperative_matrix.
std::vector<Int4MatrixShape> int4MatrixShapes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// 2D blocks

enum class BlockOperation : uint32_t { kLoad, kLoadTranspose, kLoadTransform, kPrefetch, kStore };

// The sizes that one operation supports for one element size: each width up to maxWidth that is a
// multiple of widthGranularity, each height up to maxHeight, each block count up to maxCount, as
// far as kMaxBlockElements allows.
struct BlockSizes {
    BlockOperation operation;
    uint32_t elementSize;                    // bytes
    uint32_t widthGranularity;               // elements
    uint32_t maxWidth, maxHeight, maxCount;  // width in elements, height in rows
};

// How many elements, padding included, one instruction may give each invocation.
inline constexpr uint32_t kMaxBlockElements = 1u << 16;

std::vector<BlockSizes> blockSizes(const DeviceTraits& device);

}  // namespace coopvk::rewrite
