// SPDX-License-Identifier: Apache-2.0
#include "symbols/obligations.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

enum class Hazard : uint64_t { kNone, kUnsigned, kSigned, kToInteger };

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

Hazard hazardOf(const Instruction& at) {
    const auto* row = std::ranges::find(kHazards, at.opcode, &HazardRow::opcode);
    return row == std::end(kHazards) ? Hazard::kNone : row->hazard;
}

// Whether the number becomes an integer of so many bits.
bool isInRange(const Type& from, uint64_t bits, uint32_t width, bool isSigned) {
    const double whole = std::trunc(numbers::decodeDouble(from.number, bits));
    const double end = std::ldexp(1.0, int(width) - (isSigned ? 1 : 0));
    return whole < end && whole >= (isSigned ? -end : 0);
}

// Whether some data give operands for which nothing is defined. A quotient overflows where the
// least number is divided by -1.
bool mayBeUndefined(const Transferred& of, Hazard hazard, uint32_t c, uint32_t lane) {
    const Type& type = scalarOf(*of.at.type);
    const bool isDefined =
        of.isDefined(0, c, lane) && (hazard == Hazard::kToInteger || of.isDefined(1, c, lane));
    if (!isDefined) return true;
    const std::optional<uint64_t> first = of.constant(0, c, lane);
    if (hazard == Hazard::kToInteger)
        return !first || !isInRange(scalarOf(*of.operand(0).type), *first, type.width,
                                    of.at.opcode == OpConvertFToS);
    const std::optional<uint64_t> divisor = of.constant(1, c, lane);
    const uint64_t ones = numbers::lowBits(type.width);
    if (!divisor || (*divisor & ones) == 0) return true;
    if (hazard == Hazard::kUnsigned || (*divisor & ones) != ones) return false;
    return !first || (*first & ones) == (ones >> 1) + 1;
}

}  // namespace

bool Obligations::mayHave(const Instruction& at) { return hazardOf(at) != Hazard::kNone; }

bool Obligations::fulfil(const Transferred& of, uint32_t component, uint32_t lane,
                         const Path& path) {
    const Hazard hazard = hazardOf(of.at);
    if (hazard == Hazard::kNone || !mayBeUndefined(of, hazard, component, lane)) return true;
    Key key = {contents_, uint64_t(hazard), scalarOf(*of.at.type).width};
    if (hazard != Hazard::kUnsigned) key.push_back(of.term(0, component, lane));
    if (hazard == Hazard::kToInteger)
        key.push_back(of.at.opcode == OpConvertFToS);
    else
        key.push_back(of.term(1, component, lane));
    if (of.s.program == of.all.original) {
        original_[std::move(key)].push_back(path);
        return true;
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
    return isMet || isAssumed;
}

}  // namespace coopvk::reference::symbols
