// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and products in all places of the control flow: loop headers and continue blocks,
// switches, subgroups that take different branches, many subgroups and workgroups.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::control_flow_test {
namespace {

using Where = std::function<bool(uint32_t tile)>;

struct Case {
    std::string name, body;
    Where written;  // which 8×8 tiles of d become those of a
    uint32_t tiles, subgroups = 1, groups = 1;
};

// COPY(i) copies tile i from a to d.
const std::vector<Case>& cases() {
    static const std::vector<Case> table = {
        {"StoreInLoopBody", "for (uint i = 0; i < push.n[0]; ++i) { COPY(i) }",
         [](uint32_t i) { return i < 3; }, 5},
        {"StoreInContinue",
         "for (uint i = 0; i < push.n[0]; STORE(i), ++i) { LOAD(i); if (i == 1) continue; }",
         [](uint32_t i) { return i < 3; }, 5},
        {"StoreInCondition", "uint i = 0;\nwhile (fetch(i) && i < push.n[0]) { ++i; }",
         [](uint32_t i) { return i < 4; }, 5},
        {"StoreInSwitch",
         "for (uint i = 0; i < 6; ++i) switch (i) { case 0: COPY(i) break; case 1: case 4: { "
         "COPY(i) "
         "} default: break; case 5: COPY(2) }",
         [](uint32_t i) { return i == 0 || i == 1 || i == 4 || i == 2; }, 6},
        {"StoreInBothBranches",
         "for (uint i = 0; i < 4; ++i) { if (i % 2 == push.n[1]) { COPY(i) } else { LOAD(i); "
         "STORE(i); } }",
         [](uint32_t i) { return i < 4; }, 5},
        {"StoreAfterBreak",
         "for (uint i = 0; ; ++i) { if (i == push.n[0]) break; COPY(i) }\nCOPY(4)",
         [](uint32_t i) { return i < 3 || i == 4; }, 5},
        {"StoreBeforeReturn", "COPY(0)\nif (push.n[1] == 1) { COPY(2) return; }\nCOPY(1)",
         [](uint32_t i) { return i == 0 || i == 2; }, 3},
        {"NestedLoops",
         "for (uint i = 0; i < 2; ++i) for (uint j = 0; j < push.n[0]; ++j) { if (j == 1) "
         "continue; "
         "COPY(i * 3 + j) }",
         [](uint32_t i) { return i < 6 && i % 3 != 1; }, 7},
        {"LoopOfManySteps", "for (uint i = 0; i < 40; ++i) { COPY(i % 8) }",
         [](uint32_t i) { return i < 8; }, 9},
        {"FunctionThatStores", "for (uint i = 0; i < push.n[0]; ++i) copy(i);",
         [](uint32_t i) { return i < 3; }, 4},
        {"LanesPartBefore",
         "float x = 0;\nif (gl_LocalInvocationIndex % 2 == 0) x = float(gl_LocalInvocationIndex) * "
         "2; else for (uint k = 0; k < gl_LocalInvocationIndex; ++k) x += 1;\nCOPY(0)\nif (x < 0) "
         "d[0] = float(x);",
         [](uint32_t i) { return i == 0; }, 1},
        {"SubgroupsPart", "if (gl_SubgroupID == 1) { COPY(gl_SubgroupID) }",
         [](uint32_t i) { return i == 1; }, 4, 4},
        {"SubgroupsLoopDifferently",
         "for (uint i = 0; i <= gl_SubgroupID; ++i) { if (i == "
         "gl_SubgroupID) { COPY(i) } }",
         [](uint32_t i) { return i < 4; }, 5, 4},
        {"SubgroupsSwitch",
         "switch (gl_SubgroupID) { case 0: COPY(3) break; case 2: COPY(1) break; default: break; }",
         [](uint32_t i) { return i == 1 || i == 3; }, 4, 4},
        {"SubgroupsReturn", "if (gl_SubgroupID > 1) return;\nCOPY(gl_SubgroupID)",
         [](uint32_t i) { return i < 2; }, 4, 4},
        {"SubgroupsPartAroundBarriers",
         "if (gl_SubgroupID == 2) for (uint i = 0; i < push.n[0]; ++i) { subgroupBarrier(); "
         "COPY(i) "
         "subgroupMemoryBarrierBuffer(); subgroupBarrier(); }",
         [](uint32_t i) { return i < 3; }, 4, 4},
        {"ManySubgroups", "COPY(gl_SubgroupID)", [](uint32_t i) { return i < 8; }, 9, 8},
        {"ManyWorkgroups", "COPY(gl_WorkGroupID.x)", [](uint32_t i) { return i < 16; }, 17, 1, 16},
        {"WorkgroupsOfSubgroups", "COPY(gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID)",
         [](uint32_t i) { return i < 12; }, 13, 4, 3},
        {"WorkgroupsPart", "if (gl_WorkGroupID.x != 2) { COPY(gl_WorkGroupID.x) }",
         [](uint32_t i) { return i != 2 && i < 4; }, 5, 1, 4},
    };
    return table;
}

class ControlFlow : public testing::TestWithParam<size_t> {};

TEST_P(ControlFlow, CopiesTheRightTiles) {
    const Case& c = cases()[GetParam()];
    const std::string type = glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator);
    const std::string source =
        glsl::header(c.subgroups) + glsl::buffer(0, "a", "float") + glsl::buffer(1, "d", "float") +
        "layout(push_constant) uniform Push { uint n[4]; } push;\n" + type + " m;\n" +
        "#define LOAD(i) coopMatLoad(m, a, (i) * 64, 8, " + glsl::layout(false) + ")\n" +
        "#define STORE(i) coopMatStore(m, d, (i) * 64, 8, " + glsl::layout(false) + ")\n" +
        "#define COPY(i) { LOAD(i); STORE(i); }\n"
        "bool fetch(uint i) { COPY(i) return true; }\nvoid copy(uint i) { COPY(i) }\n"
        "void main() {\n" +
        c.body + "\n}\n";
    Rng rng(c.name);
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(c.tiles * 256), rng.bytes(c.tiles * 256)};
    dispatch.push = pushWords({3, 1, 0, 2});
    dispatch.groups = {c.groups, 1, 1};
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    Bytes want = dispatch.buffers[1];
    for (uint32_t i = 0; i < c.tiles; ++i)
        if (c.written(i))
            std::copy_n(dispatch.buffers[0].begin() + i * 256, 256, want.begin() + i * 256);
    EXPECT_EQ(difference(after[1], want), "");
}

