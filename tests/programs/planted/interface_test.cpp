// SPDX-License-Identifier: Apache-2.0
//
// In which format `coopvk check` fills memory: in that of a matrix which is loaded from it, but not
// where a decode function makes the elements.
#include "interface.hpp"

#include <gtest/gtest.h>

#include "case.hpp"

namespace coopvk::programs {
namespace {

// What findInterface() reads of a module that loads f16 from bytes.
size_t formatsOf(const std::string& operands) {
    std::string problem;
    const auto words = assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
%u8 = OpTypeInt 8 0
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%size = OpConstant %u32 16
%scope = OpConstant %u32 3
%use = OpConstant %u32 2
%matrix = OpTypeCooperativeMatrixKHR %f16 %scope %size %size %use
%bytes = OpTypeRuntimeArray %u8
%block = OpTypeStruct %bytes
%pointer = OpTypePointer StorageBuffer %block
%memory = OpVariable %pointer StorageBuffer
%loaded = OpCooperativeMatrixLoadTensorNV %matrix %memory %object %layout )" +
                                    operands + "\n",
                                problem);
    EXPECT_TRUE(words) << problem;
    if (!words) return 0;
    const check::Interface found = findInterface(check::Module(*words, {}));
    EXPECT_EQ(found.buffers.size(), 1u);
    return found.buffers.front().formats.size();
}

TEST(CheckedMemory, HasNoElementsForDecodeFunctions) {
    EXPECT_EQ(formatsOf("None None"), 1u);
    EXPECT_EQ(formatsOf("None TensorView %view"), 1u);
    EXPECT_EQ(formatsOf("None DecodeFunc %decode"), 0u);
    EXPECT_EQ(formatsOf("None TensorView|DecodeFunc %view %decode"), 0u);
}

}  // namespace
}  // namespace coopvk::programs
