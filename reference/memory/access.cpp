// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

struct AccessPlan final : Prepared {
    std::vector<Leaf> leaves;  // of a value in memory of bytes
    Access access;
};

// The layout of the value: by the pointer's pointee, or if that has another type, by the value's
// own.
AccessPlan planOf(const Program& program, uint32_t pointer, const Type* type) {
    AccessPlan plan;
    Pointee pointee = program.slots[pointer].pointee;
    if (pointee.type != type) pointee = {type};
    if (!holdsComponents(program.slots[pointer].type->storage)) plan.leaves = leavesOf(pointee);
    return plan;
}

// The bytes of memory that hold a leaf, little-endian as the device's memory.
struct LeafBytes {
    explicit LeafBytes(const Leaf& leaf) : span(bytes.data(), sizeOf({leaf.scalar})) {}
    std::array<std::byte, sizeof(uint64_t)> bytes = {};
    std::span<std::byte> span;
};

bool isPart(const Leaf& leaf) { return leaf.scalar->width < 8 && leaf.scalar->kind == Kind::kInt; }

// In memory of components: the first component of the pointee, or false with a report.
bool findComponents(Subgroup& s, const Instruction& i, const Value& pointer, uint32_t lane,
                    uint32_t count, uint64_t& first) {
    first = pointer.at(1, lane);
    const uint64_t size = s.program->privateComponents;
    if ((pointer.at(0, lane) & kOutside) == 0 && first <= size && size - first >= count)
        return true;
    s.report(kCheckBounds, i, lane, "an index is outside of its array in a variable");
    return false;
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

Value variableAt(Subgroup& s, uint64_t first, const Type* type) {
    return {s.privateData.data() + first * s.lanes, s.privateDefined.data() + first, type, s.lanes};
}

void loadComponents(Subgroup& s, const Instruction& i, const Value& pointer, const Value& to) {
    uint64_t first = 0;
    if (isUniform(s, pointer)) {
        if (findComponents(s, i, pointer, s.mask.first(), to.components(), first))
            copyValue(to, variableAt(s, first, to.type), s.mask);
        else
            for (uint32_t c = 0; c < to.components(); ++c)
                forLanes(s, [&](uint32_t lane) { to.at(c, lane) = 0; });
        return;
    }
    s.mask.forEach([&](uint32_t lane) {
        const bool found = findComponents(s, i, pointer, lane, to.components(), first);
        for (uint32_t c = 0; c < to.components(); ++c) {
            to.at(c, lane) = found ? s.privateData[(first + c) * s.lanes + lane] : 0;
            to.defined[c].assign(lane, found && s.privateDefined[first + c].test(lane));
        }
    });
}

void storeComponents(Subgroup& s, const Instruction& i, const Value& pointer, const Value& from) {
    uint64_t first = 0;
    if (isUniform(s, pointer)) {
        if (findComponents(s, i, pointer, s.mask.first(), from.components(), first))
            copyValue(variableAt(s, first, from.type), from, s.mask);
        return;
    }
    s.mask.forEach([&](uint32_t lane) {
        if (!findComponents(s, i, pointer, lane, from.components(), first)) return;
        for (uint32_t c = 0; c < from.components(); ++c) {
            s.privateData[(first + c) * s.lanes + lane] = from.at(c, lane);
            s.privateDefined[first + c].assign(lane, from.isDefined(c, lane));
        }
    });
}

void checkPointer(Subgroup& s, const Instruction& i, const Value& pointer) {
    if (!s.checks(kCheckUndefined)) return;
    const LaneMask undefined = s.mask & ~pointer.defined[pointer.components() - 1];
    if (undefined.any()) s.report(kCheckUndefined, i, undefined.first(), "an address is undefined");
}

void loadBytes(Subgroup& s, const Instruction& i, const Value& pointer, const Value& to,
               const AccessPlan& plan) {
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        for (uint32_t c = 0; c < plan.leaves.size(); ++c) {
            const Leaf& leaf = plan.leaves[c];
            LeafBytes raw(leaf);
            bool written = true;
            readMemory(s, i, lane, at, leaf.offset, raw.span, plan.access, written);
            const auto bits = std::bit_cast<uint64_t>(raw.bytes);
            to.at(c, lane) = leaf.scalar->kind == Kind::kBool ? bits != 0
                             : isPart(leaf) ? bits >> leaf.bit & widthMask(leaf.scalar->width)
                                            : bits;
            to.defined[c].assign(lane, written);
        }
    });
}

