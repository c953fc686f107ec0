// SPDX-License-Identifier: Apache-2.0
//
// Large cooperative vectors that a shader assembles from elements which it loads one by one:
// adjacent elements, in other orders, and with writes among the loads.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/random.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_gathered_test {
namespace {

constexpr uint32_t kInvocations = 24;
constexpr uint32_t kSkipped = 3;  // elements ahead of the first vector

enum class From {
    kBuffer,
    kShared,
    kInnerArray,  // of a structure of an array of structures
    kConstants,   // constant indices
    kPairsSwapped,
    kTwoStarts,     // the second half from elsewhere
    kArrayWritten,  // behind the load of an element
    kWrittenLast,   // ahead of the last load
    kIndexWritten,  // half-way
};
constexpr std::pair<From, const char*> kFroms[] = {{From::kBuffer, "Buffer"},
                                                   {From::kShared, "Shared"},
                                                   {From::kInnerArray, "InnerArray"},
                                                   {From::kConstants, "Constants"},
                                                   {From::kPairsSwapped, "PairsSwapped"},
                                                   {From::kTwoStarts, "TwoStarts"},
                                                   {From::kArrayWritten, "ArrayWritten"},
                                                   {From::kIndexWritten, "IndexWritten"},
                                                   {From::kWrittenLast, "WrittenLast"}};

struct Case {
    From from;
    VkComponentTypeKHR type;
    uint32_t n;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    const auto* name = std::ranges::find(kFroms, c.from, &std::pair<From, const char*>::first);
    return std::string(name->second) + "_" + std::string(component(c.type).name) + "x" +
           std::to_string(c.n);
}

// The element that component `e` of invocation `i` comes from.
uint32_t indexOf(const Case& c, uint32_t i, uint32_t e) {
    const uint32_t first = c.from == From::kConstants ? kSkipped : kSkipped + i * c.n;
    switch (c.from) {
        case From::kPairsSwapped:
            return first + std::min(e ^ 1, c.n - 1);
        case From::kTwoStarts:
        case From::kIndexWritten:
            return e < c.n / 2 ? first + e : first + e + 1;
        default:
            return first + e;
    }
}

// The same in the shader; `first` is the variable.
std::string indexText(const Case& c, uint32_t e) {
    switch (c.from) {
        case From::kConstants:
            return std::to_string(kSkipped + e);
        case From::kPairsSwapped:
            return "first + " + std::to_string(std::min(e ^ 1, c.n - 1));
        case From::kTwoStarts:
            return (e < c.n / 2 ? "first + " : "(first + 1) + ") + std::to_string(e);
        default:
            return "first + " + std::to_string(e);
    }
}

std::string sourceOf(const Case& c, uint32_t elements) {
    const VectorComponent& type = component(c.type);
    const std::string e(type.glsl);
    std::string text = vectorHeader(kInvocations);
    text += "#define E " + e + "\nstruct S { uint head; E inner[" + std::to_string(elements) +
            "]; };\n";
    text += c.from == From::kInnerArray
                ? "layout(set = 0, binding = 0) buffer A { uint ahead; S s[2]; };\n"
                : "layout(set = 0, binding = 0) buffer A { E a[]; };\n";
    text += "layout(set = 0, binding = 1) buffer R { E r[]; };\n";
    if (c.from == From::kShared) text += "shared E sh[" + std::to_string(elements) + "];\n";
    text += "void main() {\nuint i = gl_LocalInvocationIndex, first = " + std::to_string(kSkipped) +
            " + i * " + std::to_string(c.n) + ";\n";
    std::string array = "a";
    if (c.from == From::kInnerArray) array = "s[i / 1000 + 1].inner";
    if (c.from == From::kShared) {
        array = "sh";
        text += "for (uint k = i; k < " + std::to_string(elements) +
                "; k += " + std::to_string(kInvocations) + ") sh[k] = a[k];\nbarrier();\n";
    }
    std::string list;
    for (uint32_t k = 0; k < c.n; ++k) {
        const std::string element = array + "[" + indexText(c, k) + "]";
        const char* before = "";
        if (c.from == From::kArrayWritten && k == 6) before = "a[first + 5] = E(99), ";
        if (c.from == From::kWrittenLast && k == c.n - 1) before = "a[first + 1] = E(77), ";
        if (c.from == From::kIndexWritten && k == c.n / 2) before = "++first, ";
        list += (k == 0 ? "(" : ", (") + std::string(before) + element + ")";
    }
    text += "coopvecNV<E, " + std::to_string(c.n) + "> v = coopvecNV<E, " + std::to_string(c.n) +
            ">(" + list + ");\n";
    const size_t row = (c.n * type.bytes + 15) / 16 * 16;
    return text + "coopVecStoreNV(v + v, r, i * " + std::to_string(row) + ");\n}\n";
}

class VectorValueGathered : public testing::TestWithParam<Case> {};

TEST_P(VectorValueGathered, Matches) {
    const Case& c = GetParam();
    const VectorComponent& type = component(c.type);
    const uint32_t elements = kSkipped + kInvocations * c.n + 1;
    const size_t row = (c.n * type.bytes + 15) / 16 * 16;
    // Of struct { uint ahead; struct { uint head; E inner[elements]; } s[2]; }, s[1].inner.
    const size_t structure = (4 + elements * type.bytes + 3) / 4 * 4;
    const size_t start = c.from == From::kInnerArray ? 4 + structure + 4 : 0;
    Rng rng(nameOf({c, 0}));
    Bytes data = rng.bytes((start + elements * type.bytes + 3) / 4 * 4);
    for (uint32_t k = 0; k < elements; ++k) {
        putElement(data, start + k * type.bytes, type, static_cast<double>(rng.range(0, 50)));
    }
    const Bytes poison = rng.bytes(kInvocations * row);
    Dispatch dispatch;
    dispatch.buffers = {data, poison};
    const Bytes result = run(compileGlsl(sourceOf(c, elements)), dispatch)[1];
    Bytes want = poison;
    for (uint32_t i = 0; i < kInvocations; ++i) {
        for (uint32_t e = 0; e < c.n; ++e) {
            const size_t from = start + indexOf(c, i, e) * type.bytes;
            putElement(want, i * row + e * type.bytes, type, 2 * getElement(data, from, type));
        }
    }
    for (size_t at = 0; at < want.size(); ++at) {
        ASSERT_EQ(result[at], want[at]) << "byte " << at % row << " of invocation " << at / row;
    }
}

std::vector<Case> cases() {
    std::vector<Case> list = {{From::kBuffer, VK_COMPONENT_TYPE_FLOAT16_KHR, 259},
                              {From::kConstants, VK_COMPONENT_TYPE_UINT8_KHR, 518}};
    // Drivers compile vectors of 32-bit components fastest.
    for (const auto& [from, name] : kFroms) {
        list.push_back({from, VK_COMPONENT_TYPE_FLOAT32_KHR, 131});
    }
    return list;
}

INSTANTIATE_TEST_SUITE_P(, VectorValueGathered, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_gathered_test