INSTANTIATE_TEST_SUITE_P(All, ControlFlow, testing::Range(size_t{0}, cases().size()),
                         [](const auto& param) { return cases()[param.param].name; });

// A load in a loop's header block, and stores in its merge block and its continue block.
TEST(ControlFlowAssembly, HeaderContinueAndMerge) {
    Assembly a;
    a.buffers = {scalars("a", Component::kF32), scalars("d", Component::kF32)};
    a.declarations = matrixType("T", Component::kF32, 8, 8, Use::kAccumulator);
    a.body =
        "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %i1 %next\n"
        "%last = OpPhi %T %zero %main_entry %sum %next\n"
        "%o = OpIMul %u32 %i %c_64\n%pa = OpAccessChain %sb_f32 %a %c_0 %o\n"
        "%x = OpCooperativeMatrixLoadKHR %T %pa %c_0 %c_8\n%more = OpULessThan %bool %i %c_3\n"
        "OpLoopMerge %done %next None\nOpBranchConditional %more %next %done\n%next = OpLabel\n"
        "%sum = OpFAdd %T %last %x\n%pd = OpAccessChain %sb_f32 %d %c_0 %o\n"
        "OpCooperativeMatrixStoreKHR %pd %sum %c_0 %c_8\n%i1 = OpIAdd %u32 %i %c_1\n"
        "OpBranch %head\n%done = OpLabel\n%pe = OpAccessChain %sb_f32 %d %c_0 %o\n"
        "OpCooperativeMatrixStoreKHR %pe %x %c_0 %c_8\n";
    a.declarations += "%zero = OpConstantNull %T\n";
    Rng rng("HeaderContinueAndMerge");
    const Matrix in = randomMatrix(rng, Component::kF32, 4, 64, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(in), rng.bytes(1024)};
    expectAsReference(assemble(a), dispatch);
}

