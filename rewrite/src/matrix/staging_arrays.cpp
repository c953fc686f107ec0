// SPDX-License-Identifier: Apache-2.0
#include "matrix/staging_arrays.hpp"

#include <algorithm>
#include <bit>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "ir/type_sizes.hpp"
#include "lowering/context.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

bool isElementChain(const Instruction& i) {
    return isOneOf(i.opcode, {OpAccessChain, OpInBoundsAccessChain}) && i.operands.size() == 2;
}

std::optional<StagingArray> sharedArray(const TypeTable& types, const Instruction& variable) {
    constexpr uint32_t kMaxBytes = 16;
    const Module& module = types.module();
    if (variable.opcode != OpVariable || variable.operands.size() != 1 ||
        storageOf(variable) != spv::StorageClass::Workgroup) {
        return std::nullopt;
    }
    const Instruction& array = module.def(module.pointee(variable.result));
    if (array.opcode != OpTypeArray) return std::nullopt;
    const Id element = array.word(0);
    const uint32_t bytes = bytesOf(types, element);
    const auto length = module.constantValue(array.word(1));
    if (!length || !std::has_single_bit(bytes) || bytes > kMaxBytes) return std::nullopt;
    return StagingArray{variable.result, element, bytes, *length, {}, {}};
}

// Finds how an array is used. nullopt: also in other ways.
std::optional<StagingArray> surveyed(const Module& module, const Users& users, StagingArray array,
                                     const std::function<bool(Id)>& isWanted) {
    const auto isLoad = [&](const Instruction& load) {
        const auto layout = module.constantValue(load.word(1));
        if (load.opcode != OpCooperativeMatrixLoadKHR || !isWanted(load.type) ||
            load.operands.size() <= 2 || !layout || *layout > 1) {
            return false;
        }
        array.matrices.insert(load.type);
        return true;
    };
    const auto isAccess = [&](const Usage& use) {
        const Instruction& i = *use.user;
        if (isNonSemantic(module, i)) return true;
        if (use.operand != 0 || i.opcode != OpStore) return use.operand == 0 && isLoad(i);
        return module.def(i.word(1)).type == module.pointee(i.word(0));
    };
    const auto isPlain = [&](const Usage& use) {
        if (isNonSemantic(module, *use.user)) return true;
        if (use.operand != 0 || !isElementChain(*use.user)) return false;
        array.pointers.push_back(use.user->result);
        return users.all(use.user->result, isAccess);
    };
    const auto isRelaxed = [](const Instruction* i) {
        return i->opcode == OpName || decorates(*i, spv::Decoration::RelaxedPrecision);
    };
    if (!users.all(array.variable, isPlain) || array.matrices.empty() ||
        !std::ranges::all_of(module.annotationsOf(array.variable), isRelaxed)) {
        return std::nullopt;
    }
    return array;
}

}  // namespace

std::vector<StagingArray> stagingArrays(const TypeTable& types, const Users& users,
                                        const std::function<bool(Id matrixType)>& isWanted) {
    const Module& module = types.module();
    std::vector<StagingArray> found;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        std::optional<StagingArray> array = sharedArray(types, *i);
        if (array) array = surveyed(module, users, *std::move(array), isWanted);
        if (array) found.push_back(*std::move(array));
    }
    return found;
}

namespace {

// The accesses to arrays that were retyped, by pointers to elements.
class ArrayAccesses {
 public:
    ArrayAccesses(TypeTable& types, std::span<const RetypedArray> arrays)
        : module_(types.module()) {
        for (const RetypedArray& one : arrays) {
            const auto length = static_cast<uint32_t>(one.array.length * one.items);
            const Id whole = types.arrayType(one.item, length);
            module_.edit(one.array.variable)->type = types.pointerType(kWorkgroup, whole);
            const Id pointer = types.pointerType(kWorkgroup, one.item);
            for (const Id chain : one.array.pointers) {
                module_.edit(chain)->type = pointer;
                byPointer_[chain] = &one;
            }
        }
    }

    bool lower(Emitter& emit, Instruction& i) {
        if (const RetypedArray* array = find(i.result)) {
            countItems(emit, i, 1, *array);
        } else if (const RetypedArray* stored = find(i.word(0)); stored && i.opcode == OpStore) {
            store(emit, i, *stored);
            return true;
        } else if (stored && i.opcode == OpCooperativeMatrixLoadKHR) {
            countItems(emit, i, 2, *stored);
            append(i.operands, memoryOf(i, 3).forLoad(0));
        }
        return false;
    }

 private:
    static constexpr auto kWorkgroup = spv::StorageClass::Workgroup;

    const RetypedArray* find(Id pointer) const {
        const auto found = byPointer_.find(pointer);
        return found == byPointer_.end() ? nullptr : found->second;
    }

    static void countItems(Emitter& emit, Instruction& i, size_t operand, const RetypedArray& to) {
        if (to.items == 1) return;
        i.operands[operand] = idOperand(emit.times(emit.toU32(i.word(operand)), to.items));
    }

    // Takes the memory operands off, without an alignment: it was that of other elements.
    static MemoryOperands memoryOf(Instruction& i, size_t first) {
        const MemoryOperands memory = MemoryOperands(operandsBehind(i, first)).withAlignment(0);
        i.operands.resize(std::min(i.operands.size(), first));
        return memory;
    }

    void store(Emitter& emit, Instruction& i, const RetypedArray& to) {
        const Operands memory = memoryOf(i, 2).forStore(0);
        const std::vector<Id> items = to.convert(emit, i.word(1));
        const Instruction chain = module_.def(i.word(0));
        for (uint32_t n = 0; n < items.size(); ++n) {
            const Id pointer =
                n == 0 ? chain.result
                       : emit.chain(to.item, {chain.word(0), emit.plus(chain.word(1), n)});
            emit.store(pointer, items[n], memory);
        }
    }

    Module& module_;
    std::unordered_map<Id, const RetypedArray*> byPointer_;
};

}  // namespace

void retypeArrays(TypeTable& types, std::span<const RetypedArray> arrays) {
    ArrayAccesses accesses(types, arrays);
    for (const auto& function : types.module().functions()) {
        replaceInBlocks(types, *function,
                        [&](Emitter& emit, Instruction& i) { return accesses.lower(emit, i); });
    }
}

}  // namespace coopvk::rewrite
