// SPDX-License-Identifier: Apache-2.0
#include "module.hpp"

#include <algorithm>

namespace coopvk::check {

namespace numbers = reference::numbers;

namespace {

constexpr uint32_t kMaxIds = 1u << 22;
const Instruction kNothing;

std::string textAt(const Instruction& i, size_t word) {
    std::string text;
    for (; word < i.words.size(); ++word) {
        for (uint32_t byte = 0; byte < 4; ++byte) {
            const char letter = static_cast<char>(i[word] >> (8 * byte));
            if (letter == '\0') return text;
            text += letter;
        }
    }
    return text;
}

}  // namespace

Module::Module(std::span<const uint32_t> words, std::span<const SpecializationValue> values) {
    for (const SpecializationValue& value : values) specialized_[value.constantId] = value.bits;
    if (words.size() < kHeader) return;
    definitions_.resize(std::min(words[3], kMaxIds));
    for (size_t at = kHeader; at < words.size();) {
        const size_t count = words[at] >> 16;
        if (count == 0 || count > words.size() - at) return;
        const Instruction i{static_cast<spv::Op>(words[at] & 0xFFFF), words.subspan(at, count)};
        all_.push_back(i);
        bool hasResult = false, hasType = false;
        spv::HasResultAndType(i.opcode, &hasResult, &hasType);
        const uint32_t result = i[hasType ? 2 : 1];
        if (hasResult && result < definitions_.size())
            definitions_[result] = static_cast<uint32_t>(all_.size());
        readDecoration(i);
        at += count;
    }
}

void Module::readDecoration(const Instruction& i) {
    if (i.opcode == spv::Op::OpDecorate)
        decorations_[{i[1], static_cast<spv::Decoration>(i[2])}] = i[3];
    if (i.opcode == spv::Op::OpMemberDecorate)
        memberDecorations_[{i[1], i[2], static_cast<spv::Decoration>(i[3])}] = i[4];
    // Groups are decorated before they decorate.
    const auto copy = [&](uint32_t target, std::optional<uint32_t> member) {
        const auto own = decorations_;
        for (const auto& [key, literal] : own) {
            if (key.first != i[1]) continue;
            if (member)
                memberDecorations_[{target, *member, key.second}] = literal;
            else
                decorations_[{target, key.second}] = literal;
        }
    };
    for (size_t n = 2; i.opcode == spv::Op::OpGroupDecorate && n < i.words.size(); ++n)
        copy(i[n], {});
    for (size_t n = 2; i.opcode == spv::Op::OpGroupMemberDecorate && n < i.words.size(); n += 2)
        copy(i[n], i[n + 1]);
    if (i.opcode == spv::Op::OpMemoryModel)
        usesAddresses_ = static_cast<spv::AddressingModel>(i[1]) ==
                         spv::AddressingModel::PhysicalStorageBuffer64;
}

const Instruction& Module::definition(uint32_t id) const {
    if (id >= definitions_.size() || definitions_[id] == 0) return kNothing;
    return all_[definitions_[id] - 1];
}

uint32_t Module::typeOf(uint32_t id) const {
    const Instruction& i = definition(id);
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(i.opcode, &hasResult, &hasType);
    return hasType ? i[1] : 0;
}

std::optional<uint64_t> Module::constant(uint32_t id) const {
    const Instruction& i = definition(id);
    const bool isSpecialized = i.opcode == spv::Op::OpSpecConstant;
    if (i.opcode != spv::Op::OpConstant && !isSpecialized) return std::nullopt;
    if (const auto specId = decoration(id, spv::Decoration::SpecId); isSpecialized && specId) {
        const auto found = specialized_.find(*specId);
        if (found != specialized_.end()) return found->second;
    }
    return i[3] | uint64_t{i[4]} << 32;
}

std::optional<uint32_t> Module::decoration(uint32_t id, spv::Decoration decoration) const {
    const auto found = decorations_.find({id, decoration});
    if (found == decorations_.end()) return std::nullopt;
    return found->second;
}

std::optional<uint32_t> Module::memberDecoration(uint32_t structure, uint32_t member,
                                                 spv::Decoration decoration) const {
    const auto found = memberDecorations_.find({structure, member, decoration});
    if (found == memberDecorations_.end()) return std::nullopt;
    return found->second;
}

std::optional<uint32_t> Module::decorationOfVariable(const Instruction& variable,
                                                     spv::Decoration wanted) const {
    if (const auto own = decoration(variable[2], wanted)) return own;
    uint32_t type = definition(variable[1])[3];
    while (definition(type).opcode == spv::Op::OpTypeArray ||
           definition(type).opcode == spv::Op::OpTypeRuntimeArray)
        type = definition(type)[2];
    return memberDecoration(type, 0, wanted);
}

std::vector<Module::EntryPoint> Module::entryPoints() const {
    std::vector<EntryPoint> points;
    for (const Instruction& i : all_)
        if (i.opcode == spv::Op::OpEntryPoint)
            points.push_back({static_cast<spv::ExecutionModel>(i[1]), textAt(i, 3)});
    return points;
}

bool Module::isEntryPoint(uint32_t function) const {
    return std::ranges::any_of(all_, [&](const Instruction& i) {
        return i.opcode == spv::Op::OpEntryPoint && i[2] == function;
    });
}

std::optional<Format> Module::format(uint32_t type) const {
    const Instruction& i = definition(type);
    if (type == kWord || i.opcode == spv::Op::OpTypeBool) return Format{};  // 32 bits in memory
    if (i.opcode == spv::Op::OpTypeInt)
        return Format{.bits = std::min(i[2], 64u), .isSigned = i[3] != 0};
    if (i.opcode == spv::Op::OpTypePointer || i.opcode == spv::Op::OpTypeForwardPointer ||
        i.opcode == spv::Op::OpTypeUntypedPointerKHR)
        return Format{.kind = Format::Kind::kAddress, .bits = 64, .pointee = i[3]};
    if (i.opcode != spv::Op::OpTypeFloat) return std::nullopt;
    const uint32_t encoding = i.words.size() > 3 ? i[3] : numbers::kNoValue;
    const auto number = numbers::floatOf(i[2], encoding);
    return number ? std::optional(formatOf(*number)) : std::nullopt;
}

Format formatOf(numbers::Number number) {
    const numbers::Format& row = numbers::format(number);
    if (row.integer()) return {.bits = row.bits, .isSigned = row.isSigned()};
    return {.kind = Format::Kind::kFloat, .bits = row.bits, .number = number};
}

}  // namespace coopvk::check
