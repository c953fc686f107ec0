// SPDX-License-Identifier: Apache-2.0
#include "matrix/staging_arrays.hpp"

#include <algorithm>
#include <bit>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
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
    const uint32_t bytes = types.width(element) / 8 * types.components(element);
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

namespace {

// The f16 numbers in an element of an array: it has them as components, or as words of two. 0: no
// vector holds as many f32.
uint32_t halvesIn(const TypeTable& types, Id element) {
    const uint32_t components = types.components(element);
    if (types.isHalf(element)) return components;
    const bool isWords = types.isInteger(element) && types.width(element) == 32;
    return isWords && components <= 2 ? 2 * components : 0;
}

// The matrices, and the arrays from which they are loaded.
class Candidates {
 public:
    Candidates(const TypeTable& types, const MatrixUses& uses)
        : types_(types),
          users_(types.module()),
          uses_(uses),
          survey_(uses_, types, [&](const Instruction& i) { return mayBe(i); }, {}) {
        size_t before = 0;
        do {
            before = survey_.found().size();
            findArrays();
            survey_.dropUnless([&](const MatrixProduct& product) {
                const Id sum = types.module().def(product.instruction->type).word(0);
                return types.isFloat(sum) && types.width(sum) == 32 && isStaged(product.a) &&
                       isStaged(product.b);
            });
        } while (survey_.found().size() != before);
    }

    const std::vector<StagingArray>& arrays() const { return arrays_; }
    const std::set<Id>& matrices() const { return survey_.found(); }

 private:
    bool mayBe(const Instruction& type) const {
        const auto d = matrixDimensions(types_.module(), type);
        return d && d->isOfSubgroup() && d->use != Use::kAccumulator && types_.isHalf(type.word(0));
    }

    void findArrays() {
        arrays_ = stagingArrays(types_, users_, [&](Id matrix) { return survey_.has(matrix); });
        std::erase_if(arrays_, [&](const StagingArray& array) {
            return halvesIn(types_, array.element) == 0;
        });
        std::set<Id> pointers;
        for (const StagingArray& array : arrays_) {
            pointers.insert(array.pointers.begin(), array.pointers.end());
        }
        others_.clear();
        for (const MatrixAccess& load : uses_.loads()) {
            if (!pointers.contains(load.instruction->word(0))) others_.insert(load.type);
        }
    }

    // Whether all matrices of a type are loaded from the arrays.
    bool isStaged(Id matrix) const { return !others_.contains(matrix); }

    const TypeTable& types_;
    const Users users_;
    const MatrixUses& uses_;
    FactorSurvey survey_;
    std::vector<StagingArray> arrays_;
    std::set<Id> others_;  // types that are loaded from other memory, too
};

// The array with f32 in place of the f16 in its elements.
RetypedArray withSingles(TypeTable& types, const StagingArray& array) {
    const uint32_t count = halvesIn(types, array.element);
    const Id single = types.vectorType(types.floatType(32), count);
    return {array, single, 1, [single, count](Emitter& emit, Id element) {
                const Id half = emit.types().floatType(16);
                emit.types().declareArithmetic(half);
                const Id halves = emit.types().vectorType(half, count);
                return std::vector{emit.op(OpFConvert, single, {emit.bitcast(halves, element)})};
            }};
}

}  // namespace

bool holdSharedSingles(TypeTable& types, const PlannedTarget& target, const MatrixUses& uses) {
    const bool isFaster = target.tuning.sharedSingles.value_or(target.device.stagesSingles);
    if (!target.device.shaderFloat16 || !isFaster) return false;
    const Candidates candidates(types, uses);
    uint64_t bytes = 0;
    for (const StagingArray& array : candidates.arrays()) bytes += array.bytes * array.length;
    if (bytes == 0 || !sharedMemoryHasRoom(types.module(), bytes, target.device)) return false;
    TypeReplacements replacements;
    for (const Id matrix : candidates.matrices()) {
        Operands operands = types.module().def(matrix).operands;
        operands[0] = idOperand(types.floatType(32));
        replacements[matrix] = types.matrixType(std::move(operands));
    }
    std::vector<RetypedArray> arrays;
    for (const StagingArray& array : candidates.arrays())
        arrays.push_back(withSingles(types, array));
    retypeArrays(types, arrays);
    replaceTypes(types, replacements);
    return true;
}

}  // namespace coopvk::rewrite
