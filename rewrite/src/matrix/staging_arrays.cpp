// SPDX-License-Identifier: Apache-2.0
#include "matrix/staging_arrays.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "matrix/element_maps.hpp"
#include "matrix/exchange.hpp"
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

// Factors in shared memory whose elements are converted once, when the shader writes them, and not
// by each invocation that multiplies them (staging_arrays.hpp).

namespace {

// The f16 numbers in an element of an array: it has them as components, or as words of two. 0: no
// vector holds as many f32.
uint32_t halvesIn(const TypeTable& types, Id element) {
    const uint32_t components = types.components(element);
    if (types.isHalf(element)) return components;
    const bool isWords = types.isInteger(element) && types.width(element) == 32;
    return isWords && components <= 2 ? 2 * components : 0;
}

std::set<Id> pointersInto(std::span<const StagingArray> arrays) {
    std::set<Id> pointers;
    for (const StagingArray& array : arrays) {
        pointers.insert(array.pointers.begin(), array.pointers.end());
    }
    return pointers;
}

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

// Changes the arrays, and the components of the matrices.
void holdAs(TypeTable& types, std::span<const RetypedArray> arrays, const std::set<Id>& matrices,
            uint32_t bits) {
    TypeReplacements replacements;
    for (const Id matrix : matrices) {
        Operands operands = types.module().def(matrix).operands;
        operands[0] = idOperand(types.floatType(bits));
        replacements[matrix] = types.matrixType(std::move(operands));
    }
    retypeArrays(types, arrays);
    replaceTypes(types, replacements);
}

// Whether the device has room for twice the memory of all arrays, and there are any.
bool mayDouble(const TypeTable& types, const PlannedTarget& target,
               std::span<const StagingArray> arrays) {
    uint64_t bytes = 0;
    for (const StagingArray& array : arrays) bytes += array.bytes * array.length;
    return bytes != 0 && sharedMemoryHasRoom(types.module(), bytes, target.device);
}

constexpr uint32_t kHalfBytes = 2, kWordBytes = 4, kItemBytes = 16;

// The items of an array's element of so many 8-bit floats: f16, in at most `most` bytes.
Id itemFor(TypeTable& types, uint32_t bytes, uint32_t most) {
    const uint32_t itemBytes = std::min(bytes * 2, most);
    if (itemBytes == kHalfBytes) return types.floatType(16);
    return types.vectorType(types.uint32(), itemBytes / kWordBytes);
}

// The arrays from which only matrices of these types are loaded, all of one format.
std::vector<StagingArray> arraysOf(const TypeTable& types, const Users& users,
                                   const std::set<Id>& wanted) {
    const Module& module = types.module();
    const auto formatOf = [&](Id matrix) { return module.def(matrix).word(0); };
    std::vector<StagingArray> arrays =
        stagingArrays(types, users, [&](Id matrix) { return wanted.contains(matrix); });
    std::erase_if(arrays, [&](const StagingArray& array) {
        const Id format = formatOf(*array.matrices.begin());
        return (types.isHalf(format) && halvesIn(types, array.element) == 0) ||
               !std::ranges::all_of(array.matrices,
                                    [&](Id matrix) { return formatOf(matrix) == format; });
    });
    return arrays;
}

// Of these types, those that are only loaded from the arrays that this leaves. Values that become
// equal numbers have one type.
std::vector<StagingArray> arraysAlone(const TypeTable& types, const MatrixUses& uses,
                                      const Users& users, std::set<Id>& wanted) {
    for (;;) {
        std::vector<StagingArray> arrays = arraysOf(types, users, wanted);
        const std::set<Id> pointers = pointersInto(arrays);
        std::set<Id> staged;
        for (const StagingArray& array : arrays) {
            staged.insert(array.matrices.begin(), array.matrices.end());
        }
        for (const MatrixAccess& load : uses.loads()) {
            if (!pointers.contains(load.instruction->word(0))) staged.erase(load.type);
        }
        if (staged == wanted) return arrays;
        wanted = std::move(staged);
    }
}

// The f16 matrices of products with f32 sums that are only loaded from arrays, and these.
std::vector<StagingArray> arraysOfHalves(const TypeTable& types, const MatrixUses& uses,
                                         std::set<Id>& matrices) {
    const Module& module = types.module();
    const Users users(module);
    FactorSurvey survey(uses, types,
                        [&](const Instruction& type) {
                            const auto d = matrixDimensions(module, type);
                            return d && d->isOfSubgroup() && d->use != Use::kAccumulator &&
                                   types.isHalf(type.word(0));
                        },
                        {});
    std::vector<StagingArray> arrays;
    size_t before = 0;
    do {
        before = survey.found().size();
        matrices = survey.found();
        arrays = arraysAlone(types, uses, users, matrices);
        survey.dropUnless([&](const MatrixProduct& product) {
            const Id sum = module.def(product.instruction->type).word(0);
            return types.isFloat(sum) && types.width(sum) == 32 && matrices.contains(product.a) &&
                   matrices.contains(product.b);
        });
    } while (survey.found().size() != before);
    return arrays;
}

// The largest arrays of which the device has room for twice the memory, and for `others` bytes.
std::vector<StagingArray> fitting(const TypeTable& types, const PlannedTarget& target,
                                  std::vector<StagingArray> arrays, uint64_t others) {
    const auto bytesOf = [](const StagingArray& array) { return array.bytes * array.length; };
    std::ranges::stable_sort(arrays, std::greater(), bytesOf);
    uint64_t taken = others;
    std::erase_if(arrays, [&](const StagingArray& array) {
        const uint64_t more = taken + bytesOf(array);
        if (!sharedMemoryHasRoom(types.module(), more, target.device)) return true;
        taken = more;
        return false;
    });
    return arrays;
}

size_t loadsFrom(const MatrixUses& uses, std::span<const StagingArray> arrays) {
    const std::set<Id> pointers = pointersInto(arrays);
    return std::ranges::count_if(uses.loads(), [&](const MatrixAccess& load) {
        return pointers.contains(load.instruction->word(0));
    });
}

// Of the arrays, those that get f16. Loads from the others need room for LaneItems to be short: if
// more loads would lack that than arrays are loaded from that leave room for it, these stay.
std::vector<StagingArray> retypedOf(const TypeTable& types, const PlannedTarget& target,
                                    const MatrixUses& uses,
                                    const std::vector<StagingArray>& arrays) {
    std::vector<StagingArray> most = fitting(types, target, arrays, 0);
    const Module& module = types.module();
    const uint64_t items = uint64_t{subgroupsOf(module, target.subgroupSize)} *
                           target.subgroupSize * LaneItems::kWords * 4;
    if (!target.device.dividesConversions || items == 0 || most.size() == arrays.size() ||
        !module.hasCapability(spv::Capability::VulkanMemoryModel)) {
        return most;
    }
    std::vector<StagingArray> fewer = fitting(types, target, arrays, items);
    const size_t all = loadsFrom(uses, arrays), byMost = loadsFrom(uses, most);
    return all - byMost > byMost - loadsFrom(uses, fewer) ? fewer : most;
}

// The types of A and B of 8-bit floats.
std::set<Id> smallFactors(const TypeTable& types, const MatrixUses& uses) {
    std::set<Id> found;
    for (const auto& [type, d] : uses.types()) {
        const Number* number = numberOf(types, types.module().def(type).word(0));
        if (d.isOfSubgroup() && d.use != Use::kAccumulator && number != nullptr &&
            number->isSmallFloat()) {
            found.insert(type);
        }
    }
    return found;
}

// Lanes have many columns of a wide B. In columns, a slice has at least as many rows as an item has
// numbers, so small items make slices of fewer registers.
uint32_t itemBytesFor(const Module& module, const StagingArray& array) {
    constexpr uint32_t kWideColumns = 128;
    const bool isWide = std::ranges::any_of(array.matrices, [&](Id matrix) {
        const auto d = matrixDimensions(module, module.def(matrix));
        return d && d->use == Use::kB && d->columns >= kWideColumns;
    });
    return isWide ? kItemBytes / 2 : kItemBytes;
}

// Of these types, those whose values are only loaded by these pointers, moved and multiplied.
std::set<Id> loadedAlone(const TypeTable& types, const MatrixUses& uses, const std::set<Id>& wanted,
                         const std::set<Id>& pointers) {
    const auto isWanted = [&](const Instruction& type) { return wanted.contains(type.result); };
    std::set<Id> found = FactorSurvey(uses, types, isWanted, {}).found();
    for (const MatrixAccess& load : uses.loads()) {
        if (!pointers.contains(load.instruction->word(0))) found.erase(load.type);
    }
    return found;
}

}  // namespace

