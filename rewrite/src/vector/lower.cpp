// SPDX-License-Identifier: Apache-2.0
#include "vector/lower.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/composite.hpp"
#include "vector/elementwise.hpp"
#include "vector/instructions.hpp"
#include "vector/large_vectors.hpp"
#include "vector/memory.hpp"
#include "vector/vector_types.hpp"

namespace coopvk::rewrite {

namespace {

bool touchesVector(const VectorContext& context, const Instruction& i) {
    if (isNonSemantic(context.module, i)) return false;
    if (context.vector(i.type) != nullptr) return true;
    for (const Operand& operand : i.operands) {
        if (operand.isId && context.vectorOfValue(operand.word) != nullptr) return true;
    }
    return false;
}

class BlockLowering {
 public:
    explicit BlockLowering(VectorContext& context)
        : context_(context), emit_(context.types, out_) {}

    void run(Block& block) {
        for (InstructionPtr& instruction : block.body) {
            if (context_.error) return;
            lower(std::move(instruction));
        }
        block.body = std::move(out_);
    }

 private:
    void lower(InstructionPtr instruction) {
        switch (instruction->opcode) {
            case spv::Op::OpCooperativeVectorLoadNV:
                lowerVectorLoad(context_, emit_, *instruction);
                break;
            case spv::Op::OpCooperativeVectorStoreNV:
                lowerVectorStore(context_, emit_, *instruction);
                break;
            case spv::Op::OpCooperativeVectorMatrixMulNV:
            case spv::Op::OpCooperativeVectorMatrixMulAddNV:
                lowerVectorMultiply(context_, emit_, *instruction);
                break;
            case spv::Op::OpCooperativeVectorOuterProductAccumulateNV:
                lowerOuterProduct(context_, emit_, *instruction);
                break;
            case spv::Op::OpCooperativeVectorReduceSumAccumulateNV:
                lowerReduceSum(context_, emit_, *instruction);
                break;
            default:
                lowerOther(std::move(instruction));
                return;
        }
        context_.module.retire(std::move(instruction));
    }

    void lowerOther(InstructionPtr instruction) {
        if (lowerVectorComposite(context_, emit_, *instruction) ||
            lowerVectorElementwise(context_, emit_, *instruction)) {
            context_.module.retire(std::move(instruction));
            return;
        }
        if (context_.error) return;
        if (!movesValues(instruction->opcode) && touchesVector(context_, *instruction)) {
            context_.fail(ErrorCode::kUnsupported, *instruction, "takes no cooperative vector");
            return;
        }
        emit_.add(std::move(instruction));
    }

    VectorContext& context_;
    InstructionList out_;
    Emitter emit_;
};

// A vector has become an array, of which these decorations say nothing; some drivers reject them.
void dropArithmeticDecorations(VectorContext& context) {
    std::erase_if(context.module.section(Section::kAnnotations), [&](const InstructionPtr& i) {
        const auto decoration = static_cast<spv::Decoration>(i->word(1));
        return i->opcode == spv::Op::OpDecorate &&
               (decoration == spv::Decoration::RelaxedPrecision ||
                decoration == spv::Decoration::NoContraction) &&
               context.vectorOfValue(i->word(0)) != nullptr;
    });
}

// What lowering has made of large vectors, by pointers instead of values.
void passLargeVectorsByPointer(VectorContext& context) {
    if (std::ranges::none_of(context.vectors,
                             [](const auto& entry) { return isLarge(entry.second); })) {
        return;
    }
    makePrivateVectorsLocal(context);
    const PointerHelpers helpers = takeVectorsByPointer(context);
    for (const auto& function : context.module.functions()) {
        passVectorsByPointer(context, *function, helpers);
    }
    // By index: the function that copies a vector joins them.
    for (size_t f = 0; f < context.newFunctions.size(); ++f) {
        passVectorsByPointer(context, *context.newFunctions[f], helpers);
    }
}

}  // namespace

std::optional<Error> lowerVectors(VectorContext& context) {
    Module& module = context.module;
    lowerVectorTypes(context);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        lowerVectorConstant(context, *globals[g]);
    }
    for (const auto& function : module.functions()) {
        lowerLargeConstructs(context, *function);
        readComponentsAlone(context, *function);
        for (const auto& block : function->blocks) {
            if (context.error) return context.error;
            BlockLowering(context).run(*block);
        }
    }
    if (context.error) return context.error;
    passLargeVectorsByPointer(context);
    dropArithmeticDecorations(context);
    context.addNewFunctions();
    initialiseLock(context);
    module.removeCapability(spv::Capability::CooperativeVectorNV);
    module.removeCapability(spv::Capability::CooperativeVectorTrainingNV);
    module.removeExtension("SPV_NV_cooperative_vector");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
