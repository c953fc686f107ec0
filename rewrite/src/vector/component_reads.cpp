// SPDX-License-Identifier: Apache-2.0
#include "vector/component_reads.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

// With more reads than these, the whole result once is less code.
constexpr size_t kReads = 4;
// Of operands that are results themselves.
constexpr int kRounds = 8;

bool readsComponent(const Instruction& i, Id vector) {
    const bool dynamic = i.opcode == spv::Op::OpVectorExtractDynamic;
    const bool literal = i.opcode == spv::Op::OpCompositeExtract;
    return (dynamic || literal) && i.operands.size() == 2 && i.word(0) == vector &&
           !(dynamic && i.word(1) == vector);
}

// Results of which nothing but a few components are read.
std::unordered_set<Id> findResults(const VectorContext& context, const Function& function) {
    const Users users = usersIn(function);
    std::unordered_set<Id> results;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            const VectorType* type = context.largeVector(i->type);
            const auto found = users.find(i->result);
            if (type == nullptr || !isArithmetic(i->opcode) || found == users.end() ||
                found->second.size() > kReads) {
                continue;
            }
            const bool fits = std::ranges::all_of(i->operands, [&](const Operand& operand) {
                return context.vectorOfValue(operand.word) == type;
            });
            const bool read = std::ranges::all_of(found->second, [&](const Instruction* user) {
                return readsComponent(*user, i->result) && user->type == type->component;
            });
            if (fits && read) results.insert(i->result);
        }
    }
    return results;
}

// The component that a constant vector repeats; 0 if it has several.
Id repeatedComponent(VectorContext& context, const VectorType& type, Id vector) {
    const Id pack = repeatedConstituent(context, vector, type.pack);
    if (pack == 0 || type.packWidth == 1) return pack;
    return repeatedConstituent(context, pack, type.component);
}

// Ahead of a read of a result: reads of its operands. The read becomes the operation.
void readOperands(VectorContext& context, Instruction& read, InstructionList& ahead) {
    const Instruction& whole = context.module.def(read.word(0));
    Emitter emit(context.types, ahead);
    Operands components;
    const VectorType& type = *context.vector(whole.type);
    for (const Operand& operand : whole.operands) {
        const Id constant = repeatedComponent(context, type, operand.word);
        components.push_back(idOperand(
            constant != 0 ? constant
                          : emit.op(read.opcode, read.type, Operands{operand, read.operands[1]})));
    }
    if (context.module.decoration(whole.result, spv::Decoration::NoContraction)) {
        context.module.decorate(read.result, spv::Decoration::NoContraction);
    }
    read.opcode = whole.opcode;
    read.operands = std::move(components);
}

void replaceReads(VectorContext& context, Function& function,
                  const std::unordered_set<Id>& results) {
    for (const auto& block : function.blocks) {
        InstructionList body;
        for (InstructionPtr& i : block->body) {
            if (results.contains(i->word(0)) && readsComponent(*i, i->word(0))) {
                readOperands(context, *i, body);
            }
            body.push_back(std::move(i));
        }
        block->body = std::move(body);
    }
    for (const auto& block : function.blocks) {
        for (InstructionPtr& i : block->body) {
            if (results.contains(i->result)) context.module.retire(std::move(i));
        }
        std::erase(block->body, nullptr);
    }
    context.module.forget(results);
}

}  // namespace

void readComponentsAlone(VectorContext& context, Function& function) {
    for (int round = 0; round < kRounds; ++round) {
        const std::unordered_set<Id> results = findResults(context, function);
        if (results.empty()) return;
        replaceReads(context, function, results);
    }
}

}  // namespace coopvk::rewrite
