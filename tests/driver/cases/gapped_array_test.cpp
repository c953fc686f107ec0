// SPDX-License-Identifier: Apache-2.0
//
// Pointers into arrays whose elements have gaps between them, such as vec3 at multiples of 16
// bytes. "Any ArrayStride decoration on Pointer is ignored" (SPV_KHR_cooperative_matrix,
// SPV_NV_cooperative_vector, SPV_NV_cooperative_matrix2): what is accessed lies in the bytes from
// the pointer on, in the gaps, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::gapped_array_test {
namespace {

struct Element {
    const char* glsl;
    const char* layout;
    uint32_t bytes, stride;
    bool isTriple = false;  // vectors of four become those of three, which GLSL does not take here
};

constexpr Element kElements[] = {
    {"vec4", "std430", 12, 16, true}, {"f16vec4", "std430", 6, 8, true},
    {"u8vec4", "std430", 3, 4, true}, {"float", "std140", 4, 16},
    {"f16vec2", "std140", 4, 16},     {"uint8_t", "std140", 1, 16},
    {"i16vec4", "std140", 8, 16},     {"vec2", "std140", 8, 16},
    {"double", "std140", 8, 16},
};

Words withTriples(Words words) {
    constexpr uint32_t kVectorType = 4u << 16 | 23;  // four words: opcode, result, component, count
    for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
        if (words[at] == kVectorType && words[at + 3] == 4) words[at + 3] = 3;
    }
    return words;
}

enum class Memory { kBuffer, kDescriptors, kRows, kAddress, kShared };
constexpr std::string_view kMemories[] = {"buffer", "descriptors", "rows", "address", "shared"};
enum class Way {
    kLoad,
    kStore,
    kWorkgroupLoad,
    kWorkgroupStore,
    kTensorLoad,
    kTensorStore,
    kVectorLoad,
    kVectorStore
};
constexpr std::string_view kWays[] = {"load",           "store",      "workgroupLoad",
                                      "workgroupStore", "tensorLoad", "tensorStore",
                                      "vectorLoad",     "vectorStore"};
constexpr Component kComponents[] = {Component::kF16, Component::kF32, Component::kS8,
                                     Component::kE4M3};

struct Case {
    size_t element;
    Memory memory;
    Way way;
    Component component;
    bool columnMajor;

    bool isStore() const {
        return way == Way::kStore || way == Way::kWorkgroupStore || way == Way::kTensorStore ||
               way == Way::kVectorStore;
    }
    bool isOfWorkgroup() const { return way == Way::kWorkgroupLoad || way == Way::kWorkgroupStore; }
    bool isVector() const { return way == Way::kVectorLoad || way == Way::kVectorStore; }
    bool isTensor() const { return way == Way::kTensorLoad || way == Way::kTensorStore; }
    uint32_t lines() const { return isVector() ? 1 : isOfWorkgroup() ? 16 : 8; }
    uint32_t lineBytes() const { return (isVector() ? 24 : lines()) * info(component).bytes; }
    // From a line to the next, in elements: pointers and strides are multiples of 16 bytes, or of a
    // line if that is less.
    uint32_t stride() const {
        const uint32_t aligned = std::min(lineBytes(), 16u), bytes = kElements[element].bytes;
        uint32_t count = (lineBytes() + bytes - 1) / bytes;
        while (count * bytes % aligned != 0) ++count;
        return count;
    }
    uint32_t lineStep() const { return stride() * kElements[element].bytes; }
};

// The matrix starts at this element of the array, after the first row in an array of arrays.
constexpr uint32_t kFirst = 4, kInRow = 8;

uint32_t startOf(const Case& c) {
    return (c.memory == Memory::kRows ? kInRow + kFirst : kFirst) * kElements[c.element].stride;
}

uint32_t words(const Case& c) { return (startOf(c) + c.lines() * c.lineStep()) / 4 + 4; }

