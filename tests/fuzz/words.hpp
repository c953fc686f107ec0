// SPDX-License-Identifier: Apache-2.0
//
// A SPIR-V module as a list of instructions that can be changed. Any words can be split into
// instructions and joined again, also words that are no SPIR-V.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

namespace coopvk::fuzz {

enum class Kind : uint8_t { kOpcode, kTypeId, kResultId, kId, kLiteral };

struct Word {
    uint32_t value = 0;
    Kind kind = Kind::kLiteral;
};

struct Instruction {
    std::vector<Word> words;  // the opcode's first, whose word count is set when put together

    spv::Op opcode() const { return static_cast<spv::Op>(words[0].value & 0xFFFFu); }
    void setOpcode(spv::Op opcode) { words[0].value = static_cast<uint32_t>(opcode); }
    uint32_t find(Kind kind) const;  // 0 where there is none
    uint32_t type() const { return find(Kind::kTypeId); }
    uint32_t result() const { return find(Kind::kResultId); }
    size_t firstOperand() const;
    // 0 behind the last operand.
    uint32_t operand(size_t index) const;
};

Instruction makeInstruction(spv::Op opcode, uint32_t type, uint32_t result);
Instruction& operator<<(Instruction& instruction, Word word);
constexpr Word id(uint32_t value) { return {value, Kind::kId}; }
template <typename T>
constexpr Word literal(T value) {
    return {static_cast<uint32_t>(value), Kind::kLiteral};
}

struct Module {
    std::array<uint32_t, 5> header = {spv::MagicNumber, 0x00010600, 0, 1, 0};
    std::vector<Instruction> instructions;

    uint32_t freshId() { return header[3]++; }
};

// SPIRV-Tools' grammar says which words are ids; after the point where it fails, this is guessed.
Module split(std::span<const uint32_t> words);
std::vector<uint32_t> join(const Module& module);

}  // namespace coopvk::fuzz
