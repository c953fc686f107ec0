// SPDX-License-Identifier: Apache-2.0
// Programs with cooperative matrices: SPV_KHR_cooperative_matrix, SPV_NV_cooperative_matrix2.
// Expected values are those of the linear algebra that the texts name.
#include <gtest/gtest.h>

#include "coopvk_reference/formats.hpp"
#include "matrix_text.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::test::cooperative_matrix_test {
namespace {

std::vector<uint32_t> floats(uint32_t count, int factor, int modulus) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < count; ++i) {
        words.push_back(bitsOf(float(int(i) * factor % modulus - modulus / 2)));
    }
    return words;
}

struct Case {
    uint32_t lanes;
    Choice placement;
};
const Case kCases[] = {{4, Choice::kPlain},     {4, Choice::kShuffled}, {4, Choice::kAdversarial},
                       {8, Choice::kShuffled},  {32, Choice::kPlain},   {64, Choice::kAdversarial},
                       {128, Choice::kShuffled}};

Execution prepared(const Case& c) {
    Execution run;
    run.lanes = c.lanes;
    run.settings.placement = c.placement;
    run.buffers = {{0, floats(32, 7, 11)}, {1, floats(48, 5, 13)}, {2, std::vector<uint32_t>(64)}};
    return run;
}

void expectRan(const Execution& run) {
    EXPECT_EQ(run.error, "");
    for (const Report& report : run.reports) ADD_FAILURE() << describe(report);
}

float at(const Execution& run, uint32_t binding, uint32_t index) {
    return floatOf(run.buffers.at(binding)[index]);
}

const char* const kProduct = R"(
%a = OpCooperativeMatrixLoadKHR %A %p0 %0 %8
%b = OpCooperativeMatrixLoadKHR %B %p1 %0 %6
%c = OpCooperativeMatrixMulAddKHR %C %a %b %zeros
OpCooperativeMatrixStoreKHR %p2 %c %1 %4
)";

TEST(MatrixPrograms, Multiply) {
    for (const Case& c : kCases) {
        for (const char* scope : {"3", "2"}) {  // Subgroup, Workgroup
            Execution r = prepared(c);
            const uint32_t local = *scope == '2' ? 3 * c.lanes : c.lanes;
            execute(r, text(kProduct, scope, local));
            expectRan(r);
            for (uint32_t row = 0; row < 4; ++row) {
                for (uint32_t column = 0; column < 6; ++column) {
                    float expected = 0;
                    for (uint32_t k = 0; k < 8; ++k) {
                        expected += at(r, 0, row * 8 + k) * at(r, 1, k * 6 + column);
                    }
                    EXPECT_EQ(at(r, 2, column * 4 + row), expected) << c.lanes << " " << scope;
                }
            }
        }
    }
}

// Of A and B, a GPU's map depends on the width of components: elements change lanes, and stay in
// their rows and columns.
TEST(MatrixPrograms, ConversionsOfWidthKeepRowsAndColumns) {
    constexpr uint32_t kSize = 16;
    for (const char* use : {"%0", "%1", "%2"}) {
        for (const Choice placement :
             {Choice::kPlain, Choice::kNvidia, Choice::kRdna3, Choice::kRdna4}) {
            Execution r = prepared({32, placement});
            r.buffers = {{0, floats(kSize * kSize, 7, 101)},
                         {1, {0}},
                         {2, std::vector<uint32_t>(kSize * kSize)}};
            std::string source = text(
                "%m = OpCooperativeMatrixLoadKHR %wide %p0 %0 %16\n"
                "%h = OpFConvert %narrow %m\n%w = OpFConvert %wide %h\n"
                "OpCooperativeMatrixStoreKHR %p2 %w %0 %16\n",
                "3", 32);
            source.replace(source.find("OpCapability CooperativeMatrixKHR"), 0,
                           "OpCapability Float16\n");
            source.replace(source.find("%array = OpTypeRuntimeArray"), 0,
                           "%f16 = OpTypeFloat 16\n%16 = OpConstant %u32 16\n%wide = "
                           "OpTypeCooperativeMatrixKHR %f32 "
                           "%scope %16 %16 " +
                               std::string(use) +
                               "\n%narrow = OpTypeCooperativeMatrixKHR %f16 %scope %16 %16 " + use +
                               "\n");
            execute(r, source);
            expectRan(r);
            EXPECT_EQ(r.buffers.at(2), r.buffers.at(0)) << use << " " << int(placement);
            // A narrow matrix in memory shows that no two wrong moves cancel out.
            source.replace(source.find("OpCooperativeMatrixStoreKHR %p2 %w %0 %16"), 41,
                           "OpCooperativeMatrixStoreKHR %p2 %h %0 %8");
            Execution narrow = prepared({32, placement});
            narrow.buffers = {{0, floats(kSize * kSize, 7, 101)},
                              {1, {0}},
                              {2, std::vector<uint32_t>(kSize * kSize)}};
            execute(narrow, source);
            expectRan(narrow);
            for (uint32_t i = 0; i < kSize * kSize; ++i) {
                const uint32_t word = narrow.buffers.at(2)[i / 2];
                const uint64_t half = i % 2 != 0 ? word >> 16 : word & 0xFFFF;
                EXPECT_EQ(numbers::valueOf(numbers::Number::f16, half), double(at(r, 0, i)))
                    << use << i;
            }
        }
    }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return at == text.npos ? text : text.replace(at, from.size(), to);
}

