// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

Id memberType(const Module& module, Id type, std::optional<uint64_t> index) {
    const Instruction& def = module.def(type);
    if (def.opcode == OpTypeStruct) {
        const bool isMember = index && *index < def.operands.size();
        return isMember ? def.word(static_cast<size_t>(*index)) : 0;
    }
    const bool isComposite =
        isOneOf(def.opcode,
                {OpTypeArray, OpTypeRuntimeArray, OpTypeVector, OpTypeMatrix,
                 OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV, OpTypeCooperativeVectorNV});
    return isComposite ? def.word(0) : 0;
}

std::optional<uint64_t> memberCount(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case OpTypeVector:
        case OpTypeMatrix:
            return def.word(1);
        case OpTypeStruct:
            return def.operands.size();
        case OpTypeArray:
        case OpTypeCooperativeVectorNV:
            return module.constantValue(def.word(1));
        default:
            return std::nullopt;
    }
}

std::unordered_set<Id> typesWith(const Module& module, std::unordered_set<Id> types) {
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (!isArrayType(i->opcode) && i->opcode != OpTypeStruct) continue;
        const auto isOne = [&](const Operand& o) { return o.isId && types.contains(o.word); };
        if (std::ranges::any_of(i->operands, isOne)) types.insert(i->result);
    }
    return types;
}

bool hasExplicitLayout(spv::StorageClass storage) {
    using enum spv::StorageClass;
    return isOneOf(storage, {StorageBuffer, Uniform, PushConstant, PhysicalStorageBuffer,
                             ShaderRecordBufferKHR});
}

bool isLaidOut(const Module& module, const Instruction& type) {
    if (isArrayType(type.opcode)) {
        return module.decoration(type.result, spv::Decoration::ArrayStride).has_value();
    }
    return type.opcode == OpTypeStruct &&
           module.memberDecoration(type.result, 0, spv::Decoration::Offset).has_value();
}

Id constituentOf(const Instruction& constant, uint32_t index) {
    switch (constant.opcode) {
        case OpConstantComposite:
        case OpSpecConstantComposite:
            return constant.word(index);
        case OpConstantCompositeReplicateEXT:
        case OpSpecConstantCompositeReplicateEXT:
            return constant.word(0);
        default:
            return 0;
    }
}

namespace {

// The type that the indices of an access chain select from.
Id typeIndexedBy(const Module& module, const Instruction& chain) {
    return namesChainType(chain.opcode) ? chain.word(0) : module.pointee(chain.word(0));
}

}  // namespace

ChainStep chainStep(const Module& module, const Instruction& chain) {
    return {&chain, typeIndexedBy(module, chain),
            operandsBehind(chain, firstChainIndex(chain.opcode))};
}

std::optional<IndexInto> firstIndex(const Module& module, const Instruction& i) {
    if (i.opcode == OpCompositeExtract) return IndexInto{module.def(i.word(0)).type, 1};
    if (i.opcode == OpCompositeInsert) return IndexInto{module.def(i.word(1)).type, 2};
    const size_t first = firstChainIndex(i.opcode);
    return first == 0 ? std::nullopt : std::optional(IndexInto{typeIndexedBy(module, i), first});
}

std::optional<IndexInto> indexInto(const Module& module, const Instruction& i,
                                   const std::function<bool(Id type)>& isTarget) {
    const std::optional<IndexInto> first = firstIndex(module, i);
    if (!first) return std::nullopt;
    Id type = first->type;
    for (size_t o = first->operand; o < i.operands.size(); ++o) {
        if (isTarget(type)) return IndexInto{type, o};
        const Operand& index = i.operands[o];
        type = memberType(module, type, index.isId ? module.constantValue(index.word) : index.word);
    }
    return std::nullopt;
}

Id typeBehind(const Module& module, const ChainStep& step, size_t without) {
    Id type = step.type;
    for (size_t i = 0; i + without < step.indices.size(); ++i) {
        type = memberType(module, type, module.constantValue(step.indices[i].word));
    }
    return type;
}

namespace {

// Access chains and copies in unreachable blocks of a hostile module can form a cycle.
constexpr int kMostSteps = 1000;

// Calls visit(id, definition) for the pointer and each base that its access chains and copies come
// from. Returns the last one, the root.
template <typename Visit>
Id followToRoot(const Module& module, Id pointer, Visit visit) {
    for (int step = 0; step < kMostSteps; ++step) {
        const Instruction& def = module.def(pointer);
        visit(pointer, def);
        const bool isChain = isAccessChain(def.opcode) || isUntypedChain(def.opcode);
        if (!isChain && def.opcode != OpCopyObject) break;
        pointer = chainBase(def);
    }
    return pointer;
}

}  // namespace

PointerPath pathTo(const Module& module, Id pointer) {
    PointerPath path;
    path.root = followToRoot(module, pointer, [&](Id id, const Instruction& def) {
        path.nonUniform |= module.decoration(id, spv::Decoration::NonUniform).has_value();
        if (isAccessChain(def.opcode) || isUntypedChain(def.opcode)) {
            path.steps.push_back(chainStep(module, def));
        }
    });
    std::ranges::reverse(path.steps);
    return path;
}

