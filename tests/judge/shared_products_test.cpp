// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices in shared memory, as attention and fused networks have them: on devices of
// every class, with every choice that can be tuned, executed on the reference device. All numbers
// are small integers, so that sums are exact.
#include <gtest/gtest.h>

#include <bit>
#include <format>
#include <random>
#include <span>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::shared_products_test {
namespace {

using reference::test::Execution;
using reference::test::ShaderText;
using rewrite::DeviceTraits;
using Random = std::mt19937;

struct Format {
    std::string_view name, type, capabilities, extension;
    uint32_t bytes;
    bool isInteger = false;
};
constexpr std::string_view kSmall =
    "OpCapability Float8EXT\nOpCapability Float8CooperativeMatrixEXT\n";
constexpr Format kFactors[] = {
    {"f16", "%f16", "", "", 2},
    {"f32", "%f32", "", "", 4},
    {"s8", "%s8", "", "", 1, true},
    {"bf16", "%bf16", "OpCapability BFloat16TypeKHR\nOpCapability BFloat16CooperativeMatrixKHR\n",
     "OpExtension \"SPV_KHR_bfloat16\"\n", 2},
    {"e4m3", "%e4m3", kSmall, "OpExtension \"SPV_EXT_float8\"\n", 1},
    {"e5m2", "%e5m2", kSmall, "OpExtension \"SPV_EXT_float8\"\n", 1},
};

// How a matrix lies in memory: numbers of elements.
struct Lines {
    uint32_t start, count, length, stride;
    bool areColumns;

    uint32_t end() const { return start + count * stride; }
    uint32_t at(uint32_t row, uint32_t column) const {
        return start + (areColumns ? column * stride + row : row * stride + column);
    }
};

Lines linesOf(uint32_t start, uint32_t rows, uint32_t columns, bool areColumns, uint32_t padding) {
    const uint32_t length = areColumns ? rows : columns;
    return {start, areColumns ? columns : rows, length, length + padding, areColumns};
}

struct Product {
    const Format* factors;
    bool hasHalfSums, fromSums;  // A is computed, or it is in shared memory
    bool inLoop, isNegated, addsToZero;
    uint32_t rows, columns, depth;
    uint32_t pack,
        words;  // elements of a pointee; the 32-bit integers that it has in place of them
    uint32_t lanes, subgroups, products;
    Lines a, b, h, c, result;  // in %in, of which shared memory has a and b; result is in %out

