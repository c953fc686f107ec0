// SPDX-License-Identifier: Apache-2.0
//
// Access chains, and what else computes pointers.
#include "memory/chain.hpp"

#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {

namespace {

void checkAddress(Subgroup& s, const Instruction& i, const Value& index) {
    if (!s.checks(kCheckUndefined)) return;
    const LaneMask undefined = s.mask & ~index.defined[0];
    if (undefined.any()) s.report(kCheckUndefined, i, undefined.first(), "an index is undefined");
}

void selectDescriptors(Subgroup& s, const Instruction& i, const ChainPlan& plan, Value result) {
    const Value index = s.operand(i, plan.descriptorOperand);
    checkAddress(s, i, index);
    const uint64_t count = plan.descriptors->type->count;
    forLanes(s, [&](uint32_t lane) {
        const uint64_t element = index.at(0, lane);
        const Range* range =
            count != 0 && element >= count
                ? nullptr
                : s.group->resources->descriptor(plan.descriptors->set, plan.descriptors->binding,
                                                 static_cast<uint32_t>(element));
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
        checkAddress(s, i, index);
        defined &= index.defined[0];
        const uint32_t width = index.type->width;
        forLanes(s, [&](uint32_t lane) {
            const auto at = static_cast<uint64_t>(signExtend(index.at(0, lane), width));
            result.at(last, lane) += at * step.stride;
            if (step.limit != 0 && at >= step.limit && last == 1) result.at(0, lane) |= kOutside;
        });
    }
    for (uint32_t c = 0; c <= last; ++c)
        result.defined[c] = (result.defined[c] & ~s.mask) | (defined & s.mask);
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
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    const Pointee& pointee = s.program->slots[i.operands[0].slot].pointee;
    const uint64_t stride = a.type->stride != 0       ? a.type->stride
                            : pointee.type == nullptr ? 1
                                                      : sizeOf(pointee);
    const uint32_t last = a.components() - 1;
    forLanes(s, [&](uint32_t lane) {
        const auto bytes = static_cast<int64_t>(a.at(last, lane) - b.at(last, lane));
        result.at(0, lane) = static_cast<uint64_t>(bytes / static_cast<int64_t>(stride)) &
                             widthMask(result.type->width);
    });
    return Step::kNext;
}

template <bool kEqual>
Step comparePointers(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    forLanes(s, [&](uint32_t lane) {
        bool same = true;
        for (uint32_t c = 0; c < a.components(); ++c) same &= a.at(c, lane) == b.at(c, lane);
        result.at(0, lane) = same == kEqual;
    });
    return Step::kNext;
}

// Conversions between addresses and integers: zero-extended or truncated.
Step convertAddress(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    const uint64_t mask = widthMask(result.type->width);
    forLanes(s, [&](uint32_t lane) { result.at(0, lane) = from.at(0, lane) & mask; });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpAccessChain, accessChain),
    row(spv::Op::OpInBoundsAccessChain, accessChain),
    row(spv::Op::OpPtrAccessChain, accessChain),
    row(spv::Op::OpInBoundsPtrAccessChain, accessChain),
    row(spv::Op::OpUntypedAccessChainKHR, accessChain),
    row(spv::Op::OpUntypedInBoundsAccessChainKHR, accessChain),
    row(spv::Op::OpUntypedPtrAccessChainKHR, accessChain),
    row(spv::Op::OpUntypedInBoundsPtrAccessChainKHR, accessChain),
    row(spv::Op::OpRawAccessChainNV, rawAccessChain, Defined::kAll),
    row(spv::Op::OpPtrDiff, pointerDifference, Defined::kAll),
    row(spv::Op::OpPtrEqual, comparePointers<true>, Defined::kAll),
    row(spv::Op::OpPtrNotEqual, comparePointers<false>, Defined::kAll),
    row(spv::Op::OpConvertPtrToU, convertAddress, Defined::kAll),
    row(spv::Op::OpConvertUToPtr, convertAddress, Defined::kAll),
};

}  // namespace

Rows chainRows() { return kRows; }

}  // namespace coopvk::reference
