// SPDX-License-Identifier: Apache-2.0
//
// Cooperative matrices with 4-bit components: products, memory.
#include "harness/int4_matrix.hpp"

#include <gtest/gtest.h>
#include <volk.h>

#include <array>
#include <format>
#include <optional>

#include "coopvk/vulkan_coopvk.h"
#include "harness/block.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::int4_matrix_test {
namespace {

using namespace int4;

struct ProductCase {
    uint32_t m, n, k;
    bool aSigned, bSigned;      // types
    bool aAsSigned, bAsSigned;  // operands
    NibbleMemory a, b;
    std::optional<uint32_t> dots = {};  // as GPUs with dot products do it: see gpuWithDots
};

void expectProduct(const ProductCase& p, std::string_view seed) {
    Rng rng(seed);
    Nibbles a = randomNibbles(rng, p.m, p.k, p.aSigned);
    Nibbles b = randomNibbles(rng, p.k, p.n, p.bSigned);
    Assembly module =
        withNibbles({{"a", p.a.pointee}, {"b", p.b.pointee}, {"c", "s32"}, {"d", "s32"}});
    module.declarations = matrixOf("A", nibbleType(p.aSigned), p.m, p.k, 0) +
                          matrixOf("B", nibbleType(p.bSigned), p.k, p.n, 1) +
                          matrixOf("C", "%s32", p.m, p.n, 2);
    std::string signs = " MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR";
    if (p.aAsSigned) signs += "|MatrixASignedComponentsKHR";
    if (p.bAsSigned) signs += "|MatrixBSignedComponentsKHR";
    const NibbleMemory words{"s32", false, p.n};
    module.body = load("ma", "%A", "a", p.a) + load("mb", "%B", "b", p.b) +
                  load("mc", "%C", "c", words) +
                  "%md = OpCooperativeMatrixMulAddKHR %C %ma %mb %mc" + signs + "\n" +
                  store("md", "d", words);
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(bytesOf(p.a, p.m, p.k)), rng.bytes(bytesOf(p.b, p.k, p.n)),
                        rng.bytes(size_t{p.m} * p.n * 4), rng.bytes(size_t{p.m} * p.n * 4)};
    scatter(a, p.a, dispatch.buffers[0]);
    scatter(b, p.b, dispatch.buffers[1]);
    const Words code = assemble(module, Checked::kNo);
    Words made = code;
    if (p.dots) {
        made = rewrittenFor(gpuWithDots(*p.dots), code);
        EXPECT_TRUE(hasRightDots(made, *p.dots)) << *p.dots;
    }
    SCOPED_TRACE(std::format("{}x{}x{} {} {}", p.m, p.n, p.k, p.a.pointee, p.b.pointee));
    expectNumbersAsReference(code, dispatch, Component::kS32, {}, &made);
}

TEST(Int4Products, Signs) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (uint32_t bits = 0; bits < 16; ++bits) {
        ProductCase p{8,  8, 16, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0,
                      {}, {}};
        p.a = memoryOf("u32", false, 8, 16);
        p.b = memoryOf("u32", true, 16, 8);
        expectProduct(p, "Int4Signs" + std::to_string(bits));
    }
}

// With dot products of four bytes: all that a device may accelerate, operands of either sign, types
// of the other sign.
TEST(Int4Products, Dots) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const uint32_t accelerated : {0u, 1u, 2u, 4u, 6u}) {
        for (uint32_t signs = 0; signs < 4; ++signs) {
            const bool a = (signs & 1) != 0, b = (signs & 2) != 0;
            ProductCase p{8, 8, 16, a, !b, a, b, {}, {}, accelerated};
            p.a = memoryOf("u32", false, p.m, p.k);
            p.b = memoryOf(signs == 0 ? "u32x2" : "u32", true, p.k, p.n);
            expectProduct(p, "Int4Dots" + std::to_string(signs));
        }
    }
}

