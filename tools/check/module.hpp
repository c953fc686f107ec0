// SPDX-License-Identifier: Apache-2.0
//
// A SPIR-V module as far as its interface to memory goes: types, constants, decorations, variables.
// Reads any words: what is not there is zero.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "coopvk_reference/formats.hpp"

namespace coopvk::check {

struct Instruction {
    spv::Op opcode = spv::Op::OpNop;
    std::span<const uint32_t> words;
    uint32_t operator[](size_t word) const { return word < words.size() ? words[word] : 0; }
};

struct SpecializationValue {
    uint32_t constantId = 0;
    uint64_t bits = 0;
    uint32_t size = 4;  // bytes
};

// How a number lies in memory.
struct Format {
    enum class Kind : uint8_t { kInteger, kFloat, kAddress };
    Kind kind = Kind::kInteger;
    uint32_t bits = 32;     // of the number; those of fewer than 8 share a byte
    bool isSigned = false;  // of an integer
    std::optional<reference::numbers::Number> number = {};  // of a float
    uint32_t pointee = 0;                                   // type to which an address points
    uint32_t bytes() const { return bits < 8 ? 1 : bits / 8; }
    bool operator==(const Format&) const = default;
};

// Of a number format.
Format formatOf(reference::numbers::Number number);

struct Member {
    uint32_t type = 0;
    uint64_t offset = 0;        // bytes; without a decoration, behind the one before
    uint32_t matrixStride = 0;  // bytes; 0: none
};

class Module {
 public:
    static constexpr uint32_t kHeader = 5;  // words

    Module(std::span<const uint32_t> words, std::span<const SpecializationValue> specialization);

    const std::vector<Instruction>& instructions() const { return all_; }
    // The instruction whose result is the id; OpNop if there is none.
    const Instruction& definition(uint32_t id) const;
    uint32_t typeOf(uint32_t id) const;
    // Of an instruction, in words from the module's beginning.
    uint32_t position(const Instruction& i) const {
        return static_cast<uint32_t>(i.words.data() - all_.front().words.data()) + kHeader;
    }
    // Bits of a scalar constant after specialization.
    std::optional<uint64_t> constant(uint32_t id) const;
    std::optional<uint32_t> decoration(uint32_t id, spv::Decoration decoration) const;
    std::optional<uint32_t> memberDecoration(uint32_t structure, uint32_t member,
                                             spv::Decoration decoration) const;
    struct EntryPoint {
        spv::ExecutionModel stage;
        std::string name;
    };
    std::vector<EntryPoint> entryPoints() const;
    bool isEntryPoint(uint32_t function) const;
    // Of a variable, or of the first member of its block.
    std::optional<uint32_t> decorationOfVariable(const Instruction& variable,
                                                 spv::Decoration decoration) const;
    bool usesAddresses() const { return usesAddresses_; }

    // How a scalar type lies in memory; nothing for other types.
    std::optional<Format> format(uint32_t type) const;
    // A type that stands for a word, where the module may lack one.
    static constexpr uint32_t kWord = ~uint32_t{0};
    // Bytes of a value of the type; a runtime array has none.
    uint64_t sizeOf(uint32_t type) const;

    bool endsInRuntimeArray(uint32_t type) const;

    // Numbers of one format, the first at `offset`. Offsets and strides are in bytes.
    struct Run {
        Format format;
        uint64_t offset = 0, count = 1, stride = 0;
        bool isInArray = false;
    };
    using Visit = std::function<void(const Run& run)>;
    // Calls `visit` for all numbers of a value of the type that begins at `offset` and ends before
    // `end`, in their order. Runtime arrays go on to `end`.
    void visit(uint32_t type, uint64_t offset, uint64_t end, const Visit& visit) const;
    // The same for one value behind the other, each of so many bytes.
    void visitAll(uint32_t type, uint64_t size, uint64_t end, const Visit& visit) const;

 private:
    // Types may be nested so that they have more members than there is time for.
    struct Walk {
        uint64_t& left;  // members that are still visited
        uint32_t depth = 0;
        Walk deeper() const { return {left, depth + 1}; }
        bool ends() const;
    };

    void readDecoration(const Instruction& i);
    uint64_t sizeOf(const Member& of, Walk walk) const;
    uint64_t countOf(const Instruction& type) const;
    uint64_t strideOf(const Member& of, const Instruction& type, Walk walk) const;
    Member elementOf(const Member& of, const Instruction& type) const;
    std::vector<Member> membersOf(uint32_t structType, Walk walk) const;
    void visitMember(const Member& of, uint64_t offset, uint64_t end, const Visit& visit,
                     bool isInArray, Walk walk) const;

    // Of elements of one type, each `stride` bytes behind the one before.
    struct Elements {
        Member element;
        uint64_t offset, stride, count;
    };
    void visitElements(const Elements& of, uint64_t end, const Visit& visit, bool isInArray,
                       Walk walk) const;

    std::vector<Instruction> all_;
    std::vector<uint32_t> definitions_;  // by id: index into all_ plus 1; 0: none
    std::map<std::pair<uint32_t, spv::Decoration>, uint32_t> decorations_;
    std::map<std::tuple<uint32_t, uint32_t, spv::Decoration>, uint32_t> memberDecorations_;
    std::map<uint32_t, uint64_t> specialized_;  // bits by SpecId
    bool usesAddresses_ = false;
};

}  // namespace coopvk::check
