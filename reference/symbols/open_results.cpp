// SPDX-License-Identifier: Apache-2.0
//
// Results that devices choose. Of an instruction whose decorations or modes allow more than its own
// text does, the result is a term of its own: of what the instruction gives by its text, and of its
// operands. `Usual` is where the original's modes say nothing, and those of the rewritten module
// neither: then each device gives what it gives in the original. Of instructions whose precision is
// open, results of known operands are no constants.
#include <cmath>

#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr uint32_t kOtherModes = 1u << 27;  // of rounding or denormals
constexpr uint32_t kWraps = kNoSignedWrap | kNoUnsignedWrap;

bool areSame(const FloatControls& a, const FloatControls& b) {
    return a.rounding == b.rounding && a.flushDenorms == b.flushDenorms;
}

bool hasOtherModes(const Program& program, const Program& original, const Instruction& at) {
    bool is = false;
    forFloats(program, at, [&](const Type& type) {
        is |= !areSame(program.controls(type), original.controls(type));
    });
    constexpr uint32_t kHalves[] = {numberIn(GLSLstd450PackHalf2x16),
                                    numberIn(GLSLstd450UnpackHalf2x16)};
    return is || (isAmong(kHalves, at.row->opcode) &&
                  !areSame(program.controls(16), original.controls(16)));
}

// SPIR-V, 2.14: of 32 bits.
bool hasWord(const Program& program, const Instruction& at) {
    bool has = false;
    const std::function<void(const Type&)> add = [&](const Type& type) {
        has |= (type.kind == Kind::kInt || type.kind == Kind::kFloat) && type.width == 32;
        if (type.element != nullptr && type.kind != Kind::kPointer) add(*type.element);
    };
    if (at.type != nullptr) add(*at.type);
    for (const Operand& operand : at.operands)
        if (operand.slot != kNone) add(*program.slots[operand.slot].type);
    return has;
}

bool isFinite(const Type& type, uint64_t bits, bool zerosCount) {
    if (type.kind != Kind::kFloat) return true;
    const double value = numbers::decodeDouble(type.number, bits);
    return std::isfinite(value) && (zerosCount || value != 0);
}

using Known = std::vector<std::pair<const Type*, uint64_t>>;  // operands

// Whether the liberties make no difference to what is known.
bool isPlain(uint32_t liberties, uint32_t opcode, const Known& of, const Type& type,
             uint64_t result) {
    std::vector<uint64_t> operands;
    for (const auto& [operand, bits] : of) operands.push_back(bits);
    const uint32_t width = of.empty() ? 64 : of[0].first->width;
    for (const uint32_t wraps : {kNoSignedWrap, kNoUnsignedWrap})
        if ((liberties & wraps) != 0 && !fits(opcode, width, operands, wraps == kNoSignedWrap))
            return false;
    const auto isShort = [](const Type& number, uint64_t bits) {
        return number.kind != Kind::kFloat && bits <= 0x7FFF;
    };
    const bool isRelaxed = (liberties & kRelaxed) != 0;
    if (isRelaxed && type.kind != Kind::kBool && !isShort(type, result)) return false;
    for (const auto& [operand, bits] : of)
        if (!isFinite(*operand, bits, false) || (isRelaxed && !isShort(*operand, bits)))
            return false;
    const uint32_t others = liberties & ~(kWraps | kRelaxed | kSpecials | kUnsaid);
    return others == 0 && isFinite(type, result, false);
}

}  // namespace

// Modes of rounding and denormals say nothing of what moves values.
bool computes(const Instruction& at) {
    constexpr uint32_t kMoves[] = {numberIn(OpLoad), numberIn(OpSelect), numberIn(OpBitcast)};
    constexpr uint32_t kMatrices[] = {
        numberIn(OpCooperativeMatrixMulAddKHR), numberIn(OpCooperativeMatrixMulAddNV),
        numberIn(OpCooperativeMatrixConvertNV), numberIn(OpCooperativeVectorMatrixMulNV),
        numberIn(OpCooperativeVectorMatrixMulAddNV)};
    const TransferRow* row = findTransfer(at.row->opcode);
    if (row != nullptr && row->transfer == nullptr) return isAmong(kMatrices, at.row->opcode);
    return !isAmong(kMoves, at.row->opcode);
}

bool areWithin(uint32_t liberties, uint32_t others) {
    const bool isSaid = (others & kSpecials) == kSpecials;
    return (liberties & ~others & ~(isSaid ? uint32_t{kUnsaid} : 0)) == 0;
}

std::optional<uint32_t> Computation::libertiesOf(const Program& program, const Instruction& at) {
    if (original == nullptr) original = &program;
    const bool isUsual = !at.isDecorated && (at.liberties & ~uint32_t{kUnsaid}) == 0;
    if (isUsual && original == &program) return std::nullopt;
    const auto [found, isNew] = liberties_.emplace(&at, std::nullopt);
    if (!isNew) return found->second;
    uint32_t liberties = at.liberties;
    const uint32_t before = reference::libertiesOf(program, at, *original);
    if (!at.isDecorated && !computes(at) && (liberties & ~before) == 0) return std::nullopt;
    if ((liberties & kRelaxed) != 0 && !hasWord(program, at)) liberties &= ~uint32_t{kRelaxed};
    if (hasOtherModes(program, *original, at)) liberties |= kOtherModes;
    if (liberties != usualLiberties(program, at)) found->second = liberties;
    return found->second;
}

