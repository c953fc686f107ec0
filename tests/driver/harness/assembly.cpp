// SPDX-License-Identifier: Apache-2.0
#include "assembly.hpp"

#include <algorithm>

#include "context.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kLastConstant = 128;

// Whether the text names a type: formats that a module does not use would need capabilities.
bool uses(const Assembly& a, std::string_view id) {
    const auto isElement = [&](const AssemblyBuffer& buffer) {
        return buffer.element.starts_with(id.substr(1));
    };
    const auto isNamed = [&](const std::string& text) { return text.find(id) != text.npos; };
    return isNamed(a.types) || isNamed(a.declarations) || isNamed(a.body) || isNamed(a.functions) ||
           std::ranges::any_of(a.buffers, isElement);
}

bool isDeclared(const Assembly& a, const ComponentInfo& type) {
    return Context::get().supports(type.type) && (type.hasArithmetic() || uses(a, type.spirv));
}

// bfloat16 or, with one byte, 8-bit floats.
bool usesFormats(const Assembly& a, uint32_t bytes) {
    return std::ranges::any_of(allComponents(), [&](const ComponentInfo& type) {
        return !type.hasArithmetic() && type.bytes == bytes && uses(a, type.spirv);
    });
}

bool anyIsUntyped(const Assembly& a) {
    return std::ranges::any_of(a.buffers, &AssemblyBuffer::isUntyped);
}

std::string capabilities(const Assembly& a) {
    std::string text =
        "OpCapability Shader\nOpCapability VulkanMemoryModel\n"
        "OpCapability CooperativeMatrixKHR\nOpCapability Float16\nOpCapability Int16\n"
        "OpCapability Int8\nOpCapability StorageBuffer16BitAccess\n"
        "OpCapability StorageBuffer8BitAccess\nOpCapability GroupNonUniform\n";
    if (usesFormats(a, 2)) text += "OpCapability BFloat16CooperativeMatrixKHR\n";
    if (usesFormats(a, 1)) text += "OpCapability Float8CooperativeMatrixEXT\n";
    if (Context::get().supports(Component::kF64)) text += "OpCapability Float64\n";
    if (Context::get().supports(Component::kS64)) text += "OpCapability Int64\n";
    if (anyIsUntyped(a)) text += "OpCapability UntypedPointersKHR\n";
    for (const std::string& name : a.capabilities) text += "OpCapability " + name + "\n";
    text += "OpExtension \"SPV_KHR_cooperative_matrix\"\n";
    if (usesFormats(a, 2)) text += "OpExtension \"SPV_KHR_bfloat16\"\n";
    if (usesFormats(a, 1)) text += "OpExtension \"SPV_EXT_float8\"\n";
    if (anyIsUntyped(a)) text += "OpExtension \"SPV_KHR_untyped_pointers\"\n";
    for (const std::string& name : a.extensions) text += "OpExtension \"" + name + "\"\n";
    return text + "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
}

std::string entryPoints(const Assembly& a) {
    std::string interface = " %lane %group %subgroup_id";
    for (const AssemblyBuffer& buffer : a.buffers) interface += " %" + buffer.name;
    for (const std::string& id : a.interfaces) interface += " " + id;
    std::string text = "OpMemoryModel Logical Vulkan\n";
    if (std::find(a.capabilities.begin(), a.capabilities.end(), "PhysicalStorageBufferAddresses") !=
        a.capabilities.end())
        text = "OpMemoryModel PhysicalStorageBuffer64 Vulkan\n";
    std::string modes;
    std::vector<std::string> entries = {"OpEntryPoint GLCompute %main \"main\""};
    entries.insert(entries.end(), a.entryPoints.begin(), a.entryPoints.end());
    for (const std::string& entry : entries) {
        text += entry + interface + "\n";
        const size_t id = entry.find('%');
        modes += "OpExecutionModeId " + entry.substr(id, entry.find(' ', id) - id) +
                 " LocalSizeId %workgroup_width " + constant(a.subgroups) + " %c_1\n";
    }
    return text + modes;
}

