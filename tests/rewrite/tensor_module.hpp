// SPDX-License-Identifier: Apache-2.0
//
// A module that loads and stores a matrix by tensor addresses.
#pragma once

#include <format>
#include <string>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::tensor_module {

// The start of a module with tensors, up to %buffer, a storage buffer of floats. `interface`: of
// the entry point %main.
inline std::string preamble(std::string_view interface = "%buffer",
                            std::string_view decorations = "") {
    return test::bufferPreamble(R"(
OpCapability Shader
OpCapability Int64
OpCapability VulkanMemoryModel
OpCapability PhysicalStorageBufferAddresses
OpCapability CooperativeMatrixKHR
OpCapability TensorAddressingNV
OpCapability CooperativeMatrixTensorAddressingNV
OpCapability CooperativeMatrixBlockLoadsNV
OpCapability CooperativeMatrixDecodeVectorNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_tensor_addressing"
OpExtension "SPV_NV_cooperative_matrix2"
OpExtension "SPV_NV_cooperative_matrix_decode_vector"
OpMemoryModel PhysicalStorageBuffer64 Vulkan)",
                                interface, decorations);
}

// The parts that a case may replace; the rest is a load of a 16x16 f32 matrix %m.
struct Parts {
    std::string layout = "%c2 %c1";           // operands of the layout's type
    std::string view = "%c2 %false %c1 %c0";  // of the view's type
    std::string types;                        // further ones
    std::string variables;
    std::string make;                 // statements that define %t2, if `from` is that
    std::string from = "%t";          // the layout
    std::string addressing = "None";  // of the load
    std::string store = "None";
    std::string functions;
};

inline std::string moduleText(const Parts& p) {
    return preamble("%buffer", "OpDecorate %quant Block\nOpMemberDecorate %quant 0 Offset 0") +
           std::format(R"(
%pair = OpTypeArray %u32 %c2
%triple = OpTypeArray %u32 %c3
%quant = OpTypeStruct %f32
%quant_pointer = OpTypePointer PhysicalStorageBuffer %quant
%quant_f32 = OpTypePointer PhysicalStorageBuffer %f32
%decode_fn = OpTypeFunction %f32 %quant_pointer %pair %pair
%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2
%one = OpConstantComposite %M %f1
%T = OpTypeTensorLayoutNV {}
%V = OpTypeTensorViewNV {}
{}
%main = OpFunction %void None %void_fn
%label = OpLabel
{}
%p = OpAccessChain %pointer %buffer %c0 %c0
%t0 = OpCreateTensorLayoutNV %T
%t1 = OpTensorLayoutSetDimensionNV %T %t0 %c16 %c16
%t = OpTensorLayoutSliceNV %T %t1 %c0 %c16 %c0 %c16
%v = OpCreateTensorViewNV %V
{}
%m = OpCooperativeMatrixLoadTensorNV %M %p %one {} None {}
OpCooperativeMatrixStoreTensorNV %p %m %t None {}
OpReturn
OpFunctionEnd
{}
)",
                       p.layout, p.view, p.types, p.variables, p.make, p.from, p.addressing,
                       p.store, p.functions);
}

inline Result<Rewritten> rewritten(const std::string& text) {
    Request request;
    const std::vector<uint32_t> words = test::assemble(text);
    request.words = words;
    Target target;
    target.subgroupSize = 16;
    target.device.bufferDeviceAddress = true;
    return rewrite(request, target);
}

inline Result<Rewritten> rewritten(const Parts& parts) { return rewritten(moduleText(parts)); }

}  // namespace coopvk::rewrite::tensor_module
