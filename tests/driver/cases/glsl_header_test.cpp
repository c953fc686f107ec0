// SPDX-License-Identifier: Apache-2.0
//
// Every function of the GLSL headers for applications, coopvk_2d_block_io.glsl and
// coopvk_int4.glsl.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/block.hpp"
#include "harness/int4_matrix.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::glsl_header_test {
namespace {

std::string shaderText(const std::string& header, const std::string& rest) {
    return "#version 460\n#extension GL_EXT_shader_8bit_storage : require\n"
           "#extension GL_EXT_shader_16bit_storage : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#extension GL_KHR_cooperative_matrix : require\n"
           "#extension GL_KHR_memory_scope_semantics : require\n" +
           readShader(header) + "layout(local_size_x_id = 0) in;\n" + rest;
}

// The types that the header declares the functions for.
struct BlockTypes {
    const char* base;
    const char* array;
    uint32_t elementSize;
    uint32_t arrayBytes;  // of one element of the array
};
constexpr BlockTypes kBlockTypes[] = {
    {"uint8_t", "uint8_t", 1, 1},
    {"int8_t", "int8_t", 1, 1},
    {"uint16_t", "uint16_t", 2, 2},
    {"int16_t", "int16_t", 2, 2},
    {"float16_t", "float16_t", 2, 2},
    {"uint", "uint", 4, 4},
    {"int", "int", 4, 4},
    {"float", "float", 4, 4},
    {"uvec2", "uvec2", 8, 8},
    {"uint64_t", "uint64_t", 8, 8},
    {"uint8_t", "uint", 1, 4},
    {"uint16_t", "uint", 2, 4},
};

// The call of one of the header's functions, which also are in the order of BlockOp.
std::string blockCall(BlockOp op) {
    const std::string region = "a[0], w, h, p, ivec2(x, y)";
    const std::string shape = "(size, width, height, count, ";
    switch (op) {
        case BlockOp::kLoad:
            return "coopvkBlockLoad" + shape + region + ", held[0]);\n";
        case BlockOp::kTranspose:
            return "coopvkBlockLoadTransposed" + shape + region + ", held[0]);\n";
        case BlockOp::kTransform:
            return "coopvkBlockLoadTransformed" + shape + region + ", held[0]);\n";
        case BlockOp::kPrefetch:
            return "coopvkBlockPrefetch" + shape + region + ");\n";
        case BlockOp::kStore:
            return "coopvkBlockStore" + shape + "held[0], " + region + ");\n";
    }
    return {};
}

// The arguments of every function.
Block blockOf(BlockOp op, const BlockTypes& types) { return {op, types.elementSize, 8, 4, 2}; }

uint32_t elementsOf(const Block& block, const BlockTypes& types) {
    const size_t bytes =
        size_t{elementsOfLane(block, Context::get().subgroupSize)} * block.elementSize;
    return static_cast<uint32_t>((bytes + types.arrayBytes - 1) / types.arrayBytes);
}

// Each invocation's part of buffer B goes to a variable, through the function, and back.
std::string blockSource(const Block& block, const BlockTypes& types) {
    const std::string n = std::to_string(elementsOf(block, types));
    const std::string mine = "b[gl_LocalInvocationIndex * " + n + " + i]";
    const std::string each = "for (uint i = 0; i < " + n + "; ++i) ";
    return shaderText("coopvk_2d_block_io.glsl",
                      "layout(set = 0, binding = 0) buffer A { " + std::string(types.base) +
                          " a[]; };\nlayout(set = 0, binding = 1) buffer B { " + types.array +
                          " b[]; };\nlayout(push_constant) uniform P { uint w, h, p; int x, y; };\n"
                          "const uint size = " +
                          std::to_string(block.elementSize) +
                          "u, width = 8u, height = 4u, count = 2u;\nvoid main() {\n" + types.array +
                          " held[" + n + "];\n" + each + "held[i] = " + mine + ";\n" +
                          blockCall(block.op) + each + mine + " = held[i];\n}\n");
}

void expectGlslBlock(const Block& block, const BlockTypes& types) {
    const uint32_t lanes = Context::get().subgroupSize;
    const size_t perLane = size_t{elementsOf(block, types)} * types.arrayBytes;
    const Words words = compileGlsl(blockSource(block, types), Checked::kNo);
    for (const Region& region : {Region{128, 12, 136, 4, 3}, {64, 4, 64, -8, 2}}) {
        Rng rng(blockName(block));
        Dispatch dispatch;
        dispatch.buffers = {rng.bytes(size_t{region.pitch} * region.height),
                            rng.bytes(perLane * lanes)};
        dispatch.push =
            pushWords({region.width, region.height, region.pitch, static_cast<uint32_t>(region.x),
                       static_cast<uint32_t>(region.y)});
        SCOPED_TRACE(blockName(block));
        expectAsReference(words, dispatch);
    }
}

class GlslBlockIo : public testing::TestWithParam<BlockTypes> {};

TEST_P(GlslBlockIo, EveryFunction) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const BlockTypes& types = GetParam();
    if (std::string(types.base) == "uint64_t") {
        COOPVK_REQUIRE(Requirement::kInt64);
        COOPVK_REQUIRE(Requirement::kPacks64);
    }
    for (const BlockOp op : {BlockOp::kLoad, BlockOp::kTranspose, BlockOp::kStore})
        expectGlslBlock(blockOf(op, types), types);
    if (types.base != std::string(types.array)) return;
    expectGlslBlock(blockOf(BlockOp::kPrefetch, types), types);
    if (types.elementSize == 8) return;
    const BlockTypes packed = {types.base, "uint", types.elementSize, 4};
    expectGlslBlock(blockOf(BlockOp::kTransform, packed), packed);
}

