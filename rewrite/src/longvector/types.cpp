// SPDX-License-Identifier: Apache-2.0
#include "longvector/types.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/frame.hpp"
#include "lowering/cooperative_types.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kLargestCoreVector = 4;
constexpr uint64_t kMostComponents = 16384;

bool isVectorType(const Instruction& i) {
    return i.opcode == OpTypeVector || i.opcode == OpTypeCooperativeVectorNV;
}

// Counts of cooperative vectors. Instructions take these beside other vectors of the same count,
// which are lowered as long vectors even if core SPIR-V has them.
std::set<uint32_t> countsOf(const Module& module, const std::set<Id>& types) {
    std::set<uint32_t> counts;
    for (const Id type : types) {
        counts.insert(componentCount(module, module.def(type)).value_or(0));
    }
    return counts;
}

// Types of two to four components are those of core SPIR-V, of which each is declared once.
void replaceShortVectors(LongVectorContext& context, const std::set<uint32_t>& cooperative) {
    Module& module = context.module;
    TypeReplacements replacements;
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        const Instruction& type = *globals[g];
        if (type.opcode != OpTypeCooperativeVectorNV) continue;
        const uint32_t count = componentCount(module, type).value_or(0);
        if (count < 2 || count > kLargestCoreVector || cooperative.contains(count)) continue;
        replacements[type.result] = context.types.vectorType(type.word(0), count);
    }
    if (!replacements.empty()) replaceTypes(context.types, replacements);
}

}  // namespace

std::optional<uint32_t> componentCount(const Module& module, const Instruction& type) {
    const uint64_t count = memberCount(module, type.result).value_or(0);
    if (count == 0 || count > kMostComponents) return std::nullopt;
    return static_cast<uint32_t>(count);
}

bool givesPair(const Instruction& i) {
    if (isOneOf(i.opcode, {OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended})) return true;
    return isExtInst(i.opcode) &&
           (i.word(1) == GLSLstd450ModfStruct || i.word(1) == GLSLstd450FrexpStruct);
}

Id LongVectorContext::memoryType(const LongVector& vector) {
    Id& array = memoryTypes[vector.id];
    if (array != 0) return array;
    array = types.newType(
        OpTypeArray, {idOperand(vector.component), idOperand(types.constantU32(vector.count))});
    module.decorate(array, spv::Decoration::ArrayStride, {types.width(vector.component) / 8});
    inMemory[array] = vector.id;
    return array;
}

std::optional<Error> declareLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    const std::set<Id> cooperative = cooperativeVectorTypes(module);
    replaceShortVectors(context, countsOf(module, cooperative));
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (!isVectorType(type)) continue;
        const std::optional<uint32_t> count = componentCount(module, type);
        if (!count) return errorAt(ErrorCode::kUnsupported, type, kBadCount);
        if (*count > 1 && *count <= kLargestCoreVector && type.opcode == OpTypeVector) {
            continue;
        }
        const LongVector vector = {type.result, type.word(0), *count,
                                   cooperative.contains(type.result)};
        context.vectors.emplace(vector.id, vector);
        if (vector.isCooperative) continue;
        type.opcode = OpTypeVector;
        type.operands = {idOperand(vector.component), literal(vector.count)};
    }
    module.removeDeclarations(info(Extension::kExtShaderLongVector));
    context.types.rescan();
    return std::nullopt;
}

// In memory with an explicit layout, their components lie without gaps.

namespace {

class LongVectorLayouts {
 public:
    explicit LongVectorLayouts(LongVectorContext& context)
        : context_(context), module_(context.module) {}

    void changeTypes() {
        // By index: types are appended.
        InstructionList& globals = module_.section(Section::kGlobals);
        for (size_t g = 0; g < globals.size(); ++g) {
            Instruction& type = *globals[g];
            if (context_.inMemory.contains(type.result)) continue;
            if (type.opcode == OpTypePointer && hasExplicitLayout(storageOf(type))) {
                lieInMemory(type.operands[1]);
            } else if (isLaidOut(module_, type)) {
                const size_t members = isArrayType(type.opcode) ? 1 : type.operands.size();
                for (size_t m = 0; m < members; ++m) lieInMemory(type.operands[m]);
            }
        }
        context_.types.rescan();
    }

    // Pointers to variables of the module, and to those that the lowering declares, have one type.
    void shareFunctionPointers() {
        TypeReplacements replacements;
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (i->opcode != OpTypePointer || context_.lowered(i->word(1)) == nullptr ||
                storageOf(*i) != spv::StorageClass::Function) {
                continue;
            }
            const auto [shared, isNew] = context_.pointers.try_emplace(i->word(1), i->result);
            if (!isNew) replacements[i->result] = shared->second;
        }
        if (!replacements.empty()) replaceTypes(context_.types, replacements);
    }

