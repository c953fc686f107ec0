// SPDX-License-Identifier: Apache-2.0
#include "symbols/shadow.hpp"

#include <cstring>

#include "execution/opcode_table.hpp"
#include "execution/tangles.hpp"
#include "matrices/matrix.hpp"
#include "symbols/alternatives.hpp"
#include "symbols/atomics.hpp"
#include "symbols/forks.hpp"
#include "symbols/narrowing.hpp"
#include "symbols/objections.hpp"
#include "symbols/solving.hpp"
#include "symbols/uniform_descriptors.hpp"

namespace coopvk::reference::symbols {
namespace {

void clear(const Value& value, LaneMask mask) {
    if (value.deviations == nullptr) return;
    for (uint32_t c = 0; c < value.components(); ++c)
        mask.forEach([&](uint32_t lane) { value.setDeviation(c, lane, 0); });
}

// The first lane in which a part of the value is no constant.
std::optional<uint32_t> laneOfTerm(const Value& value, LaneMask mask) {
    if (value.deviations == nullptr) return std::nullopt;
    std::optional<uint32_t> found;
    for (uint32_t c = 0; c < value.components() && !found; ++c)
        mask.forEach([&](uint32_t lane) {
            if (!found && value.deviationAt(c, lane) != 0) found = lane;
        });
    return found;
}

// What other lanes have, or all of them.
bool takesLanes(uint32_t opcode) {
    return (opcode >= numberIn(OpGroupNonUniformElect) &&
            opcode <= numberIn(OpGroupNonUniformQuadSwap)) ||
           opcode == numberIn(OpGroupNonUniformRotateKHR) ||
           opcode == numberIn(OpSubgroupFirstInvocationKHR) ||
           opcode == numberIn(OpSubgroupReadInvocationKHR);
}

class SymbolShadow final : public Shadow {
 public:
    explicit SymbolShadow(Computation& all)
        : all_(all), forks_(all), alternatives_(all), atomics_(all) {}

