// SPDX-License-Identifier: Apache-2.0
//
// Instructions whose results have parts, or are of all components or lanes.
#include <cmath>

#include "execution/opcode_table.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

// A result that is equal where the instruction and all of its operands are. Details: what else it
// depends on.
TermId opaque(const Transferred& t, const Type& result, std::vector<uint32_t> details,
              std::span<const TermId> operands, std::vector<const Type*> types, uint64_t sample) {
    Function f{.program = t.s.program, .at = t.at, .opcode = t.at.row->opcode};
    f.at.type = &result;
    f.types = std::move(types);
    f.details = std::move(details);
    f.mayContract = isOfFloats(f) && t.at.mayContract;
    f.isLoose = result.kind == Kind::kFloat && t.at.isLoose;
    return t.terms().opaque(t.terms().function(std::move(f)), operands, sample);
}

// Numbers of components of operands, then rows of operands and of the result, then the component:
// as many components may have other rows and columns.
uint32_t rowsOf(const Type& type) { return type.element != nullptr ? type.element->components : 0; }

// Each component of the result, of all components of all operands.
void isWhole(const Transferred& t) {
    const Value& result = t.result();
    t.mask.forEach([&](uint32_t lane) {
        std::vector<TermId> operands;
        std::vector<const Type*> types;
        std::vector<uint32_t> details, rows;
        bool isConstant = true;
        for (uint32_t n = 0; n < t.at.operands.size(); ++n) {
            if (t.at[n].slot == kNone) continue;
            const Value& from = t.operand(n);
            details.push_back(from.components());
            rows.push_back(rowsOf(*from.type));
            for (uint32_t c = 0; c < from.components(); ++c) {
                operands.push_back(t.all.termOf(from, c, lane));
                types.push_back(&scalarOf(*from.type, c));
                isConstant &= t.all.deviationOf(from, c, lane) == 0;
            }
        }
        rows.push_back(rowsOf(*result.type));
        details.insert(details.end(), rows.begin(), rows.end());
        details.push_back(0);
        for (uint32_t c = 0; c < result.components(); ++c) {
            if (isConstant && !t.isOpen) return;
            details.back() = c;
            t.set(
                c, lane,
                opaque(t, scalarOf(*result.type, c), details, operands, types, result.at(c, lane)));
        }
    });
}

// GLSL 4.60, 8.3 (modf, frexp): "These all operate component-wise. The description is per
// component." So each component of both members is of that of the operand.
void splits(const Transferred& t) {
    const Value &from = t.operand(0), &result = t.result();
    const Type* const type = &scalarOf(*from.type);
    // FrexpStruct: of infinities and NaN, significand and exponent are "undefined". ModfStruct says
    // nothing of them.
    const auto isOpen = [&](uint32_t c, uint32_t lane) {
        return t.isOpen && !std::isfinite(numbers::decodeDouble(type->number, from.at(c, lane)));
    };
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            const uint32_t member = c / from.components(), of = c % from.components();
            if (from.deviationAt(of, lane) == 0 && !isOpen(of, lane)) return;
            const TermId operand = t.all.termOf(from, of, lane);
            t.set(c, lane,
                  opaque(t, scalarOf(*result.type, c), {member}, {&operand, 1}, {type},
                         result.at(c, lane)));
        });
}

// SPIR-V, the second member: OpIAddCarry, "the value 1 if the addition overflowed the component
// width"; OpISubBorrow, "0 if Operand 1 >= Operand 2, and gets 1 otherwise"; OpUMulExtended,
// OpSMulExtended, "the high-order bits of the multiplication".
enum class Parts { kCarry, kBorrow, kUnsignedProduct, kSignedProduct };

