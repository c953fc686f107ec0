// SPDX-License-Identifier: Apache-2.0
//
// Constructions of large vectors from consecutive elements of an array, each with its own load.
// Drivers are slow to compile hundreds of loads whose values are live at once, or fail. A function
// with a loop loads them instead:
//
//   %a = OpLoad %half %p0    // array[i]
//   %b = OpLoad %half %p1    // array[i + 1], and so on
//   %v = OpCompositeConstruct %vector %a %b ...        %v = OpFunctionCall %gather (array, i)
#include <algorithm>

#include "ir/composites.hpp"
#include "ir/effects.hpp"
#include "ir/emitter.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "lowering/words.hpp"
#include "optimise/dead_code.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// Whether equal instructions give equal values where memory does not change.
bool isEqualWhereMemoryIs(const Module& module, const Instruction& i) {
    return onlyComputes(effectsOf(module, i) & ~kReads);
}

// Value numbers: results are equal if their opcodes, types and operands are. Memory must not change
// between the instructions.
class Equality {
 public:
    void add(const Instruction& i) {
        std::vector<uint32_t> key = {static_cast<uint32_t>(i.opcode), i.type};
        for (const Operand& operand : i.operands) {
            key.push_back(operand.isId ? of(operand.word) : operand.word);
        }
        first_[i.result] = known_.try_emplace(std::move(key), i.result).first->second;
    }
    bool has(Id value) const { return first_.contains(value); }
    // The first value equal to this one.
    Id of(Id value) const {
        const auto found = first_.find(value);
        return found == first_.end() ? value : found->second;
    }

 private:
    std::map<std::vector<uint32_t>, Id> known_;
    std::map<Id, Id> first_;
};

// A 32-bit integer: the sum of a value, if any, and a constant.
struct IndexSum {
    std::optional<Id> value;
    uint32_t constant = 0;
};

IndexSum sumOf(const Module& module, const Equality& equal, Id id) {
    IndexSum sum;
    // Limited: in malformed modules a value's definition may use the value.
    for (int step = 0; step < 8; ++step) {
        if (const auto known = module.constantValue(id)) {
            sum.constant += static_cast<uint32_t>(*known);
            return sum;
        }
        const Instruction& def = module.def(id);
        if (def.opcode != OpIAdd) break;
        const auto left = module.constantValue(def.word(0));
        const auto right = module.constantValue(def.word(1));
        if (!left && !right) break;
        sum.constant += static_cast<uint32_t>(left ? *left : *right);
        id = def.word(left ? 1 : 0);
    }
    sum.value = equal.of(id);
    return sum;
}

bool sameButLastIndex(const Instruction& a, const Instruction& b, const Equality& equal) {
    if (a.opcode != b.opcode || a.type != b.type || a.operands.size() != b.operands.size()) {
        return false;
    }
    for (size_t o = 0; o + 1 < a.operands.size(); ++o) {
        if (equal.of(a.word(o)) != equal.of(b.word(o))) return false;
    }
    return true;
}

struct ConsecutiveLoads {
    const Instruction* chain = nullptr;  // access chain to the first element
    IndexSum index;                      // of the first element
    Operands access;                     // Memory Operands of the loads
};

// Whether the operands of instruction `at` of a block are loads from consecutive elements in order:
// the indices are a common value plus 0, 1, 2 and so on, and nothing between the first load and
// `at` writes to memory.
std::optional<ConsecutiveLoads> consecutiveLoads(const VectorContext& context, const Block& block,
                                                 size_t at) {
    const Module& module = context.module;
    size_t start = at;
    while (start > 0 && isEqualWhereMemoryIs(module, *block.body[start - 1])) {
        --start;
    }
    Equality equal;
    for (size_t b = start; b < at; ++b) equal.add(*block.body[b]);
    ConsecutiveLoads result;
    const Operands& constituents = block.body[at]->operands;
    for (size_t o = 0; o < constituents.size(); ++o) {
        const Instruction& load = module.def(constituents[o].word);
        if (load.opcode != OpLoad || !equal.has(load.result)) return std::nullopt;
        const std::span<const Operand> access = operandsBehind(load, 1);
        const Instruction& chain = module.def(load.word(0));
        if (!isAccessChain(chain.opcode)) return std::nullopt;
        const Id index = chain.operands.back().word;
        if (context.types.width(module.def(index).type) != 32) return std::nullopt;
        const IndexSum sum = sumOf(module, equal, index);
        if (o == 0) result = {&chain, sum, Operands(access.begin(), access.end())};
        if (!std::ranges::equal(access, result.access) ||
            !sameButLastIndex(*result.chain, chain, equal) || sum.value != result.index.value ||
            sum.constant != result.index.constant + static_cast<uint32_t>(o)) {
            return std::nullopt;
        }
    }
    if (result.chain == nullptr) return std::nullopt;
    return result;
}

