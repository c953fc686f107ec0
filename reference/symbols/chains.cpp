// SPDX-License-Identifier: Apache-2.0
//
// Operations on integers and bools that give one result in any order: SPIR-V, OpBitwiseOr, "Result
// is 1 if either Operand 1 or Operand 2 is 1", each bit for itself; GLSL.std.450, SMax, "Result is
// y if x < y; otherwise result is x". What is combined twice counts once.
#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {
namespace {

constexpr size_t kMostLinks = 4096;
constexpr uint32_t kInAnyOrder[] = {numberIn(OpBitwiseAnd),   numberIn(OpBitwiseOr),
                                    numberIn(GLSLstd450UMin), numberIn(GLSLstd450UMax),
                                    numberIn(GLSLstd450SMin), numberIn(GLSLstd450SMax)};

// The instruction on integers that combines all, or logic: choices of bools.
enum class Logic : uint32_t { kAnd = ~uint32_t{1}, kOr = ~uint32_t{0} };
std::optional<uint32_t> combinationOf(const Terms& terms, TermId id) {
    if (terms[id].kind == TermKind::kApplied) {
        const Function& f = terms.functionOf(id);
        const bool is = std::ranges::find(kInAnyOrder, f.opcode) != std::end(kInAnyOrder) &&
                        f.type().kind != Kind::kFloat && f.types[0]->width == f.type().width &&
                        f.types[1]->width == f.type().width;
        return is ? std::optional(f.base) : std::nullopt;
    }
    if (terms[id].kind != TermKind::kChosen || terms[id].width != 1) return std::nullopt;
    if (terms.constantOf(terms.operand(id, 1)) == 1) return uint32_t(Logic::kOr);
    if (terms.constantOf(terms.operand(id, 2)) == 0) return uint32_t(Logic::kAnd);
    return std::nullopt;
}

bool addLinks(const Terms& terms, TermId id, uint32_t combination, std::vector<TermId>& to) {
    if (to.size() > kMostLinks) return false;
    if (combinationOf(terms, id) != combination) return void(to.push_back(id)), true;
    const bool isOr = combination == uint32_t(Logic::kOr);
    const bool isLogic = isOr || combination == uint32_t(Logic::kAnd);
    return addLinks(terms, terms.operand(id, 0), combination, to) &&
           addLinks(terms, terms.operand(id, isLogic && isOr ? 2 : 1), combination, to);
}

void makeSet(std::vector<TermId>& links) {
    std::ranges::sort(links);
    links.erase(std::unique(links.begin(), links.end()), links.end());
}

}  // namespace

// Each of both sides is one of the other side.
bool Comparison::allowsInAnyOrder(TermId native, TermId rewritten) {
    const auto combination = combinationOf(terms_, native);
    if (!combination || combinationOf(terms_, rewritten) != combination) return false;
    std::vector<TermId> wanted, got, left, right;
    if (!addLinks(terms_, native, *combination, wanted) ||
        !addLinks(terms_, rewritten, *combination, got))
        return false;
    makeSet(wanted);
    makeSet(got);
    std::ranges::set_difference(wanted, got, std::back_inserter(left));
    std::ranges::set_difference(got, wanted, std::back_inserter(right));
    const auto stands = [&](TermId n, TermId r) {
        return terms_[n].bits == terms_[r].bits && allows(n, r, std::nullopt);
    };
    for (const TermId n : left)
        if (std::ranges::none_of(got, [&](TermId r) { return stands(n, r); })) return false;
    for (const TermId r : right)
        if (std::ranges::none_of(wanted, [&](TermId n) { return stands(n, r); })) return false;
    return std::ranges::all_of(
        wanted, [&](TermId n) { return !std::ranges::binary_search(got, n) || noteSame(n); });
}

}  // namespace coopvk::reference::symbols