    void endList(Subgroup& s, uint32_t lane) override {
        all_.stop(s, lane, "it gives or takes more values than a list of its stage has");
    }
    Step execute(Subgroup& s) override {
        const Instruction& at = *s.at;
        const LaneMask mask = s.mask;
        subgroup_ = &s;
        all_.parted.areApart |= s.tangles != nullptr && !s.tangles->others.empty();
        all_.parted.returned |= s.tangles != nullptr && s.tangles->haveReturned;
        const auto liberties = all_.libertiesOf(*s.program, at);
        if (const auto objection = objectionBefore(s, s.program == all_.original))
            return refuse(s, objection->lane, objection->text);
        if (!descriptors_.areSame(s))
            return refuse(s, mask.first(),
                          "it accesses another descriptor than another subgroup does, and the "
                          "pointer is not NonUniform");
        if (liberties && at.opcode == OpStore) return storeFreely(s, *liberties);
        const Step step = executePlainly(s);
        if (at.result != kNone && all_.obstacle.empty() && computesHere(at))
            Transferred{all_, s, at, mask}.openNans();
        if (liberties && at.result != kNone && all_.obstacle.empty())
            Transferred{all_, s, at, mask}.free(s.values[at.result], *liberties);
        if (at.isUniform && at.result != kNone && !isUniform(s, s.values[at.result], mask))
            return refuse(s, mask.first(), "it is Uniform, and lanes are not known to be the same");
        return step;
    }
    Step executePlainly(Subgroup& s) {
        const Instruction& at = *s.at;
        const LaneMask mask = s.mask;
        all_.settles = !passesProducts(at.row->opcode);
        if (at.result != kNone && at.opcode != OpVariable) clear(s.result(), mask);
        if (forks_.isInside() && !Forks::isAllowed(s)) return refuse(s, mask.first(), kDepends);
        if (at.opcode == OpBranchConditional && laneOfTerm(s.operand(0), mask) &&
            !isKnown(s.operand(0), mask)) {
            const auto step = forks_.fork(s);
            return step ? *step : refuseFor(s, s.values[at[0].slot], mask, kDepends);
        }
        const TransferRow* row = findTransfer(at.row->opcode);
        const bool isWhole = at.handler != at.row->handler;
        const bool isEach = at.row->defined == Defined::kComponentwise;
        bool isAffected = false;
        for (uint32_t n = 0; n < at.operands.size(); ++n) {
            if (at[n].slot == kNone) continue;
            const Value& operand = s.values[at[n].slot];
            if (!laneOfTerm(operand, mask)) continue;
            const bool isData = row != nullptr ? (row->data >> n & 1) != 0 : isEach;
            if (!isData && isKnown(operand, mask)) continue;
            isAffected = true;
            if (isData) continue;
            const uint32_t known = row != nullptr ? ~row->data : 0;
            if (const auto step =
                    alternatives_.execute(s, known, [&] { return executePlainly(s); }))
                return *step;
            return refuseFor(s, operand, mask, row != nullptr ? kDepends : kUnknown);
        }
        if (const auto lane = laneBeyondOriginal(s))
            return refuse(s, *lane, "it is undefined for some data, and the original is not");
        all_.readsSymbols = false;
        const Step step = at.handler(s);
        if (const auto objection = objectionAfter(s)) {
            if (s.program == all_.original)
                all_.obligations.noteUndefined();
            else if (!all_.obligations.isUndefined())
                return refuse(s, objection->lane, objection->text);
        }
        if (row == nullptr && all_.readsSymbols) return refuse(s, mask.first(), kUnknown);
        const bool isLoad = at.opcode == OpLoad && all_.readsSymbols;
        const bool isOpen = at.result != kNone && isOpenHere(at, row);
        if ((!isAffected && !isLoad && !isOpen) || at.result == kNone || isWhole) return step;
        transfer({all_, s, at, mask, isOpen}, row);
        return all_.obstacle.empty() ? step : Step::kStop;
    }
    // One for which the original does not execute this.
    std::optional<uint32_t> laneBeyondOriginal(Subgroup& s) {
        const Instruction& at = *s.at;
        if (at.result == kNone || !Obligations::mayHave(at)) return {};
        const Transferred here{all_, s, at, s.mask};
        std::optional<uint32_t> found;
        s.mask.forEach([&](uint32_t lane) {
            const Path path = forks_.pathOf(lane);
            for (uint32_t c = 0; c < here.result().components(); ++c)
                if (!all_.obligations.fulfil(here, c, lane, path)) found = lane;
        });
        return found;
    }
    static void transfer(const Transferred& here, const TransferRow* row) {
        if (row != nullptr && row->transfer != nullptr)
            row->transfer(here);
        else if (row == nullptr)
            here.each([](uint32_t, uint32_t) { return TermId{0}; });
        if (takesLanes(here.at.row->opcode)) here.round();
    }

    Deviation ofDeviceIndex() override { return all_.deviceIndex(); }

    Deviation read(const Subgroup& s, uint32_t lane, const Deviation* from, uint64_t word,
                   uint32_t first, uint32_t bits) override {
        const uint32_t size = (bits + 7) / 8;
        if (std::all_of(from, from + size, [](Deviation d) { return d == 0; })) return 0;
        all_.readsSymbols = true;
        Pieces pieces;
        for (uint32_t i = 0; i < size; ++i) {
            const TermId byte =
                from[i] != 0 ? from[i] : all_.terms.constant(word >> i * 8 & 0xFF, 8);
            all_.terms.addPieces(byte, first, std::min(bits, 8u), pieces);
        }
        const TermId number = all_.terms.joined(pieces);
        all_.readers.noteRead(s, lane, {from, size}, number, s.program == all_.original);
        return shadowOf(number);
    }

    void write(const Subgroup& s, uint32_t lane, Deviation* to, const std::byte* data,
               uint32_t first, uint32_t bits, Deviation term) override {
        Terms& terms = all_.terms;
        const uint32_t size = (bits + 7) / 8;
        if (bits < 8) {
            Pieces pieces;
            const auto byte = uint64_t(data[0]);
            const TermId old = to[0] != 0 ? to[0] : terms.constant(byte, 8);
            const TermId part = term != 0 ? term : terms.constant(byte >> first, bits);
            terms.addPieces(old, 0, first, pieces);
            terms.addPieces(part, 0, bits, pieces);
            terms.addPieces(old, first + bits, 8 - first - bits, pieces);
            to[0] = shadowOf(terms.joined(pieces));
            return;
        }
        if (term == 0) return void(std::fill_n(to, size, Deviation{0}));
        all_.readers.noteWrite(s, lane, {to, size}, term);
        term = terms.rounded(term);  // other invocations may read it
        Pieces pieces;
        const uint32_t width = terms[term].width;
        terms.addPieces(term, 0, std::min(width, bits), pieces);
        if (width < bits) pieces.push_back({0, 0, uint8_t(bits - width), true});
        const TermId whole = terms.joined(pieces);
        for (uint32_t i = 0; i < size; ++i) to[i] = shadowOf(terms.part(whole, i * 8, 8));
    }

