// SPDX-License-Identifier: Apache-2.0
#include "symbols/trial.hpp"

#include <cmath>

#include "execution/opcode_table.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kMostTerms = 2048;

void joinPieces(const Pieces& pieces, const Order& order, std::span<const Values> values,
                Values& to) {
    uint32_t at = 0;
    for (const Piece& p : pieces) {
        const uint64_t mask = numbers::lowBits(p.count);
        const Values* from = p.isConstant() ? nullptr : &values[order.numbers.find(p.term)->second];
        if (from != nullptr) to.undefined |= from->undefined;
        for (uint32_t lane = 0; lane < kAtOnce; ++lane) {
            const uint64_t read = from != nullptr ? from->bits[lane] >> p.first : p.first;
            const uint64_t bits = p.isNegated ? ~read : read;
            to.bits[lane] |= (p.isFill ? ((bits & 1) != 0 ? mask : 0) : bits & mask) << at;
        }
        at += p.count;
    }
}

void convertEach(const Conversion& c, const Values& from, Values& to) {
    const numbers::Conversion conversion(c.from, c.to, c.rule);
    for (uint32_t lane = 0; lane < kAtOnce; ++lane) {
        const numbers::Converted converted = conversion(from.bits[lane]);
        to.bits[lane] = converted.bits;
        if (!converted.defined) to.undefined.set(lane);
    }
    // SPIR-V, OpConvertFToU: "Behavior is undefined if Result Type is not wide enough to hold the
    // converted value".
    to.any = to.undefined & ~from.undefined;
    to.undefined |= from.undefined;
}

void chooseEach(const Values& condition, const Values& then, const Values& other, Values& to) {
    for (uint32_t lane = 0; lane < kAtOnce; ++lane) {
        const Values& from = condition.bits[lane] != 0 ? then : other;
        to.bits[lane] = from.bits[lane];
        if (from.undefined.test(lane)) to.undefined.set(lane);
        if (from.any.test(lane)) to.any.set(lane);
    }
    to.any = to.any & ~condition.undefined;
    to.undefined |= condition.undefined;
}

// A device may round in either direction (Vulkan, "Precision of Individual Operations": "correctly
// rounded").
void refuseRoundings(const Conversion& c, const Values& from, Values& to) {
    if (!numbers::format(c.to).floating()) return;
    for (uint32_t lane = 0; lane < kAtOnce; ++lane) {
        const double before = numbers::decodeDouble(c.from, from.bits[lane]);
        const double after = numbers::decodeDouble(c.to, to.bits[lane]);
        if (before != after && !(std::isnan(before) && std::isnan(after))) to.undefined.set(lane);
    }
}

bool isNan(const numbers::Format& f, uint64_t bits) {
    const uint64_t mantissa = bits & numbers::lowBits(f.mantissaBits);
    const bool isTop = (~bits >> f.mantissaBits & numbers::lowBits(f.exponentBits)) == 0;
    if (f.specials == numbers::Specials::none || !isTop) return false;
    return f.specials == numbers::Specials::ieee ? mantissa != 0
                                                 : mantissa == numbers::lowBits(f.mantissaBits);
}

// In place of another one: with a small or large payload, quiet or signalling.
uint64_t nanOf(const numbers::Format& f, uint64_t bits, uint32_t payload, uint32_t place) {
    const uint64_t ones = numbers::lowBits(f.exponentBits + f.mantissaBits);
    const uint64_t sign = f.hasSign() ? uint64_t{1} << (f.bits - 1) : 0;
    const uint64_t signs[] = {sign, 0, (place & 1) != 0 ? sign : 0, (place & 1) != 0 ? 0 : sign};
    const bool keepsSign = payload < Trial::kPayloadsWithSigns;
    const uint64_t own = keepsSign ? bits & sign : signs[payload - Trial::kPayloadsWithSigns];
    if (f.specials != numbers::Specials::ieee || f.mantissaBits < 2) return ones | own;
    const uint64_t top = ones & ~numbers::lowBits(f.mantissaBits);
    const uint64_t quiet = uint64_t{1} << (f.mantissaBits - 1);
    const uint64_t mantissas[] = {quiet, numbers::lowBits(f.mantissaBits), 1, quiet - 1};
    return top | mantissas[(payload + place) % 4] | own;
}

}  // namespace

