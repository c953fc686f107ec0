// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "lowering/packed_composites.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// coopvk advertises 1,024. This limit bounds the code that drivers must compile.
constexpr uint64_t kMaxComponents = 16384;

std::string_view problem(const VectorContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    if (context.types.encoding(type.word(0)))
        return "components with an FP Encoding are not emulated";
    if (numberOf(context.types, type.word(0)) == nullptr) {
        return "components of this format are not emulated";
    }
    const std::optional<uint64_t> count = context.module.constantValue(type.word(1));
    if (!count || *count == 0 || *count > kMaxComponents) {
        return "Component Count must be a constant from 1 to 16384";
    }
    return {};
}

// Some SPIR-V headers that coopvk builds with do not have it yet.
constexpr auto kLongVector = static_cast<spv::Capability>(5425);

bool isCooperative(spv::Op opcode) {
    using enum spv::Op;
    return isOneOf(opcode, {OpCooperativeVectorLoadNV, OpCooperativeVectorStoreNV,
                            OpCooperativeVectorMatrixMulNV, OpCooperativeVectorMatrixMulAddNV,
                            OpCooperativeVectorOuterProductAccumulateNV,
                            OpCooperativeVectorReduceSumAccumulateNV});
}

// The types whose values are lowered. OpTypeVectorIdEXT of SPV_EXT_long_vector has the same opcode
// and is the driver's: with LongVectorEXT, a type is cooperative if a cooperative-vector
// instruction takes or gives it, or a conversion from or to such a type.
std::set<Id> cooperativeTypes(const Module& module) {
    std::set<Id> types;
    std::vector<Id> pending;
    const auto add = [&](Id type) {
        const bool isVector = module.def(type).opcode == spv::Op::OpTypeCooperativeVectorNV;
        if (isVector && types.insert(type).second) pending.push_back(type);
    };
    if (!module.hasCapability(kLongVector)) {
        for (const InstructionPtr& i : module.section(Section::kGlobals)) add(i->result);
        return types;
    }
    module.visitBlocks([&](const Instruction& i) {
        if (!isCooperative(i.opcode)) return;
        add(i.type);
        for (const Operand& o : i.operands) add(module.def(o.word).type);
    });
    const Users users(module);
    while (!pending.empty()) {
        const Id type = pending.back();
        pending.pop_back();
        for (const Usage& declared : users.of(type)) {
            const Instruction& value = *declared.user;
            if (isConversion(value.opcode)) add(module.def(value.word(0)).type);
            for (const Usage& use : users.of(value.result)) {
                if (isConversion(use.user->opcode)) add(use.user->type);
            }
        }
    }
    return types;
}

// Redefines each cooperative vector type as an array of packs and adds it to the context.
void lowerVectorTypes(VectorContext& context) {
    Module& module = context.module;
    const std::set<Id> types = cooperativeTypes(module);
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
    table.add<lowerVectorElementWise>({OpShiftRightLogical, OpShiftRightArithmetic,
                                       OpShiftLeftLogical, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd,
                                       OpNot, OpVectorTimesScalar});
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
