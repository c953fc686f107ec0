// SPDX-License-Identifier: Apache-2.0
//
// Command buffers are lists of functions, which the queue's thread calls with the state that
// commands share: the program, the sets of descriptors, push constants.
#pragma once

#include <array>
#include <functional>

#include "device.hpp"

namespace coopvk::reference::icd {

struct Binding {
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    uint32_t count = 0;  // descriptors; bytes of an inline uniform block
    uint32_t first = 0;  // of its descriptors in the set
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

struct Descriptor {
    Range range;        // what the shader sees, before a dynamic offset
    uint64_t rest = 0;  // bytes from there to the end of the buffer
};

struct DescriptorSet : ObjectOf<VkDescriptorSet> {
    // Empty, with memory for its inline uniform blocks.
    explicit DescriptorSet(SharedBindings layout);
    SharedBindings bindings;
    std::vector<Descriptor> descriptors;
    std::vector<std::vector<std::byte>> blocks;  // inline uniform blocks

    // Null if the binding has no such descriptor.
    const Descriptor* find(uint32_t binding, uint32_t element) const;
    void write(const VkWriteDescriptorSet& write);
    void write(const VkDescriptorUpdateTemplateEntry& entry, const void* data);
    void copyFrom(DescriptorSet& source, const VkCopyDescriptorSet& copy);

 private:
    // Elements behind the last one of a binding are those of the next (VkWriteDescriptorSet,
    // "consecutive binding updates"). Null if the set has no such descriptor.
    Descriptor* at(uint32_t binding, uint32_t element);
    void writeInline(uint32_t binding, uint32_t offset, const void* from, size_t size);
};

struct DescriptorUpdateTemplate : ObjectOf<VkDescriptorUpdateTemplate> {
    DescriptorUpdateTemplate(Device&, const VkDescriptorUpdateTemplateCreateInfo& info)
        : entries(info.pDescriptorUpdateEntries,
                  info.pDescriptorUpdateEntries + info.descriptorUpdateEntryCount) {}
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
    void update(DescriptorSet& set, const void* data) const {
        for (const VkDescriptorUpdateTemplateEntry& entry : entries) set.write(entry, data);
    }
};

using SharedProgram = std::shared_ptr<const Program>;

struct Pipeline : ObjectOf<VkPipeline> {
    explicit Pipeline(SharedProgram made) : program(std::move(made)) {}
    SharedProgram program;
};

struct ShaderEXT : ObjectOf<VkShaderEXT> {
    SharedProgram program;
    std::vector<uint32_t> binary;
};

struct BoundSet {
    const DescriptorSet* set = nullptr;
    std::vector<uint32_t> offsets;                // of its dynamic descriptors, in order
    std::shared_ptr<const DescriptorSet> pushed;  // keeps a set of push descriptors
    std::weak_ptr<const void> life;               // of the set
};

// The state of a command buffer during its execution.
struct Execution {
    Device& device;
    SharedProgram program;
    const Object* programObject = nullptr;  // pipeline or shader object
    VkObjectType programType = VK_OBJECT_TYPE_UNKNOWN;
    std::array<BoundSet, kMaxSets> sets;
    std::array<std::byte, kMaxPushConstantBytes> pushConstants = {};
};

struct CommandBuffer : ObjectOf<VkCommandBuffer> {
    explicit CommandBuffer(Device& on) : device(on) {}
    Device& device;
    std::vector<std::function<void(Execution&)>> commands;
    // The sets of push descriptors as they are after the commands so far.
    std::array<std::shared_ptr<const DescriptorSet>, kMaxSets> pushed;
    VkResult result = VK_SUCCESS;  // of the recording; vkEndCommandBuffer returns it

    void reset() {
        commands.clear();
        pushed = {};
        result = VK_SUCCESS;
    }
    void execute() const;
    // Reports a command that is not valid.
    void refuse(const std::string& message) { result = device.refuse(message); }
};

// Objects that the command uses must live until it executes: otherwise it does nothing, with a
// report. Arguments that are no objects do not matter.
template <typename Function, typename... Arguments>
void record(CommandBuffer& commands, Function function, Arguments... arguments) {
    std::vector<std::weak_ptr<const void>> lives;
    [[maybe_unused]] const auto add = [&](auto argument) {
        using Argument = std::remove_cv_t<std::remove_pointer_t<decltype(argument)>>;
        if constexpr (kIsObject<Argument>)
            if (argument != nullptr)
                lives.push_back(reinterpret_cast<const Object*>(argument)->life);
    };
    (add(arguments), ...);
    commands.commands.push_back([lives, function](Execution& execution) {
        if (std::ranges::any_of(lives, &std::weak_ptr<const void>::expired))
            execution.device.refuse("a command uses an object that was destroyed");
        else
            function(execution);
    });
}

}  // namespace coopvk::reference::icd
