// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {

void CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
    CmdDispatchBase(handle, 0, 0, 0, x, y, z);
}

void CmdDispatchBase(VkCommandBuffer handle, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                     uint32_t x, uint32_t y, uint32_t z) {
    record(handle,
           [=](Execution& execution) { dispatch(execution, {baseX, baseY, baseZ}, {x, y, z}); });
}

void CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset) {
    record(handle, [from = from<Buffer>(buffer), offset](Execution& execution) {
        std::array<uint32_t, 3> groups = {};
        const Range range = part(from->range, offset, sizeof(groups));
        if (range.size == sizeof(groups)) std::memcpy(groups.data(), range.data, range.size);
        dispatch(execution, {0, 0, 0}, groups);
    });
}

}  // namespace coopvk::reference::icd
