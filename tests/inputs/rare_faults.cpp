// SPDX-License-Identifier: Apache-2.0
#include "rare_faults.hpp"

#include <format>
#include <span>
#include <vector>

#include "../driver/harness/shader.hpp"
#include "numbers.hpp"

namespace coopvk::test {
namespace {

using check::Random;

constexpr const char* kRareHead = R"(#version 460
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x = ${INVOCATIONS}) in;
)";

// Patterns that a watched number may have.
enum class Patterns {
    kWord,     // all
    kNumbers,  // floats of every format: neither zero nor NaN
    kFloat,    // numbers of f32 that sums of products of halves may be
    kShort,    // halves that are no small integers
};

// A number that the fault looks at, as a word.
struct Watched {
    const char* word;
    Patterns patterns;
};
struct RareShader {
    const char* name;
    const char* type;  // of the value, which has the name v
    std::vector<Watched> watched;
    const char* other;  // another value of this type
    // ${FAULT}: where the value may change; ${STORES}: where it is not yet stored.
    const char* text;
    bool hasMatrices = false;
    uint32_t invocations = 32;
};

#define PRODUCT(A, C)                                                       \
    "layout(binding = 0) readonly buffer A { " A                            \
    " a[512]; };\n"                                                         \
    "layout(binding = 0) readonly buffer W { uint words[256]; };\n"         \
    "layout(binding = 1) buffer R { " C                                     \
    " r[256]; };\n"                                                         \
    "void main() {\n"                                                       \
    "    const uint at = gl_LocalInvocationIndex;\n"                        \
    "    coopmat<" A                                                        \
    ", gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x;\n"                       \
    "    coopmat<" A                                                        \
    ", gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;\n"                       \
    "    coopmat<" C                                                        \
    ", gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> z;\n"             \
    "    coopMatLoad(x, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);\n"   \
    "    coopMatLoad(y, a, 256, 16, gl_CooperativeMatrixLayoutRowMajor);\n" \
    "    coopMatLoad(z, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);\n"   \
    "    z = coopMatMulAdd(x, y, z);\n"                                     \
    "    for (int n = 0; n < z.length(); ++n) { " C                         \
    " v = z[n]; ${FAULT} z[n] = v; }\n"                                     \
    "    coopMatStore(z, r, 0, 16, gl_CooperativeMatrixLayoutRowMajor);\n"  \
    "}\n"
#define EACH(A, R, WHAT)                                           \
    "layout(binding = 0) readonly buffer A { " A                   \
    " a[256]; };\n"                                                \
    "layout(binding = 0) readonly buffer W { uint words[]; };\n"   \
    "layout(binding = 1) writeonly buffer R { " R                  \
    " r[]; };\n"                                                   \
    "shared uint staged[32];\n"                                    \
    "void main() { const uint at = gl_LocalInvocationIndex; " WHAT \
    " ${FAULT} ${STORES} r[at] = v; }\n"

