// SPDX-License-Identifier: Apache-2.0
#include "vector/vector_types.hpp"

namespace coopvk::rewrite {

namespace {

// Far above the advertised 1,024; what a declaration can hold that a driver may still compile.
constexpr uint64_t kMaxComponents = 16384;

std::string_view problem(const VectorContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    const std::optional<uint64_t> count = context.module.constantValue(type.word(1));
    if (!count || *count == 0 || *count > kMaxComponents) {
        return "Component Count must be a constant from 1 to 16384";
    }
    return {};
}

// A constant of the pack type with these scalar constants; specialization constants that could
// not be folded keep their kind.
Id constantPack(VectorContext& context, const VectorType& type, std::span<const Id> scalars,
                bool isSpec) {
    if (type.packWidth == 1) return scalars[0];
    if (!isSpec) return context.types.constantComposite(type.pack, scalars);
    const Id id = context.module.takeId();
    context.module.append(Section::kGlobals, makeInstruction(spv::Op::OpSpecConstantComposite,
                                                             type.pack, id, idOperands(scalars)));
    return id;
}

}  // namespace

void lowerVectorTypes(VectorContext& context) {
    Module& module = context.module;
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (type.opcode != spv::Op::OpTypeCooperativeVectorNV) continue;
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
        context.types.declareArithmetic(vector.component);
        const Id length = context.types.constantU32(vector.packs());
        type.opcode = spv::Op::OpTypeArray;
        type.operands = {idOperand(vector.pack), idOperand(length)};
        context.vectors.emplace(vector.id, vector);
    }
}

void lowerVectorConstant(VectorContext& context, Instruction& constant) {
    const VectorType* type = context.vector(constant.type);
    if (type == nullptr) return;
    const bool isSpec = constant.opcode == spv::Op::OpSpecConstantComposite ||
                        constant.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT;
    const bool replicates = constant.opcode == spv::Op::OpConstantCompositeReplicateEXT ||
                            constant.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT;
    if (!isSpec && !replicates && constant.opcode != spv::Op::OpConstantComposite) return;
    if (constant.operands.size() != (replicates ? 1 : type->count)) {
        context.fail(ErrorCode::kInvalidModule, constant,
                     "the number of constituents is not the vector's Component Count");
        return;
    }
    std::vector<Id> packs;
    for (uint32_t p = 0; p < type->packs(); ++p) {
        if (replicates && p > 0) {
            packs.push_back(packs[0]);
            continue;
        }
        std::vector<Id> scalars;
        for (uint32_t c = 0; c < type->packWidth; ++c) {
            // Components beyond the count repeat the last: no zeros to divide by.
            const uint32_t e = std::min(p * type->packWidth + c, type->count - 1);
            scalars.push_back(constant.word(replicates ? 0 : e));
        }
        packs.push_back(constantPack(context, *type, scalars, isSpec));
    }
    constant.opcode = isSpec ? spv::Op::OpSpecConstantComposite : spv::Op::OpConstantComposite;
    constant.operands = idOperands(packs);
}

}  // namespace coopvk::rewrite
