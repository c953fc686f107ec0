// SPDX-License-Identifier: Apache-2.0
#include "compute.hpp"

#include <cstring>

namespace coopvk::test {
namespace {

constexpr VkDeviceSize kGuard = 256;  // also keeps every buffer aligned for any device

VkDeviceSize alignUp(VkDeviceSize value) { return (value + kGuard - 1) / kGuard * kGuard; }

// One host-visible buffer that holds all buffers of a dispatch, with guards between them.
class Memory {
 public:
    Memory(Context& context, const std::vector<Bytes>& contents) : context_(context) {
        VkDeviceSize size = kGuard;
        for (const Bytes& bytes : contents) {
            offsets_.push_back(size);
            size += alignUp(bytes.size()) + kGuard;
        }
        allocate(size);
        const Bytes poison = Rng("guards").bytes(size);
        std::memcpy(map_, poison.data(), size);
        for (size_t i = 0; i < contents.size(); ++i)
            std::memcpy(map_ + offsets_[i], contents[i].data(), contents[i].size());
        before_.assign(map_, map_ + size);
    }
    ~Memory() {
        vkDestroyBuffer(context_.device, buffer_, nullptr);
        vkFreeMemory(context_.device, memory_, nullptr);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    VkDescriptorBufferInfo descriptor(size_t index, size_t size) const {
        return {buffer_, offsets_[index], size};
    }
    VkDeviceAddress address(size_t index) const {
        VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        info.buffer = buffer_;
        return vkGetBufferDeviceAddress(context_.device, &info) + offsets_[index];
    }
    void write(size_t index, size_t offset, VkDeviceAddress value) {
        std::memcpy(map_ + offsets_[index] + offset, &value, sizeof(value));
    }
    // Takes the contents out and throws if anything else changed.
    std::vector<Bytes> read(const std::vector<Bytes>& contents) const {
        Bytes after(map_, map_ + before_.size());
        std::vector<Bytes> result;
        for (size_t i = 0; i < contents.size(); ++i) {
            const auto begin = after.begin() + static_cast<std::ptrdiff_t>(offsets_[i]);
            result.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(contents[i].size()));
            std::copy(contents[i].begin(), contents[i].end(), begin);
        }
        const std::string wrong = difference(after, before_);
        if (!wrong.empty()) throw std::runtime_error("written outside of the buffers: " + wrong);
        return result;
    }

