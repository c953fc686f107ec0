// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "reference.hpp"

namespace coopvk::test {
namespace {

struct Name {
    BlockOp op;
    const char* name;
};
constexpr Name kInstructions[] = {
    {BlockOp::kLoad, "OpSubgroup2DBlockLoadINTEL"},
    {BlockOp::kTranspose, "OpSubgroup2DBlockLoadTransposeINTEL"},
    {BlockOp::kTransform, "OpSubgroup2DBlockLoadTransformINTEL"},
    {BlockOp::kPrefetch, "OpSubgroup2DBlockPrefetchINTEL"},
    {BlockOp::kStore, "OpSubgroup2DBlockStoreINTEL"},
};

const char* instruction(BlockOp op) {
    for (const Name& row : kInstructions)
        if (row.op == op) return row.name;
    return "";
}

std::string number(uint64_t value) { return std::to_string(value); }

}  // namespace

std::string blockName(const Block& b) {
    return std::string(instruction(b.op)) + " " + number(b.elementSize) + " bytes " +
           number(b.width) + "x" + number(b.height) + "x" + number(b.count);
}

uint32_t elementsOfLane(const Block& block, uint32_t lanes) {
    const uint32_t together = block.op == BlockOp::kTransform ? 4 / block.elementSize : 1;
    const bool transposes = block.op == BlockOp::kTranspose;
    const uint32_t width = std::bit_ceil(transposes ? block.height : block.width);
    const uint32_t height =
        transposes ? block.width : (block.height + together - 1) / together;  // in values
    const uint32_t rowsAtOnce = width >= lanes ? 1 : lanes / width;
    const uint32_t inRow = width >= lanes ? width / lanes : 1;
    return block.count * ((height + rowsAtOnce - 1) / rowsAtOnce) * inRow * together;
}

Region randomRegion(Rng& rng, const Block& block) {
    const auto u32 = [&](int64_t low, int64_t high) {
        return static_cast<uint32_t>(rng.range(low, high));
    };
    Region region{};
    region.width = rng.range(0, 1) ? u32(64, 200) : 16 * u32(4, 12);
    region.pitch =
        rng.range(0, 1) ? (region.width + u32(0, 40) + 7) / 8 * 8 : (region.width + 15) / 16 * 16;
    region.height = u32(1, 24);
    const auto elements = static_cast<int64_t>(region.width / block.elementSize);
    const int64_t all = int64_t{block.width} * block.count;
    const int64_t multiple = block.elementSize < 4 ? 4 / block.elementSize : 1;
    int64_t x = rng.range(-all, elements + 4), y = rng.range(-int64_t{block.height}, 25);
    // Mostly within the region.
    if (rng.range(0, 2) != 0) x = rng.range(0, elements / 2);
    if (rng.range(0, 2) != 0) y = rng.range(0, region.height / 2);
    if (rng.range(0, 2) == 0) x = x / 16 * 16;
    region.x = x - (x % multiple + multiple) % multiple;
    region.y = y;
    return region;
}

uint32_t typeBytes(const std::string& type) {
    const size_t x = type.find('x');
    const auto scalar = static_cast<uint32_t>(std::stoul(type.substr(1, x - 1))) / 8;
    return x == type.npos ? scalar : scalar * static_cast<uint32_t>(std::stoul(type.substr(x + 1)));
}

uint32_t privateElements(const BlockShader& shader, uint32_t lanes) {
    const size_t bytes = size_t{elementsOfLane(shader.block, lanes)} * shader.block.elementSize;
    const uint32_t size = typeBytes(shader.privateType);
    return static_cast<uint32_t>((bytes + size - 1) / size) + shader.privateOffset;
}

namespace {
// Words that describe a region: its dimensions, its coordinate, an offset to its address.
constexpr const char* kParameters[] = {"w", "h",      "p",        "x",        "x_high",
                                       "y", "y_high", "back_low", "back_high"};
}  // namespace

void expectBlock(const BlockShader& shader, const std::vector<Region>& regions,
                 std::string_view seed) {
    const uint32_t lanes = Context::get().subgroupSize;
    const Block& block = shader.block;
    Rng rng(seed);
    const size_t perLane = size_t{privateElements(shader, lanes)} * typeBytes(shader.privateType);
    Dispatch dispatch;
    dispatch.buffers = {
        rng.bytes(kRegionBytes * regions.size()), rng.bytes(perLane * lanes * regions.size()), {}};
    for (const Region& region : regions) {
        std::vector<uint32_t> values = {region.width, region.height, region.pitch};
        for (const uint64_t wide : {static_cast<uint64_t>(region.x),
                                    static_cast<uint64_t>(region.y), uint64_t{0} - region.ahead}) {
            values.push_back(static_cast<uint32_t>(wide));
            values.push_back(static_cast<uint32_t>(wide >> 32));
        }
        const auto bytes = std::as_bytes(std::span(values));
        dispatch.buffers[2].insert(dispatch.buffers[2].end(), bytes.begin(), bytes.end());
    }
    dispatch.addresses = {0};
    dispatch.groups = {static_cast<uint32_t>(regions.size()), 1, 1};
    PipelineOptions options;
    if (!shader.constantOperands) options.specialization = {{5, block.height}};
    SCOPED_TRACE(blockName(block));
    // CrossWorkgroup belongs to kernels, which the reference device does not execute.
    BlockShader expected = shader;
    using Base = BlockShader::Base;
    if (shader.base == Base::kCrossWorkgroup) expected.base = Base::kAddress;
    if (shader.base == Base::kUntypedCrossWorkgroup) expected.base = Base::kUntypedAddress;
    const auto words = [&](const BlockShader& of) {
        return assemble(blockShaderText(of, lanes), Checked::kNo);
    };
    const std::vector<Bytes> want = expectedOf(words(expected), dispatch, options);
    const std::vector<Bytes> after = run(words(shader), dispatch, options);
    for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(difference(after[i], want[i]), "") << i;
}

namespace {

// Constants as the shader names them, beyond those that every module has.
std::string name(uint32_t value) { return "%k_" + number(value); }

class Writer {
 public:
    Writer(const BlockShader& shader, uint32_t lanes)
        : s_(shader), lanes_(lanes), elements_(privateElements(shader, lanes)) {}