// Buffer 0 has vectors of three floats at multiples of 16 bytes; %p0 points to the third one.
std::string textWithGaps(uint32_t lanes, const std::string& body) {
    std::string result = replaced(text(body, "3", lanes), "OpDecorate %array ArrayStride 4\n",
                                  "OpDecorate %array ArrayStride 4\n"
                                  "OpDecorate %triples ArrayStride 16\nOpDecorate %gapped Block\n"
                                  "OpMemberDecorate %gapped 0 Offset 0\n");
    result = replaced(result, "%buffer0 = OpVariable %pointer StorageBuffer\n",
                      "%triple = OpTypeVector %f32 3\n%triples = OpTypeRuntimeArray %triple\n"
                      "%gapped = OpTypeStruct %triples\n"
                      "%toGapped = OpTypePointer StorageBuffer %gapped\n"
                      "%toTriple = OpTypePointer StorageBuffer %triple\n"
                      "%buffer0 = OpVariable %toGapped StorageBuffer\n");
    return replaced(result, "%p0 = OpAccessChain %element %buffer0 %0 %0",
                    "%p0 = OpAccessChain %toTriple %buffer0 %0 %2");
}

// "Any ArrayStride decoration on Pointer is ignored": the chain's index counts 16 bytes, Stride
// counts the pointee's 12 bytes, and elements lie side by side from Pointer on.
TEST(MatrixPrograms, IgnoreGapsOfAnArray) {
    const auto inGapped = [](uint32_t row, uint32_t column) {
        return 2 * 4 + row * 4 * 3 + column;
    };
    for (const Case& c : kCases) {
        Execution load = prepared(c), store = prepared(c);
        load.buffers[0] = store.buffers[0] = floats(64, 7, 101);
        execute(load, textWithGaps(c.lanes,
                                   "%m = OpCooperativeMatrixLoadKHR %C %p0 %0 %4\n"
                                   "OpCooperativeMatrixStoreKHR %p2 %m %0 %6\n"));
        execute(store, textWithGaps(c.lanes,
                                    "%m = OpCooperativeMatrixLoadKHR %C %p1 %0 %6\n"
                                    "OpCooperativeMatrixStoreKHR %p0 %m %0 %4\n"));
        expectRan(load);
        expectRan(store);
        std::vector<uint32_t> stored = load.buffers[0];
        for (uint32_t row = 0; row < 4; ++row) {
            for (uint32_t column = 0; column < 6; ++column) {
                EXPECT_EQ(at(load, 2, row * 6 + column), at(load, 0, inGapped(row, column)));
                stored[inGapped(row, column)] = store.buffers[1][row * 6 + column];
            }
        }
        EXPECT_EQ(store.buffers[0], stored);
    }
}

TEST(MatrixPrograms, ReduceTransposeAndCallFunctions) {
    const std::string body = R"(
%c = OpCooperativeMatrixLoadKHR %C %p1 %0 %6
%sums = OpCooperativeMatrixReduceNV %C %c Row %add
%mixed = OpCooperativeMatrixPerElementOpNV %C %sums %combine
%t = OpCooperativeMatrixTransposeNV %BT %mixed
OpCooperativeMatrixStoreKHR %p2 %t %0 %4
)";
    const std::string functions = R"(
%add = OpFunction %f32 None %binary
%left = OpFunctionParameter %f32
%right = OpFunctionParameter %f32
%addEntry = OpLabel
%sum = OpFAdd %f32 %left %right
OpReturnValue %sum
OpFunctionEnd
%combine = OpFunction %f32 None %indexed
%row = OpFunctionParameter %u32
%column = OpFunctionParameter %u32
%value = OpFunctionParameter %f32
%combineEntry = OpLabel
%scaled = OpIMul %u32 %column %8
%place = OpIAdd %u32 %scaled %row
%number = OpConvertUToF %f32 %place
%result = OpFAdd %f32 %value %number
OpReturnValue %result
OpFunctionEnd
)";
    for (const Case& c : kCases) {
        for (const char* scope : {"3", "2"}) {
            Execution r = prepared(c);
            execute(r, text(body, scope, *scope == '2' ? 2 * c.lanes : c.lanes, functions));
            expectRan(r);
            for (uint32_t row = 0; row < 4; ++row) {
                float sum = 0;
                for (uint32_t k = 0; k < 6; ++k) sum += at(r, 1, row * 6 + k);
                for (uint32_t column = 0; column < 6; ++column) {
                    EXPECT_EQ(at(r, 2, column * 4 + row), sum + float(column * 8 + row));
                }
            }
        }
    }
}

