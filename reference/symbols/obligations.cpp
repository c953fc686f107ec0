// SPDX-License-Identifier: Apache-2.0
#include "symbols/obligations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "execution/opcode_table.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

enum class Hazard : uint64_t { kUnsigned, kSigned, kToInteger, kSignedWrap, kUnsignedWrap };

struct HazardRow {
    spv::Op opcode;
    Hazard hazard;
};
constexpr HazardRow kHazards[] = {
    {OpUDiv, Hazard::kUnsigned},         {OpUMod, Hazard::kUnsigned},
    {OpSDiv, Hazard::kSigned},           {OpSRem, Hazard::kSigned},
    {OpSMod, Hazard::kSigned},           {OpConvertFToU, Hazard::kToInteger},
    {OpConvertFToS, Hazard::kToInteger},
};

// SPIR-V, NoSignedWrap: "If an instruction decorated with NoSignedWrap does overflow or underflow,
// behavior is undefined".
std::vector<Hazard> hazardsOf(const Instruction& at) {
    std::vector<Hazard> hazards;
    for (const HazardRow& row : kHazards)
        if (row.opcode == at.opcode) hazards.push_back(row.hazard);
    if ((at.liberties & kNoSignedWrap) != 0) hazards.push_back(Hazard::kSignedWrap);
    if ((at.liberties & kNoUnsignedWrap) != 0) hazards.push_back(Hazard::kUnsignedWrap);
    return hazards;
}

// Whether the number becomes an integer of so many bits.
bool isInRange(const Type& from, uint64_t bits, uint32_t width, bool isSigned) {
    const double whole = std::trunc(numbers::decodeDouble(from.number, bits));
    const double end = std::ldexp(1.0, int(width) - (isSigned ? 1 : 0));
    return whole < end && whole >= (isSigned ? -end : 0);
}

// Operands on which it depends.
uint32_t countOf(const Instruction& at, Hazard hazard) {
    if (hazard == Hazard::kToInteger) return 1;
    return uint32_t(std::min<size_t>(at.operands.size(), 2));
}

// Whether some data give operands for which nothing is defined. A quotient overflows where the
// least number is divided by -1.
bool mayBeUndefined(const Transferred& of, Hazard hazard, uint32_t c, uint32_t lane) {
    std::vector<uint64_t> known;
    for (uint32_t n = 0; n < countOf(of.at, hazard); ++n) {
        if (!of.isDefined(n, c, lane)) return true;
        if (const auto bits = of.constant(n, c, lane)) known.push_back(*bits);
    }
    const bool areKnown = known.size() == countOf(of.at, hazard);
    const Type& type = scalarOf(*of.at.type);
    const uint32_t width = scalarOf(*of.operand(0).type).width;
    const uint64_t ones = numbers::lowBits(type.width);
    if (hazard == Hazard::kToInteger)
        return !areKnown || !isInRange(scalarOf(*of.operand(0).type), known[0], type.width,
                                       of.at.opcode == OpConvertFToS);
    if (hazard == Hazard::kSignedWrap || hazard == Hazard::kUnsignedWrap)
        return !areKnown || !fits(of.at.row->opcode, width, known, hazard == Hazard::kSignedWrap);
    const std::optional<uint64_t> divisor = of.constant(1, c, lane);
    if (!divisor || (*divisor & ones) == 0) return true;
    if (hazard == Hazard::kUnsigned || (*divisor & ones) != ones) return false;
    return !areKnown || (known[0] & ones) == (ones >> 1) + 1;
}

}  // namespace

bool fits(uint32_t opcode, uint32_t width, std::span<const uint64_t> operands, bool isSigned) {
    if (operands.empty() || width > 32) return false;
    const auto number = [&](uint64_t bits) {
        return isSigned ? signExtend(bits, width) : int64_t(bits & numbers::lowBits(width));
    };
    const int64_t a = number(operands[0]), b = operands.size() > 1 ? number(operands[1]) : 0;
    const auto is = [&](int64_t exact) { return exact == number(uint64_t(exact)); };
    switch (opcode) {
        case numberIn(OpIAdd):
            return is(a + b);
        case numberIn(OpISub):
            return is(a - b);
        case numberIn(OpIMul):
            return isSigned ? is(a * b) : uint64_t(a) * uint64_t(b) <= numbers::lowBits(width);
        case numberIn(OpSNegate):
            return is(-a);
        case numberIn(OpShiftLeftLogical):
            return b >= 0 && b < 31 && is(a * (int64_t{1} << b));
        default:
            return false;
    }
}

bool Obligations::mayHave(const Instruction& at) { return !hazardsOf(at).empty(); }

bool Obligations::fulfil(const Transferred& of, uint32_t component, uint32_t lane,
                         const Path& path) {
    bool areMet = true;
    for (const Hazard hazard : hazardsOf(of.at)) {
        if (!mayBeUndefined(of, hazard, component, lane)) continue;
        Key key = {contents_, uint64_t(hazard), scalarOf(*of.at.type).width};
        // Of an unsigned quotient the divisor alone.
        const uint32_t count = countOf(of.at, hazard);
        for (uint32_t n = hazard == Hazard::kUnsigned ? 1 : 0; n < count; ++n)
            key.push_back(of.term(n, component, lane));
        if (hazard != Hazard::kUnsigned && hazard != Hazard::kSigned)
            key.push_back(uint64_t(of.at.opcode));
        if (of.s.program == of.all.original) {
            original_[std::move(key)].push_back(path);
            continue;
        }
        const auto found = original_.find(key);
        const bool isMet =
            found != original_.end() && std::ranges::any_of(found->second, [&](const Path& one) {
                return std::ranges::includes(path, one);
            });
        // Known numbers are not in the range, and undefined ones need not be.
        const bool isAssumed = hazard == Hazard::kToInteger && !of.constant(0, component, lane) &&
                               of.isDefined(0, component, lane);
        convertsMore_ |= isAssumed && !isMet;
        areMet = areMet && (isMet || isAssumed);
    }
    return areMet;
}

}  // namespace coopvk::reference::symbols
