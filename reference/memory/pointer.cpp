// SPDX-License-Identifier: Apache-2.0
#include "memory/pointer.hpp"

#include <cstring>

#include "execution/opcode_table.hpp"
#include "execution/shadow.hpp"

namespace coopvk::reference {

Access accessOf(const Program& program, const Instruction& instruction, uint32_t first) {
    Access access;
    if (first >= instruction.operands.size()) return access;
    const uint32_t mask = instruction[first].word;
    uint32_t next = first + 1;
    const auto has = [&](spv::MemoryAccessMask bit) { return (mask & uint32_t(bit)) != 0; };
    if (has(spv::MemoryAccessMask::Aligned)) access.alignment = instruction[next++].word;
    const auto scope = [&] {
        return reachOf(spv::Scope(program.constantAt(instruction[next++].slot)));
    };
    if (has(spv::MemoryAccessMask::MakePointerAvailable)) access.available = scope();
    if (has(spv::MemoryAccessMask::MakePointerVisible)) access.visible = scope();
    access.isNonPrivate = has(spv::MemoryAccessMask::NonPrivatePointer);
    return access;
}

uint32_t behindAccess(const Instruction& i, uint32_t first) {
    using Mask = spv::MemoryAccessMask;
    constexpr auto kWithOperand = uint32_t(Mask::Aligned) | uint32_t(Mask::MakePointerAvailable) |
                                  uint32_t(Mask::MakePointerVisible) |
                                  uint32_t(Mask::AliasScopeINTELMask) |
                                  uint32_t(Mask::NoAliasINTELMask);
    return first + 1 + uint32_t(std::popcount(i[first].word & kWithOperand));
}

Semantics semanticsOf(spv::Scope scope, uint32_t mask) {
    using enum spv::MemorySemanticsMask;
    const auto hasAny = [&](auto... bits) { return ((mask & uint32_t(bits)) | ...) != 0; };
    Semantics semantics{reachOf(scope)};
    if (semantics.reach != Reach::kInvocation) {
        semantics.releases = hasAny(Release, AcquireRelease, SequentiallyConsistent);
        semantics.acquires = hasAny(Acquire, AcquireRelease, SequentiallyConsistent);
    }
    semantics.available = hasAny(MakeAvailable);
    semantics.visible = hasAny(MakeVisible);
    semantics.kinds = {hasAny(WorkgroupMemory), hasAny(UniformMemory)};
    return semantics;
}

void usesDescriptor(Subgroup& s, uint32_t operand, uint32_t size) {
    const Slot& slot = s.program->slotAt(*s.at, operand);
    // Vulkan, "Shader Resource Interface": the pointer must be decorated. Proofs ask for that.
    const bool isPermitted =
        slot.nonUniform || (slot.ofNonUniform && s.group->settings->symbols == nullptr);
    if (slot.ofDescriptors && !isPermitted) s.uses({kEventDescriptor, operand, size});
}

void usesAddress(Subgroup& s, uint32_t operand, uint32_t size, uint32_t alignment) {
    s.uses({kEventAddress, operand, size});
    if (alignment != 0) s.uses({kEventAligned, operand, size, alignment});
    usesDescriptor(s, operand, size);
}

namespace {

// Of what a pointer into a heap of descriptors leads to, if that is no descriptor.
const Range* heapOf(Subgroup& s, const Pointer& pointer) {
    const Variable* variable = variableAt(pointer.base);
    if (variable == nullptr || variable->builtIn == kNone) return nullptr;
    return s.group->resources->heap(isHeapOfSamplers(*variable));
}

// The memory of a pointer, and the offset there.
const Range* rangeOf(Subgroup& s, const Pointer& pointer, uint64_t& offset) {
    if (pointer.storage == spv::StorageClass::UniformConstant) return heapOf(s, pointer);
    if (!isPhysical(pointer.storage)) return rangeAt(pointer.base);
    const Range* range = s.lastBuffer;
    if (range == nullptr || !range->hasAddress(offset)) {
        range = s.group->resources->buffer(offset);
        s.lastBuffer = range;
    }
    if (range != nullptr) offset -= range->address;
    return range;
}

void reportOutside(const Memory& memory, uint32_t lane, uint64_t offset, uint64_t size,
                   const Range* range) {
    if (range != nullptr && range->isNull) return;  // reads and writes of it are defined
    const auto& [storage, base, unused] = memory.pointer;
    const std::string place =
        range != nullptr ? std::format("byte {} of the {} bytes of {}", int64_t(offset),
                                       range->size, nameOf(kindOf(storage)))
        : isPhysical(storage)
            ? std::format("address {}, where no buffer is", offset)
            : std::format("byte {} of a descriptor that is not there", int64_t(offset));
    memory.s.report(kCheckBounds, lane,
                    std::format("accesses {} bytes at {}{}", size, place,
                                base & kOutside ? "; an index is outside of its array" : ""));
}

bool isWritten(const Span& span, uint64_t size) {
    return span.written == nullptr || std::memchr(span.written, 0, size) == nullptr;
}

// Bits may be ahead of the pointer: lines of a matrix, by a negative stride.
uint64_t byteOf(uint64_t bit) { return uint64_t(int64_t(bit) >> 3); }

}  // namespace

Span Memory::locate(uint32_t lane, uint64_t offset, uint64_t size, bool reports) const {
    uint64_t at = pointer.offset + offset;
    const Range* range = rangeOf(s, pointer, at);
    const bool isOutside = (pointer.base & kOutside) != 0;
    if (range == nullptr || isOutside || !isAmong(at, size, range->size)) {
        if (reports) reportOutside(*this, lane, at, size, range);
        return {};
    }
    return {range->data + at,
            range->written != nullptr ? range->written + at : nullptr,
            range->writers != nullptr ? range->writers + at : nullptr,
            range->readers != nullptr ? range->readers + at : nullptr,
            range->deviations != nullptr ? range->deviations + at : nullptr,
            range};
}

MemoryAccess Memory::accessTo(uint32_t lane, const Span& span, uint64_t size,
                              bool isDefined) const {
    return {.lane = lane,
            .subgroup = s.index,
            .word = s.at->word,
            .kind = kindOf(pointer.storage),
            .isDefined = isDefined,
            .data = span.data,
            .size = size,
            .offset = uint64_t(span.data - span.range->data),
            .range = *span.range,
            .how = access};
}

Element Memory::read(uint32_t lane, uint64_t bit, uint32_t bits) const {
    const uint32_t size = (bits + 7) / 8;
    const Span from = locate(lane, byteOf(bit), size);
    if (from.data == nullptr) return {};
    uint64_t word{};
    if (uint32_t half; size == sizeof(half)) {  // most numbers: without a call
        std::memcpy(&half, from.data, sizeof(half));
        word = half;
    } else {
        std::memcpy(&word, from.data, size);
    }
    const bool written = isWritten(from, size);
    const Event event = written ? kEventLoad : kEventUnwrittenLoad;
    if (s.observes(kEventLoad | event)) {
        const MemoryAccess made = accessTo(lane, from, size, written);
        auto* const seen = reinterpret_cast<std::byte*>(&word);
        s.tell<&Observer::load>(kEventLoad, made, seen);
        if (!written) s.tell<&Observer::load>(kEventUnwrittenLoad, made, seen);
    }
    if (from.readers != nullptr) std::fill_n(from.readers, size, s.at->word);
    const Deviation deviation = from.deviations != nullptr
                                    ? s.shadow->read(s, lane, from.deviations, word, bit % 8, bits)
                                    : 0;
    return {word >> bit % 8 & lowBits(bits), written, deviation};
}

void Memory::write(uint32_t lane, uint64_t bit, uint32_t bits, const Element& number) const {
    if (s.helpers.test(lane)) return;
    uint64_t word = number.bits;
    const uint32_t size = (bits + 7) / 8;
    const Span to = locate(lane, byteOf(bit), size);
    if (to.data == nullptr) return;
    if (size == 1) {  // beside what the byte has
        const uint64_t mask = lowBits(bits) << bit % 8;
        word = (uint64_t(*to.data) & ~mask) | (word << bit % 8 & mask);
    }
    if (s.observes(kEventStore | (number.defined ? kEventStore : kEventUndefinedStore))) {
        const MemoryAccess made = accessTo(lane, to, size, number.defined);
        s.tell<&Observer::store>(kEventStore, made);
        if (!number.defined) s.tell<&Observer::store>(kEventUndefinedStore, made);
    }
    if (size == sizeof(uint32_t))  // most writes: without a call
        std::memcpy(to.data, &word, sizeof(uint32_t));
    else
        std::memcpy(to.data, &word, size);
    if (to.written != nullptr) std::memset(to.written, kWritten, size);
    if (to.writers != nullptr) std::fill_n(to.writers, size, s.at->word);
    if (to.deviations != nullptr)
        s.shadow->write(s, lane, to.deviations, to.data, bit % 8, bits, number.deviation);
}

// The bits before, and whether it wrote.
template <typename Word>
static std::pair<uint64_t, bool> exchangeWord(std::byte* data, const Change& change) {
    std::atomic_ref<Word> word(*reinterpret_cast<Word*>(data));
    Word before = word.load();
    while (const std::optional<uint64_t> after = change(before))
        if (word.compare_exchange_weak(before, Word(*after))) return {before, true};
    return {before, false};
}

Element Memory::exchange(uint32_t lane, uint64_t offset, uint32_t size, const AtomicAccess& atomic,
                         const Change& change) const {
    if (s.helpers.test(lane)) return kUndefined;
    const Span at = locate(lane, offset, size);
    if (at.data == nullptr) return {};
    if (reinterpret_cast<uintptr_t>(at.data) % size != 0) {
        s.report(kCheckBounds, lane, "an atomic operation at an address that is not aligned");
        return {};
    }
    const bool written = !atomic.reads || isWritten(at, size);
    if (at.written != nullptr) std::memset(at.written, kWritten, size);
    const bool isObserved = s.observes(kEventAtomic);
    const auto lock = isObserved ? s.group->atomics->lock(at.data) : std::unique_lock<std::mutex>();
    auto [before, wrote] = size == 2   ? exchangeWord<uint16_t>(at.data, change)
                           : size == 4 ? exchangeWord<uint32_t>(at.data, change)
                                       : exchangeWord<uint64_t>(at.data, change);
    if (wrote && at.writers != nullptr) std::fill_n(at.writers, size, s.at->word);
    if (isObserved)
        s.tell<&Observer::atomic>(
            kEventAtomic, accessTo(lane, at, size, written),
            AtomicOperation{semanticsOf(atomic.scope, wrote ? atomic.semantics : atomic.unequal),
                            atomic.reads, wrote, atomic.isDefined,
                            reinterpret_cast<std::byte*>(&before)});
    Element result{before};
    if (at.deviations != nullptr)
        result.deviation = s.shadow->afterAtomic(at.deviations, at.data, size, atomic, before);
    return result;
}

namespace {

using namespace operations;

// Atomic instructions (SPIR-V, 3.52.18). Scope and semantics matter to the check of races: here all
// are sequentially consistent.
//
// Operands: pointer, scope, semantics (of OpAtomicCompareExchange two), then the value if there is
// one, else it is 1, and what OpAtomicCompareExchange compares with. The bits of memory are a
// scalar, or the components of a vector.
template <auto kCombine>
Step atomic(Subgroup& s, In pointer, In scope, In semantics) {
    const spv::Op opcode = s.at->opcode;
    const bool compares = opcode == OpAtomicCompareExchange;
    const uint32_t operand = compares ? 4 : 3;
    const bool hasValue = s.operands() > operand;
    const Value* const value = hasValue ? &s.operand(operand) : nullptr;
    const Type& type = s.at->type != nullptr ? s.type() : *value->type;
    const Type& scalar = scalarOf(type);
    const auto size = uint32_t(sizeOf({&type}));
    const auto bitsAt = [&](uint64_t bits, uint32_t c) {
        return bits >> c * scalar.width & lowBits(scalar.width);
    };
    usesAddress(s, 0, size);
    LaneMask defined = hasValue ? definedInAll(*value) : s.all;
    if (compares) defined &= s.operand(5).defined[0];
    const uint8_t object = s.program->slotAt(*s.at, 0).object;
    const bool isLoad = opcode == OpAtomicLoad;
    s.mask.forEach([&](uint32_t lane) {
        const Memory memory{s, pointerAt(s, pointer, lane), {.object = object}};
        AtomicAccess access{spv::Scope(scope.at(0, lane)), uint32_t(semantics.at(0, lane))};
        access.unequal = compares ? uint32_t(s.operand(3).at(0, lane)) : access.semantics;
        access.reads = opcode != OpAtomicStore;
        access.isDefined = defined.test(lane);
        const auto change = [&](uint64_t before) -> std::optional<uint64_t> {
            if (isLoad || (compares && before != s.operand(5).at(0, lane))) return std::nullopt;
            uint64_t after = 0;
            for (uint32_t c = 0; c < type.components; ++c) {
                const uint64_t with = hasValue ? value->at(c, lane) : 1;
                after |= kCombine(*s.program, scalar, bitsAt(before, c), with) << c * scalar.width;
            }
            return after;
        };
        if (s.shadow != nullptr && hasValue) s.shadow->noteOperand(s, scalar, *value, lane, access);
        const Element before = memory.exchange(lane, 0, size, access, std::cref(change));
        if (s.at->result == kNone) return;
        for (uint32_t c = 0; c < type.components; ++c)
            s.result().set(c, lane,
                           {.bits = bitsAt(before.bits, c), .deviation = before.deviation});
    });
    return Step::kYield;
}

constexpr OpcodeRow kAtomicRows[] = {
    row<atomic<combineBits<first>>>(OpAtomicLoad),
    row<atomic<combineBits<second>>>(OpAtomicStore),
    row<atomic<combineBits<second>>>(OpAtomicExchange),
    row<atomic<combineBits<second>>>(OpAtomicCompareExchange),
    row<atomic<combineBits<add>>>(OpAtomicIIncrement),
    row<atomic<combineBits<subtract>>>(OpAtomicIDecrement),
    row<atomic<combineBits<add>>>(OpAtomicIAdd),
    row<atomic<combineBits<subtract>>>(OpAtomicISub),
    row<atomic<combineSigned<least>>>(OpAtomicSMin),
    row<atomic<combineBits<least>>>(OpAtomicUMin),
    row<atomic<combineSigned<most>>>(OpAtomicSMax),
    row<atomic<combineBits<most>>>(OpAtomicUMax),
    row<atomic<combineBits<bitAnd>>>(OpAtomicAnd),
    row<atomic<combineBits<bitOr>>>(OpAtomicOr),
    row<atomic<combineBits<bitXor>>>(OpAtomicXor),
    row<atomic<combineFloats<add>>>(OpAtomicFAddEXT),
    row<atomic<combineFloats<leastFloat>>>(OpAtomicFMinEXT),
    row<atomic<combineFloats<mostFloat>>>(OpAtomicFMaxEXT),
};

}  // namespace

Rows atomicRows() { return kAtomicRows; }

}  // namespace coopvk::reference
