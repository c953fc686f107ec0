// SPDX-License-Identifier: Apache-2.0
//
// Cooperative matrices with 4-bit components: products, memory, conversions, elements.
#include <gtest/gtest.h>
#include <volk.h>

#include "coopvk/vulkan_coopvk.h"
#include "harness/assembly.hpp"
#include "harness/block.hpp"
#include "harness/compute.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test {
namespace {

// A matrix of 4-bit values, and where it lies in memory.
struct Nibbles {
    uint32_t rows, columns;
    bool isSigned;
    std::vector<uint32_t> bits;  // row by row

    Nibbles(uint32_t rowCount, uint32_t columnCount, bool sign)
        : rows(rowCount), columns(columnCount), isSigned(sign), bits(rowCount * columnCount) {}
    uint32_t& at(uint32_t row, uint32_t column) { return bits[row * columns + column]; }
    int32_t value(uint32_t row, uint32_t column, bool asSigned) const {
        const uint32_t b = bits[row * columns + column];
        return asSigned && b >= 8 ? static_cast<int32_t>(b) - 16 : static_cast<int32_t>(b);
    }
};

struct NibbleMemory {
    std::string pointee = "u8";
    bool columnMajor = false;
    uint32_t stride = 0;  // pointees
};

uint32_t pointeeBytes(const std::string& type) {
    if (type.starts_with("u4x")) return static_cast<uint32_t>(std::stoul(type.substr(3))) / 2;
    return typeBytes(type);
}

uint32_t tightStride(const NibbleMemory& memory, uint32_t rows, uint32_t columns) {
    const uint32_t nibbles = memory.columnMajor ? rows : columns;
    const uint32_t each = pointeeBytes(memory.pointee) * 2;
    return (nibbles + each - 1) / each;
}

size_t bytesOf(const NibbleMemory& memory, uint32_t rows, uint32_t columns) {
    return size_t{memory.columnMajor ? columns : rows} * memory.stride *
           pointeeBytes(memory.pointee);
}

// Nibble of a byte array where an element lies.
size_t nibbleAt(const NibbleMemory& memory, uint32_t row, uint32_t column) {
    const uint32_t outer = memory.columnMajor ? column : row;
    const uint32_t inner = memory.columnMajor ? row : column;
    return size_t{outer} * memory.stride * pointeeBytes(memory.pointee) * 2 + inner;
}

void scatter(Nibbles& matrix, const NibbleMemory& memory, Bytes& bytes) {
    for (uint32_t r = 0; r < matrix.rows; ++r) {
        for (uint32_t c = 0; c < matrix.columns; ++c) {
            const size_t n = nibbleAt(memory, r, c);
            auto& byte = bytes[n / 2];
            const auto old = static_cast<uint32_t>(byte);
            const uint32_t shift = n % 2 * 4;
            byte = static_cast<std::byte>((old & ~(15u << shift)) | matrix.at(r, c) << shift);
        }
    }
}

Nibbles randomNibbles(Rng& rng, uint32_t rows, uint32_t columns, bool isSigned) {
    Nibbles matrix(rows, columns, isSigned);
    for (uint32_t& b : matrix.bits) b = static_cast<uint32_t>(rng.range(0, 15));
    return matrix;
}

Bytes wordBytes(const std::vector<int32_t>& words) {
    const auto view = std::as_bytes(std::span(words));
    return {view.begin(), view.end()};
}

std::string nibbleType(bool isSigned) { return isSigned ? "%s4" : "%u4"; }

std::string matrixOf(const char* id, const std::string& component, uint32_t rows, uint32_t columns,
                     uint32_t use) {
    return std::string("%") + id + " = OpTypeCooperativeMatrixKHR " + component + " %c_3 " +
           constant(rows) + " " + constant(columns) + " " + constant(use) + "\n";
}

// The module's 4-bit types, and what buffers of them need.
Assembly withNibbles(const std::vector<std::pair<std::string, std::string>>& buffers) {
    Assembly a;
    a.capabilities = {"Int4CooperativeMatrixINTEL", "Int4TypeINTEL", "Vector16"};
    a.extensions = {"SPV_INTEL_int4"};
    for (const auto& [name, type] : buffers) a.buffers.push_back({name, type, pointeeBytes(type)});
    a.types =
        "%s4 = OpTypeInt 4 1\n%u4 = OpTypeInt 4 0\n%u4x2 = OpTypeVector %u4 2\n"
        "%u4x4 = OpTypeVector %u4 4\n%u4x8 = OpTypeVector %u4 8\n"
        "%u4x16 = OpTypeVector %u4 16\n";
    return a;
}

std::string load(const std::string& id, const std::string& type, const std::string& buffer,
                 const NibbleMemory& memory) {
    return "%p_" + id + " = OpAccessChain %sb_" + memory.pointee + " %" + buffer + " %c_0 %c_0\n%" +
           id + " = OpCooperativeMatrixLoadKHR " + type + " %p_" + id +
           (memory.columnMajor ? " %c_1 " : " %c_0 ") + constant(memory.stride) + "\n";
}

std::string store(const std::string& id, const std::string& buffer, const NibbleMemory& memory) {
    return "%q_" + buffer + " = OpAccessChain %sb_" + memory.pointee + " %" + buffer +
           " %c_0 %c_0\nOpCooperativeMatrixStoreKHR %q_" + buffer + " %" + id +
           (memory.columnMajor ? " %c_1 " : " %c_0 ") + constant(memory.stride) + "\n";
}

struct ProductCase {
    uint32_t m, n, k;
    bool aSigned, bSigned;      // types
    bool aAsSigned, bAsSigned;  // operands
    NibbleMemory a, b;
};

void expectProduct(const ProductCase& p, std::string_view seed) {
    Rng rng(seed);
    Nibbles a = randomNibbles(rng, p.m, p.k, p.aSigned);
    Nibbles b = randomNibbles(rng, p.k, p.n, p.bSigned);
    std::vector<int32_t> c, d;
    for (uint32_t r = 0; r < p.m; ++r) {
        for (uint32_t col = 0; col < p.n; ++col) {
            c.push_back(static_cast<int32_t>(rng.next()));
            auto sum = static_cast<uint32_t>(c.back());
            for (uint32_t i = 0; i < p.k; ++i)
                sum += static_cast<uint32_t>(a.value(r, i, p.aAsSigned) *
                                             b.value(i, col, p.bAsSigned));
            d.push_back(static_cast<int32_t>(sum));
        }
    }
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
                        wordBytes(c), rng.bytes(d.size() * 4)};
    scatter(a, p.a, dispatch.buffers[0]);
    scatter(b, p.b, dispatch.buffers[1]);
    const std::vector<Bytes> after = run(assemble(module, Checked::kNo), dispatch);
    EXPECT_EQ(difference(after[3], wordBytes(d)), "")
        << p.m << "x" << p.n << "x" << p.k << " " << p.a.pointee << " " << p.b.pointee;
}

