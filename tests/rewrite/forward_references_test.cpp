// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_relaxed_extended_instruction: non-semantic instructions that name later ids, such as
// debug information of structures that contain pointers to themselves.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::forward_references_test {
namespace {

std::string withDebug(std::string_view globals, std::string_view code) {
    return test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpExtension",
          "OpExtension \"SPV_KHR_non_semantic_info\"\n"
          "OpExtension \"SPV_KHR_relaxed_extended_instruction\"\nOpExtension"},
         {"OpMemoryModel", "%set = OpExtInstImport \"NonSemantic.Test\"\nOpMemoryModel"},
         {"%halves =", std::string(globals) + "\n%halves ="},
         {"%product =", std::string(code) + "\n%product ="}});
}

std::string run(const std::string& source, BackEnd backEnd) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    Target target;
    target.backEnd = backEnd;
    using enum ComponentType;
    target.device.nativeShapes = {{8, 8, 8, kFloat16, kFloat16, kFloat32, kFloat32, false}};
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    return disassemble(out->words);
}

constexpr std::string_view kList =
    "%node = OpExtInstWithForwardRefsKHR %void %set 1 %pointer\n"
    "%pointer = OpExtInst %void %set 2 %node\n"
    "%member = OpExtInst %void %set 3 %node %pointer %c1";
// Names a matrix, and one that is computed later.
constexpr std::string_view kValue = "%later = OpExtInstWithForwardRefsKHR %void %set 4 %a %product";

TEST(ForwardReferences, KeepTheirOrder) {
    for (const BackEnd backEnd : {BackEnd::kCore, BackEnd::kNative}) {
        const std::string text = run(withDebug(kList, kValue), backEnd);
        EXPECT_EQ(test::occurrences(text, "OpExtInstWithForwardRefsKHR"), 2u);
    }
}

// Types and constants come before the debug information that names them. Where nothing is behind
// it any more, OpExtInst must be used.
TEST(ForwardReferences, BecomeBackwardReferences) {
    const std::string source =
        withDebug("%early = OpExtInstWithForwardRefsKHR %void %set 1 %halves", "");
    const std::string text = run(source, BackEnd::kCore);
    EXPECT_EQ(test::occurrences(text, "OpExtInstWithForwardRefsKHR"), 0u);
    EXPECT_EQ(test::occurrences(text, "OpExtInst %void"), 1u);
}

// Sorting does not follow references from one to the next: a long list is no deep recursion.
TEST(ForwardReferences, LongLists) {
    constexpr uint32_t kCount = 12500;
    std::string list;
    for (uint32_t i = 0; i < kCount; ++i) {
        list += std::format("%d{} = OpExtInstWithForwardRefsKHR %void %set 1 %d{}\n", i, i + 1);
    }
    list += std::format("%d{} = OpExtInst %void %set 1", kCount);
    const std::vector<uint32_t> words = test::assemble(withDebug(list, ""));
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module) << module.error().message;
    module->orderGlobals();
    EXPECT_EQ(module->serialise(), words);
}

}  // namespace
}  // namespace coopvk::rewrite::forward_references_test
