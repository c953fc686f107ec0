// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and copies (SPIR-V, 3.52.8), and the lengths of arrays in descriptors.
#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

// How an instruction accesses a value in memory of bytes: where each component lies.
struct AccessPlan {
    std::vector<Leaf> places;  // from the pointer on
    uint32_t size;             // of all of them, in bytes
    Access access;
    bool half;  // an integer of 4 bits, in either half of its byte
};

// The layout of the value: by the pointer's pointee, or if that has another type, by the value's
// own. Memory operands from `operand` on; kNone: none.
AccessPlan planOf(const Program& program, const Instruction& i, uint32_t pointer, const Type* type,
                  uint32_t operand) {
    AccessPlan plan{};
    plan.access = accessOf(program, i, operand);
    const Slot& slot = program.slotAt(i, pointer);
    plan.access.object = slot.object;
    if (holdsComponents(slot.type->storage)) return plan;
    plan.places = leavesOf(slot.pointee.type == type ? slot.pointee : Pointee{type});
    for (const Leaf& place : plan.places)
        plan.size = std::max(plan.size, uint32_t((place.bit + place.bits + 7) / 8));
    plan.half = isHalfByte(*type);
    return plan;
}

// To or from memory of components: all lanes with the same pointer at once.
template <bool kStores>
void moveComponents(Subgroup& s, const Value& pointer, const Value& value) {
    const auto move = [&](uint32_t first, LaneMask lanes) {
        const uint64_t at = pointer.at(1, first);
        const bool isOutside = (pointer.at(0, first) & kOutside) != 0;
        if (!isOutside && isAmong(at, value.components(), s.program->privateComponents)) {
            const Value there = s.variable(at, *value.type);
            return kStores ? copyValue(s, there, value, lanes) : copyValue(s, value, there, lanes);
        }
        s.report(kCheckBounds, first, "an index is outside of its array in a variable");
        if constexpr (kStores) return;
        for (uint32_t c = 0; c < value.components(); ++c)
            lanes.forEach([&](uint32_t lane) { value.set(c, lane, {}); });
    };
    for (LaneMask left = s.mask; left.any();) {
        const uint32_t first = left.first();
        const uint64_t base = pointer.at(0, first), offset = pointer.at(1, first);
        LaneMask same = left;
        left.forEach([&](uint32_t lane) {
            if (pointer.at(0, lane) != base || pointer.at(1, lane) != offset) same.clear(lane);
        });
        move(first, same);
        left &= ~same;
    }
}

// Through the pointer that is operand `address`.
template <bool kStores>
void moveValue(Subgroup& s, uint32_t address, const Value& value, const AccessPlan& plan) {
    const Value& pointer = s.operand(address);
    usesAddress(s, address, plan.size, plan.access.alignment);
    if (holdsComponents(pointer.type->storage)) return moveComponents<kStores>(s, pointer, value);
    s.mask.forEach([&](uint32_t lane) {
        Memory memory{s, pointerAt(s, pointer, lane), plan.access};
        const bool upper = plan.half && (memory.pointer.offset & kUpperHalf) != 0;
        if (upper) memory.pointer.offset &= ~kUpperHalf;
        for (uint32_t c = 0; c < plan.places.size(); ++c) {
            const auto [first, bits, isBool] = plan.places[c];
            const uint64_t bit = first + (upper ? 4 : 0);
            if constexpr (kStores) {
                memory.write(
                    lane, bit, bits,
                    {value.at(c, lane), value.isDefined(c, lane), value.deviationAt(c, lane)});
            } else {
                const auto [number, defined, deviation] = memory.read(lane, bit, bits);
                value.set(c, lane, {isBool ? number != 0 : number, defined, deviation});
            }
        }
    });
}

// Other subgroups may run between accesses to memory, if the schedule is not plain.
Step afterAccess(Subgroup& s) {
    if (s.group->settings->schedule == Choice::kPlain) return Step::kNext;
    return s.group->nextRandom() % 8 == 0 ? Step::kYield : Step::kNext;
}

// OpLoad, OpStore. Operands: pointer, the object of a store, memory operands.
template <bool kStores>
Step access(Subgroup& s, In pointer) {
    moveValue<kStores>(s, 0, kStores ? s.operand(1) : s.result(), s.plan<AccessPlan>());
    return holdsComponents(pointer.type->storage) ? Step::kNext : afterAccess(s);
}
template <bool kStores>
Status prepareAccess(Program& program, Instruction& i) {
    const Type* type = kStores ? program.slotAt(i, 1).type : i.type;
    if (!kStores && type->isImage()) {
        i.handler = Executed<loadDescriptor>::handle;
        return Done{};
    }
    return prepared(i, planOf(program, i, 0, type, kStores ? 2 : 1));
}

