// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/composites.hpp"

namespace coopvk::rewrite::index_parts_test {
namespace {

constexpr std::string_view kModule = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%main_type = OpTypeFunction %void
%type = OpTypeFunction %u32 %u32 %u32
%c0 = OpConstant %u32 0
%main = OpFunction %void None %main_type
%main_label = OpLabel
OpReturn
OpFunctionEnd
%function = OpFunction %u32 None %type
%x = OpFunctionParameter %u32
%y = OpFunctionParameter %u32
%label = OpLabel
OpReturnValue %x
OpFunctionEnd
)";

// Sums and products of two parameters and constants.
class IndexParts : public testing::Test {
 protected:
    IndexParts()
        : parsed_(Module::parse(test::assemble(kModule))),
          module_(*parsed_),
          types_(module_),
          emit_(types_, out_) {
        const Function& function = *module_.functions()[1];
        for (const InstructionPtr& i : function.parameters) parameters_.push_back(i->result);
    }

    uint32_t valueOf(Id id) const {
        if (const auto constant = module_.constantValue(id)) {
            return static_cast<uint32_t>(*constant);
        }
        if (const auto found = values_.find(id); found != values_.end()) return found->second;
        const Instruction& i = module_.def(id);
        const uint32_t a = valueOf(i.word(0)), b = valueOf(i.word(1));
        return i.opcode == spv::Op::OpIAdd ? a + b : a * b;
    }

    uint32_t number() { return static_cast<uint32_t>(engine_()); }

    Id random(uint32_t depth) {
        switch (number() % (depth == 0 ? 2 : 5)) {
            case 0:
                return parameters_[number() % 2];
            case 1:
                return emit_.constant(number());
            case 2:
                return raw(spv::Op::OpIMul, random(depth - 1), emit_.constant(number() % 100));
            case 3:
                return raw(spv::Op::OpIMul, random(depth - 1), random(depth - 1));
            default:
                return raw(spv::Op::OpIAdd, random(depth - 1), random(depth - 1));
        }
    }
    // As a shader may have it: not simplified.
    Id raw(spv::Op opcode, Id a, Id b) { return emit_.op(opcode, types_.uint32(), {a, b}); }

    Result<Module> parsed_;
    Module& module_;
    TypeTable types_;
    InstructionList out_;
    Emitter emit_;
    std::vector<Id> parameters_;
    std::map<Id, uint32_t> values_;
    std::mt19937 engine_{20261123};
};

TEST_F(IndexParts, SumIsTheValue) {
    for (int round = 0; round < 1000; ++round) {
        const Id value = random(6);
        const rewrite::IndexParts parts = separateConstant(emit_, value);
        for (int sample = 0; sample < 4; ++sample) {
            for (const Id parameter : parameters_) values_[parameter] = number();
            ASSERT_EQ(valueOf(parts.variable) + parts.constant, valueOf(value)) << round;
        }
    }
}

TEST_F(IndexParts, IndicesAtConstantDistancesHaveOneVariable) {
    // (x + 3) * 36 + (y * 2 + c)
    const auto index = [&](uint32_t c) {
        const Id row = emit_.times(emit_.plus(parameters_[0], 3), 36);
        return emit_.addU32(row, emit_.plus(emit_.times(parameters_[1], 2), c));
    };
    values_ = {{parameters_[0], 5}, {parameters_[1], 7}};
    const rewrite::IndexParts a = separateConstant(emit_, index(1));
    const rewrite::IndexParts b = separateConstant(emit_, index(73));
    EXPECT_EQ(a.constant, 3u * 36 + 1);
    EXPECT_EQ(b.constant, 3u * 36 + 73);
    EXPECT_EQ(valueOf(a.variable), 5u * 36 + 7 * 2);
    EXPECT_EQ(valueOf(b.variable), valueOf(a.variable));
}

TEST_F(IndexParts, OtherValuesStay) {
    const Id product = raw(spv::Op::OpIMul, parameters_[0], parameters_[1]);
    const rewrite::IndexParts parts = separateConstant(emit_, product);
    EXPECT_EQ(parts.variable, product);
    EXPECT_EQ(parts.constant, 0u);
}

// On either side of four sums or products.
TEST_F(IndexParts, AreFoundFourLevelsDeep) {
    for (const bool isLeft : {true, false}) {
        const auto sum = [&](Id a, uint32_t c) {
            const Id constant = emit_.constant(c);
            return raw(spv::Op::OpIAdd, isLeft ? a : constant, isLeft ? constant : a);
        };
        Id value = parameters_[0];
        for (const uint32_t c : {1000u, 200u, 30u, 4u}) value = sum(value, c);
        const rewrite::IndexParts parts = separateConstant(emit_, value);
        EXPECT_EQ(parts.variable, parameters_[0]);
        EXPECT_EQ(parts.constant, 1234u);
    }
    Id value = raw(spv::Op::OpIAdd, parameters_[0], emit_.constant(7));
    for (int level = 0; level < 3; ++level) value = raw(spv::Op::OpIMul, value, emit_.constant(10));
    EXPECT_EQ(separateConstant(emit_, value).constant, 7000u);
}

TEST_F(IndexParts, QuotientsAreExact) {
    uint32_t found = 0;
    for (int round = 0; round < 1000; ++round) {
        const Id value = random(4);
        const std::optional<Id> quotient = exactQuotient(emit_, value, 4);
        for (const Id parameter : parameters_) values_[parameter] = number() % 100;
        if (!quotient) continue;
        ++found;
        ASSERT_EQ(valueOf(*quotient) * 4, valueOf(value)) << round;
    }
    EXPECT_GT(found, 100u);
    // (x + 3) * 36 + y * 8, and the same plus 2
    const Id row = emit_.times(emit_.plus(parameters_[0], 3), 36);
    const Id sum = emit_.addU32(row, emit_.times(parameters_[1], 8));
    EXPECT_TRUE(exactQuotient(emit_, sum, 4));
    EXPECT_FALSE(exactQuotient(emit_, emit_.plus(sum, 2), 4));
}

TEST_F(IndexParts, KnownConditionsNeedNoCode) {
    const Id some = emit_.compare(spv::Op::OpULessThan, parameters_[0], parameters_[1]);
    const size_t before = out_.size();
    const Condition always = Condition::always(), never = Condition::never();
    EXPECT_EQ(emit_.both(always, some).id(), some);
    EXPECT_EQ(emit_.both(some, always).id(), some);
    EXPECT_TRUE(emit_.both(always, always).isAlways());
    EXPECT_TRUE(emit_.both(some, never).isNever());
    EXPECT_TRUE(emit_.both(never, some).isNever());
    EXPECT_EQ(module_.def(emit_.boolean(always)).opcode, spv::Op::OpConstantTrue);
    EXPECT_EQ(module_.def(emit_.boolean(never)).opcode, spv::Op::OpConstantFalse);
    EXPECT_TRUE(emit_.known(types_.constantBool(true)).isAlways());
    EXPECT_TRUE(emit_.known(types_.constantBool(false)).isNever());
    EXPECT_EQ(emit_.known(some).id(), some);
    // An id that is none is not mistaken for what is known.
    EXPECT_FALSE(Condition(Id{0}).isAlways() || Condition(Id{0}).isNever());
    EXPECT_EQ(out_.size(), before);
}

}  // namespace
}  // namespace coopvk::rewrite::index_parts_test