bool addTo(const Terms& terms, TermId id, Order& order) {
    if (order.numbers.contains(id)) return true;
    if (order.terms.size() > kMostTerms) return false;
    const auto add = [&](TermId operand) { return addTo(terms, operand, order); };
    if (terms[id].kind == TermKind::kJoined) {
        for (const Piece& p : terms.pieces(id))
            if (!p.isConstant() && !add(p.term)) return false;
    } else {
        for (const TermId operand : terms.operands(id))
            if (!add(operand)) return false;
    }
    order.numbers.emplace(id, uint32_t(order.terms.size()));
    order.terms.push_back(id);
    return true;
}

bool hasTwoResults(const Function& f) {
    return f.opcode == numberIn(GLSLstd450Fma) || f.opcode == numberIn(GLSLstd450NClamp);
}

void Machine::applyOtherwise(const Function& f, std::span<const Values* const> operands,
                             Values& result) {
    if (f.opcode == numberIn(GLSLstd450Fma)) {
        const auto two = [&](spv::Op opcode, std::array<const Values*, 2> of, Values& to) {
            Function one{.program = f.program, .at = f.at, .opcode = numberIn(opcode)};
            one.at.row = findRow(opcode);
            one.at.handler = one.at.row->handler;
            one.at.opcode = opcode;
            one.at.operands = {{.isId = true, .slot = 0}, {.isId = true, .slot = 1}};
            one.types = {f.types[0], f.types[0]};
            apply(one, of, to);
        };
        Values product;
        two(OpFMul, {operands[0], operands[1]}, product);
        return two(OpFAdd, {&product, operands[2]}, result);
    }
    apply(f, operands, result);
    const numbers::Number number = f.type().number;
    for (uint64_t& bits : result.bits)
        if (numbers::decodeDouble(number, bits) == 0)
            bits ^= uint64_t{1} << (numbers::format(number).bits - 1);
}

void Trial::apply(TermId id, Values& to) {
    const Function& f = terms_.functionOf(id);
    std::vector<const Values*> operands;
    for (const TermId each : terms_.operands(id)) operands.push_back(&of(each));
    machine_.apply(f, operands, to);
    if (!hasTwoResults(f) || !rewritten_.numbers.contains(id)) return;
    Values other;
    machine_.applyOtherwise(f, operands, other);
    if (other.bits == to.bits) return;
    const auto found = std::ranges::find(open_, id);
    const auto number = uint32_t(found - open_.begin());
    if (found == open_.end()) open_.push_back(id);
    constexpr uint32_t kMost = 32;  // the caller refuses far fewer
    if (number < kMost && (choices_ >> number & 1) != 0) to = other;
}

void Trial::changeNans(TermId id, Values& to) {
    const Float number = madeFormat(terms_, id);
    if (!number) return;
    const numbers::Format& format = numbers::format(*number);
    const uint32_t place = rewritten_.numbers.find(id)->second;
    for (uint64_t& bits : to.bits) {
        if (!isNan(format, bits)) continue;
        withNan_.insert(first_);
        if (payload_ > 0) bits = nanOf(format, bits, payload_, place);
    }
}

void Trial::compute(TermId id, uint32_t first, Values& to) {
    const Term& term = terms_[id];
    const auto operand = [&](uint32_t n) -> const Values& { return of(terms_.operand(id, n)); };
    to = {};
    for (uint32_t n = 0, shift = 0; n < leaves_.size(); shift += terms_[leaves_[n++]].width) {
        if (leaves_[n] != id) continue;
        for (uint32_t lane = 0; lane < kAtOnce; ++lane)
            to.bits[lane] = (first + lane) >> shift & numbers::lowBits(term.width);
        return;
    }
    switch (term.kind) {
        case TermKind::kConstant:
            to.bits.fill(term.bits);
            break;
        case TermKind::kJoined:
            joinPieces(terms_.pieces(id), order_, values_, to);
            break;
        case TermKind::kConverted:
            convertEach(terms_.conversionOf(id), operand(0), to);
            if (rewritten_.numbers.contains(id))
                refuseRoundings(terms_.conversionOf(id), operand(0), to);
            break;
        case TermKind::kChosen:
            chooseEach(operand(0), operand(1), operand(2), to);
            break;
        case TermKind::kApplied:
            apply(id, to);
            break;
        case TermKind::kByte:     // a leaf
        case TermKind::kProduct:  // see areTried()
        case TermKind::kReduced:
        case TermKind::kOpaque:
            break;
    }
    if (rewritten_.numbers.contains(id)) changeNans(id, to);
}

}  // namespace coopvk::reference::symbols
