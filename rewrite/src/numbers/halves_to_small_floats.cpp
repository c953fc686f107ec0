// SPDX-License-Identifier: Apache-2.0
#include "lowering/small_float_rounding.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

bool lowerByHalves(NumbersContext& context, Emitter& emit, const Instruction& i) {
    TypeTable& types = context.types;
    const Number* number = context.format(i.type);
    const Id from = context.module.def(i.word(0)).type;
    const bool isAsked = i.opcode == OpFConvert && number != nullptr && types.isHalf(from) &&
                         context.format(from) == nullptr && types.components(from) > 1;
    if (!isAsked || !roundsHalvesFast(context.target.device) ||
        !canRoundHalves(context.module, *number)) {
        return false;
    }
    const Id f16 = types.scalarOf(from), u8 = types.intType(8, false);
    types.declareArithmetic(f16);
    const Id pair = types.vectorType(f16, 2);
    std::vector<Id> halves = emit.parts(i.word(0)), bytes;
    const size_t count = halves.size();
    if (count % 2 != 0) halves.push_back(types.constantNull(f16));
    for (size_t first = 0; first < count; first += 2) {
        const Id two = emit.construct(pair, std::span<const Id>(halves).subspan(first, 2));
        const Id word = roundedBytes(emit, *number, two, context.isSaturated(i.result));
        const Id four = emit.bitcast(types.vectorType(u8, 4), word);
        for (const uint32_t at : {0u, 2u}) bytes.push_back(emit.extract(u8, four, {at}));
    }
    bytes.resize(count);
    defineResult(context, emit, i,
                 emit.join(types.vectorType(u8, static_cast<uint32_t>(count)), bytes));
    return true;
}

}  // namespace coopvk::rewrite
