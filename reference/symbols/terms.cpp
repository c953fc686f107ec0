// SPDX-License-Identifier: Apache-2.0
#include "symbols/terms.hpp"

#include <cmath>

#include "execution/opcode_table.hpp"
#include "symbols/contractions.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kFirstTable = 1u << 16;

}  // namespace

bool contains(numbers::Number format, numbers::Number of) {
    const numbers::Format &wide = numbers::format(format), &narrow = numbers::format(of);
    if (format == of) return true;
    if (wide.integer() || !wide.floating() || wide.specials != numbers::Specials::ieee)
        return false;
    const int most = (1 << wide.exponentBits) - 2 - wide.bias;
    if (!narrow.floating()) {
        const int bits = narrow.bits - narrow.isSigned();
        return bits <= wide.mantissaBits + 1 && bits <= most;
    }
    const bool hasTop = narrow.specials == numbers::Specials::ieee;
    const int mostNarrow = (1 << narrow.exponentBits) - (hasTop ? 2 : 1) - narrow.bias;
    const int leastWide = 1 - wide.bias - wide.mantissaBits;
    const int leastNarrow = 1 - narrow.bias - narrow.mantissaBits;
    return wide.mantissaBits >= narrow.mantissaBits && most >= mostNarrow &&
           leastWide <= leastNarrow;
}

bool isExact(const Conversion& c) {
    return contains(c.to, c.from) && !c.rule.flushOperand && !c.rule.flushResult &&
           c.rule.toFloat == numbers::Overflow::special;
}

Terms::Terms() : table_(kFirstTable) {
    terms_.resize(1);  // no term has number 0
}

TermId Terms::bytes(const std::byte* sample, uint64_t size) {
    const auto first = TermId(terms_.size());
    for (uint64_t i = 0; i < size; ++i)
        terms_.push_back({.kind = TermKind::kByte, .width = 8, .bits = uint64_t(sample[i])});
    return first;
}

size_t Terms::hashOf(const Term& term, std::span<const TermId> operands) const {
    uint64_t hash = uint64_t(term.kind) << 40 ^ uint64_t { term.width } << 32 ^ term.function;
    if (term.kind == TermKind::kConstant) hash ^= spread(term.bits);
    for (const TermId operand : operands) hash = spread(hash + operand) + 1;
    return size_t(spread(hash));
}

// Of equal operands: other bits in the same sample show that they are not of the same function,
// whatever is known of it. Of NaN the bits say nothing.
bool Terms::areOther(const Term& a, const Term& b) const {
    if (a.bits == b.bits) return false;
    const auto areNan = [&](numbers::Number number) {
        return std::isnan(numbers::decodeDouble(number, a.bits)) &&
               std::isnan(numbers::decodeDouble(number, b.bits));
    };
    switch (a.kind) {
        case TermKind::kConstant:
            return true;
        case TermKind::kProduct:
            return !areNan(sums_[a.function].result);
        case TermKind::kApplied:
        case TermKind::kOpaque: {
            const Type& type = functions_[a.function].type();
            return type.kind != Kind::kFloat || !areNan(type.number);
        }
        default:
            return false;
    }
}

bool Terms::isSame(TermId id, const Term& term, std::span<const TermId> operands) const {
    const Term& other = terms_[id];
    return other.kind == term.kind && other.width == term.width &&
           other.function == term.function && !areOther(other, term) &&
           std::ranges::equal(this->operands(id), operands);
}

void Terms::grow() {
    std::vector<TermId> old = std::exchange(table_, std::vector<TermId>(table_.size() * 2));
    for (const TermId id : old) {
        if (id == 0) continue;
        size_t at = hashOf(terms_[id], operands(id)) & (table_.size() - 1);
        while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
        table_[at] = id;
    }
}

TermId Terms::intern(Term term, std::span<const TermId> operands) {
    size_t at = hashOf(term, operands) & (table_.size() - 1);
    for (; table_[at] != 0; at = (at + 1) & (table_.size() - 1))
        if (isSame(table_[at], term, operands)) return table_[at];
    term.first = uint32_t(operands_.size());
    term.count = uint32_t(operands.size());
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    const auto id = TermId(terms_.size());
    terms_.push_back(term);
    table_[at] = id;
    if (terms_.size() * 2 > table_.size()) grow();
    return id;
}

TermId Terms::constant(uint64_t bits, uint32_t width) {
    return intern({.kind = TermKind::kConstant,
                   .width = uint8_t(width),
                   .bits = bits & numbers::lowBits(width)},
                  {});
}

template <typename List, typename T>
uint32_t Terms::indexIn(List& list, const T& value) {
    for (size_t i = list.size(); i-- > 0;)
        if (list[i] == value) return uint32_t(i);
    list.push_back(value);
    return uint32_t(list.size() - 1);
}

