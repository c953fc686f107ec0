// SPDX-License-Identifier: Apache-2.0
//
// Decode functions of OpCooperativeMatrixLoadTensorNV, with descriptors and addresses: their
// arguments, and the operations on their pointer.
#include <gtest/gtest.h>

#include <cstring>
#include <format>
#include <numeric>

#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/tensor_case.hpp"

namespace coopvk::test::tensor_decode_test {
namespace {

// A way to decode: its GLSL, in which `x` is a number made of the coordinates in the block. All
// results are small integers.
struct Way {
    const char* name;
    uint32_t blockBytes, alignment;
    const char* types;
    const char* functions;
    const char* body;
    const char* reference = "Block block;";
};

constexpr const char* kQuants = "struct Block { uint16_t d; uint8_t q[16]; };\n";
constexpr const char* kVectors =
    "struct Block { uvec4 a; uvec2 b[3]; uint16_t c; uint8_t d; uint8_t e; u16vec2 f; };\n";

constexpr Way kWays[] = {
    {"members", 18, 2, kQuants, "", "return T(b.block.d & 7us) + T(b.block.q[x & 15] & 15);"},
    {"calls", 18, 2, kQuants,
     "uint scale(const in Ref b) { return b.block.d & 7us; }\n"
     "uint quant(Ref b, uint x) { return b.block.q[x & 15] & 15; }\n"
     "uint both(Ref b, uint x) { return scale(b) * 2 + quant(b, x); }\n",
     "return T(both(b, x));"},
    {"casts", 18, 2, kQuants,
     "layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Halves { uint16_t h[9]; "
     "};\n",
     "Halves h = Halves(b); Halves g = h;\nreturn T(g.h[1 + (x & 7)] & 15us) + T(h.h[0] & 3us);"},
    {"branches", 18, 2, kQuants, "",
     "Ref r = b; uint sum = 0;\nfor (uint i = 0; i < (x & 3); ++i) { if (i == 1) r = b; sum += "
     "r.block.q[i] & 7; }\nreturn T(sum);"},
    {"whole", 48, 4, kVectors, "",
     "Block c = b.block;\nreturn T(c.a[x & 3] & 15) + T(c.b[x % 3].y & 7) + T(c.d & 3);"},
    {"vectors", 48, 4, kVectors, "",
     "uvec4 a = b.block.a;\nuvec2 c = b.block.b[x % 3];\nreturn T(a[x & 3] & 15) + T(c.x & 7) + "
     "T(b.block.f.y & 3us);"},
    {"tables", 18, 2, kQuants, "shared uint table[16];\n",
     "return T(table[b.block.q[x & 15] & 15]);"},
    {"addresses", 18, 2, kQuants,
     "layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Half { uint16_t h; };\n",
     "Half h = Half(uint64_t(b) + 4ul) + int(x & 3);\n"
     "h = Half(uint64_t(h) - uint64_t(x & 1) * 2ul);\nreturn T(h.h & 15us) + T((h + 1).h & 3us);"},
    {"elements", 2, 2, "struct Block { uint16_t h; };\n", "", "return T(b.h[0] & 15us);",
     "uint16_t h[];"},
};

enum class Memory { kBuffer, kAddress, kDescriptors };
constexpr Component kComponents[] = {Component::kF32, Component::kF16, Component::kU8};

struct Case {
    size_t way;
    Memory memory;
    uint32_t dimensions;
    bool hasVectors = false;  // a DecodeVectorFunc, too
};

// What a case's random numbers choose first.
struct Choice {
    explicit Choice(const Case& c)
        : rng(std::format("Decode{}{}{}{}", c.way, static_cast<int>(c.memory), c.dimensions,
                          c.hasVectors)),
          component(kComponents[rng.range(0, 2)]),
          use(kAllUses[rng.range(0, 2)]),
          vectorLength(rng.range(0, 1) != 0 ? 4 : 2),
          wish{c.dimensions, static_cast<TensorClamp>(rng.range(0, 4)),
               static_cast<TensorViewKind>(rng.range(0, 3)), 16, 8} {
        wish.hasBlocks = true;
        wish.isAligned = c.hasVectors;
        if (rng.range(0, 1) != 0) std::swap(wish.rows, wish.columns);
    }