 private:
    void allocate(VkDeviceSize size) {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = size;
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        COOPVK_CHECK(vkCreateBuffer(context_.device, &info, nullptr, &buffer_));
        VkMemoryRequirements needed;
        vkGetBufferMemoryRequirements(context_.device, buffer_, &needed);
        const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                              VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
        const VkMemoryAllocateInfo allocation{
            VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needed.size,
            context_.memoryType(needed.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
        COOPVK_CHECK(vkAllocateMemory(context_.device, &allocation, nullptr, &memory_));
        COOPVK_CHECK(vkBindBufferMemory(context_.device, buffer_, memory_, 0));
        void* map = nullptr;
        COOPVK_CHECK(vkMapMemory(context_.device, memory_, 0, VK_WHOLE_SIZE, 0, &map));
        map_ = static_cast<std::byte*>(map);
    }

    Context& context_;
    VkBuffer buffer_ = VK_NULL_HANDLE;
    VkDeviceMemory memory_ = VK_NULL_HANDLE;
    std::byte* map_ = nullptr;
    std::vector<VkDeviceSize> offsets_;
    Bytes before_;
};

// Descriptor and command pools of one dispatch.
struct Pools {
    explicit Pools(Context& c) : context(c) {
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kMaxBuffers};
        VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        pool.maxSets = 1;
        pool.poolSizeCount = 1;
        pool.pPoolSizes = &size;
        COOPVK_CHECK(vkCreateDescriptorPool(c.device, &pool, nullptr, &descriptors));
        VkCommandPoolCreateInfo command{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        command.queueFamilyIndex = c.queueFamily;
        COOPVK_CHECK(vkCreateCommandPool(c.device, &command, nullptr, &commands));
        COOPVK_CHECK(vkCreateFence(c.device, &fenceInfo, nullptr, &fence));
    }
    ~Pools() {
        vkDestroyFence(context.device, fence, nullptr);
        vkDestroyCommandPool(context.device, commands, nullptr);
        vkDestroyDescriptorPool(context.device, descriptors, nullptr);
    }
    Pools(const Pools&) = delete;
    Pools& operator=(const Pools&) = delete;

    Context& context;
    VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkDescriptorPool descriptors = VK_NULL_HANDLE;
    VkCommandPool commands = VK_NULL_HANDLE;
    VkFence fence = VK_NULL_HANDLE;
};

VkDescriptorSet describe(Context& context, const Layout& layout, const Pools& pools,
                         const Memory& memory, const std::vector<Bytes>& buffers) {
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = pools.descriptors;
    info.descriptorSetCount = 1;
    info.pSetLayouts = &layout.set;
    VkDescriptorSet set = VK_NULL_HANDLE;
    COOPVK_CHECK(vkAllocateDescriptorSets(context.device, &info, &set));
    for (uint32_t i = 0; i < kMaxBuffers; ++i) {
        // Bindings that a test does not use get its first buffer: no binding is left undefined.
        const size_t index = i < buffers.size() ? i : 0;
        const VkDescriptorBufferInfo buffer = memory.descriptor(index, buffers[index].size());
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set;
        write.dstBinding = std::min(i, kArrayBinding);
        write.dstArrayElement = i - write.dstBinding;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        vkUpdateDescriptorSets(context.device, 1, &write, 0, nullptr);
    }
    return set;
}

void record(VkCommandBuffer commands, const Layout& layout, VkDescriptorSet set,
            const Dispatch& dispatch, const std::vector<std::byte>& push, const Binder& bind) {
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    COOPVK_CHECK(vkBeginCommandBuffer(commands, &begin));
    bind(commands);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1, &set,
                            0, nullptr);
    vkCmdPushConstants(commands, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes,
                       push.data());
    vkCmdDispatch(commands, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &barrier, 0, nullptr, 0, nullptr);
    COOPVK_CHECK(vkEndCommandBuffer(commands));
}

void submitAndWait(Context& context, VkCommandBuffer commands, VkFence fence) {
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    {
        std::lock_guard lock(context.queueMutex);
        COOPVK_CHECK(vkQueueSubmit(context.queue, 1, &info, fence));
    }
    COOPVK_CHECK(vkWaitForFences(context.device, 1, &fence, VK_TRUE, UINT64_MAX));
}

std::vector<std::byte> pushConstants(const Dispatch& dispatch, Memory& memory) {
    std::vector<std::byte> push(kPushBytes);
    size_t offset = 0;
    const auto put = [&](VkDeviceAddress address) {
        std::memcpy(&push[offset], &address, sizeof(address));
        offset += sizeof(address);
    };
    if (dispatch.addressTable) {
        put(memory.address(*dispatch.addressTable));
        for (size_t i = 0; i < dispatch.addresses.size(); ++i)
            memory.write(*dispatch.addressTable, i * sizeof(VkDeviceAddress),
                         memory.address(dispatch.addresses[i]));
    } else {
        for (uint32_t index : dispatch.addresses) put(memory.address(index));
    }
    if (offset + dispatch.push.size() > kPushBytes) throw std::runtime_error("too much to push");
    std::copy(dispatch.push.begin(), dispatch.push.end(),
              push.begin() + static_cast<std::ptrdiff_t>(offset));
    return push;
}

}  // namespace

Layout::Layout(Context& context) : context_(context) {
    std::array<VkDescriptorSetLayoutBinding, kArrayBinding + 1> bindings{};
    for (uint32_t i = 0; i <= kArrayBinding; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, i == kArrayBinding ? 2u : 1u,
                       VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = static_cast<uint32_t>(bindings.size());
    setInfo.pBindings = bindings.data();
    COOPVK_CHECK(vkCreateDescriptorSetLayout(context.device, &setInfo, nullptr, &set));
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    COOPVK_CHECK(vkCreatePipelineLayout(context.device, &info, nullptr, &pipeline));
}

Layout::~Layout() {
    vkDestroyPipelineLayout(context_.device, pipeline, nullptr);
    vkDestroyDescriptorSetLayout(context_.device, set, nullptr);
}

VkResult createPipeline(Context& context, VkPipelineLayout layout, const Words& words,
                        const PipelineOptions& options, VkPipeline* pipeline) {
    const Specialization special(context, options.specialization);
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size() * sizeof(uint32_t);
    moduleInfo.pCode = words.data();
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.pNext = options.next;
    info.flags = options.flags;
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.flags = options.stageFlags;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = options.entryPoint.c_str();
    info.stage.pSpecializationInfo = &special.info;
    if (options.requiredSubgroupSize) {
        required.requiredSubgroupSize = *options.requiredSubgroupSize;
        info.stage.pNext = &required;
    }
    if (options.inlined) {
        moduleInfo.pNext = info.stage.pNext;
        info.stage.pNext = &moduleInfo;
    } else {
        const VkResult result =
            vkCreateShaderModule(context.device, &moduleInfo, nullptr, &info.stage.module);
        if (result != VK_SUCCESS) return result;
    }
    const VkResult result =
        vkCreateComputePipelines(context.device, options.cache, 1, &info, nullptr, pipeline);
    vkDestroyShaderModule(context.device, info.stage.module, nullptr);
    return result;
}

Specialization::Specialization(const Context& context, std::vector<SpecConstant> constants) {
    values_.push_back(context.subgroupSize);
    entries_.push_back({0, 0, sizeof(uint32_t)});
    for (const SpecConstant& constant : constants) {
        entries_.push_back({constant.id, static_cast<uint32_t>(values_.size() * sizeof(uint32_t)),
                            sizeof(uint32_t)});
        values_.push_back(constant.value);
    }
    info.mapEntryCount = static_cast<uint32_t>(entries_.size());
    info.pMapEntries = entries_.data();
    info.dataSize = values_.size() * sizeof(uint32_t);
    info.pData = values_.data();
}

std::vector<Bytes> submit(Context& context, const Layout& layout, const Dispatch& dispatch,
                          const Binder& bind) {
    Memory memory(context, dispatch.buffers);
    const Pools pools(context);
    const VkDescriptorSet set = describe(context, layout, pools, memory, dispatch.buffers);
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pools.commands;
    info.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    COOPVK_CHECK(vkAllocateCommandBuffers(context.device, &info, &commands));
    record(commands, layout, set, dispatch, pushConstants(dispatch, memory), bind);
    submitAndWait(context, commands, pools.fence);
    return memory.read(dispatch.buffers);
}

std::vector<Bytes> run(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options) {
    Context& context = Context::get();
    const Layout layout(context);
    struct Owned {
        VkDevice device;
        VkPipeline handle = VK_NULL_HANDLE;
        ~Owned() { vkDestroyPipeline(device, handle, nullptr); }
    } pipeline{context.device};
    COOPVK_CHECK(createPipeline(context, layout.pipeline, words, options, &pipeline.handle));
    return submit(context, layout, dispatch, [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
    });
}

}  // namespace coopvk::test