static bool operator==(const Conversion& x, const Conversion& y) {
    const auto key = [](const Conversion& c) {
        const numbers::ConversionRule& r = c.rule;
        return std::tuple(c.from, c.to, r.rounding, r.toInteger, r.toFloat, r.fromInteger,
                          r.fromFloat, r.integerDomain, r.flushOperand, r.flushResult);
    };
    return key(x) == key(y);
}

TermId Terms::converted(const Conversion& conversion, TermId from, uint64_t sample) {
    const numbers::Format &source = numbers::format(conversion.from),
                          &target = numbers::format(conversion.to);
    if (source.integer() && target.integer() &&
        conversion.rule.fromInteger == numbers::Overflow::wrap) {
        Pieces pieces;
        const uint32_t kept = std::min(source.bits, target.bits);
        addPieces(from, 0, kept, pieces);
        const auto more = uint8_t(target.bits - kept);
        if (source.isSigned() && more > 0) {
            const TermId sign = part(from, source.bits - 1u, 1);
            Pieces bit;
            addPieces(sign, 0, 1, bit);
            bit[0].count = more;
            pieces.push_back(bit[0]);
        } else {
            pieces.push_back({0, 0, more, true});
        }
        return joined(pieces);
    }
    const bool flushes = conversion.rule.flushOperand || conversion.rule.flushResult;
    if (conversion.from == conversion.to && !flushes) return from;
    // SPV_KHR_bfloat16, "Conversion Instructions": by way of binary32.
    using numbers::Number;
    const bool isBrief = conversion.from == Number::bf16 || conversion.to == Number::bf16;
    if (isBrief && conversion.from != Number::f32 && conversion.to != Number::f32 && !flushes) {
        const Conversion second{Number::f32, conversion.to, conversion.rule};
        const TermId between = converted({conversion.from, Number::f32, conversion.rule}, from);
        return converted(second, between, sample);
    }
    const uint32_t function = indexIn(conversions_, conversion);
    const TermId operands[] = {from};
    return intern(
        {.kind = TermKind::kConverted, .width = target.bits, .function = function, .bits = sample},
        operands);
}

TermId Terms::converted(const Conversion& c, TermId from) {
    const numbers::Conversion conversion(c.from, c.to, c.rule);
    return converted(c, from, conversion(terms_[from].bits).bits);
}

TermId Terms::applied(uint32_t function, std::span<const TermId> operands, uint64_t sample) {
    const Function& f = functions_[function];
    const Type& type = f.type();
    const auto width = uint8_t(type.kind == Kind::kBool ? 1 : type.width);
    const Term term{
        .kind = TermKind::kApplied, .width = width, .function = function, .bits = sample};
    if (f.commutes && operands.size() == 2 && operands[1] < operands[0]) {
        const TermId swapped[] = {operands[1], operands[0]};
        return intern(term, swapped);
    }
    return intern(term, operands);
}

TermId Terms::chosen(TermId condition, TermId then, TermId other) {
    const auto isOfSame = [&](TermId id) {
        return terms_[id].kind == TermKind::kChosen && operand(id, 0) == condition;
    };
    while (isOfSame(then)) then = operand(then, 1);
    while (isOfSame(other)) other = operand(other, 2);
    // A bool that chooses itself is what it chooses there.
    if (then == condition) then = constant(1, 1);
    if (other == condition) other = constant(0, 1);
    if (then == other) return then;
    if (const auto known = constantOf(condition)) return *known != 0 ? then : other;
    if (terms_[then].width == 1 && constantOf(then) == 1 && constantOf(other) == 0)
        return condition;
    const TermId operands[] = {condition, then, other};
    const uint64_t sample = terms_[terms_[condition].bits != 0 ? then : other].bits;
    return intern({.kind = TermKind::kChosen, .width = terms_[then].width, .bits = sample},
                  operands);
}

TermId Terms::truth(TermId word) {
    const Term& term = terms_[word];
    if (term.width == 1) return word;
    if (const auto known = constantOf(word)) return constant(*known != 0, 1);
    const Pieces all = pieces(word);
    if (term.kind == TermKind::kJoined && all.size() == 2 && all[0].count == 1 &&
        all[1].isConstant() && all[1].first == 0)
        return part(word, 0, 1);
    const TermId one = constant(1, 1), none = constant(0, 1);
    if (term.kind == TermKind::kChosen && constantOf(operand(word, 1)) &&
        constantOf(operand(word, 2))) {
        const bool isThen = *constantOf(operand(word, 1)) != 0;
        const bool isElse = *constantOf(operand(word, 2)) != 0;
        if (isThen && !isElse) return operand(word, 0);
        if (isThen == isElse) return isThen ? one : none;
    }
    return 0;
}