    Rng rng;
    Component component;
    Use use;
    uint32_t vectorLength;
    TensorWish wish;
};

std::string decoder(const Way& way, Component component, uint32_t dimensions, uint32_t length) {
    const std::string vector = std::string(info(component).vector) + std::to_string(length);
    return std::format(
        "#define T {0}\nlayout(buffer_reference, scalar, buffer_reference_align = {4}) buffer Ref "
        "{{ {7} }};\n{1}T decode(const in Ref b, const in uint32_t bc[{2}], const in "
        "uint32_t ib[{2}]) {{\nuint x = 0;\nfor (uint d = 0; d < {2}; ++d) x = x * 5 + ib[d] + 3 * "
        "bc[d];\n{3}\n}}\n{5} decodeVector(const in Ref b, const in uint32_t bc[{2}], const in "
        "uint32_t ib[{2}]) {{\n{5} v;\nfor (uint i = 0; i < {6}; ++i) {{ uint32_t c[{2}] = ib; "
        "c[{2} - 1] += i; v[i] = decode(b, bc, c); }}\nreturn v;\n}}\n",
        info(component).glsl, way.functions, dimensions, way.body, way.alignment, vector, length,
        way.reference);
}

std::string declarations(Memory memory) {
    switch (memory) {
        case Memory::kBuffer:
            return glsl::buffer(0, "tensor", "Block");
        case Memory::kAddress:
            return "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Tensor { "
                   "Block tensor[]; };\nlayout(push_constant) uniform Push { Tensor at; } push;\n";
        default:
            return "layout(set = 0, binding = 4, scalar) buffer Tensors { Block tensor[]; } "
                   "tensors[2];\n";
    }
}

class TensorDecode : public testing::TestWithParam<Case> {};

TEST_P(TensorDecode, IsCalledAsTheTextSays) {
    const Case& c = GetParam();
    const Way& way = kWays[c.way];
    auto [rng, component, use, vectorLength, wish] = Choice(c);
    const TensorCase tensor = randomTensor(rng, wish);
    // Pointer is a multiple of 16 bytes.
    const uint32_t first =
        16 / std::gcd(16u, way.blockBytes) * static_cast<uint32_t>(rng.range(0, 2));
    const auto descriptor = static_cast<uint32_t>(rng.range(0, 1));
    TensorText text(rng.range(0, 1) != 0, {descriptor});
    const std::string columns = std::to_string(wish.columns);
    TensorText constants(false);
    const std::string element = constants.number(first);
    std::string body = glsl::matrix(component, wish.rows, wish.columns, use) + " m;\n" +
                       glsl::load("m", "object", columns) + text.layout("t", tensor.layout);
    if (tensor.view) body += text.view("v", *tensor.view);
    const std::string_view way_memory[] = {"tensor", "push.at.tensor", "tensors[index].tensor"};
    if (std::string_view(way.functions).find("table") != std::string_view::npos) {
        body +=
            "if (gl_LocalInvocationIndex == 0) for (uint i = 0; i < 16; ++i) table[i] = 3 * i "
            "+ 1;\nbarrier();\n";
    }
    body +=
        std::format("coopMatLoadTensorNV(m, {}, {}, t{}, decode);\n",
                    way_memory[static_cast<size_t>(c.memory)], element, tensor.view ? ", v" : "") +
        glsl::store("m", "result", columns);
    const std::string source =
        glsl::header() +
        "#extension GL_NV_cooperative_matrix2 : require\n"
        "#extension GL_NV_cooperative_matrix_decode_vector : require\n" +
        way.types + declarations(c.memory) + glsl::buffer(1, "object", glsl::scalar(component)) +
        glsl::buffer(2, "result", glsl::scalar(component)) +
        "layout(set = 0, binding = 3, scalar) buffer Numbers { uint numbers[]; };\n" +
        decoder(way, component, c.dimensions, vectorLength) +
        "void main() {\nuint index = numbers[0];\n" + body + "}\n";
    const std::vector<uint32_t>& numbers = text.numbers();

    const uint32_t bytes = info(component).bytes;
    const size_t count = size_t{wish.rows} * wish.columns;
    Dispatch dispatch;
    const auto asBytes = std::as_bytes(std::span(numbers));
    dispatch.buffers = {rng.bytes((first + sizeOf(tensor.layout) + 1) * way.blockBytes),
                        rng.bytes(count * bytes), rng.bytes(count * bytes),
                        Bytes(asBytes.begin(), asBytes.end())};
    for (const size_t other : {0, 1}) {
        const Bytes& blocks = dispatch.buffers[0];
        dispatch.buffers.push_back(other == descriptor ? blocks : rng.bytes(blocks.size()));
    }
    if (c.memory == Memory::kAddress) dispatch.addresses = {0};
    SCOPED_TRACE(source);
    expectAsReference(compileGlsl(source), dispatch);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (size_t way = 0; way < std::size(kWays); ++way) {
        for (const Memory memory : {Memory::kBuffer, Memory::kAddress, Memory::kDescriptors}) {
            for (uint32_t dimensions = 1; dimensions <= kMaxTensorDimensions; ++dimensions) {
                all.push_back({way, memory, dimensions});
                all.push_back({way, memory, dimensions, true});
            }
        }
    }
    return covering(all, [](const Case& c) {
        const Choice choice(c);
        return factors(c.way, c.memory, c.dimensions, c.hasVectors, choice.component, choice.use,
                       choice.vectorLength, choice.wish.clamp, choice.wish.view, choice.wish.rows);
    });
}

std::string nameOf(const testing::TestParamInfo<Case>& test) {
    constexpr const char* kMemories[] = {"buffer", "address", "descriptors"};
    return std::format("{}_{}_{}{}", kWays[test.param.way].name,
                       kMemories[static_cast<size_t>(test.param.memory)], test.param.dimensions,
                       test.param.hasVectors ? "_vectors" : "");
}

// Each element's call writes a structure of small numbers.
constexpr const char* kWriter = R"(
#extension GL_NV_cooperative_matrix2 : require
struct Mark { uint16_t row; uint8_t column[2]; uint sum; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Ref {
    uint16_t number;
    Mark marks[4];
};
float decode(const in Ref b, const in uint32_t bc[2], const in uint32_t ib[2]) {
    uint column = bc[1] * 4 + ib[1];
    Mark mark;
    mark.row = uint16_t(bc[0]);
    mark.column[0] = uint8_t(column);
    mark.column[1] = uint8_t(column + 1);
    mark.sum = (bc[0] + column) * 0x10203;
    b.marks[ib[1]] = mark;
    return float(b.number & 15us);
}
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutBlockSizeNV(t, 1, 4);
    t = setTensorLayoutDimensionNV(t, 8, 16);
    coopMatLoadTensorNV(m, blocks, 0, t, decode);
    coopMatStore(m, result, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
)";

TEST(TensorDecodeWrites, ThroughItsPointer) {
    constexpr uint32_t kRows = 8, kColumns = 16, kBlock = 36, kMark = 8;
    Rng rng("TensorDecodeWrites");
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(kRows * kColumns / 4 * kBlock), rng.bytes(kRows * kColumns * 4)};
    std::vector<Bytes> expected = dispatch.buffers;
    const auto put = [](Bytes& bytes, size_t at, auto value) {
        std::memcpy(bytes.data() + at, &value, sizeof(value));
    };
    for (uint32_t row = 0; row < kRows; ++row) {
        for (uint32_t column = 0; column < kColumns; ++column) {
            const size_t block = size_t{row * kColumns + column} / 4 * kBlock;
            const size_t mark = block + 4 + size_t{column % 4} * kMark;
            put(expected[0], mark, static_cast<uint16_t>(row));
            put(expected[0], mark + 2, static_cast<uint8_t>(column));
            put(expected[0], mark + 3, static_cast<uint8_t>(column + 1));
            put(expected[0], mark + 4, (row + column) * 0x10203u);
            const auto number = static_cast<uint32_t>(expected[0][block]) & 15;
            put(expected[1], (size_t{row} * kColumns + column) * 4, static_cast<float>(number));
        }
    }
    const std::string source = glsl::header() + glsl::buffer(0, "blocks", "uint16_t") +
                               glsl::buffer(1, "result", "float") + kWriter;
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    for (size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Tensors, TensorDecode, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::tensor_decode_test