std::string decorations(const Assembly& a) {
    std::string text =
        "OpDecorate %workgroup_width SpecId 0\nOpDecorate %lane BuiltIn LocalInvocationIndex\n"
        "OpDecorate %group BuiltIn WorkgroupId\nOpDecorate %subgroup_id BuiltIn SubgroupId\n";
    for (size_t i = 0; i < a.buffers.size(); ++i) {
        const AssemblyBuffer& b = a.buffers[i];
        text += "OpDecorate %array_" + b.name + " ArrayStride " + std::to_string(b.stride) +
                "\nOpDecorate %block_" + b.name + " Block\nOpMemberDecorate %block_" + b.name +
                " 0 Offset 0\nOpDecorate %" + b.name + " DescriptorSet 0\nOpDecorate %" + b.name +
                " Binding " + std::to_string(i) + "\n";
    }
    return text + a.decorations;
}

std::string scalarTypes(const Assembly& a) {
    std::string text = "%void = OpTypeVoid\n%void_fn = OpTypeFunction %void\n%bool = OpTypeBool\n";
    for (const ComponentInfo& type : allComponents()) {
        if (!isDeclared(a, type)) continue;
        const std::string id(type.spirv);
        text += id +
                (type.isFloat() ? " = OpTypeFloat " + std::to_string(type.bits()) + " " +
                                      std::string(type.encoding)
                                : " = OpTypeInt " + std::to_string(type.bits()) +
                                      (type.isSigned() ? " 1" : " 0")) +
                "\n";
        for (const char* size : {"2", "3", "4"})
            text += id + "x" + size + " = OpTypeVector " + id + " " + size + "\n";
    }
    for (uint32_t value = 0; value <= kLastConstant; ++value)
        text += constant(value) + " = OpConstant %u32 " + std::to_string(value) + "\n";
    return text +
           "%workgroup_width = OpSpecConstant %u32 1\n"
           "%in_u32 = OpTypePointer Input %u32\n%in_u32x3 = OpTypePointer Input %u32x3\n"
           "%lane = OpVariable %in_u32 Input\n%group = OpVariable %in_u32x3 Input\n"
           "%subgroup_id = OpVariable %in_u32 Input\n";
}

std::string bufferTypes(const Assembly& a) {
    std::string text;
    if (anyIsUntyped(a)) text = "%untyped = OpTypeUntypedPointerKHR StorageBuffer\n";
    std::vector<std::string> seen;
    for (const AssemblyBuffer& b : a.buffers) {
        text +=
            "%array_" + b.name + " = OpTypeRuntimeArray %" + b.element + "\n%block_" + b.name +
            " = OpTypeStruct %array_" + b.name + "\n%pointer_" + b.name +
            " = OpTypePointer StorageBuffer %block_" + b.name + "\n%" + b.name +
            (b.isUntyped ? " = OpUntypedVariableKHR %untyped StorageBuffer %block_" + b.name + "\n"
                         : " = OpVariable %pointer_" + b.name + " StorageBuffer\n");
        if (std::find(seen.begin(), seen.end(), b.element) != seen.end()) continue;
        seen.push_back(b.element);
        text += "%sb_" + b.element + " = OpTypePointer StorageBuffer %" + b.element + "\n";
    }
    return text;
}

}  // namespace

std::string assemblyText(const Assembly& a) {
    return capabilities(a) + entryPoints(a) + decorations(a) + scalarTypes(a) + a.types +
           bufferTypes(a) + a.declarations +
           "%main = OpFunction %void None %void_fn\n%main_entry = OpLabel\n" + a.body +
           "OpReturn\nOpFunctionEnd\n" + a.functions;
}

std::string matrixType(std::string_view id, Component component, uint32_t rows, uint32_t columns,
                       Use use) {
    return "%" + std::string(id) + " = OpTypeCooperativeMatrixKHR " +
           std::string(info(component).spirv) + " %c_3 " + constant(rows) + " " +
           constant(columns) + " " + constant(static_cast<uint32_t>(use)) + "\n";
}

std::string constant(uint32_t value) { return "%c_" + std::to_string(value); }

std::string inFirstInvocation(const std::string& body) {
    return "%first_lane = OpLoad %u32 %lane\n%is_first = OpIEqual %bool %first_lane %c_0\n"
           "OpSelectionMerge %behind_first None\n"
           "OpBranchConditional %is_first %in_first %behind_first\n%in_first = OpLabel\n" +
           body + "OpBranch %behind_first\n%behind_first = OpLabel\n";
}

}  // namespace coopvk::test