    std::string text() {
        a_.buffers = {{"region", s_.regionType, typeBytes(s_.regionType)},
                      {"data", s_.privateType, typeBytes(s_.privateType)},
                      {"params", "u32", 4}};
        a_.capabilities = {"Subgroup2DBlockIOINTEL", "Subgroup2DBlockTransposeINTEL",
                           "Subgroup2DBlockTransformINTEL"};
        a_.extensions = {"SPV_INTEL_2d_block_io"};
        declare();
        body();
        return assemblyText(a_);
    }

 private:
    using Base = BlockShader::Base;
    bool isUntyped() const {
        return s_.base == Base::kUntypedBuffer || s_.base == Base::kUntypedAddress ||
               s_.base == Base::kUntypedCrossWorkgroup;
    }
    bool isCrossWorkgroup() const {
        return s_.base == Base::kCrossWorkgroup || s_.base == Base::kUntypedCrossWorkgroup;
    }
    bool isAddress() const { return s_.base != Base::kBuffer && s_.base != Base::kUntypedBuffer; }

    std::string constantOf(uint32_t value) {
        const std::string id = name(value);
        const std::string line = id + " = OpConstant %u32 " + number(value) + "\n";
        if (a_.declarations.find(line) == std::string::npos) a_.declarations += line;
        return id;
    }