TermId secondOf(const Transferred& t, Parts parts, const Type& type, std::array<TermId, 2> of,
                TermId first, uint64_t sample) {
    Terms& terms = t.terms();
    if (parts == Parts::kCarry || parts == Parts::kBorrow) {
        const std::array<TermId, 2> compared =
            parts == Parts::kCarry ? std::array{first, of[0]} : of;
        const TermId is = operated(t.terms(), *t.s.program, numberIn(OpULessThan), boolType(), type,
                                   compared, sample);
        return terms.chosen(is, terms.constant(1, type.width), terms.constant(0, type.width));
    }
    if (type.width > 32) {
        const Type* const both[] = {&type, &type};
        return opaque(t, type, {1}, of, {both, both + 2}, sample);
    }
    const bool isSigned = parts == Parts::kSignedProduct;
    uint64_t product = 1;
    for (TermId& factor : of) {
        const auto from = numbers::integerOf(type.width, isSigned);
        const auto to = numbers::integerOf(64, isSigned);
        factor = terms.converted({*from, *to, numbers::conversionRule(false)}, factor, 0);
        product *= terms[factor].bits;
    }
    const TermId whole = operated(terms, *t.s.program, numberIn(OpIMul), integerType(64),
                                  integerType(64), of, product);
    return terms.part(whole, type.width, type.width);
}

template <Parts kParts, spv::Op kFirst>
void pairs(const Transferred& t) {
    const Type& type = scalarOf(*t.operand(0).type);
    const uint32_t count = t.operand(0).components();
    for (uint32_t c = 0; c < count; ++c)
        t.mask.forEach([&](uint32_t lane) {
            const std::array of = {t.term(0, c, lane), t.term(1, c, lane)};
            if (t.terms().constantOf(of[0]) && t.terms().constantOf(of[1])) return;
            const Value& result = t.result();
            const TermId first = operated(t.terms(), *t.s.program, numberIn(kFirst), type, type, of,
                                          result.at(c, lane));
            t.set(c, lane, first);
            t.set(count + c, lane,
                  secondOf(t, kParts, type, of, first, result.at(count + c, lane)));
        });
}

// Operations on integers that give one result in any order.
template <spv::Op kOpcode>
TermId inAnyOrder(const Transferred& t, const Type& type, std::vector<TermId> members) {
    constexpr bool isSum = kOpcode == OpIAdd || kOpcode == OpIMul || kOpcode == OpBitwiseXor;
    std::ranges::sort(members);
    if (!isSum) members.erase(std::unique(members.begin(), members.end()), members.end());
    TermId all = members[0];
    Terms& terms = t.terms();
    for (size_t n = 1; n < members.size(); ++n) {
        uint64_t sample = terms[all].bits;
        const uint64_t other = terms[members[n]].bits;
        if (kOpcode == OpIAdd) sample += other;
        if (kOpcode == OpIMul) sample *= other;
        if (kOpcode == OpBitwiseXor) sample ^= other;
        if (kOpcode == OpBitwiseAnd) sample &= other;
        if (kOpcode == OpBitwiseOr) sample |= other;
        all = operated(terms, *t.s.program, numberIn(kOpcode), type, type, {all, members[n]},
                       sample & numbers::lowBits(type.width));
    }
    return all;
}
template <bool kAll>
TermId agreed(Terms& terms, const std::vector<TermId>& members) {
    TermId whole = terms.constant(kAll, 1);
    for (const TermId one : members)
        whole = kAll ? terms.chosen(one, whole, terms.constant(0, 1))
                     : terms.chosen(one, terms.constant(1, 1), whole);
    return whole;
}
template <bool kAll>
TermId agreedOn(const Transferred& t, const Type&, std::vector<TermId> members) {
    return agreed<kAll>(t.terms(), members);
}

