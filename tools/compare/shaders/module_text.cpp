// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/module_text.hpp"

#include <algorithm>

namespace coopvk::compare {
namespace {

struct PointerRow {
    std::string_view storage, prefix;  // of the types of pointers
};
constexpr PointerRow kPointers[] = {
    {"StorageBuffer", "sb"}, {"Workgroup", "wg"}, {"PhysicalStorageBuffer", "psb"},
    {"Function", "fn"},      {"Input", "in"},     {"PushConstant", "pc"},
};

std::string_view prefixOf(std::string_view storage) {
    return std::ranges::find(kPointers, storage, &PointerRow::storage)->prefix;
}

std::string without(std::string_view id) { return std::string(id.substr(1)); }  // the %

// Acquire and release of shared memory, made available and visible.
constexpr uint32_t kBarrierSemantics = 0x8 | 0x100 | 0x2000 | 0x4000;

}  // namespace

std::string ModuleText::declare(std::string_view name, std::string_view text) {
    const std::string id = "%" + std::string(name);
    if (declared_.insert(id).second) declarations_ += id + " = " + std::string(text) + "\n";
    return id;
}

std::string ModuleText::scalar(Component type) {
    const ComponentInfo& c = info(holder(type));
    const std::string bits = std::to_string(c.bits);
    if (c.isFloat()) {
        if (c.bits != 32) capability("Float" + bits);
        return declare(c.name, "OpTypeFloat " + bits);
    }
    if (c.bits != 32) capability("Int" + bits);
    return declare(c.name, "OpTypeInt " + bits + (c.isSigned() ? " 1" : " 0"));
}

std::string ModuleText::component(Component type) {
    if (hasArithmetic(type)) return scalar(type);
    const ComponentInfo& c = info(type);
    const bool isBfloat16 = type == VK_COMPONENT_TYPE_BFLOAT16_KHR;
    capability(isBfloat16 ? "BFloat16CooperativeMatrixKHR" : "Float8CooperativeMatrixEXT");
    extension(isBfloat16 ? "SPV_KHR_bfloat16" : "SPV_EXT_float8");
    return declare(c.name, "OpTypeFloat " + std::to_string(c.bits) + " " + std::string(c.encoding));
}

std::string ModuleText::constant(uint32_t value) {
    const std::string type = u32();
    return declare("c_" + std::to_string(value),
                   "OpConstant " + type + " " + std::to_string(value));
}

std::string ModuleText::constant(Component type, uint64_t bits) {
    const std::string id = component(type);
    // Hexadecimal float values could not express NaN; but only small values are needed.
    std::string name = without(id) + "_" + toText(type, bits);
    for (char& c : name)
        if (c == '-')
            c = 'm';
        else if (c == '.')
            c = 'p';
        else if (c == '+')
            c = '_';
    return declare(name, "OpConstant " + id + " " + toText(type, bits));
}

std::string ModuleText::pointer(std::string_view storage, std::string_view type) {
    return declare(std::string(prefixOf(storage)) + "_" + without(type),
                   "OpTypePointer " + std::string(storage) + " " + std::string(type));
}

std::string ModuleText::glsl() {
    imports_ = "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    return "%glsl";
}

std::string ModuleText::elementType(const Element& element) {
    const std::string type = scalar(element.type);
    if (element.size == 1) return type;
    const std::string size = std::to_string(element.size);
    return declare(without(type) + "x" + size, "OpTypeVector " + type + " " + size);
}

std::string ModuleText::elementBlock(const Element& element) {
    const std::string type = elementType(element);
    const uint32_t bytes = info(holder(element.type)).bytes();
    if (bytes == 2) capability("StorageBuffer16BitAccess");
    if (bytes == 1) capability("StorageBuffer8BitAccess");
    const std::string array = "array_" + without(type), block = "block_" + without(type);
    if (!declared_.contains("%" + block)) {
        decorate("OpDecorate %" + array + " ArrayStride " + std::to_string(element.bytes()));
        decorate("OpDecorate %" + block + " Block");
        decorate("OpMemberDecorate %" + block + " 0 Offset 0");
    }
    declare(array, "OpTypeRuntimeArray " + type);
    declare(block, "OpTypeStruct %" + array);
    return type;
}

ModuleText::Array ModuleText::buffer(uint32_t binding, const Element& element) {
    const std::string type = elementBlock(element);
    const std::string pointerType = pointer("StorageBuffer", "%block_" + without(type));
    const std::string id =
        declare("buffer" + std::to_string(binding), "OpVariable " + pointerType + " StorageBuffer");
    decorate("OpDecorate " + id + " DescriptorSet 0");
    decorate("OpDecorate " + id + " Binding " + std::to_string(binding));
    interface_.push_back(id);
    return {Storage::kBuffer, id, type, element.bytes()};
}

ModuleText::Array ModuleText::shared(std::string_view name, const Element& element,
                                     uint32_t length) {
    const std::string type = elementType(element);
    const std::string array = declare("shared_" + without(type) + "_" + std::to_string(length),
                                      "OpTypeArray " + type + " " + constant(length));
    const std::string id =
        declare(name, "OpVariable " + pointer("Workgroup", array) + " Workgroup");
    interface_.push_back(id);
    return {Storage::kWorkgroup, id, type, element.bytes()};
}

ModuleText::Array ModuleText::address(uint32_t index, const Element& element) {
    capability("PhysicalStorageBufferAddresses");
    const std::string type = elementBlock(element);
    const std::string pointerType = pointer("PhysicalStorageBuffer", "%block_" + without(type));
    const std::string slot = pointer("PushConstant", pointerType);
    addressTypes_.resize(index + 1);
    addressTypes_[index] = pointerType;
    const std::string number = std::to_string(index), id = "%address" + number;
    head_ += "%slot" + number + " = OpAccessChain " + slot + " %push " + constant(index) + "\n" +
             id + " = OpLoad " + pointerType + " %slot" + number + "\n";
    return {Storage::kAddress, id, type, element.bytes()};
}

std::string ModuleText::elementPointer(const Array& array, const std::string& index) {
    const std::string type = pointer(nameOf(array.storage), array.element);
    const std::string id = fresh("at");
    const std::string block = array.storage == Storage::kWorkgroup ? " " : " " + constant(0) + " ";
    line(id + " = OpAccessChain " + type + " " + array.id + block + index);
    return id;
}

std::string ModuleText::arrayPointer(const Array& array) {
    if (array.storage == Storage::kWorkgroup) return array.id;
    const std::string type = pointer(nameOf(array.storage), "%array_" + without(array.element));
    const std::string id = fresh("array");
    line(id + " = OpAccessChain " + type + " " + array.id + " " + constant(0));
    return id;
}

std::string ModuleText::load(const Array& array, const std::string& index) {
    const std::string from = elementPointer(array, index), id = fresh("value");
    std::string operands;
    if (array.storage == Storage::kAddress) operands = " Aligned " + std::to_string(array.bytes);
    if (array.storage == Storage::kWorkgroup) operands = " NonPrivatePointer";
    line(id + " = OpLoad " + array.element + " " + from + operands);
    return id;
}

void ModuleText::store(const Array& array, const std::string& index, const std::string& value) {
    const std::string to = elementPointer(array, index);
    std::string operands;
    if (array.storage == Storage::kAddress) operands = " Aligned " + std::to_string(array.bytes);
    if (array.storage == Storage::kWorkgroup) operands = " NonPrivatePointer";
    line("OpStore " + to + " " + value + operands);
}

std::string ModuleText::memoryOperands(const Array& array) {
    if (array.storage == Storage::kAddress) return " Aligned 16";
    return array.storage == Storage::kWorkgroup ? " NonPrivatePointer" : "";
}

void ModuleText::copy(const Array& target, const Array& source, uint32_t count) {
    loop(lane(), constant(count), constant(workgroupSize_),
         [&](const std::string& i) { store(target, i, load(source, i)); });
}

void ModuleText::barrier() {
    line("OpControlBarrier " + constant(2) + " " + constant(2) + " " + constant(kBarrierSemantics));
}

std::string ModuleText::input(std::string_view name, std::string_view builtIn,
                              std::string_view type) {
    const std::string id = "%" + std::string(name);
    if (declared_.contains(id)) return id;
    declare(name, "OpVariable " + pointer("Input", type) + " Input");
    decorate("OpDecorate " + id + " BuiltIn " + std::string(builtIn));
    interface_.push_back(id);
    return id;
}

std::string ModuleText::lane() {
    if (declared_.contains("%lane_input")) return "%lane";
    const std::string type = u32();
    head_ +=
        "%lane = OpLoad " + type + " " + input("lane_input", "LocalInvocationIndex", type) + "\n";
    return "%lane";
}

std::string ModuleText::invocation() {
    if (declared_.contains("%invocation_input")) return "%invocation";
    const std::string type = u32();
    const std::string vector = declare("u32x3", "OpTypeVector " + type + " 3");
    const std::string variable = input("invocation_input", "GlobalInvocationId", vector);
    head_ += "%invocations = OpLoad " + vector + " " + variable +
             "\n%invocation = OpCompositeExtract " + type + " %invocations 0\n";
    return "%invocation";
}

ModuleText::Loop ModuleText::beginLoop(const std::string& first, const std::string& end) {
    const std::string type = u32(), boolean = declare("bool", "OpTypeBool");
    Loop l;
    l.variable = fresh("counter");
    l.head = fresh("loop");
    l.next = fresh("next");
    l.merge = fresh("done");
    l.index = fresh("i");
    const std::string condition = fresh("more"), test = fresh("test"), body = fresh("body");
    variables_ += l.variable + " = OpVariable " + pointer("Function", type) + " Function\n";
    line("OpStore " + l.variable + " " + first);
    line("OpBranch " + l.head);
    line(l.head + " = OpLabel");
    line("OpLoopMerge " + l.merge + " " + l.next + " None");
    line("OpBranch " + test);
    line(test + " = OpLabel");
    line(l.index + " = OpLoad " + type + " " + l.variable);
    line(condition + " = OpULessThan " + boolean + " " + l.index + " " + end);
    line("OpBranchConditional " + condition + " " + body + " " + l.merge);
    line(body + " = OpLabel");
    return l;
}

void ModuleText::endLoop(const Loop& l, const std::string& step) {
    const std::string sum = fresh("i");
    line("OpBranch " + l.next);
    line(l.next + " = OpLabel");
    line(sum + " = OpIAdd " + u32() + " " + l.index + " " + step);
    line("OpStore " + l.variable + " " + sum);
    line("OpBranch " + l.head);
    line(l.merge + " = OpLabel");
}

std::string ModuleText::variable(std::string_view name, const std::string& type) {
    const std::string id = "%" + std::string(name);
    variables_ += id + " = OpVariable " + pointer("Function", type) + " Function\n";
    return id;
}

std::string ModuleText::text() const {
    std::string out =
        "; SPIR-V\n; Version: 1.6\nOpCapability Shader\nOpCapability VulkanMemoryModel\n";
    for (const std::string& name : capabilities_) out += "OpCapability " + name + "\n";
    for (const std::string& name : extensions_) out += "OpExtension \"" + name + "\"\n";
    out += imports_;
    out += std::string("OpMemoryModel ") +
           (capabilities_.contains("PhysicalStorageBufferAddresses") ? "PhysicalStorageBuffer64"
                                                                     : "Logical") +
           " Vulkan\n";
    out += "OpEntryPoint GLCompute %main \"main\"";
    for (const std::string& id : interface_) out += " " + id;
    out += addressTypes_.empty() ? "\n" : " %push\n";
    out += "OpExecutionMode %main LocalSize " + std::to_string(workgroupSize_) + " 1 1\n";
    out += decorations_;
    std::string members, push;
    for (size_t i = 0; i < addressTypes_.size(); ++i) {
        out += "OpMemberDecorate %push_block " + std::to_string(i) + " Offset " +
               std::to_string(8 * i) + "\n";
        members += " " + addressTypes_[i];
    }
    if (!addressTypes_.empty()) {
        out += "OpDecorate %push_block Block\n";
        push = "%push_block = OpTypeStruct" + members +
               "\n%pc_push_block = OpTypePointer PushConstant %push_block\n"
               "%push = OpVariable %pc_push_block PushConstant\n";
    }
    out += declarations_ + push + "%void = OpTypeVoid\n%void_fn = OpTypeFunction %void\n";
    return out + "%main = OpFunction %void None %void_fn\n%main_entry = OpLabel\n" + variables_ +
           head_ + body_ + "OpReturn\nOpFunctionEnd\n" + functions_;
}

}  // namespace coopvk::compare
