// SPDX-License-Identifier: Apache-2.0
//
// What compilers write though SPIR-V does not allow it, and what can only mean one thing. Drivers
// take it, so programs ship it.
#include <format>
#include <set>

#include "ir/blocks.hpp"
#include "ir/component_kinds.hpp"
#include "ir/composites.hpp"
#include "ir/dominators.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "optimise/dead_code.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

// Instructions on matrices and vectors of many components that no lowering could take: refused
// once, for all of them.

namespace {

bool isReplicated(spv::Op opcode) {
    return isOneOf(opcode, {OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT,
                            OpCompositeConstructReplicateEXT});
}

bool isConstant(spv::Op opcode) {
    return isOneOf(opcode, {OpConstantComposite, OpSpecConstantComposite});
}

bool isMatrix(spv::Op type) {
    return type == OpTypeCooperativeMatrixKHR || type == OpTypeCooperativeMatrixNV;
}

bool areComponents(const Module& module, const Instruction& composite, Id component) {
    return std::ranges::all_of(
        composite.operands, [&](const Operand& o) { return module.def(o.word).type == component; });
}

// Why a composite cannot have these constituents; empty if it can. Vectors may be constructed of
// vectors, so their number is not known here.
std::string_view problemOf(const Module& module, const Instruction& composite) {
    const spv::Op opcode = module.def(composite.type).opcode;
    const bool isOne = isMatrix(opcode) || isReplicated(composite.opcode);
    if (isMatrix(opcode) &&
        !areComponents(module, composite, componentOf(module, composite.type))) {
        return "takes one constituent, a scalar of the component type";
    }
    if (isOne) {
        return composite.operands.size() == 1
                   ? ""
                   : "takes one constituent, a scalar of the component type";
    }
    const bool isVector = opcode == OpTypeVector || opcode == OpTypeCooperativeVectorNV;
    if (isVector && !isConstant(composite.opcode)) return {};
    const std::optional<uint64_t> count = memberCount(module, composite.type);
    return !count || *count == composite.operands.size()
               ? ""
               : "the constituents are not as many as its type has";
}

bool takesItself(const Module& module, const Instruction& i) {
    const auto isResult = [&](const Operand& o) { return o.isId && o.word == i.result; };
    return i.result != 0 && i.opcode != OpPhi && std::ranges::any_of(i.operands, isResult) &&
           !isNonSemantic(module, i);
}

// A value that is computed from itself, where the code is executed at all.
std::optional<Error> checkOrder(const Module& module, const Function& function) {
    std::optional<BlockGraph> graph;
    std::optional<Dominators> dominators;
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        for (const InstructionPtr& i : function.blocks[b]->body) {
            if (!takesItself(module, *i)) continue;
            if (!graph) dominators.emplace(function, graph.emplace(function));
            if (!dominators->dominates(0, b)) break;
            return errorAt(ErrorCode::kInvalidModule, *i, "an operand is the result itself");
        }
    }
    return std::nullopt;
}

// Fails if an instruction on matrices, or on vectors of more than four components, has operands of
// another kind or number than it takes: each lowering relies on this.
std::optional<Error> checkOperands(const Module& module) {
    std::unordered_set<Id> lowered;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (hasManyComponents(module, i->result)) lowered.insert(i->result);
    }
    if (lowered.empty()) return std::nullopt;
    lowered = typesWith(module, std::move(lowered));
    std::optional<Error> error;
    const auto check = [&](const Instruction& i) {
        if (error) return;
        const bool isComposite =
            isConstant(i.opcode) || isReplicated(i.opcode) || i.opcode == OpCompositeConstruct;
        const std::string_view problem = !isComposite               ? kindProblem(module, i)
                                         : lowered.contains(i.type) ? problemOf(module, i)
                                                                    : std::string_view();
        if (!problem.empty()) error = errorAt(ErrorCode::kInvalidModule, i, problem);
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) check(*i);
    module.visitBlocks(check);
    for (const auto& function : module.functions()) {
        if (!error) error = checkOrder(module, *function);
    }
    return error;
}

// Slang's derivative of -x subtracts vectors of floating-point numbers by OpISub.
void computeFloats(Module& module, std::set<std::string>& notes) {
    module.visitBlocks([&](Instruction& i) {
        const FloatForm* form = floatForm(i.opcode);
        if (form == nullptr || !hasManyComponents(module, i.type) || !isOfFloats(module, i)) return;
        i.opcode = form->ofFloats;
        notes.insert(std::format("{} of floating-point numbers is taken as {}", form->integerName,
                                 form->floatName));
    });
}

