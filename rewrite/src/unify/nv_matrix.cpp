// SPDX-License-Identifier: Apache-2.0
#include "unify/nv_matrix.hpp"

#include <algorithm>

#include "ir/calls.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "unify/type_variants.hpp"

namespace coopvk::rewrite {

namespace {

// Finds the role (A, B or accumulator) of each VK_NV_cooperative_matrix value, which its type does
// not tell. Values that must have the same type (copies, phis, variables, parameters, operands of
// element-wise instructions) form a class with one role. The class gets the role in which most
// multiply-adds use it; other uses convert.

class RoleInference {
 public:
    RoleInference(const Module& module, const MatrixLeaves& leaves)
        : module_(module), leaves_(leaves), functions_(module) {
        for (const InstructionPtr& i : module.section(Section::kGlobals)) visit(*i, std::nullopt);
        for (const auto& function : module.functions()) {
            function->visitBlocks([&](const Instruction& i) { visit(i, function->id()); });
        }
        linkElementAccesses();
        decide();
    }

    // The roles of the matrices in a value, one for each leaf; for a function, in its result. Empty
    // if there are no matrices.
    Roles ofValue(Id id) const {
        const auto found = values_.find(id);
        return found == values_.end() ? Roles{} : roles(found->second);
    }

    // The roles that an operand needs which is a constant or OpUndef: each use has its own.
    Roles ofConstantUse(const Instruction& instruction, size_t operand) const {
        const auto found = constantUses_.find({&instruction, operand});
        return found == constantUses_.end() ? Roles{} : roles(found->second);
    }

    // The role of all matrices of this type's size whose elements are accessed.
    Use ofElements(Id matrixType) const {
        const auto found = elementClasses_.find(sizeOf(matrixType));
        return found == elementClasses_.end() ? Use::kAccumulator
                                              : classes_[root(found->second)].role;
    }

 private:
    struct Range {
        uint32_t first = 0;
        uint32_t count = 0;
        Range part(uint32_t offset, uint32_t size) const {
            if (offset >= count) return {};
            return {first + offset, std::min(size, count - offset)};
        }
    };
    struct Class {
        uint32_t parent = 0;
        uint32_t wanted[3] = {0, 0, 0};  // by role: how many multiply-adds use it so
        bool isResult = false;           // has the result of a multiply-add
        Use role = Use::kAccumulator;
    };
    using Size = std::pair<uint64_t, uint64_t>;

    Range make(Id type) {
        const auto count = static_cast<uint32_t>(leaves_.of(type).size());
        const Range range{static_cast<uint32_t>(classes_.size()), count};
        for (uint32_t i = 0; i < count; ++i) {
            Class fresh;
            fresh.parent = range.first + i;
            classes_.push_back(fresh);
        }
        return range;
    }

    Range value(Id id) {
        const auto [entry, isNew] = values_.try_emplace(id);
        if (isNew) entry->second = make(module_.def(id).type);
        return entry->second;
    }

    Range operand(const Instruction& instruction, size_t index) {
        const Id id = instruction.word(index);
        if (id == 0 || !instruction.operands[index].isId) return {};
        if (!isMatrixConstant(module_.def(id))) return value(id);
        const auto [entry, isNew] = constantUses_.try_emplace({&instruction, index});
        if (isNew) entry->second = make(module_.def(id).type);
        return entry->second;
    }

    uint32_t root(uint32_t variable) const {
        while (classes_[variable].parent != variable) {
            classes_[variable].parent = classes_[classes_[variable].parent].parent;
            variable = classes_[variable].parent;
        }
        return variable;
    }

    void link(uint32_t a, uint32_t b) {
        a = root(a);
        b = root(b);
        if (a == b) return;
        if (b < a) std::swap(a, b);
        classes_[b].parent = a;
        for (size_t r = 0; r < 3; ++r) classes_[a].wanted[r] += classes_[b].wanted[r];
        classes_[a].isResult = classes_[a].isResult || classes_[b].isResult;
    }

    void link(Range a, Range b) {
        for (uint32_t i = 0; i < std::min(a.count, b.count); ++i) link(a.first + i, b.first + i);
    }

    void want(Range range, Use role, bool isResult = false) {
        if (range.count == 0) return;
        Class& wanted = classes_[root(range.first)];
        ++wanted.wanted[static_cast<size_t>(role)];
        wanted.isResult = wanted.isResult || isResult;
    }

    Roles roles(Range range) const {
        Roles result;
        for (uint32_t i = 0; i < range.count; ++i) {
            result.push_back(classes_[root(range.first + i)].role);
        }
        return result;
    }

    // `function`: the one that the instruction is in.
    void visit(const Instruction& i, std::optional<Id> function) {
        switch (i.opcode) {
            case OpCooperativeMatrixMulAddNV:
                want(operand(i, 0), Use::kA);
                want(operand(i, 1), Use::kB);
                want(operand(i, 2), Use::kAccumulator);
                want(value(i.result), Use::kAccumulator, true);
                return;
            case OpAccessChain:
            case OpInBoundsAccessChain:
            case OpPtrAccessChain:
            case OpInBoundsPtrAccessChain:
                return visitChain(i, firstChainIndex(i.opcode));
            case OpCompositeExtract:
                return visitExtract(i);
            case OpCompositeInsert:
                return visitInsert(i);
            case OpCompositeConstruct:
            case OpCompositeConstructReplicateEXT:
                return visitConstruct(i);
            case OpFunctionCall:
                return visitCall(i);
            case OpReturnValue:
                if (function) link(value(*function), operand(i, 0));
                return;
            case OpCooperativeMatrixLoadNV:  // of any role
            case OpCooperativeMatrixStoreNV:
            case OpCooperativeMatrixLengthNV:
            case OpExtInst:  // debug information
            case OpExtInstWithForwardRefsKHR:
                return;
            default:
                // Constituents of constants get their roles with each use of the composite.
                if (!isMatrixConstant(i)) linkWithAll(i);
                return;
        }
    }

