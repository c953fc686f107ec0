// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views as values, and loads and stores with them that are refused.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "tensor_module.hpp"

namespace coopvk::rewrite::tensor_test {
namespace {

using tensor_module::moduleText;
using tensor_module::Parts;
using tensor_module::rewritten;

// Types that are kept, in this order of the table: how each makes %t2 of %t.
class TensorValue : public testing::TestWithParam<Parts> {};

TEST_P(TensorValue, MovesLikeAnyOther) {
    const Result<Rewritten> out = rewritten(GetParam());
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    EXPECT_EQ(disassemble(out->words).find("Tensor"), std::string::npos);
}

const Parts kMoves[] = {
    {},
    {.addressing = "TensorView %v", .store = "TensorView %v"},
    {.types = "%var = OpTypePointer Function %T",
     .variables = "%x = OpVariable %var Function",
     .make = "OpStore %x %t\n%t2 = OpLoad %T %x\n",
     .from = "%t2"},
    {.types = "%S = OpTypeStruct %u32 %T\n%A = OpTypeArray %S %c2",
     .make = "%s = OpCompositeConstruct %S %c1 %t\n%a = OpCompositeConstruct %A %s %s\n"
             "%t2 = OpCompositeExtract %T %a 1 1\n",
     .from = "%t2"},
    {.make = "%t2 = OpSelect %T %true %t %t1\n", .from = "%t2"},
    {.make = "OpSelectionMerge %end None\nOpBranchConditional %true %yes %end\n%yes = OpLabel\n"
             "OpBranch %end\n%end = OpLabel\n%t2 = OpPhi %T %t %label %t1 %yes\n",
     .from = "%t2"},
    {.types = "%tt = OpTypeFunction %T %T",
     .make = "%t2 = OpFunctionCall %T %f %t\n",
     .from = "%t2",
     .functions = "%f = OpFunction %T None %tt\n%fp = OpFunctionParameter %T\n%fl = OpLabel\n"
                  "%fr = OpTensorLayoutSetClampValueNV %T %fp %c1\nOpReturnValue %fr\n"
                  "OpFunctionEnd\n"},
    {.types = "%nothing = OpUndef %T", .make = "%t2 = OpCopyObject %T %nothing\n", .from = "%t2"},
    // A decode function may compute with matrices that it makes.
    {.addressing = "DecodeFunc %f",
     .functions = "%f = OpFunction %f32 None %decode_fn\n%fp = OpFunctionParameter %quant_pointer\n"
                  "%fa = OpFunctionParameter %pair\n%fb = OpFunctionParameter %pair\n"
                  "%fl = OpLabel\n%fm = OpFAdd %M %one %one\n"
                  "%fr = OpCompositeExtract %f32 %fm 0\nOpReturnValue %fr\nOpFunctionEnd\n"},
    {.addressing = "DecodeFunc %f",
     .functions = "%f = OpFunction %f32 None %decode_fn\n%fp = OpFunctionParameter %quant_pointer\n"
                  "%fa = OpFunctionParameter %pair\n%fb = OpFunctionParameter %pair\n"
                  "%fl = OpLabel\n%fc = OpAccessChain %quant_f32 %fp %c0\n"
                  "%fr = OpLoad %f32 %fc Aligned 4\nOpReturnValue %fr\nOpFunctionEnd\n"},
};
INSTANTIATE_TEST_SUITE_P(Tensor, TensorValue, testing::ValuesIn(kMoves));

// In a module without a valid order, what each of two variables has is loaded from the other one:
// rewriting it ends.
TEST(TensorVariables, MayDependOnEachOther) {
    EXPECT_TRUE(rewritten(
        {.types = "%var = OpTypePointer Function %T",
         .variables = "%x = OpVariable %var Function\n%y = OpVariable %var Function",
         .make = "OpStore %x %u2\n%u1 = OpLoad %T %x\nOpStore %y %u1\n%u2 = OpLoad %T %y\n"
                 "%t2 = OpCopyObject %T %u2\n",
         .from = "%t2"}));
}

// Adjacent elements are decoded, loaded and stored at once if the layout allows it.
TEST(TensorRuns, AreAccessedAtOnce) {
    const auto count = [](const Parts& parts, std::string_view what) {
        const Result<Rewritten> out = rewritten(parts);
        EXPECT_TRUE(out) << out.error().message;
        const std::string text = out ? disassemble(out->words) : "";
        size_t found = 0;
        for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
        return found;
    };
    Parts decoded = {
        .types =
            "%f32x4 = OpTypeVector %f32 4\n%f4 = OpConstantComposite %f32x4 %f1 %f1 %f1 %f1\n"
            "%decode4_fn = OpTypeFunction %f32x4 %quant_pointer %pair %pair",
        .addressing = "DecodeFunc|DecodeVectorFunc %f %g",
        .functions =
            "%f = OpFunction %f32 None %decode_fn\n%fp = OpFunctionParameter "
            "%quant_pointer\n%fa = OpFunctionParameter %pair\n%fb = OpFunctionParameter "
            "%pair\n%fl = OpLabel\nOpReturnValue %f1\nOpFunctionEnd\n"
            "%g = OpFunction %f32x4 None %decode4_fn\n%gp = OpFunctionParameter "
            "%quant_pointer\n%ga = OpFunctionParameter %pair\n%gb = OpFunctionParameter "
            "%pair\n%gl = OpLabel\nOpReturnValue %f4\nOpFunctionEnd\n"};
    // 16 elements in each lane.
    EXPECT_EQ(count(decoded, "OpFunctionCall %v4float"), 4u);
    EXPECT_EQ(count({}, "OpLoad %v4float"), 4u);
    decoded.layout = "%c2 %c3";  // Repeat: adjacent elements need not stay adjacent
    EXPECT_EQ(count(decoded, "OpFunctionCall %v4float"), 0u);
    EXPECT_EQ(count({.layout = "%c2 %c3"}, "OpLoad %v4float"), 0u);
}

struct Refusal {
    Parts parts;
    std::string_view reason;
};

class TensorRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(TensorRefusal, NamesTheRule) {
    const Result<Rewritten> out = rewritten(GetParam().parts);
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find(GetParam().reason), std::string::npos)
        << out.error().message;
}

std::string decode(std::string_view body, std::string_view type = "%decode_fn",
                   std::string_view second = "%pair", std::string_view first = "%pair") {
    return std::format(
        "%f = OpFunction %f32 None {}\n%fp = OpFunctionParameter %quant_pointer\n"
        "%fa = OpFunctionParameter {}\n%fb = OpFunctionParameter {}\n%fl = OpLabel\n{}\n"
        "OpReturnValue %f1\nOpFunctionEnd\n",
        type, first, second, body);
}

// A decode function with its address %fu, another one, and pointers to what it may not access.
Parts addressed(std::string_view body) {
    return {.types = R"(
%u64 = OpTypeInt 64 0
%far = OpConstant %u64 4096
%bare = OpTypeStruct %f32
%to_bare = OpTypePointer PhysicalStorageBuffer %bare
%c1025 = OpConstant %u32 1025
%long = OpTypeArray %f32 %c1025
%to_long = OpTypePointer PhysicalStorageBuffer %long
%open = OpTypeArray %f32 %c3
%to_open = OpTypePointer PhysicalStorageBuffer %open
%f32x2 = OpTypeVector %f32 2
%matrix = OpTypeMatrix %f32x2 2
%to_matrix = OpTypePointer PhysicalStorageBuffer %matrix
%quants = OpTypeArray %quant_pointer %c2
%to_quants = OpTypePointer Function %quants
%to_quant = OpTypePointer Function %quant_pointer)",
            .addressing = "DecodeFunc %f",
            .functions = decode("%fvariable = OpVariable %to_quants Function\n"
                                "%fplace = OpAccessChain %to_quant %fvariable %c0\n"
                                "%fu = OpConvertPtrToU %u64 %fp\n" +
                                std::string(body))};
}

