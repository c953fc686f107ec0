// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>
#include <set>

#include "assemble.hpp"
#include "blockio/lower.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::block_io_test {
namespace {

using Op = BlockOperation;
using Places = std::vector<std::pair<uint32_t, uint32_t>>;

// The elements of one block that a lane holds, with padding.
Places placesOf(const BlockPlan& plan, uint32_t lane) {
    Places places;
    for (uint32_t step = 0; step < plan.steps; ++step) {
        for (const BlockElement& element : plan.pattern) {
            places.emplace_back(plan.rows.at(lane) + step * plan.rowStep + element.row,
                                plan.columns.at(lane) + step * plan.columnStep + element.column);
        }
    }
    return places;
}

// The examples of the extension's text, which have four invocations.
TEST(BlockPlan, ExamplesOfTheText) {
    const auto lanes = [](Op op, BlockShape shape) {
        std::vector<Places> all;
        for (uint32_t lane = 0; lane < 4; ++lane) {
            all.push_back(placesOf(planBlock(op, shape, 4), lane));
        }
        return all;
    };
    using All = std::vector<Places>;
    EXPECT_EQ(lanes(Op::kLoad, {4, 4, 2, 1}),
              (All{{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 2}}, {{0, 3}, {1, 3}}}));
    EXPECT_EQ(lanes(Op::kLoad, {4, 2, 4, 1}),
              (All{{{0, 0}, {2, 0}}, {{0, 1}, {2, 1}}, {{1, 0}, {3, 0}}, {{1, 1}, {3, 1}}}));
    EXPECT_EQ(lanes(Op::kLoad, {4, 8, 2, 1}), (All{{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
                                                   {{0, 2}, {0, 3}, {1, 2}, {1, 3}},
                                                   {{0, 4}, {0, 5}, {1, 4}, {1, 5}},
                                                   {{0, 6}, {0, 7}, {1, 6}, {1, 7}}}));
    EXPECT_EQ(lanes(Op::kLoadTranspose, {4, 2, 4, 1}),
              (All{{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}, {{2, 0}, {2, 1}}, {{3, 0}, {3, 1}}}));
    EXPECT_EQ(lanes(Op::kLoadTransform, {2, 4, 2, 1}),
              (All{{{0, 0}, {1, 0}}, {{0, 1}, {1, 1}}, {{0, 2}, {1, 2}}, {{0, 3}, {1, 3}}}));
    EXPECT_EQ(lanes(Op::kLoadTransform, {1, 4, 4, 1}), (All{{{0, 0}, {1, 0}, {2, 0}, {3, 0}},
                                                            {{0, 1}, {1, 1}, {2, 1}, {3, 1}},
                                                            {{0, 2}, {1, 2}, {2, 2}, {3, 2}},
                                                            {{0, 3}, {1, 3}, {2, 3}, {3, 3}}}));
}

// Whether each lane has all of a run of columns, or nothing of it.
bool hasWholeRuns(const BlockPlan& plan, uint32_t lanes, uint32_t run) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const Places places = placesOf(plan, lane);
        const std::set<Places::value_type> held(places.begin(), places.end());
        for (const auto& [row, column] : places)
            for (uint32_t c = 0; c < run; ++c)
                if (!held.contains({row, column / run * run + c})) return false;
    }
    return true;
}

// Every element of a block is in exactly one place; runs are completely inside or outside of the
// block.
TEST(BlockPlan, MapsEveryElementOnce) {
    for (const Op op : {Op::kLoad, Op::kLoadTranspose, Op::kLoadTransform}) {
        for (const uint32_t size : {1u, 2u, 4u}) {
            for (const uint32_t width : {4u, 8u, 12u, 20u, 64u}) {
                for (const uint32_t height : {1u, 3u, 4u, 7u, 16u}) {
                    for (const uint32_t subgroup : {4u, 16u, 32u, 128u}) {
                        const BlockShape shape = {size, width, height, 1};
                        ASSERT_EQ(brokenRule(op, shape), std::nullopt);
                        const BlockPlan plan = planBlock(op, shape, subgroup);
                        std::set<std::pair<uint32_t, uint32_t>> seen;
                        for (uint32_t lane = 0; lane < subgroup; ++lane) {
                            for (const auto& [row, column] : placesOf(plan, lane)) {
                                if (row >= height || column >= width) continue;
                                EXPECT_TRUE(seen.insert({row, column}).second);
                            }
                        }
                        EXPECT_EQ(seen.size(), size_t{width} * height);
                        const uint32_t run = plan.longestRun(shape);
                        EXPECT_EQ(width % run, 0u);
                        EXPECT_LE(run * size, 16u);
                        EXPECT_TRUE(hasWholeRuns(plan, subgroup, run));
                        EXPECT_FALSE(width % (2 * run) == 0 && 2 * run * size <= 16 &&
                                     hasWholeRuns(plan, subgroup, 2 * run))
                            << "not the longest";
                    }
                }
            }
        }
    }
}

