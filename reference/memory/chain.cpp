// SPDX-License-Identifier: Apache-2.0
//
// Access chains, and what else computes pointers.
#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

struct ChainIndex {
    uint32_t operand;
    uint64_t stride;      // bytes; Function, Private, Input: components
    uint64_t limit = 0;   // elements; 0: not known
    bool halves = false;  // of bytes: the integers of 4 bits in a vector, see Pointer

    uint64_t offset(uint64_t index) const { return halves ? std::rotr(index, 1) : index * stride; }
};

// What a pointer and indices lead to.
struct ChainPlan {
    uint32_t base;                          // the operand with the pointer
    uint64_t offset = 0;                    // of all constant indices
    bool outside = false;                   // a constant index is outside of its array
    std::vector<ChainIndex> indices;        // of those that are no constants
    const Variable* descriptors = nullptr;  // an array of descriptors: the first index selects one
    uint32_t descriptorOperand = kNone;

    void add(const Program& program, const Instruction& i, const ChainIndex& step) {
        const Slot& slot = program.slotAt(i, step.operand);
        if (!slot.constant) return indices.push_back(step);
        const auto index =
            uint64_t(signExtend(program.constantAt(i, step.operand), slot.type->width));
        outside |= step.limit != 0 && index >= step.limit;
        offset += step.offset(index);
    }
};

// The step from a composite to one of its elements. `components`: in memory of components.
Status addStep(const Program& program, const Instruction& i, uint32_t operand, bool components,
               Pointee& pointee, ChainPlan& plan) {
    const Type& type = *pointee.type;
    uint32_t number = 0;
    if (type.kind == Kind::kStruct) {
        number = uint32_t(program.constantAt(i, operand));
        if (number >= type.members.size()) return invalid("an access chain names no member");
        const Member& member = type.members[number];
        plan.offset += components ? member.component : member.offset;
    } else if (type.element == nullptr) {
        return invalid("an access chain enters a scalar");
    } else {
        const bool halves = !components && type.kind == Kind::kVector && isHalfByte(*type.element);
        const uint64_t stride = components ? type.element->components : strideOf(pointee);
        plan.add(program, i, {operand, stride, type.count, halves});
    }
    pointee = pointeeOf(pointee, number);
    return Done{};
}

const Variable* descriptorsOf(const Program& program, uint32_t slot) {
    for (const Variable& variable : program.variables)
        if (variable.slot == slot && variable.descriptorArray) return &variable;
    return nullptr;
}

// kElement: the first index counts pointees; kUntyped: the first operand is the base's type.
template <bool kElement, bool kUntyped>
Status prepareChain(Program& program, Instruction& i) {
    ChainPlan plan{.base = kUntyped ? 1 : 0};
    const Slot& pointer = program.slotAt(i, plan.base);
    program.slots[i.result].object = pointer.object;
    program.slots[i.result].ofDescriptors = pointer.ofDescriptors;
    // glslang decorates the index alone, where an atomic operation follows.
    for (const Operand& operand : i.operands)
        program.slots[i.result].ofNonUniform |=
            operand.slot != kNone &&
            (program.slots[operand.slot].nonUniform || program.slots[operand.slot].ofNonUniform);
    const bool components = holdsComponents(pointer.type->storage);
    Pointee& pointee = program.slots[i.result].pointee;
    pointee = pointer.pointee;
    if (kUntyped)
        pointee = {program.type(i[0].word), 0, false, pointee.isNonWritable, pointee.isNonReadable};
    if (pointee.type == nullptr) return invalid("an access chain's base has no pointee");
    uint32_t next = plan.base + 1;
    if (kElement) {
        const uint64_t stride = pointer.type->stride != 0 ? pointer.type->stride : sizeOf(pointee);
        plan.add(program, i, {next++, stride});
    }
    const bool more = next < i.operands.size();
    if (more) plan.descriptors = descriptorsOf(program, i[plan.base].slot);
    if (plan.descriptors != nullptr) {
        plan.descriptorOperand = next++;
        pointee = pointeeOf(pointee, 0);
    }
    for (; next < i.operands.size(); ++next)
        if (Status added = addStep(program, i, next, components, pointee, plan); !added)
            return added;
    return prepared(i, std::move(plan));
}

void selectDescriptors(Subgroup& s, const ChainPlan& plan, const Value& result) {
    const Value& index = s.operand(plan.descriptorOperand);
    s.uses({kEventIndex, plan.descriptorOperand});
    const Variable& all = *plan.descriptors;
    forLanes(s, [&](uint32_t lane) {
        const uint64_t element = index.at(0, lane);
        const bool has = element < (all.type->count != 0 ? all.type->count : uint64_t{1} << 32);
        const Range* range =
            has ? s.group->resources->descriptor(all.set, all.binding, uint32_t(element)) : nullptr;
        result.at(0, lane) = reinterpret_cast<uint64_t>(range);
    });
}

