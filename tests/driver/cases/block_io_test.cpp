// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_2d_block_io: compares every operation, element size and kind of pointer with the
// specification's definition, and tests what must be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "harness/block.hpp"
#include "harness/covering.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::block_io_test {
namespace {

using Base = BlockShader::Base;

std::string unsignedType(uint32_t bytes) {
    return bytes == 8 ? "u32x2" : "u" + std::to_string(bytes * 8);
}

std::vector<Region> randomRegions(Rng& rng, const Block& block, int count = 6) {
    std::vector<Region> regions;
    for (int i = 0; i < count; ++i) regions.push_back(randomRegion(rng, block));
    regions.push_back({128, 24, 128, 0, 0});
    regions.push_back({192, 4, 200, -16, 2});
    regions.push_back({64, 24, 64, 1 << 30, 0});
    regions.push_back({64, 24, 64, 0, INT32_MIN});
    return regions;
}

BlockShader shaderOf(const Block& block) {
    BlockShader shader;
    shader.block = block;
    shader.regionType = unsignedType(block.elementSize);
    shader.privateType = block.op == BlockOp::kTransform ? "u32" : unsignedType(block.elementSize);
    return shader;
}

struct Kind {
    BlockOp op;
    uint32_t elementSize;
    bool operator==(const Kind&) const = default;
};

std::vector<Kind> kinds() {
    std::vector<Kind> list;
    for (const BlockOp op : {BlockOp::kLoad, BlockOp::kTranspose, BlockOp::kTransform,
                             BlockOp::kPrefetch, BlockOp::kStore})
        for (const uint32_t size : {1u, 2u, 4u, 8u})
            if (op != BlockOp::kTransform || size < 8) list.push_back({op, size});
    return list;
}

// Of the combinations of all kinds with all pointers of a list, those with one kind that this run
// takes.
template <typename Pointers, typename FactorsOf>
auto pointersOf(const Kind& kind, Pointers pointers, FactorsOf factorsOf) {
    using Pointer = typename decltype(pointers(kind))::value_type;
    std::vector<std::pair<Kind, Pointer>> all;
    for (const Kind& k : kinds())
        for (const Pointer& pointer : pointers(k)) all.emplace_back(k, pointer);
    std::vector<Pointer> result;
    for (const auto& [k, pointer] : covering(all, [&](const auto& c) {
             Factors values = factorsOf(c.second);
             values.push_back(factor(c.first.op) + " " + factor(c.first.elementSize));
             return values;
         }))
        if (k == kind) result.push_back(pointer);
    return result;
}

class BlockIo : public testing::TestWithParam<Kind> {};

// Widths below, equal to and above the subgroup size, and some that are no power of two.
TEST_P(BlockIo, Shapes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    const uint32_t lanes = Context::get().subgroupSize;
    const uint32_t multiple = size < 4 ? 4 / size : 1;
    const uint32_t widths[] = {multiple,     lanes / 2, lanes,        2 * lanes,
                               3 * multiple, 4 * lanes, 5 * multiple, 3 * lanes};
    const uint32_t heights[] = {1, 2, 3, 4, 7, 8, 16};
    Rng rng("BlockShapes" + std::to_string(static_cast<int>(op)) + std::to_string(size));
    for (const uint32_t width : widths) {
        Block block{op, size, (width + multiple - 1) / multiple * multiple, 1, 1};
        block.height = heights[rng.range(0, 6)];
        block.count = static_cast<uint32_t>(rng.range(1, 3));
        while (elementsOfLane(block, lanes) > 48) {
            if (block.count == 1 && block.height == 1) break;
            (block.count > 1 ? block.count : block.height) /= 2;
        }
        expectBlock(shaderOf(block), randomRegions(rng, block), blockName(block));
    }
}

// More elements than are unrolled.
TEST_P(BlockIo, Large) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    const uint32_t lanes = Context::get().subgroupSize;
    Rng rng("BlockLarge");
    Block block{op, size, std::max(lanes, 8u), 24, 1};
    while (elementsOfLane(block, lanes) <= 128) ++block.count;
    expectBlock(shaderOf(block), randomRegions(rng, block, 3), blockName(block));
}