    uint32_t shared() const { return fromSums ? b.end() : a.end(); }
};

// What a pointee is: one element, a vector of them, or words.
void choosePointee(Product& p, Random& random) {
    const auto oneOf = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
    p.words = p.factors->bytes < 4 && oneOf(3) == 0 ? 1u << oneOf(3) : 0;
    p.pack = p.words != 0            ? 4 * p.words / p.factors->bytes
             : p.factors->bytes == 4 ? 1
                                     : 1u << oneOf(3);
}

Product productOf(Random& random) {
    const auto oneOf = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
    Product p{};
    p.factors = &kFactors[oneOf(std::size(kFactors))];
    p.hasHalfSums = oneOf(3) == 0 && p.factors->name != "bf16" && p.factors->name != "f32" &&
                    !p.factors->isInteger;
    p.fromSums = oneOf(2) == 0;
    p.inLoop = oneOf(2) == 0;
    p.isNegated = oneOf(3) == 0 && p.factors->capabilities.empty();  // others may not be
    p.addsToZero = oneOf(3) == 0;
    p.rows = 8u << oneOf(3);
    p.columns = 16u << oneOf(2);
    p.depth = 16u << oneOf(4);
    choosePointee(p, random);
    p.lanes = 4u << oneOf(6);
    p.subgroups = p.lanes <= 32 ? 1u << oneOf(3) : 1;
    p.products = 1 + oneOf(2);
    const uint32_t padding = oneOf(3) == 0 ? 16 : 0;
    const bool areColumnsOfA = p.rows >= 16 && oneOf(3) == 0;
    p.b = linesOf(0, p.depth, p.columns, oneOf(3) == 0, padding);
    p.a = linesOf(p.b.end(), p.rows, p.depth, areColumnsOfA, padding);
    p.h = linesOf(p.shared(), p.rows, p.depth, false, 0);
    p.c = linesOf(p.h.end(), p.rows, p.columns, oneOf(3) == 0, 0);
    p.result = linesOf(0, p.rows, p.columns, oneOf(3) == 0, 0);
    return p;
}

void describe(const Product& p, std::ostream& out) {
    out << p.factors->name << ' ' << p.rows << 'x' << p.depth << 'x' << p.columns << ", "
        << p.subgroups << " times " << p.lanes << " lanes" << (p.hasHalfSums ? ", f16 sums" : "")
        << (p.fromSums ? ", A of sums" : "") << (p.a.areColumns ? ", columns of A" : "")
        << (p.b.areColumns ? ", columns of B" : "") << (p.inLoop ? ", loop" : "")
        << (p.addsToZero ? ", zero" : "") << ", pack " << p.pack << ", words " << p.words
        << ", products " << p.products;
}

// A structured loop: %NAME is its counter.
std::string loop(std::string_view name, std::string_view before, std::string_view count,
                 std::string_view body) {
    return std::format(
        "OpBranch %{0}_head\n%{0}_head = OpLabel\n%{0} = OpPhi %u32 %u_0 %{1} %{0}_later "
        "%{0}_next\nOpLoopMerge %{0}_end %{0}_next None\nOpBranch %{0}_test\n%{0}_test = OpLabel\n"
        "%{0}_more = OpULessThan %bool %{0} {2}\nOpBranchConditional %{0}_more %{0}_body %{0}_end\n"
        "%{0}_body = OpLabel\n{3}OpBranch %{0}_next\n%{0}_next = OpLabel\n"
        "%{0}_later = OpIAdd %u32 %{0} %u_1\nOpBranch %{0}_head\n%{0}_end = OpLabel\n",
        name, before, count, body);
}

// Names of types and instructions in the module.
struct Names {
    explicit Names(const Product& p)
        : wide(p.factors->isInteger ? "%s32" : "%f32"),
          convert(p.factors->isInteger ? "OpSConvert" : "OpFConvert"),
          element(p.factors->type),
          sums(p.hasHalfSums ? "%S" : "%W"),
          isSingle(p.factors->type == wide) {}

