// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <format>

namespace coopvk::oracle {

Module::Module(uint32_t invocations) : invocations_(invocations) {
    capability("Shader");
    capability("VulkanMemoryModel");
}

void Module::capability(std::string_view name, std::string_view extension) {
    if (!name.empty()) capabilities_.emplace(name);
    if (!extension.empty()) extensions_.emplace(extension);
}

void Module::usesAddresses() {
    hasAddresses_ = true;
    capability("PhysicalStorageBufferAddresses");
}

void Module::mode(const std::string& text) { modes_ += "OpExecutionMode %main " + text + "\n"; }

Id Module::type(const std::string& text) {
    Id& id = declared_[text];
    if (id.empty()) {
        id = name();
        declarations_ += id + " = " + text + "\n";
    }
    return id;
}

Id Module::scalar(const Format& format) {
    capability(format.capability, format.extension);
    return type(std::string(format.type));
}

Id Module::pointer(const std::string& storageClass, const Id& to) {
    return type("OpTypePointer " + storageClass + " " + to);
}

Id Module::constant(const Id& of, const std::string& value) {
    return type("OpConstant " + of + " " + value);
}

Id Module::vector(const Id& of, uint32_t components) {
    return type(std::format("OpTypeVector {} {}", of, components));
}

Id Module::array(const Id& of, uint32_t length) {
    return type("OpTypeArray " + of + " " + u32(length));
}

Id Module::builtIn(const std::string& builtIn) {
    const bool isVector = builtIn == "GlobalInvocationId" || builtIn == "WorkgroupId";
    const Id word = scalar(kU32), held = isVector ? vector(word, 3) : word;
    const Id input = pointer("Input", held);
    Id& id = declared_["built in " + builtIn];
    if (id.empty()) {
        id = name();
        declarations_ += id + " = OpVariable " + input + " Input\n";
        decorate(id + " BuiltIn " + builtIn);
        interface_ += " " + id;
    }
    const Id loaded = value("OpLoad " + held + " " + id);
    return isVector ? value("OpCompositeExtract " + word + " " + loaded + " 0") : loaded;
}

const Module::Buffer& Module::buffer(uint32_t binding, const Id& of, uint32_t bytes) {
    Buffer& buffer = buffers_[binding];
    if (!buffer.variable.empty()) return buffer;
    const std::string arrayText = "OpTypeRuntimeArray " + of;
    const bool isNew = !declared_.contains(arrayText);
    buffer.array = type(arrayText);
    const Id block = type("OpTypeStruct " + buffer.array);
    if (isNew) {
        decorate(std::format("{} ArrayStride {}", buffer.array, bytes));
        decorate(block + " Block");
        decorations_ += "OpMemberDecorate " + block + " 0 Offset 0\n";
    }
    const Id held = pointer("StorageBuffer", block);
    buffer.variable = name();
    declarations_ += buffer.variable + " = OpVariable " + held + " StorageBuffer\n";
    decorate(buffer.variable + " DescriptorSet 0");
    decorate(std::format("{} Binding {}", buffer.variable, binding));
    interface_ += " " + buffer.variable;
    return buffer;
}

Id Module::element(uint32_t binding, const Id& of, uint32_t bytes, const Id& index) {
    const Buffer& in = buffer(binding, of, bytes);
    return value(std::format("OpAccessChain {} {} {} {}", pointer("StorageBuffer", of), in.variable,
                             u32(0), index));
}

Id Module::wholeArray(uint32_t binding, const Id& of, uint32_t bytes) {
    const Buffer& in = buffer(binding, of, bytes);
    return value(std::format("OpAccessChain {} {} {}", pointer("StorageBuffer", in.array),
                             in.variable, u32(0)));
}

Id Module::local(const Id& of) {
    const Id id = name();
    variables_ += id + " = OpVariable " + pointer("Function", of) + " Function\n";
    return id;
}

Id Module::value(const std::string& text) {
    const Id id = name();
    body_ += id + " = " + text + "\n";
    return id;
}

Id Module::function(const Id& result, const std::vector<Id>& parameters, const std::string& body) {
    std::string signature = "OpTypeFunction " + result;
    for (const Id& parameter : parameters) signature += " " + parameter;
    const Id of = type(signature), id = name();
    functions_ +=
        std::format("{} = OpFunction {} None {}\n{}OpFunctionEnd\n", id, result, of, body);
    return id;
}

Id Module::loadWord(uint32_t binding, const Id& index) {
    const Id word = scalar(kU32);
    return value("OpLoad " + word + " " + element(binding, word, 4, index));
}

void Module::storeWord(uint32_t binding, const Id& index, const Id& stored) {
    instruction("OpStore " + element(binding, scalar(kU32), 4, index) + " " + stored);
}

Id Module::load(uint32_t binding, const Format& format, const Id& index) {
    const Id word = scalar(kU32), held = scalar(format);
    if (format.bits == 64) {
        const Id at = value("OpIMul " + word + " " + index + " " + u32(2));
        const Id low = loadWord(binding, at);
        const Id next = value("OpIAdd " + word + " " + at + " " + u32(1));
        const Id high = loadWord(binding, next), pair = vector(word, 2);
        const Id both = value("OpCompositeConstruct " + pair + " " + low + " " + high);
        return value("OpBitcast " + held + " " + both);
    }
    const Id loaded = loadWord(binding, index);
    return format.bits == 32 && !format.isFloat() && !format.isSigned() ? loaded
                                                                        : narrowed(format, loaded);
}

// The lowest bits of a word.
Id Module::narrowed(const Format& format, const Id& word) {
    const Id held = scalar(format);
    if (format.bits == 32) return value("OpBitcast " + held + " " + word);
    if (format.bits < 8 && format.isFloat()) {
        capability("BitcastExtractEXT");
        return value("OpBitcastExtractEXT " + held + " " + word + " " + u32(0));
    }
    if (format.isInteger())
        return value((format.isSigned() ? "OpSConvert " : "OpUConvert ") + held + " " + word);
    const Id cut = value("OpUConvert " + scalar(format.bits == 8 ? kU8 : kU16) + " " + word);
    return value("OpBitcast " + held + " " + cut);
}

void Module::store(uint32_t binding, const Format& format, const Id& index, const Id& stored) {
    const Id word = scalar(kU32);
    if (format.bits == 64) {
        const Id both = value("OpBitcast " + vector(word, 2) + " " + stored);
        const Id at = value("OpIMul " + word + " " + index + " " + u32(2));
        storeWord(binding, at, value("OpCompositeExtract " + word + " " + both + " 0"));
        const Id next = value("OpIAdd " + word + " " + at + " " + u32(1));
        storeWord(binding, next, value("OpCompositeExtract " + word + " " + both + " 1"));
        return;
    }
    if (format.bits == 32) {
        const bool isWord = format.isInteger() && !format.isSigned();
        return storeWord(binding, index,
                         isWord ? stored : value("OpBitcast " + word + " " + stored));
    }
    if (format.isInteger())
        return storeWord(binding, index, value("OpUConvert " + word + " " + stored));
    Id bytes = stored;
    const uint32_t together = format.bits == 4 ? 2 : format.bits == 6 ? 4 : 1;
    if (together > 1) {
        std::string all = "OpCompositeConstruct " + vector(scalar(format), together);
        for (uint32_t i = 0; i < together; ++i) all += " " + stored;
        bytes = value(all);
    }
    if (format.bits == 6) {
        const Id three = value("OpBitcast " + vector(scalar(kU8), 3) + " " + bytes);
        bytes = value("OpCompositeExtract " + scalar(kU8) + " " + three + " 0");
    } else {
        bytes = value("OpBitcast " + scalar(format.bits == 16 ? kU16 : kU8) + " " + bytes);
    }
    storeWord(binding, index, value("OpUConvert " + word + " " + bytes));
}

std::string Module::text() const {
    std::string result;
    for (const std::string& each : capabilities_) result += "OpCapability " + each + "\n";
    for (const std::string& each : extensions_) result += "OpExtension \"" + each + "\"\n";
    result += "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    result += hasAddresses_ ? "OpMemoryModel PhysicalStorageBuffer64 Vulkan\n"
                            : "OpMemoryModel Logical Vulkan\n";
    result += "OpEntryPoint GLCompute %main \"main\"" + interface_ + "\n";
    result += std::format("OpExecutionMode %main LocalSize {} 1 1\n", invocations_) + modes_;
    result += decorations_ + declarations_;
    result +=
        "%void = OpTypeVoid\n%main_type = OpTypeFunction %void\n%main = OpFunction %void None "
        "%main_type\n";
    result += "%entry = OpLabel\n" + variables_ + body_ + "OpReturn\nOpFunctionEnd\n" + functions_;
    return result;
}

}  // namespace coopvk::oracle