NibbleMemory memoryOf(const char* pointee, bool columnMajor, uint32_t rows, uint32_t columns,
                      uint32_t padding = 0) {
    NibbleMemory memory{pointee, columnMajor, 0};
    memory.stride = tightStride(memory, rows, columns) + padding;
    return memory;
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

// What is loaded from one layout and stored to another; bits beside the matrix stay.
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

// Every element v of an A matrix becomes a 32-bit integer by `body`, from %m to %r of type %W.
void expectElements(const std::string& declarations, const std::string& body, bool isSigned,
                    const std::function<int32_t(const Nibbles&, uint32_t, uint32_t)>& expected,
                    const std::vector<SpecConstant>& specialization = {},
                    const std::string& decorations = {}) {
    constexpr uint32_t kRows = 16, kColumns = 32;
    Rng rng("Int4Elements");
    Nibbles matrix = randomNibbles(rng, kRows, kColumns, isSigned);
    const NibbleMemory from = memoryOf("u32", false, kRows, kColumns);
    Assembly module = withNibbles({{"a", "u32"}, {"d", "s32"}});
    module.decorations = decorations;
    module.declarations = matrixOf("M", nibbleType(isSigned), kRows, kColumns, 0) +
                          matrixOf("W", "%s32", kRows, kColumns, 0) + declarations;
    // Variables come first in a function.
    const size_t variable = body.starts_with("%var") ? body.find('\n') + 1 : 0;
    module.body = body.substr(0, variable) + load("m", "%M", "a", from) + body.substr(variable) +
                  store("r", "d", {"s32", false, kColumns});
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(bytesOf(from, kRows, kColumns)),
                        rng.bytes(size_t{kRows} * kColumns * 4)};
    scatter(matrix, from, dispatch.buffers[0]);
    std::vector<int32_t> want;
    for (uint32_t r = 0; r < kRows; ++r)
        for (uint32_t c = 0; c < kColumns; ++c) want.push_back(expected(matrix, r, c));
    const auto after =
        run(assemble(module, Checked::kNo), dispatch, {.specialization = specialization});
    EXPECT_EQ(difference(after[1], wordBytes(want)), "") << body;
}

