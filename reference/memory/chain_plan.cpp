// SPDX-License-Identifier: Apache-2.0
#include "memory/chain.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

enum Trait : uint8_t { kChain = 1, kElement = 2, kUntyped = 4 };

struct ChainRow {
    spv::Op opcode;
    uint8_t traits;  // kElement: the first index counts pointees; kUntyped: names the base type
};
constexpr ChainRow kChains[] = {
    {spv::Op::OpAccessChain, kChain},
    {spv::Op::OpInBoundsAccessChain, kChain},
    {spv::Op::OpPtrAccessChain, kChain | kElement},
    {spv::Op::OpInBoundsPtrAccessChain, kChain | kElement},
    {spv::Op::OpUntypedAccessChainKHR, kChain | kUntyped},
    {spv::Op::OpUntypedInBoundsAccessChainKHR, kChain | kUntyped},
    {spv::Op::OpUntypedPtrAccessChainKHR, kChain | kElement | kUntyped},
    {spv::Op::OpUntypedInBoundsPtrAccessChainKHR, kChain | kElement | kUntyped},
};

uint8_t traitsOf(spv::Op opcode) {
    for (const ChainRow& row : kChains)
        if (row.opcode == opcode) return row.traits;
    return 0;
}

// Adds the step from a composite to one of its elements to a plan.
class Planner {
 public:
    Planner(const Program& program, const Instruction& chain, bool components)
        : program_(program), chain_(chain), components_(components) {}

    Status step(uint32_t operand) {
        const Type& type = *plan.pointee.type;
        if (type.kind == Kind::kStruct) {
            const uint32_t index =
                static_cast<uint32_t>(program_.constantAt(chain_.operands[operand].slot));
            if (index >= type.members.size())
                return Error{ErrorCode::kInvalidModule, "an access chain names no member"};
            const Member& member = type.members[index];
            plan.offset += components_ ? member.component : member.offset;
            plan.pointee = pointeeOf(plan.pointee, index);
            return Done{};
        }
        if (type.element == nullptr)
            return Error{ErrorCode::kInvalidModule, "an access chain enters a scalar"};
        add(operand, components_ ? type.element->components : strideOf(plan.pointee), type.count);
        plan.pointee = pointeeOf(plan.pointee, 0);
        return Done{};
    }

    void add(uint32_t operand, uint64_t stride, uint64_t limit) {
        const Slot& slot = program_.slots[chain_.operands[operand].slot];
        if (!slot.constant) {
            plan.indices.push_back({operand, stride, limit});
            return;
        }
        const int64_t index =
            signExtend(program_.constantAt(chain_.operands[operand].slot), slot.type->width);
        plan.outside |= limit != 0 && static_cast<uint64_t>(index) >= limit;
        plan.offset += static_cast<uint64_t>(index) * stride;
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
    if ((traits & kUntyped) != 0) {
        const auto type = program.typeOf.find(chain.operands[0].word);
        if (type == program.typeOf.end())
            return Error{ErrorCode::kInvalidModule, "an access chain has no base type"};
        planner.plan.pointee = {type->second};
    }
    if (planner.plan.pointee.type == nullptr)
        return Error{ErrorCode::kInvalidModule, "an access chain's base has no pointee"};
    uint32_t next = base + 1;
    if ((traits & kElement) != 0) {
        const uint64_t stride = pointer.type->stride != 0 ? pointer.type->stride
                                : components              ? planner.plan.pointee.type->components
                                                          : sizeOf(planner.plan.pointee);
        planner.add(next++, stride, 0);
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

}  // namespace coopvk::reference
