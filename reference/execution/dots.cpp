// SPDX-License-Identifier: Apache-2.0
//
// Integer dot products (SPV_KHR_integer_dot_product).
#include <algorithm>

#include "execution/families.hpp"
#include "execution/frame.hpp"

namespace coopvk::reference {

namespace {

// Component n of a vector of integers, or of four bytes packed in 32 bits.
int64_t componentAt(const Value& from, uint32_t n, uint32_t lane, bool isSigned) {
    const bool packed = from.type->isScalar();
    const uint32_t width = packed ? 8 : scalarOf(*from.type).width;
    const uint64_t bits = packed ? (from.at(0, lane) >> (n * 8)) & 0xFF : from.at(n, lane);
    return isSigned ? signExtend(bits, width) : static_cast<int64_t>(bits);
}

template <bool kFirstSigned, bool kSecondSigned, bool kAccumulate>
Step dot(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    const uint32_t width = result.type->width;
    const uint32_t count = a.type->isScalar() ? 4 : a.components();
    constexpr bool kSigned = kFirstSigned || kSecondSigned;
    forLanes(s, [&](uint32_t lane) {
        uint64_t sum = 0;
        for (uint32_t n = 0; n < count; ++n)
            sum += static_cast<uint64_t>(componentAt(a, n, lane, kFirstSigned)) *
                   static_cast<uint64_t>(componentAt(b, n, lane, kSecondSigned));
        if constexpr (kAccumulate) {
            const uint64_t accumulator = s.operand(i, 2).at(0, lane);
            if constexpr (kSigned) {
                const int64_t most = static_cast<int64_t>(widthMask(width - 1));
                sum = static_cast<uint64_t>(std::clamp(
                    static_cast<int64_t>(sum) + signExtend(accumulator, width), -most - 1, most));
            } else {
                sum = std::min(sum + accumulator, widthMask(width));
            }
        }
        result.at(0, lane) = sum & widthMask(width);
    });
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpSDot, dot<true, true, false>, Defined::kAll),
    row(spv::Op::OpUDot, dot<false, false, false>, Defined::kAll),
    row(spv::Op::OpSUDot, dot<true, false, false>, Defined::kAll),
    row(spv::Op::OpSDotAccSat, dot<true, true, true>, Defined::kAll),
    row(spv::Op::OpUDotAccSat, dot<false, false, true>, Defined::kAll),
    row(spv::Op::OpSUDotAccSat, dot<true, false, true>, Defined::kAll),
};

}  // namespace

Rows dotRows() { return kRows; }

}  // namespace coopvk::reference