uint32_t Computation::usualLiberties(const Program& program, const Instruction& at) const {
    return reference::libertiesOf(program, at, *original) & kUnsaid;
}

// The result of a component, in place of the term that the instruction gives by its text.
TermId Transferred::freed(const Value& of, const Type& type, uint32_t c, uint32_t lane,
                          uint32_t liberties) const {
    const uint32_t usual = all.usualLiberties(*s.program, at);
    // Of known products, too: those that read it may be computed as one with it.
    const Deviation own = of.deviationAt(c, lane);
    const TermId plain = own != 0 ? own : all.termOf(of, c, lane);
    std::vector<TermId> operands = {plain};
    Function f{.program = s.program, .at = at, .opcode = at.row->opcode};
    f.at.type = &type;
    f.types = {&type};
    if (at.row->defined != Defined::kComponentwise) f.details = {c};
    if (at.opcode == OpVectorTimesScalar || at.opcode == OpMatrixTimesScalar)
        f.opcode = numberIn(OpFMul);
    f.isFree = true;
    f.liberties = liberties;
    const bool isOther = (liberties & kOtherModes) != 0;
    f.allowsPlain = !isOther && areWithin(usual, liberties);
    f.isPlain = !isOther && areWithin(liberties, usual);
    Known known;
    bool isKnown = all.contractions.isSettled(plain);
    for (uint32_t n = 0; n < at.operands.size(); ++n) {
        if (at[n].slot == kNone) continue;
        const Value& from = operand(n);
        const bool isEach = from.components() == of.components() || from.components() == 1;
        if (!isEach && from.type->kind == Kind::kCooperativeMatrix) continue;
        for (uint32_t o = 0; o < from.components(); ++o) {
            if (isEach && from.components() > 1 && o != c) continue;
            const Type& scalar = scalarOf(*from.type, o);
            if (!scalar.isScalar()) continue;
            operands.push_back(all.termOf(from, o, lane));
            f.types.push_back(&scalar);
            known.emplace_back(&scalar, from.at(o, lane));
            isKnown &= terms().constantOf(operands.back()).has_value();
        }
    }
    const bool isSame = terms()[plain].kind == TermKind::kApplied && operands.size() == 3;
    f.commutes = isSame && terms().functionOf(plain).commutes;
    if (isKnown && !isOther &&
        symbols::isPlain(liberties & ~usual, f.opcode, known, type, of.at(c, lane)))
        return plain;
    return terms().opaque(terms().function(std::move(f)), operands, of.at(c, lane));
}

void Transferred::openNans() const {
    if (at.row->opcode == numberIn(GLSLstd450PackHalf2x16)) return openPackedNans();
    const auto termOf = [&](const Type& type, uint32_t c, uint32_t lane) {
        if (at.opcode == OpFConvert) {
            const numbers::Conversion conversion = conversionOf(*s.program, at);
            return terms().converted({conversion.from(), conversion.to(), conversion.rule()},
                                     term(0, c, lane), result().at(c, lane));
        }
        return at.row->defined == Defined::kComponentwise
                   ? applied(c, lane)
                   : all.anyNumber(*s.program, type, result().at(c, lane), at.opcode);
    };
    for (uint32_t c = 0; c < result().components(); ++c) {
        const Type& type = scalarOf(*result().type, c);
        if (type.kind != Kind::kFloat) continue;
        mask.forEach([&](uint32_t lane) {
            const double value = numbers::decodeDouble(type.number, result().at(c, lane));
            if (result().deviationAt(c, lane) == 0 && std::isnan(value))
                result().setDeviation(c, lane, termOf(type, c, lane));
        });
    }
}

void Transferred::openPackedNans() const {
    mask.forEach([&](uint32_t lane) {
        bool isNan = false;
        for (const uint32_t half : {0u, 1u})
            isNan |=
                std::isnan(numbers::decodeDouble(numbers::Number::f32, operand(0).at(half, lane)));
        if (isNan && result().deviationAt(0, lane) == 0)
            result().setDeviation(
                0, lane, all.anyNumber(*s.program, *at.type, result().at(0, lane), at.opcode));
    });
}

void Transferred::free(const Value& of, uint32_t liberties) const {
    for (uint32_t c = 0; c < of.components(); ++c) {
        const Type& type = scalarOf(*of.type, c);
        if (!type.isScalar()) continue;
        mask.forEach([&](uint32_t lane) {
            const TermId term = freed(of, type, c, lane, liberties);
            of.setDeviation(c, lane, terms().constantOf(term) ? 0 : term);
        });
    }
}

}  // namespace coopvk::reference::symbols