    void noteOperand(const Subgroup& s, const Type&, const Value& value, uint32_t lane,
                     AtomicAccess&) override {
        atomics_.setOperand(s.at, all_.termOf(value, 0, lane), lane);
    }
    Deviation afterAtomic(Deviation* memory, const std::byte* data, uint32_t size,
                          const AtomicAccess&, uint64_t before) override {
        return atomics_.apply(*subgroup_, memory, data, size, before);
    }

    Deviation converted(const Element& from, numbers::Number number,
                        const numbers::Conversion& conversion, uint64_t bits) override {
        if (from.deviation == 0) return 0;
        return shadowOf(all_.terms.converted({number, conversion.to(), conversion.rule()},
                                             from.deviation, bits));
    }
    Deviation converted(const Element& from, numbers::Number number, numbers::Number,
                        const numbers::Conversion& conversion, uint64_t bits) override {
        return converted(from, number, conversion, bits);
    }

    Deviation regrouped(std::span<const Element> elements, uint32_t width, uint32_t bit,
                        uint32_t bits) override {
        Pieces pieces;
        for (const Element& e : elements)
            all_.terms.addPieces(
                e.deviation != 0 ? e.deviation : all_.terms.constant(e.bits, width), 0, width,
                pieces);
        const TermId whole = all_.terms.joined(pieces);
        return shadowOf(all_.terms.part(whole, bit, bits));
    }

    void multiply(const matrices::Matrix& a, const matrices::Matrix& b, const matrices::Matrix& c,
                  const matrices::SumRule& rule, matrices::Matrix& result) override {
        const Sum sum{a.number,
                      b.number,
                      c.number,
                      rule.result,
                      rule.saturate,
                      subgroup_->at->mayContract,
                      subgroup_->at->isLoose,
                      numbers::format(rule.result).floating()};
        std::vector<TermId> operands(size_t{a.columns} * 2 + 1);
        for (uint32_t row = 0; row < result.rows; ++row)
            for (uint32_t column = 0; column < result.columns; ++column) {
                for (uint32_t k = 0; k < a.columns; ++k) {
                    operands[k * 2] = termOf(a.at(row, k), a.number);
                    operands[k * 2 + 1] = termOf(b.at(k, column), b.number);
                }
                operands.back() = termOf(c.at(row, column), c.number);
                Element& element = result.at(row, column);
                element.deviation = all_.terms.product(sum, operands, element.bits);
            }
    }

    std::optional<std::array<Element, 2>> placeholders(numbers::Number number) override {
        std::array<Element, 2> both;
        const auto terms = all_.terms.placeholders(number);
        for (size_t n = 0; n < both.size(); ++n)
            both[n] = {all_.terms[terms[n]].bits, true, terms[n]};
        return both;
    }
    void reduce(const matrices::Matrix& from, uint32_t mode, const Element& combined,
                matrices::Matrix& result) override {
        const auto [left, right] = all_.terms.placeholders(from.number);
        const Reduction reduction{from.number, termOf(combined, from.number), left, right};
        for (uint32_t row = 0; row < result.rows; ++row)
            for (uint32_t column = 0; column < result.columns; ++column) {
                std::vector<TermId> elements;
                bool isConstant = true;
                matrices::forReduced(from, mode, row, column, [&](const Element& element) {
                    elements.push_back(termOf(element, from.number));
                    isConstant &= element.deviation == 0;
                });
                Element& to = result.at(row, column);
                to.deviation = 0;
                // Of floats the order may count.
                if (isConstant && (elements.size() == 1 || isInAnyOrder(elements, reduction)))
                    continue;
                to.deviation = elements.size() == 1
                                   ? elements[0]
                                   : all_.terms.reduced(reduction, std::move(elements),
                                                        row * result.columns + column, to.bits);
            }
    }