    std::string_view wide, convert;
    std::string element;
    std::string_view sums;
    bool isSingle;
};

std::string constantsOf(const Product& p) {
    std::string d;
    const auto constant = [&](std::string_view name, uint32_t value) {
        d += std::format("%{} = OpConstant %u32 {}\n", name, value);
    };
    constant("m", p.rows);
    constant("n", p.columns);
    constant("k", p.depth);
    const uint32_t lanes = p.lanes * p.subgroups, packs = p.shared() / p.pack;
    constant("packs", packs);
    constant("lanes", lanes);
    constant("subgroup", p.lanes);
    constant("pack", p.pack);
    constant("turns", (packs + lanes - 1) / lanes);
    constant("a_start", p.a.start / p.pack);
    constant("a_stride", p.a.stride / p.pack);
    constant("b_stride", p.b.stride / p.pack);
    constant("h_start", p.h.start);
    constant("c_start", p.c.start);
    constant("c_stride", p.c.stride);
    constant("out_stride", p.result.stride);
    constant("out_size", p.result.end());
    constant("products", p.products);
    constant("semantics", 0x6108);  // AcquireRelease, WorkgroupMemory, MakeAvailable, MakeVisible
    return d;
}

std::string declarationsOf(const Product& p, const Names& names) {
    std::string d;
    if (p.factors->name == "bf16") d += "%bf16 = OpTypeFloat 16 BFloat16KHR\n";
    if (p.factors->name == "e4m3") d += "%e4m3 = OpTypeFloat 8 Float8E4M3EXT\n";
    if (p.factors->name == "e5m2") d += "%e5m2 = OpTypeFloat 8 Float8E5M2EXT\n";
    const std::string pointee = p.words == 1   ? "%u32"
                                : p.words != 0 ? std::format("%v{}u32", p.words)
                                : p.pack == 1  ? names.element
                                               : "%packed";
    const uint32_t part = p.words != 0 ? p.pack / p.words : p.pack;
    if (part != 1) d += std::format("%packed = OpTypeVector {} {}\n", names.element, part);
    d += constantsOf(p);
    d += std::format(
        "%array = OpTypeArray {0} %packs\n%p_array = OpTypePointer Workgroup %array\n"
        "%p_pack = OpTypePointer Workgroup {0}\n%shared = OpVariable %p_array Workgroup\n",
        pointee);
    const auto matrix = [&](std::string_view name, std::string_view type, std::string_view rows,
                            std::string_view columns, int use) {
        d += std::format("%{} = OpTypeCooperativeMatrixKHR {} %u_3 {} {} %u_{}\n", name, type, rows,
                         columns, use);
    };
    matrix("A", names.element, "%m", "%k", 0);
    matrix("B", names.element, "%k", "%n", 1);
    matrix("H", names.wide, "%m", "%k", 2);
    if (!names.isSingle) matrix("HE", names.element, "%m", "%k", 2);
    matrix("W", names.wide, "%m", "%n", 2);
    if (p.hasHalfSums) matrix("S", "%f16", "%m", "%n", 2);
    return d + std::format("%zeros = OpConstantNull {}\n%p_sums = OpTypePointer Function {}\n",
                           names.sums, names.sums);
}

// A turn of each invocation's part of filling the shared memory. %in has the words of shared
// memory, those of A's sums, and C: f32 or s32.
std::string fillOf(const Product& p, const Names& names) {
    std::string fill =
        "%turn_first = OpIMul %u32 %turn %lanes\n%to = OpIAdd %u32 %turn_first %i\n"
        "%inside = OpULessThan %bool %to %packs\nOpSelectionMerge %filled None\n"
        "OpBranchConditional %inside %fill %filled\n%fill = OpLabel\n"
        "%from = OpIMul %u32 %to %pack\n";
    std::string parts[4];
    const uint32_t part = p.words != 0 ? p.pack / p.words : p.pack;
    for (uint32_t e = 0; e < p.pack; ++e) {
        fill += std::format("%from_{0} = OpIAdd %u32 %from %u_{0}\n", e) +
                reference::test::loadWord(std::format("%w_{}", e), std::format("%from_{}", e)) +
                std::format("%x_{0} = OpBitcast {1} %w_{0}\n", e, names.wide);
        if (!names.isSingle) {
            fill += std::format("%e_{0} = {1} {2} %x_{0}\n", e, names.convert, names.element);
        }
        parts[e / part] += std::format(" %{}_{}", names.isSingle ? 'x' : 'e', e);
    }
    std::string whole = parts[0];
    if (part != 1) {
        fill += "%first = OpCompositeConstruct %packed" + parts[0] + "\n";
        whole = " %first";
    }
    if (p.words != 0) whole.clear();
    for (uint32_t w = 0; w < p.words; ++w) {
        if (w != 0) fill += std::format("%part_{} = OpCompositeConstruct %packed{}\n", w, parts[w]);
        const std::string from = w == 0 ? "%first" : std::format("%part_{}", w);
        fill += std::format("%word_{} = OpBitcast %u32 {}\n", w, from);
        whole += std::format(" %word_{}", w);
    }
    if (p.words > 1) {
        fill += std::format("%whole = OpCompositeConstruct %v{}u32{}\n", p.words, whole);
        whole = " %whole";
    }
    return fill + "%filled_at = OpAccessChain %p_pack %shared %to\nOpStore %filled_at" + whole +
           " NonPrivatePointer\nOpBranch %filled\n%filled = OpLabel\n";
}

std::string productOf(const Product& p, const Names& names) {
    const bool ints = p.factors->isInteger;
    const std::string_view operands =
        ints ? "MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|MatrixCSignedComponentsKHR|"
               "MatrixResultSignedComponentsKHR"
             : "NoneKHR";
    std::string product =
        std::string("%b_at = OpAccessChain %p_pack %shared %u_0\n") +
        std::format("%b = OpCooperativeMatrixLoadKHR %B %b_at %u_{} %b_stride NonPrivatePointer\n",
                    p.b.areColumns ? 1 : 0);
    if (!p.fromSums) {
        product += std::format(
            "%a = OpCooperativeMatrixLoadKHR %A %a_at %u_{} %a_stride NonPrivatePointer\n",
            p.a.areColumns ? 1 : 0);
    }
    if (p.isNegated) product += std::format("%ma = {} %A %a\n", ints ? "OpSNegate" : "OpFNegate");
    return product +
           std::format(
               "%before = OpLoad {0} %sum\n%after = OpCooperativeMatrixMulAddKHR {0} {1} %b "
               "%before {2}\nOpStore %sum %after\n",
               names.sums, p.isNegated ? "%ma" : "%a", operands);
}

std::string bodyOf(const Product& p, const Names& names) {
    std::string body =
        "%sum = OpVariable %p_sums Function\n"
        "%h_at = OpAccessChain %p_word %in %u_0 %h_start\n"
        "%c_at = OpAccessChain %p_word %in %u_0 %c_start\n"
        "%subgroup_id = OpUDiv %u32 %i %subgroup\n"
        "%out_start = OpIMul %u32 %subgroup_id %out_size\n"
        "%out_at = OpAccessChain %p_word %out %u_0 %out_start\n";
    body += loop("turn", "start", "%turns", fillOf(p, names));
    body += "OpControlBarrier %u_2 %u_2 %semantics\n";
    if (p.fromSums) {
        body += "%h = OpCooperativeMatrixLoadKHR %H %h_at %u_0 %k\n";
        if (!names.isSingle) body += std::format("%he = {} %HE %h\n", names.convert);
        body +=
            std::format("%a = OpCooperativeMatrixConvertNV %A %{}\n", names.isSingle ? "h" : "he");
    } else {
        body += "%a_at = OpAccessChain %p_pack %shared %a_start\n";
    }
    if (!p.addsToZero) {
        body += std::format("%cw = OpCooperativeMatrixLoadKHR %W %c_at %u_{} %c_stride\n",
                            p.c.areColumns ? 1 : 0);
        if (p.hasHalfSums) body += "%c = OpFConvert %S %cw\n";
    }
    const std::string_view first = p.addsToZero ? "zeros" : p.hasHalfSums ? "c" : "cw";
    body += std::format("OpStore %sum %{}\n", first);
    const std::string product = productOf(p, names);
    body += p.inLoop ? loop("step", "turn_end", "%products", product) : product;
    body += std::format("%last = OpLoad {} %sum\n", names.sums);
    if (p.hasHalfSums) body += "%wide_last = OpFConvert %W %last\n";
    return body + std::format("OpCooperativeMatrixStoreKHR %out_at %{} %u_{} %out_stride\n",
                              p.hasHalfSums ? "wide_last" : "last", p.result.areColumns ? 1 : 0);
}

std::string moduleOf(const Product& p) {
    const Names names(p);
    ShaderText text;
    text.localSize = p.lanes * p.subgroups;
    text.memoryModel = "Logical Vulkan";
    text.capabilities = std::format(
        "OpCapability VulkanMemoryModel\nOpCapability CooperativeMatrixKHR\n"
        "OpCapability CooperativeMatrixConversionsNV\n{}"
        "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpExtension "
        "\"SPV_NV_cooperative_matrix2\"\n{}",
        p.factors->capabilities, p.factors->extension);
    text.declarations += declarationsOf(p, names);
    text.body = bodyOf(p, names);
    return shader(text);
}

// What is open to devices and to tuning.
rewrite::Target targetOf(Random& random, uint32_t lanes) {
    rewrite::Target target;
    target.subgroupSize = lanes;
    target.backEnd = rewrite::BackEnd::kCore;
    DeviceTraits& device = target.device;
    device.minSubgroupSize = 4;
    device.maxSubgroupSize = lanes <= 32 && random() % 2 == 0 ? 32 : 128;
    device.maxComputeSharedMemorySize = random() % 4 == 0 ? 32768 : 65536;
    device.shaderFloat16 = random() % 4 != 0;
    constexpr void (*kClasses[])(DeviceTraits&) = {
        [](DeviceTraits&) {},
        [](DeviceTraits& d) { d.scalarRegisters = true; },
        [](DeviceTraits& d) { d.isCpu = true; },
        [](DeviceTraits& d) { d.dot4x8Signed = d.dot4x8Unsigned = true; },
    };
    kClasses[random() % std::size(kClasses)](device);
    for (bool DeviceTraits::* feature :
         {&DeviceTraits::shaderIntegerDotProduct, &DeviceTraits::subgroupArithmetic,
          &DeviceTraits::subgroupBallot, &DeviceTraits::computeFullSubgroups})
        device.*feature = random() % 2 == 0;
    rewrite::MatrixTuning& tuning = target.tuning;
    const auto choose = [&](auto& choice, auto value) {
        if (random() % 4 == 0) choice = value;
    };
    const auto power = [&](uint32_t end) { return 1u << random() % end; };
    choose(tuning.gridRows, std::min(power(6), lanes));
    choose(tuning.rowBlock, power(5) / 2);
    choose(tuning.columnBlock, power(5) / 2);
    choose(tuning.halfPairsAlongK, random() % 2 == 0);
    choose(tuning.unrolledProducts, power(10));
    choose(tuning.sliceDepth, power(6));
    choose(tuning.rollSlices, random() % 2 == 0);
    choose(tuning.sharedSingles, random() % 2 == 0);
    choose(tuning.openSums, random() % 2 == 0);
    choose(tuning.joinLoops, random() % 2 == 0);
    choose(tuning.joinTails, random() % 2 == 0);
    target.numerics = random() % 8 == 0 ? rewrite::Numerics::kSame : rewrite::Numerics::kFast;
    return target;
}

class SharedProducts : public testing::TestWithParam<uint32_t> {};

uint32_t wordOf(const Product& p, int number) {
    return p.factors->isInteger ? static_cast<uint32_t>(number)
                                : reference::test::bitsOf(static_cast<float>(number));
}

// What each subgroup stores.
std::vector<uint32_t> expectedOf(const Product& p, std::span<const int> numbers) {
    std::vector<uint32_t> expected(p.result.end());
    for (uint32_t m = 0; m < p.rows; ++m) {
        for (uint32_t n = 0; n < p.columns; ++n) {
            int sum = 0;
            for (uint32_t k = 0; k < p.depth; ++k) {
                sum += numbers[(p.fromSums ? p.h : p.a).at(m, k)] * numbers[p.b.at(k, n)];
            }
            sum *= p.isNegated ? -1 : 1;
            sum *= p.inLoop ? static_cast<int>(p.products) : 1;
            if (!p.addsToZero) sum += numbers[p.c.at(m, n)];
            expected[p.result.at(m, n)] = wordOf(p, sum);
        }
    }
    std::vector<uint32_t> all;
    for (uint32_t s = 0; s < p.subgroups; ++s)
        all.insert(all.end(), expected.begin(), expected.end());
    return all;
}

TEST_P(SharedProducts, AreSumsOfProducts) {
    Random random(GetParam());
    const Product p = productOf(random);
    std::vector<int> numbers(p.c.end());
    for (int& number : numbers) number = static_cast<int>(random() % 5) - 2;
    Execution execution;
    execution.lanes = p.lanes;
    execution.settings.schedule = static_cast<reference::Choice>(random() % 3);
    for (const int number : numbers) execution.buffers[0].push_back(wordOf(p, number));
    const std::vector<uint32_t> expected = expectedOf(p, numbers);
    execution.buffers[1].assign(expected.size(), 0xDEADBEEF);
    const std::vector<uint32_t> words = reference::test::assemble(moduleOf(p));
    const auto rewritten = rewrite::rewrite({.words = words}, targetOf(random, p.lanes));
    std::ostringstream name;
    describe(p, name);
    ASSERT_TRUE(rewritten) << name.str() << rewritten.error().message;
    execute(execution, rewritten->words);
    EXPECT_EQ(execution.error, "") << name.str();
    EXPECT_TRUE(execution.reports.empty()) << name.str() << describe(execution.reports.front());
    EXPECT_EQ(execution.buffers.at(1), expected) << name.str();
}

INSTANTIATE_TEST_SUITE_P(Random, SharedProducts, testing::Range(0u, 160u));

}  // namespace
}  // namespace coopvk::judge::shared_products_test