std::string blockTypesName(const testing::TestParamInfo<BlockTypes>& types) {
    const std::string base = types.param.base, array = types.param.array;
    return base == array ? base : base + "_to_" + array;
}
INSTANTIATE_TEST_SUITE_P(All, GlslBlockIo, testing::ValuesIn(kBlockTypes), blockTypesName);

Bytes bytesOfWords(const std::vector<uint32_t>& words) {
    const auto view = std::as_bytes(std::span(words));
    return {view.begin(), view.end()};
}

TEST(GlslInt4, Values) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const std::string source = shaderText("coopvk_int4.glsl", R"(
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
// Pairs can go through functions and variables, and instructions for any vector can access their
// components.
spirv_instruction(id = 81) coopvk_u4 componentU4x2(coopvk_u4x2 v, spirv_literal uint index);
spirv_instruction(id = 81) coopvk_s4 componentS4x2(coopvk_s4x2 v, spirv_literal uint index);
void main() {
    const uint i = gl_LocalInvocationIndex, x = a[i];
    coopvk_u4x8 u = coopvkU4x8(x);
    coopvk_s4x8 s = coopvkS4x8(x);
    coopvk_u4x2 pairU = coopvkPairU4(coopvkU4(x >> 4u), coopvkComponentU4x8(u, 2u));
    coopvk_s4x2 pairS = coopvkPairS4(coopvkS4(int(x >> 8u)), coopvkComponentS4x8(s, 5u));
    b[i * 10u] = coopvkBitsU4x8(u);
    b[i * 10u + 1u] = coopvkBitsS4x8(s);
    b[i * 10u + 2u] = coopvkToUint(coopvkComponentU4x8(u, 7u));
    b[i * 10u + 3u] = uint(coopvkToInt(coopvkComponentS4x8(s, 7u)));
    b[i * 10u + 4u] = coopvkToUint(coopvkElementU4x8(u, x & 7u));
    b[i * 10u + 5u] = uint(coopvkToInt(coopvkElementS4x8(s, x & 7u)));
    b[i * 10u + 6u] = coopvkToUint(componentU4x2(pairU, 0u));
    b[i * 10u + 7u] = coopvkToUint(componentU4x2(pairU, 1u));
    b[i * 10u + 8u] = uint(coopvkToInt(componentS4x2(pairS, 0u)));
    b[i * 10u + 9u] = uint(coopvkToInt(componentS4x2(pairS, 1u)));
}
)");
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("GlslInt4");
    std::vector<uint32_t> in, want;
    for (uint32_t i = 0; i < lanes; ++i) {
        const uint32_t x = static_cast<uint32_t>(rng.next());
        in.push_back(x);
        const auto u = [&](uint32_t n) { return x >> 4 * n & 15u; };
        const auto s = [&](uint32_t n) { return u(n) >= 8 ? u(n) | ~15u : u(n); };
        for (const uint32_t word : {x, x, u(7), s(7), u(x & 7), s(x & 7), u(1), u(2), s(2), s(5)}) {
            want.push_back(word);
        }
    }
    Dispatch dispatch;
    dispatch.buffers = {bytesOfWords(in), rng.bytes(want.size() * 4)};
    const std::vector<Bytes> after = run(compileGlsl(source, Checked::kNo), dispatch);
    EXPECT_EQ(difference(after[1], bytesOfWords(want)), "");
}