// Words that are built from components: lines across those of memory, or lines that are too short.
TEST(Int4Products, DotsOfOtherLayouts) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const auto& [m, n, k] : {std::array{8u, 8u, 8u}, {4u, 4u, 4u}}) {
        for (uint32_t layouts = 0; layouts < 4; ++layouts) {
            ProductCase p{m, n, k, true, false, true, false, {}, {}, 1};
            p.a = memoryOf("u8", (layouts & 1) != 0, m, k);
            p.b = memoryOf("u16", (layouts & 2) != 0, k, n, 1);
            expectProduct(p, "Int4DotsOf");
        }
    }
}

TEST(Int4Products, ShapesAndLayouts) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t shapes[][3] = {{8, 8, 8}, {16, 16, 32}, {4, 4, 6}, {5, 3, 7}};
    for (const auto& [m, n, k] : shapes) {
        for (uint32_t layouts = 0; layouts < 4; ++layouts) {
            ProductCase p{m, n, k, true, false, true, false, {}, {}};
            p.a = memoryOf("u8", (layouts & 1) != 0, m, k);
            p.b = memoryOf("u16", (layouts & 2) != 0, k, n, 1);
            expectProduct(p, "Int4Shapes");
        }
    }
}

TEST(Int4Memory, Pointees) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    for (const char* pointee : {"u8", "s8", "u16", "u32", "f32", "u32x2", "u32x4", "u8x4", "u4x2",
                                "u4x4", "u4x8", "u4x16"}) {
        for (const bool columnMajor : {false, true}) {
            ProductCase p{16, 8, 16, true, true, true, true, {}, {}};
            p.a = memoryOf(pointee, columnMajor, 16, 16);
            p.b = memoryOf(pointee, columnMajor, 16, 8, 1);
            expectProduct(p, pointee);
        }
    }
}

// Loads from one layout and stores to another; bits outside of the matrix do not change.
TEST(Int4Memory, CopiesBetweenLayouts) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t shapes[][2] = {{8, 32}, {6, 10}, {3, 5}, {16, 8}};
    for (const auto& [rows, columns] : shapes) {
        for (const uint32_t use : {0u, 1u}) {
            for (const char* pointee : {"u8", rows == 8 ? "u4x8" : rows == 6 ? "u16" : "u32"}) {
                const bool turn = (rows + use) % 2 == 0;
                const NibbleMemory from = memoryOf("u32", turn, rows, columns);
                for (const bool columnMajor : {false, true}) {
                    const NibbleMemory to = memoryOf(pointee, columnMajor, rows, columns, 1);
                    Rng rng("Int4Copy");
                    Nibbles matrix = randomNibbles(rng, rows, columns, true);
                    Assembly module = withNibbles({{"a", "u32"}, {"d", pointee}});
                    module.declarations = matrixOf("M", "%s4", rows, columns, use);
                    module.body = load("m", "%M", "a", from) + store("m", "d", to);
                    Dispatch dispatch;
                    dispatch.buffers = {rng.bytes(bytesOf(from, rows, columns)),
                                        rng.bytes(bytesOf(to, rows, columns))};
                    scatter(matrix, from, dispatch.buffers[0]);
                    Bytes want = dispatch.buffers[1];
                    scatter(matrix, to, want);
                    const auto after = run(assemble(module, Checked::kNo), dispatch);
                    EXPECT_EQ(difference(after[1], want), "")
                        << rows << "x" << columns << " use " << use << " " << pointee
                        << (columnMajor ? " columns" : " rows");
                }
            }
        }
    }
}

