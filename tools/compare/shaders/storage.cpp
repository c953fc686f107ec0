// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/storage.hpp"

namespace coopvk::compare {

std::string_view nameOf(Storage storage) {
    constexpr std::string_view kNames[] = {"StorageBuffer", "Workgroup", "PhysicalStorageBuffer"};
    return kNames[static_cast<size_t>(storage)];
}

bool fits(Storage storage, size_t bytes) {
    constexpr size_t kShared = 8192;
    return storage != Storage::kWorkgroup || bytes <= kShared;
}

Component holder(Component type) {
    const ComponentInfo& c = info(type);
    if (type == VK_COMPONENT_TYPE_SINT8_PACKED_NV || type == VK_COMPONENT_TYPE_UINT8_PACKED_NV)
        return VK_COMPONENT_TYPE_UINT32_KHR;
    if (c.encoding.empty()) return type;
    return c.bits == 8 ? VK_COMPONENT_TYPE_UINT8_KHR : VK_COMPONENT_TYPE_UINT16_KHR;
}

}  // namespace coopvk::compare