const Refusal kRefusals[] = {
    {{.layout = "%c6 %c1"}, "Dim of a tensor layout must be a constant from 1 to 5"},
    {{.layout = "%c0 %c1"}, "Dim of a tensor layout must be a constant from 1 to 5"},
    {{.layout = "%c2 %c5"}, "ClampMode of a tensor layout must be a constant from 0 to 4"},
    {{.view = "%c6 %false"}, "Dim of a tensor view must be a constant from 1 to 5"},
    {{.view = "%c2 %false %c1 %c1"}, "must be a permutation of 0 to Dim-1"},
    {{.view = "%c2 %false %c1 %c2"}, "must be a permutation of 0 to Dim-1"},
    {{.view = "%c2 %false %c0"}, "must be a permutation of 0 to Dim-1"},
    {{.from = "%v"}, "TensorLayout is not a tensor layout"},
    {{.addressing = "TensorView %t"}, "TensorView is not a tensor view"},
    {{.make = "%t2 = OpTensorLayoutSetStrideNV %T %t %c1\n", .from = "%t2"},
     "as many as the type has dimensions"},
    {{.make = "%t2 = OpTensorLayoutSetStrideNV %T %t %f1 %f1\n", .from = "%t2"},
     "must be 32-bit integers"},
    {{.make = "%t2 = OpTensorLayoutSetStrideNV %T %v %c1 %c1\n", .from = "%t2"},
     "the type of the operand must be Result Type"},
    {{.store = "DecodeFunc %f", .functions = decode("")}, "a store takes no DecodeFunc"},
    {{.addressing = "DecodeFunc %main"}, "must not lead to an instruction that loads"},
    {{.addressing = "DecodeFunc %f",
      .functions = decode("%fq = OpAccessChain %pointer %buffer %c0 %c0\n"
                          "%fm = OpCooperativeMatrixLoadKHR %M %fq %c0 %c16")},
     "must not lead to an instruction that loads"},
    {{.types = "%other = OpTypeFunction %u32 %quant_pointer %pair %pair",
      .addressing = "DecodeFunc %f",
      .functions = "%f = OpFunction %u32 None %other\n%fp = OpFunctionParameter "
                   "%quant_pointer\n%fa = OpFunctionParameter %pair\n%fb = OpFunctionParameter "
                   "%pair\n%fl = OpLabel\nOpReturnValue %c0\nOpFunctionEnd\n"},
     "DecodeFunc must return a component"},
    {{.types = "%other = OpTypeFunction %f32 %quant_pointer %pair %triple",
      .addressing = "DecodeFunc %f",
      .functions = decode("", "%other", "%triple")},
     "DecodeFunc must return a component"},
    {{.types = "%other = OpTypeFunction %f32 %quant_pointer %triple %pair",
      .addressing = "DecodeFunc %f",
      .functions = decode("", "%other", "%pair", "%triple")},
     "DecodeFunc must return a component"},
    {{.types = "%u32x2 = OpTypeVector %u32 2",
      .addressing = "DecodeFunc %f",
      .functions = decode("%fu = OpBitcast %u32x2 %fp")},
     "DecodeFunc computes with the bits of its pointer"},
    {addressed("%fs = OpIAdd %u64 %fu %fu"), "DecodeFunc computes with the bits of its pointer"},
    {addressed("%fs = OpISub %u64 %far %fu"), "DecodeFunc computes with the bits of its pointer"},
    {addressed("%fs = OpSelect %u64 %true %fu %far"), "DecodeFunc computes with the bits of its"},
    {addressed("%fs = OpSelect %u64 %true %far %fu"), "DecodeFunc computes with the bits of its"},
    {addressed("%fs = OpBitwiseAnd %u64 %fu %far"), "DecodeFunc computes with the bits of its"},
    {addressed("%fe = OpCompositeExtract %u32 %fa 0\n%fc = OpIEqual %bool %fe %c0\n"
               "OpSelectionMerge %fend None\nOpBranchConditional %fc %fthen %fend\n"
               "%fthen = OpLabel\nOpBranch %fend\n%fend = OpLabel\n"
               "%fs = OpPhi %u64 %fu %fl %far %fthen\n"
               "%fq = OpConvertUToPtr %quant_pointer %fs\n"
               "%fx = OpAccessChain %quant_f32 %fq %c0\nOpStore %fx %f1 Aligned 4"),
     "DecodeFunc computes with the bits of its pointer"},
    {addressed("OpStore %fplace %fp"), "DecodeFunc computes with the bits of its pointer"},
    {addressed("%fcast = OpBitcast %to_bare %fp\n%fs = OpLoad %bare %fcast Aligned 4"),
     "DecodeFunc accesses a structure without a layout"},
    {addressed("%fcast = OpBitcast %to_bare %fp\n%fs = OpAccessChain %quant_f32 %fcast %c0"),
     "DecodeFunc goes through memory without a layout"},
    {addressed("%fcast = OpBitcast %to_long %fp\n%fs = OpLoad %long %fcast Aligned 4"),
     "DecodeFunc accesses an array that is too long, or without a layout"},
    {addressed("%fcast = OpBitcast %to_open %fp\n%fs = OpLoad %open %fcast Aligned 4"),
     "DecodeFunc accesses an array that is too long, or without a layout"},
    {addressed("%fcast = OpBitcast %to_matrix %fp\n%fs = OpLoad %matrix %fcast Aligned 4"),
     "DecodeFunc accesses other values than numbers"},
};
INSTANTIATE_TEST_SUITE_P(Tensor, TensorRefusal, testing::ValuesIn(kRefusals));

