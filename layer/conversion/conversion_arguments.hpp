// SPDX-License-Identifier: Apache-2.0
//
// Memory from which the conversion kernel reads its arguments. Push constants would replace the
// application's, so that the layer had to follow all of these.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace coopvk::layer {

struct DeviceContext;

// The arguments of one dispatch: where the host writes them, and where the kernel reads them.
struct ArgumentSlot {
    std::byte* host = nullptr;
    VkDeviceAddress address = 0;
};

class ConversionArguments {
 public:
    static constexpr VkDeviceSize kSlotBytes = 64;  // also the alignment of its address

    // A slot for a command buffer, which holds it until it is recorded again or freed. Thread safe.
    // It holds no lock while it calls the next layer: see ConversionKernel.
    VkResult take(DeviceContext& device, VkCommandBuffer commands, VkCommandPool pool,
                  ArgumentSlot& slot);
    void release(VkCommandBuffer commands) noexcept;
    void releasePool(VkCommandPool pool) noexcept;
    // Whether any command buffer holds slots.
    bool inUse() const noexcept { return holders_.load(std::memory_order_relaxed) != 0; }
    void destroy(DeviceContext& device);

 private:
    static constexpr VkDeviceSize kBlockSlots = 1024;

    struct Block {
        VkBuffer buffer = VK_NULL_HANDLE;
        VkDeviceMemory memory = VK_NULL_HANDLE;
    };
    struct Holder {
        VkCommandPool pool = VK_NULL_HANDLE;
        std::vector<ArgumentSlot> slots;
    };
    using Holders = std::unordered_map<VkCommandBuffer, Holder>;

    bool takeFree(VkCommandBuffer commands, VkCommandPool pool, ArgumentSlot& slot);
    VkResult addBlock(DeviceContext& device);
    void addSlots(const Block& block, ArgumentSlot first);
    Holders::iterator drop(Holders::iterator holder) noexcept;
    static VkResult create(DeviceContext& device, Block& block, ArgumentSlot& first);
    static void destroyBlock(DeviceContext& device, const Block& block);

    std::mutex mutex_;
    std::vector<Block> blocks_;
    std::vector<ArgumentSlot> free_;  // with room for all slots
    Holders held_;
    std::atomic<size_t> holders_ = 0;  // the size of held_
};

}  // namespace coopvk::layer
