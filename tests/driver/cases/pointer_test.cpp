// SPDX-License-Identifier: Apache-2.0
//
// Pointers of loads and stores: variable pointers, memory operands, nested blocks, arrays of
// buffers, buffer addresses in memory, shared memory with an explicit layout.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::pointer_test {
namespace {

constexpr uint32_t kRows = 8, kColumns = 8, kElements = kRows * kColumns;
constexpr size_t kBytes = kElements * 2;  // f16

// Buffers of f16: every test copies one 8×8 matrix from some place to another.
Bytes halves(Rng& rng, uint32_t matrices) { return rng.bytes(matrices * kBytes); }

void expectCopy(const std::vector<Bytes>& before, const std::vector<Bytes>& after,
                size_t fromBuffer, size_t fromOffset, size_t toBuffer, size_t toOffset) {
    std::vector<Bytes> expected = before;
    std::copy_n(before[fromBuffer].begin() + static_cast<std::ptrdiff_t>(fromOffset), kBytes,
                expected[toBuffer].begin() + static_cast<std::ptrdiff_t>(toOffset));
    for (size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(difference(after[i], expected[i]), "") << "buffer " << i;
}

struct AssemblyCase {
    std::string name;
    std::vector<std::string> capabilities;
    std::string declarations, body, functions;
    uint32_t fromBuffer, fromElement, toBuffer, toElement;
    std::vector<std::string> interfaces = {};
};

// Buffers x, y, z of f16 and n = {0, 1, 2, 3} of u32. Element pointers have a stride, so that
// OpPtrAccessChain may walk them.
const std::vector<AssemblyCase>& assemblyCases() {
    const std::vector<std::string> kBuffers = {"VariablePointersStorageBuffer"};
    const std::vector<std::string> kAll = {"VariablePointersStorageBuffer", "VariablePointers"};
    static const std::vector<AssemblyCase> table = {
        {"SelectInOneBuffer", kBuffers, "",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_0\n%q = OpAccessChain %sb_f16 %x %c_0 %c_64\n"
         "%s = OpSelect %sb_f16 %yes %q %p\n%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "%m = OpCooperativeMatrixLoadKHR %T %s %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %to %m %c_0 %c_8\n",
         "", 0, 64, 2, 0},
        {"SelectBetweenBuffers", kAll, "",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_0\n%q = OpAccessChain %sb_f16 %y %c_0 %c_64\n"
         "%s = OpSelect %sb_f16 %yes %q %p\n%t = OpSelect %sb_f16 %yes %p %q\n"
         "%m = OpCooperativeMatrixLoadKHR %T %s %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %t %m %c_0 %c_8\n",
         "", 1, 64, 0, 0},
        {"PtrAccessChain", kBuffers, "",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_16\n%q = OpPtrAccessChain %sb_f16 %p %c_48\n"
         "%t = OpAccessChain %sb_f16 %z %c_0 %c_0\n%u = OpPtrAccessChain %sb_f16 %t %c_64\n"
         "%m = OpCooperativeMatrixLoadKHR %T %q %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %u %m %c_0 %c_8\n",
         "", 0, 64, 2, 64},
        {"SelectThenPtrAccessChain", kAll, "",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_0\n%q = OpAccessChain %sb_f16 %y %c_0 %c_8\n"
         "%s = OpSelect %sb_f16 %yes %q %p\n%u = OpPtrAccessChain %sb_f16 %s %c_56\n"
         "%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "%m = OpCooperativeMatrixLoadKHR %T %u %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %to %m %c_0 %c_8\n",
         "", 1, 64, 2, 0},
        {"SelectBlocks", kAll, "",
         "%s = OpSelect %pointer_x %yes %y_same %x\n%u = OpAccessChain %sb_f16 %s %c_0 %c_64\n"
         "%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "%m = OpCooperativeMatrixLoadKHR %T %u %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %to %m %c_0 %c_8\n",
         "", 1, 64, 2, 0},
        {"PhiInLoop", kBuffers, "",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_0\n%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %body %i1 %next\n"
         "%w = OpPhi %sb_f16 %p %body %w1 %next\n%more = OpULessThan %bool %i %n2\n"
         "OpLoopMerge %done %next None\nOpBranchConditional %more %work %done\n%work = OpLabel\n"
         "OpBranch %next\n%next = OpLabel\n%w1 = OpPtrAccessChain %sb_f16 %w %c_32\n"
         "%i1 = OpIAdd %u32 %i %c_1\nOpBranch %head\n%done = OpLabel\n"
         "%m = OpCooperativeMatrixLoadKHR %T %w %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %to %m %c_0 %c_8\n",
         "", 0, 64, 2, 0},
        {"FunctionParameters", kBuffers, "%ft = OpTypeFunction %void %sb_f16 %sb_f16 %u32\n",
         "%p = OpAccessChain %sb_f16 %y %c_0 %c_64\n%t = OpAccessChain %sb_f16 %z %c_0 %c_64\n"
         "%r = OpFunctionCall %void %f %p %t %c_8\n",
         "%f = OpFunction %void None %ft\n%fp = OpFunctionParameter %sb_f16\n"
         "%fq = OpFunctionParameter %sb_f16\n%fs = OpFunctionParameter %u32\n%fl = OpLabel\n"
         "%m = OpCooperativeMatrixLoadKHR %T %fp %c_0 %fs\n"
         "OpCooperativeMatrixStoreKHR %fq %m %c_0 %fs\nOpReturn\nOpFunctionEnd\n",
         1, 64, 2, 64},
        {"FunctionResult", kAll, "%ft = OpTypeFunction %sb_f16 %u32\n",
         "%p = OpFunctionCall %sb_f16 %f %n1\n%t = OpFunctionCall %sb_f16 %f %n0\n"
         "%m = OpCooperativeMatrixLoadKHR %T %p %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %t %m %c_0 %c_8\n",
         "%f = OpFunction %sb_f16 None %ft\n%fi = OpFunctionParameter %u32\n%fl = OpLabel\n"
         "%fx = OpAccessChain %sb_f16 %x %c_0 %c_0\n%fy = OpAccessChain %sb_f16 %y %c_0 %c_64\n"
         "%is0 = OpIEqual %bool %fi %c_0\n%fr = OpSelect %sb_f16 %is0 %fx %fy\n"
         "OpReturnValue %fr\nOpFunctionEnd\n",
         1, 64, 0, 0},
        {"PointerInVariable", kAll, "%fp = OpTypePointer Function %sb_f16\n",
         "%v = OpVariable %fp Function\n@numbers\n%p = OpAccessChain %sb_f16 %y %c_0 %c_64\n"
         "OpStore %v %p\n%q = OpLoad %sb_f16 %v\n%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "%m = OpCooperativeMatrixLoadKHR %T %q %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %to %m %c_0 %c_8\n",
         "", 1, 64, 2, 0},
        {"WorkgroupSelect",
         kAll,
         "%len = OpConstant %u32 128\n%arr = OpTypeArray %f16 %len\n"
         "%pw = OpTypePointer Workgroup %arr\n%we = OpTypePointer Workgroup %f16\n"
         "%w1 = OpVariable %pw Workgroup\n%w2 = OpVariable %pw Workgroup\n"
         // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
         "%acqrel = OpConstant %u32 24840\n",
         "%p = OpAccessChain %sb_f16 %x %c_0 %c_64\n%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
         "%a = OpAccessChain %we %w1 %c_64\n%b = OpAccessChain %we %w2 %c_0\n"
         "%s = OpSelect %we %yes %b %a\n%m = OpCooperativeMatrixLoadKHR %T %p %c_0 %c_8\n"
         "OpCooperativeMatrixStoreKHR %s %m %c_1 %c_8 NonPrivatePointer\n"
         "OpControlBarrier %c_2 %c_2 %acqrel\n"
         "%m2 = OpCooperativeMatrixLoadKHR %T %s %c_1 %c_8 NonPrivatePointer\n"
         "OpCooperativeMatrixStoreKHR %to %m2 %c_0 %c_8\n",
         "",
         0,
         64,
         2,
         0,
         {"%w1", "%w2"}},
        {"OperandVolatile", {}, "", "@copy Volatile\n", "", 0, 0, 2, 0},
        {"OperandAligned", {}, "", "@copy Aligned 16\n", "", 0, 0, 2, 0},
        {"OperandNontemporal", {}, "", "@copy Nontemporal\n", "", 0, 0, 2, 0},
        {"OperandNonPrivate", {}, "", "@copy NonPrivatePointer\n", "", 0, 0, 2, 0},
        {"OperandVisible", {}, "", "@visible NonPrivatePointer\n", "", 0, 0, 2, 0},
        {"OperandAll",
         {},
         "",
         "@visible Volatile|Aligned|Nontemporal|NonPrivatePointer 16\n",
         "",
         0,
         0,
         2,
         0},
        {"OperandNone", {}, "", "@copy None\n", "", 0, 0, 2, 0},
    };
    return table;
}

// "@copy OPERANDS" and "@visible OPERANDS" stand for a load and a store with memory operands.
std::string expandCopy(std::string body) {
    for (const std::string marker : {"@copy ", "@visible "}) {
        const size_t at = body.find(marker);
        if (at == body.npos) continue;
        std::string operands = body.substr(at + marker.size());
        operands.pop_back();
        std::string visible = operands, available = operands;
        if (marker == "@visible ") {
            const size_t end = std::min(operands.find(' '), operands.size());
            const std::string rest = operands.substr(end);
            visible = operands.substr(0, end) + "|MakePointerVisible" + rest + " %c_5";
            available = operands.substr(0, end) + "|MakePointerAvailable" + rest + " %c_5";
        }
        return "%p = OpAccessChain %sb_f16 %x %c_0 %c_0\n"
               "%to = OpAccessChain %sb_f16 %z %c_0 %c_0\n"
               "%m = OpCooperativeMatrixLoadKHR %T %p %c_0 %c_8 " +
               visible + "\nOpCooperativeMatrixStoreKHR %to %m %c_0 %c_8 " + available + "\n";
    }
    return body;
}

class Pointers : public testing::TestWithParam<size_t> {};

TEST_P(Pointers, CopyOneMatrix) {
    const AssemblyCase& c = assemblyCases()[GetParam()];
    if (!c.capabilities.empty()) COOPVK_REQUIRE(Requirement::kVariablePointers);
    Assembly a;
    a.buffers = {scalars("x", Component::kF16), scalars("y", Component::kF16),
                 scalars("z", Component::kF16), scalars("n", Component::kU32)};
    a.capabilities = c.capabilities;
    a.interfaces = c.interfaces;
    a.decorations = "OpDecorate %sb_f16 ArrayStride 2\n";
    a.declarations =
        matrixType("T", Component::kF16, kRows, kColumns, Use::kAccumulator) + c.declarations;
    std::string numbers;
    for (const char* i : {"0", "1", "2"})
        numbers += std::string("%pn") + i + " = OpAccessChain %sb_u32 %n %c_0 %c_" + i + "\n%n" +
                   i + " = OpLoad %u32 %pn" + i + "\n";
    // A condition that no compiler can fold.
    numbers += "%yes = OpIEqual %bool %n1 %c_1\nOpBranch %body\n%body = OpLabel\n";
    a.body = expandCopy(c.body);
    const size_t marker = a.body.find("@numbers\n");
    if (marker == a.body.npos)
        a.body = numbers + a.body;
    else
        a.body.replace(marker, 9, numbers);
    a.functions = c.functions;
    std::string text = assemblyText(a);
    if (c.name == "SelectBlocks") {
        // One type for both blocks, as OpSelect wants.
        const std::string own = "%y = OpVariable %pointer_y StorageBuffer";
        text.replace(text.find(own), own.size(), "%y = OpVariable %pointer_x StorageBuffer");
        const std::string use = "%y_same";
        text.replace(text.find(use), use.size(), "%y");
    }
    Rng rng(c.name);
    Dispatch dispatch;
    dispatch.buffers = {halves(rng, 2), halves(rng, 2), halves(rng, 2),
                        toBytes<uint32_t>({0, 1, 2, 3})};
    expectCopy(dispatch.buffers, run(assemble(text), dispatch), c.fromBuffer, c.fromElement * 2,
               c.toBuffer, c.toElement * 2);
}

INSTANTIATE_TEST_SUITE_P(All, Pointers, testing::Range(size_t{0}, assemblyCases().size()),
                         [](const auto& param) { return assemblyCases()[param.param].name; });

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
}  // namespace coopvk::test::pointer_test
