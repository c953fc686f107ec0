// SPDX-License-Identifier: Apache-2.0
#include "unify/nv_matrix.hpp"

#include "lowering/context.hpp"

namespace coopvk::rewrite {

namespace {

class NvMatrixPass {
 public:
    NvMatrixPass(TypeTable& types, const MatrixLeaves& leaves)
        : types_(types),
          module_(types.module()),
          roles_(module_, leaves),
          variants_(types, leaves),
          leaves_(leaves) {}

    std::optional<Error> run() {
        rewriteGlobals();
        for (const auto& function : module_.functions()) rewrite(*function);
        variants_.finish();
        if (error_) return error_;
        module_.removeDeclarations(info(Extension::kNvCooperativeMatrix));
        module_.addCapability(spv::Capability::Shader);  // which CooperativeMatrixNV implies
        const auto isMatrix = [](const InstructionPtr& i) {
            return i->opcode == OpTypeCooperativeMatrixKHR;
        };
        if (std::ranges::none_of(module_.section(Section::kGlobals), isMatrix)) return std::nullopt;
        module_.addCapability(spv::Capability::CooperativeMatrixKHR);
        module_.addExtension("SPV_KHR_cooperative_matrix");
        return std::nullopt;
    }

 private:
    void fail(const Instruction& at, std::string_view what) {
        if (!error_) error_ = errorAt(ErrorCode::kInvalidModule, at, what);
    }

    void rewriteGlobals() {
        InstructionList& globals = module_.section(Section::kGlobals);
        for (size_t g = 0; g < globals.size(); ++g) {
            Instruction& i = *globals[g];
            const bool asksLength = i.opcode == OpSpecConstantOp &&
                                    i.word(0) == static_cast<uint32_t>(OpCooperativeMatrixLengthNV);
            if (asksLength) {
                i.operands[0] = literal(OpCooperativeMatrixLengthKHR);
                rewriteLength(i, 1);
            } else if (i.opcode == OpVariable) {
                rewriteTypes(i);
            }
        }
    }

    void rewrite(Function& function) {
        Instruction& definition = *function.definition;
        std::vector<Id> parameters;
        for (const InstructionPtr& parameter : function.parameters) {
            if (parameter->opcode != OpFunctionParameter) continue;
            rewriteTypes(*parameter);
            parameters.push_back(parameter->type);
        }
        rewriteTypes(definition);
        if (definition.operands.size() > 1) {
            definition.operands[1].word = types_.functionType(definition.type, parameters);
        }
        replaceInBlocks(types_, function, [&](Emitter& emit, Instruction& i) {
            rewriteTypes(i);
            rewriteOperation(emit, i);
            return false;
        });
    }

    // Gives result type and constant operands the inferred roles.
    void rewriteTypes(Instruction& i) {
        if (const Roles roles = roles_.ofValue(i.result); !roles.empty()) {
            i.type = variants_.type(i.type, roles);
        }
        for (size_t o = 0; o < i.operands.size(); ++o) {
            const Roles roles = roles_.ofConstantUse(i, o);
            if (!roles.empty()) i.operands[o].word = variants_.constant(i.word(o), roles);
        }
    }

    void rewriteOperation(Emitter& emit, Instruction& i) {
        switch (i.opcode) {
            case OpCooperativeMatrixLoadNV:
                i.opcode = OpCooperativeMatrixLoadKHR;
                return rewriteLayout(i, 1);
            case OpCooperativeMatrixStoreNV:
                i.opcode = OpCooperativeMatrixStoreKHR;
                return rewriteLayout(i, 2);
            case OpCooperativeMatrixLengthNV:
                i.opcode = OpCooperativeMatrixLengthKHR;
                return rewriteLength(i, 0);
            case OpCooperativeMatrixMulAddNV:
                i.opcode = OpCooperativeMatrixMulAddKHR;
                return rewriteMulAdd(emit, i);
            default:
                return;
        }
    }

    // Operands Stride and ColumnMajor become MemoryLayout and Stride. Both extensions count the
    // stride in elements of the pointee type.
    void rewriteLayout(Instruction& i, size_t stride) {
        if (i.operands.size() < stride + 2) return fail(i, "operands are missing");
        const spv::Op columnMajor = module_.def(i.word(stride + 1)).opcode;
        if (columnMajor != OpConstantTrue && columnMajor != OpConstantFalse &&
            columnMajor != OpConstantNull) {
            return fail(i, "Column Major is not a boolean constant");
        }
        const uint32_t layout = columnMajor == OpConstantTrue ? 1 : 0;
        i.operands[stride + 1] = i.operands[stride];
        i.operands[stride] = idOperand(types_.constantU32(layout));
    }