// In parts of the subgroup that depend on data: what a lane gets depends on its ballot, and on the
// values of all active lanes.
TermId ofPart(const Transferred& t, uint32_t c, uint32_t lane) {
    const Value &from = t.operand(2), &ballot = t.operand(3);
    const Type& type = scalarOf(*t.result().type, c);
    std::vector<uint32_t> details = {t.at[1].word, lane};
    std::vector<TermId> operands;
    std::vector<const Type*> types(ballot.components(), &integerType(32));
    for (uint32_t word = 0; word < ballot.components(); ++word) {
        details.push_back(uint32_t(t.mask.word(word)));
        operands.push_back(t.all.termOf(ballot, word, lane));
    }
    t.mask.forEach([&](uint32_t other) {
        if (!from.isDefined(c, other))
            t.all.stop(t.s, lane, "data choose whether the result is undefined");
        operands.push_back(t.all.termOf(from, c, other));
        types.push_back(&scalarOf(*from.type, c));
    });
    return opaque(t, type, std::move(details), operands, types, t.result().at(c, lane));
}
bool isPartData(const Transferred& t, uint32_t lane) {
    if (t.at.operands.size() < 4 || t.at[3].slot == kNone) return false;
    for (uint32_t c = 0; c < t.operand(3).components(); ++c)
        if (t.operand(3).deviationAt(c, lane) != 0) return true;
    return false;
}

// Of known numbers: in each order the result is the same.
bool isExactOf(const Transferred& t, std::span<const TermId> members, uint32_t c) {
    const Type& type = scalarOf(*t.result().type, c);
    if (type.kind != Kind::kFloat) return true;
    std::vector<double> of;
    for (const TermId member : members)
        of.push_back(numbers::decodeDouble(type.number, t.terms()[member].bits));
    switch (t.at.row->opcode) {
        case numberIn(OpGroupNonUniformFAdd):
            return isInAnyOrder(numberIn(OpFAdd), of, type.number);
        case numberIn(OpGroupNonUniformFMin):
            return isInAnyOrder(numberIn(GLSLstd450FMin), of, type.number);
        case numberIn(OpGroupNonUniformFMax):
            return isInAnyOrder(numberIn(GLSLstd450FMax), of, type.number);
        default:
            return false;
    }
}

// Reductions and scans: of the lanes that contribute.
template <typename Of>
void eachGroup(const Transferred& t, Of of) {
    const Value &result = t.result(), &from = t.operand(2);
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            if (isPartData(t, lane)) return t.set(c, lane, ofPart(t, c, lane));
            std::vector<TermId> members;
            bool isConstant = true;
            const LaneMask lanes = contributors(t.s, lane);
            lanes.forEach([&](uint32_t other) {
                members.push_back(t.all.termOf(from, c, other));
                isConstant &= from.deviationAt(c, other) == 0;
            });
            if (isConstant && (!t.isOpen || isExactOf(t, members, c))) return;
            const Type& type = scalarOf(*result.type, c);
            // Of one float a NaN is undefined, and 0 may have got the other sign.
            const bool isOne = members.size() == 1 && type.kind != Kind::kFloat;
            t.set(c, lane, isOne ? members[0] : of(type, members, lanes, result.at(c, lane)));
        });
}
template <auto kOf>
void combinesLanes(const Transferred& t) {
    eachGroup(t, [&](const Type& type, const std::vector<TermId>& members, LaneMask, uint64_t) {
        return kOf(t, type, members);
    });
}
// SPIR-V, OpGroupNonUniformFAdd: "The method used to perform the group operation ... is
// implementation defined". So its result is its own.
void combinesOpaquely(const Transferred& t) {
    eachGroup(t, [&](const Type& type, const std::vector<TermId>& members, LaneMask lanes,
                     uint64_t sample) {
        std::vector<uint32_t> details = {t.at[1].word};
        for (uint32_t word = 0; word < 4; ++word) details.push_back(uint32_t(lanes.word(word)));
        return opaque(t, type, std::move(details), members, {members.size(), &type}, sample);
    });
}