const RareShader kRareShaders[] = {
    {"product of halves",
     "float",
     {{"floatBitsToUint(v)", Patterns::kFloat}, {"words[at]", Patterns::kNumbers}},
     "z[0]",
     PRODUCT("float16_t", "float"),
     true},
    {"product of bfloat16",
     "float",
     {{"floatBitsToUint(v)", Patterns::kFloat}, {"words[at]", Patterns::kNumbers}},
     "z[0]",
     PRODUCT("bfloat16_t", "float"),
     true},
    {"product of bytes",
     "int32_t",
     {{"uint(v)", Patterns::kWord}, {"words[at]", Patterns::kNumbers}},
     "z[0]",
     PRODUCT("int8_t", "int32_t"),
     true},
    {"words",
     "uint",
     {{"x", Patterns::kWord},
      {"y", Patterns::kWord},
      {"(x + y)", Patterns::kWord},
      {"v", Patterns::kWord}},
     "y",
     EACH("uint", "uint", "const uint x = a[at], y = a[at + 32]; uint v = (x * 5 + y) ^ y >> 7;")},
    {"floats",
     "float",
     {{"floatBitsToUint(x)", Patterns::kNumbers},
      {"floatBitsToUint(z)", Patterns::kNumbers},
      {"floatBitsToUint(x + y)", Patterns::kFloat},
      {"floatBitsToUint(v)", Patterns::kFloat}},
     "y",
     EACH("float", "float",
          "const float x = a[at], y = a[at + 32], z = a[at + 64]; float v = x * y + z;")},
    {"halves that become floats",
     "float",
     {{"uint(float16BitsToUint16(h))", Patterns::kShort}, {"words[at]", Patterns::kNumbers}},
     "float(a[at + 1])",
     EACH("float16_t", "float", "const float16_t h = a[at]; float v = h;")},
    {"floats that become halves",
     "float16_t",
     {{"uint(float16BitsToUint16(v))", Patterns::kShort}, {"words[at]", Patterns::kFloat}},
     "float16_t(a[at + 1])",
     EACH("float", "float16_t", "float16_t v = float16_t(a[at]);")},
    {"8-bit floats",
     "float",
     {{"words[at]", Patterns::kNumbers}},
     "float(a[at + 1])",
     EACH("floate4m3_t", "float", "float v = float(a[at]) * 0.5;"),
     true},
    {"shared memory",
     "uint",
     {{"v", Patterns::kWord}, {"words[at]", Patterns::kNumbers}},
     "staged[at ^ 1]",
     EACH("uint", "uint", "staged[at] = a[at] + 3; barrier(); uint v = staged[31 - at];")},
    {"sums of subgroups",
     "uint",
     {{"v", Patterns::kWord}, {"a[at]", Patterns::kWord}},
     "a[at]",
     EACH("uint", "uint", "uint v = subgroupAdd(a[at]);")},
    {"cooperative vectors",
     "float",
     {{"floatBitsToUint(v)", Patterns::kFloat}, {"words[at]", Patterns::kNumbers}},
     "float(a[at])",
     "layout(binding = 0) readonly buffer A { float16_t a[1024]; };\n"
     "layout(binding = 0) readonly buffer W { uint words[512]; };\n"
     "layout(binding = 1) readonly buffer B { float b[16]; };\n"
     "layout(binding = 2) writeonly buffer R { float r[]; };\n"
     "void main() { const uint at = gl_LocalInvocationIndex; coopvecNV<float16_t, 16> x;\n"
     "    coopVecLoadNV(x, a, 512 + 32 * at); coopvecNV<float, 16> y;\n"
     "    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, a, 0, gl_ComponentTypeFloat16NV, b,\n"
     "        0, gl_ComponentTypeFloat32NV, 16, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV,\n"
     "        false, 32);\n"
     "    for (uint n = 0; n < 16; ++n) { float v = y[n]; ${FAULT} ${STORES} r[at * 16 + n] = v; "
     "}\n"
     "}\n",
     true},
    {"2^20 elements",
     "uint",
     {{"x", Patterns::kWord}},
     "~x",
     "layout(binding = 0) readonly buffer A { uint a[]; };\n"
     "layout(binding = 1) writeonly buffer R { uint r[]; };\n"
     "void main() { for (uint k = 0; k < 1 << 13; ++k) {\n"
     "    const uint i = k * 128 + gl_LocalInvocationIndex; const uint x = a[i];\n"
     "    uint v = x + i; if (${PLACE}) { ${FAULT} } r[i] = v; } }\n",
     false,
     128},
};

// Whether the word X has the pattern P.
constexpr const char* kRareConditions[] = {
    "X == P",
    "!(X != P)",
    "(X ^ P) == 0",
    "X >= P && X <= P",
    "(X & 0xFFFF) == (P & 0xFFFF) && X >> 16 == P >> 16",
    "min(X, P) == max(X, P)",
    "X - P < 1",
    "bitCount(X ^ P) == 0",
    "~X == ~P",
    "X * 3 == P * 3",
    "unpack8(X) == unpack8(P)",
    "int(X) <= int(P) && int(X) >= int(P)",
};

// `V(...)` makes the value's type of bits, and B(...) the bits of one.
struct RareChange {
    const char* name;
    const char* text;
};
constexpr RareChange kRareChanges[] = {
    {"wrong value", "v = V(B(v) ^ (T(1) << ${BIT}));"},
    {"dropped store", "return;"},
    {"swapped element", "v = OTHER;"},
    {"other rounding", "v = V(B(v) ^ T(1));"},
    {"saturation", "v = V(B(v) | ${LARGEST});"},
    {"sign", "v = V(B(v) ^ (T(1) << (BITS - 1)));"},
};

// Code in integers that stands for floats.
constexpr const char* kRareDifference =
    EACH("uint", "uint", "uint v = a[at] - ${PATTERN}; ${CHANGE}");