TEST(Int4Converted, Integers) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto valueAs = [](bool sign) {
        return [sign](const Nibbles& m, uint32_t r, uint32_t c) { return m.value(r, c, sign); };
    };
    const std::string more = matrixOf("U", "%u4", 16, 32, 0) + matrixOf("S", "%s4", 16, 32, 0) +
                             matrixOf("U32", "%u32", 16, 32, 0) + matrixOf("B", "%s8", 16, 32, 0) +
                             matrixOf("H", "%f16", 16, 32, 0) + matrixOf("F", "%f32", 16, 32, 0);
    for (const bool sign : {false, true}) {
        expectElements(more, "%r = OpSConvert %W %m\n", sign, valueAs(true));
        expectElements(more, "%q = OpUConvert %U32 %m\n%r = OpBitcast %W %q\n", sign,
                       valueAs(false));
        expectElements(more, "%b = OpSConvert %B %m\n%r = OpSConvert %W %b\n", sign, valueAs(true));
        expectElements(more, "%h = OpConvertSToF %H %m\n%r = OpConvertFToS %W %h\n", sign,
                       valueAs(true));
        expectElements(more, "%h = OpConvertUToF %F %m\n%r = OpConvertFToS %W %h\n", sign,
                       valueAs(false));
    }
    // Into four bits: the low ones.
    const std::string narrow =
        "%w = OpSConvert %W %m\n%five = OpCompositeConstruct %W %n5\n%t = OpIAdd %W %w %five\n";
    const std::string five = more + "%n5 = OpConstant %s32 5\n";
    expectElements(five, narrow + "%s = OpSConvert %S %t\n%r = OpSConvert %W %s\n", true,
                   [](const Nibbles& m, uint32_t r, uint32_t c) {
                       const int32_t sum = m.value(r, c, true) + 5;
                       return sum > 7 ? sum - 16 : sum;
                   });
    expectElements(five,
                   narrow +
                       "%tu = OpBitcast %U32 %t\n%s = OpUConvert %U %tu\n"
                       "%su = OpUConvert %U32 %s\n%r = OpBitcast %W %su\n",
                   true, [](const Nibbles& m, uint32_t r, uint32_t c) {
                       return (m.value(r, c, true) + 5) & 15;
                   });
    expectElements(more, "%s = OpBitcast %U %m\n%b = OpUConvert %U32 %s\n%r = OpBitcast %W %b\n",
                   true, valueAs(false));
}

TEST(Int4Parts, Elements) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto same = [](const Nibbles& m, uint32_t r, uint32_t c) { return m.value(r, c, true); };
    // All elements through a variable, one by one.
    expectElements(
        "%fn_M = OpTypePointer Function %M\n%fn_s4 = OpTypePointer Function %s4\n"
        "%n3 = OpConstant %s4 -3\n",
        "%var = OpVariable %fn_M Function\nOpStore %var %m\n"
        "%length = OpCooperativeMatrixLengthKHR %u32 %M\n"
        "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %next %more\n"
        "%go = OpULessThan %bool %i %length\nOpLoopMerge %done %more None\n"
        "OpBranchConditional %go %inside %done\n%inside = OpLabel\n"
        "%p = OpAccessChain %fn_s4 %var %i\n%e = OpLoad %s4 %p\n"
        "%w = OpSConvert %u32 %e\n%odd = OpBitwiseAnd %u32 %w %c_1\n"
        "%is_odd = OpINotEqual %bool %odd %c_0\n%chosen = OpSelect %s4 %is_odd %n3 %e\n"
        "OpStore %p %chosen\nOpBranch %more\n%more = OpLabel\n"
        "%next = OpIAdd %u32 %i %c_1\nOpBranch %head\n%done = OpLabel\n"
        "%m2 = OpLoad %M %var\n%r = OpSConvert %W %m2\n",
        true, [](const Nibbles& m, uint32_t r, uint32_t c) {
            const int32_t v = m.value(r, c, true);
            return v % 2 != 0 ? -3 : v;
        });
    expectElements("",
                   "%e = OpCompositeExtract %s4 %m 0\n%m2 = OpCompositeInsert %M %e %m 0\n"
                   "%r = OpSConvert %W %m2\n",
                   true, same);
    expectElements("%n3 = OpConstant %s4 -3\n%all = OpConstantComposite %M %n3\n",
                   "%r = OpSConvert %W %all\n", true,
                   [](const Nibbles&, uint32_t, uint32_t) { return -3; });
    expectElements(
        "%n3 = OpSpecConstant %s4 -3\n%all = OpSpecConstantComposite %M %n3\n",
        "%r = OpSConvert %W %all\n", true, [](const Nibbles&, uint32_t, uint32_t) { return -6; },
        {{9, 10, 1}}, "OpDecorate %n3 SpecId 9\n");
    expectElements("",
                   "%lb = OpINotEqual %bool %c_1 %c_0\n%z = OpUndef %M\n"
                   "%m2 = OpSelect %M %lb %m %z\n%m3 = OpCopyObject %M %m2\n"
                   "%r = OpSConvert %W %m3\n",
                   true, same);
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
}  // namespace coopvk::test
