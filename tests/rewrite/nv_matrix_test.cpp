// SPDX-License-Identifier: Apache-2.0
//
// The roles of VK_NV_cooperative_matrix's matrices in the unified module.
#include "unify/nv_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite::nv_matrix_test {
namespace {

// A module with 8x8 matrices %x, %y and %z of type %T and pointer %p.
std::string moduleText(std::string_view declarations, std::string_view body,
                       std::string_view functions = "") {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixNV
OpExtension "SPV_NV_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 32 1 1
OpName %x "x"
OpName %y "y"
OpName %z "z"
OpName %r "r"
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c3 = OpConstant %u32 3
%c8 = OpConstant %u32 8
%true = OpConstantTrue %bool
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %f16
%buffer = OpVariable %block_pointer StorageBuffer
%T = OpTypeCooperativeMatrixNV %f16 %c3 %c8 %c8
{}
%main = OpFunction %void None %void_fn
%label = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%x = OpCooperativeMatrixLoadNV %T %p %c8 %true
%y = OpCooperativeMatrixLoadNV %T %p %c8 %true
%z = OpCooperativeMatrixLoadNV %T %p %c8 %true
{}
OpCooperativeMatrixStoreNV %p %r %c8 %true
OpReturn
OpFunctionEnd
{}
)",
                       declarations, body, functions);
}

class Unified {
 public:
    explicit Unified(const std::string& text)
        : module_(std::move(*Module::parse(test::assemble(text)))) {
        TypeTable types(module_);
        const std::optional<Error> error = unifyNvMatrices(types);
        EXPECT_FALSE(error) << error->message;
        module_.orderGlobals();
        EXPECT_EQ(disassemble(module_.serialise()).find("MatrixNV"), std::string::npos);
    }

    // Use of the matrix with an OpName.
    Use role(std::string_view name) const {
        for (const InstructionPtr& i : module_.section(Section::kDebug)) {
            if (i->opcode != spv::Op::OpName || stringFromOperands(*i, 1) != name) continue;
            const Instruction& type = module_.def(module_.def(i->word(0)).type);
            EXPECT_EQ(type.opcode, spv::Op::OpTypeCooperativeMatrixKHR);
            return static_cast<Use>(module_.constantValue(type.word(4)).value_or(99));
        }
        ADD_FAILURE() << name;
        return Use::kAccumulator;
    }
    size_t count(spv::Op opcode) const {
        size_t found = 0;
        for (const auto& function : module_.functions()) {
            for (const auto& block : function->blocks) {
                found += static_cast<size_t>(std::ranges::count_if(
                    block->body, [&](const InstructionPtr& i) { return i->opcode == opcode; }));
            }
        }
        return found;
    }
    size_t conversions() const { return count(spv::Op::OpCooperativeMatrixConvertNV); }

 private:
    Module module_;
};

TEST(NvRoles, MulAddPinsItsOperands) {
    const Unified out(moduleText("", "%r = OpCooperativeMatrixMulAddNV %T %x %y %z"));
    EXPECT_EQ(out.role("x"), Use::kA);
    EXPECT_EQ(out.role("y"), Use::kB);
    EXPECT_EQ(out.role("z"), Use::kAccumulator);
    EXPECT_EQ(out.role("r"), Use::kAccumulator);
    EXPECT_EQ(out.conversions(), 0u);
}

// The capability implies Shader, which stays.
TEST(NvRoles, ShaderStaysWhereItWasImplied) {
    std::string text = moduleText("", "%r = OpFAdd %T %x %y");
    text.erase(text.find("OpCapability Shader\n"),
               std::string_view("OpCapability Shader\n").size());
    Result<Module> module = Module::parse(test::assemble(text));
    ASSERT_TRUE(module);
    TypeTable types(*module);
    ASSERT_FALSE(unifyNvMatrices(types));
    EXPECT_TRUE(module->hasCapability(spv::Capability::Shader));
}

TEST(NvRoles, WithoutProductAllAreAccumulators) {
    const Unified out(moduleText("", "%r = OpFAdd %T %x %y"));
    EXPECT_EQ(out.role("x"), Use::kAccumulator);
    EXPECT_EQ(out.role("z"), Use::kAccumulator);
}

TEST(NvRoles, SpreadThroughArithmeticVariablesAndStructs) {
    const Unified out(moduleText(
        "%S = OpTypeStruct %f16 %T %T\n%fn_S = OpTypePointer Function %S\n"
        "%fn_T = OpTypePointer Function %T",
        "%s = OpUndef %S\n%t = OpCompositeInsert %S %x %s 1\n%u = OpCompositeInsert %S %y %t 2\n"
        "%xx = OpCompositeExtract %T %u 1\n%neg = OpFNegate %T %xx\n"
        "%yy = OpCompositeExtract %T %u 2\n"
        "%r = OpCooperativeMatrixMulAddNV %T %neg %yy %z"));
    EXPECT_EQ(out.role("x"), Use::kA);
    EXPECT_EQ(out.role("y"), Use::kB);
    EXPECT_EQ(out.conversions(), 0u);
}

TEST(NvRoles, SpreadThroughCallsAndPointers) {
    const Unified out(
        moduleText("%fn_T = OpTypePointer Private %T\n%mul_fn = OpTypeFunction %T %T %fn_T\n"
                   "%w = OpVariable %fn_T Private",
                   "OpStore %w %y\n%v = OpFunctionCall %T %mul %x %w\n%r = OpFAdd %T %v %z",
                   "%mul = OpFunction %T None %mul_fn\n%a = OpFunctionParameter %T\n"
                   "%pb = OpFunctionParameter %fn_T\n%m0 = OpLabel\n%b = OpLoad %T %pb\n"
                   "%zero = OpUndef %T\n%m = OpCooperativeMatrixMulAddNV %T %a %b %zero\n"
                   "OpReturnValue %m\nOpFunctionEnd"));
    EXPECT_EQ(out.role("x"), Use::kA);
    EXPECT_EQ(out.role("y"), Use::kB);
    EXPECT_EQ(out.role("z"), Use::kAccumulator);
    EXPECT_EQ(out.conversions(), 0u);
}

