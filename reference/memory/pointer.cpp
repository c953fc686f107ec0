// SPDX-License-Identifier: Apache-2.0
#include "memory/pointer.hpp"

#include <atomic>
#include <cstring>
#include <format>

#include "execution/opcode_table.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

Access accessOf(const Program& program, const Instruction& instruction, uint32_t first) {
    Access access;
    if (first >= instruction.operands.size()) return access;
    access.operands = instruction[first].word;
    uint32_t next = first + 1;
    const auto has = [&](spv::MemoryAccessMask bit) {
        return (access.operands & uint32_t(bit)) != 0 && next < instruction.operands.size();
    };
    if (has(spv::MemoryAccessMask::Aligned)) ++next;
    const auto scope = [&] {
        const uint32_t slot = instruction[next++].slot;
        return spv::Scope(slot != kNone ? program.constantAt(slot) : 0);
    };
    if (has(spv::MemoryAccessMask::MakePointerAvailable)) access.availableScope = scope();
    if (has(spv::MemoryAccessMask::MakePointerVisible)) access.visibleScope = scope();
    return access;
}

namespace {

bool isPhysical(spv::StorageClass storage) {
    return storage == spv::StorageClass::PhysicalStorageBuffer;
}

// The memory of a pointer, and the offset there.
const Range* rangeOf(Subgroup& s, const Pointer& pointer, uint64_t& offset) {
    if (!isPhysical(pointer.storage)) return rangeAt(pointer.base);
    const Range* range = s.lastBuffer;
    if (range == nullptr || offset < range->address || offset - range->address >= range->size) {
        range = s.group->resources->buffer(offset);
        s.lastBuffer = range;
    }
    if (range != nullptr) offset -= range->address;
    return range;
}

const char* storageName(spv::StorageClass storage) {
    return storage == spv::StorageClass::Workgroup      ? "the workgroup's memory"
           : storage == spv::StorageClass::PushConstant ? "the push constants"
           : isPhysical(storage)                        ? "the buffer at this address"
                                                        : "the descriptor";
}

void reportOutside(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                   uint64_t offset, uint64_t size, const Range* range) {
    const std::string place =
        range != nullptr ? std::format("byte {} of the {} bytes of {}", int64_t(offset),
                                       range->size, storageName(pointer.storage))
        : isPhysical(pointer.storage)
            ? std::format("address {}, where no buffer is", offset)
            : std::format("byte {} of a descriptor that is not there", int64_t(offset));
    const bool outside = (pointer.base & kOutside) != 0;
    s.report(kCheckBounds, i, lane,
             std::format("accesses {} bytes at {}{}", size, place,
                         outside ? "; an index is outside of its array" : ""));
}

}  // namespace

Span locate(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
            uint64_t offset, uint64_t size) {
    uint64_t at = pointer.offset + offset;
    const Range* range = rangeOf(s, pointer, at);
    if (range == nullptr || (pointer.base & kOutside) != 0 || at > range->size ||
        range->size - at < size) {
        reportOutside(s, i, lane, pointer, at, size, range);
        return {};
    }
    return {range->data + at, range->written != nullptr ? range->written + at : nullptr};
}

// After a read of `to`: false, with a report, if something there was never written.
static bool noteRead(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                     const Span& from, uint64_t offset, std::span<std::byte> to,
                     const Access& access) {
    if (Races* races = s.group->races)
        races->note(s, i, lane, pointer, from.data, to.size(), to.data(), access);
    if (from.written == nullptr || std::memchr(from.written, 0, to.size()) == nullptr) return true;
    s.report(kCheckUnwritten, i, lane,
             std::format("reads {} bytes that nothing wrote, at byte {} of {}", to.size(),
                         pointer.offset + offset, storageName(pointer.storage)));
    return false;
}

Element Numbers::read(Subgroup& s, uint32_t lane, uint64_t bit, uint32_t bits) const {
    const uint32_t size = (bits + 7) / 8;
    const Span from = locate(s, instruction, lane, pointer, bit / 8, size);
    if (from.data == nullptr) return {};
    uint64_t word = 0;
    if (uint32_t half = 0; size == sizeof(half)) {  // most numbers: without a call
        std::memcpy(&half, from.data, sizeof(half));
        word = half;
    } else {
        std::memcpy(&word, from.data, size);
    }
    const auto bytes = std::as_writable_bytes(std::span(&word, 1)).first(size);
    const bool written = noteRead(s, instruction, lane, pointer, from, bit / 8, bytes, access);
    return {word >> bit % 8 & lowBits(bits), written};
}

void Numbers::write(Subgroup& s, uint32_t lane, uint64_t bit, uint32_t bits,
                    const Element& number) const {
    if (!number.defined) s.report(kCheckUndefined, instruction, lane, "stores an undefined number");
    uint64_t word = number.bits;
    const uint32_t size = (bits + 7) / 8;
    const Span to = locate(s, instruction, lane, pointer, bit / 8, size);
    if (to.data == nullptr) return;
    if (bits < 8) {  // beside what the byte has
        const uint64_t mask = lowBits(bits) << bit % 8;
        word = (uint64_t(*to.data) & ~mask) | (word << bit % 8 & mask);
    }
    if (Races* races = s.group->races)
        races->note(s, instruction, lane, pointer, to.data, size, nullptr, access);
    if (size == sizeof(uint32_t))  // most writes: without a call
        std::memcpy(to.data, &word, sizeof(uint32_t));
    else
        std::memcpy(to.data, &word, size);
    if (!s.group->dispatch->watched.empty()) s.noteWrite(instruction, lane, to.data, size);
    if (to.written != nullptr) std::memset(to.written, 1, size);
}

