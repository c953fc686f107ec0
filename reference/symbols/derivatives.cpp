// SPDX-License-Identifier: Apache-2.0
//
// Derivatives: of all values of the quad. Which of them a plain one takes is open, also where all
// are known. SPIR-V, OpDPdx: "Result is the same as either OpDPdxFine or OpDPdxCoarse on P.
// Selection of which one is based on external factors."
#include "execution/opcode_table.hpp"
#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {
namespace {

void derive(const Transferred& t) {
    const Value &from = t.operand(0), &result = t.result();
    const auto deriveAt = [&](uint32_t c, uint32_t lane) {
        const Type& type = scalarOf(*result.type, c);
        Function f{.program = t.s.program, .at = t.at, .opcode = t.at.row->opcode};
        f.at.type = &type;
        f.details = {lane % 4};
        std::vector<TermId> operands;
        for (uint32_t other = lane & ~3u; other <= (lane | 3u); ++other) {
            if (!t.mask.test(other) || !from.isDefined(c, other)) continue;
            operands.push_back(t.all.termOf(from, c, other));
            f.types.push_back(&type);
            f.details.push_back(other % 4);
        }
        t.set(c, lane,
              t.terms().opaque(t.terms().function(std::move(f)), operands, result.at(c, lane)));
    };
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            if (result.isDefined(c, lane)) deriveAt(c, lane);
        });
}

constexpr TransferRow derivativeRow(spv::Op opcode) {
    return {numberIn(opcode), derive, ~uint32_t{0}, true};
}
constexpr TransferRow kDerivativeRows[] = {
    derivativeRow(OpDPdx),   derivativeRow(OpDPdxFine),   derivativeRow(OpDPdxCoarse),
    derivativeRow(OpDPdy),   derivativeRow(OpDPdyFine),   derivativeRow(OpDPdyCoarse),
    derivativeRow(OpFwidth), derivativeRow(OpFwidthFine), derivativeRow(OpFwidthCoarse),
};

}  // namespace

std::span<const TransferRow> derivativeTransfers() { return kDerivativeRows; }

}  // namespace coopvk::reference::symbols