 private:
    static constexpr auto kUnknown = "no proof knows what it makes of data";
    static constexpr auto kDepends = "where it goes, or what it accesses, depends on data";

    Step refuse(Subgroup& s, uint32_t lane, std::string_view what) {
        all_.stop(s, lane, what);
        return Step::kStop;
    }
    bool isInAnyOrder(std::span<const TermId> elements, const Reduction& reduction) const {
        const Terms& terms = all_.terms;
        if (terms[reduction.combined].kind != TermKind::kApplied) return false;
        const auto of = terms.operands(reduction.combined);
        if (!std::ranges::is_permutation(of, std::array{reduction.left, reduction.right}))
            return false;
        if (!numbers::format(reduction.number).floating())
            return terms.functionOf(reduction.combined).commutes;
        std::vector<double> all;
        for (const TermId element : elements)
            all.push_back(numbers::decodeDouble(reduction.number, terms[element].bits));
        return symbols::isInAnyOrder(terms.functionOf(reduction.combined).opcode, all,
                                     reduction.number);
    }
    static bool isPhysical(const Type& type) {
        return type.kind == Kind::kPointer &&
               type.storage == spv::StorageClass::PhysicalStorageBuffer;
    }
    // Whether it does not depend on data, although it is made of some, or on what devices choose.
    bool isKnown(const Value& value, LaneMask mask) {
        bool is = true;
        for (uint32_t c = 0; c < value.components(); ++c)
            mask.forEach([&](uint32_t lane) {
                const TermId term = value.deviationAt(c, lane);
                if (term == 0 || all_.contractions.isSettled(term)) return;
                if (all_.terms.constantOf(Narrowing(all_.terms).of(term)))
                    value.setDeviation(c, lane, 0);
                else
                    is = false;
            });
        return is;
    }
    bool isOpenHere(const Instruction& at, const TransferRow* row) {
        const auto [found, isNew] = open_.emplace(&at, false);
        if (isNew) found->second = isOpen(at, row);
        return found->second;
    }
    bool computesHere(const Instruction& at) {
        const auto [found, isNew] = computes_.emplace(&at, false);
        if (isNew) found->second = at.type != nullptr && computes(at);
        return found->second;
    }
    // The operand is then what it was.
    Step storeFreely(Subgroup& s, uint32_t liberties) {
        const Value value = s.values[(*s.at)[1].slot];
        std::vector<Deviation> before;
        const auto each = [&](auto&& f) {
            for (uint32_t c = 0; c < value.components(); ++c)
                s.mask.forEach([&](uint32_t lane) { f(c, lane); });
        };
        const LaneMask mask = s.mask;
        each([&](uint32_t c, uint32_t lane) { before.push_back(value.deviationAt(c, lane)); });
        Transferred{all_, s, *s.at, mask}.free(value, liberties);
        const Step step = executePlainly(s);
        size_t next = 0;
        each([&](uint32_t c, uint32_t lane) { value.setDeviation(c, lane, before[next++]); });
        return step;
    }
    // One value in all lanes, or values of which the original promises it.
    bool isUniform(const Subgroup& s, const Value& value, LaneMask mask) {
        for (uint32_t c = 0; c < value.components(); ++c) {
            Obligations::Lanes lanes;
            mask.forEach([&](uint32_t lane) {
                lanes.push_back({lane, value.at(c, lane), value.deviationAt(c, lane)});
            });
            const auto isSame = [&](const auto& one) {
                return one[1] == lanes[0][1] && one[2] == lanes[0][2];
            };
            if (std::ranges::all_of(lanes, isSame)) continue;
            if (s.program != all_.original) {
                if (!all_.obligations.isPromised(lanes)) return false;
            } else if (!forks_.isInside()) {  // else only some data go there
                all_.obligations.promise(lanes);
            }
        }
        return true;
    }
    // The value would have to be known; of branches the outermost one counts.
    Step refuseFor(Subgroup& s, const Value& value, LaneMask mask, std::string_view what) {
        (void)all_.deciding.take();
        all_.decidesAddress =
            isPhysical(*value.type) || (s.at->result != kNone && isPhysical(*s.result().type));
        std::vector<TermId> undecided;
        for (uint32_t c = 0; c < value.components(); ++c)
            mask.forEach([&](uint32_t lane) {
                const TermId term = value.deviationAt(c, lane);
                if (term == 0) return;
                all_.deciding.add(all_.terms, term);
                undecided.push_back(term);
            });
        const Step step = refuse(s, *laneOfTerm(value, mask), what);
        all_.undecided = std::move(undecided);
        return step;
    }
    Deviation shadowOf(TermId term) const { return all_.terms.constantOf(term) ? 0 : term; }
    TermId termOf(const Element& element, numbers::Number number) {
        if (element.deviation != 0) return element.deviation;
        return all_.terms.constant(element.bits, numbers::format(number).bits);
    }

