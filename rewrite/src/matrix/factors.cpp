// SPDX-License-Identifier: Apache-2.0
#include "matrix/factors.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

bool acceleratesByteDots(const DeviceTraits& device) {
    return device.dot4x8Signed || device.dot4x8Unsigned || device.dot4x8Mixed;
}

bool wantsByteDots(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    return device.shaderIntegerDotProduct && !device.isCpu &&
           (acceleratesByteDots(device) || device.maxSubgroupSize >= kManyLanes);
}

std::vector<Id> ByteReading::bytes(Emitter& emit, Id word) const {
    Bits all(emit);
    if (offset != 0) word = all.flip(word, bits == 4 ? 0x88888888 : 0x80808080);
    if (bits == 8) return {word};
    if (shift == 0) return {all.mask(word, 0x0F0F0F0F), all.mask(all.right(word, 4), 0x0F0F0F0F)};
    return {all.mask(all.left(word, 4), 0xF0F0F0F0), all.mask(word, 0xF0F0F0F0)};
}

using enum spv::Op;

FactorSurvey::FactorSurvey(const TypeTable& types,
                           const std::function<bool(const Instruction& type)>& isWanted, Form form)
    : module_(types.module()), types_(types), form_(form) {
    const InstructionList& globals = module_.section(Section::kGlobals);
    for (const InstructionPtr& i : globals) {
        if (i->opcode == OpTypeCooperativeMatrixKHR && isWanted(*i)) found_.insert(i->result);
    }
    if (found_.empty()) return;
    for (const InstructionPtr& i : globals) {
        const bool hasLength = i->opcode == OpConstantNull || hasNoValue(i->opcode);
        if (i->type != 0 && !(form.keepsLength && hasLength)) found_.erase(i->type);
    }
    module_.visitBlocks([&](const Instruction& i) { visit(i); });
}

void FactorSurvey::visit(const Instruction& i) {
    if (isNonSemantic(module_, i)) return;
    switch (i.opcode) {
        case OpCooperativeMatrixLoadTensorNV:
            if (!form_.allowsTensors) return visitOther(i);
            [[fallthrough]];
        case OpCooperativeMatrixLoadKHR:
            loads_.push_back(&i);
            return;
        case OpCooperativeMatrixMulAddKHR:
            products_.push_back(&i);
            found_.erase(module_.def(i.word(2)).type);
            return;
        case OpCompositeExtract:
            return dropIndexed(module_.def(i.word(0)).type, i, 1);
        case OpCompositeInsert:
            return dropIndexed(module_.def(i.word(1)).type, i, 2);
        case OpCompositeConstruct:
        case OpCompositeConstructReplicateEXT:
            found_.erase(i.type);
            return;
        default:
            return visitOther(i);
    }
}

void FactorSurvey::visitOther(const Instruction& i) {
    if (const size_t first = firstChainIndex(i.opcode); first != 0) {
        return dropIndexed(module_.pointee(i.word(0)), i, first);
    }
    const bool asksLength = i.opcode == OpCooperativeMatrixLengthKHR;
    if (movesValues(i.opcode) || (asksLength && form_.keepsLength)) return;
    found_.erase(i.type);
    for (const Operand& operand : i.operands) {
        if (!operand.isId) continue;
        if (asksLength) found_.erase(operand.word);
        found_.erase(module_.def(operand.word).type);
    }
}

// Drops a type whose single components are read or written. `first`: the first index operand.
void FactorSurvey::dropIndexed(Id type, const Instruction& i, size_t first) {
    const auto isFound = [&](Id id) { return has(id); };
    if (findIndexInto(module_, type, i.operands, first, isFound)) found_.erase(type);
}

void FactorSurvey::dropUnless(
    const std::function<bool(const Instruction& product, Id a, Id b)>& fit) {
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (const Instruction* product : products_) {
            const Id a = module_.def(product->word(0)).type;
            const Id b = module_.def(product->word(1)).type;
            if (has(a) && has(b) && fit(*product, a, b)) continue;
            dropped |= found_.erase(a) + found_.erase(b) != 0;
        }
    }
}

std::set<Id> typesInWords(const TypeTable& types, const Target& target,
                          const LayoutPolicy& policy) {
    if (!wantsByteDots(target.device)) return {};
    const Module& module = types.module();
    const auto mayBeWords = [&](const Instruction& type) {
        const std::optional<MatrixDimensions> d = matrixDimensions(module, type);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) return false;
        if (heldBits(types, type.word(0)) != 8) return false;
        if (policy.likeAccumulators.contains(type.result)) return false;
        const uint32_t bits = types.width(type.word(0));
        return makeFragment(policy, *d, bits).packWidth == 32 / bits;
    };
    FactorSurvey survey(types, mayBeWords, {.keepsLength = true});
    // A product reads both operands as words, or neither.
    survey.dropUnless([&](const Instruction& product, Id a, Id b) {
        return survey.bitsOf(a) == survey.bitsOf(b) &&
               types.width(module.def(product.type).word(0)) == 32;
    });
    return survey.found();
}

}  // namespace coopvk::rewrite
