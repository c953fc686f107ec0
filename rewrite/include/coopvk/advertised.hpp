// SPDX-License-Identifier: Apache-2.0
//
// What is advertised of each extension on a device: shapes, types and sizes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coopvk/device.hpp"

namespace coopvk::rewrite {

// ---------------------------------------------------------------------------------------------
// Cooperative matrix shapes

// The shapes to advertise for a device, the best for it first. The order is an interface: some
// applications take the first row of a type and never look further.
std::vector<MatrixShape> matrixShapes(const DeviceTraits& device);
// The same for vkGetPhysicalDeviceCooperativeMatrixPropertiesNV, which knows no saturation.
std::vector<MatrixShape> nvMatrixShapes(const DeviceTraits& device);

// What tiles of the driver's own matrices make up beyond device.nativeShapes: to be listed behind
// those where VK_KHR_cooperative_matrix is the driver's own.
std::vector<MatrixShape> addedMatrixShapes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// Cooperative matrices of any size, and of workgroups

// One row of vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV: sizes are
// multiples of those of `granularity`.
struct FlexibleShape {
    MatrixShape granularity;
    uint32_t workgroupInvocations;  // 0: the scope is Subgroup, else Workgroup
    bool operator==(const FlexibleShape&) const = default;
};
std::vector<FlexibleShape> flexibleShapes(const DeviceTraits& device);

// VkPhysicalDeviceCooperativeMatrixInfo2EXT.
struct MatrixQuery {
    bool isOfWorkgroup;
    uint32_t invocations;   // of the workgroup, where it is of one
    uint32_t subgroupSize;  // 0: any
    bool saturating;
};
// For vkGetPhysicalDeviceCooperativeMatrixProperties2EXT: granularities, which are also sizes that
// any device takes. The best come first.
std::vector<MatrixShape> matrixGranularities(const DeviceTraits& device, const MatrixQuery& query);

// VkPhysicalDeviceCooperativeMatrix2PropertiesNV.
inline constexpr uint32_t kMaxMatrixDimension = 512;
uint32_t maxMatrixWorkgroupSize(const DeviceTraits& device);  // invocations
// Bytes of Workgroup memory that modules with matrices of scope Workgroup leave to coopvk.
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

// In the order of those for 8-bit components; none where the device cannot have matrices at all.
std::vector<Int4MatrixShape> int4MatrixShapes(const DeviceTraits& device);

// ---------------------------------------------------------------------------------------------
// 2D blocks

enum class BlockOperation : uint32_t { kLoad, kLoadTranspose, kLoadTransform, kPrefetch, kStore };

// What one operation takes for one element size: every width up to maxWidth that is a multiple of
// widthGranularity, every height and count, within kMaxBlockElements.
struct BlockSizes {
    BlockOperation operation;
    uint32_t elementSize;
    uint32_t widthGranularity;
    uint32_t maxWidth, maxHeight, maxCount;
};

// Elements of one instruction's blocks in each invocation, padding included.
inline constexpr uint32_t kMaxBlockElements = 1u << 16;

std::vector<BlockSizes> blockSizes(const DeviceTraits& device);

}  // namespace coopvk::rewrite
