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

// A component: the letters of its types and values, how a float of memory becomes one, and one
// becomes a float.
struct Component {
    char big, small;
    std::string_view type, from, to;
};
constexpr Component kComponents[] = {
    {'F', 'f', "%f32", "OpCopyObject %f32 {}", "OpCopyObject %f32 {}"},
    {'H', 'h', "%f16", "OpFConvert %f16 {}", "OpFConvert %f32 {}"},
    {'I', 'i', "%s32", "OpConvertFToS %s32 {}", "OpConvertSToF %f32 {}"},
    {'S', 's', "%u16", "OpConvertFToU %u16 {}", "OpConvertUToF %f32 {}"},
    {'U', 'u', "%u32", "OpConvertFToU %u32 {}", "OpConvertUToF %f32 {}"},
    {'D', 'd', "%f64", "OpFConvert %f64 {}", "OpFConvert %f32 {}"},
    {'B', 'b', "%bool", "OpFOrdNotEqual %bool {} %f0", "OpSelect %f32 {} %f1 %f0"},
};

// Stores what %r has, or its first component.
std::string storeOf(std::string_view instruction) {
    const std::string_view type = instruction.substr(instruction.find('%')).substr(0, 7);
    for (const Component& one : kComponents) {
        const bool isScalar = type.starts_with(std::format("{} ", one.type));
        if (!isScalar && !type.starts_with(std::format("%{} ", one.big))) continue;
        const std::string_view value = isScalar ? "%r" : "%element";
        return (isScalar ? "" : std::format("%element = OpCompositeExtract {} %r 0\n", one.type)) +
               std::format("%stored = {}\nOpStore %to %stored\n",
                           std::vformat(one.to, std::make_format_args(value)));
    }
    ADD_FAILURE() << instruction;
    return {};
}

// Values of a float of memory: %f, %h and so on, of the types %F, %H ...
std::string moduleWith(const Family& family, std::string_view instruction) {
    std::string types, values;
    for (const auto& [big, small, component, from, to] : kComponents) {
        if (!family.hasBooleans && (big == 'B' || big == 'D')) continue;
        const std::string_view loaded = "%loaded";
        types += std::format("%{} = {}\n", big,
                             std::vformat(family.type, std::make_format_args(component)));
        values += std::format("%{}_1 = {}\n%{} = OpCompositeConstruct %{}", small,
                              std::vformat(from, std::make_format_args(loaded)), small, big);
        for (int i = 0; i < (family.isMatrix ? 1 : 16); ++i) values += std::format(" %{}_1", small);
        values += '\n';
    }
    const std::string head = std::format(R"(OpCapability Shader
OpCapability Float16
OpCapability Float64
OpCapability Int16
OpCapability VulkanMemoryModel
{}%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical Vulkan)",
                                         family.declarations);
    return test::bufferPreamble(head) + std::format(R"(%s32 = OpTypeInt 32 1
%u16 = OpTypeInt 16 0
%f16 = OpTypeFloat 16
%f64 = OpTypeFloat 64
{}%main = OpFunction %void None %void_fn
%entry = OpLabel
%at = OpAccessChain %pointer %buffer %c0 %c0
%to = OpAccessChain %pointer %buffer %c0 %c5
%loaded = OpLoad %f32 %at
{}%r = {}
{}OpReturn
OpFunctionEnd
)",
                                                    types, values, instruction,
                                                    storeOf(instruction));
}

// Whether the module stores to the buffer.
bool storesToMemory(std::span<const uint32_t> words) {
    const std::string text = disassemble(words);
    for (size_t at = text.find("OpStore %"); at != text.npos; at = text.find("OpStore %", at + 1)) {
        const size_t name = at + 8, end = text.find_first_of(" \n", name);
        const std::string chain = text.substr(name, end - name) + " = OpAccessChain %_ptr_Storage";
        if (text.find(chain) != text.npos) return true;
    }
    return false;
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
    {"OpFAdd %F %f %f1"},
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
    {"OpSelect %F %f1 %f %f"},
    {"OpVectorTimesScalar %F %f %c2", Case::kVectors},
    {"OpVectorTimesScalar %F %i %f1", Case::kVectors},
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
                EXPECT_TRUE(storesToMemory(out->words)) << instruction;
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
    {"OpVectorTimesScalar %F %f %f1", Case::kVectors},
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
            EXPECT_TRUE(storesToMemory(out->words)) << one.instruction << " on " << family.name;
        }
    }
}

// The driver's own matrices have fewer instructions.
TEST(ComponentKinds, NativeMatricesHaveNoRemainders) {
    for (const auto& [instruction, opcode] :
         {std::pair{"OpFRem %F %f %f", "FRem"}, {"OpBitwiseAnd %I %i %i", "BitwiseAnd"}}) {
        const auto out = run(kFamilies[0], instruction, BackEnd::kNative);
        ASSERT_FALSE(out) << instruction;
        EXPECT_EQ(out.error().code, ErrorCode::kUnsupported) << out.error().message;
        EXPECT_NE(out.error().message.find(opcode), std::string::npos) << out.error().message;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::component_kinds_test