TermId Terms::product(const Sum& sum, std::span<const TermId> operands, uint64_t sample) {
    const numbers::Format& result = numbers::format(sum.result);
    return intern({.kind = TermKind::kProduct,
                   .width = result.bits,
                   .function = sumKind(sum),
                   .bits = sample},
                  operands);
}

std::array<TermId, 2> Terms::placeholders(numbers::Number number) {
    const auto [found, isNew] = placeholders_.try_emplace(number);
    if (!isNew) return found->second;
    const uint8_t width = numbers::format(number).bits;
    const auto first = TermId(terms_.size());
    for (const double value : {1.0, 2.0})
        terms_.push_back({.kind = TermKind::kByte,
                          .width = width,
                          .bits = numbers::encodeDouble(number, value)});
    return found->second = {first, first + 1};
}

TermId Terms::reduced(const Reduction& reduction, std::vector<TermId> elements, uint32_t place,
                      uint64_t sample) {
    std::ranges::sort(elements);
    elements.push_back(constant(place, 32));
    return intern({.kind = TermKind::kReduced,
                   .width = numbers::format(reduction.number).bits,
                   .function = indexIn(reductions_, reduction),
                   .bits = sample},
                  elements);
}

TermId Terms::opaque(uint32_t function, std::span<const TermId> operands, uint64_t sample) {
    const Type& type = functions_[function].type();
    return intern({.kind = TermKind::kOpaque,
                   .width = uint8_t(type.kind == Kind::kBool ? 1 : type.width),
                   .function = function,
                   .bits = sample},
                  operands);
}

TermId Terms::rounded(TermId term) {
    if (const auto* known = valueIn(rounded_, term)) return *known;
    const TermId number = roundedAnew(term);
    if (number != term) unrounded_.emplace(number, term);
    rounded_.emplace(number, number);
    return rounded_[term] = number;
}

TermId Terms::roundedAnew(TermId term) {
    const Term of = terms_[term];
    if (of.kind == TermKind::kJoined) {
        Pieces all = pieces(term);
        for (Piece& piece : all)
            if (!piece.isConstant()) piece.term = rounded(piece.term);
        return joined(all);
    }
    std::vector<TermId> from(operands(term).begin(), operands(term).end());
    switch (of.kind) {
        case TermKind::kConverted:
            return converted(conversions_[of.function], rounded(from[0]), of.bits);
        case TermKind::kChosen:
            return chosen(from[0], rounded(from[1]), rounded(from[2]));
        case TermKind::kProduct: {
            Sum sum = sums_[of.function];
            sum.isRounded = numbers::format(sum.result).floating();
            return product(sum, from, of.bits);
        }
        case TermKind::kApplied:
        case TermKind::kOpaque: {
            Function f = functions_[of.function];
            if (f.type().kind != Kind::kFloat) return term;
            const bool isSign =
                isApplied(term, numberIn(OpFNegate)) || isApplied(term, numberIn(GLSLstd450FAbs));
            if (isSign || f.isFree)
                from[0] = rounded(from[0]);
            else if (isOperation(f))
                f.isRounded = true;
            const uint32_t number = function(std::move(f));
            return of.kind == TermKind::kApplied ? applied(number, from, of.bits)
                                                 : opaque(number, from, of.bits);
        }
        default:
            return term;
    }
}

uint32_t Terms::function(Function&& function) {
    const Program& program = *function.program;
    std::vector<uint32_t> key = {function.opcode,       function.at.rounding, function.isFree,
                                 function.at.saturates, function.mayContract, function.liberties,
                                 function.allowsPlain,  function.isPlain,     function.isRounded,
                                 function.isLoose};
    const auto add = [&](const Type& type) {
        const bool isFloat = type.kind == Kind::kFloat;
        const FloatControls& controls = program.controls(type);
        key.push_back(uint32_t(type.kind) | type.width << 8 |
                      (isFloat ? uint32_t(type.number) << 16 | uint32_t(controls.rounding) << 24 |
                                     uint32_t{controls.flushDenorms} << 30
                               : 0));
    };
    add(function.type());
    for (const Type* type : function.types) add(*type);
    key.insert(key.end(), function.details.begin(), function.details.end());
    const auto [found, isNew] = functionByKey_.emplace(key, uint32_t(functions_.size()));
    if (!isNew) return found->second;
    const auto numberOf = [&] {
        return functionByKey_.emplace(key, uint32_t(functionByKey_.size())).first->second;
    };
    key[4] = 2;
    key[5] = key[6] = key[7] = key[8] = key[9] = 0;
    function.base = numberOf();
    key[0] = ~uint32_t{0};
    function.form = numberOf();
    functions_.push_back(std::move(function));
    return uint32_t(functions_.size() - 1);
}

}  // namespace coopvk::reference::symbols
