// SPDX-License-Identifier: Apache-2.0
#include "longvector/structures.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "longvector/structure_function.hpp"

namespace coopvk::rewrite {

namespace {

// Whether a type is, or has in it, one for which test(type) is true.
bool contains(const LongVectorContext& context, Id type, const std::function<bool(Id)>& test) {
    if (test(type)) return true;
    if (!hasParts(context, type)) return false;
    const Instruction& def = context.module.def(type);
    if (def.opcode == OpTypeArray) return contains(context, def.word(0), test);
    return std::ranges::any_of(def.operands,
                               [&](const Operand& o) { return contains(context, o.word, test); });
}

}  // namespace

bool hasParts(const LongVectorContext& context, Id type) {
    if (context.vector(type) != nullptr) return false;
    const Instruction& def = context.module.def(type);
    return def.opcode == OpTypeStruct ||
           (def.opcode == OpTypeArray && context.module.constantValue(def.word(1)).has_value());
}

SplitTypes::SplitTypes(LongVectorContext& context) : context_(context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        if (!hasParts(context, i->result)) continue;
        if (hasCooperativeVector(i->result)) exclude(i->result);
        if (!isLaidOut(context.module, *i)) declared_.try_emplace(keyOf(*i), i->result);
    }
}

void SplitTypes::exclude(Id type) {
    if (!hasParts(context_, type)) return;
    split_[type] = false;
    const Instruction& def = context_.module.def(type);
    if (def.opcode == OpTypeArray) return exclude(def.word(0));
    for (const Operand& o : def.operands) exclude(o.word);
}

bool SplitTypes::hasLongVector(Id type) const {
    return contains(context_, type, [&](Id part) {
        const LongVector* vector = context_.lowered(part);
        return vector != nullptr && vector->isLooped();
    });
}

bool SplitTypes::hasCooperativeVector(Id type) const {
    return contains(context_, type, [&](Id part) {
        const LongVector* vector = context_.vector(part);
        return vector != nullptr && vector->isCooperative;
    });
}

bool SplitTypes::isSplit(Id type) const {
    const auto [found, isNew] = split_.try_emplace(type, false);
    if (isNew) {
        found->second = type != 0 && hasParts(context_, type) && hasLongVector(type);
    }
    return found->second;
}

std::vector<Id> SplitTypes::keyOf(const Instruction& type) const {
    std::vector<Id> key = {static_cast<uint32_t>(type.opcode)};
    for (const Operand& o : type.operands) key.push_back(o.word);
    if (type.opcode == OpTypeArray) {
        key[2] = static_cast<Id>(*context_.module.constantValue(type.word(1)));
    }
    return key;
}

Id SplitTypes::plain(Id type) {
    Module& module = context_.module;
    if (!hasParts(context_, type)) return type;
    if (const auto found = plain_.find(type); found != plain_.end()) return found->second;
    Instruction copy = module.def(type);
    const size_t parts = copy.opcode == OpTypeArray ? 1 : copy.operands.size();
    bool isPlain = !isLaidOut(module, copy);
    for (size_t m = 0; m < parts; ++m) {
        const Id part = plain(copy.word(m));
        isPlain &= part == copy.word(m);
        copy.operands[m].word = part;
    }
    Id& known = isPlain ? plain_[type] = type : declared_[keyOf(copy)];
    if (known == 0) {
        known = module.takeId();
        module.append(Section::kGlobals, makeInstruction(copy.opcode, 0, known, copy.operands));
    }
    return plain_[type] = known;
}

bool canSplitStructures(const SplitTypes& types, const Module& module) {
    std::unordered_set<Id> functions;  // with such parameters or results
    for (const auto& function : module.functions()) {
        const bool isOne = types.isSplit(function->definition->type) ||
                           std::ranges::any_of(function->parameters, [&](const InstructionPtr& p) {
                               return types.isSplit(p->type);
                           });
        if (isOne) functions.insert(function->id());
    }
    bool areKnown = true;
    module.visitBlocks([&](const Instruction& i) {
        const bool isCall = i.opcode == OpFunctionCall;
        bool isOnSplit = types.isSplit(i.type) && i.opcode != OpVariable;
        for (size_t o = 0; o < i.operands.size(); ++o) {
            if (!i.operands[o].isId) continue;
            isOnSplit |= types.isSplitValue(i.word(o));
            // Other instructions call functions, too.
            if (functions.contains(i.word(o)) && !(isCall && o == 0) && !isNonSemantic(module, i)) {
                areKnown = false;
            }
        }
        if (isOnSplit && !StructureFunction::lowers(module, i)) areKnown = false;
    });
    return areKnown;
}

void splitStructures(LongVectorContext& context) {
    Module& module = context.module;
    SplitTypes types(context);
    if (!canSplitStructures(types, module)) return;
    // Parameters have the types of the module's variables, which need no copies then.
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode == OpTypePointer && storageOf(*i) == spv::StorageClass::Function &&
            types.isSplit(i->word(1))) {
            context.pointers.try_emplace(i->word(1), i->result);
        }
    }
    lowerFunctions(
        context, [&](Id type) { return types.isSplit(type); },
        [&](Function& function) { StructureFunction(context, types, function).lower(); });
}

}  // namespace coopvk::rewrite
