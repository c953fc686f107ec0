// SPDX-License-Identifier: Apache-2.0
#include "symbols/contractions.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {

// Instructions on whole vectors and matrices that end with a product, or a sum of some.
constexpr uint32_t kOfProducts[] = {
    numberIn(OpOuterProduct),        numberIn(OpMatrixTimesVector),
    numberIn(OpVectorTimesMatrix),   numberIn(OpMatrixTimesMatrix),
    numberIn(GLSLstd450Cross),       numberIn(GLSLstd450Normalize),
    numberIn(GLSLstd450Reflect),     numberIn(GLSLstd450Refract),
    numberIn(GLSLstd450Determinant), numberIn(GLSLstd450MatrixInverse),
    numberIn(OpGroupNonUniformFMul)};

bool isComposed(const Function& f) {
    constexpr uint32_t kComposed[] = {numberIn(GLSLstd450Fma),
                                      numberIn(GLSLstd450FMix),
                                      numberIn(GLSLstd450SmoothStep),
                                      numberIn(GLSLstd450Degrees),
                                      numberIn(OpFMod),
                                      numberIn(GLSLstd450Radians),
                                      numberIn(OpFRem),
                                      numberIn(GLSLstd450Length),
                                      numberIn(GLSLstd450Distance),
                                      numberIn(GLSLstd450FaceForward)};
    return isAmong(kComposed, f.opcode) || isAmong(kOfProducts, f.opcode);
}

bool isOperation(const Function& f) { return f.type().kind == Kind::kFloat && !f.isFree; }

bool isOfFloats(const Function& f) {
    const auto isFloat = [](const Type* type) { return type->kind == Kind::kFloat; };
    return isFloat(&f.type()) || std::ranges::any_of(f.types, isFloat);
}

std::vector<TermId> Contractions::resultsOf(TermId term) const {
    std::vector<TermId> results;
    const std::span<const TermId> operands = terms_.operands(term);
    switch (terms_[term].kind) {
        case TermKind::kJoined:
            for (const Piece& piece : terms_.pieces(term))
                if (!piece.isConstant()) results.push_back(piece.term);
            break;
        case TermKind::kChosen:
            results.assign(operands.begin() + 1, operands.end());
            break;
        case TermKind::kConverted:
            if (!numbers::format(terms_.conversionOf(term).from).floating() ||
                !numbers::format(terms_.conversionOf(term).to).floating())
                break;
            [[fallthrough]];
        case TermKind::kReduced:
            results.assign(operands.begin(), operands.end());
            break;
        case TermKind::kApplied:
        case TermKind::kOpaque:
            if (terms_.isFree(term)) return {operands[0]};
            if (terms_.functionOf(term).type().kind == Kind::kInt)
                for (const TermId of : operands)
                    if (terms_[of].width == terms_[term].width) results.push_back(of);
            break;
        default:
            break;
    }
    return results;
}

uint8_t Contractions::operationsIn(TermId term) {
    if (const auto* known = valueIn(operations_, term)) return *known;
    uint8_t operations = 0;
    const auto kindOf = [](const auto& of) {
        return !of.isLoose ? kExact : of.isRounded ? kStored : kLoose;
    };
    const TermKind kind = terms_[term].kind;
    if ((kind == TermKind::kApplied || kind == TermKind::kOpaque) &&
        isOperation(terms_.functionOf(term)))
        operations = kindOf(terms_.functionOf(term));
    if (kind == TermKind::kProduct && numbers::format(terms_.sumOf(term).result).floating())
        operations = kindOf(terms_.sumOf(term));
    for (const TermId of : resultsOf(term))
        if (of != term) operations |= operationsIn(of);
    return operations_[term] = operations;
}

bool Contractions::mayContract(TermId term) {
    const TermKind kind = terms_[term].kind;
    const bool isFunction = kind == TermKind::kApplied || kind == TermKind::kOpaque;
    if (!isFunction || !contracts(terms_.functionOf(term))) return false;
    return std::ranges::any_of(terms_.operands(term),
                               [&](TermId of) { return (operationsIn(of) & kSeen) != 0; });
}

bool Contractions::isReadBy(TermId term, ReadBy by) {
    auto& all = readBy_[by == kByItself];
    if (const auto* known = valueIn(all, term)) return *known;
    bool is = terms_.isReadBy(term, by);
    for (const TermId of : resultsOf(term)) is = is || (of != term && isReadBy(of, by));
    return all[term] = is;
}

bool Contractions::contractsMore(TermId term) {
    return mayContract(term) && std::ranges::any_of(terms_.operands(term),
                                                    [&](TermId of) { return isSeenMore(of, of); });
}

bool Contractions::isComputedNan(TermId term) const {
    const auto isNan = [&](numbers::Number number) {
        return numbers::format(number).floating() &&
               std::isnan(numbers::decodeDouble(number, terms_[term].bits));
    };
    if (terms_[term].kind == TermKind::kConverted) return isNan(terms_.conversionOf(term).to);
    if (terms_[term].kind != TermKind::kApplied) return false;
    const Type& type = terms_.functionOf(term).type();
    return type.kind == Kind::kFloat && isNan(type.number);
}

bool Contractions::isSettledNumber(TermId term) {
    if (terms_.constantOf(term)) return true;
    if (const auto* known = valueIn(settled_, term)) return *known;
    bool is = false;
    const auto areSettled = [&](const auto& isNumber) {
        bool are = true;
        for (uint32_t n = 0; n < terms_[term].count; ++n) {
            const TermId of = terms_.operand(term, n);
            are = are && (isNumber(n) ? isSettledNumber(of) : isSettled(of));
        }
        return are;
    };
    switch (terms_[term].kind) {
        case TermKind::kConverted:
            is = areSettled([](uint32_t) { return true; });
            break;
        case TermKind::kChosen:
            is = areSettled([](uint32_t) { return false; });
            break;
        case TermKind::kApplied: {
            const Function& f = terms_.functionOf(term);
            is = isDetermined(f) && !mayContract(term) &&
                 areSettled([&](uint32_t n) { return f.types[n]->kind == Kind::kFloat; });
            break;
        }
        case TermKind::kJoined:
            is = std::ranges::all_of(terms_.pieces(term), [&](const Piece& piece) {
                return piece.isConstant() || isSettled(piece.term);
            });
            break;
        default:
            break;
    }
    return settled_[term] = is;
}

}  // namespace coopvk::reference::symbols
