// SPDX-License-Identifier: Apache-2.0
//
// Instructions on matrices and vectors whose operands are of another kind than they take: each is
// refused, or becomes the one instruction that it can mean. No output is invalid.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::component_kinds_test {
namespace {

struct Family {
    std::string_view name, declarations;
    std::string_view type;  // of a component {}
    bool hasBooleans = false;
    bool isMatrix = false;
};

constexpr std::string_view kMatrices = R"(OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
)";
constexpr std::string_view kVectors = R"(OpCapability CooperativeVectorNV
OpExtension "SPV_NV_cooperative_vector"
)";
constexpr std::string_view kLongVectors = R"(OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
)";

constexpr Family kFamilies[] = {
    {"matrices", kMatrices, "OpTypeCooperativeMatrixKHR {} %c3 %c16 %c16 %c2", false, true},
    {"cooperative vectors", kVectors, "OpTypeCooperativeVectorNV {} %c16"},
    {"long vectors", kLongVectors, "OpTypeVectorIdEXT {} %c16", true},
};

// Types and values: %F %f of f32, %H %h of f16, %D %d of f64, %I %i of s32, %S %s of u16, %U %u of
// u32, %B %b of booleans. Unlike null constants, values that are loaded are not folded.
std::string moduleWith(const Family& family, std::string_view instruction) {
    std::string types, values;
    const auto add = [&](std::string_view component, char big, char small) {
        types += std::format("%{} = {}\n", big,
                             std::vformat(family.type, std::make_format_args(component)));
        types += std::format("%p{} = OpTypePointer Function %{}\n", big, big);
        values += std::format("%v{} = OpVariable %p{} Function\n", small, big);
    };
    std::string loads;
    const auto declare = [&](std::string_view component, char big, char small) {
        add(component, big, small);
        loads += std::format("%{} = OpLoad %{} %v{}\n", small, big, small);
    };
    declare("%f32", 'F', 'f');
    declare("%f16", 'H', 'h');
    declare("%s32", 'I', 'i');
    declare("%u16", 'S', 's');
    declare("%u32", 'U', 'u');
    if (family.hasBooleans) declare("%bool", 'B', 'b');
    if (family.hasBooleans) declare("%f64", 'D', 'd');
    return std::format(R"(OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int16
OpCapability VulkanMemoryModel
{}%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 32 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%u16 = OpTypeInt 16 0
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%one = OpConstant %f32 1
{}%main = OpFunction %void None %fn
%entry = OpLabel
{}{}%r = {}
OpReturn
OpFunctionEnd
)",
                       family.declarations, types, values, loads, instruction);
}

Result<Rewritten> run(const Family& family, std::string_view instruction, BackEnd backEnd) {
    const std::vector<uint32_t> words = test::assemble(moduleWith(family, instruction));
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = 32;
    target.backEnd = backEnd;
    using enum ComponentType;
    if (backEnd != BackEnd::kCore) {
        target.device.nativeShapes = {{16, 16, 16, kFloat16, kFloat16, kFloat32, kFloat32, false},
                                      {16, 16, 16, kFloat16, kFloat16, kFloat16, kFloat16, false},
                                      {16, 16, 16, kSint8, kSint8, kSint32, kSint32, false},
                                      {16, 16, 16, kUint16, kUint16, kUint16, kUint16, false}};
    }
    return rewrite(request, target);
}

struct Case {
    std::string_view instruction;
    enum Where { kAnywhere, kVectors, kLongVectors } where = kAnywhere;
};

bool isFor(const Case& one, const Family& family) {
    if (one.where == Case::kAnywhere) return true;
    return one.where == Case::kVectors ? !family.isMatrix : family.hasBooleans;
}