// Where a copy's memory operands of the read are, if those of the write are at `first`: behind
// them, or there, if both have the same.
uint32_t operandsOfRead(const Instruction& i, uint32_t first) {
    const auto count = uint32_t(i.operands.size());
    return first < count && behindAccess(i, first) < count ? behindAccess(i, first) : first;
}

// Operands: target, source, operands of the write (or of both), operands of the read.
struct CopyPlan {
    uint32_t slot;  // for what is copied
    AccessPlan target, source;
};

Step copyMemory(Subgroup& s) {
    const auto& plan = s.plan<CopyPlan>();
    const Value& copied = s.values[plan.slot];
    moveValue<false>(s, 1, copied, plan.source);
    moveValue<true>(s, 0, copied, plan.target);
    return afterAccess(s);
}

Status prepareCopyMemory(Program& program, Instruction& i) {
    // What the typed pointer points to: one of both may be untyped.
    const bool isTyped = !program.slotAt(i, 0).type->untyped;
    const Type* type = program.slotAt(i, isTyped ? 0 : 1).pointee.type;
    if (type == nullptr) return invalid("OpCopyMemory has no type to copy");
    if (type->components > kMostComponents) return Error{ErrorCode::kUnsupported, ""};
    const uint32_t slot = program.newSlot(0, *type);
    return prepared(i, CopyPlan{slot, planOf(program, i, 0, type, 2),
                                planOf(program, i, 1, type, operandsOfRead(i, 2))});
}

// Operands: target, source, size in bytes, operands of the write, operands of the read.
void copySized(Subgroup& s, In target, In source, In size) {
    const Access write = accessOf(*s.program, *s.at, 3);
    const Access read = accessOf(*s.program, *s.at, operandsOfRead(*s.at, 3));
    uint64_t most = 0;
    s.mask.forEach([&](uint32_t lane) { most = std::max(most, size.at(0, lane)); });
    s.uses({kEventIndex, 2});
    usesAddress(s, 1, uint32_t(most), read.alignment);
    usesAddress(s, 0, uint32_t(most), write.alignment);
    s.mask.forEach([&](uint32_t lane) {
        const Memory from{s, pointerAt(s, source, lane), read};
        const Memory to{s, pointerAt(s, target, lane), write};
        for (uint64_t bit = 0; bit < size.at(0, lane) * 8; bit += 8) {
            Element byte = from.read(lane, bit, 8);
            byte.defined = true;
            to.write(lane, bit, 8, byte);
        }
    });
}

struct LengthPlan {
    uint64_t offset, stride;
};

// The whole elements from the array's start to the end of the descriptor. The operands before the
// pointer: the structure's type, if the pointer has none.
template <uint32_t kPointer>
void arrayLength(Subgroup& s) {
    const auto& plan = s.plan<LengthPlan>();
    const Value& pointer = s.operand(kPointer);
    setLanes(s, [&](uint32_t lane) {
        const Pointer at = pointerAt(s, pointer, lane);
        const Range* range = rangeAt(at.base);
        const uint64_t size = range != nullptr ? range->size : 0;
        const uint64_t start = std::min(at.offset + plan.offset, size);
        return (size - start) / plan.stride & lowBits(s.type().width);
    });
}

// Behind the pointer: the number of the member.
template <uint32_t kPointer>
Status prepareLength(Program& program, Instruction& i) {
    const Type* type =
        kPointer == 1 ? program.type(i[0].word) : program.slotAt(i, kPointer).pointee.type;
    const uint32_t member = i[kPointer + 1].word;
    if (type == nullptr || member >= type->members.size())
        return invalid("OpArrayLength names no member");
    const uint64_t stride = strideOf(pointeeOf({type}, member));
    return prepared(i, LengthPlan{type->members[member].offset, std::max<uint64_t>(stride, 1)});
}

constexpr OpcodeRow kAccessRows[] = {
    row<access<false>>(OpLoad, Defined::kHandler, prepareAccess<false>),
    row<access<true>>(OpStore, Defined::kHandler, prepareAccess<true>),
    row<copyMemory>(OpCopyMemory, Defined::kHandler, prepareCopyMemory),
    row<copySized>(OpCopyMemorySized),
    row<arrayLength<0>>(OpArrayLength, Defined::kAlways, prepareLength<0>),
    row<arrayLength<1>>(OpUntypedArrayLengthKHR, Defined::kAlways, prepareLength<1>),
};

}  // namespace

Rows accessRows() { return kAccessRows; }

void storeThrough(Subgroup& s, uint32_t pointer, const Value& value) {
    moveValue<true>(s, pointer, value, planOf(*s.program, *s.at, pointer, value.type, kNone));
}

}  // namespace coopvk::reference