    void declare() {
        a_.declarations += "%array_private = OpTypeArray %" + s_.privateType + " " +
                           constantOf(elements_) + "\n%fn_array = OpTypePointer Function " +
                           "%array_private\n%fn_T = OpTypePointer Function %" + s_.privateType +
                           "\n";
        if (!s_.constantOperands) {
            a_.decorations += "OpDecorate %height SpecId 5\n";
            a_.declarations += "%height = OpSpecConstant %u32 1\n";
        }
        if (s_.base == Base::kUntypedBuffer) declareUntypedBuffer();
        if (isAddress()) declareAddress();
        if (isUntyped()) {
            a_.capabilities.push_back("UntypedPointersKHR");
            a_.extensions.push_back("SPV_KHR_untyped_pointers");
        }
        if (s_.cacheControls) {
            a_.capabilities.push_back("CacheControlsINTEL");
            a_.extensions.push_back("SPV_INTEL_cache_controls");
            a_.decorations +=
                "OpDecorate %base CacheControlLoadINTEL 0 CachedINTEL\n"
                "OpDecorate %base CacheControlStoreINTEL 0 WriteThroughINTEL\n";
        }
    }

    void declareUntypedBuffer() {
        a_.declarations +=
            "%untyped = OpTypeUntypedPointerKHR StorageBuffer\n"
            "%untyped_region = OpUntypedVariableKHR %untyped StorageBuffer %block_region\n";
        a_.decorations +=
            "OpDecorate %untyped_region DescriptorSet 0\nOpDecorate %untyped_region Binding 0\n";
        a_.interfaces.push_back("%untyped_region");
    }

    void declareAddress() {
        if (!isCrossWorkgroup()) a_.capabilities.push_back("PhysicalStorageBufferAddresses");
        a_.decorations += "OpDecorate %push_block Block\nOpMemberDecorate %push_block 0 Offset 0\n";
        const std::string storage = isCrossWorkgroup() ? "CrossWorkgroup" : "PhysicalStorageBuffer";
        a_.declarations +=
            "%push_block = OpTypeStruct %u32x2\n"
            "%push_pointer = OpTypePointer PushConstant %push_block\n"
            "%push_pair = OpTypePointer PushConstant %u32x2\n"
            "%push = OpVariable %push_pointer PushConstant\n";
        a_.declarations +=
            isUntyped() ? "%physical = OpTypeUntypedPointerKHR " + storage + "\n"
                        : "%physical = OpTypePointer " + storage + " %" + s_.regionType + "\n";
        a_.interfaces.push_back("%push");
    }

    void line(const std::string& text) { a_.body += text + "\n"; }

    // Private element i from or to the data buffer.
    void copyElements(bool in, const std::string& tag) {
        for (uint32_t i = 0; i < elements_; ++i) {
            const std::string n = tag + number(i);
            line("%index_" + n + " = OpIAdd %u32 %first " + constantOf(i));
            line("%there_" + n + " = OpAccessChain %sb_" + s_.privateType + " %data %c_0 %index_" +
                 n);
            line("%here_" + n + " = OpAccessChain %fn_T %private " + constantOf(i));
            line("%value_" + n + " = OpLoad %" + s_.privateType + (in ? " %there_" : " %here_") +
                 n);
            line("OpStore " + std::string(in ? "%here_" : "%there_") + n + " %value_" + n);
        }
    }

    void loadParameters() {
        line("%group_x_pointer = OpAccessChain %in_u32 %group %c_0");
        line("%g = OpLoad %u32 %group_x_pointer\n%l = OpLoad %u32 %lane");
        line("%g_lanes = OpIMul %u32 %g " + constantOf(lanes_));
        line("%invocation = OpIAdd %u32 %g_lanes %l");
        line("%first = OpIMul %u32 %invocation " + constantOf(elements_));
        line("%first_param = OpIMul %u32 %g " + constant(std::size(kParameters)));
        for (uint32_t i = 0; i < std::size(kParameters); ++i) {
            const std::string n = kParameters[i];
            line("%i_" + n + " = OpIAdd %u32 %first_param " + constant(i));
            line("%p_" + n + " = OpAccessChain %sb_u32 %params %c_0 %i_" + n);
            line("%" + n + "32 = OpLoad %u32 %p_" + n);
        }
        for (const char* n : {"w", "h", "p"}) convert(n, s_.dimensionType);
        for (const char* n : {"x", "y"}) convert(n, s_.coordinateType);
        line("%coordinate = OpCompositeConstruct %" + s_.coordinateType + "x2 %x %y");
        dims_ = " %w %h %p %coordinate";
    }