TEST(BlockPlan, NamesBrokenRules) {
    EXPECT_TRUE(brokenRule(Op::kLoad, {3, 4, 4, 1}));
    EXPECT_TRUE(brokenRule(Op::kLoad, {16, 4, 4, 1}));
    EXPECT_TRUE(brokenRule(Op::kLoad, {1, 6, 4, 1}));
    EXPECT_TRUE(brokenRule(Op::kStore, {2, 5, 4, 1}));
    EXPECT_TRUE(brokenRule(Op::kLoad, {4, 0, 4, 1}));
    EXPECT_TRUE(brokenRule(Op::kLoad, {4, 4, 4, 0}));
    EXPECT_TRUE(brokenRule(Op::kLoadTransform, {8, 4, 4, 1}));
    EXPECT_FALSE(brokenRule(Op::kLoad, {4, 3, 5, 1}));
    EXPECT_FALSE(brokenRule(Op::kPrefetch, {8, 1, 1, 1}));
    EXPECT_FALSE(brokenRule(Op::kLoadTransform, {4, 4, 4, 1}));
    // Sizes are from 1 to 2^24.
    constexpr uint32_t kMost = 1 << 24;
    EXPECT_FALSE(brokenRule(Op::kLoad, {4, kMost, kMost, kMost}));
    for (const uint32_t bad : {0u, kMost + 1, kMost + 4}) {
        EXPECT_TRUE(brokenRule(Op::kLoad, {4, bad, 4, 1})) << bad;
        EXPECT_TRUE(brokenRule(Op::kLoad, {4, 4, bad, 1})) << bad;
        EXPECT_TRUE(brokenRule(Op::kLoad, {4, 4, 4, bad})) << bad;
    }
}

// Loads a block through an address in push constants and stores it to a storage buffer.
std::string copyModule(uint32_t elementSize, uint32_t width) {
    return std::format(R"(
OpCapability Shader
OpCapability PhysicalStorageBufferAddresses
OpCapability Subgroup2DBlockIOINTEL
OpExtension "SPV_INTEL_2d_block_io"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint GLCompute %main "main" %push %out
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %pushBlock Block
OpMemberDecorate %pushBlock 0 Offset 0
OpDecorate %words ArrayStride 4
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %out Restrict
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%s32x2 = OpTypeVector %s32 2
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c32 = OpConstant %u32 32
%c128 = OpConstant %u32 128
%size = OpConstant %u32 {}
%width = OpConstant %u32 {}
%height = OpConstant %u32 8
%minus = OpConstant %s32 -4
%at = OpConstantComposite %s32x2 %minus %minus
%words = OpTypeRuntimeArray %u32
%outBlock = OpTypeStruct %words
%outPointer = OpTypePointer StorageBuffer %outBlock
%outWord = OpTypePointer StorageBuffer %u32
%out = OpVariable %outPointer StorageBuffer
%physical = OpTypePointer PhysicalStorageBuffer %u32
%pushBlock = OpTypeStruct %physical
%pushPointer = OpTypePointer PushConstant %pushBlock
%pushMember = OpTypePointer PushConstant %physical
%push = OpVariable %pushPointer PushConstant
%private = OpTypeArray %u32 %c32
%privatePointer = OpTypePointer Function %private
%main = OpFunction %void None %f
%label = OpLabel
%held = OpVariable %privatePointer Function
%from = OpAccessChain %pushMember %push %c0
%base = OpLoad %physical %from
%to = OpAccessChain %outWord %out %c0 %c32
OpSubgroup2DBlockPrefetchINTEL %size %width %height %c1 %base %c128 %c128 %c128 %at
OpSubgroup2DBlockLoadINTEL %size %width %height %c1 %base %c128 %c128 %c128 %at %held
OpSubgroup2DBlockStoreINTEL %size %width %height %c1 %held %to %c128 %c128 %c128 %at
OpReturn
OpFunctionEnd
)",
                       elementSize, width);
}

