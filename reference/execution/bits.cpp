// SPDX-License-Identifier: Apache-2.0
//
// Shifts and fields of bits (SPIR-V, 3.52.14).
#include "execution/families.hpp"
#include "execution/map.hpp"

namespace coopvk::reference {

namespace {

// "Result is undefined if Shift is greater than or equal to the bit width": 0 here.
void checkShift(Subgroup& s, const Instruction& i) {
    if (!s.checks(kCheckDomain)) return;
    const Value base = s.operand(i, 0), shift = s.operand(i, 1);
    const uint32_t width = scalarOf(*base.type).width;
    for (uint32_t c = 0; c < shift.components(); ++c) {
        s.mask.forEach([&](uint32_t lane) {
            if (shift.at(c, lane) >= width) s.noteOutside(i, c, lane, "a shift by too many bits");
        });
    }
}

Step shiftLeft(Subgroup& s, const Instruction& i) {
    checkShift(s, i);
    return mapIntegers<2>(
        s, i, [](uint64_t a, uint64_t b, uint32_t width) { return b >= width ? 0 : a << b; });
}
Step shiftRight(Subgroup& s, const Instruction& i) {
    checkShift(s, i);
    return mapIntegers<2>(
        s, i, [](uint64_t a, uint64_t b, uint32_t width) { return b >= width ? 0 : a >> b; });
}
Step shiftArithmetic(Subgroup& s, const Instruction& i) {
    checkShift(s, i);
    return mapIntegers<2>(s, i, [](uint64_t a, uint64_t b, uint32_t width) {
        return b >= width ? 0 : signExtend(a, width) >> b;
    });
}

// A field that is not inside of the number is undefined.
void checkField(Subgroup& s, const Instruction& i, uint32_t first) {
    if (!s.checks(kCheckDomain)) return;
    const uint32_t width = scalarOf(*i.type).width;
    const Value offset = s.operand(i, first), count = s.operand(i, first + 1);
    s.mask.forEach([&](uint32_t lane) {
        const uint64_t from = offset.at(0, lane), bits = count.at(0, lane);
        if (from <= width && bits <= width && from + bits <= width) return;
        for (uint32_t c = 0; c < i.type->components; ++c)
            s.noteOutside(i, c, lane, "a field outside of the number");
    });
}

constexpr uint64_t shifted(uint64_t bits, uint64_t by) { return by >= 64 ? 0 : bits << by; }
constexpr uint64_t fieldMask(uint64_t count) {
    return widthMask(static_cast<uint32_t>(count > 64 ? 64 : count));
}

Step insertField(Subgroup& s, const Instruction& i) {
    checkField(s, i, 2);
    return mapIntegers<4>(
        s, i, [](uint64_t base, uint64_t insert, uint64_t offset, uint64_t count, uint32_t) {
            const uint64_t mask = shifted(fieldMask(count), offset);
            return (base & ~mask) | (shifted(insert, offset) & mask);
        });
}
template <bool kSigned>
Step extractField(Subgroup& s, const Instruction& i) {
    checkField(s, i, 1);
    return mapIntegers<3>(s, i, [](uint64_t base, uint64_t offset, uint64_t count, uint32_t) {
        if (count == 0 || offset >= 64) return uint64_t{0};
        const uint64_t bits = (base >> offset) & fieldMask(count);
        return kSigned && count < 64
                   ? static_cast<uint64_t>(signExtend(bits, static_cast<uint32_t>(count)))
                   : bits;
    });
}
Step reverse(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i, [](uint64_t bits, uint32_t width) {
        uint64_t reversed = 0;
        for (uint32_t b = 0; b < width; ++b) reversed |= ((bits >> b) & 1) << (width - 1 - b);
        return reversed;
    });
}
Step count(Subgroup& s, const Instruction& i) {
    return mapIntegers<1>(s, i, [](uint64_t bits, uint32_t) { return std::popcount(bits); });
}

constexpr auto kEach = Defined::kComponentwise;
constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpShiftLeftLogical, shiftLeft, kEach),
    row(spv::Op::OpShiftRightLogical, shiftRight, kEach),
    row(spv::Op::OpShiftRightArithmetic, shiftArithmetic, kEach),
    row(spv::Op::OpBitFieldInsert, insertField, kEach),
    row(spv::Op::OpBitFieldSExtract, extractField<true>, kEach),
    row(spv::Op::OpBitFieldUExtract, extractField<false>, kEach),
    row(spv::Op::OpBitReverse, reverse, kEach),
    row(spv::Op::OpBitCount, count, kEach),
};

}  // namespace

Rows bitRows() { return kRows; }

}  // namespace coopvk::reference
