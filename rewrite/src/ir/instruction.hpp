// SPDX-License-Identifier: Apache-2.0
//
// One SPIR-V instruction: in memory, in a list, and in the words of a module that is not parsed.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

namespace coopvk::rewrite {

using enum spv::Op;  // opcodes have their names in the specification: OpLoad

// 0 is no id. What looks an id up returns it where there is none, and the definition of 0 is an
// OpNop without operands, so look-ups can follow each other. A parameter or a member that need not
// be given is a std::optional<Id>.
using Id = uint32_t;

// Whether a value is in a list.
template <typename T>
constexpr bool isOneOf(T value, std::initializer_list<T> list) {
    for (const T one : list) {
        if (value == one) return true;
    }
    return false;
}

constexpr uint32_t divideUp(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

// The largest power of two that divides a value; 0 for 0.
template <std::unsigned_integral T>
constexpr T powerOfTwoIn(T value) {
    return value & (~value + 1);
}

// make(0), make(1), ... make(count - 1).
template <typename Make>
auto listOf(size_t count, Make make) {
    std::vector<decltype(make(uint32_t{}))> list;
    for (uint32_t i = 0; i < count; ++i) list.push_back(make(i));
    return list;
}
// make(value) for each value of a range.
template <typename Range, typename Make>
auto listFor(const Range& range, Make make) {
    std::vector<std::decay_t<decltype(make(*std::begin(range)))>> list;
    for (const auto& value : range) list.push_back(make(value));
    return list;
}

struct Operand {
    uint32_t word = 0;
    bool isId = false;
    bool operator==(const Operand&) const = default;
};

constexpr Operand idOperand(Id id) { return {id, true}; }
constexpr Operand literal(uint32_t word) { return {word, false}; }
template <typename Enum>
    requires std::is_enum_v<Enum>
constexpr Operand literal(Enum value) {
    return {static_cast<uint32_t>(value), false};
}

// The operands of an instruction, as in a std::vector. Most instructions have few: these take no
// memory of their own.
class Operands {
 public:
    using value_type = Operand;

    Operands() = default;
    Operands(std::initializer_list<Operand> list) : Operands(list.begin(), list.end()) {}
    Operands(size_t count, Operand operand) { assign(count, operand); }
    template <std::random_access_iterator Iterator>
    Operands(Iterator first, Iterator last) {
        insert(end(), first, last);
    }
    Operands(const Operands& other) : Operands(other.begin(), other.end()) {}
    Operands(Operands&& other) noexcept { *this = std::move(other); }
    Operands& operator=(const Operands& other) { return *this = Operands(other); }
    Operands& operator=(Operands&& other) noexcept {
        few_ = other.few_;
        many_ = std::move(other.many_);
        capacity_ = std::exchange(other.capacity_, kFew);
        size_ = std::exchange(other.size_, 0);
        return *this;
    }
    ~Operands() = default;

    Operand* data() { return many_ ? many_.get() : few_.data(); }
    const Operand* data() const { return many_ ? many_.get() : few_.data(); }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Operand* begin() { return data(); }
    Operand* end() { return data() + size_; }
    const Operand* begin() const { return data(); }
    const Operand* end() const { return data() + size_; }
    // The library checks indices of spans where it checks those of its containers.
    Operand& operator[](size_t index) { return std::span(begin(), end())[index]; }
    const Operand& operator[](size_t index) const { return std::span(begin(), end())[index]; }
    Operand& back() { return std::span(begin(), end()).back(); }
    const Operand& back() const { return std::span(begin(), end()).back(); }
    bool operator==(const Operands& other) const { return std::ranges::equal(*this, other); }

    void reserve(size_t count) {
        if (count <= capacity_) return;
        const size_t capacity = std::max<size_t>(count, 2 * capacity_);
        auto many = std::make_unique<Operand[]>(capacity);
        std::ranges::copy(*this, many.get());
        many_ = std::move(many);
        capacity_ = static_cast<uint32_t>(capacity);
    }
    void resize(size_t count) {
        reserve(count);
        for (size_t at = size_; at < count; ++at) data()[at] = {};
        size_ = static_cast<uint32_t>(count);
    }
    void clear() { size_ = 0; }
    void assign(size_t count, Operand operand) {
        resize(count);
        std::ranges::fill(*this, operand);
    }
    void push_back(Operand operand) {
        reserve(size_ + 1);
        data()[size_++] = operand;
    }
    void pop_back() { --size_; }
    // The new ones must not be of these operands.
    template <std::random_access_iterator Iterator>
    void insert(const Operand* before, Iterator first, Iterator last) {
        const auto at = before - begin();
        const auto old = static_cast<std::ptrdiff_t>(size_);
        reserve(size_ + static_cast<size_t>(last - first));
        for (; first != last; ++first) push_back(*first);
        std::rotate(begin() + at, begin() + old, end());
    }
    void insert(const Operand* before, Operand operand) {
        const auto at = before - begin();
        push_back(operand);
        std::rotate(begin() + at, end() - 1, end());
    }
    void erase(const Operand* first, const Operand* last) {
        const auto to = begin() + (first - begin());
        size_ = static_cast<uint32_t>(std::copy(last, std::as_const(*this).end(), to) - begin());
    }
    void erase(const Operand* one) { erase(one, one + 1); }

 private:
    static constexpr uint32_t kFew = 4;

    std::array<Operand, kFew> few_;
    std::unique_ptr<Operand[]> many_;  // instead, if there are more
    uint32_t capacity_ = kFew, size_ = 0;
};

inline Operands idOperands(std::span<const Id> ids) {
    Operands operands;
    operands.reserve(ids.size());
    for (Id id : ids) operands.push_back(idOperand(id));
    return operands;
}

struct Instruction {
    spv::Op opcode = OpNop;
    Id type = 0;    // 0: the opcode has no result type
    Id result = 0;  // 0: the opcode has no result
    Operands operands;

    // Operands past the end read as 0, which no instruction defines: instructions of malformed
    // modules may have too few.
    uint32_t word(size_t index) const { return index < operands.size() ? operands[index].word : 0; }
    size_t wordCount() const {
        return 1u + (type != 0 ? 1u : 0u) + (result != 0 ? 1u : 0u) + operands.size();
    }
};

// The storage class of a pointer type or a variable.
inline spv::StorageClass storageOf(const Instruction& instruction) {
    return static_cast<spv::StorageClass>(instruction.word(0));
}

// Whether each invocation has its own memory of a storage class. Such memory has no layout.
inline bool isPrivate(spv::StorageClass storage) {
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

inline void append(Operands& operands, std::span<const Operand> more) {
    operands.insert(operands.end(), more.begin(), more.end());
}
inline void append(Operands& operands, const Operands& more) { append(operands, std::span(more)); }

// The operands after the first `count` ones; empty if there are no more.
inline std::span<const Operand> operandsBehind(const Instruction& instruction, size_t count) {
    return std::span(instruction.operands).subspan(std::min(count, instruction.operands.size()));
}

using InstructionPtr = std::unique_ptr<Instruction>;
using InstructionList = std::vector<InstructionPtr>;

inline InstructionPtr makeInstruction(spv::Op opcode, Id type, Id result, Operands operands) {
    return std::make_unique<Instruction>(Instruction{opcode, type, result, std::move(operands)});
}

// Moves instructions into a list, before its instruction number `at`.
inline void insertAt(InstructionList& list, size_t at, InstructionList&& more) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at),
                std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    more.clear();
}
// Removes the instructions from number `first` on from a list and returns them.
inline InstructionList takeFrom(InstructionList& list, size_t first) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    InstructionList taken(std::make_move_iterator(begin), std::make_move_iterator(list.end()));
    list.resize(first);
    return taken;
}