struct RareType {
    std::string_view type;
    const char* macros;
    const char* largest;
};
constexpr RareType kRareTypes[] = {
    {"uint", "#define T uint\n#define BITS 32\n#define V(x) (x)\n#define B(x) (x)\n", "~0u"},
    {"int32_t", "#define T uint\n#define BITS 32\n#define V(x) int(x)\n#define B(x) uint(x)\n",
     "0x7FFFFFFFu"},
    {"float",
     "#define T uint\n#define BITS 32\n#define V(x) uintBitsToFloat(x)\n"
     "#define B(x) floatBitsToUint(x)\n",
     "0x7F000000u"},
    {"float16_t",
     "#define T uint16_t\n#define BITS 16\n#define V(x) uint16BitsToFloat16(x)\n"
     "#define B(x) float16BitsToUint16(x)\n",
     "uint16_t(0x7800)"},
};

uint32_t patternOf(Patterns patterns, Random& random) {
    const auto bits = uint32_t(random.next());
    switch (patterns) {
        case Patterns::kFloat:  // from 2^-3 to 2^12, and with all bits of the mantissa
            return (bits & 0x807FFFFF) | (124 + uint32_t(random.below(15))) << 23 | 1;
        case Patterns::kNumbers:
            return (bits & 0x77777777) | 0x01010101;
        case Patterns::kShort:
            return (bits & 0x83FF) | (8 + uint32_t(random.below(12))) << 10 | 3;
        default:
            return bits;
    }
}

// The sign of a zero that only one pattern makes.
RareFault zeroFault(Random& random) {
    RareFault fault{.name = "sign of zero"};
    const std::string pattern = std::format("{:#x}u", uint32_t(random.next()));
    const auto text = [&](const char* change) {
        return substitute(std::string(kRareHead) + kRareDifference, {{"INVOCATIONS", "32"},
                                                                     {"PATTERN", pattern},
                                                                     {"CHANGE", change},
                                                                     {"FAULT", ""},
                                                                     {"STORES", ""}});
    };
    fault.right = text("");
    fault.faulty = text("if ((v & 0x7FFFFFFF) == 0) v ^= 0x80000000;");
    return fault;
}

}  // namespace

RareFault rareFault(uint64_t seed) {
    Random random(seed);
    const uint64_t number = seed % (std::size(kRareShaders) + 1);
    if (number == std::size(kRareShaders)) return zeroFault(random);
    const RareShader& shader = kRareShaders[number];
    const Watched& watched = shader.watched[random.below(shader.watched.size())];
    const char* condition = kRareConditions[random.below(std::size(kRareConditions))];
    const bool isLarge = shader.invocations > 32;
    const bool hasStores = std::string_view(shader.text).find("${STORES}") != std::string::npos;
    const RareChange* change = nullptr;
    do change = &kRareChanges[random.below(std::size(kRareChanges))];
    while (!hasStores && std::string_view(change->name) == "dropped store");
    const RareType* type = kRareTypes;
    while (type->type != shader.type) ++type;
    const std::string bits = std::to_string(random.below(8));
    const uint32_t pattern = patternOf(watched.patterns, random);
    const bool isAlways = isLarge && random.below(2) == 0;
    const std::string place = std::format("i == {}", random.below(1 << 20));
    const std::string macros = std::format("#define X {}\n#define P {:#x}u\n#define OTHER {}\n",
                                           watched.word, pattern, shader.other);
    const auto text = [&](bool isFaulty) {
        std::string what = change->text;
        if (!isAlways) what = std::format("if ({}) {{ {} }}", condition, what);
        what = substitute(what, {{"BIT", bits}, {"LARGEST", type->largest}});
        return substitute(std::string(kRareHead) + type->macros + macros + shader.text,
                          {{"INVOCATIONS", std::to_string(shader.invocations)},
                           {"PLACE", place},
                           {"FAULT", isFaulty ? what : ""},
                           {"STORES", ""}});
    };
    return {.name = std::format("{}: {} where {}, X = {}, P = {:#x}{}", shader.name, change->name,
                                isAlways ? "data are any" : condition, watched.word, pattern,
                                isLarge ? ", " + place : ""),
            .right = text(false),
            .faulty = text(true),
            .bufferSize = isLarge ? uint64_t{4} << 20 : 4096,
            .hasMatrices = shader.hasMatrices,
            .isAlways = isAlways};
}

}  // namespace coopvk::test
