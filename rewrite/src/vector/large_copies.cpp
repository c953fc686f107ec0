// SPDX-License-Identifier: Apache-2.0
//
// Copies of large vectors, and uses of single components of them.
#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

// If more components are read, computing the whole result once is less code.
constexpr size_t kMaxReads = 4;
// Each round replaces one more operation of an expression.
constexpr int kMaxRounds = 8;

bool readsComponent(const Instruction& i, Id vector) {
    const bool dynamic = i.opcode == spv::Op::OpVectorExtractDynamic;
    const bool literal = i.opcode == spv::Op::OpCompositeExtract;
    return (dynamic || literal) && i.operands.size() == 2 && i.word(0) == vector &&
           !(dynamic && i.word(1) == vector);
}

// Arithmetic results of which only few components are read.
std::unordered_set<Id> findResults(const VectorContext& context, const Function& function) {
    const Users users(function);
    std::unordered_set<Id> results;
    for (const auto& block : function.blocks) {
        for (const InstructionPtr& i : block->body) {
            const VectorType* type = context.largeVector(i->type);
            const size_t reads = users.of(i->result).size();
            if (type == nullptr || !isArithmetic(i->opcode) || reads == 0 || reads > kMaxReads) {
                continue;
            }
            const bool fits = std::ranges::all_of(i->operands, [&](const Operand& operand) {
                return context.packedOfValue(operand.word) == type;
            });
            const bool read = users.all(i->result, [&](const Usage& use) {
                return readsComponent(*use.user, i->result) && use.user->type == type->component;
            });
            if (fits && read) results.insert(i->result);
        }
    }
    return results;
}

// The component to which all components of a constant vector are equal; 0 if they differ.
Id repeatedComponent(VectorContext& context, const VectorType& type, Id vector) {
    const Id pack = repeatedConstituent(context, vector, type.pack);
    if (pack == 0 || type.packWidth == 1) return pack;
    return repeatedConstituent(context, pack, type.component);
}

// Replaces the read of a component of a result: appends reads of that component of each operand to
// `out`, and makes `read` the operation on those.
void readOperands(VectorContext& context, Instruction& read, InstructionList& out) {
    const Instruction& whole = context.module.def(read.word(0));
    Emitter emit(context.types, out);
    Operands components;
    const VectorType& type = *context.packed(whole.type);
    for (const Operand& operand : whole.operands) {
        Id component = repeatedComponent(context, type, operand.word);
        if (component == 0) {
            component = emit.op(read.opcode, read.type, Operands{operand, read.operands[1]});
        }
        components.push_back(idOperand(component));
    }
    ArithmeticDecorations(context.module, whole.result).addTo(read.result);
    read.opcode = whole.opcode;
    read.operands = std::move(components);
}

}  // namespace

void readComponentsAlone(VectorContext& context, Function& function) {
    for (int round = 0; round < kMaxRounds; ++round) {
        const std::unordered_set<Id> results = findResults(context, function);
        if (results.empty()) return;
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
            context.module.takeOut(
                block->body, [&](const Instruction& i) { return results.contains(i.result); });
        }
        context.module.forget(results);
    }
}

// ---------------------------------------------------------------------------------------------
// Copies

namespace {

// A function(target, source) that stores valueAt(function, index) to each pack of the target.
template <typename ValueAt>
Id packLoop(VectorContext& context, const VectorType& type, std::vector<uint32_t> key,
            std::string_view name, std::array<Id, 2> parameters, ValueAt valueAt) {
    return context.helper(std::move(key), [&] {
        VectorFunction f(context, name, 0, parameters);
        f.loop(type.packs(), [&](Id p) { f.store(f.element(f.parameter(0), p), valueAt(f, p)); });
        return f.finish();
    });
}

Id pointerTo(VectorContext& context, const VectorType& type) {
    return context.types.pointerType(spv::StorageClass::Function, type.id);
}

}  // namespace

Id copyFunction(VectorContext& context, const VectorType& type, Id target, Id source) {
    const Id pointer = pointerTo(context, type);
    std::vector<uint32_t> key = {kCopyHelper, type.id};
    if (target != pointer || source != pointer) key.insert(key.end(), {target, source});
    return packLoop(context, type, std::move(key), "coopvk_vector_copy", {target, source},
                    [](VectorFunction& f, Id p) { return f.load(f.element(f.parameter(1), p)); });
}

Id fillFunction(VectorContext& context, const VectorType& type) {
    return packLoop(context, type, {kFillHelper, type.id}, "coopvk_vector_fill",
                    {pointerTo(context, type), type.pack},
                    [](VectorFunction& f, Id) { return f.parameter(1); });
}

Id repeatedConstituent(VectorContext& context, Id composite, Id type) {
    const Instruction& constant = context.module.def(composite);
    if (constant.opcode == spv::Op::OpConstantNull) return context.types.constantNull(type);
    if (constant.opcode != spv::Op::OpConstantComposite) return 0;
    const bool same = std::ranges::all_of(
        constant.operands, [&](const Operand& o) { return o == constant.operands[0]; });
    return same ? constant.word(0) : 0;
}

namespace {

bool uses(const Instruction& i, Id id) {
    return std::ranges::find(i.operands, idOperand(id)) != i.operands.end();
}

// Whether an operand is a variable or an access chain from it.
bool usesMemory(const Module& module, const Instruction& i, Id variable) {
    return std::ranges::any_of(i.operands, [&](const Operand& operand) {
        return operand.isId && rootOf(module, operand.word) == variable;
    });
}

// The call of a helper that writes the source of a copy; nullptr if it is not in the copy's block,
// or if the copy's target is used between the two, or by the call.
Instruction* onlyWriter(const Module& module, const Block& block, size_t copy,
                        const PointerHelpers& helpers) {
    const Id to = block.body[copy]->word(1);
    const Id from = block.body[copy]->word(2);
    for (size_t i = copy; i-- > 0;) {
        Instruction& before = *block.body[i];
        if (uses(before, from)) {
            const auto helper = helpers.find(before.word(0));
            const bool writes = before.opcode == spv::Op::OpFunctionCall &&
                                helper != helpers.end() && helper->second.isResultPointer &&
                                before.word(1) == from;
            return writes && !uses(before, to) ? &before : nullptr;
        }
        if (usesMemory(module, before, to)) return nullptr;
    }
    return nullptr;
}

}  // namespace

void forwardCopies(VectorContext& context, Function& function, const PointerHelpers& helpers) {
    std::unordered_set<Id> copyFunctions;
    for (const auto& [id, type] : context.vectors) {
        const auto found = context.helpers.find({kCopyHelper, id});
        if (found != context.helpers.end()) copyFunctions.insert(found->second);
    }
    const Users users(function);
    for (const auto& block : function.blocks) {
        for (size_t i = 0; i < block->body.size(); ++i) {
            const Instruction& copy = *block->body[i];
            if (copy.opcode != spv::Op::OpFunctionCall || !copyFunctions.contains(copy.word(0)) ||
                users.of(copy.word(2)).size() != 2) {
                continue;
            }
            Instruction* writer = onlyWriter(context.module, *block, i, helpers);
            if (writer == nullptr) continue;
            writer->operands[1] = copy.operands[1];
            context.module.retire(std::move(block->body[i]));
            block->body.erase(block->body.begin() + static_cast<std::ptrdiff_t>(i--));
        }
    }
    removeUnused(context.module, function, [&](const Instruction& i) {
        return i.opcode == spv::Op::OpVariable &&
               context.packed(context.module.def(i.type).word(1)) != nullptr;
    });
}

}  // namespace coopvk::rewrite
