// SPDX-License-Identifier: Apache-2.0
//
// Nothing that is emulated leaves the rewriter: the last check finds what a pass has left.
#include <gtest/gtest.h>

#include "api/passes.hpp"
#include "assemble.hpp"
#include "edit.hpp"
#include "vector_module.hpp"

namespace coopvk::rewrite::last_check_test {
namespace {

// What the check says of a module whose matrices, vectors and so on were not lowered; empty if
// nothing.
std::string complaint(const std::string& source, Extension extension, const Target& target = {},
                      BackEnd backEnd = BackEnd::kCore) {
    const std::vector<uint32_t> words = test::assemble(source);
    Request request;
    request.words = words;
    Result<Module> module = Module::parse(words);
    if (!module) return module.error().message;
    const PlannedTarget planned(target);
    Rewriting rewriting(request, planned, std::move(*module), backEnd);
    rewriting.out.used.insert(extension);
    rewriting.out.words = words;
    const std::optional<Error> error = checkNothingIsLeft(rewriting);
    return error ? error->message : std::string();
}

bool says(const std::string& message, std::string_view what) {
    return message.find("left in the output") != std::string::npos &&
           message.find(what) != std::string::npos;
}

TEST(LastCheck, FindsInstructionsAndTypes) {
    const std::string matrices = test::multiplyModule(16, 16, 16);
    EXPECT_TRUE(says(complaint(matrices, Extension::kKhrCooperativeMatrix),
                     "instruction TypeCooperativeMatrixKHR"));
    const std::string vectors = test::layerModule(16, 16, 0, false);
    EXPECT_TRUE(says(complaint(vectors, Extension::kNvCooperativeVector),
                     "instruction CooperativeVectorLoadNV"));
    const std::string int4 = test::edited(matrices, {{"%zero =", "%s4 = OpTypeInt 4 1\n%zero ="}});
    EXPECT_TRUE(says(complaint(int4, Extension::kIntelInt4), "instruction TypeInt "));
    const std::string brain =
        test::edited(matrices, {{"%zero =", "%brain = OpTypeFloat 16 BFloat16KHR\n%zero ="}});
    EXPECT_TRUE(says(complaint(brain, Extension::kKhrShaderBfloat16), "instruction TypeFloat "))
        << complaint(brain, Extension::kKhrShaderBfloat16);
    EXPECT_TRUE(
        says(complaint(matrices, Extension::kKhrShaderFloat16Int8), "instruction TypeFloat "));
}

TEST(LastCheck, FindsCapabilities) {
    const std::string declared =
        test::edited(test::multiplyModule(16, 16, 16),
                     {{"OpCapability Float16",
                       "OpCapability CooperativeMatrixReductionsNV\nOpCapability Float16"}});
    EXPECT_TRUE(
        says(complaint(declared, Extension::kNvCooperativeMatrix2), "VK_NV_cooperative_matrix2"));
}

// What is the driver's may stay.
TEST(LastCheck, LeavesWhatIsTheDrivers) {
    const std::string matrices = test::multiplyModule(16, 16, 16);
    EXPECT_EQ(complaint(matrices, Extension::kNvCooperativeVector), "");
    EXPECT_EQ(complaint(matrices, Extension::kKhrCooperativeMatrix, {}, BackEnd::kNative), "");
    Target target;
    target.emulated.erase(Extension::kKhrCooperativeMatrix);
    EXPECT_EQ(complaint(matrices, Extension::kKhrCooperativeMatrix, target), "");
}

// Of atomic operations on floats, those in shared memory are the driver's.
TEST(LastCheck, FindsAtomicFloats) {
    const auto adding = [](std::string_view pointer) {
        return test::edited(
            test::multiplyModule(16, 16, 16),
            {{"OpCapability Float16", "OpCapability AtomicFloat32AddEXT\nOpCapability Float16"},
             {"OpExtension", "OpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpExtension"},
             {"%zero =",
              "%one = OpConstant %f32 1\n%own = OpTypePointer Workgroup %f32\n"
              "%shared = OpVariable %own Workgroup\n%zero ="},
             {"OpCooperativeMatrixStoreKHR", "%old = OpAtomicFAddEXT %f32 " + std::string(pointer) +
                                                 " %c1 %c0 %one\nOpCooperativeMatrixStoreKHR"}});
    };
    constexpr auto kAtomics = Extension::kExtShaderAtomicFloat;
    EXPECT_TRUE(says(complaint(adding("%pc"), kAtomics), "VK_EXT_shader_atomic_float"));
    EXPECT_EQ(complaint(adding("%shared"), kAtomics), "");
}

}  // namespace
}  // namespace coopvk::rewrite::last_check_test
