// SPDX-License-Identifier: Apache-2.0
//
// Command buffers are lists of functions, which the queue's thread calls with the state that
// commands share: the program, the sets of descriptors, push constants.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>

#include "coopvk_reference/texels.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {

struct Binding {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 0;  // descriptors; bytes of an inline uniform block
    uint32_t first = 0;  // of its descriptors in the set
    std::vector<std::shared_ptr<const SamplerState>> samplers = {};  // that are immutable
    std::vector<VkDescriptorType> types = {};  // that a descriptor may have whose type is mutable
    bool takes(VkDescriptorType written) const {
        return type == VK_DESCRIPTOR_TYPE_MUTABLE_EXT
                   ? std::ranges::find(types, written) != types.end()
                   : type == written;
    }
    bool isDynamic() const {
        return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
               type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    }
    bool isInline() const { return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK; }
    uint32_t descriptors() const { return isInline() ? 1 : count; }
};

// By number. Sets keep them alive, as do layouts of pipelines.
using Bindings = std::map<uint32_t, Binding>;
using SharedBindings = std::shared_ptr<const Bindings>;

struct PipelineLayout : ObjectOf<VkPipelineLayout> {
    PipelineLayout(Device& device, const VkPipelineLayoutCreateInfo& info);
    std::vector<SharedBindings> sets;
};

// Of an image or a texel buffer, and the view, which the program must not destroy.
struct BoundTexels : TexelView {
    std::weak_ptr<const Object> view;
};

struct Descriptor {
    Range range;         // what the shader sees, before a dynamic offset
    uint64_t rest = 0;   // bytes from there to the end of the buffer
    bool isSet = false;  // to a part of a buffer
    std::weak_ptr<const Object> buffer = {};
    std::shared_ptr<const BoundTexels> texels = {};
    std::shared_ptr<const SamplerState> sampler = {};
};
using Descriptors = std::vector<Descriptor>;

struct DescriptorSet : ObjectOf<VkDescriptorSet> {
    // Empty, with memory for its inline uniform blocks.
    DescriptorSet(const Device& device, SharedBindings layout);
    SharedBindings bindings;
    bool hasNull;  // buffers and views may be null
    // Dispatches hold what it is when they begin: others may be written then.
    std::shared_ptr<Descriptors> descriptors;
    std::vector<std::vector<std::byte>> blocks;  // inline uniform blocks

    // Index of a descriptor; nothing if the binding has no such one.
    std::optional<size_t> find(uint32_t binding, uint32_t element) const;
    void write(const VkWriteDescriptorSet& write);
    void write(const VkDescriptorUpdateTemplateEntry& entry, const void* data);
    void copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy);

 private:
    // Elements behind the last one of a binding are those of the next (VkWriteDescriptorSet,
    // "consecutive binding updates"). Throws InvalidUse if the set has no such descriptor.
    Descriptor& at(uint32_t binding, uint32_t element);
    void writeInline(uint32_t binding, uint32_t offset, const void* from, size_t size);
};

struct DescriptorUpdateTemplate : ObjectOf<VkDescriptorUpdateTemplate> {
    DescriptorUpdateTemplate(Device&, const VkDescriptorUpdateTemplateCreateInfo& info)
        : entries(info.descriptorUpdateEntryCount) {
        std::ranges::copy(listOf(info.pDescriptorUpdateEntries, entries.size()), entries.begin());
    }
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    void update(DescriptorSet& set, const void* data) const {
        require(data != nullptr || entries.empty(), "there is no data for the template");
        for (const VkDescriptorUpdateTemplateEntry& entry : entries) set.write(entry, data);
    }
};

using SharedProgram = std::shared_ptr<const Program>;
struct MappedVariable;
// Of the program's variables with a binding, by number; null: the program has descriptor sets.
using SharedMappings = std::shared_ptr<const std::vector<MappedVariable>>;

struct Pipeline : ObjectOf<VkPipeline> {
    explicit Pipeline(SharedProgram made, SharedMappings mapped = nullptr)
        : program(std::move(made)), mappings(std::move(mapped)) {}
    SharedProgram program;
    SharedMappings mappings;
};

struct ShaderEXT : ObjectOf<VkShaderEXT> {
    SharedProgram program;
    SharedMappings mappings;
    std::vector<uint32_t> binary;
};

struct BoundSet {
    std::weak_ptr<const Object> set;
    std::vector<uint32_t> offsets;                // of its dynamic descriptors, in order
    std::shared_ptr<const DescriptorSet> pushed;  // a set of push descriptors in its place
    SharedBindings bindings = {};                 // of descriptors in memory, in its place
    VkDeviceAddress address = 0;                  // of these; 0: none but embedded samplers
};