    void rewriteLength(Instruction& i, size_t operand) {
        const Id type = i.word(operand);
        const Instruction* declaration = leaves_.declaration(type);
        if (declaration == nullptr || declaration->opcode != OpTypeCooperativeMatrixNV) {
            return fail(i, "Type is not a cooperative matrix");
        }
        const Use role[] = {roles_.ofElements(type)};
        i.operands[operand].word = variants_.type(type, role);
    }

    // In NV matrices the component type tells whether integers are signed, in KHR ones operands do.
    void rewriteMulAdd(Emitter& emit, Instruction& i) {
        using Mask = spv::CooperativeMatrixOperandsMask;
        constexpr Mask kSigned[] = {
            Mask::MatrixASignedComponentsKHR, Mask::MatrixBSignedComponentsKHR,
            Mask::MatrixCSignedComponentsKHR, Mask::MatrixResultSignedComponentsKHR};
        if (i.operands.size() != 3) return fail(i, "multiply-add takes three matrices");
        uint32_t operands = 0;
        for (size_t o = 0; o < 4; ++o) {
            Id matrix = i.type;
            if (o < 3) {
                i.operands[o].word = inRole(emit, i, i.word(o), static_cast<Use>(o));
                matrix = module_.def(i.word(o)).type;
            }
            const bool isSigned = types_.isSigned(module_.def(matrix).word(0));
            if (isSigned) operands |= static_cast<uint32_t>(kSigned[o]);
        }
        if (operands != 0) i.operands.push_back(literal(operands));
    }

    // The value itself if it has the role, else a conversion of it.
    Id inRole(Emitter& emit, const Instruction& at, Id value, Use role) {
        const Id type = module_.def(value).type;
        const Instruction& matrix = module_.def(type);
        if (matrix.opcode != OpTypeCooperativeMatrixKHR) {
            fail(at, "operands are not cooperative matrices");
            return value;
        }
        if (module_.constantValue(matrix.word(4)) == static_cast<uint64_t>(role)) return value;
        const Use wanted[] = {role};
        const Id result = module_.takeId();
        const Id converted = variants_.type(variants_.original(type), wanted);
        return emit.op(OpCooperativeMatrixConvertNV, converted, {value}, result);
    }

    TypeTable& types_;
    Module& module_;
    RoleInference roles_;
    TypeVariants variants_;
    const MatrixLeaves& leaves_;
    std::optional<Error> error_;
};

}  // namespace

std::optional<Error> unifyNvMatrices(TypeTable& types) {
    const MatrixLeaves leaves(types.module());
    if (leaves.error()) return leaves.error();
    std::optional<Error> error = NvMatrixPass(types, leaves).run();
    types.rescan();
    return error;
}

namespace {

Id componentOf(const Module& module, Id matrixType) { return module.def(matrixType).word(0); }

// A matrix with its components converted to another type.
Id converted(Emitter& emit, Id value, Id component) {
    TypeTable& types = emit.types();
    const Id matrix = emit.typeOf(value);
    const auto op = [&](spv::Op opcode, Id scalar, Id operand) {
        Operands type = emit.module().def(matrix).operands;
        type[0] = idOperand(scalar);
        return emit.op(opcode, types.matrixType(std::move(type)), {operand});
    };
    const spv::Op opcode = types.conversion(componentOf(emit.module(), matrix), component);
    if (opcode != OpUConvert) return op(opcode, component, value);
    const Id result = types.intType(types.width(component), false);
    const Id extended = op(opcode, result, value);
    return result == component ? extended : op(OpBitcast, component, extended);
}

bool splitTransposition(LoweringContext& context, Emitter& emit, Instruction& transposition) {
    const auto isMatrix = [&](Id type) {
        return context.module.def(type).opcode == OpTypeCooperativeMatrixKHR;
    };
    const Id operand = transposition.word(0), type = emit.typeOf(operand);
    if (!isMatrix(transposition.type) || !isMatrix(type)) return false;
    const Id wanted = componentOf(context.module, transposition.type);
    if (componentOf(context.module, type) == wanted) return false;
    transposition.operands[0] = idOperand(converted(emit, operand, wanted));
    return false;
}

}  // namespace

std::optional<Error> splitTranspositions(LoweringContext& context) {
    if (!context.module.hasCapability(spv::Capability::CooperativeMatrixConversionsNV)) {
        return std::nullopt;
    }
    OpcodeTable<FunctionLowering<LoweringContext>> table;
    table.add<splitTransposition>({OpCooperativeMatrixTransposeNV});
    table.lowerAll(context);
    return context.error;
}

}  // namespace coopvk::rewrite