    Computation& all_;
    Forks forks_;
    Alternatives alternatives_;
    Atomics atomics_;
    UniformDescriptors descriptors_;
    Subgroup* subgroup_ = nullptr;
    std::unordered_map<const Instruction*, bool> open_, computes_;
};

}  // namespace

uint32_t widthOf(const Type& scalar) {
    return scalar.kind == Kind::kBool ? 1 : scalar.kind == Kind::kPointer ? 64 : scalar.width;
}

void Computation::stop(Subgroup& s, uint32_t lane, std::string_view what) {
    if (!obstacle.empty()) return;
    undecided.clear();
    const Report place = s.placeOf(lane);
    const std::string name = place.instruction.substr(0, place.instruction.find(' '));
    obstacle = std::format("{} (word {}): {}", name, s.at->word, what);
    s.group->sink->stop(obstacle);
}

TermId Computation::deviceIndex() {
    constexpr std::byte kFirst[4] = {};
    if (deviceIndex_ != 0) return deviceIndex_;
    const TermId first = terms.bytes(kFirst, sizeof(kFirst));
    Pieces pieces;
    for (uint32_t n = 0; n < sizeof(kFirst); ++n) terms.addPieces(first + n, 0, 8, pieces);
    return deviceIndex_ = terms.joined(pieces);
}

TermId Computation::termOf(const Value& value, uint32_t component, uint32_t lane) {
    const Deviation term = deviationOf(value, component, lane);
    if (term != 0) return term;
    return terms.constant(value.at(component, lane), widthOf(scalarOf(*value.type, component)));
}

void Transferred::set(uint32_t component, uint32_t lane, TermId term) const {
    const Term& of = terms()[term];
    const bool isExact = of.kind == TermKind::kConstant || of.kind == TermKind::kJoined;
    if (isExact && of.bits != result().at(component, lane))
        all.stop(s, lane, "its term is not what it computes");
    result().setDeviation(component, lane, of.kind == TermKind::kConstant ? 0 : term);
}

void Transferred::round() const {
    const TransferRow* row = findTransfer(at.row->opcode);
    const bool isOfOneLane = row != nullptr && row->transfer == nullptr;
    for (uint32_t c = 0; c < result().components(); ++c)
        mask.forEach([&](uint32_t lane) {
            const TermId term = result().deviationAt(c, lane);
            if (term == 0) return;
            const TermId number = terms().rounded(term);
            result().setDeviation(c, lane, number);
            if (s.program == all.original) {
                if (isOfOneLane) all.readers.note(number, kByOthers);
            } else if (!isOfOneLane || operand(1).deviationAt(c, lane) == term) {
                all.readers.note(number, kByItself);
            }
        });
}

bool Transferred::isConstant(uint32_t component, uint32_t lane) const {
    for (uint32_t n = 0; n < at.operands.size(); ++n)
        if (at[n].slot != kNone && !constant(n, component, lane)) return false;
    return true;
}

TermId Transferred::applied(uint32_t component, uint32_t lane) const {
    auto [found, isNew] = all.functions.emplace(&at, 0);
    if (isNew) {
        Function f{.program = s.program, .at = at, .opcode = at.row->opcode};
        f.at.type = &scalarOf(*at.type);
        for (const Operand& operand : at.operands)
            if (operand.slot != kNone) f.types.push_back(&scalarOf(*s.values[operand.slot].type));
        const bool isFloat = f.at.type->kind == Kind::kFloat;
        if (at.opcode == OpVectorTimesScalar || at.opcode == OpMatrixTimesScalar)
            f.opcode = isFloat ? numberIn(OpFMul) : numberIn(OpIMul);
        constexpr uint32_t kCommute[] = {numberIn(OpFAdd),
                                         numberIn(OpFMul),
                                         numberIn(OpIAdd),
                                         numberIn(OpIMul),
                                         numberIn(OpBitwiseAnd),
                                         numberIn(OpBitwiseOr),
                                         numberIn(OpBitwiseXor),
                                         numberIn(OpIEqual),
                                         numberIn(OpINotEqual),
                                         numberIn(OpLogicalEqual),
                                         numberIn(OpLogicalNotEqual),
                                         numberIn(GLSLstd450UMin),
                                         numberIn(GLSLstd450UMax),
                                         numberIn(GLSLstd450SMin),
                                         numberIn(GLSLstd450SMax)};
        f.commutes = std::ranges::find(kCommute, f.opcode) != std::end(kCommute);
        f.mayContract = isOfFloats(f) && at.mayContract;
        f.isLoose = isFloat && at.isLoose;
        found->second = all.terms.function(std::move(f));
    }
    std::vector<TermId> operands;
    for (uint32_t n = 0; n < at.operands.size(); ++n)
        if (at[n].slot != kNone) operands.push_back(term(n, component, lane));
    return terms().applied(found->second, operands, result().at(component, lane));
}

const TransferRow* findTransfer(uint32_t opcode) {
    static const auto table = [] {
        std::unordered_map<uint32_t, const TransferRow*> rows;
        for (const auto list : {bitTransfers(), otherTransfers(), wholeTransfers(),
                                boundTransfers(), derivativeTransfers()})
            for (const TransferRow& row : list) rows.emplace(row.opcode, &row);
        return rows;
    }();
    const auto* found = valueIn(table, opcode);
    return found != nullptr ? *found : nullptr;
}

std::unique_ptr<Shadow> makeSymbolShadow(Symbols& symbols) {
    return std::make_unique<SymbolShadow>(symbols.computation());
}

}  // namespace coopvk::reference::symbols

