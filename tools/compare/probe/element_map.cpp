// SPDX-License-Identifier: Apache-2.0
#include "compare/probe/element_map.hpp"

#include <algorithm>
#include <bit>
#include <format>

#include "compare/cases/matrix_rows.hpp"
#include "compare/run/runner.hpp"
#include "compare/shaders/module_text.hpp"
#include "coopvk_reference/element_maps.hpp"

namespace coopvk::compare {
namespace {

using nlohmann::ordered_json;
using reference::Choice;

// More than a lane holds of any matrix of a row.
constexpr uint32_t kMostElements = 1024;

// Reads two matrices, whose elements have the bits of their row and of their column, and writes
// these by invocation and number, then how many there are.
class ProbeShader {
 public:
    ProbeShader(const MatrixType& type, uint32_t lanes)
        : type_(type), lanes_(lanes), text_(lanes) {}

    std::string write() {
        text_.capability("CooperativeMatrixKHR");
        text_.extension("SPV_KHR_cooperative_matrix");
        const ModuleText::Array out = text_.buffer(2, VK_COMPONENT_TYPE_UINT32_KHR);
        matrix_ = text_.declare(
            "matrix", std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                  text_.component(type_.component), text_.constant(3),
                                  text_.constant(type_.rows), text_.constant(type_.columns),
                                  text_.constant(static_cast<uint32_t>(type_.use))));
        const std::string length = text_.fresh("length");
        text_.line(
            std::format("{} = OpCooperativeMatrixLengthKHR {} {}", length, text_.u32(), matrix_));
        for (uint32_t part = 0; part < 2; ++part) copy(part, length, out);
        const std::string at = text_.fresh("at"), lane = text_.lane();
        text_.line(std::format("{} = OpIAdd {} {} {}", at, text_.u32(), lane,
                               text_.constant(2 * lanes_ * kMostElements)));
        text_.store(out, at, length);
        return text_.text();
    }

 private:
    void copy(uint32_t part, const std::string& length, const ModuleText::Array& out) {
        const ModuleText::Array in = text_.buffer(part, type_.component);
        const std::string held = text_.variable(std::format("held{}", part), matrix_);
        const std::string loaded = text_.fresh("loaded");
        const std::string from = text_.elementPointer(in, text_.constant(0));
        text_.line(std::format("{} = OpCooperativeMatrixLoadKHR {} {} {} {}", loaded, matrix_, from,
                               text_.constant(0), text_.constant(type_.columns)));
        text_.line(std::format("OpStore {} {}", held, loaded));
        const std::string first = text_.fresh("first"), lane = text_.lane();
        const uint32_t before = part * lanes_ * kMostElements;
        const std::string start = text_.fresh("start");
        text_.line(std::format("{} = OpIMul {} {} {}", start, text_.u32(), lane,
                               text_.constant(kMostElements)));
        text_.line(
            std::format("{} = OpIAdd {} {} {}", first, text_.u32(), start, text_.constant(before)));
        text_.loop(text_.constant(0), length, text_.constant(1), [&](const std::string& i) {
            const std::string at = text_.fresh("at");
            const std::string bits = elementBits(held, i);
            text_.line(std::format("{} = OpIAdd {} {} {}", at, text_.u32(), first, i));
            text_.store(out, at, bits);
        });
    }

    // Of element number `i`, as a u32.
    std::string elementBits(const std::string& held, const std::string& i) {
        const ComponentInfo& component = info(type_.component);
        const std::string type = text_.component(type_.component);
        const std::string pointer = text_.fresh("element"), value = text_.fresh("value");
        text_.line(std::format("{} = OpAccessChain {} {} {}", pointer,
                               text_.pointer("Function", type), held, i));
        text_.line(std::format("{} = OpLoad {} {}", value, type, pointer));
        const auto cast = [&](const std::string& from, VkComponentTypeKHR to,
                              std::string_view opcode) {
            const std::string result = text_.fresh("bits");
            text_.line(std::format("{} = {} {} {}", result, opcode, text_.scalar(to), from));
            return result;
        };
        const VkComponentTypeKHR same = component.bits == 8    ? VK_COMPONENT_TYPE_UINT8_KHR
                                        : component.bits == 16 ? VK_COMPONENT_TYPE_UINT16_KHR
                                        : component.bits == 32 ? VK_COMPONENT_TYPE_UINT32_KHR
                                                               : VK_COMPONENT_TYPE_UINT64_KHR;
        std::string bits = type_.component == same ? value : cast(value, same, "OpBitcast");
        if (component.bits != 32) bits = cast(bits, VK_COMPONENT_TYPE_UINT32_KHR, "OpUConvert");
        return bits;
    }

