// SPDX-License-Identifier: Apache-2.0
#include "native/shared_halves.hpp"

#include <bit>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kHalfBytes = 2, kWordBytes = 4, kItemBytes = 16;

bool isElementChain(const Instruction& i) {
    return isOneOf(i.opcode, {spv::Op::OpAccessChain, spv::Op::OpInBoundsAccessChain}) &&
           i.operands.size() == 2;
}

// A variable that is an array of scalars or vectors, as the module declares it.
struct SharedArray {
    Id element = 0;
    uint32_t bytes = 0;  // of an element
    uint64_t length = 0;
    Id format = 0;        // of the matrices that are loaded from it
    bool isKnown = true;  // all its uses are such loads, and stores of elements
};

std::optional<SharedArray> sharedArray(const HalvesContext& context, const Instruction& variable) {
    const Module& module = context.module;
    if (variable.opcode != spv::Op::OpVariable || variable.operands.size() != 1 ||
        storageOf(variable) != spv::StorageClass::Workgroup) {
        return std::nullopt;
    }
    const Instruction& array = module.def(module.pointee(variable.result));
    if (array.opcode != spv::Op::OpTypeArray) return std::nullopt;
    const Id element = array.word(0);
    const TypeTable& types = context.types;
    const uint32_t bytes = types.width(element) / 8 * types.components(element);
    const auto length = module.constantValue(array.word(1));
    if (!length || !std::has_single_bit(bytes) || bytes > kItemBytes) return std::nullopt;
    return SharedArray{element, bytes, *length};
}

// Finds how the module uses its shared arrays.
class Survey {
 public:
    explicit Survey(HalvesContext& context) : context_(context), module_(context.module) {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            if (auto array = sharedArray(context, *i)) arrays_[i->result] = *array;
        }
        if (arrays_.empty()) return;
        module_.visitBlocks([&](const Instruction& i) {
            if (isElementChain(i) && arrays_.contains(i.word(0))) chains_[i.result] = i.word(0);
        });
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        for (const InstructionPtr& i : module_.section(Section::kAnnotations)) {
            const auto array = arrays_.find(i->word(0));
            if (array != arrays_.end() && !decorates(*i, spv::Decoration::RelaxedPrecision)) {
                array->second.isKnown = false;
            }
        }
    }

    const std::map<Id, SharedArray>& arrays() const { return arrays_; }
    const std::map<Id, Id>& chains() const { return chains_; }  // and their variables

 private:
    SharedArray* arrayOf(Id pointer) {
        const auto chain = chains_.find(pointer);
        const auto array = arrays_.find(chain == chains_.end() ? pointer : chain->second);
        return array == arrays_.end() ? nullptr : &array->second;
    }

    void visit(const Instruction& i) {
        if (isNonSemantic(module_, i)) return;
        for (size_t at = 0; at < i.operands.size(); ++at) {
            SharedArray* array = i.operands[at].isId ? arrayOf(i.operands[at].word) : nullptr;
            if (array != nullptr && !isAllowed(i, at, *array)) array->isKnown = false;
        }
    }

    bool isAllowed(const Instruction& i, size_t operand, SharedArray& array) {
        if (operand != 0) return false;
        if (isElementChain(i)) return arrays_.contains(i.word(0));
        if (!chains_.contains(i.word(0))) return false;
        if (i.opcode == spv::Op::OpStore) return true;
        if (i.opcode != spv::Op::OpCooperativeMatrixLoadKHR) return false;
        const Id format = context_.format(i.type);
        const auto layout = module_.constantValue(i.word(1));
        if (format == 0 || i.operands.size() <= 2 || !layout || *layout > 1) return false;
        if (array.format == 0) array.format = format;
        return array.format == format;
    }

    HalvesContext& context_;
    const Module& module_;
    std::map<Id, SharedArray> arrays_;
    std::map<Id, Id> chains_;
};