// The bools of all active lanes.
std::vector<TermId> votes(const Transferred& t, LaneMask lanes) {
    std::vector<TermId> members;
    lanes.forEach([&](uint32_t lane) { members.push_back(t.all.termOf(t.operand(1), 0, lane)); });
    return members;
}
template <bool kAll>
void agree(const Transferred& t) {
    const TermId all = agreed<kAll>(t.terms(), votes(t, t.mask));
    t.mask.forEach([&](uint32_t lane) { t.set(0, lane, all); });
}
// Whether two integers or bools are.
TermId isEqual(const Transferred& t, const Type& type, TermId a, TermId b) {
    Terms& terms = t.terms();
    if (a == b) return terms.constant(1, 1);
    const bool isSame = terms[a].bits == terms[b].bits;
    if (terms.constantOf(a) && terms.constantOf(b)) return terms.constant(isSame, 1);
    if (type.kind == Kind::kBool) {
        const TermId no = terms.constant(0, 1), yes = terms.constant(1, 1);
        return terms.chosen(std::min(a, b), std::max(a, b), terms.chosen(std::max(a, b), no, yes));
    }
    return operated(terms, *t.s.program, numberIn(OpIEqual), boolType(), type, {a, b}, isSame);
}
// Of floats: no text says whether a NaN equals itself, or a zero one of the other sign. So the
// result is its own.
void areEqualFloats(const Transferred& t) {
    const Value& of = t.operand(1);
    std::vector<TermId> members;
    for (uint32_t c = 0; c < of.components(); ++c)
        t.mask.forEach([&](uint32_t lane) { members.push_back(t.all.termOf(of, c, lane)); });
    std::vector<uint32_t> details = {t.at[0].word, of.components()};
    for (uint32_t word = 0; word < 4; ++word) details.push_back(uint32_t(t.mask.word(word)));
    std::vector<const Type*> types(members.size(), &scalarOf(*of.type));
    const TermId all = opaque(t, boolType(), std::move(details), members, std::move(types),
                              t.result().at(0, t.mask.first()));
    t.mask.forEach([&](uint32_t lane) { t.set(0, lane, all); });
}
// SPIR-V, OpGroupNonUniformAllEqual: "The result is true if Value is equal for all active
// invocations in the group". Of integers: where that of each lane is that of the next one.
void areEqual(const Transferred& t) {
    const Value& of = t.operand(1);
    const Type& type = scalarOf(*of.type);
    if (type.kind == Kind::kFloat) return areEqualFloats(t);
    std::vector<TermId> equal;
    for (uint32_t c = 0; c < of.components(); ++c) {
        TermId last = 0;
        t.mask.forEach([&](uint32_t lane) {
            const TermId one = t.all.termOf(of, c, lane), other = std::exchange(last, one);
            if (other != 0 && other != one) equal.push_back(isEqual(t, type, other, one));
        });
    }
    const TermId all = agreed<true>(t.terms(), equal);
    t.mask.forEach([&](uint32_t lane) { t.set(0, lane, all); });
}
void ballots(const Transferred& t) {
    for (uint32_t c = 0; c < t.result().components(); ++c) {
        Pieces pieces;
        for (uint32_t lane = c * 32; lane < c * 32 + 32; ++lane) {
            const TermId one = lane < t.s.lanes && t.mask.test(lane)
                                   ? t.all.termOf(t.operand(1), 0, lane)
                                   : t.terms().constant(0, 1);
            t.terms().addPieces(one, 0, 1, pieces);
        }
        const TermId word = t.terms().joined(pieces);
        t.mask.forEach([&](uint32_t lane) { t.set(c, lane, word); });
    }
}