    const MatrixType& type_;
    const uint32_t lanes_;
    ModuleText text_;
    std::string matrix_;
};

// Elements whose bits are the number of their row or column.
Bytes numbered(const MatrixType& type, bool byColumn) {
    const uint32_t bytes = info(type.component).bytes();
    Bytes memory;
    for (uint32_t e = 0; e < type.rows * type.columns; ++e) {
        const uint32_t number = byColumn ? e % type.columns : e / type.columns;
        for (uint32_t b = 0; b < bytes; ++b)
            memory.push_back(std::byte(b < 4 ? number >> 8 * b & 255 : 0));
    }
    return memory;
}

struct KnownLayout {
    Choice choice;
    std::string_view name;
};
constexpr KnownLayout kKnown[] = {
    {Choice::kNvidia, "nvidia"}, {Choice::kRdna3, "rdna3"}, {Choice::kRdna4, "rdna4"}};

bool isLike(const ReadMap& map, Choice choice) {
    const reference::Shape shape{map.type.rows,
                                 map.type.columns,
                                 static_cast<int32_t>(map.type.use),
                                 map.lanes,
                                 info(map.type.component).bits,
                                 true};
    bool isSame = false;
    reference::withMap(choice, shape, [&](const auto& known) {
        isSame = known.length() == map.length;
        for (uint32_t i = 0; isSame && i < map.positions.size(); ++i) {
            const reference::ElementPosition p = known.position(i / map.length, i % map.length);
            isSame = map.positions[i] == std::pair(p.row, p.column);
        }
    });
    return isSame;
}

// The types of the rows that the device lists, each once.
std::vector<MatrixType> typesOf(const Gpu& gpu) {
    const bool emulated = gpu.side == SideKind::kEmulated;
    const MatrixRows rows =
        matrixRows(Dialect::kKhr, emulated ? nullptr : &gpu, emulated ? &gpu : nullptr);
    std::vector<MatrixType> types;
    const auto add = [&](const MatrixType& type) {
        if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    };
    for (const MatrixRow& row : rows.rows) {
        add({row.a, row.m, row.k, Use::kA});
        add({row.b, row.k, row.n, Use::kB});
        add({row.result, row.m, row.n, Use::kAccumulator});
    }
    return types;
}

ReadMap readMap(Side& side, const MatrixType& type, uint32_t lanes) {
    ReadMap map{.type = type, .why = {}, .lanes = lanes, .length = 0, .positions = {}};
    Plan plan;
    plan.assembly = ProbeShader(type, lanes).write();
    plan.buffers = {numbered(type, false), numbered(type, true),
                    Bytes((2 * lanes + 1) * kMostElements * 4, std::byte(0xA5))};
    plan.output = 2;
    plan.result = Block{
        VK_COMPONENT_TYPE_UINT32_KHR, 2 * lanes + 1, kMostElements, false, kMostElements * 4, 0};
    const Outcome outcome = side.run(plan);
    if (!outcome.result) {
        map.why = outcome.error;
        return map;
    }
    map.length = static_cast<uint32_t>(outcome.result->at(2 * lanes, 0));
    if (map.length > kMostElements) {
        map.why = std::format("an invocation holds {} elements", map.length);
        return map;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane)
        for (uint32_t e = 0; e < map.length; ++e)
            map.positions.emplace_back(outcome.result->at(lane, e),
                                       outcome.result->at(lanes + lane, e));
    return map;
}

}  // namespace

std::vector<ReadMap> readMaps(Gpu& gpu) {
    Runner runner(gpu);
    std::vector<ReadMap> maps;
    for (const MatrixType& type : typesOf(gpu))
        maps.push_back(readMap(runner, type, gpu.properties11.subgroupSize));
    return maps;
}

std::vector<std::string_view> layoutsLike(const ReadMap& map) {
    std::vector<std::string_view> names;
    for (const KnownLayout& known : kKnown)
        if (isLike(map, known.choice)) names.push_back(known.name);
    return names;
}

std::string listed(std::span<const std::string_view> layouts) {
    std::string text;
    for (const std::string_view name : layouts)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text.empty() ? "none that coopvk knows" : text;
}

std::string bitsOf(const ReadMap& map) {
    if (map.positions.empty() || !std::has_single_bit(map.length) ||
        !std::has_single_bit(map.lanes)) {
        return "";
    }
    // The number of a position is the lane, then the element's number, as bits.
    for (uint32_t i = 0; i < map.positions.size(); ++i) {
        std::pair<uint32_t, uint32_t> sum;
        for (uint32_t left = i; left != 0; left &= left - 1) {
            const auto& [row, column] = map.positions[left & (~left + 1)];
            sum = {sum.first ^ row, sum.second ^ column};
        }
        if (sum != map.positions[i]) return "";
    }
    const auto bits = [&](std::string_view name, uint32_t count, uint32_t distance) {
        std::string text(name);
        for (uint32_t bit = 1; bit < count; bit *= 2) {
            const auto& [row, column] = map.positions[bit * distance];
            text += std::format(" {}:({},{})", bit, row, column);
        }
        return text;
    };
    return bits("lane", map.lanes, map.length) + ", " + bits("element", map.length, 1);
}

ordered_json jsonOf(const ReadMap& map, Positions positions) {
    ordered_json json = {{"matrix", nameOf(map.type)}};
    if (!map.why.empty()) {
        json["notRead"] = map.why;
        return json;
    }
    const auto layouts = layoutsLike(map);
    json["length"] = map.length;
    json["layouts"] = layouts;
    const std::string bits = bitsOf(map);
    if (!bits.empty()) json["bits"] = bits;
    if (positions == Positions::kAlways || (layouts.empty() && bits.empty()))
        json["positions"] = map.positions;
    return json;
}

}  // namespace coopvk::compare
