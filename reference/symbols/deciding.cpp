// SPDX-License-Identifier: Apache-2.0
#include "symbols/deciding.hpp"

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {

void Deciding::add(const Terms& terms, TermId id, uint32_t first, uint32_t count) {
    if (isTooLarge_ || terms.constantOf(id) || !seen_.insert({id, first, count}).second) return;
    isTooLarge_ = seen_.size() > kMostVisited;
    const TermKind kind = terms[id].kind;
    if (kind == TermKind::kByte) {
        bits_[id] |= uint8_t(numbers::lowBits(count) << first);
        uint32_t all = 0;
        for (const auto& [byte, bits] : bits_) all += uint32_t(std::popcount(bits));
        isTooLarge_ |= all > kMostBits || terms[id].width != 8;
        return;
    }
    if (kind == TermKind::kJoined) {
        Pieces pieces;
        terms.addPieces(id, first, count, pieces);
        for (const Piece& p : pieces)
            if (!p.isConstant()) add(terms, p.term, p.first, p.isFill ? 1 : p.count);
        return;
    }
    const uint32_t opcode = kind == TermKind::kApplied ? terms.functionOf(id).opcode : 0;
    const bool isBitwise = opcode == numberIn(OpBitwiseAnd) || opcode == numberIn(OpBitwiseOr) ||
                           opcode == numberIn(OpBitwiseXor);
    const bool isSum =
        opcode == numberIn(OpIAdd) || opcode == numberIn(OpISub) || opcode == numberIn(OpIMul);
    for (uint32_t n = 0; n < terms[id].count; ++n) {
        const TermId operand = terms.operand(id, n);
        const bool isSame = isBitwise || (kind == TermKind::kChosen && n > 0);
        if (isSame)
            add(terms, operand, first, count);
        else if (isSum)
            add(terms, operand, 0, first + count);
        else
            add(terms, operand);
    }
}

}  // namespace coopvk::reference::symbols
