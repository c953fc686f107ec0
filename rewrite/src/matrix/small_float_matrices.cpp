// SPDX-License-Identifier: Apache-2.0
#include "matrix/small_float_matrices.hpp"

#include "ir/opcodes.hpp"
#include "lowering/small_float_rounding.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

void castSmallFloats(Emitter& emit, const Instruction& i, const MatrixType& from,
                     const MatrixType& to) {
    const Id bits = emit.types().intType(to.number->bits, false);
    const std::vector<Slot> slots = slotsOf(from, extractPacks(emit, from, i.word(0)));
    const std::vector<Slot> memory =
        packComponents(emit, *from.number, slots, from.component, bits);
    const std::vector<Slot> components =
        unpackComponents(emit, *to.number, memory, bits, to.component);
    constructFromPacks(emit, to, gatherPacks(emit, to, components), i.result);
}

namespace {

// Whether arithmetic of two f16 at once is fast, and rounds to nearest even.
bool roundsByHalves(const MatrixContext& context, const MatrixType& from, const MatrixType& to) {
    return roundsHalvesFast(context.target.device) && from.packWidth == 2 &&
           context.types.isHalf(from.component) && to.hasSmallFloats() &&
           canRoundHalves(context.module, *to.number);
}

}  // namespace

void convertSmallFloats(MatrixContext& context, Emitter& emit, const Instruction& i,
                        const MatrixType& from, const MatrixType& to) {
    TypeTable& types = emit.types();
    const ArithmeticDecorations decorations(emit.module(), i.result);
    const bool saturates = emit.module().decoration(i.result, kSaturated).has_value();
    std::vector<Id> packs = extractPacks(emit, from, i.word(0));
    for (Id& pack : packs) {
        const Id type = types.vectorType(to.component, from.packWidth);
        if (from.number == to.number) continue;
        if (!to.hasSmallFloats() && emit.typeOf(pack) == type) continue;
        if (roundsByHalves(context, from, to)) {
            pack = roundedHalves(emit, *to.number, pack, saturates);
            continue;
        }
        const Id rounded = types.vectorType(to.format, from.packWidth);
        pack = emit.op(i.opcode, rounded, {pack});
        decorations.addTo(pack);
        if (rounded != type) pack = emit.op(OpFConvert, type, {pack});
    }
    constructFromPacks(emit, to, gatherPacks(emit, to, slotsOf(from, packs)), i.result);
}

}  // namespace coopvk::rewrite