void checkStored(Subgroup& s, const Instruction& i, const Value& from) {
    if (!s.checks(kCheckUndefined)) return;
    for (uint32_t c = 0; c < from.components(); ++c) {
        const LaneMask undefined = s.mask & ~from.defined[c];
        if (undefined.none()) continue;
        s.report(kCheckUndefined, i, undefined.first(),
                 "stores an undefined value, component " + std::to_string(c));
        return;
    }
}

void storeBytes(Subgroup& s, const Instruction& i, const Value& pointer, const Value& from,
                const AccessPlan& plan) {
    checkStored(s, i, from);
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        for (uint32_t c = 0; c < plan.leaves.size(); ++c) {
            const Leaf& leaf = plan.leaves[c];
            LeafBytes raw(leaf);
            uint64_t bits = from.at(c, lane);
            if (isPart(leaf)) {  // beside what the byte has
                const Span old = locate(s, i, lane, at, leaf.offset, 1);
                const uint64_t mask = widthMask(leaf.scalar->width) << leaf.bit;
                if (old.data != nullptr)
                    bits = (static_cast<uint64_t>(*old.data) & ~mask) | (bits << leaf.bit & mask);
            }
            raw.bytes = std::bit_cast<decltype(raw.bytes)>(bits);
            writeMemory(s, i, lane, at, leaf.offset, raw.span, plan.access);
        }
    });
}

// Other subgroups may run between accesses to memory, if the schedule is not plain.
Step afterAccess(Subgroup& s) {
    if (s.group->settings->schedule == Choice::kPlain) return Step::kNext;
    return s.group->nextRandom() % 8 == 0 ? Step::kYield : Step::kNext;
}

void loadValue(Subgroup& s, const Instruction& i, const Value& pointer, const Value& to,
               const AccessPlan& plan) {
    checkPointer(s, i, pointer);
    if (holdsComponents(pointer.type->storage)) return loadComponents(s, i, pointer, to);
    loadBytes(s, i, pointer, to, plan);
}

void storeValue(Subgroup& s, const Instruction& i, const Value& pointer, const Value& from,
                const AccessPlan& plan) {
    checkPointer(s, i, pointer);
    if (holdsComponents(pointer.type->storage)) return storeComponents(s, i, pointer, from);
    storeBytes(s, i, pointer, from, plan);
}

Step load(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0);
    loadValue(s, i, pointer, s.result(i), static_cast<const AccessPlan&>(*i.prepared));
    return holdsComponents(pointer.type->storage) ? Step::kNext : afterAccess(s);
}

Step store(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0);
    storeValue(s, i, pointer, s.operand(i, 1), static_cast<const AccessPlan&>(*i.prepared));
    return holdsComponents(pointer.type->storage) ? Step::kNext : afterAccess(s);
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
    loadValue(s, i, s.operand(i, 1), staged, plan.source);
    storeValue(s, i, s.operand(i, 0), staged, plan.target);
    return afterAccess(s);
}

Status prepareCopy(const Program& program, Instruction& i) {
    auto plan = std::make_shared<CopyPlan>();
    const Type* target = program.slots[i[0].slot].pointee.type;
    const Type* source = program.slots[i[1].slot].pointee.type;
    plan->type = target != nullptr ? target : source;
    if (plan->type == nullptr)
        return Error{ErrorCode::kInvalidModule, "OpCopyMemory has no type to copy"};
    plan->target = planOf(program, i[0].slot, plan->type);
    plan->source = planOf(program, i[1].slot, plan->type);
    plan->target.access = plan->source.access = accessOf(program, i, 2);
    i.prepared = std::move(plan);
    return Done{};
}

Status prepareLoad(const Program& program, Instruction& i) {
    auto plan = std::make_shared<AccessPlan>(planOf(program, i[0].slot, i.type));
    plan->access = accessOf(program, i, 1);
    i.prepared = std::move(plan);
    return Done{};
}

Status prepareStore(const Program& program, Instruction& i) {
    auto plan =
        std::make_shared<AccessPlan>(planOf(program, i[0].slot, program.slots[i[1].slot].type));
    plan->access = accessOf(program, i, 2);
    i.prepared = std::move(plan);
    return Done{};
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpLoad, load, Defined::kHandler, prepareLoad),
    row(spv::Op::OpStore, store, Defined::kHandler, prepareStore),
    row(spv::Op::OpCopyMemory, copyMemory, Defined::kHandler, prepareCopy),
};

}  // namespace

Rows accessRows() { return kRows; }

void storeThrough(Subgroup& s, const Instruction& i, uint32_t pointer, const Value& value) {
    storeValue(s, i, s.operand(i, pointer), value, planOf(*s.program, i[pointer].slot, value.type));
}

}  // namespace coopvk::reference
