// SPDX-License-Identifier: Apache-2.0
#include "coopvk/means.hpp"

#include <algorithm>
#include <format>
#include <spirv-tools/libspirv.hpp>

#include "ir/instruction.hpp"
#include "ir/tools_reserve.hpp"

namespace coopvk::rewrite {

namespace {

enum class Kind { kFloats, kIntegers, kVectors };

struct Probe {
    std::string_view products;
    Kind kind;
    bool (*possible)(const DeviceTraits& device);
    std::string_view factor, sum;    // component types of A and B, and of C and the result
    std::string_view operands = {};  // Cooperative Matrix Operands
};

bool hasHalves(const DeviceTraits& device) {
    return device.hasFloat16() && device.storageBuffer16BitAccess;
}
bool hasBytes(const DeviceTraits& device) {
    return device.shaderInt8 && device.storageBuffer8BitAccess;
}

constexpr std::string_view kAllSigned =
    "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|"
    "MatrixResultSignedComponentsKHR";
constexpr std::string_view kAllButASigned = kAllSigned.substr(kAllSigned.find('|') + 1);

constexpr Probe kProbes[] = {
    {"f16 with f32 sums", Kind::kFloats, hasHalves, "f16", "f32"},
    {"f16 with f16 sums", Kind::kFloats, hasHalves, "f16", "f16"},
    {"s8", Kind::kIntegers, hasBytes, "i8", "i32", kAllSigned},
    {"u8", Kind::kIntegers, hasBytes, "i8", "i32"},
    {"u8 by s8", Kind::kIntegers, hasBytes, "i8", "i32", kAllButASigned},
    {"vectors of f16 by weights that all share", Kind::kVectors, hasHalves, "f16", "f16"},
};

constexpr std::string_view kHead = R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability Int8
OpCapability StorageBuffer8BitAccess
OpCapability VulkanMemoryModel
{}
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 128 1 1
OpDecorate %factors ArrayStride {}
OpDecorate %sums ArrayStride {}
OpDecorate %inBlock Block
OpDecorate %outBlock Block
OpMemberDecorate %inBlock 0 Offset 0
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%i8 = OpTypeInt 8 0
%i32 = OpTypeInt 32 1
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%c64 = OpConstant %u32 64
%c128 = OpConstant %u32 128
%factors = OpTypeRuntimeArray %{}
%sums = OpTypeRuntimeArray %{}
%inBlock = OpTypeStruct %factors
%outBlock = OpTypeStruct %sums
%inPointer = OpTypePointer StorageBuffer %inBlock
%outPointer = OpTypePointer StorageBuffer %outBlock
%in = OpVariable %inPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
)";

constexpr std::string_view kMatrices = R"(
%factor = OpTypePointer StorageBuffer %{0}
%sum = OpTypePointer StorageBuffer %{1}
%A = OpTypeCooperativeMatrixKHR %{0} %c3 %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %{0} %c3 %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %{1} %c3 %c16 %c16 %c2
%none = OpConstantNull %C
%main = OpFunction %void None %function
%label = OpLabel
%from = OpAccessChain %factor %in %c0 %c0
%a = OpCooperativeMatrixLoadKHR %A %from %c0 %c16
%b = OpCooperativeMatrixLoadKHR %B %from %c1 %c16
%c = OpCooperativeMatrixMulAddKHR %C %a %b %none {2}
%to = OpAccessChain %sum %out %c0 %c0
OpCooperativeMatrixStoreKHR %to %c %c0 %c16
OpReturn
OpFunctionEnd
)";

constexpr std::string_view kVectors = R"(
%inArray = OpTypePointer StorageBuffer %factors
%outArray = OpTypePointer StorageBuffer %sums
%V = OpTypeCooperativeVectorNV %f16 %c64
%main = OpFunction %void None %function
%label = OpLabel
%from = OpAccessChain %inArray %in %c0
%x = OpCooperativeVectorLoadNV %V %from %c0
%y = OpCooperativeVectorMatrixMulNV %V %x %c0 %from %c0 %c0 %c64 %c64 %c0 %false %c128
%to = OpAccessChain %outArray %out %c0
OpCooperativeVectorStoreNV %to %c0 %y
OpReturn
OpFunctionEnd
)";

uint32_t bytesOf(std::string_view type) {
    return type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1;
}

std::vector<uint32_t> assemble(const Probe& probe) {
    const bool vectors = probe.kind == Kind::kVectors;
    const std::string_view extension =
        vectors ? "OpCapability CooperativeVectorNV\nOpExtension \"SPV_NV_cooperative_vector\""
                : "OpCapability CooperativeMatrixKHR\nOpExtension \"SPV_KHR_cooperative_matrix\"";
    std::string text = std::format(kHead, extension, bytesOf(probe.factor), bytesOf(probe.sum),
                                   probe.factor, probe.sum);
    text += vectors ? std::string(kVectors)
                    : std::format(kMatrices, probe.factor, probe.sum, probe.operands);
    std::vector<uint32_t> words;
    const ToolsReserve reserve(ToolsReserve::Work::kDisassemble, text.size());
    const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    if (!tools.Assemble(text, &words)) words.clear();
    return words;
}

bool hasAny(std::span<const uint32_t> words, std::initializer_list<spv::Op> wanted) {
    return anyInstruction(words.subspan(kHeaderWords),
                          [&](spv::Op opcode, const auto&) { return isOneOf(opcode, wanted); });
}

std::string_view meansOf(Kind kind, const Rewritten& out) {
    using enum spv::Op;
    switch (kind) {
        case Kind::kFloats:
            if (hasAny(out.words, {OpFDot2MixAcc32VALVE, OpFDot2MixAcc16VALVE})) {
                return "mixed dot products";
            }
            return hasAny(out.words, {OpFConvert}) ? "converted to f32" : "multiply-adds of pairs";
        case Kind::kIntegers:
            return hasAny(out.words,
                          {OpSDot, OpUDot, OpSUDot, OpSDotAccSat, OpUDotAccSat, OpSUDotAccSat})
                       ? "dot products of four bytes"
                       : "one by one, at 32 bits";
        case Kind::kVectors:
            break;
    }
    const auto has = [&](std::string_view path) {
        return std::ranges::find(out.paths, path) != out.paths.end();
    };
    if (has("vectors: the driver's matrices")) return "the driver's matrices";
    return has("vectors: tiles") ? "tiles of the subgroup" : "each invocation alone";
}

}  // namespace

std::vector<ProductMeans> productMeans(const DeviceTraits& device, BackEnd vectors) {
    std::vector<ProductMeans> means;
    for (const Probe& probe : kProbes) {
        if (!probe.possible(device)) continue;
        Target target;
        target.device = device;
        target.subgroupSize = device.subgroupSize;
        target.backEnd = BackEnd::kCore;
        if (probe.kind == Kind::kVectors) {
            target.backEnd = vectors;
            target.emulated = {Extension::kNvCooperativeVector};
        }
        const std::vector<uint32_t> words = assemble(probe);
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, target);
        if (out) means.push_back({probe.products, meansOf(probe.kind, *out)});
    }
    return means;
}

}  // namespace coopvk::rewrite