constexpr Case kWrong[] = {
    {"OpFAdd %I %i %i"},
    {"OpFNegate %I %i"},
    {"OpFMul %I %i %i"},
    {"OpFDiv %I %i %i"},
    {"OpFRem %I %i %i"},
    {"OpUMod %F %f %f"},
    {"OpIAdd %F %f %i"},
    {"OpISub %I %f %f"},
    {"OpFAdd %F %f %i"},
    {"OpFAdd %F %f %h"},
    {"OpIAdd %I %i %s"},
    {"OpFAdd %F %f %one"},
    {"OpConvertFToS %I %i"},
    {"OpConvertFToU %F %f"},
    {"OpConvertSToF %F %f"},
    {"OpConvertUToF %I %i"},
    {"OpSConvert %I %f"},
    {"OpUConvert %F %i"},
    {"OpUConvert %I %s"},
    {"OpConvertFToU %I %f"},
    {"OpUDiv %I %i %i"},
    {"OpUMod %I %i %i"},
    {"OpFConvert %I %f"},
    {"OpFConvert %F %i"},
    {"OpBitcast %H %f"},
    {"OpBitcast %S %f"},
    {"OpSelect %F %true %f %i"},
    {"OpSelect %F %one %f %f"},
    {"OpVectorTimesScalar %F %f %c2", Case::kVectors},
    {"OpVectorTimesScalar %F %i %one", Case::kVectors},
    {"OpBitwiseAnd %F %f %f", Case::kVectors},
    {"OpNot %F %f", Case::kVectors},
    {"OpShiftLeftLogical %F %f %i", Case::kVectors},
    {"OpShiftLeftLogical %I %i %f", Case::kVectors},
    {"OpExtInst %I %glsl Sin %i", Case::kVectors},
    {"OpExtInst %F %glsl Sin %h", Case::kVectors},
    {"OpExtInst %F %glsl UMin %f %f", Case::kVectors},
    {"OpExtInst %F %glsl FMin %f %i", Case::kVectors},
    {"OpExtInst %F %glsl SAbs %f", Case::kVectors},
    {"OpExtInst %F %glsl Ldexp %f %f", Case::kVectors},
    {"OpExtInst %S %glsl FindUMsb %s", Case::kVectors},
    {"OpIAdd %B %b %b", Case::kLongVectors},
    {"OpBitwiseAnd %B %b %b", Case::kLongVectors},
    {"OpFNegate %B %b", Case::kLongVectors},
    {"OpLogicalAnd %I %i %i", Case::kLongVectors},
    {"OpLogicalNot %B %i", Case::kLongVectors},
    {"OpFOrdEqual %B %i %i", Case::kLongVectors},
    {"OpIEqual %B %f %f", Case::kLongVectors},
    {"OpIEqual %I %i %i", Case::kLongVectors},
    {"OpDot %f32 %i %i", Case::kLongVectors},
    {"OpAny %bool %i", Case::kLongVectors},
    {"OpSelect %F %i %f %f", Case::kLongVectors},
    {"OpExtInst %D %glsl Sin %d", Case::kLongVectors},
    {"OpExtInst %f32 %glsl Length %i", Case::kLongVectors},
};

TEST(ComponentKinds, OthersAreRefused) {
    for (const Family& family : kFamilies) {
        for (const Case& one : kWrong) {
            if (!isFor(one, family)) continue;
            for (const BackEnd backEnd : {BackEnd::kCore, BackEnd::kNative, BackEnd::kAuto}) {
                const auto out = run(family, one.instruction, backEnd);
                EXPECT_FALSE(out) << one.instruction << " on " << family.name;
                if (out) continue;
                EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule)
                    << one.instruction << " on " << family.name << ": " << out.error().message;
            }
        }
    }
}

// The text says what the instruction is for.
TEST(ComponentKinds, TextsNameTheKind) {
    struct {
        std::string_view instruction, text;
    } const rows[] = {
        {"OpConvertFToS %I %i", "converts floating-point numbers to integers"},
        {"OpConvertFToU %F %f", "converts floating-point numbers to unsigned integers"},
        {"OpConvertSToF %F %f", "converts integers to floating-point numbers"},
        {"OpUMod %F %f %f", "is for integers, and gives unsigned ones"},
        {"OpSRem %F %f %f", "is for integers"},
        {"OpFRem %I %i %i", "is for floating-point numbers"},
        {"OpLogicalAnd %I %i %i", "is for booleans"},
    };
    const Family& longVectors = kFamilies[2];
    for (const auto& row : rows) {
        const auto out = run(longVectors, row.instruction, BackEnd::kCore);
        ASSERT_FALSE(out) << row.instruction;
        EXPECT_TRUE(out.error().message.ends_with(row.text))
            << row.instruction << ": " << out.error().message;
    }
}

