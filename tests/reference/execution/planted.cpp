// SPDX-License-Identifier: Apache-2.0
#include "planted.hpp"

#include <gtest/gtest.h>

namespace coopvk::reference::test {

namespace {

const char* const kShared =
    "%array = OpTypeArray %u32 %u_16\n%p_array = OpTypePointer Workgroup %array\n"
    "%p_shared = OpTypePointer Workgroup %u32\n%shared = OpVariable %p_array Workgroup\n"
    "%subgroup = OpConstant %u32 3\n%semantics = OpConstant %u32 264\n%none = OpConstant %u32 0\n"
    "%buffers = OpConstant %u32 72\n%made = OpConstant %u32 24840\n%relaxed = OpConstant %u32 0\n";

}  // namespace

Execution executed(const ShaderText& text, uint32_t groups) {
    Execution r;
    r.lanes = 4;
    r.groups = {groups, 1, 1};
    r.buffers[0] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    r.buffers[1].resize(16);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    return r;
}

void expectOnly(const Execution& r, Check check) {
    EXPECT_GT(countReports(r, check), 0u) << checkName(check);
    for (const Report& report : r.reports) EXPECT_EQ(report.check, check) << describe(report);
}
void expectFound(const Execution& r, Check check) { EXPECT_GT(countReports(r, check), 0u); }
void expectNone(const Execution& r) {
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
}

ShaderText plainText(const std::string& body, uint32_t localSize) {
    ShaderText text;
    text.localSize = localSize;
    text.declarations = kShared;
    text.body = body;
    return text;
}

// Each invocation writes its word of shared memory, and reads the next one's.
static std::string neighbours(const std::string& between) {
    return "%w = OpAccessChain %p_shared %shared %i\nOpStore %w %i\n" + between +
           "%i1 = OpIAdd %u32 %i %u_1\n%n = OpBitwiseAnd %u32 %i1 %mask\n"
           "%q = OpAccessChain %p_shared %shared %n\n%r = OpLoad %u32 %q\n" +
           storeWord("%i", "%r");
}
ShaderText neighbourText(const std::string& between, uint32_t localSize) {
    ShaderText text = plainText(neighbours(between), localSize);
    text.declarations += "%mask = OpConstant %u32 " + std::to_string(localSize - 1) + "\n";
    return text;
}

}  // namespace coopvk::reference::test
