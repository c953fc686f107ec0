// SPDX-License-Identifier: Apache-2.0
//
// Modules in which a search through all that came before would not end.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "ir/module.hpp"
#include "ir/multiples.hpp"
#include "matrix/matrix_uses.hpp"
#include "optimise/optimise.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::long_modules_test {
namespace {

constexpr uint32_t kMany = 12'500;

Module parsed(const std::string& text) {
    Result<Module> module = Module::parse(test::assemble(text));
    EXPECT_TRUE(module);
    return std::move(*module);
}

TEST(LongModules, EqualValuesWithDecorations) {
    std::string decorations, code;
    for (uint32_t n = 0; n < kMany; ++n) {
        decorations += std::format("OpDecorate %v{} NoContraction\n", n);
        code += std::format("%v{} = OpFAdd %f32 %f0 %f1\n", n);
    }
    Module module = parsed(tensor_module::preamble("%buffer", decorations) +
                           "%main = OpFunction %void None %void_fn\n%entry = OpLabel\n" + code +
                           "OpReturn\nOpFunctionEnd\n");
    const std::vector<uint32_t> words = module.serialise();
    TypeTable types(module);
    shareEqualValues(types, Within::kBlock);
    EXPECT_EQ(module.serialise(), words);
}

// Each structure has a pointer to the next one, and the last has a matrix.
TEST(LongModules, StructuresThatLeadToAMatrix) {
    std::string pointers, structures;
    for (uint32_t n = 0; n < kMany; ++n) {
        pointers += std::format("OpTypeForwardPointer %p{} PhysicalStorageBuffer\n", n);
        const std::string member = n + 1 == kMany ? "%M" : std::format("%p{}", n + 1);
        structures += std::format(
            "%s{0} = OpTypeStruct {1}\n%p{0} = OpTypePointer PhysicalStorageBuffer %s{0}\n", n,
            member);
    }
    const Module module =
        parsed(tensor_module::preamble() + pointers +
               "%M = OpTypeCooperativeMatrixKHR %f32 %c3 %c16 %c16 %c2\n" + structures +
               "%main = OpFunction %void None %void_fn\n%entry = OpLabel\n"
               "OpReturn\nOpFunctionEnd\n");
    const MatrixUses uses(module);
    EXPECT_EQ(uses.types().size(), 1u);
}

// Each variable holds what the next one held; the last one holds an odd number.
TEST(LongModules, MultiplesThroughVariables) {
    std::string variables, code;
    for (uint32_t n = 0; n < kMany; ++n) {
        variables += std::format("%v{} = OpVariable %local Function\n", n);
        code += n + 1 == kMany
                    ? std::format("OpStore %v{} %c3\n", n)
                    : std::format("%l{0} = OpLoad %u32 %v{1}\nOpStore %v{0} %l{0}\n", n, n + 1);
    }
    const Module module = parsed(tensor_module::preamble() +
                                 "%local = OpTypePointer Function %u32\n"
                                 "%main = OpFunction %void None %void_fn\n%entry = OpLabel\n" +
                                 variables + code + "OpReturn\nOpFunctionEnd\n");
    const Multiples multiples(module);
    size_t wrong = 0;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpLoad && multiples.of(i.result) != 1) ++wrong;
    });
    EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::long_modules_test
