// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and copies (SPIR-V, 3.52.8), and the lengths of arrays in descriptors.
#include <algorithm>
#include <format>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

// How an instruction accesses a value in memory of bytes: where each component lies.
struct AccessPlan final : Prepared {
    struct Place {
        uint64_t bit = 0;  // from the pointer on
        uint32_t bits = 0;
        bool isBool = false;
    };
    std::vector<Place> places;
    Access access;
    bool half = false;  // an integer of 4 bits, in either half of its byte
};

// The layout of the value: by the pointer's pointee, or if that has another type, by the value's
// own. Memory operands from `operand` on; kNone: none.
AccessPlan planOf(const Program& program, const Instruction& i, uint32_t pointer, const Type* type,
                  uint32_t operand) {
    AccessPlan plan;
    plan.access = accessOf(program, i, operand);
    const Slot& slot = program.slots[i[pointer].slot];
    if (holdsComponents(slot.type->storage)) return plan;
    for (const Leaf& leaf : leavesOf(slot.pointee.type == type ? slot.pointee : Pointee{type})) {
        const bool half = isHalfByte(*leaf.scalar);
        plan.places.push_back({leaf.offset * 8 + leaf.bit,
                               half ? leaf.scalar->width : uint32_t(sizeOf({leaf.scalar}) * 8),
                               leaf.scalar->kind == Kind::kBool});
    }
    plan.half = isHalfByte(*type);
    return plan;
}

bool isUniform(const Subgroup& s, const Value& pointer) {
    const uint32_t first = s.mask.first();
    bool same = true;
    forLanes(s, [&](uint32_t lane) {
        same &= pointer.at(0, lane) == pointer.at(0, first) &&
                pointer.at(1, lane) == pointer.at(1, first);
    });
    return same;
}

// To or from memory of components.
template <bool kStores>
void moveComponents(Subgroup& s, const Instruction& i, const Value& pointer, const Value& value) {
    const uint64_t size = s.program->privateComponents;
    const auto move = [&](uint32_t first, LaneMask lanes) {
        const uint64_t at = pointer.at(1, first);
        const bool outside = (pointer.at(0, first) & kOutside) != 0;
        if (!outside && at <= size && size - at >= value.components()) {
            const Value there = s.variable(at, *value.type);
            return kStores ? copyValue(s, there, value, lanes) : copyValue(s, value, there, lanes);
        }
        s.report(kCheckBounds, i, first, "an index is outside of its array in a variable");
        for (uint32_t c = 0; c < value.components() && !kStores; ++c)
            lanes.forEach([&](uint32_t lane) { value.set(c, lane, {}); });
    };
    if (isUniform(s, pointer)) return move(s.mask.first(), s.mask);
    s.mask.forEach([&](uint32_t lane) { move(lane, LaneMask::one(lane)); });
}

void checkStored(Subgroup& s, const Instruction& i, const Value& from) {
    for (uint32_t c = 0; c < from.components(); ++c)
        if ((s.mask & ~from.defined[c]).any())
            return s.require(i, from, c,
                             std::format("stores an undefined value, component {}", c).c_str());
}

