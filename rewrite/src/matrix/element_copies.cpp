// SPDX-License-Identifier: Apache-2.0
#include "matrix/element_copies.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

namespace {

class CopySurvey {
 public:
    explicit CopySurvey(const Module& module) : module_(module) {}

    std::set<Id> run() {
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        return std::move(found_);
    }

 private:
    void visit(const Instruction& i) {
        using enum spv::Op;
        if (i.opcode == OpCompositeInsert) {
            add(selected(module_.def(i.word(1)).type, i, 2), matrixOf(i.word(0)));
        } else if (i.opcode == OpStore) {
            add(behind(i.word(0)), matrixOf(i.word(1)));
        } else if (i.opcode == OpCopyMemory) {
            add(behind(i.word(0)), behind(i.word(1)));
        }
    }

    // The matrix type into which the operands from number `first` on lead; 0: into none.
    Id selected(Id type, const Instruction& i, size_t first) const {
        const auto isMatrix = [&](Id id) {
            return module_.def(id).opcode == spv::Op::OpTypeCooperativeMatrixKHR;
        };
        return findIndexInto(module_, type, i.operands, first, isMatrix) ? type : 0;
    }

    // The same for a pointer to an element.
    Id behind(Id pointer) const {
        const Instruction& chain = module_.def(pointer);
        const size_t first = firstChainIndex(chain.opcode);
        return first == 0 ? 0 : selected(module_.pointee(chain.word(0)), chain, first);
    }

    // The type of the matrix of which a value is an element, perhaps a converted one.
    Id matrixOf(Id value) const {
        const Instruction* i = &module_.def(value);
        const auto isConverted = [&] {
            return isConversion(i->opcode) || i->opcode == spv::Op::OpCopyObject;
        };
        // Values of malicious modules may be their own operands.
        constexpr uint32_t kMostConversions = 8;
        for (uint32_t n = 0; n < kMostConversions && isConverted(); ++n) {
            i = &module_.def(i->word(0));
        }
        if (i->opcode == spv::Op::OpLoad) return behind(i->word(0));
        if (i->opcode != spv::Op::OpCompositeExtract) return 0;
        return selected(module_.def(i->word(0)).type, *i, 1);
    }

    void add(Id to, Id from) {
        if (to == 0 || from == 0) return;
        const auto a = matrixDimensions(module_, module_.def(to));
        const auto b = matrixDimensions(module_, module_.def(from));
        if (!a || !b || !a->isOfSubgroup() || !b->isOfSubgroup()) return;
        if (a->rows != b->rows || a->columns != b->columns) return;
        if (a->use != Use::kAccumulator && b->use == Use::kAccumulator) found_.insert(to);
    }

    const Module& module_;
    std::set<Id> found_;
};

}  // namespace

std::set<Id> typesLikeAccumulators(const Module& module) { return CopySurvey(module).run(); }

}  // namespace coopvk::rewrite
