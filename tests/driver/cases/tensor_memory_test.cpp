// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadTensorNV and StoreTensorNV: compares random layouts and views of each
// number of dimensions, with each clamp mode and storage class, with the specification's functions
// on the host. All bits must stay the same, and no byte outside of the tensor may change.
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

namespace coopvk::test::tensor_memory_test {
namespace {

enum class Memory { kBuffer, kShared, kAddress };

struct Pointee {
    std::string_view glsl;
    uint32_t bytes;
};
constexpr Pointee kOwn = {"", 0}, kWord = {"uint", 4}, kWords = {"uvec4", 16},
                  kStructure = {"Three", 12};

struct Shape {
    uint32_t rows, columns;
};
constexpr Shape kShapes[] = {{8, 8}, {16, 8}, {8, 16}, {4, 12}, {16, 16}, {3, 5}, {32, 8}};
constexpr Shape kWorkgroupShapes[] = {{16, 16}, {32, 16}, {16, 48}, {64, 32}, {32, 80}};
constexpr Component kComponents[] = {Component::kF16, Component::kF32, Component::kU8,
                                     Component::kS32, Component::kS8,  Component::kU16};

// One case: values that its number determines, and random ones; the tensor follows later.
struct Program {
    explicit Program(uint32_t number, bool isStore, bool ofWorkgroup)
        : rng(std::format("Tensor{}{}{}", number, isStore, ofWorkgroup)), workgroup(ofWorkgroup) {
        const std::span<const Shape> shapes =
            workgroup ? std::span<const Shape>(kWorkgroupShapes) : kShapes;
        const Shape shape =
            shapes[static_cast<size_t>(rng.range(0, static_cast<int64_t>(shapes.size()) - 1))];
        wish = {1 + number % kMaxTensorDimensions,
                static_cast<TensorClamp>(number / 5 % 5),
                static_cast<TensorViewKind>(number / 25 % kTensorViewKinds),
                shape.rows,
                shape.columns,
                isStore,
                !isStore && rng.range(0, 3) == 0};
        wish.isAligned = rng.range(0, 1) != 0;
        component = kComponents[static_cast<size_t>(rng.range(0, std::size(kComponents) - 1))];
        use = kAllUses[rng.range(0, 2)];
        memory = static_cast<Memory>(rng.range(0, 2));
        constexpr Pointee kPointees[] = {kOwn, kOwn, kWord, kWords, kStructure};
        pointee = kPointees[rng.range(0, 4)];
        if (memory == Memory::kShared && pointee.glsl == kStructure.glsl) pointee = kWord;
        if (pointee.bytes == 0) pointee = {glsl::scalar(component), info(component).bytes};
        fromBuffer = rng.range(0, 1) != 0;
    }

    void placeTensor() {
        tensor = randomTensor(rng, wish);
        // The specification requires a Pointer at a multiple of 16 bytes; programs use others.
        const uint32_t step = rng.range(0, 2) == 0 ? std::max(1u, info(component).bytes / 4)
                                                   : 48 / std::gcd(48u, pointee.bytes);
        firstElement = step * static_cast<uint32_t>(rng.range(0, 3));
        const uint32_t bytes =
            firstElement * pointee.bytes + sizeOf(tensor.layout) * info(component).bytes;
        elements = bytes / pointee.bytes + 8;
    }