// The private array's type need not be the element's: bytes are bytes.
TEST_P(BlockIo, PrivateTypes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    Rng rng("BlockPrivate");
    const Block block{op, size, 16, 3, 2};
    const auto types = [](const Kind& kind) -> std::vector<std::string> {
        if (kind.op == BlockOp::kTransform) return {"u32", "s32"};
        return {"u8", "u16", "u32", "f32", "f16", "u32x4", "u16x2"};
    };
    for (const std::string& type :
         pointersOf(GetParam(), types, [](const std::string& t) { return factors(t); })) {
        BlockShader shader = shaderOf(block);
        shader.privateType = type;
        shader.privateOffset = 3;
        expectBlock(shader, randomRegions(rng, block, 2), type);
    }
}

TEST_P(BlockIo, BaseTypes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    Rng rng("BlockBase");
    const Block block{op, size, 8, 5, 2};
    struct Pointer {
        const char* type;
        Base base;
    };
    const auto pointers = [](const Kind&) {
        std::vector<Pointer> list;
        for (const char* type : {"u8", "u16", "u32", "f32", "u32x4", "u32x2"})
            for (const Base base : {Base::kBuffer, Base::kAddress}) list.push_back({type, base});
        for (const Base base : {Base::kCrossWorkgroup, Base::kUntypedBuffer, Base::kUntypedAddress,
                                Base::kUntypedCrossWorkgroup})
            list.push_back({"u32", base});
        return list;
    };
    const auto factorsOf = [](const Pointer& p) { return factors(p.type, p.base); };
    for (const Pointer& pointer : pointersOf(GetParam(), pointers, factorsOf)) {
        BlockShader shader = shaderOf(block);
        shader.regionType = pointer.type;
        shader.base = pointer.base;
        expectBlock(shader, randomRegions(rng, block, 2), pointer.type);
    }
}

// Types of dimensions and coordinates. The latter are signed, whatever their type says.
TEST_P(BlockIo, OperandTypes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    Rng rng("BlockTypes");
    const Block block{op, size, 8, 4, 1};
    const std::pair<const char*, const char*> types[] = {
        {"u32", "s32"}, {"s32", "u8"}, {"u16", "u16"}, {"s16", "s16"}};
    for (const auto& [dimension, coordinate] : types) {
        BlockShader shader = shaderOf(block);
        shader.dimensionType = dimension;
        shader.coordinateType = coordinate;
        std::vector<Region> regions = randomRegions(rng, block);
        for (Region& region : regions) {
            // Back to what the types can say.
            if (typeBytes(coordinate) > 2) continue;
            region.x = std::clamp<int64_t>(region.x, -64, 64);
            region.y = std::clamp<int64_t>(region.y, -64, 64);
        }
        expectBlock(shader, regions, coordinate);
    }
}

TEST_P(BlockIo, WideOperands) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    COOPVK_REQUIRE(Requirement::kInt64);
    const auto [op, size] = GetParam();
    Rng rng("BlockWide");
    const Block block{op, size, 8, 4, 1};
    struct Types {
        const char *dimension, *coordinate;
        Base base;
    };
    for (const auto& [dimension, coordinate, base] : {Types{"u64", "s64", Base::kBuffer},
                                                      {"s64", "u64", Base::kAddress},
                                                      {"u64", "s32", Base::kAddress},
                                                      {"u32", "s64", Base::kBuffer},
                                                      {"s64", "s64", Base::kCrossWorkgroup}}) {
        BlockShader shader = shaderOf(block);
        shader.base = base;
        shader.dimensionType = dimension;
        shader.coordinateType = coordinate;
        std::vector<Region> regions = randomRegions(rng, block);
        // Far outside, where the lower half of the coordinate has another value.
        for (const int64_t far : {int64_t{1} << 31, int64_t{1} << 32, int64_t{1} << 40,
                                  -(int64_t{1} << 32), INT64_MIN, INT64_MAX - 7}) {
            if (typeBytes(coordinate) < 8) break;
            regions.push_back({64, 24, 64, far, 0});
            regions.push_back({64, 24, 64, 0, far});
        }
        expectBlock(shader, regions, coordinate);
    }
}