    // Constituents of constants have the types of members.
    void changeConstants() {
        InstructionList& globals = module_.section(Section::kGlobals);
        for (size_t g = 0; g < globals.size(); ++g) {
            if (globals[g]->opcode != OpConstantComposite) continue;
            const Id type = globals[g]->type;
            for (size_t m = 0; m < globals[g]->operands.size(); ++m) {
                const Id wanted = memberType(module_, type, m);
                Operand& constituent = globals[g]->operands[m];
                const Instruction& value = module_.def(constituent.word);
                if (!context_.inMemory.contains(wanted) || value.type == wanted) continue;
                const Id id = module_.takeId();
                constituent.word = id;
                module_.append(Section::kGlobals,
                               makeInstruction(value.opcode, wanted, id, value.operands));
            }
        }
    }

    // A pointer type of the module may stand for pointers into memory with and without a layout.
    void changeChains() {
        module_.visitBlocks([&](Instruction& i) {
            if (!isAccessChain(i.opcode)) return;
            const Instruction& pointer = module_.def(i.type);
            const LongVector* vector = context_.vectorOrInMemory(pointer.word(1));
            if (vector == nullptr) return;
            const Id type = typeBehind(module_, chainStep(module_, i));
            if (type != 0 && type != pointer.word(1)) {
                i.type = context_.types.pointerType(storageOf(pointer), type);
            }
        });
    }

 private:
    void lieInMemory(Operand& type) {
        if (const LongVector* vector = context_.vector(type.word)) {
            type.word = context_.memoryType(*vector);
        }
    }

    LongVectorContext& context_;
    Module& module_;
};

}  // namespace

void layOutLongVectors(LongVectorContext& context) {
    Module& module = context.module;
    for (const auto& [id, vector] : context.vectors) {
        if (vector.isCooperative) continue;
        Instruction& type = *module.edit(id);
        type.opcode = OpTypeArray;
        type.operands = {idOperand(vector.component),
                         idOperand(context.types.constantU32(vector.count))};
    }
    context.types.rescan();
    LongVectorLayouts layouts(context);
    layouts.changeTypes();
    layouts.changeConstants();
    layouts.changeChains();
    layouts.shareFunctionPointers();
    for (const auto& [id, array] : context.memoryTypes) {
        if (context.vector(id)->isCooperative) context.withCooperative.insert({id, array});
    }
    context.withCooperative = typesWith(module, std::move(context.withCooperative));
}

void LongVectorValues::each(const LongVector& vector,
                            const std::function<void(ComponentIndex)>& body) {
    if (vector.isLooped()) {
        return writer_.loop(
            vector.count, [&](Id counter) { body({counter, std::nullopt}); },
            loopControl(vector.count));
    }
    for (uint32_t c = 0; c < vector.count; ++c) body(index(c));
}

// Only blocks that nothing reaches read a value before it is defined.
Id LongVectorValues::variableOf(Id value) {
    const auto [found, isNew] = variables_.try_emplace(value, 0);
    if (isNew) found->second = slots_.declare(context_.module.def(value).type);
    return found->second;
}

Id LongVectorValues::newVariableFor(Id value) {
    const auto [found, isNew] = variables_.try_emplace(value, 0);
    if (isNew) {
        found->second = slots_.take(value, context_.module.def(value).type);
        owned_.insert(value);
    }
    return found->second;
}

void LongVectorValues::passVariable(Id from, Id to) {
    const Id variable = variables_.at(from);
    variables_[to] = variable;
    owned_.insert(to);
    slots_.pass(variable, to);
}

void LongVectorValues::own(Id value) {
    const Id slot = slots_.take(value, context_.module.def(value).type);
    copy(value, slot);
    variables_[value] = slot;
    owned_.insert(value);
}

bool LongVectorValues::isPlainConstant(Id value) const {
    const Instruction& def = context_.module.def(value);
    return isDeclaration(def) || hasNoValue(def.opcode);
}

Id LongVectorValues::pointerTo(Id value) {
    if (isPlaced(value) || !isPlainConstant(value)) {
        const Id variable = variableOf(value);
        const spv::Op opcode = context_.module.def(variable).opcode;
        const bool isArgument = (opcode == OpVariable || opcode == OpFunctionParameter) &&
                                context_.module.storage(variable) == spv::StorageClass::Function;
        if (isArgument) return variable;
    }
    const Id pointer = slots_.temporary(context_.vectorOfValue(value)->id);
    copy(value, pointer);
    return pointer;
}