// SPV_NV_shader_subgroup_partitioned, OpGroupNonUniformPartitionNV: "all invocations in each subset
// of the partition have the same value of value. For any two invocations in different subsets [...]
// their values of value must not be equal", but for floats.
void partitions(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    Terms& terms = t.terms();
    const TermId none = terms.constant(0, 1);
    const auto areEqual = [&](uint32_t lane, uint32_t other) {
        TermId all = terms.constant(1, 1);
        for (uint32_t c = from.components(); c-- > 0 && all != none;) {
            const TermId a = t.all.termOf(from, c, lane), b = t.all.termOf(from, c, other);
            all = terms.chosen(isEqual(t, scalarOf(*from.type, c), a, b), all, none);
        }
        return all;
    };
    for (uint32_t c = 0; c < from.components(); ++c)
        if (scalarOf(*from.type, c).kind == Kind::kFloat)
            return t.all.stop(t.s, t.mask.first(), "no proof knows which floats are the same");
    t.mask.forEach([&](uint32_t lane) {
        for (uint32_t word = 0; word < result.components(); ++word) {
            Pieces pieces;
            for (uint32_t other = word * 32; other < word * 32 + 32; ++other) {
                const bool isActive = other < t.s.lanes && t.mask.test(other);
                terms.addPieces(isActive ? areEqual(lane, other) : none, 0, 1, pieces);
            }
            t.set(word, lane, terms.joined(pieces));
        }
    });
}

constexpr uint32_t kValue = 1u << 2 | 1u << 3, kVote = 1u << 1;
constexpr TransferRow wholeRow(Transfer transfer, auto opcode, uint32_t data = ~uint32_t{0}) {
    const uint32_t number = numberIn(opcode);
    constexpr uint32_t kOpen[] = {
        numberIn(OpGroupNonUniformFAdd),        numberIn(OpGroupNonUniformFMul),
        numberIn(OpGroupNonUniformFMin),        numberIn(OpGroupNonUniformFMax),
        numberIn(OpGroupNonUniformAllEqual),    numberIn(OpSubgroupAllEqualKHR),
        numberIn(OpGroupNonUniformPartitionNV), numberIn(GLSLstd450FrexpStruct),
        numberIn(GLSLstd450ModfStruct)};
    const bool isOpen = transfer == isWhole || std::ranges::find(kOpen, number) != std::end(kOpen);
    return {number, transfer, data, isOpen};
}