// At the last position inside of the region, and one beyond; regions of no or one row.
TEST_P(BlockIo, Edges) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    const uint32_t lanes = Context::get().subgroupSize;
    const int64_t step = size < 4 ? 4 / size : 1;
    const uint32_t widths[] = {64 / size, 2 * lanes < 64 / size ? 2 * lanes : 32 / size};
    for (const uint32_t width : widths) {
        const Block block{op, size, width, 4, 1};
        const int64_t elements = 128 / size, last = elements - width;
        std::vector<Region> regions;
        for (const int64_t x : {int64_t{0}, last, last + step, -step, -int64_t{width}, elements}) {
            for (const int64_t y : {0, 8, 9, 12, -1, -4}) regions.push_back({128, 12, 128, x, y});
        }
        for (const int64_t far : {int64_t{INT32_MIN}, int64_t{INT32_MAX} - 3}) {
            regions.push_back({128, 12, 128, far, 0});
            regions.push_back({128, 12, 128, 0, far});
            regions.push_back({128, 12, 128, far, far});
        }
        // Nothing is inside; one row; more is between rows than in them; the last row is short.
        for (const Region& region : {Region{0, 12, 128, 0, 0},
                                     {0, 0, 0, 0, 0},
                                     {128, 0, 128, 0, 0},
                                     {128, 1, 128, 0, 0},
                                     {64, 12, 640, 0, 8},
                                     {68, 4, 72, 0, 0}}) {
            regions.push_back(region);
        }
        // No stores to rows that overlap.
        if (op != BlockOp::kStore) {
            regions.push_back({128, 12, 64, 0, 0});
            regions.push_back({128, 12, 8, last, 8});
            regions.push_back({128, 12, 0, 0, 0});
        }
        BlockShader shader = shaderOf(block);
        if (width == widths[1]) shader.base = Base::kAddress;
        expectBlock(shader, regions, "edges");
    }
}

// The largest regions: up to 2^24 rows of up to 2^24 bytes. Only the memory around the block
// exists. Loads may read the region's first element in place of one that is out of bounds; so here
// they stay inside, and every invocation has an element.
TEST_P(BlockIo, LargestRegions) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    constexpr uint32_t kMost = 1u << 24;
    constexpr uint64_t kWide = kMost;
    const uint32_t lanes = Context::get().subgroupSize;
    const uint32_t rowsOfElement = op == BlockOp::kTransform ? 4 / size : 1;
    const Block tall{op, size, 8, std::max(8u, lanes / 8 * rowsOfElement), 1},
        flat{op, size, 2 * lanes, 1, 1};
    const int64_t lastRow = kMost - tall.height, lastColumn = kMost / size - flat.width;
    const uint64_t last = kWide - uint64_t{flat.width} * size;
    std::vector<Region> tallRegions = {{64, kMost, 64, 0, lastRow, kWide * 64 - 64 * tall.height}};
    std::vector<Region> flatRegions = {
        {kMost, 1, kMost, lastColumn, 0, last},
        {kMost, kMost, kMost, lastColumn, kMost - 1, kWide * (kWide - 1) + last}};
    if (op == BlockOp::kStore) {
        tallRegions.push_back(tallRegions[0]);
        tallRegions.back().y += 3;
        for (const int64_t over : {flat.width / 2, flat.width}) {
            flatRegions.push_back(flatRegions[1]);
            flatRegions.back().x += over;
        }
    }
    for (const auto& [block, regions] :
         {std::pair(tall, tallRegions), std::pair(flat, flatRegions)}) {
        // Rows that a transformed block is padded with are out of bounds.
        if (op == BlockOp::kTransform && block.height == 1) continue;
        BlockShader shader = shaderOf(block);
        shader.base = Base::kAddress;
        expectBlock(shader, regions, "largest");
    }
}

