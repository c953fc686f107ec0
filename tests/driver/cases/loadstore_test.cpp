// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadKHR and StoreKHR: components × pointee types × uses × layouts × strides ×
// storage classes. All bits must stay the same, and no byte outside of the matrix may change.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/listed.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::loadstore_test {
namespace {

struct Pointee {
    std::string_view glsl;
    std::string_view spirv;  // type id in assembly
    uint32_t bytes;
    bool assemblyOnly = false;
};

enum class Memory { kBuffer, kShared, kAddress };
enum class Source { kConstant, kPushConstant, kBuffer };  // where strides and offsets come from

struct Side {
    Pointee pointee;
    bool columnMajor;
    uint32_t extraStride;  // in steps of what alignment and pointee allow; kBroadcast: stride 0
    uint32_t offset;       // in the same steps
};
constexpr uint32_t kBroadcast = ~0u;

struct Case {
    Component component;
    uint32_t rows, columns;
    Use use;
    Side load, store;
    Memory memory = Memory::kBuffer;
    Source source = Source::kConstant;
};

std::string sideName(const Side& s) {
    return std::string(s.pointee.glsl) + (s.columnMajor ? "C" : "R") +
           (s.extraStride == kBroadcast ? "z" : std::to_string(s.extraStride)) + "o" +
           std::to_string(s.offset);
}

std::string caseName(const Case& c) {
    constexpr std::string_view kMemories[] = {"buffer", "shared", "address"};
    constexpr std::string_view kSources[] = {"const", "push", "loaded"};
    return std::string(name(c.component)) + "_" + std::to_string(c.rows) + "x" +
           std::to_string(c.columns) + "_" + "ABC"[static_cast<int>(c.use)] + "_" +
           sideName(c.load) + "_" + sideName(c.store) + "_" +
           std::string(kMemories[static_cast<int>(c.memory)]) + "_" +
           std::string(kSources[static_cast<int>(c.source)]);
}

// A load or a store with all values computed. Pointer and stride are aligned as Vulkan requires: to
// the lesser of 16 bytes and the length of a row or column.
struct Access {
    Access(const Matrix& matrix, const Side& side) {
        const uint32_t line =
            (side.columnMajor ? matrix.rows : matrix.columns) * info(matrix.component).bytes;
        const uint32_t alignment = std::min(16u, 1u << std::countr_zero(line));
        const uint32_t step = std::lcm(alignment, side.pointee.bytes);
        const uint32_t whole = (line + step - 1) / step * step;
        placement.columnMajor = side.columnMajor;
        placement.stride = side.extraStride == kBroadcast ? 0 : whole + side.extraStride * step;
        placement.offset = side.offset * step;
        stride = static_cast<uint32_t>(placement.stride / side.pointee.bytes);
        element = static_cast<uint32_t>(placement.offset / side.pointee.bytes);
        // One more step at the end, so that the buffer also shows writes past the end.
        count = static_cast<uint32_t>((placement.size(matrix) + 2 * step) / side.pointee.bytes);
        bytes = size_t{count} * side.pointee.bytes;
    }
    Placement placement;
    uint32_t stride, element, count;  // in pointees
    size_t bytes;
};

struct Parameters {  // text of load stride and element, store stride and element
    std::string text[4];
};

Parameters parameters(const Case& c, const Access& load, const Access& store) {
    const uint32_t values[] = {load.stride, load.element, store.stride, store.element};
    Parameters result;
    for (int i = 0; i < 4; ++i)
        result.text[i] = c.source == Source::kConstant
                             ? std::to_string(values[i])
                             : (c.source == Source::kBuffer ? "numbers[" : "push.numbers[") +
                                   std::to_string(i) + "]";
    return result;
}

// Declarations of the memory to load from and to store to, as arrays src and dst.
std::string declarations(const Case& c, const Access& load, const Access& store) {
    const std::string from(c.load.pointee.glsl), to(c.store.pointee.glsl);
    if (c.memory == Memory::kAddress)
        return "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer From { " +
               from + " src[]; };\n" +
               "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer To { " + to +
               " dst[]; };\n" +
               "layout(push_constant) uniform Push { From from; To to; uint "
               "numbers[4]; } push;\n" +
               glsl::buffer(2, "numbers", "uint");
    std::string text = "layout(push_constant) uniform Push { uint numbers[4]; } push;\n" +
                       glsl::buffer(0, "src", from) + glsl::buffer(1, "dst", to) +
                       glsl::buffer(2, "numbers", "uint");
    if (c.memory == Memory::kShared)
        text += "shared " + from + " sharedFrom[" + std::to_string(load.count) + "];\nshared " +
                to + " sharedTo[" + std::to_string(store.count) + "];\n";
    return text;
}

std::string copyLoop(std::string_view to, std::string_view from, uint32_t count) {
    return "for (uint i = gl_LocalInvocationIndex; i < " + std::to_string(count) +
           "; i += gl_WorkGroupSize.x) " + std::string(to) + "[i] = " + std::string(from) +
           "[i];\n";
}

std::string source(const Case& c, const Access& load, const Access& store) {
    const Parameters p = parameters(c, load, store);
    const bool isShared = c.memory == Memory::kShared;
    const bool isAddress = c.memory == Memory::kAddress;
    const std::string_view from = isShared ? "sharedFrom" : isAddress ? "push.from.src" : "src";
    const std::string_view to = isShared ? "sharedTo" : isAddress ? "push.to.dst" : "dst";
    std::string text = glsl::header() + declarations(c, load, store) + "void main() {\n";
    if (isShared)
        text +=
            copyLoop(from, "src", load.count) + copyLoop(to, "dst", store.count) + "barrier();\n";
    text += glsl::matrix(c.component, c.rows, c.columns, c.use) + " m;\n" +
            glsl::load("m", from, p.text[0], c.load.columnMajor, p.text[1]) +
            glsl::store("m", to, p.text[2], c.store.columnMajor, p.text[3]);
    if (isShared) text += "barrier();\n" + copyLoop("dst", to, store.count);
    return text + "}\n";
}

// GLSL knows no 64-bit components and no pointees of three components, and takes 64-bit pointees
// only with 64-bit indexing.
bool glslCan(const Case& c) {
    return info(c.component).bytes < 8 && !c.load.pointee.assemblyOnly &&
           !c.store.pointee.assemblyOnly;
}

Words fromAssembly(const Case& c) {
    const std::string from(c.load.pointee.spirv), to(c.store.pointee.spirv);
    Assembly a;
    a.buffers = {{"src", from, c.load.pointee.bytes},
                 {"dst", to, c.store.pointee.bytes},
                 {"numbers", "u32", 4}};
    a.declarations = matrixType("M", c.component, c.rows, c.columns, c.use);
    for (uint32_t i = 0; i < 4; ++i) {
        const std::string n = std::to_string(i);
        a.body += "%pn" + n + " = OpAccessChain %sb_u32 %numbers %c_0 %c_" + n + "\n%n" + n +
                  " = OpLoad %u32 %pn" + n + "\n";
    }
    a.body += "%from = OpAccessChain %sb_" + from + " %src %c_0 %n1\n%to = OpAccessChain %sb_" +
              to + " %dst %c_0 %n3\n%m = OpCooperativeMatrixLoadKHR %M %from " +
              constant(c.load.columnMajor) + " %n0\nOpCooperativeMatrixStoreKHR %to %m " +
              constant(c.store.columnMajor) + " %n2\n";
    return assemble(a);
}

bool is64(const Pointee& pointee) { return pointee.spirv.substr(1, 2) == "64"; }

bool packs64(const Case& c) {
    return is64(c.load.pointee) || is64(c.store.pointee) || info(c.component).bytes == 8;
}

void runCase(const Case& c) {
    COOPVK_REQUIRE(c.component);
    COOPVK_REQUIRE((NeededMatrices{{c.component, c.rows, c.columns, c.use}}));
    if (packs64(c)) COOPVK_REQUIRE(Requirement::kPacks64);
    Rng rng(caseName(c));
    const Matrix matrix(c.component, c.rows, c.columns);
    const Access load(matrix, c.load), store(matrix, c.store);
    Dispatch dispatch;
    dispatch.buffers = {
        rng.bytes(load.bytes), rng.bytes(store.bytes),
        toBytes<uint32_t>({load.stride, load.element, store.stride, store.element})};
    dispatch.push = pushWords({load.stride, load.element, store.stride, store.element});
    if (c.memory == Memory::kAddress) dispatch.addresses = {0, 1};

    expectAsReference(glslCan(c) ? compileGlsl(source(c, load, store)) : fromAssembly(c), dispatch);
}

constexpr Pointee kU8 = {"uint8_t", "u8", 1}, kU8x2 = {"u8vec2", "u8x2", 2},
                  kU8x4 = {"u8vec4", "u8x4", 4}, kI8 = {"int8_t", "s8", 1},
                  kU16 = {"uint16_t", "u16", 2}, kU16x4 = {"u16vec4", "u16x4", 8},
                  kF16 = {"float16_t", "f16", 2}, kF16x2 = {"f16vec2", "f16x2", 4},
                  kF16x3 = {"f16vec3", "f16x3", 6, true}, kF16x4 = {"f16vec4", "f16x4", 8},
                  kU32 = {"uint", "u32", 4}, kU32x2 = {"uvec2", "u32x2", 8},
                  kU32x3 = {"uvec3", "u32x3", 12, true}, kU32x4 = {"uvec4", "u32x4", 16},
                  kF32 = {"float", "f32", 4}, kF32x2 = {"vec2", "f32x2", 8},
                  kF32x4 = {"vec4", "f32x4", 16}, kU64 = {"uint64_t", "u64", 8, true},
                  kF64 = {"double", "f64", 8, true}, kF64x2 = {"dvec2", "f64x2", 16, true},
                  kBF16 = {"bfloat16_t", "bf16", 2}, kE4M3 = {"floate4m3_t", "e4m3", 1},
                  kE5M2 = {"floate5m2_t", "e5m2", 1};

struct Row {
    Component component;
    std::vector<Pointee> pointees;
};
const std::vector<Row>& rows() {
    static const std::vector<Row> table = {
        {Component::kF16,
         {kF16, kF16x2, kF16x4, kU16, kU32, kU32x2, kU32x4, kF32, kF32x4, kU64, kU8, kU8x4,
          kF64x2}},
        {Component::kS8,
         {kI8, kU8, kU8x2, kU8x4, kU16, kU16x4, kU32, kU32x2, kU32x4, kF16x2, kF32}},
        {Component::kU8, {kU8, kU8x4, kI8, kU32, kU32x4, kF16x4}},
        {Component::kS16, {kU16, kU16x4, kF16, kU32, kU32x4, kU8x2}},
        {Component::kU16, {kU16, kU16x4, kU32x2}},
        {Component::kF32, {kF32, kF32x2, kF32x4, kU32, kU32x4, kU64, kF16, kF16x2, kU8, kU8x4}},
        {Component::kS32, {kU32, kU32x2, kF32x4, kU16, kU8x4}},
        {Component::kU32, {kU32, kU32x4, kF16x4}},
        {Component::kF64, {kF64, kF64x2, kU32x2, kU64, kF32x4}},
        {Component::kS64, {kU64, kU32x4}},
        {Component::kU64, {kU64, kF64}},
        {Component::kBF16, {kBF16, kU16, kU32, kU32x4, kU8x4}},
        {Component::kE4M3, {kE4M3, kU8, kU8x4, kU16, kU32, kU32x4}},
        {Component::kE5M2, {kE5M2, kU8x4, kU32x2, kU64}},
    };
    return table;
}

// Every component with every pointee, through each storage class; uses, layouts, strides and
// offsets rotate so that all combinations of two occur.
std::vector<Case> pointees() {
    std::vector<Case> cases;
    uint32_t turn = 0;
    for (const Row& row : rows()) {
        for (const Pointee& pointee : row.pointees) {
            for (Memory memory : {Memory::kBuffer, Memory::kShared, Memory::kAddress}) {
                if (memory != Memory::kBuffer &&
                    (info(row.component).bytes == 8 || pointee.assemblyOnly))
                    continue;
                // The less usual half of the pairs rotates through the storage classes.
                if (memory != Memory::kBuffer && row.component != Component::kF16 &&
                    row.component != Component::kS8 && turn % 3 != static_cast<uint32_t>(memory)) {
                    continue;
                }
                const bool column = turn >> 1 & 1u;
                const Pointee other = row.pointees[(turn + 1) % row.pointees.size()];
                cases.push_back(
                    {row.component,
                     8,
                     8,
                     kAllUses[turn % 3],
                     {pointee, column, turn % 4 == 3 ? 1u : 0u, turn % 2},
                     {turn % 3 == 1 ? other : pointee, (turn & 1u) != 0, turn % 3, turn / 2 % 3},
                     memory,
                     Source::kConstant});
                ++turn;
            }
            ++turn;
        }
    }
    return cases;
}

// All uses × layouts × stride kinds for the two usual components.
std::vector<Case> layouts() {
    std::vector<Case> cases;
    for (Component component : {Component::kF16, Component::kS8}) {
        const Pointee pointee = component == Component::kF16 ? kF16 : kI8;
        for (Use use : kAllUses)
            for (uint32_t bits = 0; bits < 4; ++bits)
                for (uint32_t extra : {0u, 1u, kBroadcast})
                    cases.push_back({component,
                                     16,
                                     8,
                                     use,
                                     {pointee, (bits & 1u) != 0, extra, 1},
                                     {pointee, (bits & 2u) != 0, extra == 1u ? 2u : 0u, 0},
                                     Memory::kBuffer,
                                     static_cast<Source>((bits + extra) % 3)});
    }
    return cases;
}

// Lines shorter than a 32-bit word, odd sizes, large ones.
std::vector<Case> shapes() {
    constexpr uint32_t kShapes[][2] = {{1, 1}, {4, 1}, {1, 4}, {2, 2},   {8, 2},  {2, 8}, {3, 5},
                                       {5, 3}, {7, 1}, {4, 4}, {16, 16}, {32, 4}, {8, 64}};
    std::vector<Case> cases;
    uint32_t turn = 0;
    for (const auto& shape : kShapes) {
        for (Component component : {Component::kF16, Component::kU8, Component::kF32}) {
            const Pointee pointee = component == Component::kF16  ? kF16
                                    : component == Component::kU8 ? kU8
                                                                  : kF32;
            cases.push_back({component,
                             shape[0],
                             shape[1],
                             kAllUses[turn % 3],
                             {pointee, turn % 2 == 0, turn % 3, 1},
                             {pointee, turn / 2 % 2 == 0, 1 + turn % 2, 1},
                             static_cast<Memory>(turn / 3 % 3),
                             Source::kPushConstant});
            ++turn;
        }
    }
    return cases;
}

// Lines that end within a pointee, and pointees whose size is no power of two.
std::vector<Case> partial() {
    struct Partial {
        Component component;
        uint32_t rows, columns;
        Pointee pointee;
    };
    constexpr Partial kTable[] = {
        {Component::kF16, 4, 6, kU32x3}, {Component::kF32, 8, 3, kU32x3},
        {Component::kU8, 8, 6, kF16x3},  {Component::kF32, 3, 2, kU64},
        {Component::kU32, 5, 3, kU64},   {Component::kF32, 4, 3, kF64x2},
        {Component::kF32, 4, 3, kU32x4}, {Component::kS8, 4, 3, kU32},
        {Component::kU8, 3, 7, kU32x2},  {Component::kF16, 3, 5, kU64},
        {Component::kF16, 5, 1, kU32},   {Component::kS16, 2, 3, kF32x4},
    };
    std::vector<Case> cases;
    for (const Partial& p : kTable)
        for (bool columnMajor : {false, true})
            cases.push_back({p.component,
                             columnMajor ? p.columns : p.rows,
                             columnMajor ? p.rows : p.columns,
                             kAllUses[cases.size() / 2 % 3],
                             {p.pointee, columnMajor, 0, 1},
                             {p.pointee, columnMajor, 1, 1}});
    return cases;
}

// Random combinations.
std::vector<Case> random() {
    Rng rng("random loads and stores");
    const auto pick = [&](int64_t limit) { return static_cast<uint32_t>(rng.range(0, limit - 1)); };
    std::vector<Case> cases;
    while (cases.size() < (runsAll() ? 400u : 24u)) {
        const Row& row = rows()[pick(static_cast<int64_t>(rows().size()))];
        const auto side = [&] {
            const Pointee& pointee = row.pointees[pick(static_cast<int64_t>(row.pointees.size()))];
            return Side{pointee, pick(2) == 1, pick(3), pick(3)};
        };
        Case c{row.component,
               1 + pick(12),
               1 + pick(12),
               kAllUses[pick(3)],
               side(),
               side(),
               static_cast<Memory>(pick(3)),
               static_cast<Source>(pick(3))};
        if (pick(8) == 0) c.load.extraStride = kBroadcast;
        if (!glslCan(c)) c.memory = Memory::kBuffer;
        cases.push_back(c);
    }
    return cases;
}

std::vector<Case> few(const std::vector<Case>& cases) {
    // 64-bit pointees do not run everywhere.
    return covering(
        cases,
        [](const Case& c) {
            return factors(c.component, factor(c.rows) + "x" + factor(c.columns), c.use, c.memory,
                           c.source, c.load.pointee.glsl, c.load.columnMajor, c.load.extraStride,
                           c.load.offset, c.store.pointee.glsl, c.store.columnMajor,
                           c.store.extraStride, c.store.offset);
        },
        packs64);
}

class LoadStore : public testing::TestWithParam<Case> {};
class LoadStoreUnlisted : public testing::TestWithParam<Case> {};
TEST_P(LoadStore, MovesExactlyTheMatrix) { runCase(GetParam()); }
TEST_P(LoadStoreUnlisted, MovesExactlyTheMatrix) {
    COOPVK_REQUIRE(Requirement::kNativeShapesOnly);
    runCase(GetParam());
}

void PrintTo(const Case& c, std::ostream* out) { *out << caseName(c); }

const auto kName = [](const auto& param) {
    return std::to_string(param.index) + "_" + caseName(param.param);
};
INSTANTIATE_TEST_SUITE_P(Pointees, LoadStore, testing::ValuesIn(few(pointees())), kName);
INSTANTIATE_TEST_SUITE_P(Layouts, LoadStoreUnlisted, testing::ValuesIn(few(layouts())), kName);
INSTANTIATE_TEST_SUITE_P(Random, LoadStoreUnlisted, testing::ValuesIn(random()), kName);
INSTANTIATE_TEST_SUITE_P(Shapes, LoadStoreUnlisted, testing::ValuesIn(few(shapes())), kName);
INSTANTIATE_TEST_SUITE_P(Partial, LoadStoreUnlisted, testing::ValuesIn(few(partial())), kName);

}  // namespace
}  // namespace coopvk::test::loadstore_test