RetypedArray withHalves(TypeTable& types, StagingArray array, Id format, uint32_t itemBytes) {
    RetypedArray out{.item = itemFor(types, array.bytes, itemBytes)};
    out.items = divideUp(array.bytes * 2, itemBytes);
    const Id element = types.scalarOf(array.element), scalar = types.scalarOf(out.item);
    out.convert = [=, items = out.items](Emitter& emit, Id value) {
        const Id half = emit.types().floatType(16);
        const std::vector<Slot> elements = unpackComponents(
            emit, *numberOf(emit.types(), format), slotsOf(emit, {&value, 1}), element, half);
        const std::vector<Slot> parts = regroup(emit, elements, half, scalar);
        const size_t each = parts.size() / items;
        return listOf(items, [&](uint32_t i) {
            return gather(emit, scalar, std::span(parts).subspan(i * each, each));
        });
    };
    out.array = std::move(array);
    return out;
}

bool holdSharedSingles(TypeTable& types, const PlannedTarget& target, const MatrixUses& uses) {
    const bool isFaster = target.tuning.sharedSingles.value_or(target.device.stagesSingles);
    if (!target.device.shaderFloat16 || !isFaster) return false;
    std::set<Id> matrices;
    const std::vector<StagingArray> found = arraysOfHalves(types, uses, matrices);
    if (!mayDouble(types, target, found)) return false;
    const auto withOthers = [&](const StagingArray& array) { return withSingles(types, array); };
    holdAs(types, listFor(found, withOthers), matrices, 32);
    return true;
}

bool holdSharedHalves(TypeTable& types, const PlannedTarget& target, const MatrixUses& uses) {
    const std::set<Id> small = smallFactors(types, uses);
    if (!target.device.shaderFloat16 || small.empty()) return false;
    const std::set<Id> pointers =
        pointersInto(retypedOf(types, target, uses, arraysOf(types, Users(types.module()), small)));
    if (pointers.empty()) return false;
    std::set<Id> matrices = loadedAlone(types, uses, small, pointers), others;
    std::ranges::set_difference(small, matrices, std::inserter(others, others.end()));
    matrices.merge(separateFactors(types, others, [&](const Instruction& access) {
        return pointers.contains(access.word(0));
    }));
    const Module& module = types.module();
    const std::vector<StagingArray> found =
        arraysAlone(types, MatrixUses(module), Users(module), matrices);
    if (found.empty()) return false;
    const std::vector<RetypedArray> arrays = listFor(found, [&](const StagingArray& array) {
        const Id format = module.def(*array.matrices.begin()).word(0);
        return withHalves(types, array, format, itemBytesFor(module, array));
    });
    types.declareArithmetic(types.floatType(16));
    holdAs(types, arrays, matrices, 16);
    return true;
}

}  // namespace coopvk::rewrite