// From memory at an address, through Workgroup memory, to memory at another address.
TEST(Int4Memory, StorageClasses) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    constexpr uint32_t kRows = 16, kColumns = 32;
    for (const uint32_t use : {0u, 1u}) {
        const NibbleMemory rows = memoryOf("u32", false, kRows, kColumns);
        const NibbleMemory columns = memoryOf("u32", true, kRows, kColumns);
        Rng rng("Int4Storage");
        Nibbles matrix = randomNibbles(rng, kRows, kColumns, true);
        Assembly module = withNibbles({{"a", "u32"}, {"d", "u32"}});
        module.capabilities.push_back("PhysicalStorageBufferAddresses");
        module.declarations =
            matrixOf("M", "%s4", kRows, kColumns, use) +
            "%ph = OpTypePointer PhysicalStorageBuffer %u32\n%pushed = OpTypeStruct %ph %ph\n"
            "%pc_pushed = OpTypePointer PushConstant %pushed\n"
            "%pc_ph = OpTypePointer PushConstant %ph\n%push = OpVariable %pc_pushed PushConstant\n"
            "%words = OpTypeArray %u32 %c_64\n%wg_words = OpTypePointer Workgroup %words\n"
            "%wg_u32 = OpTypePointer Workgroup %u32\n%wg = OpVariable %wg_words Workgroup\n"
            // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
            "%order = OpConstant %u32 24840\n";
        module.decorations =
            "OpDecorate %pushed Block\nOpMemberDecorate %pushed 0 Offset 0\n"
            "OpMemberDecorate %pushed 1 Offset 8\n";
        module.interfaces = {"%push", "%wg"};
        const std::string shared = " %c_1 " + constant(columns.stride) + " NonPrivatePointer";
        const std::string address = " %c_0 " + constant(rows.stride) + " Aligned 4\n";
        module.body =
            "%pf = OpAccessChain %pc_ph %push %c_0\n%from = OpLoad %ph %pf\n"
            "%pt = OpAccessChain %pc_ph %push %c_1\n%to = OpLoad %ph %pt\n"
            "%m = OpCooperativeMatrixLoadKHR %M %from" +
            address + "%pw = OpAccessChain %wg_u32 %wg %c_0\nOpCooperativeMatrixStoreKHR %pw %m" +
            shared +
            "\nOpControlBarrier %c_2 %c_2 %order\n%m2 = OpCooperativeMatrixLoadKHR %M %pw" +
            shared + "\nOpCooperativeMatrixStoreKHR %to %m2" + address;
        Dispatch dispatch;
        dispatch.addresses = {0, 1};
        dispatch.buffers = {rng.bytes(bytesOf(rows, kRows, kColumns)),
                            rng.bytes(bytesOf(rows, kRows, kColumns))};
        scatter(matrix, rows, dispatch.buffers[0]);
        SCOPED_TRACE(use);
        expectAsReference(assemble(module, Checked::kNo), dispatch);
    }
}

TEST(Int4Listed, ShapesRun) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto getShapes =
        reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK>(
            vkGetInstanceProcAddr(Context::get().instance,
                                  "vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK"));
    ASSERT_NE(getShapes, nullptr);
    uint32_t count = 0;
    COOPVK_CHECK(getShapes(Context::get().physical, &count, nullptr));
    ASSERT_GT(count, 0u);
    std::vector<VkCooperativeMatrixInt4PropertiesCOOPVK> shapes(
        count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_INT4_PROPERTIES_COOPVK});
    COOPVK_CHECK(getShapes(Context::get().physical, &count, shapes.data()));
    uint32_t signs = 0;
    int left = 8;  // compiling large ones takes long on CPUs
    for (const VkCooperativeMatrixInt4PropertiesCOOPVK& shape : shapes) {
        EXPECT_EQ(shape.scope, VK_SCOPE_SUBGROUP_KHR);
        if (shape.saturatingAccumulation || shape.CType != VK_COMPONENT_TYPE_SINT32_KHR) continue;
        if (shape.MSize > 16 || left-- == 0) continue;
        const bool as = shape.ASigned == VK_TRUE, bs = shape.BSigned == VK_TRUE;
        signs |= 1u << (as + 2 * bs);
        ProductCase p{shape.MSize, shape.NSize, shape.KSize, as, bs, as, bs, {}, {}};
        p.a = memoryOf("u32", false, p.m, p.k);
        p.b = memoryOf("u8", false, p.k, p.n);
        expectProduct(p, "Int4Advertised");
    }
    EXPECT_NE(signs, 0u);
}

}  // namespace
}  // namespace coopvk::test::int4_matrix_test
