// SPDX-License-Identifier: Apache-2.0
#include "symbols/atomics.hpp"

#include <cstring>

#include "execution/opcode_table.hpp"
#include "symbols/narrowing.hpp"

namespace coopvk::reference::symbols {
namespace {

struct AtomicRow {
    spv::Op opcode;
    uint32_t combined;  // the instruction that computes what is in memory then
    uint32_t group;     // operations that give one result in any order with each other
};
constexpr AtomicRow kAtomics[] = {
    {OpAtomicIIncrement, numberIn(OpIAdd), numberIn(OpIAdd)},
    {OpAtomicIDecrement, numberIn(OpISub), numberIn(OpIAdd)},
    {OpAtomicIAdd, numberIn(OpIAdd), numberIn(OpIAdd)},
    {OpAtomicISub, numberIn(OpISub), numberIn(OpIAdd)},
    {OpAtomicSMin, numberIn(GLSLstd450SMin), numberIn(GLSLstd450SMin)},
    {OpAtomicUMin, numberIn(GLSLstd450UMin), numberIn(GLSLstd450UMin)},
    {OpAtomicSMax, numberIn(GLSLstd450SMax), numberIn(GLSLstd450SMax)},
    {OpAtomicUMax, numberIn(GLSLstd450UMax), numberIn(GLSLstd450UMax)},
    {OpAtomicAnd, numberIn(OpBitwiseAnd), numberIn(OpBitwiseAnd)},
    {OpAtomicOr, numberIn(OpBitwiseOr), numberIn(OpBitwiseOr)},
    {OpAtomicXor, numberIn(OpBitwiseXor), numberIn(OpBitwiseXor)},
    {OpAtomicStore, numberIn(OpStore), numberIn(OpStore)},
};

}  // namespace

void Atomics::setBytes(Deviation* memory, uint32_t size, TermId whole) {
    for (uint32_t n = 0; n < size; ++n) {
        const TermId byte = all_.terms.part(whole, n * 8, 8);
        memory[n] = all_.terms.constantOf(byte) ? 0 : byte;
    }
}

// SPIR-V, 2.4: "Program order" is that of one invocation; between operations of two there is none.
bool Atomics::join(std::optional<Kind>& all, const Kind& one) {
    if (!all) {
        all = one;
        return true;
    }
    const bool isOfOne = all->invocation == one.invocation && one.invocation;
    const bool isSame = all->group == one.group && all->size == one.size &&
                        all->place == one.place && one.group != 0 && one.group != numberIn(OpStore);
    if (!isSame) all->group = 0;
    if (!isOfOne) all->invocation.reset();
    return isSame || isOfOne;
}

// Of the bits that the operation does not leave alone.
bool Atomics::note(const Subgroup& s, Deviation* memory, uint32_t size, uint32_t group,
                   TermId operand) {
    const auto& [x, y, z] = s.group->id;
    Pieces pieces = all_.terms.pieces(operand);
    size_t piece = 0;
    for (uint32_t bit = 0; bit < size * 8; ++bit) {
        const Piece one = piece < pieces.size() ? frontOf(pieces[piece], 1) : Piece{};
        if (piece < pieces.size() && pieces[piece].count == 0) ++piece;
        const auto leaves = [&](uint32_t of, uint32_t value) {
            return group == of && one.count == 1 && one.isConstant() && !one.isNegated &&
                   one.first == value;
        };
        if (leaves(numberIn(OpBitwiseAnd), 1) || leaves(numberIn(OpBitwiseOr), 0) ||
            leaves(numberIn(OpBitwiseXor), 0))
            continue;
        Kind kind{group, size, bit / 8, {}};
        if (operandOf_ == s.at) kind.invocation = {x, y, z, s.index, lane_};  // else not known
        if (!join(operations_[memory + bit / 8][bit % 8], kind)) return false;
    }
    return true;
}

TermId Atomics::apply(Subgroup& s, Deviation* memory, const std::byte* data, uint32_t size,
                      uint64_t before) {
    const AtomicRow* row = std::ranges::find(kAtomics, s.at->opcode, &AtomicRow::opcode);
    const auto stop = [&](std::string_view why) {
        all_.stop(s, s.mask.first(), why);
        return TermId{0};
    };
    if (row == std::end(kAtomics) || (size != 4 && size != 8))
        return stop("it accesses memory atomically, in any order");
    const bool isStore = row->opcode == OpAtomicStore;
    Terms& terms = all_.terms;
    const TermId operand = operandOf_ == s.at ? operand_ : terms.constant(1, size * 8);
    if (!note(s, memory, size, row->group, operand))
        return stop("it changes by atomic operations of two kinds, in any order");
    if (isStore) {
        if (terms[operand].width != size * 8) return stop("it stores more than one number");
        const TermId number = terms.rounded(operand);  // other invocations may read it
        all_.readers.note(number, s.program == all_.original ? kByOthers : kByItself);
        setBytes(memory, size, number);
        return 0;
    }
    Pieces pieces;
    for (uint32_t n = 0; n < size; ++n)
        terms.addPieces(memory[n] != 0 ? memory[n] : terms.constant(before >> n * 8 & 0xFF, 8), 0,
                        8, pieces);
    const TermId old = terms.joined(pieces);
    uint64_t after = 0;
    std::memcpy(&after, data, size);
    const Type& type = integerType(size * 8);
    const bool isConstant = terms.constantOf(old) && terms.constantOf(operand);
    TermId whole = isConstant ? terms.constant(after, size * 8)
                              : combinedBits(terms, row->combined, old, operand);
    if (whole == 0)
        whole = operated(terms, *s.program, row->combined, type, type, {old, operand}, after);
    setBytes(memory, size, whole);
    return s.at->result != kNone ? all_.anyNumber(*s.program, type, before, OpUndef) : 0;
}

}  // namespace coopvk::reference::symbols