Result<Rewritten> run(const std::vector<uint32_t>& words, uint32_t subgroupSize,
                      const DeviceTraits& device) {
    Request request;
    request.words = words;
    Target target;
    target.device = device;
    target.subgroupSize = subgroupSize;
    return rewrite(request, target);
}

TEST(BlockIo, OutputIsValidAndDeterministic) {
    for (const bool wide : {false, true}) {
        for (const uint32_t size : {1u, 2u, 4u, 8u}) {
            for (const uint32_t subgroup : {4u, 32u, 128u}) {
                DeviceTraits device;
                device.shaderInt64 = wide;
                const std::vector<uint32_t> words = test::assemble(copyModule(size, 8));
                const Result<Rewritten> out = run(words, subgroup, device);
                ASSERT_TRUE(out) << out.error().message;
                EXPECT_EQ(validate(out->words), std::nullopt);
                EXPECT_TRUE(scan(out->words, ExtensionSet::all()).empty());
                const std::string text = disassemble(out->words);
                EXPECT_EQ(text.find("2DBlock"), std::string::npos);
                EXPECT_EQ(text.find("SPV_INTEL"), std::string::npos);
                EXPECT_EQ(text.find("Restrict"), std::string::npos) << "two names for a buffer";
                EXPECT_EQ(text.find("OpCapability Int64") != std::string::npos, wide);
                const Result<Rewritten> again = run(words, subgroup, device);
                ASSERT_TRUE(again);
                EXPECT_EQ(again->words, out->words);
            }
        }
    }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return test::edited(std::move(text), {{from, to}});
}

// The same, with the invocation's elements in a variable of the type %private, behind %index.
std::string copyThrough(std::string_view types, std::string_view pointee, std::string_view index) {
    std::string text = copyModule(4, 8);
    text = replaced(text, "%private = OpTypeArray %u32 %c32",
                    std::format("{}\n%pointee = OpTypePointer Function {}", types, pointee));
    text = replaced(text, "OpSubgroup2DBlockPrefetchINTEL",
                    std::format("%dynamic = OpLoad %u32 %base Aligned 4\n"
                                "%part = OpAccessChain %pointee %held {}\n"
                                "OpSubgroup2DBlockPrefetchINTEL",
                                index));
    text = replaced(text, "%at %held", "%at %part");
    return replaced(text, "%c1 %held", "%c1 %part");
}

// An index into a structure must be a constant: OpAccessChain.
TEST(BlockIo, PrivateElementsLieInStructures) {
    constexpr std::string_view kInner = "%array = OpTypeArray %u32 %c32\n";
    const auto structure = [&](std::string_view rest) { return std::string(kInner).append(rest); };
    const std::string modules[] = {
        copyThrough(structure("%private = OpTypeStruct %array"), "%u32", "%c0 %dynamic"),
        copyThrough(structure("%private = OpTypeStruct %array"), "%array", "%c0"),
        copyThrough(structure("%inner = OpTypeStruct %array\n%private = OpTypeStruct %inner"),
                    "%u32", "%c0 %c0 %dynamic"),
        copyThrough(structure("%inner = OpTypeStruct %array\n"
                              "%private = OpTypeArray %inner %c32"),
                    "%u32", "%dynamic %c0 %c0"),
    };
    for (const std::string& module : modules) {
        for (const uint32_t subgroup : {8u, 32u}) {
            const Result<Rewritten> out = run(test::assemble(module), subgroup, {});
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(validate(out->words), std::nullopt) << module;
        }
    }
}

