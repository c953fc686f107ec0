// SPDX-License-Identifier: Apache-2.0
#include "matrix/operand_words.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number_memory.hpp"
#include "matrix/byte_reading.hpp"
#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

namespace {

class WordSurvey {
 public:
    WordSurvey(const Module& module, const TypeTable& types) : module_(module), types_(types) {}

    std::set<Id> run(const LayoutPolicy& policy) {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (mayBeWords(*i, policy)) found_.insert(i->result);
        }
        if (found_.empty()) return found_;
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->type != 0 && i->opcode != spv::Op::OpConstantNull &&
                i->opcode != spv::Op::OpUndef) {
                found_.erase(i->type);
            }
        }
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        while (dropUnequal()) {
        }
        return found_;
    }

 private:
    // Of a component in memory.
    uint32_t bitsOf(Id type) const { return types_.width(module_.def(type).word(0)); }

    bool mayBeWords(const Instruction& type, const LayoutPolicy& policy) const {
        if (type.opcode != spv::Op::OpTypeCooperativeMatrixKHR) return false;
        const std::optional<MatrixDimensions> d = matrixDimensions(module_, type);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator ||
            heldBits(types_, type.word(0)) != 8)
            return false;
        const uint32_t bits = bitsOf(type.result);
        return makeFragment(policy, d->use, d->rows, d->columns, bits).packWidth == 32 / bits;
    }

    void visit(const Instruction& i) {
        if (isNonSemantic(module_, i)) return;
        switch (i.opcode) {
            case spv::Op::OpCooperativeMatrixLoadKHR:
            case spv::Op::OpCooperativeMatrixLengthKHR:
                return;
            case spv::Op::OpCooperativeMatrixMulAddKHR:
                products_.push_back(&i);
                return;
            case spv::Op::OpCompositeExtract:
                return dropIndexed(module_.def(i.word(0)).type, i, 1);
            case spv::Op::OpCompositeInsert:
                return dropIndexed(module_.def(i.word(1)).type, i, 2);
            case spv::Op::OpCompositeConstruct:
            case spv::Op::OpCompositeConstructReplicateEXT:
                found_.erase(i.type);
                return;
            default:
                break;
        }
        if (const size_t first = firstChainIndex(i.opcode); first != 0 && i.operands.size() > 0) {
            const Instruction& pointer = module_.def(module_.def(i.word(0)).type);
            if (pointer.opcode == spv::Op::OpTypePointer) dropIndexed(pointer.word(1), i, first);
        } else if (!movesValues(i.opcode)) {
            found_.erase(i.type);
            for (const Operand& operand : i.operands) {
                if (operand.isId) found_.erase(module_.def(operand.word).type);
            }
        }
    }

    // Single components are read or written.
    void dropIndexed(Id type, const Instruction& i, size_t first) {
        const auto isFound = [&](Id id) { return found_.contains(id); };
        if (findIndexInto(module_, type, i.operands, first, isFound)) found_.erase(type);
    }

    // A product reads both operands as words or none; true if a type was dropped.
    bool dropUnequal() {
        for (const Instruction* product : products_) {
            const Id a = module_.def(product->word(0)).type;
            const Id b = module_.def(product->word(1)).type;
            const bool both = found_.contains(a) && found_.contains(b) && bitsOf(a) == bitsOf(b);
            if (both && types_.width(module_.def(product->type).word(0)) == 32) continue;
            if (found_.erase(a) + found_.erase(b) != 0) return true;
        }
        return false;
    }

    const Module& module_;
    const TypeTable& types_;
    std::set<Id> found_;
    std::vector<const Instruction*> products_;
};

}  // namespace

std::set<Id> typesInWords(const Module& module, const TypeTable& types, const Target& target,
                          const LayoutPolicy& policy) {
    if (!wantsByteDots(target.device)) return {};
    return WordSurvey(module, types).run(policy);
}

}  // namespace coopvk::rewrite