    void visitChain(const Instruction& chain, size_t firstIndex) {
        const Range base = operand(chain, 0);
        const std::span<const Operand> indices = operandsBehind(chain, firstIndex);
        const Id pointee = leaves_.pointee(module_.def(chain.word(0)).type);
        link(value(chain.result), at(base, leaves_.follow(pointee, indices)));
    }

    void visitExtract(const Instruction& extract) {
        const std::span<const Operand> indices = operandsBehind(extract, 1);
        const Id type = module_.def(extract.word(0)).type;
        link(value(extract.result), at(operand(extract, 0), leaves_.follow(type, indices)));
    }

    void visitInsert(const Instruction& insert) {
        const Range whole = value(insert.result);
        link(whole, operand(insert, 1));
        const std::span<const Operand> indices = operandsBehind(insert, 2);
        link(operand(insert, 0), at(whole, leaves_.follow(insert.type, indices)));
    }

    void visitConstruct(const Instruction& construct) {
        const Instruction* type = leaves_.declaration(construct.type);
        if (type == nullptr || type->opcode == OpTypeCooperativeMatrixNV) return;
        const Range whole = value(construct.result);
        uint32_t offset = 0;
        for (size_t i = 0; i < construct.operands.size(); ++i) {
            const Range part = operand(construct, i);
            link(part, whole.part(offset, part.count));
            if (type->opcode == OpTypeStruct) offset += part.count;
        }
    }

    void visitCall(const Instruction& call) {
        link(value(call.result), value(call.word(0)));
        const Function* callee = functions_.find(call.word(0));
        if (callee == nullptr) return;
        size_t argument = 1;
        for (const InstructionPtr& parameter : callee->parameters) {
            if (parameter->opcode != OpFunctionParameter) continue;
            link(value(parameter->result), operand(call, argument++));
        }
    }

    void linkWithAll(const Instruction& instruction) {
        Range first = instruction.result != 0 ? value(instruction.result) : Range{};
        for (size_t i = 0; i < instruction.operands.size(); ++i) {
            const Range other = operand(instruction, i);
            if (first.count == 0) first = other;
            link(first, other);
        }
    }

    // The part of `whole` that indices select. Notes accesses to elements of matrices.
    Range at(Range whole, const MatrixLeaves::Selected& selected) {
        if (selected.type == 0) return {};
        if (selected.isElement) {
            if (selected.firstLeaf < whole.count) {
                elementAccesses_.emplace_back(whole.first + selected.firstLeaf, selected.type);
            }
            return {};
        }
        return whole.part(selected.firstLeaf,
                          static_cast<uint32_t>(leaves_.of(selected.type).size()));
    }

    // Shaders copy elements by their index from one matrix to another of the same size, and
    // query the number of elements by type. So all matrices of one size whose elements are
    // accessed must have one role.
    void linkElementAccesses() {
        for (const auto& [variable, type] : elementAccesses_) {
            const auto [entry, isNew] = elementClasses_.try_emplace(sizeOf(type), variable);
            if (!isNew) link(entry->second, variable);
        }
    }

    void decide() {
        for (uint32_t v = 0; v < classes_.size(); ++v) {
            if (root(v) != v) continue;
            Class& c = classes_[v];
            if (c.isResult) continue;  // it stays an accumulator
            for (const Use role : {Use::kA, Use::kB}) {
                const auto index = static_cast<size_t>(role);
                if (c.wanted[index] > c.wanted[static_cast<size_t>(c.role)]) c.role = role;
            }
        }
    }

    Size sizeOf(Id matrixType) const {
        const Instruction* type = leaves_.declaration(matrixType);
        if (type == nullptr) return {};
        return {module_.constantValue(type->word(2)).value_or(0),
                module_.constantValue(type->word(3)).value_or(0)};
    }

    const Module& module_;
    const MatrixLeaves& leaves_;
    mutable std::vector<Class> classes_;
    std::map<Id, Range> values_;
    std::map<std::pair<const Instruction*, size_t>, Range> constantUses_;
    const FunctionsById functions_;
    std::vector<std::pair<uint32_t, Id>> elementAccesses_;  // variable and matrix type
    std::map<Size, uint32_t> elementClasses_;
};

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
        const std::optional<bool> columnMajor = module_.constantBool(i.word(stride + 1));
        if (!columnMajor) return fail(i, "Column Major is not a boolean constant");
        i.operands[stride + 1] = i.operands[stride];
        i.operands[stride] = idOperand(types_.constantU32(*columnMajor ? 1 : 0));
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
        if (i.operands.size() != 3) return fail(i, "multiply-add takes three matrices");
        uint32_t operands = 0;
        for (size_t o = 0; o < 4; ++o) {
            Id matrix = i.type;
            if (o < 3) {
                i.operands[o].word = inRole(emit, i, i.word(o), static_cast<Use>(o));
                matrix = module_.def(i.word(o)).type;
            }
            const bool isSigned = types_.isSigned(module_.def(matrix).word(0));
            if (isSigned) operands |= static_cast<uint32_t>(kSignedMatrices[o]);
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
