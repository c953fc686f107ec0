// SPDX-License-Identifier: Apache-2.0
#include "matrix/factors.hpp"

#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

std::vector<Id> ByteReading::bytes(Emitter& emit, Id word) const {
    Bits all(emit);
    if (offset != 0) word = all.flip(word, bits == 4 ? 0x88888888 : 0x80808080);
    if (bits == 8) return {word};
    if (shift == 0) return {all.mask(word, 0x0F0F0F0F), all.mask(all.right(word, 4), 0x0F0F0F0F)};
    return {all.mask(all.left(word, 4), 0xF0F0F0F0), all.mask(word, 0xF0F0F0F0)};
}

FactorSurvey::FactorSurvey(const MatrixUses& uses, const TypeTable& types,
                           const std::function<bool(const Instruction& type)>& isWanted, Form form)
    : uses_(uses), types_(types) {
    uint32_t others = kHasConstants | kIsAddend | kHasElements | kIsConstructed | kHasOthers;
    if (!form.keepsLength) others |= kHasZeros | kAsksLength;
    if (!form.allowsTensors) others |= kFromTensor;
    for (const InstructionPtr& i : types.module().section(Section::kGlobals)) {
        if (i->opcode == spv::Op::OpTypeCooperativeMatrixKHR &&
            (uses.facts(i->result) & others) == 0 && isWanted(*i)) {
            found_.insert(i->result);
        }
    }
}

void FactorSurvey::dropUnless(const std::function<bool(const MatrixProduct& product)>& fit) {
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (const MatrixProduct& product : uses_.products()) {
            if (has(product.a) && has(product.b) && fit(product)) continue;
            dropped |= found_.erase(product.a) + found_.erase(product.b) != 0;
        }
    }
}

std::set<Id> typesInWords(const MatrixUses& uses, const TypeTable& types,
                          const PlannedTarget& target, const LayoutPolicy& policy) {
    if (!target.device.prefersByteDots) return {};
    const Module& module = types.module();
    const auto mayBeWords = [&](const Instruction& type) {
        const std::optional<MatrixDimensions> d = matrixDimensions(module, type);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) return false;
        if (heldBits(types, type.word(0)) != 8) return false;
        if (policy.likeAccumulators.contains(type.result)) return false;
        const uint32_t bits = types.width(type.word(0));
        return makeFragment(policy, *d, bits).packWidth == 32 / bits;
    };
    FactorSurvey survey(uses, types, mayBeWords, {.keepsLength = true});
    // A product reads both operands as words, or neither.
    survey.dropUnless([&](const MatrixProduct& product) {
        return survey.bitsOf(product.a) == survey.bitsOf(product.b) &&
               types.width(module.def(product.instruction->type).word(0)) == 32;
    });
    return survey.found();
}

}  // namespace coopvk::rewrite
