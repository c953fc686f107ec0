// SPDX-License-Identifier: Apache-2.0
#include "symbols/alternatives.hpp"

#include <set>

#include "execution/opcode_table.hpp"
#include "symbols/bounds.hpp"
#include "symbols/narrowing.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kMostValues = 64;

// Their result in a lane depends on these operands' values in the same lane, and on what all lanes
// have of the others. They do nothing else; loads count as loads of all that they may read.
constexpr spv::Op kOfOwnLane[] = {
    OpAccessChain,
    OpInBoundsAccessChain,
    OpPtrAccessChain,
    OpInBoundsPtrAccessChain,
    OpUntypedAccessChainKHR,
    OpUntypedInBoundsAccessChainKHR,
    OpUntypedPtrAccessChainKHR,
    OpUntypedInBoundsPtrAccessChainKHR,
    OpLoad,
    OpVectorExtractDynamic,
    OpVectorInsertDynamic,
    OpGroupNonUniformShuffle,
};

// Bits are all that there is of such values.
bool isOfBits(const Type& type) {
    for (uint32_t c = 0; c < type.components; ++c) {
        const Type& scalar = scalarOf(type, c);
        if (!scalar.isScalar() && scalar.kind != Kind::kPointer) return false;
    }
    return true;
}

class FewValues {
 public:
    FewValues(const Terms& terms, size_t most) : terms_(terms), most_(most) {}

    std::optional<std::set<uint64_t>> of(TermId id) {
        if (const auto bits = terms_.constantOf(id)) return std::set{*bits};
        if (++visited_ > kMostVisited) return std::nullopt;
        std::optional<std::set<uint64_t>> values;
        const TermKind kind = terms_[id].kind;
        if (kind == TermKind::kChosen) values = ofChosen(id);
        if (kind == TermKind::kJoined) values = ofJoined(id);
        if (kind == TermKind::kApplied && terms_[id].count == 2) values = ofApplied(id);
        const Bounds bounds = boundsOf(terms_, id);
        if (!values && bounds.most - bounds.least < most_) {
            values.emplace();
            for (uint64_t n = 0; n <= bounds.most - bounds.least; ++n)
                values->insert(bounds.least + n);
        }
        if (values && values->size() > most_) values.reset();
        return values;
    }

 private:
    static constexpr uint32_t kMostVisited = 256;

    std::optional<std::set<uint64_t>> ofChosen(TermId id) {
        auto then = of(terms_.operand(id, 1)), other = of(terms_.operand(id, 2));
        if (then && other) then->merge(*other);
        return other ? then : std::nullopt;
    }
    // Each piece has values of its own.
    std::optional<std::set<uint64_t>> ofJoined(TermId id) {
        std::set<uint64_t> values{0};
        uint32_t at = 0;
        for (const Piece& p : terms_.pieces(id)) {
            std::set<uint64_t> longer;
            for (const uint64_t bits : ofPiece(p))
                for (const uint64_t low : values) longer.insert(low | bits << at);
            if (longer.empty() || longer.size() > most_) return std::nullopt;
            values = std::move(longer);
            at += p.count;
        }
        return values;
    }
    std::set<uint64_t> ofPiece(const Piece& p) {
        const uint64_t ones = numbers::lowBits(p.count);
        if (p.isConstant()) return {p.first != 0 ? ones : 0};
        if (p.isFill) return {0, ones};
        std::set<uint64_t> values;
        if (const auto whole = of(p.term)) {
            for (const uint64_t bits : *whole)
                values.insert((p.isNegated ? ~bits : bits) >> p.first & ones);
        } else if (ones < most_) {
            for (uint64_t bits = 0; bits <= ones; ++bits) values.insert(bits);
        }
        return values;
    }
    std::optional<std::set<uint64_t>> ofApplied(TermId id) {
        const Function& f = terms_.functionOf(id);
        const uint64_t all = numbers::lowBits(terms_[id].width);
        const auto isWord = [&](const Type* type) {
            return type->kind == Kind::kInt && type->width == terms_[id].width;
        };
        const bool isKnown = f.opcode == numberIn(OpIAdd) || f.opcode == numberIn(OpISub) ||
                             f.opcode == numberIn(OpIMul);
        if (!isKnown || !isWord(&f.type()) || !std::ranges::all_of(f.types, isWord))
            return std::nullopt;
        const auto a = of(terms_.operand(id, 0)), b = of(terms_.operand(id, 1));
        if (!a || !b) return std::nullopt;
        std::set<uint64_t> values;
        for (const uint64_t x : *a)
            for (const uint64_t y : *b)
                values.insert((f.opcode == numberIn(OpIAdd)   ? x + y
                               : f.opcode == numberIn(OpISub) ? x - y
                                                              : x * y) &
                              all);
        return values;
    }