constexpr TransferRow kWholeRows[] = {
    wholeRow(pairs<Parts::kCarry, OpIAdd>, OpIAddCarry),
    wholeRow(pairs<Parts::kBorrow, OpISub>, OpISubBorrow),
    wholeRow(pairs<Parts::kUnsignedProduct, OpIMul>, OpUMulExtended),
    wholeRow(pairs<Parts::kSignedProduct, OpIMul>, OpSMulExtended),

    wholeRow(isWhole, OpOuterProduct),
    wholeRow(isWhole, OpMatrixTimesVector),
    wholeRow(isWhole, OpVectorTimesMatrix),
    wholeRow(isWhole, OpMatrixTimesMatrix),
    wholeRow(isWhole, GLSLstd450Length),
    wholeRow(isWhole, GLSLstd450Distance),
    wholeRow(isWhole, GLSLstd450Cross),
    wholeRow(isWhole, GLSLstd450Normalize),
    wholeRow(isWhole, GLSLstd450FaceForward),
    wholeRow(isWhole, GLSLstd450Reflect),
    wholeRow(isWhole, GLSLstd450Refract),
    wholeRow(isWhole, GLSLstd450Determinant),
    wholeRow(isWhole, GLSLstd450MatrixInverse),
    // Of 127.5 and the like the rounding is open; quotients have errors.
    wholeRow(isWhole, GLSLstd450PackSnorm4x8),
    wholeRow(isWhole, GLSLstd450PackUnorm4x8),
    wholeRow(isWhole, GLSLstd450PackSnorm2x16),
    wholeRow(isWhole, GLSLstd450PackUnorm2x16),
    wholeRow(isWhole, GLSLstd450UnpackSnorm2x16),
    wholeRow(isWhole, GLSLstd450UnpackUnorm2x16),
    wholeRow(isWhole, GLSLstd450UnpackSnorm4x8),
    wholeRow(isWhole, GLSLstd450UnpackUnorm4x8),
    wholeRow(splits, GLSLstd450ModfStruct),
    wholeRow(splits, GLSLstd450FrexpStruct),

    wholeRow(combinesLanes<inAnyOrder<OpIAdd>>, OpGroupNonUniformIAdd, kValue),
    wholeRow(combinesLanes<inAnyOrder<OpIMul>>, OpGroupNonUniformIMul, kValue),
    wholeRow(combinesLanes<inAnyOrder<OpBitwiseAnd>>, OpGroupNonUniformBitwiseAnd, kValue),
    wholeRow(combinesLanes<inAnyOrder<OpBitwiseOr>>, OpGroupNonUniformBitwiseOr, kValue),
    wholeRow(combinesLanes<inAnyOrder<OpBitwiseXor>>, OpGroupNonUniformBitwiseXor, kValue),
    wholeRow(combinesLanes<agreedOn<true>>, OpGroupNonUniformLogicalAnd, kValue),
    wholeRow(combinesLanes<agreedOn<false>>, OpGroupNonUniformLogicalOr, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformFAdd, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformFMul, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformFMin, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformFMax, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformSMin, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformSMax, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformUMin, kValue),
    wholeRow(combinesOpaquely, OpGroupNonUniformUMax, kValue),

    wholeRow(agree<true>, OpGroupNonUniformAll, kVote),
    wholeRow(agree<false>, OpGroupNonUniformAny, kVote),
    wholeRow(agree<true>, OpSubgroupAllKHR, kVote),
    wholeRow(agree<false>, OpSubgroupAnyKHR, kVote),
    wholeRow(areEqual, OpGroupNonUniformAllEqual, kVote),
    wholeRow(areEqual, OpSubgroupAllEqualKHR, kVote),
    wholeRow(ballots, OpGroupNonUniformBallot, kVote),
    wholeRow(ballots, OpSubgroupBallotKHR, kVote),
    wholeRow(partitions, OpGroupNonUniformPartitionNV),
};

}  // namespace

const Type& boolType() {
    static const Type type{.kind = Kind::kBool, .width = 1, .components = 1};
    return type;
}
const Type& integerType(uint32_t bits) {
    static const auto types = [] {
        std::array<Type, 65> all;
        for (uint32_t width = 0; width < all.size(); ++width)
            all[width] = {.kind = Kind::kInt, .width = width, .components = 1};
        return all;
    }();
    return types[bits];
}

TermId operated(Terms& terms, const Program& program, uint32_t opcode, const Type& result,
                const Type& operand, std::array<TermId, 2> operands, uint64_t sample) {
    Instruction at;
    at.row =
        opcode < kGlslSet ? findRow(spv::Op(opcode)) : findRow("GLSL.std.450", opcode - kGlslSet);
    at.handler = at.row->handler;
    at.opcode = opcode < kGlslSet ? spv::Op(opcode) : OpExtInst;
    at.type = &result;
    at.operands = {{.isId = true, .slot = 0}, {.isId = true, .slot = 1}};
    Function f{.program = &program, .at = at, .opcode = opcode};
    f.types = {&operand, &operand};
    f.commutes = opcode != numberIn(OpISub) && opcode != numberIn(OpULessThan);
    return terms.applied(terms.function(std::move(f)), operands, sample);
}

TermId Computation::anyNumber(const Program& program, const Type& type, uint64_t sample,
                              spv::Op opcode) {
    Function f{.program = &program, .at = {}, .opcode = numberIn(opcode)};
    f.at.type = &type;
    f.types = {&integerType(64)};
    const TermId operand = terms.constant(numbers_++, 64);
    return terms.opaque(terms.function(std::move(f)), {&operand, 1}, sample);
}

std::span<const TransferRow> wholeTransfers() { return kWholeRows; }

}  // namespace coopvk::reference::symbols
