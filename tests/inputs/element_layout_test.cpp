// SPDX-License-Identifier: Apache-2.0
//
// Which lane holds which element: probes that read it, on the reference device and from the core
// back-end, against the documents' formulas.
#include <gtest/gtest.h>

#include <format>
#include <functional>
#include <ostream>

#include "../driver/harness/shader.hpp"
#include "coopvk/rewrite.hpp"
#include "coopvk_reference/buffers.hpp"
#include "coopvk_reference/execute.hpp"

namespace coopvk::test {

namespace {

using reference::Choice;
using rewrite::ElementLayout;

struct Component {
    const char* name;
    const char* glsl;
    const char* bits;  // of an element m[i], as a uint
    uint32_t width;
};
constexpr Component kHalf = {"f16", "float16_t", "uint(float16BitsToUint16(m[i]))", 16};
constexpr Component kSingle = {"f32", "float", "floatBitsToUint(m[i])", 32};
constexpr Component kS32 = {"s32", "int32_t", "uint(m[i])", 32};
constexpr Component kS8 = {"s8", "int8_t", "uint(uint8_t(m[i]))", 8};
constexpr Component kU8 = {"u8", "uint8_t", "uint(m[i])", 8};
constexpr Component kE4M3 = {"e4m3", "floate4m3_t", "uint(floate4m3BitsToUintEXT(m[i]))", 8};

struct Probe {
    ElementLayout layout;
    uint32_t lanes;
    Component component;
    char use;  // 'A', 'B', 'C'
    uint32_t rows, columns;
};

std::ostream& operator<<(std::ostream& out, const Probe& p) {
    return out << std::format("{} {} lanes, {} {} {}x{}", rewrite::elementLayoutName(p.layout),
                              p.lanes, p.component.name, p.use, p.rows, p.columns);
}

struct At {
    uint32_t row, column;
    bool operator==(const At&) const = default;
};

// What the documents say. NVIDIA's map: words of 32 bits along K in A and B, pairs of columns in
// accumulators.
uint32_t expectedLength(const Probe& p) {
    const bool isTwice = p.layout == ElementLayout::kRdna3 && p.use != 'C';
    return p.rows * p.columns / (isTwice ? 16 : p.lanes);
}

At expectedNvidia(uint32_t rows, uint32_t columns, uint32_t word, uint32_t l, uint32_t e) {
    const uint32_t g = l >> 2, t = l & 3, L = columns / 4, h = e / L, c = e % L;
    EXPECT_EQ(rows % 8, 0u);
    switch (word) {
        case 1:
            return {g + 8 * h, 4 * c + t};
        case 2:
            return {g + 8 * h, 8 * (c >> 1) + 2 * t + (c & 1)};
        default:
            return {g + 8 * h, 16 * (c >> 2) + 4 * t + (c & 3)};
    }
}

At expected(const Probe& p, uint32_t l, uint32_t e) {
    if (p.layout == ElementLayout::kNvidia) {
        const uint32_t word = p.use == 'C' ? 2 : 32 / p.component.width;
        if (p.use != 'B') return expectedNvidia(p.rows, p.columns, word, l, e);
        const At transposed = expectedNvidia(p.columns, p.rows, word, l, e);
        return {transposed.column, transposed.row};
    }
    // Of tiles of 16x16, along rows; of those of B along columns.
    const bool isRdna4 = p.layout == ElementLayout::kRdna4;
    if (p.use == 'C') {
        const uint32_t tiles = p.columns / 16, row = e / tiles,
                       column = 16 * (e % tiles) + (l & 15);
        if (isRdna4) return {16 * (row / 8) + 8 * (l >> 4) + row % 8, column};
        return {(p.lanes == 64 ? 4 : 2) * row + (l >> 4), column};
    }
    const uint32_t K = p.use == 'A' ? p.columns : p.rows, inLine = isRdna4 ? K / 2 : K;
    const uint32_t line = 16 * (e / inLine) + (l & 15), own = e % inLine;
    const uint32_t k = isRdna4 ? 16 * (own / 8) + 8 * (l >> 4) + own % 8 : own;
    return p.use == 'A' ? At{line, k} : At{k, line};
}

// Element (r, c) of one buffer has the bits r, of the other c: no arithmetic changes them.
std::string source(const Probe& p) {
    constexpr std::string_view kText = R"(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_float_e4m3 : require
layout(local_size_x = ${lanes}) in;
layout(set = 0, binding = 0) buffer Rows { ${type} rows[]; };
layout(set = 0, binding = 1) buffer Columns { ${type} columns[]; };
layout(set = 0, binding = 2) buffer Out { uint o[]; };
void main() {
    const uint lane = gl_SubgroupInvocationID;
    coopmat<${type}, gl_ScopeSubgroup, ${rows}, ${columns}, gl_MatrixUse${use}> m;
    if (lane == 0) o[0] = m.length();
    coopMatLoad(m, rows, 0, ${columns}, gl_CooperativeMatrixLayoutRowMajor);
    for (uint i = 0; i < m.length(); ++i) o[1 + lane * 256 + i] = ${bits};
    coopMatLoad(m, columns, 0, ${columns}, gl_CooperativeMatrixLayoutRowMajor);
    for (uint i = 0; i < m.length(); ++i) o[1 + lane * 256 + i] |= ${bits} << 16;
}
)";
    return substitute(kText, {{"lanes", std::to_string(p.lanes)},
                              {"type", p.component.glsl},
                              {"rows", std::to_string(p.rows)},
                              {"columns", std::to_string(p.columns)},
                              {"use", p.use == 'C' ? "Accumulator" : std::string(1, p.use)},
                              {"bits", p.component.bits}});
}

std::vector<std::byte> elements(const Probe& p, bool ofColumns) {
    std::vector<std::byte> bytes;
    for (uint32_t e = 0; e < p.rows * p.columns; ++e) {
        const uint32_t value = ofColumns ? e % p.columns : e / p.columns;
        for (uint32_t b = 0; b < p.component.width / 8; ++b) {
            bytes.push_back(std::byte(b < 4 ? value >> 8 * b & 255 : 0));
        }
    }
    return bytes;
}

// What the probe writes; empty with a failure.
std::vector<uint32_t> run(const Probe& p, const Words& words, Choice placement) {
    reference::ProgramRequest request;
    request.words = words;
    request.subgroupSize = p.lanes;
    request.placement = placement;
    const auto program = reference::makeProgram(request);
    EXPECT_TRUE(program) << program.error().message;
    if (!program) return {};
    std::vector<std::byte> in[] = {elements(p, false), elements(p, true)};
    std::vector<uint32_t> out(1 + p.lanes * 256, 0xDEADBEEF);
    reference::BufferList buffers;
    const auto add = [&](uint32_t binding, std::byte* data, size_t bytes) {
        reference::Range range{data, bytes};
        range.address = reference::BufferList::addressOf(binding);
        buffers.add(0, binding, 0, range);
    };
    add(0, in[0].data(), in[0].size());
    add(1, in[1].data(), in[1].size());
    add(2, reinterpret_cast<std::byte*>(out.data()), out.size() * 4);
    reference::Settings settings;
    settings.subgroupSize = p.lanes;
    settings.placement = placement;
    settings.threads = 1;
    reference::ReportList list;
    const auto status = reference::execute(**program, {}, buffers, settings, list);
    EXPECT_TRUE(status) << status.error().message;
    for (const reference::Report& report : list.reports) ADD_FAILURE() << describe(report);
    return out;
}

void expectMap(const Probe& p, const std::vector<uint32_t>& out) {
    ASSERT_FALSE(out.empty());
    ASSERT_EQ(out[0], expectedLength(p));
    for (uint32_t lane = 0; lane < p.lanes; ++lane) {
        for (uint32_t e = 0; e < out[0]; ++e) {
            const uint32_t word = out[1 + lane * 256 + e];
            const At at = {word & 0xFFFF, word >> 16}, want = expected(p, lane, e);
            ASSERT_EQ(at, want) << "lane " << lane << ", element " << e << ": (" << at.row << ", "
                                << at.column << "), not (" << want.row << ", " << want.column
                                << ")";
        }
    }
}

Choice placementOf(ElementLayout layout) {
    return layout == ElementLayout::kNvidia  ? Choice::kNvidia
           : layout == ElementLayout::kRdna3 ? Choice::kRdna3
                                             : Choice::kRdna4;
}

rewrite::Target targetFor(const Probe& p, bool isForced) {
    rewrite::Target target;
    target.subgroupSize = target.device.subgroupSize = p.lanes;
    (isForced ? target.elementLayout : target.programLayout) = p.layout;
    return target;
}

class ElementLayouts : public testing::TestWithParam<Probe> {};

TEST_P(ElementLayouts, OfTheReferenceDevice) {
    const Probe& p = GetParam();
    expectMap(p, run(p, compileGlsl(source(p)), placementOf(p.layout)));
}

// With local variables, whose elements are reached by a pointer, and in SSA form, with loops
// unrolled and indices that are literals.
TEST_P(ElementLayouts, OfTheCoreBackEnd) {
    const Probe& p = GetParam();
    for (const bool isForced : {true, false}) {
        for (const Variant variant : {Variant::kPlain, Variant::kFast, Variant::kLoops}) {
            const Words words = compileGlsl(source(p), variant);
            const auto result = rewrite::rewrite({.words = words}, targetFor(p, isForced));
            ASSERT_TRUE(result) << result.error().message;
            SCOPED_TRACE(std::format("{}, forced: {}", nameOf(variant), isForced));
            expectMap(p, run(p, result->words, Choice::kPlain));
            EXPECT_EQ(result->wantedSubgroupSize, p.lanes);
        }
    }
}

std::vector<Probe> probes() {
    using enum ElementLayout;
    std::vector<Probe> all;
    // The combinations that were read on an H200.
    constexpr At kSums[] = {{8, 8}, {16, 8}, {16, 16}, {16, 32}, {16, 64}, {32, 16}, {32, 32}};
    for (const auto [rows, columns] : kSums) {
        for (const Component& component : {kHalf, kSingle}) {
            all.push_back({kNvidia, 32, component, 'C', rows, columns});
        }
    }
    all.push_back({kNvidia, 32, kS32, 'C', 16, 16});
    constexpr At kHalves[] = {{16, 8}, {16, 16}, {16, 32}, {32, 16}};
    for (const auto [rows, k] : kHalves) {
        all.push_back({kNvidia, 32, kHalf, 'A', rows, k});
        all.push_back({kNvidia, 32, kHalf, 'B', k, rows});
    }
    for (const Component& component : {kS8, kU8, kE4M3}) {
        all.push_back({kNvidia, 32, component, 'A', 16, 32});
        all.push_back({kNvidia, 32, component, 'B', 32, 8});
        all.push_back({kNvidia, 32, component, 'B', 32, 16});
    }
    for (const auto [layout, lanes] : {std::pair(kRdna3, 32u), {kRdna3, 64u}, {kRdna4, 32u}}) {
        all.push_back({layout, lanes, kSingle, 'C', 16, 16});
        all.push_back({layout, lanes, kHalf, 'C', 16, 16});
        for (const Component& component : {kHalf, kU8, kE4M3}) {
            all.push_back({layout, lanes, component, 'A', 16, 16});
            all.push_back({layout, lanes, component, 'B', 16, 16});
        }
        all.push_back({layout, lanes, kSingle, 'C', 32, 48});
        all.push_back({layout, lanes, kHalf, 'A', 32, 16});
        all.push_back({layout, lanes, kU8, 'A', 16, 48});
        all.push_back({layout, lanes, kHalf, 'B', 16, 32});
        all.push_back({layout, lanes, kU8, 'B', 48, 16});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Probes, ElementLayouts, testing::ValuesIn(probes()));

}  // namespace

}  // namespace coopvk::test