Id rootOf(const Module& module, Id pointer) {
    return followToRoot(module, pointer, [](Id, const Instruction&) {});
}

const Instruction& behindCopies(const Module& module, Id value) {
    const Instruction* def = &module.def(value);
    for (int step = 0; step < kMostSteps && def->opcode == OpCopyObject; ++step) {
        def = &module.def(def->word(0));
    }
    return *def;
}

std::vector<Id> PointerPath::indices() const {
    std::vector<Id> all;
    for (const ChainStep& step : steps) {
        for (const Operand& index : step.indices) all.push_back(index.word);
    }
    return all;
}

namespace {

constexpr auto kMode = spv::ExecutionMode::Shader64BitIndexingEXT;

bool hasMode(const Module& module) {
    return std::ranges::any_of(module.section(Section::kExecutionModes), [](const auto& i) {
        return i->opcode == OpExecutionMode && i->word(1) == static_cast<uint32_t>(kMode);
    });
}

}  // namespace

void declareWideIndices(Module& module, bool isRequested, bool hasInt64) {
    const InstructionList& entryPoints = module.section(Section::kEntryPoints);
    if (!hasMode(module)) {
        if (!isRequested || entryPoints.empty()) return;
        module.addCapability(spv::Capability::Shader64BitIndexingEXT);
        module.addExtension("SPV_EXT_shader_64bit_indexing");
        module.append(Section::kExecutionModes,
                      makeInstruction(OpExecutionMode, 0, 0,
                                      {idOperand(entryPoints.front()->word(1)), literal(kMode)}));
    }
    if (hasInt64) module.addCapability(spv::Capability::Int64);
}

Id indexType(TypeTable& types, spv::StorageClass storage) {
    const Module& module = types.module();
    const bool isWide = storage != spv::StorageClass::Workgroup &&
                        (storage == spv::StorageClass::PhysicalStorageBuffer || hasMode(module)) &&
                        module.hasCapability(spv::Capability::Int64);
    return types.intType(isWide ? 64 : 32, false);
}

namespace {

constexpr uint32_t kMaxSums = 4;  // of nested additions and multiplications

IndexParts separate(Emitter& emit, Id value, uint32_t depth) {
    const Module& module = emit.types().module();
    const auto constantOf = [&](Id id) -> std::optional<uint32_t> {
        const std::optional<uint64_t> found = module.constantValue(id);
        if (!found) return std::nullopt;
        return static_cast<uint32_t>(*found);
    };
    if (const std::optional<uint32_t> whole = constantOf(value)) return {emit.constant(0), *whole};
    const Instruction& i = module.def(value);
    if (depth == 0 || i.operands.size() != 2 || i.type != emit.types().uint32()) return {value, 0};
    const Id left = i.word(0), right = i.word(1);
    if (i.opcode == OpIAdd) {
        const IndexParts a = separate(emit, left, depth - 1), b = separate(emit, right, depth - 1);
        if (a.constant == 0 && b.constant == 0) return {value, 0};
        return {emit.addU32(a.variable, b.variable), a.constant + b.constant};
    }
    const std::optional<uint32_t> factor = constantOf(right);
    if (i.opcode == OpIMul && factor) {
        const IndexParts a = separate(emit, left, depth - 1);
        if (a.constant == 0) return {value, 0};
        return {emit.times(a.variable, *factor), a.constant * *factor};
    }
    return {value, 0};
}

bool isMultiple(const Module& module, Id value, uint32_t divisor, uint32_t depth) {
    if (const std::optional<uint64_t> whole = module.constantValue(value)) {
        return *whole % divisor == 0;
    }
    const Instruction& i = module.def(value);
    if (depth == 0 || i.operands.size() != 2) return false;
    const auto is = [&](Id part) { return isMultiple(module, part, divisor, depth - 1); };
    if (i.opcode == OpIAdd) return is(i.word(0)) && is(i.word(1));
    return i.opcode == OpIMul && module.constantValue(i.word(1)) && is(i.word(1));
}

// Of what isMultiple() has found.
Id quotient(Emitter& emit, Id value, uint32_t divisor) {
    const Module& module = emit.types().module();
    if (const std::optional<uint64_t> whole = module.constantValue(value)) {
        return emit.constant(static_cast<uint32_t>(*whole) / divisor);
    }
    const Instruction& i = module.def(value);
    const Id left = i.word(0), right = quotient(emit, i.word(1), divisor);
    if (i.opcode == OpIAdd) return emit.addU32(quotient(emit, left, divisor), right);
    return emit.times(left, static_cast<uint32_t>(*module.constantValue(right)));
}

}  // namespace

IndexParts separateConstant(Emitter& emit, Id value) { return separate(emit, value, kMaxSums); }

std::optional<Id> exactQuotient(Emitter& emit, Id value, uint32_t divisor) {
    if (emit.typeOf(value) != emit.types().uint32() ||
        !isMultiple(emit.types().module(), value, divisor, kMaxSums)) {
        return std::nullopt;
    }
    return quotient(emit, value, divisor);
}

}  // namespace coopvk::rewrite
