// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix: loads and stores.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "harness/compute.hpp"
#include "harness/nv.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::nv_loadstore_test {
namespace {

struct AccessCase {
    std::string name;
    Component component;
    uint32_t rows, columns;
    std::string pointee;  // GLSL
    uint32_t pointeeBytes;
    bool loadColumnMajor, storeColumnMajor;
    uint32_t extraStride;  // in steps of what alignment and pointee allow, beyond a line's length
    bool shared = false;
};

const AccessCase kAccesses[] = {
    {"Rows", Component::kF16, 8, 8, "float16_t", 2, false, false, 0},
    {"Columns", Component::kF16, 8, 16, "float16_t", 2, true, true, 3},
    {"RowsToColumns", Component::kF32, 16, 8, "float", 4, false, true, 1},
    {"Vectors", Component::kF16, 8, 16, "uvec4", 16, false, false, 1},
    {"VectorColumns", Component::kF16, 16, 8, "uvec2", 8, true, false, 2},
    {"HalfPairs", Component::kF16, 16, 16, "uint", 4, false, true, 3},
    {"Bytes", Component::kU8, 16, 32, "uint8_t", 1, false, true, 16},
    {"BytesAsWords", Component::kS8, 16, 32, "uint", 4, false, false, 1},
    {"BytesAsVectors", Component::kS8, 32, 16, "uvec4", 16, true, true, 1},
    {"Words", Component::kS32, 8, 8, "ivec4", 16, true, false, 1},
    {"SharedRows", Component::kF16, 16, 8, "float16_t", 2, false, true, 8, true},
    {"SharedVectors", Component::kF16, 8, 16, "uvec4", 16, false, false, 1, true},
};

// Pointer and stride are aligned as Vulkan requires: to the lesser of 16 bytes and the length of a
// row or column.
Placement placed(const Matrix& matrix, const AccessCase& c, bool columnMajor) {
    Placement placement = tight(matrix, columnMajor);
    const auto line = static_cast<uint32_t>(placement.stride);
    const uint32_t step = std::lcm(std::min(16u, 1u << std::countr_zero(line)), c.pointeeBytes);
    placement.stride = ((line + step - 1) / step + c.extraStride) * step;
    placement.offset = size_t{2} * step;
    return placement;
}

class NvLoadStore : public testing::TestWithParam<AccessCase> {};

TEST_P(NvLoadStore, CarriesEveryBit) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const AccessCase& c = GetParam();
    Rng rng(c.name);
    const Matrix matrix = randomMatrix(rng, c.component, c.rows, c.columns, Fill::kBits);
    const Placement from = placed(matrix, c, c.loadColumnMajor);
    const Placement to = placed(matrix, c, c.storeColumnMajor);
    const auto count = [&](const Placement& p) { return p.size(matrix) / c.pointeeBytes + 2; };
    const auto first = [&](const Placement& p) {
        return std::to_string(p.offset / c.pointeeBytes);
    };
    const auto stride = [&](const Placement& p) {
        return std::to_string(p.stride / c.pointeeBytes);
    };
    std::string source =
        nv::header() + glsl::buffer(0, "src", c.pointee) + glsl::buffer(1, "dst", c.pointee);
    const auto shared = [&](const char* array, const Placement& p) {
        return "shared " + c.pointee + " " + array + "[" + std::to_string(count(p)) + "];\n";
    };
    const auto copy = [&](const char* out, const char* in, const Placement& p) {
        return "for (uint i = gl_LocalInvocationIndex; i < " + std::to_string(count(p)) +
               "; i += gl_WorkGroupSize.x) " + out + "[i] = " + in + "[i];\nbarrier();\n";
    };
    if (c.shared) source += shared("s", from) + shared("d", to);
    source += "layout(push_constant) uniform Push { uint n[4]; } push;\nvoid main() {\n" +
              nv::matrix(c.component, c.rows, c.columns) + " M;\n";
    if (c.shared) source += copy("s", "src", from) + copy("d", "dst", to);
    source += "coopMatLoadNV(M, " + std::string(c.shared ? "s" : "src") + ", push.n[0], " +
              stride(from) + ", " + (c.loadColumnMajor ? "true" : "false") + ");\n" +
              "coopMatStoreNV(M, " + std::string(c.shared ? "d" : "dst") + ", " + first(to) + ", " +
              stride(to) + ", " + (c.storeColumnMajor ? "true" : "false") + ");\n";
    if (c.shared) source += "barrier();\n" + copy("dst", "d", to);
    source += "}\n";
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(count(from) * c.pointeeBytes),
                        rng.bytes(count(to) * c.pointeeBytes)};
    dispatch.push = pushWords({static_cast<uint32_t>(from.offset) / c.pointeeBytes, 0, 0, 0});
    scatter(matrix, from, dispatch.buffers[0]);
    expectAsReference(compileGlsl(source), dispatch);
}

INSTANTIATE_TEST_SUITE_P(Glsl, NvLoadStore, testing::ValuesIn(kAccesses),
                         [](const testing::TestParamInfo<AccessCase>& test) {
                             return test.param.name;
                         });

}  // namespace
}  // namespace coopvk::test::nv_loadstore_test