    // %N of a type from %N32.
    void convert(const std::string& n, const std::string& type) {
        const bool coordinate = n == "x" || n == "y";
        if (coordinate && typeBytes(type) == 8) {
            line("%" + n + "_pair = OpCompositeConstruct %u32x2 %" + n + "32 %" + n + "_high32");
            line("%" + n + " = OpBitcast %" + type + " %" + n + "_pair");
            return;
        }
        const char* opcode = type == "u32"           ? "OpCopyObject"
                             : type == "s32"         ? "OpBitcast"
                             : type.starts_with("s") ? "OpSConvert"
                                                     : "OpUConvert";
        line("%" + n + " = " + opcode + " %" + type + " %" + n + "32");
    }

    // %TO_low and %TO_high: %FROM_low and %FROM_high plus a 64-bit number.
    void addPair(const std::string& to, const std::string& low, const std::string& high,
                 const std::string& from) {
        line("%" + to + "_carry = OpIAddCarry %carry %" + from + "_low " + low);
        line("%" + to + "_low = OpCompositeExtract %u32 %" + to + "_carry 0");
        line("%" + to + "_over = OpCompositeExtract %u32 %" + to + "_carry 1");
        line("%" + to + "_more = OpIAdd %u32 %" + from + "_high " + high);
        line("%" + to + "_high = OpIAdd %u32 %" + to + "_more %" + to + "_over");
    }

    void makeBase() {
        const auto size = static_cast<uint32_t>(kRegionBytes);
        if (isAddress()) {
            line("%push_at = OpAccessChain %push_pair %push %c_0");
            line("%pair = OpLoad %u32x2 %push_at");
            line("%pair_low = OpCompositeExtract %u32 %pair 0");
            line("%pair_high = OpCompositeExtract %u32 %pair 1");
            addPair("back", "%back_low32", "%back_high32", "pair");
            line("%skipped = OpIMul %u32 %g " + constantOf(size));
            addPair("sum", "%skipped", "%c_0", "back");
            line("%sum = OpCompositeConstruct %u32x2 %sum_low %sum_high");
            line("%base = OpBitcast %physical %sum");
            a_.declarations += "%carry = OpTypeStruct %u32 %u32\n";
            return;
        }
        line("%base_index = OpIMul %u32 %g " + constantOf(size / typeBytes(s_.regionType)));
        if (isUntyped()) {
            line(
                "%base = OpUntypedAccessChainKHR %untyped %block_region %untyped_region %c_0 "
                "%base_index");
        } else {
            line("%base = OpAccessChain %sb_" + s_.regionType + " %region %c_0 %base_index");
        }
    }

    void body() {
        line("%private = OpVariable %fn_array Function");
        loadParameters();
        makeBase();
        copyElements(true, "in");
        line("%held = OpAccessChain %fn_T %private " + constantOf(s_.privateOffset));
        const Block& b = s_.block;
        std::string text = std::string(instruction(b.op)) + " " + constantOf(b.elementSize) + " " +
                           constantOf(b.width) + " " +
                           (s_.constantOperands ? constantOf(b.height) : "%height") + " " +
                           constantOf(b.count);
        if (b.op == BlockOp::kStore)
            text += " %held %base" + dims_;
        else
            text += " %base" + dims_ + (b.op == BlockOp::kPrefetch ? "" : " %held");
        line(text);
        copyElements(false, "out");
    }

    const BlockShader& s_;
    uint32_t lanes_;
    uint32_t elements_;
    Assembly a_;
    std::string dims_;
};

}  // namespace

std::string blockShaderText(const BlockShader& shader, uint32_t lanes) {
    return Writer(shader, lanes).text();
}

}  // namespace coopvk::test
