// SPDX-License-Identifier: Apache-2.0
//
// Access chains, and what else computes pointers.
#include <algorithm>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

using enum spv::Op;

enum Trait : uint8_t { kChain = 1, kElement = 2, kUntyped = 4 };

struct ChainRow {
    spv::Op opcode;
    uint8_t traits;  // kElement: the first index counts pointees; kUntyped: names the base type
};
constexpr ChainRow kChains[] = {
    {OpAccessChain, kChain},
    {OpInBoundsAccessChain, kChain},
    {OpPtrAccessChain, kChain | kElement},
    {OpInBoundsPtrAccessChain, kChain | kElement},
    {OpUntypedAccessChainKHR, kChain | kUntyped},
    {OpUntypedInBoundsAccessChainKHR, kChain | kUntyped},
    {OpUntypedPtrAccessChainKHR, kChain | kElement | kUntyped},
    {OpUntypedInBoundsPtrAccessChainKHR, kChain | kElement | kUntyped},
};

uint8_t traitsOf(spv::Op opcode) {
    const auto row = std::ranges::find(kChains, opcode, &ChainRow::opcode);
    return row != std::end(kChains) ? row->traits : 0;
}

// Adds the step from a composite to one of its elements to a plan.
class Planner {
 public:
    Planner(const Program& program, const Instruction& chain, bool components)
        : program_(program), chain_(chain), components_(components) {}

    Status step(uint32_t operand) {
        const Type& type = *plan.pointee.type;
        if (type.kind == Kind::kStruct) {
            const uint32_t index = uint32_t(program_.constantAt(chain_.operands[operand].slot));
            if (index >= type.members.size())
                return Error{ErrorCode::kInvalidModule, "an access chain names no member"};
            const Member& member = type.members[index];
            plan.offset += components_ ? member.component : member.offset;
            plan.pointee = pointeeOf(plan.pointee, index);
            return Done{};
        }
        if (type.element == nullptr)
            return Error{ErrorCode::kInvalidModule, "an access chain enters a scalar"};
        const bool halves = !components_ && type.kind == Kind::kVector && isHalfByte(*type.element);
        add({operand, components_ ? type.element->components : strideOf(plan.pointee), type.count,
             halves});
        plan.pointee = pointeeOf(plan.pointee, 0);
        return Done{};
    }

    void add(const ChainIndex& step) {
        const uint32_t slot = chain_.operands[step.operand].slot;
        if (!program_.slots[slot].constant) {
            plan.indices.push_back(step);
            return;
        }
        const auto index =
            uint64_t(signExtend(program_.constantAt(slot), program_.slots[slot].type->width));
        plan.outside |= step.limit != 0 && index >= step.limit;
        plan.offset += step.offset(index);
    }

    ChainPlan plan;

 private:
    const Program& program_;
    const Instruction& chain_;
    bool components_;
};

const Variable* descriptorsOf(const Program& program, uint32_t slot) {
    for (const Variable& variable : program.variables)
        if (variable.slot == slot && variable.descriptorArray) return &variable;
    return nullptr;
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
        return uint64_t(bytes / int64_t(stride)) & widthMask(i.type->width);
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
    const uint64_t mask = widthMask(i.type->width);
    return setLanes(s, i, [&](uint32_t lane) { return from.at(0, lane) & mask; });
}

constexpr OpcodeRow kRows[] = {
    row(OpAccessChain, accessChain),
    row(OpInBoundsAccessChain, accessChain),
    row(OpPtrAccessChain, accessChain),
    row(OpInBoundsPtrAccessChain, accessChain),
    row(OpUntypedAccessChainKHR, accessChain),
    row(OpUntypedInBoundsAccessChainKHR, accessChain),
    row(OpUntypedPtrAccessChainKHR, accessChain),
    row(OpUntypedInBoundsPtrAccessChainKHR, accessChain),
    row(OpRawAccessChainNV, rawAccessChain, Defined::kAll),
    row(OpPtrDiff, pointerDifference, Defined::kAll),
    row(OpPtrEqual, comparePointers<true>, Defined::kAll),
    row(OpPtrNotEqual, comparePointers<false>, Defined::kAll),
    row(OpConvertPtrToU, convertAddress, Defined::kAll),
    row(OpConvertUToPtr, convertAddress, Defined::kAll),
};

}  // namespace

bool isChain(spv::Op opcode) { return traitsOf(opcode) != 0; }

Result<ChainPlan> planChain(const Program& program, const Instruction& chain) {
    const uint8_t traits = traitsOf(chain.opcode);
    const uint32_t base = (traits & kUntyped) != 0 ? 1 : 0;
    const Slot& pointer = program.slots[chain.operands[base].slot];
    const bool components = holdsComponents(pointer.type->storage);
    Planner planner(program, chain, components);
    planner.plan.base = base;
    planner.plan.pointee = pointer.pointee;
    if ((traits & kUntyped) != 0) planner.plan.pointee = {program.type(chain.operands[0].word)};
    if (planner.plan.pointee.type == nullptr)
        return Error{ErrorCode::kInvalidModule, "an access chain's base has no pointee"};
    uint32_t next = base + 1;
    if ((traits & kElement) != 0) {
        const uint64_t stride = pointer.type->stride != 0 ? pointer.type->stride
                                : components              ? planner.plan.pointee.type->components
                                                          : sizeOf(planner.plan.pointee);
        planner.add({next++, stride});
    }
    const Variable* descriptors = descriptorsOf(program, chain.operands[base].slot);
    if (descriptors != nullptr && next < chain.operands.size()) {
        planner.plan.descriptors = descriptors;
        planner.plan.descriptorOperand = next++;
        planner.plan.pointee = pointeeOf(planner.plan.pointee, 0);
    }
    for (; next < chain.operands.size(); ++next) {
        Status added = planner.step(next);
        if (!added) return added.error();
    }
    return std::move(planner.plan);
}

Rows chainRows() { return kRows; }

}  // namespace coopvk::reference