void accessChain(Subgroup& s, Out result) {
    const auto& plan = s.plan<ChainPlan>();
    const Value& base = s.operand(plan.base);
    const uint32_t last = result.components() - 1;  // the offset or the address
    const uint64_t outside = plan.outside ? kOutside : 0;
    if (plan.descriptors != nullptr)
        selectDescriptors(s, plan, result);
    else if (last == 1)
        forLanes(s, [&](uint32_t lane) { result.at(0, lane) = base.at(0, lane) | outside; });
    LaneMask strays;  // of a physical pointer
    if (last == 0) strays = plan.outside ? s.mask : s.straysOf(base);
    LaneMask defined = base.defined[last];
    forLanes(s, [&](uint32_t lane) { result.at(last, lane) = base.at(last, lane) + plan.offset; });
    for (const ChainIndex& step : plan.indices) {
        const Value& index = s.operand(step.operand);
        s.uses({kEventIndex, step.operand});
        defined &= index.defined[0];
        const uint32_t width = index.type->width;
        forLanes(s, [&](uint32_t lane) {
            const auto at = uint64_t(signExtend(index.at(0, lane), width));
            result.at(last, lane) += step.offset(at);
            if (step.limit == 0 || at < step.limit) return;
            if (last == 1)
                result.at(0, lane) |= kOutside;
            else
                strays.set(lane);
        });
    }
    for (uint32_t c = result.components(); c-- > 0;) result.define(c, defined, s.mask);
    if (last == 0) s.setStrays(result, strays, s.mask);
}

// The last component is the offset; an address is nothing else.
void point(Out result, uint32_t lane, uint64_t base, uint64_t offset) {
    result.at(0, lane) = base;
    result.at(result.components() - 1, lane) = offset;
}

// SPV_NV_raw_access_chains: base, byte stride, element index, byte offset.
void rawAccessChain(Subgroup& s, Out result, In base, In stride, In index, In offset) {
    const uint32_t last = result.components() - 1;
    forLanes(s, [&](uint32_t lane) {
        point(result, lane, base.at(0, lane),
              base.at(last, lane) + offset.at(0, lane) + stride.at(0, lane) * index.at(0, lane));
    });
}

// SPV_EXT_descriptor_heap: to the buffer whose descriptor is where the operand points.
void bufferPointer(Subgroup& s, Out result, In descriptor) {
    s.uses({kEventIndex, 0});
    const bool isUniform = result.type->storage == spv::StorageClass::Uniform;
    const ResourceKind kind = isUniform ? ResourceKind::kUniformBuffer : ResourceKind::kBuffer;
    forLanes(s, [&](uint32_t lane) {
        const Range* range = s.group->resources->inHeap(descriptor.at(1, lane), kind);
        const uint64_t outside = descriptor.at(0, lane) & kOutside;
        point(result, lane, reinterpret_cast<uint64_t>(range) | outside, 0);
    });
}

// In units of the pointee; of untyped pointers in bytes.
void pointerDifference(Subgroup& s, In a, In b) {
    const Pointee& pointee = s.program->slotAt(*s.at, 0).pointee;
    const bool inBytes = a.type->untyped || pointee.type == nullptr;
    const uint64_t stride = inBytes ? 1 : a.type->stride != 0 ? a.type->stride : sizeOf(pointee);
    const uint32_t last = a.components() - 1;
    setLanes(s, [&](uint32_t lane) {
        const auto bytes = int64_t(a.at(last, lane) - b.at(last, lane));
        return uint64_t(bytes / int64_t(stride)) & lowBits(s.type().width);
    });
}

template <bool kEqual>
void comparePointers(Subgroup& s, In a, In b) {
    setLanes(s, [&](uint32_t lane) {
        bool same = true;
        for (uint32_t c = 0; c < a.components(); ++c) same &= a.at(c, lane) == b.at(c, lane);
        return same == kEqual;
    });
}

// Zero-extended or truncated.
constexpr auto address = [](uint64_t bits) { return bits; };

template <bool kElement, bool kUntyped>
constexpr OpcodeRow chain(spv::Op opcode) {
    return row<accessChain>(opcode, Defined::kHandler, prepareChain<kElement, kUntyped>);
}
constexpr OpcodeRow kChainRows[] = {
    chain<false, false>(OpAccessChain),
    chain<false, false>(OpInBoundsAccessChain),
    chain<true, false>(OpPtrAccessChain),
    chain<true, false>(OpInBoundsPtrAccessChain),
    chain<false, true>(OpUntypedAccessChainKHR),
    chain<false, true>(OpUntypedInBoundsAccessChainKHR),
    chain<true, true>(OpUntypedPtrAccessChainKHR),
    chain<true, true>(OpUntypedInBoundsPtrAccessChainKHR),
    row<rawAccessChain>(OpRawAccessChainNV, Defined::kAll),
    row<bufferPointer>(OpBufferPointerEXT, Defined::kAll),
    row<pointerDifference>(OpPtrDiff, Defined::kAll),
    row<comparePointers<true>>(OpPtrEqual, Defined::kAll),
    row<comparePointers<false>>(OpPtrNotEqual, Defined::kAll),
    each<onUnsigned<address>>(OpConvertPtrToU),
    each<onUnsigned<address>>(OpConvertUToPtr),
};

}  // namespace

Rows chainRows() { return kChainRows; }

}  // namespace coopvk::reference
