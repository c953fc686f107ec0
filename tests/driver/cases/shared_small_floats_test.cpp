// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats that a shader loads from its shared memory: arrays of numbers of each
// size, with and without other uses, of which the driver's f16 matrices allow only some.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::shared_small_floats_test {
namespace {

constexpr uint32_t kRows = 16, kColumns = 32;

// What the shared arrays consist of. "E" is the format itself.
struct Item {
    const char* name;
    uint32_t bytes;
};
constexpr Item kItems[] = {{"E", 1}, {"uint16_t", 2}, {"uint", 4}, {"uvec2", 8}, {"uvec4", 16}};

// What else the shader does with its shared array; `body` stands behind the load.
struct OtherUse {
    const char* name;
    const char* body;
};
constexpr OtherUse kOtherUses[] = {
    {"None", ""},
    // Never true.
    {"Read",
     "if (push.n[0] == 7u) { barrier(); V v = tile[push.n[1]]; barrier(); tile[0] = v; }\n"},
    {"OtherFormat", "if (push.n[0] == 7u) LOAD_OTHER\n"},
    {"Parameter", "if (push.n[0] == 7u) set(tile, push.n[1], a[1]);\n"},
    // The same bytes, in the other order of rows.
    {"WrittenAgain",
     "STORE\nbarrier();\nfor (uint i = gl_SubgroupInvocationID; i < SIZE; i += gl_SubgroupSize)\n"
     "    tile[i] = a[(ROWS - 1u - i / STRIDE) * STRIDE + i % STRIDE];\nbarrier();\nLOAD\n"},
};

struct Case {
    Component format;
    size_t item, other;
    Use use;
    bool columnMajor;
};

std::string caseName(const Case& c) {
    return std::string(name(c.format)) + "_" + kItems[c.item].name + "_" +
           kOtherUses[c.other].name + "_" + "ABC"[static_cast<int>(c.use)] +
           (c.columnMajor ? "_columns" : "_rows");
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const Component format : {Component::kE4M3, Component::kE5M2})
        for (size_t item = 0; item < std::size(kItems); ++item)
            for (size_t other = 0; other < std::size(kOtherUses); ++other)
                for (const Use use : kAllUses)
                    for (const bool columnMajor : {false, true})
                        all.push_back({format, item, other, use, columnMajor});
    return covering(all, [](const Case& c) {
        return factors(static_cast<int>(c.format), c.item, c.other,
                       static_cast<int>(c.use) * 2 + c.columnMajor);
    });
}

// Lines of a matrix in the shared array, with an item more in each.
struct Lines {
    Lines(uint32_t lines, uint32_t length, uint32_t bytes)
        : count(lines), stride(length / bytes + 1), size(count * stride) {}
    uint32_t count, stride, size;  // stride and size in items
};

std::string number(uint32_t value) { return std::to_string(value) + "u"; }

std::string copyToShared(const std::string& shared, const std::string& buffer, const Lines& lines) {
    return "for (uint i = gl_SubgroupInvocationID; i < " + number(lines.size) +
           "; i += gl_SubgroupSize) " + shared + "[i] = " + buffer + "[i];\nbarrier();\n";
}

std::string header(Component format, const Item& item) {
    return glsl::header() + "#define E " + std::string(glsl::scalar(format)) + "\n#define V " +
           item.name + "\n" + glsl::buffer(0, "a", "V");
}

std::string sourceOf(const Case& c) {
    const Item& item = kItems[c.item];
    const Lines lines(c.columnMajor ? kColumns : kRows, c.columnMajor ? kRows : kColumns,
                      item.bytes);
    const Component other = c.format == Component::kE4M3 ? Component::kE5M2 : Component::kE4M3;
    const std::string load = glsl::load("M", "tile", std::to_string(lines.stride), c.columnMajor);
    const std::string store = glsl::store("M", "d", std::to_string(kColumns));
    return header(c.format, item) + glsl::buffer(2, "d", "E") + glsl::buffer(1, "o", "E") +
           "layout(push_constant) uniform Push { uint n[4]; } push;\n#define ROWS " +
           number(lines.count) + "\n#define STRIDE " + number(lines.stride) + "\n#define SIZE " +
           number(lines.size) + "\n#define LOAD " + load + "#define STORE " +
           glsl::store("M", "o", std::to_string(kColumns)) + "#define LOAD_OTHER { " +
           glsl::matrix(other, kRows, kColumns, c.use) + " N; " +
           "coopMatLoad(N, tile, 0, STRIDE, " + glsl::layout(c.columnMajor) +
           "); M[0] = E(float(N[0])); }\n"
           "shared V tile[SIZE];\n"
           "void set(inout V t[SIZE], uint i, V v) { t[i] = v; }\nvoid main() {\n" +
           glsl::matrix(c.format, kRows, kColumns, c.use) + " M;\n" +
           copyToShared("tile", "a", lines) + "LOAD\n" + kOtherUses[c.other].body + store + "}\n";
}

// The bytes of a buffer that has the matrix with one item more in each line.
Bytes padded(Rng& rng, const Matrix& matrix, bool columnMajor, uint32_t itemBytes) {
    const uint32_t count = columnMajor ? matrix.columns : matrix.rows;
    const uint32_t length = columnMajor ? matrix.rows : matrix.columns;
    const Lines lines(count, length, itemBytes);
    Bytes bytes = rng.bytes(size_t{lines.size} * itemBytes);
    for (uint32_t line = 0; line < count; ++line)
        for (uint32_t i = 0; i < length; ++i)
            bytes[size_t{line} * lines.stride * itemBytes + i] =
                static_cast<std::byte>(columnMajor ? matrix.at(i, line) : matrix.at(line, i));
    return bytes;
}

class SharedSmallFloats : public testing::TestWithParam<Case> {};

// Each pattern of bits arrives.
TEST_P(SharedSmallFloats, LoadsThem) {
    const Case& c = GetParam();
    COOPVK_REQUIRE(c.format);
    COOPVK_REQUIRE((NeededMatrices{{c.format, kRows, kColumns, c.use}}));
    Rng rng(caseName(c));
    const Matrix in = randomMatrix(rng, c.format, kRows, kColumns, Fill::kBits);
    Dispatch dispatch;
    dispatch.buffers = {padded(rng, in, c.columnMajor, kItems[c.item].bytes), poison(rng, in),
                        poison(rng, in)};
    dispatch.push = pushWords({3, 1, 0, 2});
    expectAsReference(compileGlsl(sourceOf(c)), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, SharedSmallFloats, testing::ValuesIn(cases()),
                         [](const auto& test) { return caseName(test.param); });

}  // namespace
}  // namespace coopvk::test::shared_small_floats_test
