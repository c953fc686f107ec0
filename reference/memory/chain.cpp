// SPDX-License-Identifier: Apache-2.0
//
// Access chains, and what else computes pointers.
#include <bit>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

struct ChainIndex {
    uint32_t operand = 0;
    uint64_t stride = 0;  // bytes; Function, Private, Input: components
    uint64_t limit = 0;   // elements; 0: not known
    bool halves = false;  // of bytes: the integers of 4 bits in a vector, see Pointer

    uint64_t offset(uint64_t index) const { return halves ? std::rotr(index, 1) : index * stride; }
};

// What a pointer and indices lead to.
struct ChainPlan final : Prepared {
    uint32_t base = 0;                      // the operand with the pointer
    uint64_t offset = 0;                    // of all constant indices
    bool outside = false;                   // a constant index is outside of its array
    std::vector<ChainIndex> indices;        // of those that are no constants
    const Variable* descriptors = nullptr;  // an array of descriptors: the first index selects one
    uint32_t descriptorOperand = kNone;
};

void addIndex(const Program& program, const Instruction& i, const ChainIndex& step,
              ChainPlan& plan) {
    const uint32_t slot = i[step.operand].slot;
    if (!program.slots[slot].constant) return plan.indices.push_back(step);
    const auto index =
        uint64_t(signExtend(program.constantAt(slot), program.slots[slot].type->width));
    plan.outside |= step.limit != 0 && index >= step.limit;
    plan.offset += step.offset(index);
}

// The step from a composite to one of its elements.
Status addStep(const Program& program, const Instruction& i, uint32_t operand, bool components,
               Pointee& pointee, ChainPlan& plan) {
    const Type& type = *pointee.type;
    uint32_t member = 0;
    if (type.kind == Kind::kStruct) {
        member = uint32_t(program.constantAt(i[operand].slot));
        if (member >= type.members.size())
            return Error{ErrorCode::kInvalidModule, "an access chain names no member"};
        plan.offset += components ? type.members[member].component : type.members[member].offset;
    } else {
        if (type.element == nullptr)
            return Error{ErrorCode::kInvalidModule, "an access chain enters a scalar"};
        const bool halves = !components && type.kind == Kind::kVector && isHalfByte(*type.element);
        const uint64_t stride = components ? type.element->components : strideOf(pointee);
        addIndex(program, i, {operand, stride, type.count, halves}, plan);
    }
    pointee = pointeeOf(pointee, member);
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
    auto plan = std::make_shared<ChainPlan>();
    plan->base = kUntyped ? 1 : 0;
    const Slot& pointer = program.slots[i[plan->base].slot];
    const bool components = holdsComponents(pointer.type->storage);
    Pointee& pointee = program.slots[i.result].pointee;
    pointee = kUntyped ? Pointee{program.type(i[0].word)} : pointer.pointee;
    if (pointee.type == nullptr)
        return Error{ErrorCode::kInvalidModule, "an access chain's base has no pointee"};
    uint32_t next = plan->base + 1;
    if (kElement) {
        const uint64_t stride = pointer.type->stride != 0 ? pointer.type->stride
                                : components              ? pointee.type->components
                                                          : sizeOf(pointee);
        addIndex(program, i, {next++, stride}, *plan);
    }
    const Variable* descriptors = descriptorsOf(program, i[plan->base].slot);
    if (descriptors != nullptr && next < i.operands.size()) {
        plan->descriptors = descriptors;
        plan->descriptorOperand = next++;
        pointee = pointeeOf(pointee, 0);
    }
    for (; next < i.operands.size(); ++next)
        if (Status added = addStep(program, i, next, components, pointee, *plan); !added)
            return added;
    i.prepared = std::move(plan);
    return Done{};
}

constexpr auto kUndefinedIndex = "an index is undefined";

void selectDescriptors(Subgroup& s, const Instruction& i, const ChainPlan& plan, Value result) {
    const Value index = s.operand(i, plan.descriptorOperand);
    s.require(i, index, 0, kUndefinedIndex);
    const uint64_t count = plan.descriptors->type->count;
    forLanes(s, [&](uint32_t lane) {
        const uint64_t element = index.at(0, lane);
        const Range* range =
            count != 0 && element >= count
                ? nullptr
                : s.group->resources->descriptor(plan.descriptors->set, plan.descriptors->binding,
                                                 uint32_t(element));
        result.at(0, lane) = reinterpret_cast<uint64_t>(range);
    });
}