TEST(NvRoles, ConvertOnlyWhereRolesDiffer) {
    const Unified chain(moduleText("",
                                   "%q = OpCooperativeMatrixMulAddNV %T %x %y %z\n"
                                   "%r = OpCooperativeMatrixMulAddNV %T %q %y %z"));
    EXPECT_EQ(chain.conversions(), 1u);
    EXPECT_EQ(chain.role("y"), Use::kB);
    const Unified square(moduleText("", "%r = OpCooperativeMatrixMulAddNV %T %x %x %z"));
    EXPECT_EQ(square.conversions(), 1u);
}

TEST(NvRoles, ConstantsServeEveryRole) {
    const Unified out(moduleText("%null = OpConstantNull %T\n%undef = OpUndef %T",
                                 "%a = OpCooperativeMatrixMulAddNV %T %null %y %null\n"
                                 "%b = OpCooperativeMatrixMulAddNV %T %x %null %a\n"
                                 "%r = OpCooperativeMatrixMulAddNV %T %undef %undef %b"));
    EXPECT_EQ(out.conversions(), 0u);
}

// Found by fuzzing: a constant's second variant became one for accumulators in the end.
TEST(NvRoles, ConstantsServeRolesInAnyOrder) {
    const std::string body =
        "%r = OpCooperativeMatrixMulAddNV %T %x %u %z\n"
        "%c = OpCopyObject %T %u\n"
        "%r2 = OpCooperativeMatrixMulAddNV %T %c %y %z\n";
    const std::vector<uint32_t> words = test::assemble(moduleText("%u = OpUndef %T\n", body));
    Request request;
    request.words = words;
    for (const uint32_t size : {4u, 32u}) {
        Target target;
        target.subgroupSize = size;
        const Result<Rewritten> out = rewrite(request, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
    }
}

// What only a store names is a matrix, too.
TEST(NvRoles, ConstantsThatAreStored) {
    const Unified out(moduleText("%one = OpConstant %f16 1\n%ones = OpConstantComposite %T %one",
                                 "%r = OpFAdd %T %x %y\n"
                                 "OpCooperativeMatrixStoreNV %p %ones %c8 %true"));
    EXPECT_EQ(out.count(spv::Op::OpCooperativeMatrixStoreKHR), 2u);
}

TEST(NvRoles, LengthsFitTheElementsThatAreAccessed) {
    const std::string text =
        moduleText("%fn_T = OpTypePointer Function %T",
                   "%e = OpCompositeExtract %f16 %x 0\n%xe = OpCompositeInsert %T %e %x 0\n"
                   "%length = OpCooperativeMatrixLengthNV %u32 %T\n"
                   "%r = OpCooperativeMatrixMulAddNV %T %xe %y %z");
    Module module = std::move(*Module::parse(test::assemble(text)));
    TypeTable types(module);
    ASSERT_FALSE(unifyNvMatrices(types));
    for (const auto& block : module.functions()[0]->blocks) {
        for (const InstructionPtr& i : block->body) {
            if (i->opcode != spv::Op::OpCooperativeMatrixLengthKHR) continue;
            EXPECT_EQ(module.constantValue(module.def(i->word(0)).word(4)), 0u) << "not A";
        }
    }
}

// OpCooperativeMatrixTransposeNV may change the component type, too (SPV_NV_cooperative_matrix2).
TEST(Transpositions, ConvertComponents) {
    const std::vector<uint32_t> words = test::assemble(test::edited(
        test::multiplyModule(16, 16, 16),
        {{"OpCapability Float16",
          "OpCapability CooperativeMatrixConversionsNV\nOpCapability ReplicatedCompositesEXT\n"
          "OpCapability Float16"},
         {"OpExtension",
          "OpExtension \"SPV_NV_cooperative_matrix2\"\n"
          "OpExtension \"SPV_EXT_replicated_composites\"\nOpExtension"},
         {"%zero =",
          "%pair = OpTypeVector %u32 2\n%both = OpConstantCompositeReplicateEXT %pair %c2\n%zero "
          "="},
         {"%product =",
          "%sum = OpCooperativeMatrixMulAddKHR %C %a %b %zero\n"
          "%turned = OpCooperativeMatrixTransposeNV %B %sum\n%product ="},
         {"%C %a %b %zero\n%pc", "%C %a %turned %zero\n%pc"}}));
    EXPECT_EQ(validate(words), std::nullopt);
    const Result<Rewritten> core = rewrite({.words = words}, {});
    ASSERT_TRUE(core) << core.error().message;
    EXPECT_EQ(validate(core->words), std::nullopt);
    EXPECT_EQ(disassemble(core->words).find("CooperativeMatrix"), std::string::npos);
    // Where matrices are the driver's, so is the conversion.
    Target target;
    target.emulated = {Extension::kExtShaderReplicatedComposites};
    const Result<Rewritten> kept = rewrite({.words = words}, target);
    ASSERT_TRUE(kept) << kept.error().message;
    const std::string text = disassemble(kept->words);
    EXPECT_EQ(text.find("ReplicateEXT"), std::string::npos);
    EXPECT_NE(text.find("OpCooperativeMatrixTransposeNV"), std::string::npos);
    EXPECT_EQ(text.find("OpFConvert"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::nv_matrix_test