// Pointer to the array that contains the element to which `chain` points; nullopt if the array has
// gaps or elements other than `component`, or is not in a buffer or in shared memory.
std::optional<Id> arrayPointer(VectorContext& context, Emitter& emit, const Instruction& chain,
                               Id component) {
    const Module& module = context.module;
    const Instruction& base = module.def(module.def(chain.word(0)).type);
    const auto storage = storageOf(base);
    const PointerPath path = pathTo(module, chain.result);
    if (module.def(path.root).opcode != OpVariable || path.nonUniform ||
        (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Workgroup)) {
        return std::nullopt;
    }
    const Id type = typeBehind(module, chainStep(module, chain), 1);
    const Instruction& array = module.def(type);
    const auto stride = module.decoration(type, spv::Decoration::ArrayStride);
    if (!isArrayType(array.opcode) || array.word(0) != component ||
        (stride && *stride != context.types.width(component) / 8)) {
        return std::nullopt;
    }
    if (chain.operands.size() == 2) return chain.word(0);
    Operands operands(chain.operands.begin(), chain.operands.end() - 1);
    return emit.op(chain.opcode, context.types.pointerType(storage, type), std::move(operands));
}

// Loads a vector of components of `bytes` bytes in a loop.
Id loadInLoop(VectorFunction& f, const VectorType& type, uint32_t bytes, VectorMemory memory) {
    Emitter& emit = f.emit();
    const Id components = f.types().vectorType(type.component, 4 / bytes);  // of a word
    f.loop(type.count, [&](Id i) {
        auto line = memory.fromStart(emit.times(i, bytes));
        const Id word = emit.bitcast(components, line.load(0, bytes)[0]);
        f.store(f.element(f.result(), i), scalarOf(emit, type.component, {word, 0}));
    });
    return f.finishResult();
}

// Replaces a construction by a call, whose arguments go to `emit`; false if it is not from
// consecutive elements.
bool readInLoop(VectorContext& context, Emitter& emit, const Block& block, size_t at) {
    Instruction& construct = *block.body[at];
    const VectorType& type = *context.vector(construct.type);
    const uint32_t bytes = context.types.width(type.component) / 8;
    const auto loads = consecutiveLoads(context, block, at);
    if (!loads || bytes > 4) return false;
    const std::optional<Id> array = arrayPointer(context, emit, *loads->chain, type.component);
    if (!array) return false;
    const Id start = loads->index.value ? *loads->index.value : emit.constant(0);
    const Id index = emit.toUnsigned(bufferIndexType(context.types), start);
    const Id offset = emit.times(emit.plus(index, loads->index.constant), bytes);
    const Location location = locate(context, emit, *array, offset);
    if (!location.valid()) return false;
    const MemoryOperands access = MemoryOperands(loads->access).withAlignment(0);
    std::vector<uint32_t> key = {kGatherHelper, type.id};
    location.appendKey(context.module, key);
    access.appendKey(key);
    construct.opcode = OpFunctionCall;
    construct.operands = {idOperand(context.helper(key, [&] {
        VectorFunction f(context, "coopvk_vector_gather", type.id, location.argumentTypes);
        return loadInLoop(f, type, bytes, {f, location, 0, access});
    }))};
    append(construct.operands, idOperands(location.arguments));
    return true;
}

}  // namespace

void lowerLargeConstructs(VectorContext& context, Function& function) {
    bool isChanged = false;
    for (const auto& block : function.blocks) {
        for (size_t at = 0; at < block->body.size(); ++at) {
            const Instruction& i = *block->body[at];
            if (i.opcode != OpCompositeConstruct || !context.isLarge(i.type)) continue;
            InstructionList arguments;
            Emitter emit(context.types, arguments);
            isChanged |= readInLoop(context, emit, *block, at);
            const size_t position = at;
            at += arguments.size();
            insertAt(block->body, position, std::move(arguments));
        }
    }
    if (!isChanged) return;
    removeDeadCode(context.module, function, [&](const Instruction& i) {
        return mayVanish(effectsOf(context.module, i)) &&
               context.module.annotationsOf(i.result).empty();
    });
}

}  // namespace coopvk::rewrite