// Both operands of four bits, each in another layout, and one stored again.
TEST(GlslInt4, Matrices) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 8, kColumns = 16, kDepth = 32;
    const std::string source = shaderText("coopvk_int4.glsl", R"(
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint16_t b[]; };
layout(set = 0, binding = 2) buffer C { int c[]; };
layout(set = 0, binding = 3) buffer D { uint16_t d[]; };
const uint kRows = 8u, kColumns = 16u, kDepth = 32u;
#define Left COOPVK_U4_MATRIX(kRows, kDepth, coopvkUseA)
#define Right COOPVK_S4_MATRIX(kDepth, kColumns, coopvkUseB)
#define Sum coopmat<int, gl_ScopeSubgroup, kRows, kColumns, gl_MatrixUseAccumulator>
COOPVK_INT4_MATRIX_FUNCTIONS(left, Left, uint)
COOPVK_INT4_MATRIX_FUNCTIONS(right, Right, uint16_t)
COOPVK_INT4_MULTIPLY_ADD(multiplyAdd, Left, Right, Sum)
void main() {
    Left l = leftLoad(a[0], coopvkRowMajor, kDepth / 8u);
    Right r = rightLoad(b[0], coopvkColumnMajor, kDepth / 4u);
    coopMatStore(multiplyAdd(l, r, Sum(3), 14u), c, 0, kColumns,
                 gl_CooperativeMatrixLayoutRowMajor);
    rightStore(d[0], r, coopvkRowMajor, kColumns / 4u);
}
)");
    using int4::memoryOf;
    Rng rng("GlslInt4Matrices");
    int4::Nibbles a = int4::randomNibbles(rng, kRows, kDepth, false);
    int4::Nibbles b = int4::randomNibbles(rng, kDepth, kColumns, true);
    const int4::NibbleMemory ma = memoryOf("u32", false, kRows, kDepth);
    const int4::NibbleMemory mb = memoryOf("u16", true, kDepth, kColumns);
    const int4::NibbleMemory md = memoryOf("u16", false, kDepth, kColumns);
    std::vector<int32_t> sums;
    for (uint32_t r = 0; r < kRows; ++r) {
        for (uint32_t c = 0; c < kColumns; ++c) {
            sums.push_back(3);
            for (uint32_t k = 0; k < kDepth; ++k)
                sums.back() += a.value(r, k, false) * b.value(k, c, true);
        }
    }
    Dispatch dispatch;
    dispatch.buffers = {Bytes(bytesOf(ma, kRows, kDepth)), Bytes(bytesOf(mb, kDepth, kColumns)),
                        rng.bytes(sums.size() * 4), rng.bytes(bytesOf(md, kDepth, kColumns))};
    scatter(a, ma, dispatch.buffers[0]);
    scatter(b, mb, dispatch.buffers[1]);
    Bytes stored = dispatch.buffers[3];
    scatter(b, md, stored);
    const std::vector<Bytes> after = run(compileGlsl(source, Checked::kNo), dispatch);
    EXPECT_EQ(difference(after[2], int4::wordBytes(sums)), "");
    EXPECT_EQ(difference(after[3], stored), "");
}

}  // namespace
}  // namespace coopvk::test::glsl_header_test