std::string declarations(const Case& c) {
    const Element& element = kElements[c.element];
    const std::string block = std::format("buffer X {{ {} x[]; }}", element.glsl);
    constexpr const char* kPush = "layout(push_constant) uniform Push { uint n; } push;\n";
    switch (c.memory) {
        case Memory::kBuffer:
            return std::format("layout(binding = 0, {}) {};\n", element.layout, block);
        case Memory::kDescriptors:
            return std::format("layout(binding = 4, {}) {} xs[2];\n", element.layout, block) +
                   kPush;
        case Memory::kRows:
            return std::format("layout(binding = 0, {}) buffer X {{ {} x[][{}]; }};\n",
                               element.layout, element.glsl, kInRow) +
                   kPush;
        case Memory::kAddress:
            return std::format(
                "layout(buffer_reference, {}, buffer_reference_align = 16) {};\n"
                "layout(push_constant) uniform Push {{ X at; }} push;\n",
                element.layout, block);
        default:
            return std::format(
                "#extension GL_EXT_shared_memory_block : require\n"
                "layout({}) shared X {{ {} x[{}]; }};\nlayout(std430) shared W {{ uint w[{}]; }};\n"
                "layout(binding = 0) buffer Words {{ uint words[]; }};\n",
                element.layout, element.glsl, words(c) * 4 / element.stride, words(c));
    }
}

std::string accessText(const Case& c) {
    constexpr const char* kArrays[] = {"x", "xs[push.n].x", "x[push.n]", "push.at.x", "x"};
    const std::string array = kArrays[static_cast<size_t>(c.memory)];
    const std::string_view component = info(c.component).glsl;
    if (c.isVector()) {
        const uint32_t first = kFirst * kElements[c.element].stride;
        const std::string move =
            c.isStore()
                ? std::format("coopVecLoadNV(v, y, 0);\ncoopVecStoreNV(v, {}, {});\n", array, first)
                : std::format("coopVecLoadNV(v, {}, {});\ncoopVecStoreNV(v, y, 0);\n", array,
                              first);
        return std::format("if (gl_LocalInvocationIndex == 0) {{\ncoopvecNV<{}, 24> v;\n{}}}\n",
                           component, move);
    }
    const Use use = info(c.component).bytes == 1 ? Use::kA : Use::kAccumulator;
    std::string matrix = glsl::matrix(c.component, c.lines(), c.lines(), use) + " m;\n";
    const size_t scope = matrix.find("gl_ScopeSubgroup");
    if (c.isOfWorkgroup()) matrix.replace(scope, 16, "gl_ScopeWorkgroup");
    const std::string lines = std::to_string(c.lines());
    const std::string layout = glsl::layout(c.columnMajor);
    std::string at = std::format("{}, {}, {}, {}", array, kFirst, c.stride(), layout);
    std::string operation = c.isStore() ? "coopMatStore" : "coopMatLoad";
    if (c.isTensor()) {
        matrix += std::format(
            "tensorLayoutNV<2> t = createTensorLayoutNV(2);\n"
            "t = setTensorLayoutDimensionNV(t, {0}, {0});\nt = setTensorLayoutStrideNV(t, {1}, "
            "1);\n",
            lines, c.lineStep() / info(c.component).bytes);
        at = std::format("{}, {}, t", array, kFirst);
        operation += "TensorNV";
    }
    const std::string other = std::format("m, y, 0, {}, {}", lines, layout);
    return matrix + (c.isStore()
                         ? std::format("coopMatLoad({});\n{}(m, {});\n", other, operation, at)
                         : std::format("{}(m, {});\ncoopMatStore({});\n", operation, at, other));
}