// 64 elements of 32 invocations: two for each.
TEST(BlockIo, RefusesPrivatePointersToLess) {
    struct Row {
        std::string types, pointee, index, message;
    };
    const Row rows[] = {
        {"%one = OpTypeArray %u32 %c1\n%inner = OpTypeStruct %one\n"
         "%private = OpTypeArray %inner %c32",
         "%one", "%c0 %c0", "the private pointer leads to 4 bytes"},
        {"%f32 = OpTypeFloat 32\n%column = OpTypeVector %f32 4\n%private = OpTypeMatrix %column 4",
         "%column", "%c1", "must point to numbers, or vectors or arrays of them"},
        {"%f32 = OpTypeFloat 32\n%column = OpTypeVector %f32 4\n%private = OpTypeMatrix %column 4",
         "%f32", "%c1 %c0", "must point to numbers, or vectors or arrays of them"},
    };
    for (const Row& row : rows) {
        const std::string module = copyThrough(row.types, row.pointee, row.index);
        const Result<Rewritten> out = run(test::assemble(module), 32, {});
        ASSERT_FALSE(out) << module;
        EXPECT_NE(out.error().message.find(row.message), std::string::npos) << out.error().message;
    }
}

// Contiguous elements of an invocation are moved 16 bytes at a time, whatever their size.
TEST(BlockIo, MovesContiguousElementsTogether) {
    for (const uint32_t size : {1u, 2u, 4u, 8u}) {
        // Of 64 bytes, each of four invocations has a quarter. Coordinates are not known.
        const std::string module =
            replaced(replaced(copyModule(size, 64 / size),
                              "%at = OpConstantComposite %s32x2 %minus %minus\n", ""),
                     "%to = ",
                     "%x = OpLoad %u32 %base Aligned 4\n%y = OpBitcast %s32 %x\n"
                     "%at = OpCompositeConstruct %s32x2 %y %y\n%to = ");
        const Result<Rewritten> out = run(assembleAndReadAll(module), 4, {});
        ASSERT_TRUE(out) << out.error().message;
        const std::string text = disassemble(out->words);
        for (const char* access :
             {"OpLoad %v4uint", "_ptr_StorageBuffer_v4uint", "_ptr_PhysicalStorageBuffer_v4uint"}) {
            EXPECT_NE(text.find(access), std::string::npos) << size << access << text;
        }
    }
}

