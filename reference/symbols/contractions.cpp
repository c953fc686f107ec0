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

// One operation that is no sum of an operand: nothing else is computed as one with them.
constexpr uint32_t kSingle[] = {numberIn(OpFMul),           numberIn(OpFDiv),
                                numberIn(OpFNegate),        numberIn(GLSLstd450FAbs),
                                numberIn(GLSLstd450FSign),  numberIn(GLSLstd450FMin),
                                numberIn(GLSLstd450FMax),   numberIn(GLSLstd450FClamp),
                                numberIn(GLSLstd450NMin),   numberIn(GLSLstd450NMax),
                                numberIn(GLSLstd450NClamp), numberIn(GLSLstd450Floor),
                                numberIn(GLSLstd450Ceil),   numberIn(GLSLstd450Trunc),
                                numberIn(GLSLstd450Round),  numberIn(GLSLstd450RoundEven),
                                numberIn(GLSLstd450Sqrt),   numberIn(GLSLstd450InverseSqrt),
                                numberIn(GLSLstd450Exp2),   numberIn(GLSLstd450Log2),
                                numberIn(OpFConvert),       numberIn(OpQuantizeToF16),
                                numberIn(GLSLstd450Step),   numberIn(GLSLstd450Ldexp)};

// On integers, with one of the operands as result.
constexpr uint32_t kOneOfBoth[] = {numberIn(GLSLstd450UMin),   numberIn(GLSLstd450UMax),
                                   numberIn(GLSLstd450SMin),   numberIn(GLSLstd450SMax),
                                   numberIn(GLSLstd450UClamp), numberIn(GLSLstd450SClamp)};

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

bool givesProduct(const Function& f) {
    constexpr uint32_t kOthers[] = {numberIn(OpFAdd),
                                    numberIn(OpFSub),
                                    numberIn(GLSLstd450Fma),
                                    numberIn(OpFmaKHR),
                                    numberIn(GLSLstd450FMix),
                                    numberIn(OpFMod),
                                    numberIn(OpFRem),
                                    numberIn(OpFDiv),
                                    numberIn(GLSLstd450Length),
                                    numberIn(GLSLstd450Modf),
                                    numberIn(GLSLstd450Fract),
                                    numberIn(GLSLstd450ModfStruct),
                                    numberIn(GLSLstd450Distance)};
    if (f.type().kind != Kind::kFloat || isAmong(kOthers, f.opcode)) return false;
    return f.opcode == numberIn(OpFMul) || !isAmong(kSingle, f.opcode);
}

// Operands of which a compiler may know, by whatever it finds out, that they are the result: then
// it removes the instruction.
std::vector<TermId> Contractions::resultsOf(TermId term) const {
    const TermKind kind = terms_[term].kind;
    std::vector<TermId> results;
    if (kind == TermKind::kJoined)
        for (const Piece& piece : terms_.pieces(term))
            if (!piece.isConstant()) results.push_back(piece.term);
    if (kind == TermKind::kChosen) results = {terms_.operand(term, 1), terms_.operand(term, 2)};
    if (kind == TermKind::kReduced || kind == TermKind::kProduct)
        results.assign(terms_.operands(term).begin(), terms_.operands(term).end());
    if (kind == TermKind::kConverted) results = {terms_.operand(term, 0)};
    if (kind != TermKind::kApplied && kind != TermKind::kOpaque) return results;
    const Function& f = terms_.functionOf(term);
    if (f.isFree) return {terms_.operand(term, 0)};
    if (f.type().kind != Kind::kFloat && !isAmong(kOneOfBoth, f.opcode)) return results;
    const auto isZero = [&](uint32_t n) {
        const auto bits = terms_.constantOf(terms_.operand(term, n));
        return bits && numbers::decodeDouble(f.types[n]->number, *bits) == 0;
    };
    // Without a zero a sum is none of its operands.
    const auto isAdded = [&](uint32_t n) {
        if (f.opcode == numberIn(OpFAdd) || f.opcode == numberIn(OpFSub)) return !isZero(1 - n);
        const bool isFused = f.opcode == numberIn(GLSLstd450Fma) || f.opcode == numberIn(OpFmaKHR);
        return isFused && !(n == 2 ? isZero(0) || isZero(1) : isZero(2));
    };
    for (uint32_t n = 0; n < terms_[term].count && n < f.types.size(); ++n)
        if (f.types[n]->kind != Kind::kBool && !isAdded(n))
            results.push_back(terms_.operand(term, n));
    return results;
}

uint8_t Contractions::productsIn(TermId term) {
    if (const auto* known = valueIn(products_, term)) return *known;
    uint8_t products = 0;
    const auto contracted = [](const auto& of) {
        return !of.isLoose ? kExactProducts : of.isRounded ? kStoredProducts : kLooseProducts;
    };
    const TermKind kind = terms_[term].kind;
    // A quotient by a constant may be a product.
    const bool isQuotient =
        terms_.isApplied(term, numberIn(OpFDiv)) && terms_.constantOf(terms_.operand(term, 1));
    if ((kind == TermKind::kApplied || kind == TermKind::kOpaque) &&
        (isQuotient || givesProduct(terms_.functionOf(term))) && !terms_.isFree(term))
        products = contracted(terms_.functionOf(term));
    if (kind == TermKind::kProduct && numbers::format(terms_.sumOf(term).result).floating())
        products = contracted(terms_.sumOf(term));
    for (const TermId of : resultsOf(term))
        if (of != term) products |= productsIn(of);
    return products_[term] = products;
}

bool Contractions::contractsWith(const Function& f) {
    return f.mayContract && !f.isFree && !isAmong(kSingle, f.opcode);
}

bool Contractions::mayContract(TermId sum) {
    for (uint32_t n = 0; n < terms_[sum].count; ++n)
        if (contractsWith(terms_.functionOf(sum)) &&
            (productsIn(terms_.operand(sum, n)) & (kLooseProducts | kStoredProducts)) != 0)
            return true;
    return false;
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