Step accessChain(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const ChainPlan&>(*i.prepared);
    const Value base = s.operand(i, plan.base);
    const Value result = s.result(i);
    const uint32_t last = result.components() - 1;  // the offset or the address
    if (last == 1) {
        if (plan.descriptors != nullptr) {
            selectDescriptors(s, i, plan, result);
        } else {
            const uint64_t outside = plan.outside ? kOutside : 0;
            forLanes(s, [&](uint32_t lane) { result.at(0, lane) = base.at(0, lane) | outside; });
        }
    }
    LaneMask defined = base.defined[last];
    forLanes(s, [&](uint32_t lane) { result.at(last, lane) = base.at(last, lane) + plan.offset; });
    for (const ChainIndex& step : plan.indices) {
        const Value index = s.operand(i, step.operand);
        s.require(i, index, 0, kUndefinedIndex);
        defined &= index.defined[0];
        const uint32_t width = index.type->width;
        forLanes(s, [&](uint32_t lane) {
            const auto at = uint64_t(signExtend(index.at(0, lane), width));
            result.at(last, lane) += step.offset(at);
            if (step.limit != 0 && at >= step.limit && last == 1) result.at(0, lane) |= kOutside;
        });
    }
    for (uint32_t c = 0; c <= last; ++c) result.define(c, defined, s.mask);
    return Step::kNext;
}

// SPV_NV_raw_access_chains: base, byte stride, element index, byte offset.
Step rawAccessChain(Subgroup& s, const Instruction& i) {
    const Value base = s.operand(i, 0), result = s.result(i);
    const Value stride = s.operand(i, 1), index = s.operand(i, 2), offset = s.operand(i, 3);
    const uint32_t last = result.components() - 1;
    forLanes(s, [&](uint32_t lane) {
        if (last == 1) result.at(0, lane) = base.at(0, lane);
        result.at(last, lane) =
            base.at(last, lane) + offset.at(0, lane) + stride.at(0, lane) * index.at(0, lane);
    });
    return Step::kNext;
}

// In units of the pointee.
Step pointerDifference(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1);
    const Pointee& pointee = s.program->slots[i.operands[0].slot].pointee;
    const uint64_t stride = a.type->stride != 0       ? a.type->stride
                            : pointee.type == nullptr ? 1
                                                      : sizeOf(pointee);
    const uint32_t last = a.components() - 1;
    return setLanes(s, i, [&](uint32_t lane) {
        const auto bytes = int64_t(a.at(last, lane) - b.at(last, lane));
        return uint64_t(bytes / int64_t(stride)) & lowBits(i.type->width);
    });
}

template <bool kEqual>
Step comparePointers(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1);
    return setLanes(s, i, [&](uint32_t lane) {
        bool same = true;
        for (uint32_t c = 0; c < a.components(); ++c) same &= a.at(c, lane) == b.at(c, lane);
        return same == kEqual;
    });
}

// Conversions between addresses and integers: zero-extended or truncated.
Step convertAddress(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0);
    const uint64_t mask = lowBits(i.type->width);
    return setLanes(s, i, [&](uint32_t lane) { return from.at(0, lane) & mask; });
}

template <bool kElement, bool kUntyped>
constexpr OpcodeRow chain(spv::Op opcode) {
    return row(opcode, accessChain, Defined::kHandler, prepareChain<kElement, kUntyped>);
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
    row(OpRawAccessChainNV, rawAccessChain, Defined::kAll),
    row(OpPtrDiff, pointerDifference, Defined::kAll),
    row(OpPtrEqual, comparePointers<true>, Defined::kAll),
    row(OpPtrNotEqual, comparePointers<false>, Defined::kAll),
    row(OpConvertPtrToU, convertAddress, Defined::kAll),
    row(OpConvertUToPtr, convertAddress, Defined::kAll),
};

}  // namespace

Rows chainRows() { return kChainRows; }

}  // namespace coopvk::reference
