// SPDX-License-Identifier: Apache-2.0
#include "ir/users.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"
#include "ir/effects.hpp"
#include "ir/types.hpp"
#include "optimise/dead_code.hpp"

namespace coopvk::rewrite::users_test {
namespace {

constexpr std::string_view kModule = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpName %10 "variable"
OpDecorate %21 RelaxedPrecision
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpConstant %4 7
%6 = OpTypePointer Function %4
%7 = OpTypeFunction %4 %4
%1 = OpFunction %2 None %3
%11 = OpLabel
%10 = OpVariable %6 Function %5
%20 = OpLoad %4 %10
OpBranch %12
%12 = OpLabel
%21 = OpIAdd %4 %20 %20
%22 = OpFunctionCall %4 %8 %21
OpStore %10 %22
OpReturn
OpFunctionEnd
%8 = OpFunction %4 None %7
%9 = OpFunctionParameter %4
%13 = OpLabel
%23 = OpIMul %4 %9 %5
%24 = OpIAdd %4 %23 %5
%25 = OpISub %4 %24 %23
OpReturnValue %9
OpFunctionEnd
)";

Module parsed() {
    Result<Module> module = Module::parse(test::assemble(kModule));
    return std::move(*module);
}

// "opcode/operand" of each use.
std::vector<std::pair<spv::Op, size_t>> usesOf(const Users& users, Id id) {
    std::vector<std::pair<spv::Op, size_t>> uses;
    for (const Usage& use : users.of(id)) uses.emplace_back(use.user->opcode, use.operand);
    return uses;
}

TEST(Users, NamesEachOperandInOrder) {
    using enum spv::Op;
    using Uses = std::vector<std::pair<spv::Op, size_t>>;
    const Module module = parsed();
    const Users users(*module.functions().front());
    EXPECT_EQ(usesOf(users, 10), (Uses{{OpLoad, 0}, {OpStore, 0}}));
    EXPECT_EQ(usesOf(users, 20), (Uses{{OpIAdd, 0}, {OpIAdd, 1}}));
    EXPECT_EQ(usesOf(users, 12), (Uses{{OpBranch, 0}}));
    EXPECT_EQ(usesOf(users, 6), (Uses{{OpVariable, Users::kResultType}}));
    EXPECT_EQ(users.of(10)[0].position, (Position{0, 1}));
    EXPECT_EQ(users.of(10)[1].position, (Position{1, 2}));
    EXPECT_EQ(users.of(10)[1].user, module.functions().front()->blocks[1]->body[2].get());
    EXPECT_FALSE(users.isUsed(9)) << "of another function";
    EXPECT_FALSE(users.isUsed(1000000)) << "beyond the bound";
    EXPECT_TRUE(users.all(10, [](const Usage& use) { return use.operand == 0; }));
    EXPECT_FALSE(users.any(10, [](const Usage& use) { return use.operand != 0; }));
}

TEST(Users, OfAModuleHasHeadersAndGlobals) {
    using enum spv::Op;
    using Uses = std::vector<std::pair<spv::Op, size_t>>;
    const Module module = parsed();
    const Users users(module);
    EXPECT_EQ(usesOf(users, 7), (Uses{{OpFunction, 1}}));
    EXPECT_EQ(usesOf(users, 8), (Uses{{OpFunctionCall, 0}}));
    EXPECT_EQ(usesOf(users, 5), (Uses{{OpVariable, 1}, {OpIMul, 1}, {OpIAdd, 1}}));
    EXPECT_EQ(usesOf(users, 9), (Uses{{OpIMul, 0}, {OpReturnValue, 0}}));
    EXPECT_FALSE(users.isUsed(1)) << "an entry point's function";
}

TEST(DeadCode, IsWhatOnlyDeadCodeReads) {
    Module module = parsed();
    Function& function = *module.functions()[1];
    removeDeadCode(module, function,
                   [](const Instruction& i) { return i.opcode != spv::Op::OpIMul; });
    ASSERT_EQ(function.blocks[0]->body.size(), 2u);
    EXPECT_EQ(function.blocks[0]->body[0]->opcode, spv::Op::OpIMul) << "which may not go";
    removeDeadCode(module, function, [](const Instruction&) { return true; });
    ASSERT_EQ(function.blocks[0]->body.size(), 1u);
    EXPECT_EQ(module.def(23).opcode, spv::Op::OpNop) << "forgotten";
    // Both operands of the addition are the load.
    Function& main = *module.functions()[0];
    removeDeadCode(module, main, [](const Instruction& i) {
        return i.opcode != spv::Op::OpVariable && i.opcode != spv::Op::OpFunctionCall;
    });
    EXPECT_EQ(main.blocks[0]->body.size(), 3u);
    EXPECT_FALSE(validate(module.serialise()));
}

// Each instruction uses the one before: linear, also for a chain of 20,000.
TEST(DeadCode, FollowsLongChains) {
    std::string text(kModule.substr(0, kModule.find("OpReturnValue")));
    constexpr Id kFirst = 100, kCount = 20000;
    for (Id id = kFirst; id < kFirst + kCount; ++id) {
        const Id before = id == kFirst ? 9 : id - 1;
        text += "%" + std::to_string(id) + " = OpNot %4 %" + std::to_string(before) + "\n";
    }
    text += kModule.substr(kModule.find("OpReturnValue"));
    Result<Module> module = Module::parse(test::assemble(text));
    ASSERT_TRUE(module);
    removeDeadCode(*module, [](const Instruction&) { return true; });
    EXPECT_EQ(module->functions()[1]->blocks[0]->body.size(), 1u);
}

// Passes turn matrix types into others in place: then the table must not give them for the former.
TEST(TypeTables, FindNoMatrixTypesThatChanged) {
    Module module = parsed();
    TypeTable types(module);
    const auto operandsOf = [&](uint32_t rows) {
        const Id ids[] = {types.floatType(32), types.constantU32(3), types.constantU32(rows),
                          types.constantU32(16), types.constantU32(2)};
        return idOperands(ids);
    };
    const Id first = types.matrixType(operandsOf(16));
    EXPECT_EQ(types.matrixType(operandsOf(16)), first);
    module.edit(first)->operands = operandsOf(32);
    const Id second = types.matrixType(operandsOf(16));
    EXPECT_NE(second, first) << "it has 32 rows now";
    EXPECT_EQ(types.matrixType(operandsOf(16)), second);
    module.edit(second)->opcode = spv::Op::OpTypeStruct;
    EXPECT_NE(types.matrixType(operandsOf(16)), second) << "it is no matrix now";
}

// Others notice the end of an invocation, and of its part in fragments: such instructions must not
// vanish, nor calls of functions with them, nor may these run again.
TEST(Effects, OfWhatEndsInvocations) {
    for (const char* end :
         {"OpKill", "OpTerminateInvocation", "OpIgnoreIntersectionKHR", "OpTerminateRayKHR",
          "OpEmitMeshTasksEXT %5 %5 %5", "OpDemoteToHelperInvocation\nOpReturnValue %9"}) {
        SCOPED_TRACE(end);
        std::string text(kModule);
        const std::string_view last = "OpReturnValue %9";
        text.replace(text.find(last), last.size(), end);
        const Result<Module> module = Module::parse(test::assemble(text));
        ASSERT_TRUE(module) << module.error().message;
        const auto& body = module->functions()[1]->blocks[0]->body;
        const uint32_t own = effectsOf(*module, *body[3]);
        EXPECT_FALSE(mayVanish(own) || mayRepeat(own) || isPure(own) || onlyComputes(own));
        const Effects effects(*module);
        EXPECT_FALSE(mayVanish(effects.ofFunction(8)) || effects.onlyGivesResult(8));
        EXPECT_TRUE(mayVanish(effectsOf(*module, *body[0])));
    }
}

// One instruction of each kind that effects_rows.inc knows, and what it does.
TEST(Effects, OfEachKindOfInstruction) {
    using enum spv::Op;
    const std::pair<spv::Op, uint32_t> kinds[] = {
        {OpIAdd, 0},
        {OpUDiv, kMayTrap},
        {OpUndef, kVaries},
        {OpPhi, kStands},
        {OpKill, kStands | kActs},
        {OpCooperativeMatrixGetCoordinateEXT, kOfLane},
        {OpDPdx, kOfQuad},
        {OpGroupNonUniformBroadcast, kTogether},
        {OpGroupNonUniformElect, kTogether | kOfLane},
        {OpImageFetch, kReads},
        {OpIsHelperInvocationEXT, kReads | kIsVolatile},
        {OpImageSampleImplicitLod, kReads | kOfQuad},
        {OpLoad, kReads | kMayTrap},
        {OpCooperativeMatrixLoadKHR, kReads | kMayTrap | kTogether | kLoadsMatrix},
        {OpImageWrite, kWritesMemory},
        {OpStore, kWritesMemory | kMayTrap},
        {OpCooperativeMatrixStoreKHR, kWritesMemory | kMayTrap | kTogether},
        {OpCopyMemory, kReads | kWritesMemory | kMayTrap},
        {OpAtomicLoad, kReads | kActs | kMayTrap},
        {OpAtomicStore, kWritesMemory | kActs | kMayTrap},
        {OpAtomicIAdd, kReads | kWritesMemory | kActs | kMayTrap},
        {OpRayQueryProceedKHR, kReads | kActs},
        {OpMemoryBarrier, kActs},
        {OpControlBarrier, kActs | kTogether},
        {OpCooperativeMatrixMulAddKHR, kTogether | kMultiplies},
        {OpTraceRayKHR, kAnyEffect}};
    const Result<Module> module = Module::parse(test::assemble(kModule));
    ASSERT_TRUE(module);
    for (const auto& [opcode, effects] : kinds) {
        const InstructionPtr i = makeInstruction(opcode, 0, 0, Operands(6, literal(0)));
        EXPECT_EQ(effectsOf(*module, *i), effects) << static_cast<uint32_t>(opcode);
    }
}

// By the number of operands ahead of the Memory Operands.
TEST(Effects, AreVolatileByMemoryOperands) {
    using enum spv::Op;
    const std::pair<spv::Op, size_t> operands[] = {{OpLoad, 1},
                                                   {OpStore, 2},
                                                   {OpCopyMemory, 2},
                                                   {OpCopyMemorySized, 3},
                                                   {OpCooperativeVectorLoadNV, 2},
                                                   {OpCooperativeVectorStoreNV, 3},
                                                   {OpCooperativeMatrixLoadKHR, 3},
                                                   {OpCooperativeMatrixStoreKHR, 4},
                                                   {OpCooperativeMatrixLoadTensorNV, 3},
                                                   {OpCooperativeMatrixStoreTensorNV, 3}};
    const Result<Module> module = Module::parse(test::assemble(kModule));
    ASSERT_TRUE(module);
    constexpr uint32_t kVolatile = 1;
    for (const auto& [opcode, count] : operands) {
        for (size_t at = 0; at <= count; ++at) {
            Operands words(count + 1, literal(0));
            words[at] = literal(kVolatile);
            const InstructionPtr i = makeInstruction(opcode, 0, 0, words);
            EXPECT_EQ((effectsOf(*module, *i) & kIsVolatile) != 0, at == count)
                << static_cast<uint32_t>(opcode) << ' ' << at;
        }
    }
}

// A variable that the code only stores to, and phis that only read each other.
TEST(DeadCode, IncludesStoresAndPhis) {
    Result<Module> module = Module::parse(test::assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeInt 32 0
%5 = OpTypePointer Function %4
%6 = OpConstant %4 1
%7 = OpTypeBool
%8 = OpConstantTrue %7
%1 = OpFunction %2 None %3
%10 = OpLabel
%11 = OpVariable %5 Function
%12 = OpVariable %5 Function
%13 = OpVariable %5 Function
%14 = OpIAdd %4 %6 %6
OpStore %11 %14
OpStore %12 %6 Volatile
OpStore %13 %6
%15 = OpLoad %4 %13
OpBranch %20
%20 = OpLabel
%21 = OpPhi %4 %6 %10 %22 %23
OpLoopMerge %24 %23 None
OpBranch %23
%23 = OpLabel
%22 = OpIAdd %4 %21 %6
OpBranchConditional %8 %20 %24
%24 = OpLabel
OpReturn
OpFunctionEnd
)"));
    ASSERT_TRUE(module) << module.error().message;
    removeDeadCode(*module, [&](const Instruction& i) { return mayVanish(effectsOf(*module, i)); });
    const auto& blocks = module->functions()[0]->blocks;
    ASSERT_EQ(blocks[0]->body.size(), 3u);
    EXPECT_EQ(blocks[0]->body[0]->result, 12u) << "a volatile store stays, and its variable";
    EXPECT_EQ(blocks[1]->body.size(), 2u);
    EXPECT_EQ(blocks[2]->body.size(), 1u);
    EXPECT_FALSE(validate(module->serialise()));
}

}  // namespace
}  // namespace coopvk::rewrite::users_test