// The type of the new array's elements. An element of more than eight bytes takes several.
Id itemFor(TypeTable& types, uint32_t bytes) {
    const uint32_t itemBytes = std::min(bytes * 2, kItemBytes);
    if (itemBytes == kHalfBytes) return types.floatType(16);
    return types.vectorType(types.uint32(), itemBytes / kWordBytes);
}

}  // namespace

std::vector<SharedCandidate> sharedCandidates(HalvesContext& context) {
    const Survey survey(context);
    std::vector<SharedCandidate> candidates;
    for (const auto& [variable, array] : survey.arrays()) {
        if (!array.isKnown || array.format == 0) continue;
        SharedCandidate one{variable, array.length, array.bytes * array.length};
        one.halves = {array.format, array.element, itemFor(context.types, array.bytes)};
        one.halves.items = array.bytes * 2 > kItemBytes ? array.bytes * 2 / kItemBytes : 1;
        for (const auto& [chain, base] : survey.chains()) {
            if (base == variable) one.pointers.push_back(chain);
        }
        candidates.push_back(std::move(one));
    }
    return candidates;
}

void holdSharedVariable(HalvesContext& context, const SharedCandidate& candidate) {
    const SharedHalves& halves = candidate.halves;
    const auto length = static_cast<uint32_t>(candidate.length * halves.items);
    const Id type = context.types.arrayType(halves.item, length);
    context.module.edit(candidate.variable)->type =
        context.types.pointerType(spv::StorageClass::Workgroup, type);
}

bool holdSharedPointer(HalvesFunction& f, Instruction& chain) {
    const auto found = f.context.sharedHalves.find(chain.result);
    if (found == f.context.sharedHalves.end()) return false;
    const SharedHalves& halves = found->second;
    chain.type = f.context.types.pointerType(spv::StorageClass::Workgroup, halves.item);
    if (halves.items > 1) {
        Emitter& emit = f.emit();
        chain.operands[1] = idOperand(emit.times(emit.toU32(chain.word(1)), halves.items));
    }
    return false;
}

bool holdSharedStore(HalvesFunction& f, const Instruction& store) {
    const auto found = f.context.sharedHalves.find(store.word(0));
    if (found == f.context.sharedHalves.end()) return false;
    const SharedHalves& halves = found->second;
    Emitter& emit = f.emit();
    TypeTable& types = emit.types();
    const Id half = types.floatType(16), scalar = types.scalarOf(halves.item);
    const Id values[] = {store.word(1)};
    const std::vector<Slot> elements =
        unpackComponents(emit, *numberOf(types, halves.format), slotsOf(emit, values),
                         types.scalarOf(halves.element), half);
    const std::vector<Slot> parts = regroup(emit, elements, half, scalar);
    const size_t perItem = parts.size() / halves.items;
    const Operands memory = MemoryOperands(operandsBehind(store, 2)).withAlignment(0).forStore(0);
    const Instruction chain = f.context.module.def(store.word(0));
    for (uint32_t i = 0; i < halves.items; ++i) {
        const Id pointer =
            i == 0 ? chain.result
                   : emit.chain(halves.item, {chain.word(0), emit.plus(chain.word(1), i)});
        emit.store(pointer, gather(emit, scalar, std::span(parts).subspan(i * perItem, perItem)),
                   memory);
    }
    return true;
}

bool holdSharedLoad(HalvesFunction& f, Instruction& load) {
    const auto found = f.context.sharedHalves.find(load.word(0));
    if (found == f.context.sharedHalves.end()) return false;
    Emitter& emit = f.emit();
    if (found->second.items > 1) {
        load.operands[2] = idOperand(emit.times(emit.toU32(load.word(2)), found->second.items));
    }
    const Operands memory = MemoryOperands(operandsBehind(load, 3)).withAlignment(0).forLoad(0);
    load.operands.resize(3);
    append(load.operands, memory);
    return true;
}

}  // namespace coopvk::rewrite