std::string sourceOf(const Case& c) {
    std::string text = glsl::header();
    if (c.isTensor()) text += "#extension GL_NV_cooperative_matrix2 : require\n";
    if (c.isVector()) text += "#extension GL_NV_cooperative_vector : require\n";
    text += declarations(c) + glsl::buffer(1, "y", info(c.component).glsl) + "void main() {\n";
    if (c.memory != Memory::kShared) return text + accessText(c) + "}\n";
    const std::string all = std::format(
        "for (uint i = gl_LocalInvocationIndex; i < {}; i += gl_WorkGroupSize.x) ", words(c));
    return text + all + "w[i] = words[i];\nbarrier();\n" + accessText(c) + "barrier();\n" + all +
           "words[i] = w[i];\n}\n";
}

class GappedArrays : public testing::TestWithParam<Case> {};

TEST_P(GappedArrays, AreReadAndWrittenWithoutGaps) {
    const Case& c = GetParam();
    COOPVK_REQUIRE(c.component);
    if (c.memory == Memory::kShared) COOPVK_REQUIRE(Requirement::kWorkgroupLayout);
    if (c.isTensor() || c.isOfWorkgroup()) {
        COOPVK_REQUIRE(Requirement::kWorkgroupMatrices);
    }
    Rng rng(std::format("Gapped{}{}{}{}", c.element, static_cast<int>(c.memory),
                        static_cast<int>(c.way), static_cast<int>(c.component)));
    const bool isSecond = c.memory == Memory::kDescriptors;
    const size_t x = isSecond ? 5 : 0;
    Dispatch dispatch;
    for (int i = 0; i < 6; ++i) dispatch.buffers.push_back(rng.bytes(words(c) * 4));
    dispatch.buffers[1] = rng.bytes(c.lines() * c.lineBytes());
    dispatch.push = pushWords({1});
    if (c.memory == Memory::kAddress) dispatch.addresses = {0};
    std::vector<Bytes> expected = dispatch.buffers;
    for (uint32_t line = 0; line < c.lines(); ++line) {
        const auto inArray = expected[x].begin() + startOf(c) + line * c.lineStep();
        const auto inOther = expected[1].begin() + line * c.lineBytes();
        if (c.isStore()) {
            std::copy_n(inOther, c.lineBytes(), inArray);
        } else {
            std::copy_n(inArray, c.lineBytes(), inOther);
        }
    }
    const std::string source = sourceOf(c);
    SCOPED_TRACE(source);
    const Words words = compileGlsl(source);
    const std::vector<Bytes> after =
        run(kElements[c.element].isTriple ? withTriples(words) : words, dispatch);
    for (size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
    }
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (size_t element = 0; element < std::size(kElements); ++element) {
        for (size_t memory = 0; memory < std::size(kMemories); ++memory) {
            for (size_t way = 0; way < std::size(kWays); ++way) {
                for (const Component component : kComponents) {
                    for (const bool columnMajor : {false, true}) {
                        const Case c{element, static_cast<Memory>(memory), static_cast<Way>(way),
                                     component, columnMajor};
                        // Tensors go along rows, vectors have no layout.
                        if (columnMajor && (c.isTensor() || c.isVector())) continue;
                        // With a driver's matrices they go through shared memory.
                        const bool isPlain = c.way == Way::kLoad || c.way == Way::kStore;
                        if (component == Component::kE4M3 && !isPlain) continue;
                        // GLSL's vectors are in one-dimensional arrays.
                        if (c.isVector() && c.memory == Memory::kRows) continue;
                        all.push_back(c);
                    }
                }
            }
        }
    }
    return covering(all, [](const Case& c) {
        return factors(c.element, c.memory, c.way, c.component, c.columnMajor);
    });
}

std::string nameOf(const testing::TestParamInfo<Case>& test) {
    const Case& c = test.param;
    const Element& element = kElements[c.element];
    return std::format("{}{}_{}_{}_{}_{}_{}", element.glsl, element.isTriple ? "_as_3" : "",
                       element.layout, kMemories[static_cast<size_t>(c.memory)],
                       kWays[static_cast<size_t>(c.way)], name(c.component),
                       c.columnMajor ? "columns" : "rows");
}

INSTANTIATE_TEST_SUITE_P(All, GappedArrays, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::gapped_array_test