// Two subgroups write bytes and halves that share 32-bit words; each keeps to its own.
TEST(Neighbours, SubgroupsShareWords) {
    for (Component type : {Component::kU8, Component::kF16}) {
        for (bool columnMajor : {false, true}) {
            const uint32_t columns = type == Component::kU8 ? 1 : 1;
            const std::string source =
                glsl::header(2) + glsl::buffer(0, "a", glsl::scalar(type)) +
                glsl::buffer(1, "d", glsl::scalar(type)) + "void main() {\n" +
                glsl::matrix(type, columnMajor ? columns : 8, columnMajor ? 8 : columns, Use::kA) +
                " m;\n" + glsl::load("m", "a", "2", columnMajor, "gl_SubgroupID") +
                "for (uint i = 0; i < 50; ++i) {\n" +
                glsl::store("m", "d", "2", columnMajor, "gl_SubgroupID") + "}\n}\n";
            if (!Context::get().emulated) continue;
            Rng rng("SubgroupsShareWords");
            Dispatch dispatch;
            dispatch.buffers = {rng.bytes(16 * info(type).bytes + 8),
                                rng.bytes(16 * info(type).bytes + 8)};
            const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
            Bytes want = dispatch.buffers[1];
            std::copy_n(dispatch.buffers[0].begin(), 16 * info(type).bytes, want.begin());
            EXPECT_EQ(difference(after[1], want), "") << name(type) << columnMajor;
        }
    }
}

// A literal index names one element of each lane that has one.
TEST(LiteralIndex, ChangesAtMostOneElementALane) {
    for (Use use : kAllUses) {
        const std::string source =
            glsl::header() + glsl::buffer(0, "a", "float") + glsl::buffer(1, "d", "float") +
            glsl::buffer(2, "n", "uint") + "void main() {\n" +
            glsl::matrix(Component::kF32, 8, 8, use) + " m;\n" + glsl::load("m", "a", "8") +
            "m[0] = m[0] + 1000;\nm[m.length() - 1] += 1000;\n" + glsl::store("m", "d", "8") +
            "if (gl_LocalInvocationIndex == 0) n[0] = m.length();\n}\n";
        Rng rng("LiteralIndex");
        const Matrix a = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), rng.bytes(256), Bytes(16)};
        const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
        const Matrix got = unpack(Component::kF32, 8, 8, after[1]);
        uint32_t changed = 0;
        for (size_t i = 0; i < 64; ++i) {
            const double step = toDouble(Component::kF32, got.elements[i]) -
                                toDouble(Component::kF32, a.elements[i]);
            EXPECT_TRUE(step == 0 || step == 1000 || step == 2000) << i << ": " << step;
            changed += step != 0;
        }
        EXPECT_GE(changed, 1u);
        EXPECT_LE(changed, 2 * Context::get().subgroupSize);
        uint32_t length = 0;
        std::memcpy(&length, after[2].data(), 4);
        EXPECT_GE(length * Context::get().subgroupSize, 64u);
    }
}

// Elements of an accumulator may be reached in non-uniform control flow.
TEST(NonUniformElements, EachLaneDecides) {
    const std::string source = glsl::header() + glsl::buffer(0, "a", "float") +
                               glsl::buffer(1, "d", "float") + "void main() {\n" +
                               glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator) + " m;\n" +
                               glsl::load("m", "a", "8") +
                               "for (uint i = 0; i < m.length(); ++i)\n"
                               "if ((gl_SubgroupInvocationID + i) % 3 == 0) m[i] = -m[i];\n"
                               "else if (m[i] > 2.0) m[i] += 100.0;\n" +
                               glsl::store("m", "d", "8") + "}\n";
    Rng rng("NonUniformElements");
    const Matrix a = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), rng.bytes(256)};
    const Matrix got = unpack(Component::kF32, 8, 8, run(compileGlsl(source), dispatch)[1]);
    for (size_t i = 0; i < 64; ++i) {
        const double x = toDouble(Component::kF32, a.elements[i]);
        const double y = toDouble(Component::kF32, got.elements[i]);
        EXPECT_TRUE(y == -x || y == (x > 2 ? x + 100 : x)) << i << ": " << x << " became " << y;
    }
}

}  // namespace
}  // namespace coopvk::test::control_flow_test