template <bool kStores>
void moveValue(Subgroup& s, const Instruction& i, const Value& pointer, const Value& value,
               const AccessPlan& plan) {
    s.require(i, pointer, pointer.components() - 1, "an address is undefined");
    if (holdsComponents(pointer.type->storage))
        return moveComponents<kStores>(s, i, pointer, value);
    if (kStores && s.checks(kCheckUndefined)) checkStored(s, i, value);
    s.mask.forEach([&](uint32_t lane) {
        Numbers memory{i, pointerAt(pointer, lane), plan.access};
        const bool upper = plan.half && (memory.pointer.offset & kUpperHalf) != 0;
        if (upper) memory.pointer.offset &= ~kUpperHalf;
        for (uint32_t c = 0; c < plan.places.size(); ++c) {
            const AccessPlan::Place& place = plan.places[c];
            const uint64_t bit = place.bit + (upper ? 4 : 0);
            if constexpr (kStores) {
                memory.write(s, lane, bit, place.bits, {value.at(c, lane)});
            } else {
                const auto [bits, defined] = memory.read(s, lane, bit, place.bits);
                value.set(c, lane, {place.isBool ? bits != 0 : bits, defined});
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
Step access(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0);
    moveValue<kStores>(s, i, pointer, kStores ? s.operand(i, 1) : s.result(i),
                       static_cast<const AccessPlan&>(*i.prepared));
    return holdsComponents(pointer.type->storage) ? Step::kNext : afterAccess(s);
}
template <bool kStores>
Status prepareAccess(Program& program, Instruction& i) {
    const Type* type = kStores ? program.slots[i[1].slot].type : i.type;
    i.prepared = std::make_shared<AccessPlan>(planOf(program, i, 0, type, kStores ? 2 : 1));
    return Done{};
}

// Operands: target, source, operands of the write (or of both), operands of the read.
struct CopyPlan final : Prepared {
    AccessPlan target, source;
    const Type* type = nullptr;
};

Step copyMemory(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const CopyPlan&>(*i.prepared);
    const uint32_t count = plan.type->components;
    s.staging.resize(std::max<size_t>(s.staging.size(), size_t{count} * s.lanes));
    s.stagingDefined.resize(std::max<size_t>(s.stagingDefined.size(), count));
    const Value staged{s.staging.data(), s.stagingDefined.data(), plan.type, s.lanes};
    moveValue<false>(s, i, s.operand(i, 1), staged, plan.source);
    moveValue<true>(s, i, s.operand(i, 0), staged, plan.target);
    return afterAccess(s);
}

Status prepareCopyMemory(Program& program, Instruction& i) {
    auto plan = std::make_shared<CopyPlan>();
    const Type* target = program.slots[i[0].slot].pointee.type;
    plan->type = target != nullptr ? target : program.slots[i[1].slot].pointee.type;
    if (plan->type == nullptr)
        return Error{ErrorCode::kInvalidModule, "OpCopyMemory has no type to copy"};
    plan->target = planOf(program, i, 0, plan->type, 2);
    plan->source = planOf(program, i, 1, plan->type, 2);
    i.prepared = std::move(plan);
    return Done{};
}

// Operands: target, source, size in bytes, operands of the write, operands of the read.
Step copySized(Subgroup& s, const Instruction& i) {
    const Value target = s.operand(i, 0), source = s.operand(i, 1), size = s.operand(i, 2);
    const Access access = accessOf(*s.program, i, 3);
    s.mask.forEach([&](uint32_t lane) {
        const Numbers from{i, pointerAt(source, lane), access},
            to{i, pointerAt(target, lane), access};
        for (uint64_t bit = 0; bit < size.at(0, lane) * 8; bit += 8)
            to.write(s, lane, bit, 8, {from.read(s, lane, bit, 8).bits});
    });
    return Step::kNext;
}

struct LengthPlan final : Prepared {
    uint64_t offset = 0, stride = 1;
};

// The whole elements from the array's start to the end of the descriptor.
Step arrayLength(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const LengthPlan&>(*i.prepared);
    const Value pointer = s.operand(i, i.opcode == OpUntypedArrayLengthKHR ? 1 : 0);
    return setLanes(s, i, [&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        const Range* range = rangeAt(at.base);
        const uint64_t start = at.offset + plan.offset;
        const uint64_t bytes = range != nullptr && range->size > start ? range->size - start : 0;
        return bytes / plan.stride & lowBits(i.type->width);
    });
}

// Operands: (the structure's type,) the pointer to the structure, the number of its member.
Status prepareLength(Program& program, Instruction& i) {
    const bool untyped = i.opcode == OpUntypedArrayLengthKHR;
    const Type* type = program.slots[i[untyped ? 1 : 0].slot].pointee.type;
    if (untyped) type = program.type(i[0].word);
    const uint32_t number = i[untyped ? 2 : 1].word;
    if (type == nullptr || number >= type->members.size())
        return Error{ErrorCode::kInvalidModule, "OpArrayLength names no member"};
    const Member& member = type->members[number];
    auto plan = std::make_shared<LengthPlan>();
    plan->offset = member.offset;
    plan->stride =
        std::max<uint64_t>(strideOf({member.type, member.matrixStride, member.rowMajor}), 1);
    i.prepared = std::move(plan);
    return Done{};
}

constexpr OpcodeRow kAccessRows[] = {
    row(OpLoad, access<false>, Defined::kHandler, prepareAccess<false>),
    row(OpStore, access<true>, Defined::kHandler, prepareAccess<true>),
    row(OpCopyMemory, copyMemory, Defined::kHandler, prepareCopyMemory),
    row(OpCopyMemorySized, copySized),
    row(OpArrayLength, arrayLength, Defined::kAlways, prepareLength),
    row(OpUntypedArrayLengthKHR, arrayLength, Defined::kAlways, prepareLength),
};

}  // namespace

Rows accessRows() { return kAccessRows; }

void storeThrough(Subgroup& s, const Instruction& i, uint32_t pointer, const Value& value) {
    moveValue<true>(s, i, s.operand(i, pointer), value,
                    planOf(*s.program, i, pointer, value.type, kNone));
}

}  // namespace coopvk::reference