TEST_P(BlockIo, SpecializedAndCacheControlled) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const auto [op, size] = GetParam();
    Rng rng("BlockSpecialized");
    const Block block{op, size, 8, 6, 1};
    BlockShader shader = shaderOf(block);
    shader.constantOperands = false;
    shader.cacheControls = true;
    expectBlock(shader, randomRegions(rng, block), "specialized");
}

std::string kindName(const testing::TestParamInfo<Kind>& kind) {
    const char* names[] = {"Load", "Transpose", "Transform", "Prefetch", "Store"};
    return names[static_cast<int>(kind.param.op)] + std::to_string(kind.param.elementSize);
}

INSTANTIATE_TEST_SUITE_P(All, BlockIo, testing::ValuesIn(kinds()), kindName);

// The examples of the specification, which has a subgroup size of four.
constexpr Block kExamples[] = {
    {BlockOp::kLoad, 4, 4, 2, 1},      {BlockOp::kLoad, 4, 2, 4, 1},
    {BlockOp::kLoad, 4, 8, 2, 1},      {BlockOp::kTranspose, 4, 2, 4, 1},
    {BlockOp::kTransform, 2, 4, 2, 1}, {BlockOp::kTransform, 1, 4, 4, 1},
};

TEST(BlockExamples, FourLanes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    COOPVK_REQUIRE(Requirement::kFourLanes);
    for (const Block& block : kExamples)
        expectBlock(shaderOf(block), {{64, 8, 64, 0, 0}, {64, 4, 64, 4, 2}}, "example");
}

// Refused with a line in the log that names the rule.
void expectRefused(const std::string& text, const std::string& rule) {
    Context& context = Context::get();
    const Layout layout(context);
    LayerLog::take();
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        createPipeline(context, layout.pipeline, assemble(text, Checked::kNo), {}, &pipeline);
    EXPECT_EQ(result, VK_ERROR_UNKNOWN) << rule;
    EXPECT_EQ(pipeline, VkPipeline{});
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find(rule), std::string::npos) << log;
    vkDestroyPipeline(context.device, pipeline, nullptr);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// Blocks that the section "Restrictions" excludes, for every instruction.
TEST(BlockIoBadCode, Shapes) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    struct Row {
        uint32_t size, width, height, count;
        const char* rule;
    };
    const Row rows[] = {
        {1, 6, 4, 1, "Block Width must be a multiple of 4 for 1-byte elements, is 6"},
        {1, 2, 4, 1, "Block Width must be a multiple of 4 for 1-byte elements, is 2"},
        {2, 3, 4, 1, "Block Width must be a multiple of 2 for 2-byte elements, is 3"},
        {3, 4, 4, 1, "Element Size must be 1, 2, 4 or 8 bytes, is 3"},
        {0, 4, 4, 1, "Element Size must be 1, 2, 4 or 8 bytes, is 0"},
        {16, 4, 4, 1, "Element Size must be 1, 2, 4 or 8 bytes, is 16"},
        {4, 0, 4, 1, "must be from 1 to 2^24"},
        {4, 4, 0, 1, "must be from 1 to 2^24"},
        {4, 4, 4, 0, "must be from 1 to 2^24"},
        {4, 4, (1 << 24) + 1, 1, "must be from 1 to 2^24"},
    };
    const uint32_t lanes = Context::get().subgroupSize;
    for (const BlockOp op : {BlockOp::kLoad, BlockOp::kTranspose, BlockOp::kTransform,
                             BlockOp::kPrefetch, BlockOp::kStore}) {
        const std::string good = blockShaderText(shaderOf({op, 4, 32, 4, 1}), lanes);
        const std::string operands = " %k_4 %k_32 %k_4 %k_1 ";
        for (const Row& row : rows) {
            const uint32_t values[] = {row.size, row.width, row.height, row.count};
            std::string ids = " ", declared;
            for (size_t i = 0; i < std::size(values); ++i) {
                const std::string id = "%bad_" + std::to_string(i);
                declared += id + " = OpConstant %u32 " + std::to_string(values[i]) + "\n";
                ids += id + " ";
            }
            expectRefused(replaced(replaced(good, operands, ids), "%main = OpFunction",
                                   declared + "%main = OpFunction"),
                          row.rule);
        }
    }
}

