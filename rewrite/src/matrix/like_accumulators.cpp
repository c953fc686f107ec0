// SPDX-License-Identifier: Apache-2.0
#include "matrix/like_accumulators.hpp"

#include <map>
#include <tuple>

#include "ir/blocks.hpp"
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

namespace {

// Components in a lane. Of a 32x32 matrix, a lane of a GPU has 256. NVIDIA's driver takes minutes
// for code that moves a few such matrices through the branches of a loop, and fails at 4,096
// components.
constexpr uint32_t kMany = 64;

// Two buffers that take turns, and a load ahead of a loop, are fewer moves. These stay as products
// want them, without a conversion in each iteration.
constexpr uint32_t kManyMoves = 4;

using SizeAndUse = std::tuple<uint32_t, uint32_t, Use>;

// Of matrices of scope Subgroup that products read.
std::set<SizeAndUse> multiplied(const Module& module) {
    std::set<SizeAndUse> found;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpCooperativeMatrixMulAddKHR) return;
        for (const uint32_t factor : {0, 1}) {
            const auto d = matrixDimensions(module, module.def(module.def(i.word(factor)).type));
            if (d && d->isOfSubgroup()) found.emplace(d->rows, d->columns, d->use);
        }
    });
    return found;
}

// By type: how often values that were not just loaded from memory go to a variable, or meet others
// where branches meet.
std::map<Id, uint32_t> movesByType(const Module& module) {
    std::map<Id, uint32_t> moves;
    const auto count = [&](Id value) {
        const Instruction& i = module.def(value);
        const bool isLoad = i.opcode == spv::Op::OpCooperativeMatrixLoadKHR ||
                            i.opcode == spv::Op::OpCooperativeMatrixLoadTensorNV;
        if (!isLoad && !hasNoValue(i.opcode)) ++moves[i.type];
    };
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            const bool atLoop = isLoopHeader(*block);
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpStore) count(i->word(1));
                if (i->opcode != spv::Op::OpPhi || atLoop) continue;
                for (size_t o = 0; o < i->operands.size(); o += 2) count(i->word(o));
            }
        }
    }
    return moves;
}

}  // namespace

std::set<Id> largeTypes(const TypeTable& types, const LayoutPolicy& policy) {
    const Module& module = types.module();
    std::set<Id> large;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto d = matrixDimensions(module, *i);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) continue;
        const std::optional<uint32_t> length = matrixLength(types, policy, i->result);
        if (length && *length > kMany) large.insert(i->result);
    }
    if (large.empty()) return large;
    const std::set<SizeAndUse> factors = multiplied(module);
    std::map<Id, uint32_t> moves = movesByType(module);
    std::erase_if(large, [&](Id type) {
        const auto d = matrixDimensions(module, module.def(type));
        return factors.contains({d->rows, d->columns, d->use}) && moves[type] <= kManyMoves;
    });
    return large;
}

}  // namespace coopvk::rewrite
