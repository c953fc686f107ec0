// SPDX-License-Identifier: Apache-2.0
#include "matrix/staging_arrays.hpp"

#include <algorithm>
#include <bit>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/workgroup.hpp"
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
    explicit Candidates(const TypeTable& types)
        : types_(types),
          users_(types.module()),
          uses_(types.module()),
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
    const MatrixUses uses_;
    FactorSurvey survey_;
    std::vector<StagingArray> arrays_;
    std::set<Id> others_;  // types that are loaded from other memory, too
};

class SharedSingles {
 public:
    explicit SharedSingles(TypeTable& types) : types_(types), module_(types.module()) {}

    void holdArray(const StagingArray& array) {
        const Id element = singleFor(array.element);
        const Id whole = types_.arrayType(element, static_cast<uint32_t>(array.length));
        constexpr auto kWorkgroup = spv::StorageClass::Workgroup;
        module_.edit(array.variable)->type = types_.pointerType(kWorkgroup, whole);
        const Id pointer = types_.pointerType(kWorkgroup, element);
        for (const Id chain : array.pointers) module_.edit(chain)->type = pointer;
        pointers_.insert(array.pointers.begin(), array.pointers.end());
    }

    void convertStores() {
        for (const auto& function : module_.functions()) {
            for (const auto& block : function->blocks) convertStores(*block);
        }
    }

 private:
    Id singleFor(Id element) {
        return types_.vectorType(types_.floatType(32), halvesIn(types_, element));
    }

    Id converted(Emitter& emit, Id value) {
        const Id type = emit.typeOf(value);
        const Id half = types_.floatType(16);
        types_.declareArithmetic(half);
        const Id halves = types_.vectorType(half, halvesIn(types_, type));
        return emit.op(OpFConvert, singleFor(type), {emit.bitcast(halves, value)});
    }

    void convertStores(Block& block) {
        InstructionList old = std::move(block.body);
        block.body.clear();
        Emitter emit(types_, block.body);
        for (InstructionPtr& i : old) {
            const bool isStore = i->opcode == OpStore && pointers_.contains(i->word(0));
            const bool isLoad =
                i->opcode == OpCooperativeMatrixLoadKHR && pointers_.contains(i->word(0));
            if (isStore) i->operands[1] = idOperand(converted(emit, i->word(1)));
            // The alignment was that of smaller elements.
            if (isStore || isLoad) dropAlignment(*i, isStore ? 2 : 3);
            emit.add(std::move(i));
        }
    }

    static void dropAlignment(Instruction& i, size_t first) {
        const MemoryOperands memory = MemoryOperands(operandsBehind(i, first)).withAlignment(0);
        i.operands.resize(std::min(i.operands.size(), first));
        append(i.operands, first == 2 ? memory.forStore(0) : memory.forLoad(0));
    }

    TypeTable& types_;
    Module& module_;
    std::set<Id> pointers_;
};

}  // namespace

bool holdSharedSingles(TypeTable& types, const PlannedTarget& target) {
    const bool isFaster = target.tuning.sharedSingles.value_or(target.device.stagesSingles);
    if (!target.device.shaderFloat16 || !isFaster) return false;
    const Candidates candidates(types);
    uint64_t bytes = 0;
    for (const StagingArray& array : candidates.arrays()) bytes += array.bytes * array.length;
    if (bytes == 0 || !sharedMemoryHasRoom(types.module(), bytes, target.device)) return false;
    TypeNames names;
    for (const Id matrix : candidates.matrices()) {
        Operands operands = types.module().def(matrix).operands;
        operands[0] = idOperand(types.floatType(32));
        names[matrix] = types.matrixType(std::move(operands));
    }
    SharedSingles singles(types);
    for (const StagingArray& array : candidates.arrays()) singles.holdArray(array);
    singles.convertStores();
    replaceTypes(types, names);
    return true;
}

}  // namespace coopvk::rewrite