// A conversion to another use rounds as one in place does: 2^24 + 1 lies between two f32.
TEST(MatrixPrograms, ConversionsToAnotherUseRound) {
    std::string module =
        text("%k = OpConvertUToF %K %us\nOpCooperativeMatrixStoreKHR %p2 %k %0 %6\n");
    module.insert(module.find("%main = OpFunction"), R"(
%U = OpTypeCooperativeMatrixKHR %u32 %scope %4 %6 %2
%K = OpTypeCooperativeMatrixKHR %f32 %scope %4 %6 %1
%between = OpConstant %u32 16777217
%us = OpConstantComposite %U %between
)");
    for (const auto& [direction, expected] :
         {std::pair(Direction::kDownward, 0x4B800000u), std::pair(Direction::kNearest, 0x4B800000u),
          std::pair(Direction::kUpward, 0x4B800001u)}) {
        Execution r = prepared(kCases[0]);
        r.settings.rounding = direction;
        execute(r, module);
        expectRan(r);
        for (uint32_t i = 0; i < 24; ++i) EXPECT_EQ(r.buffers.at(2)[i], expected);
    }
}

// A slice of 4 x 6 from (1, 1) on in a tensor of 4 x 7: row 3 is outside, and becomes the clamp
// value.
TEST(MatrixPrograms, TensorsClamp) {
    const std::string body = R"(
%l0 = OpCreateTensorLayoutNV %layout
%l1 = OpTensorLayoutSetDimensionNV %layout %l0 %4 %7
%l2 = OpTensorLayoutSliceNV %layout %l1 %1 %4 %1 %6
%l3 = OpTensorLayoutSetClampValueNV %layout %l2 %clamp
%c = OpCooperativeMatrixLoadTensorNV %C %p1 %zeros %l3 None None
OpCooperativeMatrixStoreKHR %p2 %c %0 %6
)";
    std::string whole = text(body);
    const std::string constants = "%7 = OpConstant %u32 7\n%clamp = OpConstant %u32 0x40A00000\n";
    whole.insert(whole.find("%layout = "), constants);
    for (const Case& c : kCases) {
        Execution r = prepared(c);
        std::string own = whole;
        own.replace(own.find("LocalSize 4"), 11, "LocalSize " + std::to_string(c.lanes));
        execute(r, own);
        expectRan(r);
        for (uint32_t row = 0; row < 4; ++row) {
            for (uint32_t column = 0; column < 6; ++column) {
                const float expected = row == 3 ? 5.0f : at(r, 1, (row + 1) * 7 + column + 1);
                EXPECT_EQ(at(r, 2, row * 6 + column), expected);
            }
        }
    }
}

TEST(MatrixPrograms, ReportWhatTheTextsForbid) {
    // Outside of the buffer: rows of 32 elements in a buffer of 32.
    Execution outside = prepared({4, Choice::kPlain});
    std::string body = kProduct;
    body.replace(body.find("%p0 %0 %8"), 9, "%p0 %0 %32");
    std::string whole = text(body);
    whole.insert(whole.find("%scope = "), "%32 = OpConstant %u32 32\n");
    execute(outside, whole);
    EXPECT_EQ(outside.error, "");
    ASSERT_FALSE(outside.reports.empty());
    EXPECT_EQ(outside.reports[0].check, kCheckBounds);
    // Memory that nothing wrote, which the product then stores.
    Execution unwritten = prepared({4, Choice::kPlain});
    unwritten.written[0] = std::vector<uint8_t>(128, 1);
    unwritten.written[0][8] = 0;
    execute(unwritten, text(kProduct));
    ASSERT_FALSE(unwritten.reports.empty());
    EXPECT_EQ(unwritten.reports[0].check, kCheckUnwritten);
    EXPECT_EQ(unwritten.reports.back().check, kCheckUndefined);
}

// SPIR-V 1.4 selects whole composites.
TEST(MatrixPrograms, SelectMatrices) {
    std::string whole = text(
        "%x = OpCooperativeMatrixLoadKHR %C %p0 %0 %6\n%y = OpCooperativeMatrixLoadKHR %C %p1 %0 "
        "%6\n"
        "%s = OpSelect %C %true %x %y\nOpCooperativeMatrixStoreKHR %p2 %s %0 %6\n");
    whole.insert(whole.find("%scope = "), "%bool = OpTypeBool\n%true = OpConstantTrue %bool\n");
    Execution run = prepared({4, Choice::kPlain});
    execute(run, whole);
    expectRan(run);
    for (uint32_t i = 0; i < 24; ++i) EXPECT_EQ(at(run, 2, i), at(run, 0, i));
}

}  // namespace
}  // namespace coopvk::reference::test::cooperative_matrix_test