// Reads instructions from the words of a module without parsing it.

inline constexpr size_t kHeaderWords = 5;

// The first word of an instruction.
constexpr uint32_t firstWord(spv::Op opcode, size_t wordCount) {
    return static_cast<uint32_t>(wordCount) << spv::WordCountShift | static_cast<uint32_t>(opcode);
}

// Calls found(opcode, words of the instruction) for one instruction after the other. True once a
// call returns true; false at an instruction `end`, and where the words end or are cut off.
template <typename Found>
bool anyInstruction(std::span<const uint32_t> words, Found&& found,
                    std::optional<spv::Op> end = {}) {
    while (!words.empty()) {
        const size_t count = words[0] >> spv::WordCountShift;
        const auto opcode = static_cast<spv::Op>(words[0] & spv::OpCodeMask);
        if (count == 0 || count > words.size() || opcode == end) return false;
        if (found(opcode, words.first(count))) return true;
        words = words.subspan(count);
    }
    return false;
}

// The instructions of a module; none if the words are not SPIR-V.
inline std::span<const uint32_t> instructionWords(std::span<const uint32_t> words) {
    const bool isModule = words.size() >= kHeaderWords && words[0] == spv::MagicNumber;
    return isModule ? words.subspan(kHeaderWords) : std::span<const uint32_t>();
}

// Whether found(capability) is true for one of the capabilities, which come first in a module.
template <typename Found>
bool anyCapability(std::span<const uint32_t> words, Found&& found) {
    bool isFound = false;
    anyInstruction(instructionWords(words), [&](spv::Op opcode, std::span<const uint32_t> i) {
        const bool isCapability = opcode == OpCapability && i.size() > 1;
        isFound = isCapability && found(static_cast<spv::Capability>(i[1]));
        return isFound || !isCapability;
    });
    return isFound;
}

inline bool declares(std::span<const uint32_t> words, spv::Capability capability) {
    return anyCapability(words, [&](spv::Capability one) { return one == capability; });
}

}  // namespace coopvk::rewrite
