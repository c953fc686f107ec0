// SPDX-License-Identifier: Apache-2.0
#include "memory/pointer.hpp"

#include <algorithm>
#include <cstring>

#include "memory/races.hpp"

namespace coopvk::reference {

Pointer pointerAt(const Value& pointer, uint32_t lane) {
    if (pointer.components() == 1) return {pointer.type->storage, 0, pointer.at(0, lane)};
    return {pointer.type->storage, pointer.at(0, lane), pointer.at(1, lane)};
}

Access accessOf(const Program& program, const Instruction& instruction, uint32_t first) {
    Access access;
    if (first >= instruction.operands.size()) return access;
    access.operands = instruction[first].word;
    uint32_t next = first + 1;
    const auto has = [&](spv::MemoryAccessMask bit) {
        return (access.operands & static_cast<uint32_t>(bit)) != 0 &&
               next < instruction.operands.size();
    };
    if (has(spv::MemoryAccessMask::Aligned)) ++next;
    const auto scope = [&] {
        const uint32_t slot = instruction[next++].slot;
        return static_cast<spv::Scope>(slot != kNone ? program.constantAt(slot) : 0);
    };
    if (has(spv::MemoryAccessMask::MakePointerAvailable)) access.availableScope = scope();
    if (has(spv::MemoryAccessMask::MakePointerVisible)) access.visibleScope = scope();
    return access;
}

namespace {

// The memory of a pointer, and the offset there.
const Range* rangeOf(Subgroup& s, const Pointer& pointer, uint64_t& offset) {
    if (pointer.storage != spv::StorageClass::PhysicalStorageBuffer)
        return reinterpret_cast<const Range*>(pointer.base & ~kOutside);
    const Range* range = s.lastBuffer;
    if (range == nullptr || offset < range->address || offset - range->address >= range->size) {
        range = s.group->resources->buffer(offset);
        s.lastBuffer = range;
    }
    if (range != nullptr) offset -= range->address;
    return range;
}

const char* nameOf(spv::StorageClass storage) {
    switch (storage) {
        case spv::StorageClass::Workgroup:
            return "the workgroup's memory";
        case spv::StorageClass::PushConstant:
            return "the push constants";
        case spv::StorageClass::PhysicalStorageBuffer:
            return "the buffer at this address";
        default:
            return "the descriptor";
    }
}

void reportOutside(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                   uint64_t offset, uint64_t size, const Range* range) {
    std::string text = "accesses " + std::to_string(size) + " bytes at ";
    text += (pointer.storage == spv::StorageClass::PhysicalStorageBuffer && range == nullptr)
                ? "address " + std::to_string(offset) + ", where no buffer is"
                : "byte " + std::to_string(static_cast<int64_t>(offset));
    if (range != nullptr)
        text += " of the " + std::to_string(range->size) + " bytes of " + nameOf(pointer.storage);
    else if (pointer.storage != spv::StorageClass::PhysicalStorageBuffer)
        text += " of a descriptor that is not there";
    if ((pointer.base & kOutside) != 0) text += "; an index is outside of its array";
    s.report(kCheckBounds, i, lane, std::move(text));
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

void noteAccess(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                const std::byte* data, uint64_t size, std::byte* seen, const Access& access) {
    if (s.group->races != nullptr)
        s.group->races->note(s, i, lane, pointer, data, size, seen, access);
}

void readMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                uint64_t offset, std::span<std::byte> to, const Access& access, bool& written) {
    const Span from = locate(s, i, lane, pointer, offset, to.size());
    if (from.data == nullptr) {
        std::fill(to.begin(), to.end(), std::byte{0});
        return;
    }
    std::memcpy(to.data(), from.data, to.size());
    noteAccess(s, i, lane, pointer, from.data, to.size(), to.data(), access);
    if (from.written == nullptr || std::memchr(from.written, 0, to.size()) == nullptr) return;
    written = false;
    s.report(kCheckUnwritten, i, lane,
             "reads " + std::to_string(to.size()) + " bytes that nothing wrote, at byte " +
                 std::to_string(pointer.offset + offset) + " of " + nameOf(pointer.storage));
}

void writeMemory(Subgroup& s, const Instruction& i, uint32_t lane, const Pointer& pointer,
                 uint64_t offset, std::span<const std::byte> from, const Access& access) {
    const Span to = locate(s, i, lane, pointer, offset, from.size());
    if (to.data == nullptr) return;
    noteAccess(s, i, lane, pointer, to.data, from.size(), nullptr, access);
    std::memcpy(to.data, from.data(), from.size());
    if (to.written != nullptr) std::memset(to.written, 1, from.size());
}

}  // namespace coopvk::reference
