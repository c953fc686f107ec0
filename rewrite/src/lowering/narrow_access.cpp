// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lowering/place.hpp"

namespace coopvk::rewrite {

namespace {

using Storage = spv::StorageClass;
using Features = DeviceFeatures;

struct AccessRow {
    Storage storage;
    uint32_t bits;
    spv::Capability capability;
    DeviceFeatures::Feature feature;
    std::string_view featureName;
};

constexpr AccessRow kAccessRows[] = {
    {Storage::StorageBuffer, 8, spv::Capability::StorageBuffer8BitAccess,
     &Features::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {Storage::StorageBuffer, 16, spv::Capability::StorageBuffer16BitAccess,
     &Features::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {Storage::Uniform, 8, spv::Capability::UniformAndStorageBuffer8BitAccess,
     &Features::uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"},
    {Storage::Uniform, 16, spv::Capability::UniformAndStorageBuffer16BitAccess,
     &Features::uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"},
    {Storage::PushConstant, 8, spv::Capability::StoragePushConstant8,
     &Features::storagePushConstant8, "storagePushConstant8"},
    {Storage::PushConstant, 16, spv::Capability::StoragePushConstant16,
     &Features::storagePushConstant16, "storagePushConstant16"},
};

const AccessRow* findRow(Storage storage, uint32_t bits) {
    if (storage == Storage::PhysicalStorageBuffer) storage = Storage::StorageBuffer;
    const auto found = std::ranges::find_if(kAccessRows, [&](const AccessRow& row) {
        return row.storage == storage && row.bits == bits;
    });
    return found == std::end(kAccessRows) ? nullptr : found;
}

spv::Capability sharedBlockAccess(uint32_t bits) {
    return bits == 8 ? spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR
                     : spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR;
}

}  // namespace

std::string_view missingForAccess(const DeviceFeatures& device, Storage storage, uint32_t bits) {
    const AccessRow* row = findRow(storage, bits);
    return row == nullptr || device.has(row->feature) ? "" : row->featureName;
}

bool canAccess(const Module& module, const DeviceFeatures& device, Storage storage, uint32_t bits) {
    if (storage == Storage::Workgroup && bits < 32) {
        return module.hasCapability(sharedBlockAccess(bits));
    }
    return missingForAccess(device, storage, bits).empty();
}

void declareAccess(Module& module, Storage storage, uint32_t bits) {
    if (const AccessRow* row = findRow(storage, bits)) {
        module.addCapability(row->capability);
        if (bits == 8 && module.version() < 0x00010500) module.addExtension("SPV_KHR_8bit_storage");
        if (bits == 16 && module.version() < 0x00010300) {
            module.addExtension("SPV_KHR_16bit_storage");
        }
    }
    // Blocks in Workgroup memory have an explicit layout.
    if (storage == Storage::Workgroup && bits < 32 &&
        module.hasCapability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) {
        module.addCapability(sharedBlockAccess(bits));
    }
}

}  // namespace coopvk::rewrite
