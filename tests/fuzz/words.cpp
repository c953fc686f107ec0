// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>

namespace coopvk::fuzz {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kMaxInstructionWords = 0xFFFF;

Kind kindOf(spv_operand_type_t type) {
    switch (type) {
        case SPV_OPERAND_TYPE_TYPE_ID:
            return Kind::kTypeId;
        case SPV_OPERAND_TYPE_RESULT_ID:
            return Kind::kResultId;
        case SPV_OPERAND_TYPE_ID:
        case SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID:
        case SPV_OPERAND_TYPE_SCOPE_ID:
            return Kind::kId;
        default:
            return Kind::kLiteral;
    }
}

spv_result_t addParsed(void* user, const spv_parsed_instruction_t* parsed) {
    Instruction instruction;
    instruction.words.resize(parsed->num_words);
    for (uint16_t i = 0; i < parsed->num_words; ++i) {
        instruction.words[i].value = parsed->words[i];
    }
    instruction.words[0].kind = Kind::kOpcode;
    for (uint16_t i = 0; i < parsed->num_operands; ++i) {
        const spv_parsed_operand_t& operand = parsed->operands[i];
        instruction.words[operand.offset].kind = kindOf(operand.type);
    }
    static_cast<Module*>(user)->instructions.push_back(std::move(instruction));
    return SPV_SUCCESS;
}

spv_context context() {
    static const spv_context made = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    return made;
}

Instruction guess(std::span<const uint32_t> words, uint32_t bound) {
    Instruction instruction;
    for (uint32_t word : words) {
        instruction.words.push_back({word, word != 0 && word < bound ? Kind::kId : Kind::kLiteral});
    }
    instruction.words[0].kind = Kind::kOpcode;
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(instruction.opcode(), &hasResult, &hasType);
    if (hasType && words.size() > 1) instruction.words[1].kind = Kind::kTypeId;
    const size_t at = hasType ? 2 : 1;
    if (hasResult && words.size() > at) instruction.words[at].kind = Kind::kResultId;
    return instruction;
}

}  // namespace

uint32_t Instruction::find(Kind kind) const {
    const auto found =
        std::ranges::find_if(words, [&](const Word& word) { return word.kind == kind; });
    return found == words.end() ? 0 : found->value;
}

size_t Instruction::firstOperand() const {
    return 1u + (type() != 0 ? 1u : 0u) + (result() != 0 ? 1u : 0u);
}

uint32_t Instruction::operand(size_t index) const {
    const size_t at = firstOperand() + index;
    return at < words.size() ? words[at].value : 0;
}

Instruction makeInstruction(spv::Op opcode, uint32_t type, uint32_t result) {
    Instruction instruction;
    instruction.words.push_back({static_cast<uint32_t>(opcode), Kind::kOpcode});
    if (type != 0) instruction.words.push_back({type, Kind::kTypeId});
    if (result != 0) instruction.words.push_back({result, Kind::kResultId});
    return instruction;
}

Instruction& operator<<(Instruction& instruction, Word word) {
    instruction.words.push_back(word);
    return instruction;
}

Module split(std::span<const uint32_t> words) {
    Module module;
    if (words.size() < kHeaderWords) return module;
    std::ranges::copy(words.first(kHeaderWords), module.header.begin());
    spvBinaryParse(context(), &module, words.data(), words.size(), nullptr, addParsed, nullptr);
    size_t at = kHeaderWords;
    for (const Instruction& instruction : module.instructions) at += instruction.words.size();
    while (at < words.size()) {
        const size_t count = std::clamp<size_t>(words[at] >> 16, 1, words.size() - at);
        module.instructions.push_back(guess(words.subspan(at, count), module.header[3]));
        at += count;
    }
    return module;
}

std::vector<uint32_t> join(const Module& module) {
    std::vector<uint32_t> words(module.header.begin(), module.header.end());
    for (const Instruction& instruction : module.instructions) {
        const size_t count = std::min<size_t>(instruction.words.size(), kMaxInstructionWords);
        words.push_back(static_cast<uint32_t>(count) << 16 |
                        static_cast<uint32_t>(instruction.opcode()));
        for (size_t i = 1; i < count; ++i) words.push_back(instruction.words[i].value);
    }
    return words;
}

}  // namespace coopvk::fuzz
