// SPDX-License-Identifier: Apache-2.0
#include "loop_module.hpp"

#include <algorithm>
#include <format>

namespace coopvk::test {

namespace {

constexpr LoopOperation kOperations[] = {
    {"Store", R"(
OpCooperativeMatrixStoreKHR %halfpointer %a %c0 %c16
%y@ = OpFAdd %C %x@ %x@
)"},
    {"Load", R"(
%y@ = OpCooperativeMatrixLoadKHR %C %p %c0 %c16
)"},
    {"TensorLoad", R"(
%y@ = OpCooperativeMatrixLoadTensorNV %C %p %x@ %t None None
)"},
    {"ClippedTensorLoad", R"(
%y@ = OpCooperativeMatrixLoadTensorNV %C %p %x@ %t None TensorView %clipped
)"},
    {"DecodedLoad", R"(
%y@ = OpCooperativeMatrixLoadTensorNV %C %p %x@ %t None DecodeFunc %decode
)"},
    {"TensorStore", R"(
OpCooperativeMatrixStoreTensorNV %p %x@ %t None None
%y@ = OpFAdd %C %x@ %x@
)"},
    {"Reduction", R"(
%y@ = OpCooperativeMatrixReduceNV %C %x@ Row|Column %combine
)"},
    {"Conversion", R"(
%as_a@ = OpCooperativeMatrixConvertNV %A32 %x@
OpCooperativeMatrixStoreKHR %p %as_a@ %c0 %c16
%y@ = OpFNegate %C %x@
)"},
    {"Transposition", R"(
%as_b@ = OpCooperativeMatrixTransposeNV %B32 %x@
OpCooperativeMatrixStoreKHR %p %as_b@ %c0 %c16
%y@ = OpFNegate %C %x@
)"},
    {"PerElement", R"(
%y@ = OpCooperativeMatrixPerElementOpNV %C %x@ %scale
)"},
    {"PerElementInLoops", R"(
%y@ = OpCooperativeMatrixPerElementOpNV %C %x@ %scaleoften
)"},
    {"Lines", R"(
%line@ = OpCompositeExtractCoopMatQCOM %line %x@
%y@ = OpCompositeConstructCoopMatQCOM %C %line@
)",
     true},
    {"Product", R"(
%y@ = OpCooperativeMatrixMulAddKHR %C %a %b %x@
)"},
    {"LoadedProduct", R"(
%la@ = OpCooperativeMatrixLoadTensorNV %A %halfpointer %a %t None None
%lb@ = OpCooperativeMatrixLoadTensorNV %B %halfpointer %b %t None None
%y@ = OpCooperativeMatrixMulAddKHR %C %la@ %lb@ %x@
)"},
    {"DecodedProduct", R"(
%la@ = OpCooperativeMatrixLoadTensorNV %A %halfpointer %a %t None DecodeFunc %decodehalf
%lb@ = OpCooperativeMatrixLoadTensorNV %B %halfpointer %b %t None None
%y@ = OpCooperativeMatrixMulAddKHR %C %la@ %lb@ %x@
)"},
    {"SharedProduct", R"(
%sa@ = OpCooperativeMatrixLoadKHR %wideA %sharedpointer %c0 %c32
%sb@ = OpCooperativeMatrixLoadKHR %highB %sharedpointer %c0 %c16
%so@ = OpLoad %C %sum
%sn@ = OpCooperativeMatrixMulAddKHR %C %sa@ %sb@ %so@
OpStore %sum %sn@
%y@ = OpFNegate %C %x@
)"},
    {"NarrowStore", R"(
OpCooperativeMatrixStoreKHR %p %b %c0 %c16
%y@ = OpFAdd %C %x@ %x@
)",
     true},
    {"LargeTransposition", R"(
%large@ = OpCooperativeMatrixTransposeNV %largeB %large
OpCooperativeMatrixStoreKHR %p %large@ %c0 %c256
%y@ = OpFAdd %C %x@ %x@
)"},
};

}  // namespace

std::span<const LoopOperation> loopOperations() { return kOperations; }

std::string loopCode(const LoopForm& form, std::string_view operation) {
    std::string code(form.text);
    for (const char number : {'0', '1', '2'}) {
        std::string one(operation);
        std::ranges::replace(one, '@', number);
        const size_t at = code.find(std::string("OP") + number);
        if (at != std::string::npos) code.replace(at, 3, one);
    }
    return code;
}