    const Terms& terms_;
    size_t most_;
    uint32_t visited_ = 0;
};

// Whether lanes may access descriptors that differ: each way of a choice has the same in all lanes.
bool mayPart(const Subgroup& s, uint32_t operand) {
    const Slot& slot = s.program->slotAt(*s.at, operand);
    if (!slot.ofDescriptors || slot.nonUniform) return false;
    const Value& base = s.operand(operand);
    const Deviation first = base.deviationAt(0, s.mask.first());
    bool differs = false;
    s.mask.forEach([&](uint32_t lane) { differs |= base.deviationAt(0, lane) != first; });
    return differs;
}

}  // namespace

struct Alternatives::Lane {
    struct Component {
        uint32_t operand = 0, component = 0;
        TermId before = 0, choices = 0;
        uint64_t bits = 0;
    };
    uint32_t lane = 0;
    TermId condition = 0;
    std::vector<Component> components;
};

// Of all components, by lane.
struct Alternatives::Result {
    std::vector<uint64_t> bits;
    std::vector<Deviation> terms;
    std::vector<LaneMask> defined;
};

TermId Alternatives::choicesOf(const Program& program, TermId term) {
    if (const auto* known = valueIn(choices_, term)) return *known;
    Terms& terms = all_.terms;
    if (terms.constantOf(term)) return term;
    TermId choices = 0;
    if (terms[term].kind == TermKind::kChosen) {
        const TermId then = choicesOf(program, terms.operand(term, 1));
        const TermId other = then != 0 ? choicesOf(program, terms.operand(term, 2)) : 0;
        if (other != 0) choices = terms.chosen(terms.operand(term, 0), then, other);
    } else {
        const uint32_t width = terms[term].width;
        const std::vector<uint64_t> values = fewValuesOf(terms, term, kMostValues);
        for (size_t n = values.size(); n-- > 0;) {
            const TermId value = terms.constant(values[n], width);
            const bool isIt = terms[term].bits == values[n];
            const TermId is = width == 1 ? term
                                         : operated(terms, program, numberIn(OpIEqual), boolType(),
                                                    integerType(width), {term, value}, isIt);
            choices = choices == 0 ? value : terms.chosen(is, value, choices);
        }
        if (width == 1) choices = 0;  // no address
    }
    return choices_[term] = choices;
}

// `operands`: a bit for each that must be known.
bool Alternatives::find(Subgroup& s, uint32_t operands, std::vector<Lane>& lanes) {
    bool isFound = true;
    s.mask.forEach([&](uint32_t lane) {
        Lane one{.lane = lane, .components = {}};
        for (uint32_t n = 0; n < s.at->operands.size(); ++n) {
            if (s.slot(n) == kNone || (operands >> n & 1) == 0) continue;
            const Value& value = s.operand(n);
            isFound = isFound && !mayPart(s, n);
            for (uint32_t c = 0; c < value.components(); ++c) {
                const TermId term = value.deviationAt(c, lane);
                if (term == 0) continue;
                const TermId choices = choicesOf(*s.program, term);
                isFound = isFound && choices != 0 && value.isDefined(c, lane);
                one.components.push_back({n, c, term, choices, value.at(c, lane)});
            }
        }
        for (const Lane::Component& each : one.components)
            if (isFound && one.condition == 0 && !all_.terms.constantOf(each.choices))
                one.condition = all_.terms.operand(each.choices, 0);
        if (!one.components.empty()) lanes.push_back(std::move(one));
    });
    return isFound;
}

