// SPDX-License-Identifier: Apache-2.0
//
// Capabilities that a module declares and does not use, as compilers do that know only what a
// program might use: no device may get an invalid module for it, nor one that needs emulation.
#include <gtest/gtest.h>

#include <format>

#include "rewriting.hpp"

namespace coopvk::test {
namespace {

constexpr std::string_view kVulkan = "OpCapability VulkanMemoryModel\n";

// A module that stores a number, with more declarations.
std::string moduleWith(std::string_view capabilities, std::string_view extensions, bool isVulkan) {
    return std::format(R"(OpCapability Shader
{}{}{}OpMemoryModel Logical {}
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%c0 = OpConstant %u32 0
%block = OpTypeStruct %u32
%pBlock = OpTypePointer StorageBuffer %block
%pWord = OpTypePointer StorageBuffer %u32
%buffer = OpVariable %pBlock StorageBuffer
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %pWord %buffer %c0
OpStore %p %c0
OpReturn
OpFunctionEnd
)",
                       isVulkan ? kVulkan : "", capabilities, extensions,
                       isVulkan ? "Vulkan" : "GLSL450");
}

// Those beside the table's that a capability needs to be valid.
constexpr std::string_view kExtensions[] = {
    "SPV_NV_tensor_addressing",
    "SPV_KHR_cooperative_matrix",
};

std::string declarationsOf(const rewrite::ExtensionInfo& row) {
    std::string text;
    if (!row.spirvName.empty()) text += std::format("OpExtension \"{}\"\n", row.spirvName);
    for (const std::string_view more : kExtensions)
        text += std::format("OpExtension \"{}\"\n", more);
    return text;
}

// Emulated are all extensions, or one beside the driver's others.
void expectValid(const Words& words, const rewrite::ExtensionInfo& row) {
    for (const NamedTarget& named : allTargets()) {
        for (const bool isAlone : {false, true}) {
            rewrite::Target target = named.target;
            if (isAlone) {
                const bool isEmulated = target.emulated.contains(row.extension);
                target.emulated = {};
                if (isEmulated) target.emulated.insert(row.extension);
            }
            SCOPED_TRACE(named.name + (isAlone ? ", alone" : ""));
            Input input;
            expectRewriting(input, words, target);
        }
    }
}

TEST(DeclaredOnly, CapabilitiesOfEachExtension) {
    for (const rewrite::ExtensionInfo& row : rewrite::extensionTable()) {
        for (const rewrite::ExtensionCapability& one : row.capabilities) {
            for (const bool isVulkan : {false, true}) {
                const std::string capability = std::format("OpCapability !{}\n", one.capability);
                const std::string source = moduleWith(capability, declarationsOf(row), isVulkan);
                SCOPED_TRACE(std::format("{}, {}", row.vulkanName, one.capability));
                const Words words = assemble(source, Checked::kNo);
                if (rewrite::validate(words)) continue;
                expectValid(words, row);
                if (testing::Test::HasFailure()) return;
            }
        }
    }
}

}  // namespace
}  // namespace coopvk::test
