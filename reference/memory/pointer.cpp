// SPDX-License-Identifier: Apache-2.0
#include "memory/pointer.hpp"

#include <algorithm>
#include <cstring>
#include <format>

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

const char* nameOf(spv::StorageClass storage) {
    return storage == spv::StorageClass::Workgroup      ? "the workgroup's memory"
           : storage == spv::StorageClass::PushConstant ? "the push constants"
           : isPhysical(storage)                        ? "the buffer at this address"
                                                        : "the descriptor";
}

void reportOutside(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                   uint64_t offset, uint64_t size, const Range* range) {
    const std::string place =
        range != nullptr ? std::format("byte {} of the {} bytes of {}", int64_t(offset),
                                       range->size, nameOf(pointer.storage))
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
                         pointer.offset + offset, nameOf(pointer.storage)));
    return false;
}

void readMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                uint64_t offset, std::span<std::byte> to, const Access& access) {
    const Span from = locate(s, i, lane, pointer, offset, to.size());
    std::fill(to.begin(), to.end(), std::byte{0});
    if (from.data == nullptr) return;
    std::memcpy(to.data(), from.data, to.size());
    (void)noteRead(s, i, lane, pointer, from, offset, to, access);
}

void writeMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                 uint64_t offset, std::span<const std::byte> from, const Access& access) {
    const Span to = locate(s, i, lane, pointer, offset, from.size());
    if (to.data == nullptr) return;
    if (Races* races = s.group->races)
        races->note(s, i, lane, pointer, to.data, from.size(), nullptr, access);
    if (from.size() == sizeof(uint32_t))  // most writes: without a call
        std::memcpy(to.data, from.data(), sizeof(uint32_t));
    else
        std::memcpy(to.data, from.data(), from.size());
    if (!s.group->dispatch->watched.empty()) s.noteWrite(i, lane, to.data, from.size());
    if (to.written != nullptr) std::memset(to.written, 1, from.size());
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
    return {word >> bit % 8 & widthMask(bits), written};
}

void Numbers::write(Subgroup& s, uint32_t lane, uint64_t bit, uint32_t bits,
                    const Element& number) const {
    if (!number.defined) s.report(kCheckUndefined, instruction, lane, "stores an undefined number");
    uint64_t word = number.bits;
    if (bits < 8) {  // beside what the byte has
        const Span place = locate(s, instruction, lane, pointer, bit / 8, 1);
        const uint64_t old = place.data != nullptr ? uint64_t(*place.data) : 0;
        const uint64_t mask = widthMask(bits) << bit % 8;
        word = (old & ~mask) | (word << bit % 8 & mask);
    }
    const auto bytes = std::as_bytes(std::span(&word, 1)).first((bits + 7) / 8);
    writeMemory(s, instruction, lane, pointer, bit / 8, bytes, access);
}

}  // namespace coopvk::reference