// A load whose decode function has these parameters.
Parts taking(std::string_view types, std::vector<std::string_view> parameters) {
    Parts parts = {.types = std::string(types), .addressing = "DecodeFunc %f"};
    parts.types += "\n%other = OpTypeFunction %f32";
    parts.functions = "%f = OpFunction %f32 None %other\n";
    for (size_t p = 0; p < parameters.size(); ++p) {
        parts.types += std::format(" {}", parameters[p]);
        parts.functions += std::format("%f_{} = OpFunctionParameter {}\n", p, parameters[p]);
    }
    parts.functions += "%fl = OpLabel\nOpReturnValue %f1\nOpFunctionEnd\n";
    return parts;
}

TEST(TensorRefusals, OfDecodeFunctions) {
    constexpr std::string_view kComponent = "DecodeFunc must return a component";
    constexpr std::string_view kPointers =
        "%bare = OpTypeStruct %f32\n%to_bare = OpTypePointer PhysicalStorageBuffer %bare\n"
        "%bound = OpTypePointer StorageBuffer %quant";
    constexpr std::string_view kArrays =
        "%u32x2 = OpTypeVector %u32 2\n%u64 = OpTypeInt 64 0\n%longs = OpTypeArray %u64 %c2\n"
        "%singles = OpTypeArray %f32 %c2";
    const Refusal rows[] = {
        {taking("", {"%quant_pointer", "%pair"}), kComponent},
        {taking("", {"%quant_pointer", "%pair", "%pair", "%pair"}), kComponent},
        {taking("", {"%pair", "%pair", "%pair"}), kComponent},
        {taking(kPointers, {"%bound", "%pair", "%pair"}), kComponent},
        {taking(kArrays, {"%quant_pointer", "%pair", "%u32x2"}), kComponent},
        {taking(kArrays, {"%quant_pointer", "%singles", "%pair"}), kComponent},
        {taking(kArrays, {"%quant_pointer", "%pair", "%longs"}), kComponent},
        {taking(kPointers, {"%to_bare", "%pair", "%pair"}),
         "the block that DecodeFunc takes has no explicit layout"},
    };
    for (const Refusal& row : rows) {
        const Result<Rewritten> out = rewritten(row.parts);
        ASSERT_FALSE(out) << row.parts.types << row.parts.functions;
        EXPECT_NE(out.error().message.find(row.reason), std::string::npos) << out.error().message;
    }
}

