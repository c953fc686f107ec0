// SPDX-License-Identifier: Apache-2.0
//
// Command buffers, and the commands that bind what dispatches use.
#include "command_buffer.hpp"

#include <format>

#include "heaps/heaps.hpp"

namespace coopvk::reference::icd {

struct CommandPool : ObjectOf<VkCommandPool> {
    CommandPool(Device& on, const VkCommandPoolCreateInfo&) : device(on) {}
    Device& device;
};

namespace {

constexpr VkShaderStageFlags kCompute = VK_SHADER_STAGE_COMPUTE_BIT;

template <typename T>
void bindProgram(Execution& execution, const T* object) {
    execution.program = object == nullptr ? nullptr : object->program;
    execution.mappings = object == nullptr ? nullptr : object->mappings;
    execution.programObject = object == nullptr ? std::weak_ptr<const Object>{} : object->self;
}

uint32_t dynamicCount(const DescriptorSet& set) {
    uint32_t count = 0;
    for (const auto& [unused, binding] : *set.bindings)
        count += binding.isDynamic() ? binding.count : 0;
    return count;
}

void bindSets(CommandBuffer& commands, uint32_t first, std::span<const VkDescriptorSet> sets,
              std::span<const uint32_t> offsets) {
    require(first + uint64_t{sets.size()} <= kMaxSets, "sets behind the last one are bound");
    for (const VkDescriptorSet each : sets) {
        const DescriptorSet* set = objectOf(each);
        BoundSet bound;
        if (set != nullptr) {
            requireOwner(*set, &commands.device);
            const size_t count = dynamicCount(*set);
            require(count <= offsets.size(), "a dynamic descriptor has no offset");
            bound.offsets.assign(offsets.begin(), offsets.begin() + ptrdiff_t(count));
            bound.set = set->self;
            offsets = offsets.subspan(count);
        }
        const auto bind = [first, bound, isNull = set == nullptr](Execution& execution) {
            execution.useSets();
            execution.sets[first] = isNull ? std::nullopt : std::optional(bound);
        };
        record(commands, bind, set);
        ++first;
    }
    require(offsets.empty(), "there are more offsets than dynamic descriptors");
}

// The set as the pushes so far left it, changed by `update`.
template <typename Update>
void push(CommandBuffer& commands, PipelineLayout& layout, uint32_t number, const Update& update) {
    const std::vector<SharedBindings>& sets = layout.sets;
    require(number < std::min<size_t>(sets.size(), kMaxSets) && sets[number] != nullptr,
            "descriptors are pushed to a set that the layout has not");
    std::shared_ptr<const DescriptorSet>& last = commands.pushed[number];
    auto set = std::make_shared<DescriptorSet>(commands.device, sets[number]);
    if (last != nullptr && last->bindings == set->bindings) *set->descriptors = *last->descriptors;
    update(*set);
    last = set;
    record(commands, [set, number](Execution& execution) {
        execution.useSets();
        execution.sets[number] = BoundSet{.pushed = set};
    });
}

void requireIdle(const CommandBuffer& commands) {
    const std::lock_guard lock(commands.device.mutex);
    require(commands.pending == 0, "the queue has not executed the command buffer yet");
}

// Loaders read the memory of command buffers that a program still uses: it stays for a while.
void keepMemory(CommandBuffer* commands) {
    static std::mutex mutex;
    static std::array<std::unique_ptr<std::byte[]>, 1024> kept;
    static size_t next = 0;
    std::destroy_at(commands);
    const std::lock_guard lock(mutex);
    kept[next++ % kept.size()].reset(reinterpret_cast<std::byte*>(commands));
}

}  // namespace

void CommandBuffer::reset() {
    commands.clear();
    used.clear();
    pushed = {};
    inherited = {};
    rendered = {};
    hasProgram = false;
    state = State::kInitial;
    result = VK_SUCCESS;
    calls_ = 0;
}

void CommandBuffer::add(std::span<const Object* const> objects,
                        std::function<void(Execution&)> execute) {
    require(state == State::kRecording, "the command buffer is not being recorded");
    std::vector<std::weak_ptr<const Object>> mine;
    for (const Object* object : objects)
        if (object != nullptr) mine.push_back(object->self);
    used.insert(used.end(), mine.begin(), mine.end());
    const auto executeWith = [mine = std::move(mine), execute = std::move(execute)](Execution& on) {
        std::vector<std::shared_ptr<const Object>> held;
        for (const auto& each : mine) held.push_back(each.lock());
        require(std::ranges::count(held, nullptr) == 0,
                "a command uses an object that was destroyed");
        execute(on);
    };
    commands.push_back({executeWith, called_, calls_});
}

void CommandBuffer::requireExecutable() const {
    require(state == State::kExecutable, state == State::kInitial
                                             ? "the command buffer was not begun"
                                             : "the command buffer was not ended");
    require(result == VK_SUCCESS, "the recording of the command buffer failed");
    for (const auto& each : used) {
        const std::shared_ptr<const Object> object = each.lock();
        require(object != nullptr, "a command uses an object that was destroyed");
        if (object->type == VK_OBJECT_TYPE_COMMAND_BUFFER)
            reinterpret_cast<const CommandBuffer*>(object.get())->requireExecutable();
    }
}

void CommandBuffer::addTo(std::vector<std::shared_ptr<CommandBuffer>>& all) const {
    for (const auto& each : used) {
        const std::shared_ptr<const Object> object = each.lock();
        if (object == nullptr || object->type != VK_OBJECT_TYPE_COMMAND_BUFFER) continue;
        all.push_back(sharedOf(reinterpret_cast<VkCommandBuffer>(object->handle)));
    }
    all.push_back(sharedOf(reinterpret_cast<VkCommandBuffer>(handle)));
}

// Nothing leaves the queue's thread: what the host has no memory for loses the device.
void CommandBuffer::execute(size_t queue) const {
    try {
        Execution execution{device, queue};
        const std::string id = name.empty() ? std::format("{:#x}", handle) : '"' + name + '"';
        const auto called = std::make_shared<const std::string>("command buffer " + id);
        for (const RecordedCommand& command : commands) {
            execution.command = {command.name, command.number, called};
            command.execute(execution);
        }
    } catch (const InvalidUse& use) {
        device.fail(use);
    } catch (...) {
        device.lose();
    }
}

COOPVK_CREATE(CommandPool)

void DestroyCommandPool(Device&, CommandPool* pool, Allocator) {
    if (pool == nullptr) return;
    for (const auto& each : ownedBy(pool))
        requireIdle(*reinterpret_cast<const CommandBuffer*>(each.get()));
    removeOwned(pool);
    removeHandle(*pool);
}

VkResult ResetCommandPool(Device&, CommandPool* pool, VkCommandPoolResetFlags) {
    const auto buffers = ownedBy(pool);
    for (const auto& each : buffers)
        requireIdle(*reinterpret_cast<const CommandBuffer*>(each.get()));
    for (const auto& each : buffers) reinterpret_cast<CommandBuffer*>(each.get())->reset();
    return VK_SUCCESS;
}

VkResult AllocateCommandBuffers(Device& device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    const CommandPool& pool = theObject(info->commandPool, device);
    return giveAll(&pool, info->commandBufferCount, out, [&](uint32_t) {
        auto memory = std::make_unique<std::byte[]>(sizeof(CommandBuffer));
        auto* commands = new (memory.get()) CommandBuffer(device, info->level);
        (void)memory.release();
        return std::shared_ptr<CommandBuffer>(commands, keepMemory);
    });
}

void FreeCommandBuffers(Device&, CommandPool* pool, uint32_t count,
                        const VkCommandBuffer* buffers) {
    for (const VkCommandBuffer each : listOf(buffers, count)) {
        if (each == VK_NULL_HANDLE) continue;
        const std::shared_ptr<CommandBuffer> commands = sharedOf(each);
        require(commands->owner == pool, "the command buffer is of another pool");
        requireIdle(*commands);
        removeHandle(*commands);
    }
}

VkResult ResetCommandBuffer(CommandBuffer& commands, VkCommandBufferResetFlags) {
    requireIdle(commands);
    commands.reset();
    return VK_SUCCESS;
}

VkResult BeginCommandBuffer(CommandBuffer& commands, const VkCommandBufferBeginInfo* info) {
    requireIdle(commands);
    require(commands.state != CommandBuffer::State::kRecording, "the command buffer was begun");
    commands.reset();
    commands.state = CommandBuffer::State::kRecording;
    inheritHeaps(commands, *info);
    return VK_SUCCESS;
}

VkResult EndCommandBuffer(CommandBuffer& commands) {
    require(commands.state == CommandBuffer::State::kRecording, "the command buffer was not begun");
    commands.state = CommandBuffer::State::kExecutable;
    return commands.result;
}

// Secondary command buffers inherit no state but heaps, and leave none.
void CmdExecuteCommands(CommandBuffer& commands, uint32_t count, const VkCommandBuffer* buffers) {
    require(commands.isPrimary, "a secondary command buffer executes others");
    for (const VkCommandBuffer each : listOf(buffers, count)) {
        const CommandBuffer& secondary = theObject(each, commands.device);
        require(!secondary.isPrimary, "a primary command buffer is executed by another");
        secondary.requireExecutable();
        const auto execute = [&secondary](Execution& on) {
            requireHeaps(on.heaps, secondary.inherited);
            secondary.execute(on.queue);
        };
        record(commands, execute, &secondary);
    }
}

void CmdBindPipeline(CommandBuffer& commands, VkPipelineBindPoint point, Pipeline* pipeline) {
    const bool isAccepted = commands.device.settings().graphics;
    require(isAccepted || point == VK_PIPELINE_BIND_POINT_COMPUTE,
            "the device has no such pipelines");
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    commands.hasProgram = true;
    record(
        commands, [pipeline](Execution& execution) { bindProgram(execution, pipeline); }, pipeline);
}

void CmdBindShadersEXT(CommandBuffer& commands, uint32_t count, const VkShaderStageFlagBits* stages,
                       const VkShaderEXT* shaders) {
    for (uint32_t i = 0; i < count; ++i) {
        if (stages[i] != VK_SHADER_STAGE_COMPUTE_BIT) continue;
        const ShaderEXT* bound = shaders == nullptr ? nullptr : objectOf(shaders[i]);
        commands.hasProgram = bound != nullptr;
        record(commands, [bound](Execution& execution) { bindProgram(execution, bound); }, bound);
    }
}

void CmdBindDescriptorSets(CommandBuffer& commands, VkPipelineBindPoint point, PipelineLayout*,
                           uint32_t first, uint32_t count, const VkDescriptorSet* sets,
                           uint32_t offsetCount, const uint32_t* offsets) {
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        bindSets(commands, first, listOf(sets, count), listOf(offsets, offsetCount));
}

void CmdBindDescriptorSets2(CommandBuffer& commands, const VkBindDescriptorSetsInfo* info) {
    if (info->stageFlags & kCompute)
        bindSets(commands, info->firstSet, listOf(info->pDescriptorSets, info->descriptorSetCount),
                 listOf(info->pDynamicOffsets, info->dynamicOffsetCount));
}

void CmdPushDescriptorSet(CommandBuffer& commands, VkPipelineBindPoint point,
                          PipelineLayout* layout, uint32_t set, uint32_t count,
                          const VkWriteDescriptorSet* writes) {
    if (point != VK_PIPELINE_BIND_POINT_COMPUTE) return;
    push(commands, *layout, set, [&](DescriptorSet& to) {
        for (const VkWriteDescriptorSet& write : listOf(writes, count)) to.write(write);
    });
}

void CmdPushDescriptorSet2(CommandBuffer& commands, const VkPushDescriptorSetInfo* info) {
    if (info->stageFlags & kCompute)
        CmdPushDescriptorSet(commands, VK_PIPELINE_BIND_POINT_COMPUTE, &theObject(info->layout),
                             info->set, info->descriptorWriteCount, info->pDescriptorWrites);
}

void CmdPushDescriptorSetWithTemplate(CommandBuffer& commands, DescriptorUpdateTemplate* update,
                                      PipelineLayout* layout, uint32_t set, const void* data) {
    push(commands, *layout, set, [&](DescriptorSet& to) { update->update(to, data); });
}

void CmdPushDescriptorSetWithTemplate2(CommandBuffer& commands,
                                       const VkPushDescriptorSetWithTemplateInfo* info) {
    CmdPushDescriptorSetWithTemplate(commands, &theObject(info->descriptorUpdateTemplate),
                                     &theObject(info->layout), info->set, info->pData);
}

void CmdPushConstants(CommandBuffer& commands, PipelineLayout*, VkShaderStageFlags stages,
                      uint32_t offset, uint32_t size, const void* values) {
    if ((stages & kCompute) == 0) return;
    require(offset + uint64_t{size} <= kMaxPushConstantBytes,
            "push constants are behind the last byte");
    const auto* begin = static_cast<const std::byte*>(values);
    record(commands, [offset, bytes = std::vector(begin, begin + size)](Execution& execution) {
        execution.useSets();
        std::copy(bytes.begin(), bytes.end(), execution.pushConstants.begin() + offset);
    });
}

void CmdPushConstants2(CommandBuffer& commands, const VkPushConstantsInfo* info) {
    CmdPushConstants(commands, objectOf(info->layout), info->stageFlags, info->offset, info->size,
                     info->pValues);
}

}  // namespace coopvk::reference::icd