Step Alternatives::executeWith(Subgroup& s, std::span<const Lane> lanes, bool isTrue,
                               Result& result, const std::function<Step()>& again) {
    const Terms& terms = all_.terms;
    for (const Lane& lane : lanes)
        for (const Lane::Component& each : lane.components) {
            TermId taken = each.choices;
            if (!terms.constantOf(taken) && terms.operand(taken, 0) == lane.condition)
                taken = terms.operand(taken, isTrue ? 1 : 2);
            const Value& operand = s.operand(each.operand);
            operand.at(each.component, lane.lane) = terms[taken].bits;
            operand.setDeviation(each.component, lane.lane, terms.constantOf(taken) ? 0 : taken);
        }
    const Step step = again();
    const Value& value = s.result();
    const size_t size = size_t{value.components()} * s.lanes;
    result.bits.assign(value.data, value.data + size);
    result.terms.assign(value.deviations, value.deviations + size);
    result.defined.assign(value.defined, value.defined + value.components());
    for (const Lane& lane : lanes)
        for (const Lane::Component& each : lane.components) {
            const Value& operand = s.operand(each.operand);
            operand.at(each.component, lane.lane) = each.bits;
            operand.setDeviation(each.component, lane.lane, each.before);
        }
    return step;
}

bool Alternatives::merge(Subgroup& s, std::span<const Lane> lanes, const Result& then,
                         const Result& other) {
    const Value& result = s.result();
    Terms& terms = all_.terms;
    for (const Lane& lane : lanes)
        for (uint32_t c = 0; c < result.components(); ++c) {
            const size_t at = size_t{c} * s.lanes + lane.lane;
            const uint32_t width = widthOf(scalarOf(*result.type, c));
            if (!then.defined[c].test(lane.lane) || !other.defined[c].test(lane.lane)) return false;
            const auto termOf = [&](const Result& of) {
                return of.terms[at] != 0 ? of.terms[at] : terms.constant(of.bits[at], width);
            };
            const TermId merged = terms.chosen(lane.condition, termOf(then), termOf(other));
            result.at(c, lane.lane) = terms[merged].bits;
            result.setDeviation(c, lane.lane, terms.constantOf(merged) ? 0 : merged);
        }
    return true;
}

std::optional<Step> Alternatives::execute(Subgroup& s, uint32_t operands,
                                          const std::function<Step()>& again) {
    const bool isAllowed = std::ranges::find(kOfOwnLane, s.at->opcode) != std::end(kOfOwnLane);
    if (!isAllowed || s.at->handler != s.at->row->handler || !isOfBits(*s.at->type) ||
        !s.strays.empty() || !s.holes.empty())
        return std::nullopt;
    if (depth_ == 0) rounds_ = 0;
    std::vector<Lane> lanes;
    if (depth_ > kMostValues || rounds_ > kMostRounds || !find(s, operands, lanes) || lanes.empty())
        return std::nullopt;
    std::array<Result, 2> results;
    Step step = Step::kNext;
    ++depth_;
    for (const uint32_t way : {0u, 1u}) {
        ++rounds_;
        if (step == Step::kNext) step = executeWith(s, lanes, way == 0, results[way], again);
    }
    --depth_;
    if (step == Step::kNext && merge(s, lanes, results[0], results[1])) return step;
    all_.stop(s, lanes[0].lane, "data choose whether the result is undefined");
    return Step::kStop;
}

std::vector<uint64_t> fewValuesOf(const Terms& terms, TermId term, size_t most) {
    const auto values = FewValues(terms, most).of(term);
    return values ? std::vector<uint64_t>(values->begin(), values->end()) : std::vector<uint64_t>{};
}

}  // namespace coopvk::reference::symbols