// Conversions between types that have the same numbers.
void copyUnconverted(Module& module, std::set<std::string>& notes) {
    module.visitBlocks([&](Instruction& i) {
        if (!isOneOf(i.opcode, {OpFConvert, OpUConvert, OpSConvert})) return;
        const Id from = module.def(i.word(0)).type;
        if (!hasManyComponents(module, i.type) || !hasManyComponents(module, from)) return;
        const Instruction& given = module.def(componentOf(module, i.type));
        const Instruction& taken = module.def(componentOf(module, from));
        const bool areIntegers = i.opcode != OpFConvert && given.opcode == OpTypeInt &&
                                 taken.opcode == OpTypeInt && given.word(0) == taken.word(0);
        if (i.type != from && !areIntegers) return;
        i.opcode = i.type == from ? OpCopyObject : OpBitcast;
        notes.insert("a conversion between numbers of the same width is taken as a copy");
    });
}

// The type of the pointer by which Func of OpCooperativeMatrixPerElementOpNV takes an operand that
// is no pointer; 0: it takes the operand itself. So Slang passes what a lambda captures.
Id pointerFor(const Module& module, const Instruction& call, size_t operand) {
    const Instruction& function = module.def(call.word(1));
    if (function.opcode != OpFunction) return 0;
    // Behind the result type, the row and the column, the parameters are those of the operands, of
    // which the second is the function itself.
    const Id parameter = module.def(function.word(1)).word(operand + 2);
    const Instruction& pointer = module.def(parameter);
    const bool takesPointer = pointer.opcode == OpTypePointer &&
                              storageOf(pointer) == spv::StorageClass::Function &&
                              pointer.word(1) == module.def(call.word(operand)).type;
    return takesPointer ? parameter : 0;
}

// Stores such operands in variables, which it appends to a list.
void storeOperands(Emitter& emit, Instruction& call, InstructionList& variables) {
    for (size_t o = 2; o < call.operands.size(); ++o) {
        const Id pointer = pointerFor(emit.module(), call, o);
        if (pointer == 0) continue;
        // Not of any pointer type to the value's: of the parameter's.
        const Id variable = Emitter(emit.types(), variables)
                                .op(OpVariable, pointer, {literal(spv::StorageClass::Function)});
        emit.store(variable, call.word(o));
        call.operands[o] = idOperand(variable);
    }
}

void passPointers(TypeTable& types, std::set<std::string>& notes) {
    if (!types.module().hasCapability(spv::Capability::CooperativeMatrixPerElementOperationsNV)) {
        return;
    }
    for (const auto& function : types.module().functions()) {
        InstructionList variables;
        replaceInBlocks(types, *function, [&](Emitter& emit, Instruction& i) {
            if (i.opcode == OpCooperativeMatrixPerElementOpNV) storeOperands(emit, i, variables);
            return false;
        });
        if (variables.empty()) continue;
        insertAt(function->blocks.front()->body, 0, std::move(variables));
        notes.insert("operands of Func are stored, since it takes pointers to them");
    }
}

// Casts of logical pointers to physical ones.

bool isLogical(spv::StorageClass storage) {
    return storage == spv::StorageClass::Workgroup || storage == spv::StorageClass::StorageBuffer;
}

bool castsPointers(spv::Op opcode) {
    return isOneOf(opcode, {OpBitcast, OpConvertPtrToU, OpConvertUToPtr});
}

bool hasLogicalPointer(const Module& module, Id value) {
    const Instruction& type = module.def(module.def(value).type);
    return type.opcode == OpTypePointer && isLogical(storageOf(type));
}

bool castsLogicalPointer(const Module& module, const Instruction& i) {
    return castsPointers(i.opcode) && hasLogicalPointer(module, i.word(0));
}

// The pointer of which a pointer is a cast; 0: it is none of a logical pointer.
Id behindCasts(const Module& module, Id pointer) {
    constexpr int kMostSteps = 16;
    for (int step = 0; step < kMostSteps; ++step) {
        const Instruction& def = module.def(pointer);
        if (castsLogicalPointer(module, def)) return def.word(0);
        if (!castsPointers(def.opcode) && def.opcode != OpCopyObject) return 0;
        pointer = def.word(0);
    }
    return 0;
}

