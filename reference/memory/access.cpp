// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "memory/families.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

struct AccessPlan final : Prepared {
    std::vector<Leaf> leaves;  // of a value in memory of bytes
    uint64_t size = 0;         // bytes from its first to its last
    Access access;
};

uint64_t sizeOfLeaf(const Leaf& leaf) { return sizeOf({leaf.scalar}); }

// The layout of the value: by the pointer's pointee, or if that has another type, by the value's
// own.
AccessPlan planOf(const Program& program, uint32_t pointer, const Type* type) {
    AccessPlan plan;
    Pointee pointee = program.slots[pointer].pointee;
    if (pointee.type != type) pointee = {type};
    if (holdsComponents(program.slots[pointer].type->storage)) return plan;
    plan.leaves = leavesOf(pointee);
    for (const Leaf& leaf : plan.leaves)
        plan.size = std::max(plan.size, leaf.offset + sizeOfLeaf(leaf));
    return plan;
}

uint64_t readLeaf(const std::byte* value, const Leaf& leaf) {
    uint64_t bits = 0;
    std::memcpy(&bits, value + leaf.offset,
                sizeOfLeaf(leaf));  // little-endian, as the device's memory
    if (leaf.scalar->kind == Kind::kBool) return bits != 0;
    return leaf.scalar->width < 8 ? bits >> leaf.bit & widthMask(leaf.scalar->width) : bits;
}

void writeLeaf(std::byte* value, const Leaf& leaf, uint64_t bits) {
    if (leaf.scalar->width < 8 && leaf.scalar->kind == Kind::kInt) {
        const uint64_t mask = widthMask(leaf.scalar->width) << leaf.bit;
        bits = (static_cast<uint64_t>(value[leaf.offset]) & ~mask) | (bits << leaf.bit & mask);
    }
    std::memcpy(value + leaf.offset, &bits, sizeOfLeaf(leaf));
}

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
               const AccessPlan& plan, const Access& access) {
    for (uint32_t c = 0; c < to.components(); ++c) to.defined[c] |= s.mask;
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        const Span from = locate(s, i, lane, at, 0, plan.size);
        for (uint32_t c = 0; c < plan.leaves.size(); ++c) {
            const Leaf& leaf = plan.leaves[c];
            const uint64_t size = sizeOfLeaf(leaf);
            uint64_t& bits = to.at(c, lane);
            bits = from.data != nullptr ? readLeaf(from.data, leaf) : 0;
            if (from.data == nullptr) continue;
            noteAccess(s, i, lane, at, from.data + leaf.offset, size, false, access);
            if (from.written == nullptr ||
                std::memchr(from.written + leaf.offset, 0, size) == nullptr)
                continue;
            to.defined[c].clear(lane);
            s.report(kCheckUnwritten, i, lane,
                     "reads memory that nothing wrote, at byte " +
                         std::to_string(at.offset + leaf.offset));
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
                const AccessPlan& plan, const Access& access) {
    checkStored(s, i, from);
    Access noted = access;
    s.mask.forEach([&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        const Span to = locate(s, i, lane, at, 0, plan.size);
        if (to.data == nullptr) return;
        for (uint32_t c = 0; c < plan.leaves.size(); ++c) {
            const Leaf& leaf = plan.leaves[c];
            const uint64_t size = sizeOfLeaf(leaf);
            noted.repeats = readLeaf(to.data, leaf) == from.at(c, lane);
            writeLeaf(to.data, leaf, from.at(c, lane));
            if (to.written != nullptr) std::memset(to.written + leaf.offset, 1, size);
            noteAccess(s, i, lane, at, to.data + leaf.offset, size, true, noted);
        }
    });
}

// Other subgroups may run between accesses to memory, if the schedule is not plain.
Step afterAccess(Subgroup& s) {
    if (s.group->settings->schedule == Choice::kPlain) return Step::kNext;
    return s.group->nextRandom() % 8 == 0 ? Step::kYield : Step::kNext;
}

Step load(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0);
    checkPointer(s, i, pointer);
    if (holdsComponents(pointer.type->storage)) {
        loadComponents(s, i, pointer, s.result(i));
        return Step::kNext;
    }
    const auto& plan = static_cast<const AccessPlan&>(*i.prepared);
    loadBytes(s, i, pointer, s.result(i), plan, plan.access);
    return afterAccess(s);
}

Step store(Subgroup& s, const Instruction& i) {
    const Value pointer = s.operand(i, 0);
    checkPointer(s, i, pointer);
    if (holdsComponents(pointer.type->storage)) {
        storeComponents(s, i, pointer, s.operand(i, 1));
        return Step::kNext;
    }
    const auto& plan = static_cast<const AccessPlan&>(*i.prepared);
    storeBytes(s, i, pointer, s.operand(i, 1), plan, plan.access);
    return afterAccess(s);
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
    const Value target = s.operand(i, 0), source = s.operand(i, 1);
    if (holdsComponents(source.type->storage))
        loadComponents(s, i, source, staged);
    else
        loadBytes(s, i, source, staged, plan.source, plan.source.access);
    if (holdsComponents(target.type->storage))
        storeComponents(s, i, target, staged);
    else
        storeBytes(s, i, target, staged, plan.target, plan.target.access);
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

}  // namespace coopvk::reference