    Rng rng;
    bool workgroup;
    TensorWish wish;
    Component component = {};
    Use use = {};
    Memory memory = {};
    Pointee pointee = {};
    bool fromBuffer = false;
    TensorCase tensor;
    uint32_t firstElement = 0;
    uint32_t elements = 0;  // pointees in memory
};

constexpr uint32_t kMostSharedBytes = 16384;

std::string header(const Program& p) {
    std::string text = glsl::header(p.workgroup ? 3 : 1);
    return text +
           "#extension GL_NV_cooperative_matrix2 : require\n"
           "struct Three { uint word[3]; };\n"
           "layout(set = 0, binding = 3, scalar) buffer Numbers { uint numbers[]; };\n";
}

std::string memoryDeclarations(const Program& p) {
    if (p.memory == Memory::kAddress) {
        return std::format(
            "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Tensor {{ {} "
            "tensor[]; }};\nlayout(push_constant) uniform Push {{ Tensor at; }} push;\n",
            p.pointee.glsl);
    }
    std::string text = glsl::buffer(0, "tensor", p.pointee.glsl);
    if (p.memory == Memory::kShared) {
        text += std::format("shared {} near[{}];\n", p.pointee.glsl, p.elements);
    }
    return text;
}

std::string copies(const Program& p, std::string_view to, std::string_view from) {
    return std::format(
        "for (uint i = gl_LocalInvocationIndex; i < {}; i += gl_WorkGroupSize.x * "
        "gl_WorkGroupSize.y) {}[i] = {}[i];\n",
        p.elements, to, from);
}

std::string source(const Program& p, TensorText& text) {
    std::string matrix = glsl::matrix(p.component, p.wish.rows, p.wish.columns, p.use);
    if (p.workgroup) matrix.replace(matrix.find("gl_ScopeSubgroup"), 16, "gl_ScopeWorkgroup");
    const bool isShared = p.memory == Memory::kShared;
    const std::string_view array = isShared                       ? "near"
                                   : p.memory == Memory::kAddress ? "push.at.tensor"
                                                                  : "tensor";
    const std::string columns = std::to_string(p.wish.columns);
    std::string body = matrix + " m;\n" + glsl::load("m", "object", columns);
    body += text.layout("t", p.tensor.layout);
    if (p.tensor.view) body += text.view("v", *p.tensor.view);
    if (isShared) body += copies(p, "near", "tensor") + "barrier();\n";
    body += std::format("{}(m, {}, {}, t{});\n",
                        p.wish.isStore ? "coopMatStoreTensorNV" : "coopMatLoadTensorNV", array,
                        text.number(p.firstElement), p.tensor.view ? ", v" : "");
    if (isShared && p.wish.isStore) body += "barrier();\n" + copies(p, "tensor", "near");
    if (!p.wish.isStore) body += glsl::store("m", "result", columns);
    return header(p) + memoryDeclarations(p) +
           glsl::buffer(1, "object", glsl::scalar(p.component)) +
           glsl::buffer(2, "result", glsl::scalar(p.component)) + "void main() {\n" + body + "}\n";
}

void runProgram(Program& p) {
    const uint32_t bytes = info(p.component).bytes;
    TensorText text(p.fromBuffer);
    const Words words = compileGlsl(source(p, text));
    const std::vector<uint32_t>& numbers = text.numbers();
    const size_t count = size_t{p.wish.rows} * p.wish.columns;
    Dispatch dispatch;
    dispatch.buffers = {p.rng.bytes(size_t{p.elements} * p.pointee.bytes),
                        p.rng.bytes(count * bytes), p.rng.bytes(count * bytes), Bytes()};
    const auto asBytes = std::as_bytes(std::span(numbers));
    dispatch.buffers[3].assign(asBytes.begin(), asBytes.end());
    if (p.memory == Memory::kAddress) dispatch.addresses = {0};
    expectAsReference(words, dispatch);
}

using Case = std::tuple<uint32_t, bool, bool>;

class TensorMemory : public testing::TestWithParam<Case> {};

TEST_P(TensorMemory, IsAsTheTextSays) {
    const auto [number, isStore, ofWorkgroup] = GetParam();
    Program p(number, isStore, ofWorkgroup);
    p.placeTensor();
    if (p.memory == Memory::kShared && p.elements * p.pointee.bytes > kMostSharedBytes) {
        p.memory = Memory::kBuffer;
    }
    SCOPED_TRACE(std::format("{} dimensions, clamp mode {}, view {}, {}x{}", p.wish.dimensions,
                             static_cast<int>(p.wish.clamp), static_cast<int>(p.wish.view),
                             p.wish.rows, p.wish.columns));
    runProgram(p);
}

std::string nameOf(const testing::TestParamInfo<Case>& test) {
    const auto [number, isStore, ofWorkgroup] = test.param;
    return std::format("{}{}{}", isStore ? "store" : "load", number,
                       ofWorkgroup ? "_workgroup" : "");
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const bool isStore : {false, true}) {
        for (uint32_t number = 0; number < 100; ++number) {
            all.emplace_back(number, isStore, false);
            if (number % 7 == 0) all.emplace_back(number, isStore, true);
        }
    }
    return covering(all, [](const Case& c) {
        const auto [number, isStore, ofWorkgroup] = c;
        const Program p(number, isStore, ofWorkgroup);
        return factors(p.wish.dimensions, p.wish.clamp, p.wish.view, isStore,
                       std::format("{}x{}", p.wish.rows, p.wish.columns), ofWorkgroup,
                       p.wish.hasBlocks, p.wish.isAligned, p.component, p.use, p.memory,
                       p.pointee.glsl, p.fromBuffer);
    });
}

INSTANTIATE_TEST_SUITE_P(Tensors, TensorMemory, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::tensor_memory_test
