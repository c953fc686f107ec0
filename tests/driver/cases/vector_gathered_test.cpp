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
    kTwoStarts,      // the second half from elsewhere
    kArrayWritten,   // behind the load of an element
    kWrittenLast,    // ahead of the last load
    kIndexWritten,   // half-way
    kConstantFirst,  // of the sum that is the index
    kTwoValues,      // the second half's indices are sums with another value
    kTwoArrays,      // the second half is from another one
    kBackwards,
    kRepeated,    // one element twice
    kWideStride,  // of 16 bytes
    kCells,       // a member of structures
    kLocal,       // an array of the invocation
};
constexpr std::pair<From, const char*> kFroms[] = {{From::kBuffer, "Buffer"},
                                                   {From::kShared, "Shared"},
                                                   {From::kInnerArray, "InnerArray"},
                                                   {From::kConstants, "Constants"},
                                                   {From::kPairsSwapped, "PairsSwapped"},
                                                   {From::kTwoStarts, "TwoStarts"},
                                                   {From::kArrayWritten, "ArrayWritten"},
                                                   {From::kIndexWritten, "IndexWritten"},
                                                   {From::kWrittenLast, "WrittenLast"},
                                                   {From::kConstantFirst, "ConstantFirst"},
                                                   {From::kTwoValues, "TwoValues"},
                                                   {From::kTwoArrays, "TwoArrays"},
                                                   {From::kBackwards, "Backwards"},
                                                   {From::kRepeated, "Repeated"},
                                                   {From::kWideStride, "WideStride"},
                                                   {From::kCells, "Cells"},
                                                   {From::kLocal, "Local"}};

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
        case From::kTwoValues:
            return e < c.n / 2 ? first + e : first + e + 1;
        case From::kBackwards:
            return first + c.n - 1 - e;
        case From::kRepeated:
            return first + (e == 5 ? 4 : e);
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
        case From::kTwoValues:
            return (e < c.n / 2 ? "first + " : "other + ") + std::to_string(e);
        case From::kConstantFirst:
            return std::to_string(e) + " + first";
        case From::kLocal:
            return "none + " + std::to_string(e);
        case From::kBackwards:
            return "first + " + std::to_string(c.n - 1 - e);
        case From::kRepeated:
            return "first + " + std::to_string(e == 5 ? 4 : e);
        default:
            return "first + " + std::to_string(e);
    }
}

std::string declarationsOf(const Case& c, uint32_t elements) {
    const std::string e(component(c.type).glsl);
    std::string text = vectorHeader(kInvocations);
    text += "#define E " + e + "\nstruct S { uint head; E inner[" + std::to_string(elements) +
            "]; };\n";
    const std::string buffer = "layout(set = 0, binding = 0) buffer A { ";
    switch (c.from) {
        case From::kInnerArray:
        case From::kTwoArrays:
            text += buffer + "uint ahead; S s[2]; };\n";
            break;
        case From::kWideStride:
            text += "layout(std140, set = 0, binding = 0) buffer A { E a[]; };\n";
            break;
        case From::kCells:
            text += "struct Cell { E e, unused[3]; };\n" + buffer + "Cell a[]; };\n";
            break;
        default:
            text += buffer + "E a[]; };\n";
    }
    text += "layout(set = 0, binding = 1) buffer R { E r[]; };\n";
    if (c.from == From::kShared) text += "shared E sh[" + std::to_string(elements) + "];\n";
    return text;
}

std::string sourceOf(const Case& c, uint32_t elements) {
    std::string text = declarationsOf(c, elements);
    text += "void main() {\nuint i = gl_LocalInvocationIndex, first = " + std::to_string(kSkipped) +
            " + i * " + std::to_string(c.n) + ", other = first + 1, none = i / 1000;\n";
    std::string array = "a";
    if (c.from == From::kLocal) {
        array = "local";
        const std::string n = std::to_string(c.n);
        text +=
            "E local[" + n + "];\nfor (uint k = 0; k < " + n + "; ++k) local[k] = a[first + k];\n";
    }
    if (c.from == From::kInnerArray) array = "s[i / 1000 + 1].inner";
    if (c.from == From::kShared) {
        array = "sh";
        text += "for (uint k = i; k < " + std::to_string(elements) +
                "; k += " + std::to_string(kInvocations) + ") sh[k] = a[k];\nbarrier();\n";
    }
    std::string list;
    for (uint32_t k = 0; k < c.n; ++k) {
        if (c.from == From::kTwoArrays) array = k < c.n / 2 ? "s[0].inner" : "s[1].inner";
        const std::string element =
            array + "[" + indexText(c, k) + "]" + (c.from == From::kCells ? ".e" : "");
        const char* before = "";
        if (c.from == From::kArrayWritten && k == 6) before = "a[first + 5] = E(99), ";
        if (c.from == From::kWrittenLast && k == c.n - 1) before = "a[first + 1] = E(77), ";
        if (c.from == From::kIndexWritten && k == c.n / 2) before = "++first, ";
        list += (k == 0 ? "(" : ", (") + std::string(before) + element + ")";
    }
    text += "coopvecNV<E, " + std::to_string(c.n) + "> v = coopvecNV<E, " + std::to_string(c.n) +
            ">(" + list + ");\n";
    const size_t row = (c.n * component(c.type).bytes + 15) / 16 * 16;
    return text + "coopVecStoreNV(v + v, r, i * " + std::to_string(row) + ");\n}\n";
}

class VectorValueGathered : public testing::TestWithParam<Case> {};

TEST_P(VectorValueGathered, Matches) {
    const Case& c = GetParam();
    const VectorComponent& type = component(c.type);
    const uint32_t elements = kSkipped + kInvocations * c.n + 1;
    const size_t row = (c.n * type.bytes + 15) / 16 * 16;
    const bool isWide = c.from == From::kWideStride || c.from == From::kCells;
    const size_t stride = isWide ? 16 : type.bytes;
    // Of struct { uint ahead; struct { uint head; E inner[elements]; } s[2]; }, s[1].inner.
    const size_t structure = (4 + elements * type.bytes + 3) / 4 * 4;
    const bool isInner = c.from == From::kInnerArray || c.from == From::kTwoArrays;
    const size_t start = isInner ? 4 + structure + 4 : 0;
    const auto placeOf = [&](uint32_t index, uint32_t e) {
        const bool isFirst = c.from == From::kTwoArrays && e < c.n / 2;
        return start - (isFirst ? structure : 0) + index * stride;
    };
    Rng rng(nameOf({c, 0}));
    Bytes data = rng.bytes((start + elements * stride + 3) / 4 * 4);
    for (uint32_t k = 0; k < elements; ++k) {
        for (const uint32_t e : {0u, c.n})
            putElement(data, placeOf(k, e), type, static_cast<double>(rng.range(0, 50)));
    }
    const Bytes poison = rng.bytes(kInvocations * row);
    Dispatch dispatch;
    dispatch.buffers = {data, poison};
    const Bytes result = run(compileGlsl(sourceOf(c, elements)), dispatch)[1];
    Bytes want = poison;
    for (uint32_t i = 0; i < kInvocations; ++i) {
        for (uint32_t e = 0; e < c.n; ++e) {
            const size_t from = placeOf(indexOf(c, i, e), e);
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