TEST(BlockIo, AsksForWhatElementsNeed) {
    struct Need {
        uint32_t bytes;
        bool DeviceTraits::* feature;
        const char* name;
    };
    for (const auto& [bytes, feature, name] :
         {Need{1, &DeviceTraits::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
          Need{1, &DeviceTraits::shaderInt8, "shaderInt8"},
          Need{2, &DeviceTraits::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
          Need{2, &DeviceTraits::shaderInt16, "shaderInt16"}}) {
        DeviceTraits device;
        device.*feature = false;
        const Result<Rewritten> out = run(test::assemble(copyModule(bytes, 8)), 32, device);
        ASSERT_FALSE(out) << name;
        EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
        EXPECT_NE(out.error().message.find(name), std::string::npos) << out.error().message;
        EXPECT_TRUE(run(test::assemble(copyModule(4, 8)), 32, device)) << name;
        std::set<uint32_t> sizes = {1, 2, 4, 8}, offered;
        sizes.erase(bytes);
        for (const BlockSizes& each : blockSizes(device)) offered.insert(each.elementSize);
        EXPECT_EQ(offered, sizes) << name;
    }
}

// SPV_INTEL_2d_block_io: a row has whole words; elements of 8 bytes cannot be transformed.
TEST(BlockIo, OffersEachSizeOfElements) {
    std::set<std::tuple<Op, uint32_t, uint32_t>> expected;
    for (const Op op :
         {Op::kLoad, Op::kLoadTranspose, Op::kLoadTransform, Op::kPrefetch, Op::kStore})
        for (const auto& [size, multiple] : {std::pair{1u, 4u}, {2u, 2u}, {4u, 1u}, {8u, 1u}})
            if (op != Op::kLoadTransform || size < 8) expected.insert({op, size, multiple});
    std::set<std::tuple<Op, uint32_t, uint32_t>> offered;
    for (const BlockSizes& sizes : blockSizes({}))
        offered.insert({sizes.operation, sizes.elementSize, sizes.widthGranularity});
    EXPECT_EQ(offered, expected);
}

TEST(BlockIo, RefusesBadShapes) {
    const Result<Rewritten> out = run(test::assemble(copyModule(1, 6)), 32, {});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find("Block Width must be a multiple of 4"), std::string::npos);
}

// The private array's floats are split and joined as vectors: no integers of their width.
TEST(BlockIo, PrivateFloatsNeedNoIntegers) {
    for (const uint32_t bits : {16u, 64u}) {
        for (const uint32_t elementSize : {1u, 4u, 8u}) {
            std::string text = copyModule(elementSize, 8);
            text = replaced(text, "OpCapability Shader",
                            std::format("OpCapability Shader\nOpCapability Float{}", bits));
            text = replaced(text, "%private = OpTypeArray %u32 %c32",
                            std::format("%float = OpTypeFloat {}\n%private = OpTypeArray %float "
                                        "%c128",
                                        bits));
            DeviceTraits device;
            device.shaderInt16 = device.shaderInt64 = false;
            const Result<Rewritten> out = run(test::assemble(text), 8, device);
            ASSERT_TRUE(out) << out.error().message;
            EXPECT_EQ(validate(out->words), std::nullopt);
            EXPECT_EQ(disassemble(out->words).find(std::format("OpCapability Int{}", bits)),
                      std::string::npos);
        }
    }
}

// Every access through CrossWorkgroup pointers has an alignment afterwards.
TEST(BlockIo, ChangesCrossWorkgroupPointers) {
    std::string text = copyModule(4, 8);
    text = replaced(text, "OpCapability Shader", "OpCapability Shader\nOpCapability Addresses");
    text = replaced(text, "%physical = OpTypePointer PhysicalStorageBuffer",
                    "%one = OpTypePointer Function %u32\n%physical = OpTypePointer CrossWorkgroup");
    text = replaced(text, "OpSubgroup2DBlockPrefetchINTEL",
                    "%own = OpAccessChain %one %held %c0\n"
                    "OpCopyMemory %own %base\nOpCopyMemory %base %own Volatile\n"
                    "OpCopyMemory %own %base Nontemporal Volatile\n"
                    "OpCopyMemory %own %base Aligned 4 Volatile\n"
                    "%next = OpPtrAccessChain %physical %base %c1\n"
                    "%far = OpInBoundsPtrAccessChain %physical %next %c32\n"
                    "%w = OpLoad %u32 %far\n"
                    "%v = OpLoad %u32 %next Volatile\nOpStore %next %v\n"
                    "OpSubgroup2DBlockPrefetchINTEL");
    const Result<Rewritten> out = run(test::assemble(text), 8, {});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string after = disassemble(out->words);
    for (const char* gone : {"CrossWorkgroup", "OpCapability Addresses"}) {
        EXPECT_EQ(after.find(gone), std::string::npos) << gone;
    }
    for (const char* there : {"Volatile|Aligned 4\n", "Aligned|Nontemporal 4 Volatile|Aligned 4\n",
                              "Aligned 4 Volatile|Aligned 4\n"}) {
        EXPECT_NE(after.find(there), std::string::npos) << there << after;
    }
}

// Types without a layout get OpenCL's in memory, and only there.
TEST(BlockIo, LaysCrossWorkgroupMemoryOut) {
    std::string text = copyModule(4, 8);
    text = replaced(text, "OpCapability Shader",
                    "OpCapability Shader\nOpCapability Addresses\nOpCapability Int8\n"
                    "OpCapability UntypedPointersKHR");
    text = replaced(text, "OpExtension", "OpExtension \"SPV_KHR_untyped_pointers\"\nOpExtension");
    text = replaced(text, "%physical = OpTypePointer PhysicalStorageBuffer",
                    R"(%u8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%f32x3 = OpTypeVector %f32 3
%three = OpTypeArray %f32x3 %c3
%inner = OpTypeStruct %u8 %three %u8
%list = OpTypeArray %inner %c3
%outer = OpTypeStruct %u8 %u32 %list
%many = OpTypeArray %outer %c128
%cw_outer = OpTypePointer CrossWorkgroup %outer
%cw_many = OpTypePointer CrossWorkgroup %many
%cw_inner = OpTypePointer CrossWorkgroup %inner
%cw_byte = OpTypePointer CrossWorkgroup %u8
%fn_outer = OpTypePointer Function %outer
%untyped = OpTypeUntypedPointerKHR CrossWorkgroup
%physical = OpTypePointer CrossWorkgroup)");
    text = replaced(text, "%c32 =", "%c3 = OpConstant %u32 3\n%c2 = OpConstant %u32 2\n%c32 =");
    text = replaced(text, "%from = ", "%own = OpVariable %fn_outer Function\n%from = ");
    text = replaced(text, "OpSubgroup2DBlockPrefetchINTEL", R"(%po = OpBitcast %cw_outer %base
%next = OpPtrAccessChain %cw_outer %po %c2
%in = OpInBoundsAccessChain %cw_inner %next %c2 %c1
%in2 = OpInBoundsPtrAccessChain %cw_inner %in %c1
%byte = OpAccessChain %cw_byte %in2 %c2
%b = OpLoad %u8 %byte
OpStore %byte %b
%all = OpLoad %outer %next
OpStore %own %all
%again = OpLoad %outer %own
OpStore %next %again
OpCopyMemory %own %next
OpCopyMemory %next %own
%pm = OpBitcast %cw_many %base
%fourth = OpPtrAccessChain %cw_many %pm %c3
%its_third = OpAccessChain %cw_outer %fourth %c3
%its_all = OpLoad %outer %its_third
OpStore %next %its_all
%un = OpUntypedAccessChainKHR %untyped %many %base %c3 %c2
%un2 = OpUntypedPtrAccessChainKHR %untyped %inner %un %c3 %c2
%b2 = OpLoad %u8 %un2
%all2 = OpLoad %outer %un
OpStore %own %all2
OpSubgroup2DBlockPrefetchINTEL)");
    const Result<Rewritten> out = run(test::assemble(text), 8, {});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    const std::string after = disassemble(out->words);
    // f32x3 takes 16 bytes: the inner structure has 16 + 48 + 16, the outer one 16 + 3 * 80.
    for (const char* there : {"1 Offset 16\n", "2 Offset 64\n", "ArrayStride 80\n",
                              "ArrayStride 256\n", "ArrayStride 32768\n", "1 Offset 4\n"}) {
        EXPECT_NE(after.find(there), std::string::npos) << there << after;
    }
    for (size_t at = 0; (at = after.find(" 0 Offset ", at)) != after.npos; ++at)
        EXPECT_EQ(after.substr(at, 12), " 0 Offset 0\n");
    // More than is moved part by part; a variable, which Vulkan does not have.
    const auto refused = [&](std::string bad) {
        const Result<Rewritten> none = run(test::assemble(bad), 8, {});
        return none ? std::string() : none.error().message;
    };
    EXPECT_NE(refused(replaced(text, "%fourth = ", "%too = OpLoad %many %pm\n%fourth = "))
                  .find("more than 1024 numbers"),
              std::string::npos);
    EXPECT_NE(refused(replaced(text, "%main = OpFunction",
                               "%cw_var = OpVariable %cw_outer CrossWorkgroup\n%main = OpFunction"))
                  .find("no variables in the CrossWorkgroup"),
              std::string::npos);
    // Steps over a type without a size, by a typed and by an untyped chain.
    const std::string opaque = replaced(text, "%untyped = OpType",
                                        "%nothing = OpTypeStruct\n%cw_nothing = OpTypePointer "
                                        "CrossWorkgroup %nothing\n%untyped = OpType");
    for (const char* chain :
         {"%pn = OpBitcast %cw_nothing %base\n%bad = OpPtrAccessChain %cw_nothing %pn %c3\n",
          "%bad = OpUntypedPtrAccessChainKHR %untyped %nothing %base %c3\n"}) {
        EXPECT_NE(refused(replaced(opaque, "%fourth = ", std::format("{}%fourth = ", chain)))
                      .find("size"),
                  std::string::npos)
            << chain;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::block_io_test
