// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/cooperative_types.hpp"
#include "lowering/packed_composites.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// coopvk advertises 1,024. This limit bounds the code that drivers must compile.
constexpr uint64_t kMostComponents = 16384;

std::string_view problem(const VectorContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    if (context.types.encoding(type.word(0)))
        return "components with an FP Encoding are not emulated";
    if (numberOf(context.types, type.word(0)) == nullptr) {
        return "components of this format are not emulated";
    }
    const std::optional<uint64_t> count = context.module.constantValue(type.word(1));
    if (!count || *count == 0 || *count > kMostComponents) {
        return "Component Count must be a constant from 1 to 16384";
    }
    return {};
}

// Redefines each cooperative vector type as an array of packs and adds it to the context.
void lowerVectorTypes(VectorContext& context) {
    Module& module = context.module;
    const std::set<Id> types = cooperativeVectorTypes(module);
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (!types.contains(type.result)) continue;
        if (const std::string_view what = problem(context, type); !what.empty()) {
            context.fail(ErrorCode::kUnsupported, type, what);
            return;
        }
        VectorType vector;
        vector.id = type.result;
        vector.component = type.word(0);
        vector.count = static_cast<uint32_t>(*module.constantValue(type.word(1)));
        vector.packWidth = std::max(1u, 32 / context.types.width(vector.component));
        vector.pack = context.types.vectorType(vector.component, vector.packWidth);
        vector.shape = {vector.count, 0, 0};
        context.types.declareArithmetic(vector.component);
        const Id length = context.types.constantU32(vector.packs());
        type.opcode = spv::Op::OpTypeArray;
        type.operands = {idOperand(vector.pack), idOperand(length)};
        context.vectors.emplace(vector.id, vector);
    }
}

using VectorLowering = FunctionLowering<VectorContext>;

OpcodeTable<VectorLowering> vectorTable() {
    using enum spv::Op;
    OpcodeTable<VectorLowering> table;
    table.add<lowerVectorLoad>({OpCooperativeVectorLoadNV});
    table.add<lowerVectorStore>({OpCooperativeVectorStoreNV});
    table.add<lowerVectorMultiply>(
        {OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV});
    table.add<lowerOuterProduct>({OpCooperativeVectorOuterProductAccumulateNV});
    table.add<lowerReduceSum>({OpCooperativeVectorReduceSumAccumulateNV});
    addPackedComposites(table);
    table.add<lowerDynamicIndex>({OpVectorExtractDynamic, OpVectorInsertDynamic});
    table.add<lowerVectorElementWise>(kArithmetic);
    table.add<lowerVectorElementWise>(kConversions);
    table.add<lowerVectorElementWise>(kCooperativeElementWise);
    table.add<lowerExtended>({OpExtInst});
    return table;
}

void passLargeVectorsByPointer(VectorContext& context) {
    if (!context.hasLargeVectors()) return;
    makePrivateVectorsLocal(context);
    const PointerHelpers helpers = takeVectorsByPointer(context);
    for (const auto& function : context.module.functions()) {
        passVectorsByPointer(context, *function, helpers);
    }
    // By index: a copy function may be added meanwhile.
    for (size_t f = 0; f < context.newFunctions.size(); ++f) {
        passVectorsByPointer(context, *context.newFunctions[f], helpers);
    }
}

}  // namespace

std::optional<Error> lowerVectors(VectorContext& context) {
    Module& module = context.module;
    lowerVectorTypes(context);
    lowerPackedConstants(context);
    if (context.error) return context.error;
    const OpcodeTable<VectorLowering> table = vectorTable();
    for (const auto& function : module.functions()) {
        lowerLargeConstructs(context, *function);
        readComponentsAlone(context, *function);
        VectorLowering lowering(context, *function);
        table.lower(lowering, *function);
        if (context.error) return context.error;
    }
    if (context.error) return context.error;
    passLargeVectorsByPointer(context);
    context.dropValueDecorations(false);
    context.addNewFunctions();
    initialiseLock(context);
    module.removeCapability(spv::Capability::CooperativeVectorNV);
    module.removeCapability(spv::Capability::CooperativeVectorTrainingNV);
    module.removeExtension("SPV_NV_cooperative_vector");
    return context.error;
}

}  // namespace coopvk::rewrite
