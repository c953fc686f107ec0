// SPDX-License-Identifier: Apache-2.0
//
// Copies from memory to memory, and the lengths of arrays in descriptors.
#include <vector>

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

// Operands: target, source, size in bytes, operands of the write, operands of the read.
Step copySized(Subgroup& s, const Instruction& i) {
    const Value target = s.operand(i, 0), source = s.operand(i, 1), size = s.operand(i, 2);
    const Access write = accessOf(*s.program, i, 3);
    std::vector<std::byte> bytes;
    s.mask.forEach([&](uint32_t lane) {
        bytes.resize(size.at(0, lane));
        bool written = true;
        readMemory(s, i, lane, pointerAt(source, lane), 0, bytes, write, written);
        writeMemory(s, i, lane, pointerAt(target, lane), 0, bytes, write);
    });
    return Step::kNext;
}

struct LengthPlan final : Prepared {
    uint64_t offset = 0, stride = 1;
};

// The whole elements from the array's start to the end of the descriptor.
Step arrayLength(Subgroup& s, const Instruction& i) {
    const auto& plan = static_cast<const LengthPlan&>(*i.prepared);
    const bool untyped = i.opcode == spv::Op::OpUntypedArrayLengthKHR;
    const Value pointer = s.operand(i, untyped ? 1 : 0), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        const Pointer at = pointerAt(pointer, lane);
        const auto* range = reinterpret_cast<const Range*>(at.base & ~kOutside);
        const uint64_t start = at.offset + plan.offset;
        const uint64_t bytes = range != nullptr && range->size > start ? range->size - start : 0;
        result.at(0, lane) = bytes / plan.stride & widthMask(result.type->width);
    });
    return Step::kNext;
}

// Operands: (the structure's type,) the pointer to the structure, the number of its member.
Status prepareLength(const Program& program, Instruction& i) {
    const bool untyped = i.opcode == spv::Op::OpUntypedArrayLengthKHR;
    const Type* type = program.slots[i[untyped ? 1 : 0].slot].pointee.type;
    if (untyped) type = program.typeOf.at(i[0].word);
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

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCopyMemorySized, copySized),
    row(spv::Op::OpArrayLength, arrayLength, Defined::kAlways, prepareLength),
    row(spv::Op::OpUntypedArrayLengthKHR, arrayLength, Defined::kAlways, prepareLength),
};

}  // namespace

Rows copyRows() { return kRows; }

}  // namespace coopvk::reference