// What each can only mean, and how the notes say so.
struct Meant {
    std::string_view instruction, note;
    Case::Where where = Case::kAnywhere;
};

constexpr Meant kMeant[] = {
    {"OpISub %F %f %f", "OpISub of floating-point numbers is taken as OpFSub"},
    {"OpIAdd %H %h %h", "OpIAdd of floating-point numbers is taken as OpFAdd"},
    {"OpIMul %F %f %f", "OpIMul of floating-point numbers is taken as OpFMul"},
    {"OpSNegate %F %f", "OpSNegate of floating-point numbers is taken as OpFNegate"},
    {"OpSDiv %F %f %f", "OpSDiv of floating-point numbers is taken as OpFDiv"},
    {"OpUDiv %F %f %f", "OpUDiv of floating-point numbers is taken as OpFDiv"},
    {"OpUConvert %I %i", "a conversion between numbers of the same width is taken as a copy"},
    {"OpUConvert %U %i", "a conversion between numbers of the same width is taken as a copy"},
    {"OpSConvert %I %u", "a conversion between numbers of the same width is taken as a copy"},
    {"OpFConvert %F %f", "a conversion between numbers of the same width is taken as a copy"},
};

TEST(ComponentKinds, OneMeaningIsTaken) {
    for (const Family& family : kFamilies) {
        for (const auto& [instruction, note, where] : kMeant) {
            for (const BackEnd backEnd : {BackEnd::kCore, BackEnd::kNative}) {
                const auto out = run(family, instruction, backEnd);
                ASSERT_TRUE(out) << instruction << ": " << out.error().message;
                EXPECT_EQ(validate(out->words).value_or(""), "") << instruction;
                EXPECT_NE(std::ranges::find(out->notes, note), out->notes.end()) << instruction;
            }
        }
    }
}

// Right ones, of which the extensions do not list all.
constexpr Case kRight[] = {
    {"OpFAdd %F %f %f"},
    {"OpIAdd %I %i %i"},
    {"OpUMod %S %s %s"},
    {"OpSRem %I %i %i"},
    {"OpSMod %S %s %s"},
    {"OpFRem %F %f %f"},
    {"OpFMod %H %h %h"},
    {"OpConvertFToS %I %f"},
    {"OpConvertSToF %H %i"},
    {"OpFConvert %H %f"},
    {"OpUConvert %S %i"},
    {"OpBitcast %F %i"},
    {"OpSelect %F %true %f %f"},
    {"OpVectorTimesScalar %F %f %one", Case::kVectors},
    {"OpShiftLeftLogical %I %i %i", Case::kVectors},
    {"OpBitCount %I %i", Case::kVectors},
    {"OpExtInst %F %glsl Ldexp %f %i", Case::kVectors},
    {"OpExtInst %H %glsl Pow %h %h", Case::kVectors},
    {"OpShiftLeftLogical %S %s %i", Case::kLongVectors},
    {"OpSelect %F %b %f %f", Case::kLongVectors},
};

TEST(ComponentKinds, RightOnesStay) {
    for (const Family& family : kFamilies) {
        for (const Case& one : kRight) {
            if (!isFor(one, family)) continue;
            const auto out = run(family, one.instruction, BackEnd::kAuto);
            ASSERT_TRUE(out) << one.instruction << " on " << family.name << ": "
                             << out.error().message;
            EXPECT_EQ(validate(out->words).value_or(""), "")
                << one.instruction << " on " << family.name;
        }
    }
}

// The driver's own matrices have fewer instructions.
TEST(ComponentKinds, NativeMatricesHaveNoRemainders) {
    const auto native = run(kFamilies[0], "OpFRem %F %f %f", BackEnd::kNative);
    EXPECT_FALSE(native);
    const auto bits = run(kFamilies[0], "OpBitwiseAnd %I %i %i", BackEnd::kNative);
    EXPECT_FALSE(bits);
}

}  // namespace
}  // namespace coopvk::rewrite::component_kinds_test
