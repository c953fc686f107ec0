// SPDX-License-Identifier: Apache-2.0
#include "symbol_pairs.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "../driver/harness/shader.hpp"
#include "coopvk_reference/buffers.hpp"
#include "coopvk_reference/symbols.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using coopvk::test::compileGlsl;
using coopvk::test::Words;

// a to d: floats; i, j: integers; h: halves; r: the result. Each of 4 lanes has its own.
constexpr auto kHead = R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_NV_shader_subgroup_partitioned : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer A { vec4 floats[4]; uvec4 words[4]; f16vec4 halves[4]; };
layout(binding = 1) buffer R { uint results[4]; };
void main() {
    const uint at = gl_LocalInvocationIndex;
    const float a = floats[at].x, b = floats[at].y, c = floats[at].z, d = floats[at].w;
    const uint i = words[at].x, j = words[at].y;
    const float16_t h = halves[at].x, k = halves[at].y;
    precise float p = 0.0;
    float f = 0.0;
    uint u = 0;
    float16_t g = float16_t(0);
    precise float16_t q = float16_t(0);
)";
constexpr auto kTail = R"(
    results[at] = u ^ floatBitsToUint(f) ^ floatBitsToUint(p) ^ uint(float16BitsToUint16(g)) ^
                  uint(float16BitsToUint16(q));
})";

// Around a whole program: matrices of a subgroup of 4 lanes, and functions that combine elements.
constexpr auto kWholeHead = R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
#extension GL_EXT_bfloat16 : require
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer A { float floats[16]; uint words[16]; float16_t halves[16]; };
layout(binding = 1) buffer R { float results[4]; };
layout(binding = 1) buffer I { uint integers[4]; };
layout(binding = 1) buffer H { float16_t shorts[8]; };
#define M(T, ROWS, COLUMNS) \
    coopmat<T, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>
#define REDUCED(T, ROWS, COLUMNS, FROM, MODE, BY, TO) \
    M(T, 4, 4) m; \
    coopMatLoad(m, FROM, 0, 4, gl_CooperativeMatrixLayoutRowMajor); \
    M(T, ROWS, COLUMNS) r; \
    coopMatReduceNV(r, m, gl_CooperativeMatrixReduce##MODE##NV, BY); \
    coopMatStore(r, TO, 0, COLUMNS, gl_CooperativeMatrixLayoutRowMajor);
float total(const in float x, const in float y) { return x + y; }
float most(const in float x, const in float y) { return max(x, y); }
float first(const in float x, const in float y) { return x; }
float weighted(const in float x, const in float y) { return x + y * 0.5; }
float exact(const in float x, const in float y) { precise float z = x + y * 0.5; return z; }
uint totalOf(const in uint x, const in uint y) { return x + y; }
uint mostOf(const in uint x, const in uint y) { return max(x, y); }
uint apart(const in uint x, const in uint y) { return x - y; }
uint bits(const in uint x, const in uint y) { return x | y; }
float16_t shortTotal(const in float16_t x, const in float16_t y) { return x + y; }
)";
std::string textOf(const char* body) {
    const std::string text = body;
    if (text.starts_with("#version")) return text;
    return text.find("void main") != std::string::npos ? kWholeHead + text : kHead + text + kTail;
}

Words moduleOf(const char* body) {
    if (std::string_view(body).starts_with("OpCapability")) return coopvk::test::assemble(body);
    return compileGlsl(textOf(body));
}

// The id that an instruction with this opcode makes; empty: it is none.
std::string resultOf(const std::string& line, const std::string& opcode) {
    const size_t is = line.find(" = ");
    if (is == std::string::npos || line.find(opcode + " ", is) == std::string::npos) return {};
    const size_t first = line.find('%');
    return line.substr(first, is - first);
}