std::string loopModule(const LoopOperation& operation, const LoopForm& form, uint32_t scope) {
    const std::string code = loopCode(form, operation.text);
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability PhysicalStorageBufferAddresses
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixReductionsNV
OpCapability CooperativeMatrixConversionsNV
OpCapability CooperativeMatrixPerElementOperationsNV
OpCapability TensorAddressingNV
OpCapability CooperativeMatrixTensorAddressingNV
OpCapability CooperativeMatrixBlockLoadsNV
OpCapability CooperativeMatrixConversionQCOM
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_QCOM_cooperative_matrix_conversion"
OpExtension "SPV_NV_tensor_addressing"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel PhysicalStorageBuffer64 Vulkan
OpEntryPoint GLCompute %main "main" %buffer %halfbuffer %shared
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %floats ArrayStride 4
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpDecorate %halfblock Block
OpDecorate %quant Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %halfblock 0 Offset 0
OpMemberDecorate %quant 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %halfbuffer DescriptorSet 0
OpDecorate %halfbuffer Binding 1
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%c32 = OpConstant %u32 32
%c256 = OpConstant %u32 256
%c512 = OpConstant %u32 512
%scope = OpConstant %u32 {}
%f0 = OpConstant %f32 0
%h1 = OpConstant %f16 0x1p+0
%floats = OpTypeRuntimeArray %f32
%halves = OpTypeRuntimeArray %f16
%sharedhalves = OpTypeArray %f16 %c512
%block = OpTypeStruct %floats
%halfblock = OpTypeStruct %halves
%quant = OpTypeStruct %f32
%pblock = OpTypePointer StorageBuffer %block
%phalfblock = OpTypePointer StorageBuffer %halfblock
%pshared = OpTypePointer Workgroup %sharedhalves
%psharedhalf = OpTypePointer Workgroup %f16
%pfloat = OpTypePointer StorageBuffer %f32
%phalf = OpTypePointer StorageBuffer %f16
%pquant = OpTypePointer PhysicalStorageBuffer %quant
%pquantfloat = OpTypePointer PhysicalStorageBuffer %f32
%buffer = OpVariable %pblock StorageBuffer
%halfbuffer = OpVariable %phalfblock StorageBuffer
%shared = OpVariable %pshared Workgroup
%pair = OpTypeArray %u32 %c2
%line = OpTypeArray %f32 %c16
%combine_fn = OpTypeFunction %f32 %f32 %f32
%scale_fn = OpTypeFunction %f32 %u32 %u32 %f32
%decode_fn = OpTypeFunction %f32 %pquant %pair %pair
%decodehalf_fn = OpTypeFunction %f16 %pquant %pair %pair
%A = OpTypeCooperativeMatrixKHR %f16 %scope %c16 %c16 %c0
%B = OpTypeCooperativeMatrixKHR %f16 %scope %c16 %c16 %c1
%C = OpTypeCooperativeMatrixKHR %f32 %scope %c16 %c16 %c2
%A32 = OpTypeCooperativeMatrixKHR %f32 %scope %c16 %c16 %c0
%B32 = OpTypeCooperativeMatrixKHR %f32 %scope %c16 %c16 %c1
%wideA = OpTypeCooperativeMatrixKHR %f16 %scope %c16 %c32 %c0
%highB = OpTypeCooperativeMatrixKHR %f16 %scope %c32 %c16 %c1
%largeC = OpTypeCooperativeMatrixKHR %f32 %scope %c256 %c16 %c2
%largeB = OpTypeCooperativeMatrixKHR %f32 %scope %c16 %c256 %c1
%large = OpConstantComposite %largeC %f0
%a = OpConstantComposite %A %h1
%b = OpConstantComposite %B %h1
%zeros = OpConstantComposite %C %f0
%psum = OpTypePointer Function %C
%T = OpTypeTensorLayoutNV %c2 %c1
%V = OpTypeTensorViewNV %c2 %false %c1 %c0
%main = OpFunction %void None %void_fn
%entry = OpLabel
%sum = OpVariable %psum Function %zeros
%p = OpAccessChain %pfloat %buffer %c0 %c0
%halfpointer = OpAccessChain %phalf %halfbuffer %c0 %c0
%sharedpointer = OpAccessChain %psharedhalf %shared %c0
%t0 = OpCreateTensorLayoutNV %T
%t = OpTensorLayoutSetDimensionNV %T %t0 %c16 %c16
%v = OpCreateTensorViewNV %V
%clipped = OpTensorViewSetClipNV %V %v %c0 %c2 %c0 %c16
{}
OpReturn
OpFunctionEnd
%combine = OpFunction %f32 None %combine_fn
%ca = OpFunctionParameter %f32
%cb = OpFunctionParameter %f32
%cl = OpLabel
%cs = OpFAdd %f32 %ca %cb
OpReturnValue %cs
OpFunctionEnd
%scale = OpFunction %f32 None %scale_fn
%row = OpFunctionParameter %u32
%column = OpFunctionParameter %u32
%element = OpFunctionParameter %f32
%sl = OpLabel
%fr = OpConvertUToF %f32 %row
%ss = OpFMul %f32 %fr %element
OpReturnValue %ss
OpFunctionEnd
%scaleoften = OpFunction %f32 None %scale_fn
%orow = OpFunctionParameter %u32
%ocolumn = OpFunctionParameter %u32
%oelement = OpFunctionParameter %f32
%ol = OpLabel
OpBranch %oh
%oh = OpLabel
%oi = OpPhi %u32 %c0 %ol %onext %oh
%os = OpPhi %f32 %oelement %ol %ot %oh
%ot = OpFAdd %f32 %os %os
%onext = OpIAdd %u32 %oi %c1
%omore = OpULessThan %bool %onext %orow
OpLoopMerge %oend %oh None
OpBranchConditional %omore %oh %oend
%oend = OpLabel
OpReturnValue %ot
OpFunctionEnd
%decode = OpFunction %f32 None %decode_fn
%dp = OpFunctionParameter %pquant
%dblock = OpFunctionParameter %pair
%dinblock = OpFunctionParameter %pair
%dl = OpLabel
%dq = OpAccessChain %pquantfloat %dp %c0
%dv = OpLoad %f32 %dq Aligned 4
OpReturnValue %dv
OpFunctionEnd
%decodehalf = OpFunction %f16 None %decodehalf_fn
%hp = OpFunctionParameter %pquant
%hblock = OpFunctionParameter %pair
%hinblock = OpFunctionParameter %pair
%hl = OpLabel
%hq = OpAccessChain %pquantfloat %hp %c0
%hv = OpLoad %f32 %hq Aligned 4
%hh = OpFConvert %f16 %hv
OpReturnValue %hh
OpFunctionEnd
)",
                       scope, code);
}

}  // namespace coopvk::test
