// SPDX-License-Identifier: Apache-2.0
//
// Pointers of loads and stores in GLSL: nested blocks, arrays of buffers, buffer addresses in
// memory, shared memory with an explicit layout.
#include <gtest/gtest.h>

#include "cases/pointer_copies.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::pointer_glsl_test {
namespace {

struct GlslCase {
    std::string name, declarations, load, store;  // text of array and element index
    size_t fromBuffer, fromElement, toBuffer, toElement;
    std::string extensions = {};
};

const std::vector<GlslCase>& glslCases() {
    const std::string plain = glsl::buffer(0, "x", "float16_t") + glsl::buffer(1, "y", "float16_t");
    static const std::vector<GlslCase> table = {
        {"SizedArray",
         "layout(binding = 0, scalar) buffer X { float16_t x[128]; };\n"
         "layout(binding = 1, scalar) buffer Y { float16_t y[128]; };\n",
         "x, 64", "y, 8", 0, 64, 1, 8},
        {"NestedStructs",
         "struct Inner { uint tag[2]; float16_t rows[2][64]; };\n"
         "layout(binding = 0, scalar) buffer X { uint head[2]; Inner inner[2]; } x;\n"
         "layout(binding = 1, scalar) buffer Y { float16_t first[64]; float16_t rest[]; } y;\n",
         "x.inner[push.n[1]].rows[push.n[1]], 0", "y.rest, 0", 0, 4 + 132 + 4 + 64, 1, 64},
        {"StoreIntoStruct",
         "struct Inner { uint tag[2]; float16_t rows[2][64]; };\n"
         "layout(binding = 0, scalar) buffer X { float16_t x[]; };\n"
         "layout(binding = 1, scalar) buffer Y { uint head[2]; Inner inner[2]; } y;\n",
         "x, push.n[2]", "y.inner[push.n[1]].rows[push.n[2]], 0", 0, 0, 1, 4 + 132 + 4},
        {"ArrayOfBuffers", "layout(binding = 4, scalar) buffer X { float16_t data[]; } x[2];\n",
         "x[1].data, 64", "x[0].data, 0", 5, 64, 4, 0},
        {"ArrayOfBuffersDynamic",
         "layout(binding = 4, scalar) buffer X { float16_t data[]; } x[2];\n",
         "x[push.n[1]].data, 0", "x[push.n[2]].data, 64", 5, 0, 4, 64},
        {"ReadOnlyWriteOnly",
         "layout(binding = 0, scalar) readonly restrict buffer X { float16_t x[]; };\n"
         "layout(binding = 1, scalar) writeonly restrict buffer Y { float16_t y[]; };\n",
         "x, 0", "y, 64", 0, 0, 1, 64},
        {"Coherent",
         "layout(binding = 0, scalar) coherent buffer X { float16_t x[]; };\n"
         "layout(binding = 1, scalar) workgroupcoherent buffer Y { float16_t y[]; };\n",
         "x, 0", "y, 64", 0, 0, 1, 64},
        {"VolatileNonprivate",
         "layout(binding = 0, scalar) volatile buffer X { float16_t x[]; };\n"
         "layout(binding = 1, scalar) nonprivate buffer Y { float16_t y[]; };\n",
         "x, 0", "y, 64", 0, 0, 1, 64},
        {"AddressInMemory",
         "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Data { float16_t "
         "data[]; };\nlayout(buffer_reference, scalar) buffer Table { Data at[2]; };\n"
         "layout(push_constant) uniform Push { Table table; } p;\n",
         "p.table.at[0].data, 64", "p.table.at[1].data, 0", 0, 64, 1, 0},
        {"AddressArithmetic",
         "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Data { float16_t "
         "data[64]; };\nlayout(push_constant) uniform Push { Data x; Data y; } p;\n",
         "(p.x + 1).data, 0", "p.y[1].data, 0", 0, 64, 1, 64},
        {"AddressOfScalars",
         "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Data { float16_t "
         "data[]; };\nlayout(push_constant) uniform Push { uint64_t x; uint64_t y; } p;\n",
         "Data(p.x + 128ul).data, 0", "Data(p.y).data, 64", 0, 64, 1, 64},
        {"AddressOfVectors",
         "layout(buffer_reference, scalar, buffer_reference_align = 16) buffer Data { uvec4 "
         "data[]; };\nlayout(push_constant) uniform Push { Data x; Data y; } p;\n",
         "p.x.data, 8 /* vectors */", "p.y.data, 4 /* vectors */", 0, 64, 1, 32},
    };
    return table;
}

class GlslPointers : public testing::TestWithParam<size_t> {};

TEST_P(GlslPointers, CopyOneMatrix) {
    const GlslCase& c = glslCases()[GetParam()];
    const bool vectors = c.name == "AddressOfVectors";
    const bool pushes = c.declarations.find("push_constant") != c.declarations.npos;
    const std::string stride = vectors ? "1" : "8";
    const std::string source =
        glsl::header() + c.declarations +
        (pushes ? "" : "layout(push_constant) uniform Push { uint n[4]; } push;\n") +
        "void main() {\n" + glsl::matrix(Component::kF16, kRows, kColumns, Use::kB) + " m;\n" +
        "coopMatLoad(m, " + c.load + ", " + stride + ", " + glsl::layout(false) + ");\n" +
        "coopMatStore(m, " + c.store + ", " + stride + ", " + glsl::layout(false) + ");\n}\n";
    Rng rng(c.name);
    Dispatch dispatch;
    for (int i = 0; i < 6; ++i) dispatch.buffers.push_back(halves(rng, 5));
    dispatch.push = pushWords({3, 1, 0, 2});
    if (pushes) dispatch.addresses = {0, 1};
    if (c.name == "AddressInMemory") dispatch.addressTable = 2;
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    std::vector<Bytes> before = dispatch.buffers;
    if (dispatch.addressTable) before[2] = after[2];
    expectCopy(before, after, c.fromBuffer, c.fromElement * 2, c.toBuffer, c.toElement * 2);
}

INSTANTIATE_TEST_SUITE_P(All, GlslPointers, testing::Range(size_t{0}, glslCases().size()),
                         [](const auto& param) { return glslCases()[param.param].name; });

TEST(SharedBlocks, AliasedViews) {
    COOPVK_REQUIRE(Requirement::kWorkgroupLayout);
    const std::string source =
        glsl::header() + "#extension GL_EXT_shared_memory_block : require\n" +
        glsl::buffer(0, "x", "float16_t") + glsl::buffer(1, "y", "uint") +
        "shared Halves { float16_t data[128]; } halves;\n"
        "shared Words { uvec4 data[16]; } words;\nvoid main() {\n" +
        glsl::matrix(Component::kF16, kRows, kColumns, Use::kA) + " m, o;\n" +
        glsl::load("m", "x", "8") + glsl::store("m", "halves.data", "8", true, "64") +
        "barrier();\n" + glsl::load("o", "words.data", "1", true, "8") +
        glsl::store("o", "y", "4", false, "0") + "}\n";
    Rng rng("SharedBlocks");
    Dispatch dispatch;
    dispatch.buffers = {halves(rng, 1), halves(rng, 2)};
    expectCopy(dispatch.buffers, run(compileGlsl(source), dispatch), 0, 0, 1, 0);
}

// A matrix goes through shared memory and comes back as another use, as attention kernels do it.
TEST(SharedMemory, AccumulatorBecomesOperand) {
    const std::string source =
        glsl::header() + glsl::buffer(0, "a", "float16_t") + glsl::buffer(1, "b", "float16_t") +
        glsl::buffer(2, "d", "float") + "shared float16_t tile[8 * 16];\nvoid main() {\n" +
        glsl::matrix(Component::kF16, 8, 8, Use::kA) + " A, P;\n" +
        glsl::matrix(Component::kF16, 8, 8, Use::kB) + " B;\n" +
        glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator) + " C;\n" +
        glsl::load("A", "a", "8") + glsl::load("B", "b", "8") + "C = coopMatMulAdd(A, B, " +
        glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator) + "(0));\n" +
        glsl::matrix(Component::kF16, 8, 8, Use::kAccumulator) +
        " H = " + glsl::matrix(Component::kF16, 8, 8, Use::kAccumulator) + "(C);\n" +
        glsl::store("H", "tile", "16") + "barrier();\n" +
        // Every lane accesses the tile by itself in between.
        "for (uint i = gl_LocalInvocationIndex; i < 64; i += gl_WorkGroupSize.x)\n"
        "tile[(i / 8) * 16 + i % 8] *= float16_t(2);\nbarrier();\n" +
        glsl::load("P", "tile", "16") + "C = coopMatMulAdd(P, B, C);\n" +
        glsl::store("C", "d", "8") + "}\n";
    Rng rng("AccumulatorBecomesOperand");
    const Matrix a = randomMatrix(rng, Component::kF16, 8, 8, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF16, 8, 8, Fill::kSmall);
    Dispatch dispatch;
    dispatch.buffers = {pack(a), pack(b), rng.bytes(256)};
    expectAsReference(compileGlsl(source), dispatch);
}

}  // namespace
}  // namespace coopvk::test::pointer_glsl_test