// A module of which this is said.
Words withWords(const Words& words, const char* says) {
    if (*says == 0) return words;
    std::string modes, decorations, text, line;
    std::istringstream notes(says);
    const std::string module = coopvk::test::disassemble(words);
    while (std::getline(notes, line)) {
        const size_t end = line.find(' ');
        const std::string opcode = line.substr(0, end);
        std::istringstream lines(module);
        std::string found;
        for (std::string each; std::getline(lines, each);)
            if (const std::string id = resultOf(each, opcode); !id.empty())
                found += "OpDecorate " + id + line.substr(end) + "\n";
        decorations += found;
        if (found.empty()) modes += "OpExecutionMode %main " + line + "\n";
    }
    std::istringstream lines(module);
    for (bool isBefore = true; std::getline(lines, line);) {
        if (isBefore && line.find("= OpType") != std::string::npos) {
            text += decorations;
            isBefore = false;
        }
        text += line + "\n";
        if (line.find("OpExecutionMode ") != std::string::npos) text += std::exchange(modes, {});
    }
    return coopvk::test::assemble(text, coopvk::test::Checked::kNo);
}

class Side {
 public:
    Side(const char* body, const char* says, Symbols& symbols) {
        const Words words = withWords(moduleOf(body), says);
        const auto program =
            makeProgram({.words = words, .subgroupSize = 4, .validate = *says == 0});
        if (!program) {
            error = program.error().message;
            return;
        }
        program_ = *program;
        BufferList buffers;
        buffers.add(0, 0, 0, rangeOf(input, inputDeviations));
        buffers.add(0, 1, 0, rangeOf(output, outputDeviations));
        for (size_t n = 0; n < input.size(); ++n) input[n] = std::byte(n * 37 % 59);
        static_assert(kFirst > 0);
        for (size_t n = 0; n < input.size(); ++n) inputDeviations[n] = kFirst + Deviation(n);
        const Settings settings{.subgroupSize = 4, .threads = 1, .symbols = &symbols};
        ReportList list;
        const Status status = execute(*program_, {}, buffers, settings, list);
        error = symbols.takeObstacle();
        if (error.empty() && !status) error = status.error().message;
        if (error.empty() && !list.reports.empty()) error = describe(list.reports[0]);
    }

    // All start with the same bytes.
    static constexpr Deviation kFirst = 1;
    static constexpr size_t kInput = 160, kOutput = 16;
    std::string error;
    std::vector<std::byte> input = std::vector<std::byte>(kInput),
                           output = std::vector<std::byte>(kOutput);
    std::vector<Deviation> inputDeviations = std::vector<Deviation>(kInput),
                           outputDeviations = std::vector<Deviation>(kOutput);

 private:
    static Range rangeOf(std::vector<std::byte>& bytes, std::vector<Deviation>& deviations) {
        return {.data = bytes.data(), .size = bytes.size(), .deviations = deviations.data()};
    }
    std::shared_ptr<const Program> program_;
};

}  // namespace

std::string whyNot(const Pair& pair, uint32_t* assumptions) {
    Symbols symbols;
    std::vector<std::byte> sample(Side::kInput);
    for (size_t n = 0; n < sample.size(); ++n) sample[n] = std::byte(n * 37 % 59);
    EXPECT_EQ(symbols.addBytes(sample.data(), sample.size()), Side::kFirst);
    const Side native(pair.native, pair.nativeSays, symbols),
        rewritten(pair.rewritten, pair.rewrittenSays, symbols);
    if (!native.error.empty()) return native.error;
    if (!rewritten.error.empty()) return rewritten.error;
    Proof proof(symbols);
    const auto number =
        numbers::format(pair.number).floating() ? std::optional(pair.number) : std::nullopt;
    const uint32_t size = number ? numbers::format(*number).bits / 8 : 4;
    for (size_t at = 0; at < Side::kOutput; at += size) {
        if (!proof.allows(native.outputDeviations.data() + at, native.output.data() + at,
                          rewritten.outputDeviations.data() + at, rewritten.output.data() + at,
                          size, number))
            return proof.reason();
    }
    if (assumptions != nullptr) *assumptions = proof.assumptions();
    return {};
}

std::string wordOf(std::string name) {
    for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
    return name;
}

}  // namespace coopvk::reference::symbols_test
