// SPDX-License-Identifier: Apache-2.0
//
// Comparisons of memory, and terms in words.
#include "coopvk_reference/symbols.hpp"
#include "execution/opcode_table.hpp"
#include "symbols/comparison.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference {

using symbols::Pieces;
using symbols::TermId;

Proof::Proof(Symbols& symbols)
    : symbols_(symbols),
      comparison_(std::make_unique<symbols::Comparison>(symbols.computation().terms,
                                                        symbols.computation().tried)) {}
Proof::~Proof() = default;

Deviation Proof::termOf(const Deviation* deviations, const std::byte* bytes, uint32_t size) {
    symbols::Terms& terms = comparison_->terms();
    Pieces pieces;
    for (uint32_t i = 0; i < size; ++i) {
        const TermId byte =
            deviations[i] != 0 ? deviations[i] : terms.constant(uint64_t(bytes[i]), 8);
        terms.addPieces(byte, 0, 8, pieces);
    }
    return terms.joined(pieces);
}

bool Proof::allows(const Deviation* native, const std::byte* nativeBytes,
                   const Deviation* rewritten, const std::byte* rewrittenBytes, uint32_t size,
                   std::optional<numbers::Number> number) {
    const TermId n = termOf(native, nativeBytes, size);
    const TermId r = termOf(rewritten, rewrittenBytes, size);
    if (comparison_->allows(n, r, number)) return true;
    symbols_.computation().undecided = {r, n};
    return false;
}

uint32_t Proof::assumptions() const {
    const bool converts = symbols_.computation().obligations.convertsMore();
    return comparison_->assumptions() | (converts ? uint32_t{kInRange} : 0);
}
std::string Proof::reason() const { return comparison_->reason(); }

namespace symbols {
namespace {

// A term to a depth.
std::string textOf(const Terms& terms, TermId id, uint32_t depth) {
    const Term& term = terms[id];
    const auto list = [&](std::string_view name) {
        std::string text(name);
        text += '(';
        for (uint32_t n = 0; n < term.count; ++n) {
            if (n == 6) return text + ", ...)";
            text += (n > 0 ? ", " : "") + textOf(terms, terms.operand(id, n), depth - 1);
        }
        return text + ')';
    };
    if (id == 0) return "nothing";
    if (term.kind == TermKind::kByte) return std::format("byte{}", id);
    if (term.kind == TermKind::kConstant) return std::format("{:#x}:{}", term.bits, term.width);
    if (depth == 0) return std::format("t{}:{}", id, term.width);
    switch (term.kind) {
        case TermKind::kConverted: {
            const Conversion& c = terms.conversionOf(id);
            return list(
                std::format("{}_to_{}", numbers::format(c.from).name, numbers::format(c.to).name));
        }
        case TermKind::kApplied: {
            const Function& f = terms.functionOf(id);
            return list(f.opcode >= kGlslSet ? std::format("GLSL{}", f.opcode - kGlslSet)
                                             : std::format("Op{}", f.opcode));
        }
        case TermKind::kChosen:
            return list("choose");
        case TermKind::kProduct:
            return list(std::format("sum_{}", numbers::format(terms.sumOf(id).result).name));
        case TermKind::kReduced:
            return list(
                std::format("reduced_{}", numbers::format(terms.reductionOf(id).number).name));
        case TermKind::kOpaque:
            return list(std::format("Op{}", terms.functionOf(id).opcode & 0xFFFF));
        default:
            break;
    }
    std::string text = "[";
    for (const Piece& p : terms.pieces(id)) {
        if (text.size() > 1) text += ' ';
        if (p.isConstant())
            text += std::format("{}x{}", p.first, p.count);
        else
            text += std::format("{}.{}{}{}", textOf(terms, p.term, depth - 1), p.first,
                                p.isFill ? "x" : "+", p.count);
    }
    return text + "]";
}

}  // namespace

std::string Comparison::reason() const {
    const auto both = [&](const std::pair<TermId, TermId>& of) {
        return std::format("{} and {}", textOf(terms_, of.first, 4), textOf(terms_, of.second, 4));
    };
    if (outermost_ == innermost_) return both(innermost_);
    return std::format("{}, nor in {}", both(innermost_), both(outermost_));
}

}  // namespace symbols
}  // namespace coopvk::reference
