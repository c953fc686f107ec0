// SPDX-License-Identifier: Apache-2.0
#include "writer.hpp"

namespace coopvk::programs {

namespace {

// Filling memory takes long. Buffers that turn out to be too small grow.
uint32_t bufferSizeOf(uint32_t lanes, Size size) {
    if (size == Size::kLarge) return 32768;
    return lanes < 64 ? 8192 : 16384;
}

}  // namespace

Writer::Writer(uint64_t seed, uint32_t lanes_, Features features, Size size)
    : random(seed),
      lanes(lanes_),
      isSmall(size == Size::kSmall),
      bufferSize(bufferSizeOf(lanes_, size)) {
    for (const char* capability : {"Shader", "VulkanMemoryModel", "GroupNonUniform",
                                   "StorageBuffer16BitAccess", "StorageBuffer8BitAccess"})
        text.need(capability);
    text.need("Shader", "SPV_KHR_vulkan_memory_model");
    text.type(Component::kU32);
    hasAllFeatures = features == Features::kAll;
    usesUntyped = hasAllFeatures && chance(5);
    isWide_ = hasAllFeatures && chance(8);
    if (usesUntyped) text.need("UntypedPointersKHR", "SPV_KHR_untyped_pointers");
    if (isWide_) {
        text.need("Shader64BitIndexingEXT", "SPV_EXT_shader_64bit_indexing");
        text.need("Int64");
        text.mode("Shader64BitIndexingEXT");
    }
    if (chance(4)) text.specialise(check::Random(random.next()));
}

Program Writer::finish(uint32_t invocations) {
    Program made{.text = text.module(invocations), .lanes = lanes};
    for (uint32_t n = 0; n < kPushed; ++n) made.push.push_back(n);
    made.specialization = text.specialization();
    made.canBeValidated = canBeValidated;
    made.bufferSize = bufferSize;
    made.buffers = static_cast<uint32_t>(buffers_.size());
    return made;
}

std::string Writer::number(uint32_t value) {
    if (value >= kNumbers || chance(2)) return text.u32(value);
    const std::string u32 = text.type(Component::kU32);
    if (push_.empty()) {
        const std::string array =
            text.global(std::format("OpTypeArray {} {}", u32, text.u32(kPushed)));
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

std::string Writer::widened(const std::string& index) {
    if (!isWide_ || index.empty() || chance(2)) return index;
    return text.value(std::format("OpUConvert {} {}", text.global("OpTypeInt 64 0"), index));
}

std::string Writer::buffer(const std::string& element, uint32_t bytes, size_t key) {
    if (const auto found = buffers_.find(key); found != buffers_.end()) return found->second;
    const size_t binding = buffers_.size();
    std::string& variable = buffers_[key];
    const std::string array = text.global("OpTypeRuntimeArray " + element);
    const std::string block = text.global("OpTypeStruct " + array);
    text.decorate(std::format("OpDecorate {} ArrayStride {}", array, bytes));
    text.decorate("OpDecorate " + block + " Block");
    text.decorate("OpMemberDecorate " + block + " 0 Offset 0");
    variable = text.variable(text.global("OpTypePointer StorageBuffer " + block), "StorageBuffer");
    text.decorate("OpDecorate " + variable + " DescriptorSet 0");
    text.decorate(std::format("OpDecorate {} Binding {}", variable, binding));
    return variable;
}

namespace {

// The type of an element of the component's buffers.
Component inMemory(Component component) { return isNibble(component) ? Component::kU8 : component; }

}  // namespace

std::string Writer::bufferOf(Component component, bool isOutput) {
    return buffer(text.type(inMemory(component)), info(component).bytes,
                  2 * static_cast<size_t>(component) + (isOutput ? 1 : 0));
}

std::string Writer::inputAddress(Component component, const std::string& index) {
    text.needAddresses();
    const std::string array = text.global("OpTypeRuntimeArray " + text.type(inMemory(component)));
    const std::string block = text.global("OpTypeStruct " + array);
    text.decorate(std::format("OpDecorate {} ArrayStride {}", array, info(component).bytes));
    text.decorate("OpDecorate " + block + " Block");
    text.decorate("OpMemberDecorate " + block + " 0 Offset 0");
    const std::string address = text.global("OpTypePointer PhysicalStorageBuffer " + block);
    const std::string variable = buffer(address, 8, kAddressKeys + static_cast<size_t>(component));
    const std::string place = text.value(std::format(
        "OpAccessChain {} {} {} {}", text.global("OpTypePointer StorageBuffer " + address),
        variable, text.u32(0), text.u32(pick(3))));
    const std::string base = text.value(std::format("OpLoad {} {}", address, place));
    const std::string pointer =
        text.global("OpTypePointer PhysicalStorageBuffer " + text.type(inMemory(component)));
    return text.value(
        std::format("OpAccessChain {} {} {} {}", pointer, base, text.u32(0), widened(index)));
}

std::string Writer::place(Component component, bool isOutput, const std::string& index) {
    const std::string variable = bufferOf(component, isOutput);
    const std::string element = text.type(inMemory(component));
    const std::string pointee =
        index.empty() ? text.global("OpTypeRuntimeArray " + element) : element;
    return text.value(std::format("OpAccessChain {} {} {} {}",
                                  text.global("OpTypePointer StorageBuffer " + pointee), variable,
                                  text.u32(0), widened(index)));
}

std::string Writer::untyped(Component component, bool isOutput, const std::string& index) {
    const std::string variable = bufferOf(component, isOutput);
    const std::string element = text.type(inMemory(component));
    const std::string block =
        text.global("OpTypeStruct " + text.global("OpTypeRuntimeArray " + element));
    return text.value(std::format("OpUntypedAccessChainKHR {} {} {} {} {}",
                                  text.global("OpTypeUntypedPointerKHR StorageBuffer"), block,
                                  variable, text.u32(0), widened(index)));
}

std::string Writer::inputWord(Component component, const std::string& index) {
    const std::string u32 = text.type(Component::kU32);
    const std::string variable = buffer(u32, 4, 2 * kComponents + static_cast<size_t>(component));
    return text.value(std::format("OpAccessChain {} {} {} {}",
                                  text.global("OpTypePointer StorageBuffer " + u32), variable,
                                  text.u32(0), widened(index)));
}

bool Writer::reserve(Component component, uint32_t count, uint32_t& first) {
    uint32_t& used = used_[static_cast<size_t>(component)];
    if (used + count > capacity(component)) return false;
    first = used;
    used += (count + 31) / 32 * 32;
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