TEST(TensorRefusals, OfPointers) {
    const std::tuple<std::string_view, std::string_view, std::string_view> pointers[] = {
        {"%c0", "None", "Pointer is not a typed pointer"},
        {"%own", "None", "the storage class of Pointer is not emulated for tensors"},
        {"%held", "DecodeFunc %f", "must be in buffer memory"},
    };
    for (const auto& [pointer, addressing, reason] : pointers) {
        const std::string text =
            test::edited(moduleText({.types = "%to_own = OpTypePointer Private %f32\n"
                                              "%own = OpVariable %to_own Private\n"
                                              "%to_held = OpTypePointer Workgroup %f32\n"
                                              "%held = OpVariable %to_held Workgroup",
                                     .addressing = std::string(addressing),
                                     .functions = decode("")}),
                         {{"LoadTensorNV %M %p", "LoadTensorNV %M " + std::string(pointer)}});
        const Result<Rewritten> out = rewritten(text);
        ASSERT_FALSE(out) << pointer;
        EXPECT_NE(out.error().message.find(reason), std::string::npos) << out.error().message;
    }
}

TEST(TensorDecode, WritesToBuffersThatAreWritable) {
    const std::string text = moduleText(
        {.addressing = "DecodeFunc %f",
         .functions = decode("%fc = OpAccessChain %quant_f32 %fp %c0\nOpStore %fc %f1 Aligned 4\n"
                             "%fo = OpAtomicExchange %f32 %fc %c5 %c0 %f1")});
    const Result<Rewritten> out = rewritten(text);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string readOnly = "OpDecorate %buffer NonWritable\n";
    const Result<Rewritten> refused =
        rewritten(std::string(text).insert(text.find("OpDecorate"), readOnly));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("writes to a buffer that is NonWritable"),
              std::string::npos);
}

// An untyped access chain may have a typed base (SPV_KHR_untyped_pointers).
TEST(TensorDecode, LoadsThroughUntypedPointers) {
    const std::string text =
        "OpCapability UntypedPointersKHR\n" +
        moduleText({.types = "%untyped = OpTypeUntypedPointerKHR PhysicalStorageBuffer",
                    .addressing = "DecodeFunc %f",
                    .functions = decode("%fc = OpUntypedAccessChainKHR %untyped %quant %fp %c0\n"
                                        "%fv = OpLoad %f32 %fc Aligned 4")});
    const Result<Rewritten> out = rewritten(std::string(text).insert(
        text.find("OpExtension"), "OpExtension \"SPV_KHR_untyped_pointers\"\n"));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
}

}  // namespace
}  // namespace coopvk::rewrite::tensor_test
