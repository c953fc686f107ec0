// SPDX-License-Identifier: Apache-2.0
//
// Pointers of loads and stores in assembly: variable pointers, shared memory, memory operands.
#include <gtest/gtest.h>

#include "cases/pointer_copies.hpp"
#include "harness/assembly.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::pointer_test {
namespace {

struct AssemblyCase {
    std::string name;
    std::vector<std::string> capabilities;
    std::string declarations, body, functions;
    uint32_t fromBuffer, fromElement, toBuffer, toElement;
    std::vector<std::string> interfaces = {};
};

// Buffers x, y, z of f16 and n = {0, 1, 2, 3} of u32. Element pointers have a stride, so that
// OpPtrAccessChain may walk them.
std::vector<AssemblyCase> variablePointers() {
    const std::vector<std::string> kBuffers = {"VariablePointersStorageBuffer"};
    const std::vector<std::string> kAll = {"VariablePointersStorageBuffer", "VariablePointers"};
    return {
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
    };
}

std::vector<AssemblyCase> memoryCases() {
    const std::vector<std::string> kAll = {"VariablePointersStorageBuffer", "VariablePointers"};
    return {
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
}

const std::vector<AssemblyCase>& assemblyCases() {
    static const std::vector<AssemblyCase> table = [] {
        std::vector<AssemblyCase> cases = variablePointers();
        for (AssemblyCase& one : memoryCases()) cases.push_back(std::move(one));
        return cases;
    }();
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

}  // namespace
}  // namespace coopvk::test::pointer_test