// The operands Pointer and Offset of an instruction on cooperative vectors; 0, 0: there are no
// more.
struct VectorPointer {
    size_t pointer = 0, offset = 0;
};
std::span<const VectorPointer> vectorPointers(spv::Op opcode) {
    static constexpr VectorPointer kFirst[] = {{0, 1}};
    static constexpr VectorPointer kMatrix[] = {{2, 3}};
    static constexpr VectorPointer kMatrixAndBias[] = {{2, 3}, {5, 6}};
    switch (opcode) {
        case OpCooperativeVectorLoadNV:
        case OpCooperativeVectorStoreNV:
        case OpCooperativeVectorOuterProductAccumulateNV:
        case OpCooperativeVectorReduceSumAccumulateNV:
            return kFirst;
        case OpCooperativeVectorMatrixMulNV:
            return kMatrix;
        case OpCooperativeVectorMatrixMulAddNV:
            return kMatrixAndBias;
        default:
            return {};
    }
}

bool isArrayOfNumbers(const TypeTable& types, Id type) {
    const Instruction& array = types.module().def(type);
    return isArrayType(array.opcode) && types.components(array.word(0)) != 0 &&
           types.width(array.word(0)) >= 8;
}

// A pointer to an array, and to which of its elements a pointer leads; 0: to the first one.
struct ArrayElement {
    Id array = 0, element = 0;
};
// array 0: it leads to no element of an array of numbers.
ArrayElement arrayElement(Emitter& emit, Id pointer) {
    const Module& module = emit.module();
    if (isArrayOfNumbers(emit.types(), module.pointee(pointer))) return {pointer, 0};
    const Instruction chain = behindCopies(module, pointer);
    const size_t first = firstChainIndex(chain.opcode);
    if (!isAccessChain(chain.opcode) || chain.operands.size() <= first) return {};
    const Id array = typeBehind(module, chainStep(module, chain), 1);
    if (!isArrayOfNumbers(emit.types(), array)) return {};
    const Id index = chain.operands.back().word;
    if (chain.operands.size() == first + 1) return {chainBase(chain), index};
    Operands outer = chain.operands;
    outer.pop_back();
    const Id type = emit.types().pointerType(module.storage(pointer), array);
    return {emit.op(chain.opcode, type, std::move(outer)), index};
}

uint32_t bytesOfElement(const TypeTable& types, Id array) {
    const Id element = types.module().def(array).word(0);
    const auto stride = types.module().decoration(array, spv::Decoration::ArrayStride);
    return stride ? *stride : bytesOf(types, element);
}

// Takes the pointer that was cast, and adds the place of its element to the offset.
void takePointersBehindCasts(Emitter& emit, Instruction& i) {
    Module& module = emit.module();
    for (const VectorPointer& at : vectorPointers(i.opcode)) {
        const Id pointer = behindCasts(module, i.word(at.pointer));
        if (pointer == 0) continue;
        const auto [array, element] = arrayElement(emit, pointer);
        if (array == 0) continue;  // then the cast stays, and is refused
        i.operands[at.pointer] = idOperand(array);
        if (element == 0) continue;
        const uint32_t bytes = bytesOfElement(emit.types(), module.pointee(array));
        const Id start = emit.times(emit.toU32(element), bytes);
        i.operands[at.offset] = idOperand(emit.addU32(start, emit.toU32(i.word(at.offset))));
    }
}

std::optional<Error> followCasts(TypeTable& types) {
    Module& module = types.module();
    bool any = false;
    module.visitBlocks([&](const Instruction& i) { any |= castsLogicalPointer(module, i); });
    if (!any) return std::nullopt;
    for (const auto& function : module.functions()) {
        replaceInBlocks(types, *function, [](Emitter& emit, Instruction& i) {
            takePointersBehindCasts(emit, i);
            return false;
        });
    }
    removeDeadCode(module, [](const Instruction& i) {
        return castsPointers(i.opcode) || i.opcode == OpCopyObject;
    });
    std::optional<Error> error;
    module.visitBlocks([&](const Instruction& i) {
        if (error || !castsLogicalPointer(module, i)) return;
        error = errorAt(ErrorCode::kUnsupported, i,
                        "shared memory and descriptors have no addresses: only instructions on "
                        "cooperative vectors may take this cast, of a pointer into an array of "
                        "numbers");
    });
    return error;
}

}  // namespace

std::optional<Error> correctForeignForms(TypeTable& types, std::vector<std::string>& notes) {
    Module& module = types.module();
    std::set<std::string> found;
    computeFloats(module, found);
    copyUnconverted(module, found);
    passPointers(types, found);
    notes.insert(notes.end(), found.begin(), found.end());
    if (std::optional<Error> error = followCasts(types)) return error;
    return checkOperands(module);
}

}  // namespace coopvk::rewrite
