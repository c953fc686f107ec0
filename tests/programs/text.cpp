// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include <algorithm>

namespace coopvk::programs {
namespace {

constexpr ComponentInfo kInfos[kComponents] = {
    {"f16", "OpTypeFloat 16", 2, true, true, true, 2048, 0},
    {"f32", "OpTypeFloat 32", 4, true, true, true, 16777216, 1},
    {"bf16", "OpTypeFloat 16 BFloat16KHR", 2, true, true, false, 256, 1000141000},
    {"e4m3", "OpTypeFloat 8 Float8E4M3EXT", 1, true, true, false, 16, 1000491002},
    {"e5m2", "OpTypeFloat 8 Float8E5M2EXT", 1, true, true, false, 8, 1000491003},
    {"s8", "OpTypeInt 8 1", 1, false, true, true, 0, 3},
    {"u8", "OpTypeInt 8 0", 1, false, false, true, 0, 7},
    {"s16", "OpTypeInt 16 1", 2, false, true, true, 0, 4},
    {"u16", "OpTypeInt 16 0", 2, false, false, true, 0, 8},
    {"s32", "OpTypeInt 32 1", 4, false, true, true, 0, 5},
    {"u32", "OpTypeInt 32 0", 4, false, false, true, 0, 9},
    // In memory two share a byte; buffers of them are arrays of bytes.
    {"s4", "OpTypeInt 4 1", 1, false, true, false, 0, 0},
    {"u4", "OpTypeInt 4 0", 1, false, false, false, 0, 0},
    {"f64", "OpTypeFloat 64", 8, true, true, true, 9007199254740992, 2},
    {"s64", "OpTypeInt 64 1", 8, false, true, true, 0, 6},
    {"u64", "OpTypeInt 64 0", 8, false, false, true, 0, 10},
    {"bool", "OpTypeBool", 0, false, false, false, 0, 0},  // not in memory
};

struct Needs {
    Component component;
    const char* capability;
    const char* extension;
};
constexpr Needs kNeeds[] = {
    {Component::kF16, "Float16", ""},
    {Component::kBf16, "BFloat16TypeKHR", "SPV_KHR_bfloat16"},
    {Component::kE4M3, "Float8EXT", "SPV_EXT_float8"},
    {Component::kE5M2, "Float8EXT", "SPV_EXT_float8"},
    {Component::kS8, "Int8", ""},
    {Component::kU8, "Int8", ""},
    {Component::kS16, "Int16", ""},
    {Component::kU16, "Int16", ""},
    {Component::kS4, "Int4TypeINTEL", "SPV_INTEL_int4"},
    {Component::kU4, "Int4TypeINTEL", "SPV_INTEL_int4"},
    {Component::kF64, "Float64", ""},
    {Component::kS64, "Int64", ""},
    {Component::kU64, "Int64", ""},
};

}  // namespace

const ComponentInfo& info(Component component) { return kInfos[static_cast<size_t>(component)]; }

void Text::need(const std::string& capability, const std::string& extension) {
    capabilities_.insert(capability);
    if (!extension.empty()) extensions_.insert(extension);
}

std::string Text::global(const std::string& definition) {
    auto [found, isNew] = ids_.try_emplace(definition);
    if (isNew) {
        found->second = "%g" + std::to_string(globals_.size());
        globals_.emplace_back(found->second, definition);
    }
    return found->second;
}

std::string Text::type(Component component) {
    for (const Needs& needs : kNeeds)
        if (needs.component == component) need(needs.capability, needs.extension);
    return global(std::string(info(component).definition));
}

std::string Text::u32(uint32_t value) {
    return global(std::format("OpConstant {} {}", type(Component::kU32), value));
}

std::string Text::size(uint32_t value) {
    if (!specialises_) return u32(value);
    std::string& id = sizes_[value];
    if (!id.empty()) return id;
    if (specialises_->below(2) == 0) return id = u32(value);
    const uint32_t number = kFirstSpecId + static_cast<uint32_t>(specialization_.size());
    id = "%g" + std::to_string(globals_.size());
    globals_.emplace_back(id, std::format("OpSpecConstant {} {}", type(Component::kU32),
                                          specialises_->below(2) == 0 ? value : 2 * value));
    decorate(std::format("OpDecorate {} SpecId {}", id, number));
    specialization_.push_back({number, value, 4});
    return id;
}

void Text::needAddresses() {
    need("PhysicalStorageBufferAddresses");
    addressing_ = "PhysicalStorageBuffer64";
}

const char* Text::glsl() {
    imports_ = "%glsl = OpExtInstImport \"GLSL.std.450\"\n";
    return "%glsl";
}

std::string Text::constant(Component component, int value) {
    if (component == Component::kBool)
        return global((value != 0 ? "OpConstantTrue " : "OpConstantFalse ") + type(component));
    return global(std::format("OpConstant {} {}", type(component), value));
}

std::string Text::variable(const std::string& pointerType, const std::string& storage) {
    const std::string id = "%g" + std::to_string(globals_.size());
    globals_.emplace_back(id, std::format("OpVariable {} {}", pointerType, storage));
    interface_ += " " + id;
    return id;
}

std::string Text::value(const std::string& instruction) {
    const std::string id = fresh();
    line(id + " = " + instruction);
    return id;
}

void Text::label(const std::string& id) {
    line(id + " = OpLabel");
    block_ = id;
    if (inFunction_ && localsAt_ == std::string::npos) localsAt_ = functions_.size();
}

std::string Text::local(const std::string& pointerType) {
    const std::string id = fresh();
    const std::string variable = std::format("{} = OpVariable {} Function\n", id, pointerType);
    if (inFunction_) {
        functions_.insert(localsAt_, variable);
        localsAt_ += variable.size();
    } else {
        locals_ += variable;
    }
    return id;
}

void Text::beginFunction() {
    inFunction_ = true;
    localsAt_ = std::string::npos;
    outerBlock_ = block_;
}

void Text::endFunction() {
    line("OpFunctionEnd");
    inFunction_ = false;
    block_ = outerBlock_;
}

std::string Text::module(uint32_t localSize) const {
    std::string text;
    for (const std::string& capability : capabilities_) text += "OpCapability " + capability + "\n";
    for (const std::string& extension : extensions_) text += "OpExtension \"" + extension + "\"\n";
    text += imports_ + "OpMemoryModel " + addressing_ + " Vulkan\n";
    text += "OpEntryPoint GLCompute %main \"main\"" + interface_ + "\n";
    text += std::format("OpExecutionMode %main LocalSize {} 1 1\n", localSize) + modes_;
    for (const std::string& decoration : decorations_) text += decoration + "\n";
    text += "%void = OpTypeVoid\n%procedure = OpTypeFunction %void\n";
    for (const auto& [id, definition] : globals_) text += id + " = " + definition + "\n";
    text += "%main = OpFunction %void None %procedure\n%entry = OpLabel\n" + locals_ + body_;
    return text + "OpReturn\nOpFunctionEnd\n" + functions_;
}

}  // namespace coopvk::programs