Id LongVectorValues::constantVariable(const Instruction& constant) {
    Id& variable = context_.constants[constant.result];
    if (variable != 0) return variable;
    variable = globalVariable(context_.types, spv::StorageClass::Private, constant.type,
                              "coopvk_constant");
    context_.module.edit(variable)->operands.push_back(idOperand(constant.result));
    return variable;
}

Id LongVectorValues::constantComponent(const Instruction& constant, ComponentIndex at) {
    const LongVector& vector = *context_.vector(constant.type);
    if (constant.opcode == OpConstantNull) {
        return context_.types.constantNull(vector.component);
    }
    const Id first = constituentOf(constant, 0);
    if (at.known) return constituentOf(constant, *at.known);
    const bool areEqual =
        std::ranges::all_of(constant.operands, [&](const Operand& o) { return o.word == first; });
    if (areEqual) return first;
    const Id variable = constantVariable(constant);
    return emit().load(vector.component, emit().chain(vector.component, {variable, at.id}));
}

Id LongVectorValues::component(Id value, ComponentIndex at) {
    const Instruction& def = context_.module.def(value);
    const LongVector& vector = *context_.vector(def.type);
    if (hasNoValue(def.opcode)) return emit().op(def.opcode, vector.component, Operands{});
    if (isDeclaration(def)) return constantComponent(def, at);
    if (!vector.isCooperative) {
        const Id pointer = emit().chain(vector.component, {variableOf(value), at.id});
        return emit().load(vector.component, pointer);
    }
    if (at.known) return emit().extract(vector.component, value, {*at.known});
    return emit().op(OpVectorExtractDynamic, vector.component, {value, at.id});
}

std::vector<Id> LongVectorValues::components(Id value) {
    std::vector<Id> parts;
    for (uint32_t c = 0; c < context_.vectorOfValue(value)->count; ++c) {
        parts.push_back(component(value, index(c)));
    }
    return parts;
}

void LongVectorValues::store(Id value, ComponentIndex at, Id component) {
    const Id type = emit().typeOf(component);
    emit().store(emit().chain(type, {newVariableFor(value), at.id}), component);
}

void LongVectorValues::copy(Id value, Id pointer) {
    const Instruction& def = context_.module.def(value);
    if (hasNoValue(def.opcode)) return;
    const LongVector& vector = *context_.vector(def.type);
    each(vector, [&](ComponentIndex at) {
        const Id part = component(value, at);
        emit().store(emit().chain(vector.component, {pointer, at.id}), part);
    });
}

void LongVectorValues::defineByPointee(Id value, Id pointer) {
    const LongVector& vector = *context_.vectorOfValue(value);
    each(vector, [&](ComponentIndex at) {
        const Id from = emit().chain(vector.component, {pointer, at.id});
        store(value, at, emit().load(vector.component, from));
    });
}

void LongVectorValues::define(Id value, Id type, std::span<const Id> components) {
    if (context_.vector(type)->isCooperative) {
        emit().construct(type, components, value);
        return;
    }
    for (uint32_t c = 0; c < components.size(); ++c) store(value, index(c), components[c]);
}

Id LongVectorValues::componentPointer(Id pointer, const LongVector& vector, ComponentIndex at) {
    Module& module = context_.module;
    const Instruction& type = module.def(module.def(pointer).type);
    Id result;
    if (type.opcode == OpTypeUntypedPointerKHR) {
        result = emit().op(OpUntypedAccessChainKHR, type.result,
                           {context_.memoryType(vector), pointer, at.id});
    } else {
        result = emit().chain(vector.component, {pointer, at.id});
    }
    if (pathTo(module, pointer).nonUniform) {
        module.decorate(result, spv::Decoration::NonUniform);
    }
    return result;
}

Id LongVectorValues::whole(Id value, Id type) {
    const LongVector& vector = *context_.vectorOfValue(value);
    const spv::Op opcode = context_.module.def(value).opcode;
    if (hasNoValue(opcode)) return emit().op(opcode, type, Operands{});
    const bool isValue = vector.isCooperative || isPlainConstant(value);
    if (isValue && type == vector.id) return value;
    if (type == vector.id) return emit().load(type, variableOf(value));
    return emit().construct(type, components(value));
}

void LongVectorValues::defineByWhole(Id value, Id constituent) {
    const Id type = context_.module.def(value).type;
    if (emit().typeOf(constituent) == type) {
        return emit().store(newVariableFor(value), constituent);
    }
    define(value, type, emit().parts(constituent));
}

}  // namespace coopvk::rewrite