// A heap of descriptors (VkBindHeapInfoEXT).
struct HeapRange {
    VkDeviceAddress address = 0;
    VkDeviceSize size = 0;
    VkDeviceSize reserved = 0, reservedSize = 0;  // what programs must leave alone

    bool operator==(const HeapRange&) const = default;
    bool mayAccess(uint64_t offset, uint64_t bytes) const {
        const bool isWithin = offset <= size && bytes <= size - offset;
        return isWithin && (offset + bytes <= reserved || offset >= reserved + reservedSize);
    }
};
struct Heaps {
    std::optional<HeapRange> resources, samplers;
};

// What the queue's thread calls for a command.
struct RecordedCommand {
    std::function<void(Execution&)> execute;
    const char* name = "";  // of the command
    uint32_t number = 0;    // in its command buffer, from 1 on
};

// The state of a command buffer during its execution.
struct Execution {
    Device& device;
    size_t queue = 0;
    CommandName command = {};  // that executes
    SharedProgram program;
    SharedMappings mappings;
    std::weak_ptr<const Object> programObject;  // pipeline or shader object
    std::array<std::optional<BoundSet>, kMaxSets> sets;
    std::vector<VkDeviceAddress> descriptorBuffers = {};
    std::array<std::byte, kMaxPushConstantBytes> pushConstants = {};
    bool usesHeaps = false;  // the last of such commands was one of heaps
    Heaps heaps = {};
    std::array<uint8_t, kMaxPushConstantBytes> pushWritten = {};  // by vkCmdPushDataEXT

    // Commands of heaps invalidate what those of descriptor sets bound and pushed, and these what
    // those of heaps did (Vulkan, "Using Heaps").
    void useHeaps() {
        if (usesHeaps) return;
        usesHeaps = true;
        sets = {};
        descriptorBuffers.clear();
    }
    void useSets() {
        if (!usesHeaps) return;
        usesHeaps = false;
        heaps = {};
        pushWritten = {};
    }
};

struct ImageView;

// Of vkCmdBeginRendering; null where there is none.
struct RenderedViews {
    bool areKnown = false;  // until vkCmdEndRendering
    std::vector<ImageView*> colors;
    ImageView *depth = nullptr, *stencil = nullptr;
};

struct CommandBuffer : ObjectOf<VkCommandBuffer> {
    CommandBuffer(Device& on, VkCommandBufferLevel level)
        : device(on), isPrimary(level == VK_COMMAND_BUFFER_LEVEL_PRIMARY) {}
    Device& device;
    const bool isPrimary;
    enum class State { kInitial, kRecording, kExecutable } state = State::kInitial;
    uint32_t pending = 0;  // submissions that are not executed; guarded by the device's mutex
    std::vector<RecordedCommand> commands;
    std::vector<std::weak_ptr<const Object>> used;  // objects that must live until the execution
    bool hasProgram = false;                        // after the commands so far
    // The sets of push descriptors as they are after the commands so far.
    std::array<std::shared_ptr<const DescriptorSet>, kMaxSets> pushed;
    Heaps inherited;  // of a secondary one
    RenderedViews rendered;
    VkResult result = VK_SUCCESS;  // of the recording; vkEndCommandBuffer returns it

    // A command of the command buffer is called.
    void call(const char* command) {
        called_ = command;
        ++calls_;
    }
    void reset();
    void execute(size_t queue) const;
    // Itself, and the secondary ones that it executes.
    void addTo(std::vector<std::shared_ptr<CommandBuffer>>& all) const;
    // Throws InvalidUse if it cannot be executed.
    void requireExecutable() const;
    // Records what the queue calls. Objects (null: none) must live until then.
    void add(std::span<const Object* const> objects, std::function<void(Execution&)> execute);

 private:
    const char* called_ = "";
    uint32_t calls_ = 0;  // since it was begun
};

template <typename T>
const Object* objectOrNull(T* argument) {
    return kIsObject<std::remove_const_t<T>> ? reinterpret_cast<const Object*>(argument) : nullptr;
}
template <typename T>
const Object* objectOrNull(T) {
    return nullptr;
}

// Records a command that uses these objects. Arguments that are no objects do not matter.
template <typename Function, typename... Arguments>
void record(CommandBuffer& commands, Function function, Arguments... arguments) {
    const Object* used[] = {nullptr, objectOrNull(arguments)...};
    commands.add(used, std::move(function));
}

}  // namespace coopvk::reference::icd