namespace {

using namespace operations;

template <typename Word>
uint64_t exchangeWord(std::byte* data, const std::function<uint64_t(uint64_t)>& change) {
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(data));
    Word before = word.load();
    while (change && !word.compare_exchange_weak(before, Word(change(before)))) {
    }
    return before;
}

void synchronise(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& at) {
    if (s.group->races == nullptr) return;
    const Span span = locate(s, i, lane, at, 0, 1);
    const auto semantics = uint32_t(s.operand(i, 2).at(0, lane));
    if (span.data != nullptr) s.group->races->synchronise(s, lane, at, span.data, semantics);
}

// Atomic instructions (SPIR-V, 3.52.18). Scope and semantics matter to the check of races: here all
// are sequentially consistent.
//
// Operands: pointer, scope, semantics (of OpAtomicCompareExchange two), then the value if there is
// one, else it is 1, and what OpAtomicCompareExchange compares with. The bits of memory are a
// scalar, or the components of a vector.
template <auto kCombine>
Step atomic(Subgroup& s, const Instruction& i) {
    const bool compares = i.opcode == OpAtomicCompareExchange;
    const uint32_t operand = compares ? 4 : 3;
    const bool hasValue = i.operands.size() > operand;
    const Value pointer = s.operand(i, 0), value = s.operand(i, hasValue ? operand : 0);
    const Type& type = i.type != nullptr ? *i.type : *value.type;
    const Type& scalar = scalarOf(type);
    if (hasValue) s.require(i, value, 0, "an atomic operation stores an undefined value");
    const auto bitsAt = [&](uint64_t bits, uint32_t c) {
        return bits >> c * scalar.width & lowBits(scalar.width);
    };
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        synchronise(s, i, lane, at);
        const auto change = [&](uint64_t before) {
            if (compares && before != s.operand(i, 5).at(0, lane)) return before;
            uint64_t after = 0;
            for (uint32_t c = 0; c < type.components; ++c) {
                const uint64_t with = hasValue ? value.at(c, lane) : 1;
                after |= kCombine(*s.program, scalar, bitsAt(before, c), with) << c * scalar.width;
            }
            return after;
        };
        const auto size = uint32_t(sizeOf({&type}));
        const auto scope = spv::Scope(s.operand(i, 1).at(0, lane));
        using Change = std::function<uint64_t(uint64_t)>;
        const uint64_t bits =
            atomicMemory(s, i, lane, at, 0, size, scope,
                         i.opcode == OpAtomicLoad ? Change() : Change(std::cref(change)));
        if (i.result == kNone) return;
        const Value result = s.result(i);
        for (uint32_t c = 0; c < type.components; ++c) result.set(c, lane, {bitsAt(bits, c)});
    });
    return Step::kYield;
}

constexpr OpcodeRow kAtomicRows[] = {
    row(OpAtomicLoad, atomic<combineBits<first>>),
    row(OpAtomicStore, atomic<combineBits<second>>),
    row(OpAtomicExchange, atomic<combineBits<second>>),
    row(OpAtomicCompareExchange, atomic<combineBits<second>>),
    row(OpAtomicIIncrement, atomic<combineBits<add>>),
    row(OpAtomicIDecrement, atomic<combineBits<subtract>>),
    row(OpAtomicIAdd, atomic<combineBits<add>>),
    row(OpAtomicISub, atomic<combineBits<subtract>>),
    row(OpAtomicSMin, atomic<combineSigned<least>>),
    row(OpAtomicUMin, atomic<combineBits<least>>),
    row(OpAtomicSMax, atomic<combineSigned<most>>),
    row(OpAtomicUMax, atomic<combineBits<most>>),
    row(OpAtomicAnd, atomic<combineBits<bitAnd>>),
    row(OpAtomicOr, atomic<combineBits<bitOr>>),
    row(OpAtomicXor, atomic<combineBits<bitXor>>),
    row(OpAtomicFAddEXT, atomic<combineFloats<add>>),
    row(OpAtomicFMinEXT, atomic<combineFloats<leastFloat>>),
    row(OpAtomicFMaxEXT, atomic<combineFloats<mostFloat>>),
};

}  // namespace

uint64_t atomicMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                      uint64_t offset, uint32_t size, spv::Scope scope,
                      const std::function<uint64_t(uint64_t)>& change) {
    const Span at = locate(s, i, lane, pointer, offset, size);
    if (at.data == nullptr) return 0;
    if (reinterpret_cast<uintptr_t>(at.data) % size != 0) {
        s.report(kCheckBounds, i, lane, "an atomic operation at an address that is not aligned");
        return 0;
    }
    std::byte seen[sizeof(uint64_t)];
    if (Races* races = s.group->races)
        races->note(s, i, lane, pointer, at.data, size, change ? nullptr : seen, {.atomic = scope});
    if (at.written != nullptr) {
        if (i.opcode != OpAtomicStore && std::memchr(at.written, 0, size) != nullptr)
            s.report(kCheckUnwritten, i, lane, "an atomic operation on memory that nothing wrote");
        std::memset(at.written, 1, size);
    }
    if (change && !s.group->dispatch->watched.empty()) s.noteWrite(i, lane, at.data, size);
    if (size == 2) return exchangeWord<uint16_t>(at.data, change);
    if (size == 4) return exchangeWord<uint32_t>(at.data, change);
    return exchangeWord<uint64_t>(at.data, change);
}

Rows atomicRows() { return kAtomicRows; }

}  // namespace coopvk::reference
