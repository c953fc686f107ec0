// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

Users usersIn(const Function& function) {
    Users users;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            for (const Operand& operand : i->operands) {
                if (operand.isId) users[operand.word].push_back(i.get());
            }
        }
    }
    return users;
}

bool isPlainlyUsed(const Module& module, const Users& users, Id pointer, std::vector<Id>& chains) {
    const auto found = users.find(pointer);
    if (found == users.end()) return true;
    return std::ranges::all_of(found->second, [&](const Instruction* i) {
        if (isNonSemantic(module, *i)) return true;
        const bool isAddress = i->word(0) == pointer;
        if (i->opcode == spv::Op::OpLoad) return isAddress;
        if (i->opcode == spv::Op::OpStore) return isAddress && i->word(1) != pointer;
        if (!isAccessChain(i->opcode) || !isAddress) return false;
        // Malformed modules have chains that start at themselves.
        if (std::ranges::find(chains, i->result) != chains.end()) return false;
        chains.push_back(i->result);
        return isPlainlyUsed(module, users, i->result, chains);
    });
}

namespace {

// A large vector, or an array of them.
bool holdsLargeVectors(const VectorContext& context, Id type) {
    const VectorType* vector = context.vector(type);
    if (vector != nullptr) return isLarge(*vector);
    const Instruction& def = context.module.def(type);
    return def.opcode == spv::Op::OpTypeArray && holdsLargeVectors(context, def.word(0));
}

Function* entryFunction(const Module& module) {
    const InstructionList& entries = module.section(Section::kEntryPoints);
    if (entries.size() != 1) return nullptr;
    for (const auto& function : module.functions()) {
        if (function->id() == entries[0]->word(1) && !function->blocks.empty()) {
            return function.get();
        }
    }
    return nullptr;
}

void makeLocal(VectorContext& context, Instruction& i) {
    const Id pointee = context.module.def(i.type).word(1);
    i.type = context.types.pointerType(spv::StorageClass::Function, pointee);
}

}  // namespace

void makePrivateVectorsLocal(VectorContext& context) {
    Module& module = context.module;
    Function* entry = entryFunction(module);
    if (entry == nullptr) return;
    const Users users = usersIn(*entry);
    std::unordered_set<Id> elsewhere;
    for (const auto& function : module.functions()) {
        if (function.get() == entry) continue;
        for (const auto& [id, all] : usersIn(*function)) elsewhere.insert(id);
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        for (const Operand& operand : i->operands) {
            if (operand.isId) elsewhere.insert(operand.word);
        }
    }
    InstructionList locals;
    std::vector<Id> pointers;
    for (InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpVariable ||
            static_cast<spv::StorageClass>(i->word(0)) != spv::StorageClass::Private ||
            !holdsLargeVectors(context, module.def(i->type).word(1)) ||
            elsewhere.contains(i->result)) {
            continue;
        }
        std::vector<Id> chains;
        if (!isPlainlyUsed(module, users, i->result, chains)) continue;
        i->operands[0] = literal(spv::StorageClass::Function);
        pointers.push_back(i->result);
        pointers.insert(pointers.end(), chains.begin(), chains.end());
        locals.push_back(std::move(i));
    }
    std::erase(module.section(Section::kGlobals), nullptr);
    for (Id pointer : pointers) makeLocal(context, *module.edit(pointer));
    for (const InstructionPtr& entryPoint : module.section(Section::kEntryPoints)) {
        std::erase_if(entryPoint->operands, [&](const Operand& o) {
            return o.isId && std::ranges::any_of(locals, [&](const InstructionPtr& local) {
                       return local->result == o.word;
                   });
        });
    }
    InstructionList& body = entry->blocks.front()->body;
    body.insert(body.begin(), std::make_move_iterator(locals.begin()),
                std::make_move_iterator(locals.end()));
}

}  // namespace coopvk::rewrite