namespace coopvk::reference {

Symbols::Symbols() : computation_(std::make_unique<symbols::Computation>()) {}
Symbols::~Symbols() = default;

Deviation Symbols::addBytes(const std::byte* sample, uint64_t size) {
    return computation_->terms.bytes(sample, size);
}
void Symbols::setContents(uint64_t number) { computation_->obligations.setContents(number); }
LanesParted Symbols::takeLanesParted() { return std::exchange(computation_->parted, {}); }
std::string Symbols::takeObstacle() { return std::exchange(computation_->obstacle, {}); }
std::vector<std::vector<KnownBits>> Symbols::otherContents(size_t most) const {
    symbols::Solver solver(computation_->terms);
    std::vector<std::vector<KnownBits>> all;
    for (const symbols::Contents& contents : solver.turned(computation_->undecided, most)) {
        std::vector<KnownBits>& of = all.emplace_back();
        for (const auto& [byte, bits] : contents) of.push_back({{byte, bits[0]}, bits[1]});
    }
    return all;
}
std::vector<SymbolBits> Symbols::takeDecidingBits() {
    std::vector<SymbolBits> all;
    for (const auto& [byte, bits] : computation_->deciding.take()) all.push_back({byte, bits});
    return all;
}
bool Symbols::decidesAddress() const { return computation_->decidesAddress; }
Deviation Symbols::withBits(const SymbolBits& known, uint8_t bits) {
    symbols::Terms& terms = computation_->terms;
    symbols::Pieces pieces;
    for (uint32_t n = 0; n < 8; ++n) {
        const bool isKnown = (known.bits >> n & 1) != 0;
        terms.addPieces(isKnown ? terms.constant(bits, 8) : known.byte, n, 1, pieces);
    }
    const symbols::TermId joined = terms.joined(pieces);
    return terms.constantOf(joined) ? 0 : joined;
}
size_t Symbols::terms() const { return computation_->terms.count(); }

}  // namespace coopvk::reference
