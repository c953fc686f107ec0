// SPDX-License-Identifier: Apache-2.0
//
// What shaders for a device may contain, and how much of it: the part of DeviceTraits that decides
// whether code is valid, and not how it is made.
#pragma once

#include "coopvk/device.hpp"

namespace coopvk::rewrite {

// The members are those of DeviceTraits with the same names.
struct DeviceFeatures {
    DeviceFeatures(const DeviceTraits& t)  // NOLINT: a device has them
        : subgroupShuffle(t.subgroupShuffle),
          subgroupVote(t.subgroupVote),
          subgroupBallot(t.subgroupBallot),
          subgroupArithmetic(t.subgroupArithmetic),
          shaderFloat16(t.shaderFloat16),
          shaderFloat64(t.shaderFloat64),
          shaderInt8(t.shaderInt8),
          shaderInt16(t.shaderInt16),
          shaderInt64(t.shaderInt64),
          storageBuffer8BitAccess(t.storageBuffer8BitAccess),
          storageBuffer16BitAccess(t.storageBuffer16BitAccess),
          uniformAndStorageBuffer8BitAccess(t.uniformAndStorageBuffer8BitAccess),
          uniformAndStorageBuffer16BitAccess(t.uniformAndStorageBuffer16BitAccess),
          storagePushConstant8(t.storagePushConstant8),
          storagePushConstant16(t.storagePushConstant16),
          scalarBlockLayout(t.scalarBlockLayout),
          shaderBufferFloat32AtomicAdd(t.shaderBufferFloat32AtomicAdd),
          shaderSharedFloat32AtomicAdd(t.shaderSharedFloat32AtomicAdd),
          emulatesFloat16(t.emulatesFloat16),
          blockedWeights(t.blockedWeights),
          subgroupStages(t.subgroupStages),
          maxComputeSharedMemorySize(t.maxComputeSharedMemorySize),
          splitBarrierSharedMemory(t.splitBarrierSharedMemory),
          maxTaskSharedMemorySize(t.maxTaskSharedMemorySize),
          maxTaskPayloadAndSharedMemorySize(t.maxTaskPayloadAndSharedMemorySize),
          maxMeshSharedMemorySize(t.maxMeshSharedMemorySize),
          maxMeshPayloadAndSharedMemorySize(t.maxMeshPayloadAndSharedMemorySize),
          nativeShapes(t.nativeShapes) {}

    bool subgroupShuffle, subgroupVote, subgroupBallot, subgroupArithmetic;
    bool shaderFloat16, shaderFloat64, shaderInt8, shaderInt16, shaderInt64;
    bool storageBuffer8BitAccess, storageBuffer16BitAccess;
    bool uniformAndStorageBuffer8BitAccess, uniformAndStorageBuffer16BitAccess;
    bool storagePushConstant8, storagePushConstant16;
    bool scalarBlockLayout;
    bool shaderBufferFloat32AtomicAdd, shaderSharedFloat32AtomicAdd;
    bool emulatesFloat16, blockedWeights;
    uint32_t subgroupStages;
    uint32_t maxComputeSharedMemorySize, splitBarrierSharedMemory;
    uint32_t maxTaskSharedMemorySize, maxTaskPayloadAndSharedMemorySize;
    uint32_t maxMeshSharedMemorySize, maxMeshPayloadAndSharedMemorySize;
    std::vector<MatrixShape> nativeShapes;

    bool hasFloat16() const { return shaderFloat16 || emulatesFloat16; }
    // A feature, or its emulation.
    bool has(bool DeviceFeatures::* feature) const {
        return this->*feature || (feature == &DeviceFeatures::shaderFloat16 && emulatesFloat16);
    }
};

}  // namespace coopvk::rewrite