// Operands of the wrong kind.
TEST(BlockIoBadCode, Operands) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const uint32_t lanes = Context::get().subgroupSize;
    const std::string good = blockShaderText(shaderOf({BlockOp::kLoad, 4, 8, 4, 1}), lanes);
    struct Row {
        const char *from, *to, *rule;
    };
    const Row rows[] = {
        // Not constant, or not of 32 bits.
        {"INTEL %k_4 ", "INTEL %w32 ", "Element Size must be a constant instruction"},
        {"%k_4 %k_8 ", "%k_4 %w32 ", "Block Width must be a constant instruction"},
        {"%k_8 %k_4 ", "%k_8 %h32 ", "Block Height must be a constant instruction"},
        {"%k_4 %k_1 ", "%k_4 %l ", "Block Count must be a constant instruction"},
        {"%k_4 %k_8 ", "%k_4 %short ", "with scalar 32-bit integer type"},
        {"%k_4 %k_8 ", "%k_4 %float ", "with scalar 32-bit integer type"},
        // Pointers.
        {" %held\n", " %base\n", "Dst Pointer must be a pointer to the Function storage class"},
        {" %base %w ", " %held %w ", "the base pointer must be of"},
        // The region.
        {"%coordinate %held", "%x32 %held", "Coordinate must be a vector of two integers"},
        {"%coordinate %held", "%three %held", "Coordinate must be a vector of two integers"},
        {"%coordinate %held", "%floats %held", "Coordinate must be a vector of two integers"},
        {"%w %h %p", "%w %coordinate %p", "must be integer scalars"},
        {"%w %h %p", "%w %h %float", "must be integer scalars"},
        // The private pointer.
        {"%k_4 %k_8 %k_4", "%k_4 %c_64 %c_64", "the private pointer leads to"},
        {"%k_4 %k_8 %k_4", "%k_4 %huge %huge", "elements in each invocation; the limit is 65536"},
    };
    const std::string declared =
        "%short = OpConstant %u16 8\n%huge = OpConstant %u32 4096\n%float = OpConstant %f32 8\n"
        "%three = OpConstantComposite %u32x3 %c_0 %c_0 %c_0\n"
        "%floats = OpConstantComposite %f32x2 %float %float\n%main = OpFunction";
    for (const Row& row : rows) {
        expectRefused(replaced(replaced(good, row.from, row.to), "%main = OpFunction", declared),
                      row.rule);
    }
    BlockShader untyped = shaderOf({BlockOp::kLoad, 4, 8, 4, 1});
    untyped.base = Base::kUntypedBuffer;
    expectRefused(
        replaced(replaced(blockShaderText(untyped, lanes), "%held = OpAccessChain %fn_T %private",
                          "%held = OpUntypedAccessChainKHR %untyped_fn %array_private %private"),
                 "%main = OpFunction",
                 "%untyped_fn = OpTypeUntypedPointerKHR Function\n%main = OpFunction"),
        "Dst Pointer is untyped");
    BlockShader transform = shaderOf({BlockOp::kTransform, 2, 8, 4, 1});
    transform.privateType = "u16";
    expectRefused(blockShaderText(transform, lanes),
                  "Dst Pointer must point to a scalar 32-bit integer type");
    const std::string words = blockShaderText(shaderOf({BlockOp::kTransform, 4, 8, 4, 1}), lanes);
    expectRefused(replaced(words, "INTEL %k_4 %k_8", "INTEL %k_8 %k_8"),
                  "elements of 8 bytes cannot be transformed into 32-bit values");
    for (const auto& [op, name] : {std::pair(BlockOp::kTranspose, "Transpose"),
                                   std::pair(BlockOp::kTransform, "Transform")}) {
        const std::string capability =
            "OpCapability Subgroup2DBlock" + std::string(name) + "INTEL\n";
        expectRefused(replaced(blockShaderText(shaderOf({op, 4, 8, 4, 1}), lanes), capability, ""),
                      "its capability is not declared");
    }
}

}  // namespace
}  // namespace coopvk::test::block_io_test
