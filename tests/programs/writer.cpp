// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

namespace coopvk::programs {

Writer::Writer(uint64_t seed, uint32_t lanes_) : random(seed), lanes(lanes_) {
    for (const char* capability : {"Shader", "VulkanMemoryModel", "GroupNonUniform",
                                   "StorageBuffer16BitAccess", "StorageBuffer8BitAccess"})
        text.need(capability);
    text.need("Shader", "SPV_KHR_vulkan_memory_model");
    text.type(Component::kU32);
}

std::string Writer::number(uint32_t value) {
    if (value >= kNumbers || chance(2)) return text.u32(value);
    const std::string u32 = text.type(Component::kU32);
    if (push_.empty()) {
        const std::string array =
            text.global(std::format("OpTypeArray {} {}", u32, text.u32(kNumbers)));
        const std::string block = text.global("OpTypeStruct " + array);
        text.decorate("OpDecorate " + array + " ArrayStride 4");
        text.decorate("OpDecorate " + block + " Block");
        text.decorate("OpMemberDecorate " + block + " 0 Offset 0");
        push_ = text.variable(text.global("OpTypePointer PushConstant " + block), "PushConstant");
    }
    const std::string pointer = text.global("OpTypePointer PushConstant " + u32);
    const std::string place = text.value(
        std::format("OpAccessChain {} {} {} {}", pointer, push_, text.u32(0), text.u32(value)));
    return text.value(std::format("OpLoad {} {}", u32, place));
}

std::string Writer::add(const std::string& left, const std::string& right) {
    return text.value(std::format("OpIAdd {} {} {}", text.type(Component::kU32), left, right));
}

std::string Writer::bufferOf(Component component, bool isOutput) {
    const size_t binding = 2 * static_cast<size_t>(component) + (isOutput ? 1 : 0);
    std::string& buffer = buffers_[binding];
    if (!buffer.empty()) return buffer;
    const std::string array = text.global("OpTypeRuntimeArray " + text.type(component));
    const std::string block = text.global("OpTypeStruct " + array);
    text.decorate(std::format("OpDecorate {} ArrayStride {}", array, info(component).bytes));
    text.decorate("OpDecorate " + block + " Block");
    text.decorate("OpMemberDecorate " + block + " 0 Offset 0");
    buffer = text.variable(text.global("OpTypePointer StorageBuffer " + block), "StorageBuffer");
    text.decorate("OpDecorate " + buffer + " DescriptorSet 0");
    text.decorate(std::format("OpDecorate {} Binding {}", buffer, binding));
    return buffer;
}

std::string Writer::place(Component component, bool isOutput, const std::string& index) {
    const std::string buffer = bufferOf(component, isOutput);
    const std::string pointee = index.empty()
                                    ? text.global("OpTypeRuntimeArray " + text.type(component))
                                    : text.type(component);
    return text.value(std::format("OpAccessChain {} {} {} {}",
                                  text.global("OpTypePointer StorageBuffer " + pointee), buffer,
                                  text.u32(0), index));
}

bool Writer::reserve(Component component, uint32_t count, uint32_t& first) {
    uint32_t& used = used_[static_cast<size_t>(component)];
    if (used + count > capacity(component)) return false;
    first = used;
    used += (count + 15) / 16 * 16;
    return true;
}

std::string Writer::builtIn(const std::string& name) {
    const std::string u32 = text.type(Component::kU32);
    std::string& variable = builtIns_[name];
    if (variable.empty()) {
        variable = text.variable(text.global("OpTypePointer Input " + u32), "Input");
        text.decorate("OpDecorate " + variable + " BuiltIn " + name);
    }
    return text.value(std::format("OpLoad {} {}", u32, variable));
}

}  // namespace coopvk::programs
