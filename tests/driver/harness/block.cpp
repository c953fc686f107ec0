// SPDX-License-Identifier: Apache-2.0
#include "block.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

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

// A value of an invocation: one element, or the elements that a transformed one packs.
using Value = LaneElements;
using Row = std::vector<Value>;

std::vector<Row> transform(const std::vector<Row>& rows, uint32_t together) {
    std::vector<Row> result;
    for (size_t r = 0; r < rows.size(); r += together) {
        Row row(rows[r].size());
        for (size_t c = 0; c < row.size(); ++c)
            for (size_t i = 0; i < together; ++i)
                row[c].push_back(r + i < rows.size() ? rows[r + i][c][0] : std::nullopt);
        result.push_back(row);
    }
    return result;
}

std::vector<Row> transpose(const std::vector<Row>& rows) {
    std::vector<Row> result(rows[0].size(), Row(rows.size()));
    for (size_t r = 0; r < rows.size(); ++r)
        for (size_t c = 0; c < rows[r].size(); ++c) result[c][r] = rows[r][c];
    return result;
}

// The padded, transformed or transposed block.
std::vector<Row> arrange(const Block& block, uint32_t number) {
    std::vector<Row> rows;
    for (uint32_t r = 0; r < block.height; ++r) {
        Row row;
        for (uint32_t c = 0; c < block.width; ++c) row.push_back({BlockElement{number, r, c}});
        rows.push_back(row);
    }
    if (block.op == BlockOp::kTranspose) rows = transpose(rows);
    const size_t padded = std::bit_ceil(rows[0].size());
    for (Row& row : rows) row.resize(padded, Value{std::nullopt});
    if (block.op == BlockOp::kTransform) rows = transform(rows, 4 / block.elementSize);
    return rows;
}

std::string number(uint64_t value) { return std::to_string(value); }

}  // namespace

std::string blockName(const Block& b) {
    return std::string(instruction(b.op)) + " " + number(b.elementSize) + " bytes " +
           number(b.width) + "x" + number(b.height) + "x" + number(b.count);
}

std::vector<LaneElements> dealBlock(const Block& block, uint32_t lanes) {
    std::vector<LaneElements> dealt(lanes);
    for (uint32_t b = 0; b < block.count; ++b) {
        std::vector<Row> rows = arrange(block, b);
        const size_t width = rows[0].size();
        const size_t perRow = width >= lanes ? 1 : lanes / width;  // rows that share the subgroup
        const size_t neighbours = width >= lanes ? width / lanes : 1;
        const size_t values = rows[0][0].size();
        while (rows.size() % perRow != 0) rows.emplace_back(width, Value(values));
        for (size_t r = 0; r < rows.size(); ++r) {
            for (size_t c = 0; c < width; ++c) {
                LaneElements& lane = dealt[r % perRow * width + c / neighbours];
                lane.insert(lane.end(), rows[r][c].begin(), rows[r][c].end());
            }
        }
    }
    return dealt;
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

std::optional<uint64_t> byteOf(const Region& region, const Block& block, const BlockElement& e) {
    const int64_t skipped = int64_t{e.block} * block.width + e.column;
    const int64_t columns = region.width / block.elementSize;
    if (region.x < -skipped || region.x >= columns - skipped) return std::nullopt;
    if (region.y < -int64_t{e.row} || region.y >= int64_t{region.height} - e.row) {
        return std::nullopt;
    }
    const int64_t row = region.y + e.row, byte = (region.x + skipped) * block.elementSize;
    return static_cast<uint64_t>(row) * region.pitch + static_cast<uint64_t>(byte);
}

uint32_t typeBytes(const std::string& type) {
    const size_t x = type.find('x');
    const auto scalar = static_cast<uint32_t>(std::stoul(type.substr(1, x - 1))) / 8;
    return x == type.npos ? scalar : scalar * static_cast<uint32_t>(std::stoul(type.substr(x + 1)));
}

uint32_t privateElements(const BlockShader& shader, uint32_t lanes) {
    const size_t bytes = dealBlock(shader.block, lanes)[0].size() * shader.block.elementSize;
    const uint32_t size = typeBytes(shader.privateType);
    return static_cast<uint32_t>((bytes + size - 1) / size) + shader.privateOffset;
}

namespace {
// Words that describe a region: its dimensions, its coordinate, an offset to its address.
constexpr const char* kParameters[] = {"w", "h",      "p",        "x",        "x_high",
                                       "y", "y_high", "back_low", "back_high"};
}  // namespace

void moveBlock(const Block& block, const Region& region, std::byte* memory, std::byte* held,
               size_t perLane, uint32_t lanes) {
    for (const LaneElements& elements : dealBlock(block, lanes)) {
        std::byte* next = held;
        for (const std::optional<BlockElement>& element : elements) {
            const std::optional<uint64_t> at =
                element ? byteOf(region, block, *element) : std::nullopt;
            std::byte* there = at ? memory + (*at - region.ahead) : nullptr;
            if (block.op == BlockOp::kStore) {
                if (there) std::memcpy(there, next, block.elementSize);
            } else if (there) {
                std::memcpy(next, there, block.elementSize);
            } else {
                std::memset(next, 0, block.elementSize);
            }
            next += block.elementSize;
        }
        held += perLane;
    }
}

void expectBlock(const BlockShader& shader, const std::vector<Region>& regions,
                 std::string_view seed) {
    const uint32_t lanes = Context::get().subgroupSize;
    const Block& block = shader.block;
    Rng rng(seed);
    const size_t perLane = size_t{privateElements(shader, lanes)} * typeBytes(shader.privateType);
    const size_t start = size_t{shader.privateOffset} * typeBytes(shader.privateType);
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
    Bytes memory = dispatch.buffers[0], data = dispatch.buffers[1];
    for (size_t g = 0; g < regions.size() && block.op != BlockOp::kPrefetch; ++g) {
        moveBlock(block, regions[g], memory.data() + g * kRegionBytes,
                  data.data() + g * lanes * perLane + start, perLane, lanes);
    }
    PipelineOptions options;
    if (!shader.constantOperands) options.specialization = {{5, block.height}};
    const std::vector<Bytes> after =
        run(assemble(blockShaderText(shader, lanes), Checked::kNo), dispatch, options);
    EXPECT_EQ(difference(after[0], memory), "") << blockName(block);
    EXPECT_EQ(difference(after[1], data), "") << blockName(block);
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
