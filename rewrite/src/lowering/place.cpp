// SPDX-License-Identifier: Apache-2.0
#include "lowering/place.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

namespace {

// Adds up the offsets of indices into types with explicit layout.
class ByteWalk {
 public:
    explicit ByteWalk(Emitter& emit)
        : emit_(emit),
          indexType_(bufferIndexType(emit.types())),
          bytes_(emit.types().constant(indexType_, 0)) {}

    Id bytes() const { return bytes_; }  // from the start
    // Whether there is a vector whose components do not lie side by side.
    bool isRowMajorColumn() const {
        return inRowMajorColumn_ && emit_.module().def(type_).opcode == OpTypeVector;
    }
    // Sets the type that the next index selects from.
    void enter(Id type) { type_ = type; }
    // Follows an index. False if the layout does not tell its offset.
    bool step(Id index);

 private:
    bool skip(Id index, uint32_t stride);

    Emitter& emit_;
    Id indexType_;
    Id type_ = 0;
    Id bytes_;
    // Of the last structure member on the way.
    uint32_t matrixStride_ = 0;
    bool isRowMajor_ = false;
    bool inRowMajorColumn_ = false;  // the distance between components is matrixStride_
};

bool ByteWalk::skip(Id index, uint32_t stride) {
    bytes_ = emit_.sum(bytes_, emit_.times(emit_.toUnsigned(indexType_, index), stride));
    type_ = emit_.module().def(type_).word(0);
    return stride != 0;
}

bool ByteWalk::step(Id index) {
    Module& module = emit_.module();
    TypeTable& types = emit_.types();
    const Instruction& type = module.def(type_);
    switch (type.opcode) {
        case OpTypeStruct: {
            const std::optional<uint64_t> known = module.constantValue(index);
            if (!known) return false;
            const auto member = static_cast<uint32_t>(*known);
            const auto found = [&](spv::Decoration decoration) {
                return module.memberDecoration(type_, member, decoration);
            };
            const auto offset = found(spv::Decoration::Offset);
            matrixStride_ = found(spv::Decoration::MatrixStride).value_or(0);
            isRowMajor_ = found(spv::Decoration::RowMajor).has_value();
            type_ = type.word(member);
            bytes_ = emit_.plus(bytes_, offset.value_or(0));
            return offset.has_value();
        }
        case OpTypeArray:
        case OpTypeRuntimeArray:
            return skip(index, module.decoration(type_, spv::Decoration::ArrayStride).value_or(0));
        case OpTypeMatrix:
            inRowMajorColumn_ = isRowMajor_;
            return skip(index, isRowMajor_ ? types.width(type.word(0)) / 8 : matrixStride_);
        case OpTypeVector:
            return skip(index, inRowMajorColumn_ ? matrixStride_ : types.width(type_) / 8);
        default:
            return false;
    }
}

}  // namespace

std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices) {
    ByteWalk walk(emit);
    walk.enter(type);
    for (const Id index : indices) {
        if (!walk.step(index)) return std::nullopt;
    }
    if (walk.isRowMajorColumn()) return std::nullopt;
    return walk.bytes();
}

Id contentsOf(const Module& module, Id root) {
    const Instruction& def = module.def(root);
    return def.opcode == OpUntypedVariableKHR ? def.word(1) : module.def(def.type).word(1);
}

namespace {

bool isNonUniform(const Module& module, Id id) {
    return module.decoration(id, spv::Decoration::NonUniform).has_value();
}

// The path to a buffer in the heap; nullopt if it does not start at the heap's variable.
std::optional<PointerPath> heapPath(const Module& module, Id inHeap) {
    PointerPath path = pathTo(module, inHeap);
    if (!isVariable(module.def(path.root).opcode)) return std::nullopt;
    for (const Id index : path.indices()) path.nonUniform |= isNonUniform(module, index);
    return path;
}

}  // namespace

std::vector<Id> BufferPlace::arguments(const Module& module) const {
    if (!inHeap) return descriptor ? std::vector{*descriptor} : std::vector<Id>{};
    std::vector<Id> indices = pathTo(module, *inHeap).indices();
    std::erase_if(indices, [&](Id index) { return module.constantValue(index).has_value(); });
    return indices;
}

BufferPlace BufferPlace::inFunction(Emitter& emit, std::span<const Id> parameters) const {
    Module& module = emit.module();
    BufferPlace place = *this;
    place.bytes = 0;
    if (!inHeap) {
        if (descriptor) place.descriptor = parameters[0];
        return place;
    }
    const PointerPath path = pathTo(module, *inHeap);
    Id pointer = path.root;
    size_t next = 0;
    for (const ChainStep& step : path.steps) {
        Operands operands = {idOperand(step.type), idOperand(pointer)};
        for (const Operand& index : step.indices) {
            const bool isKnown = module.constantValue(index.word).has_value();
            operands.push_back(isKnown ? index : idOperand(parameters[next++]));
        }
        pointer = emit.op(step.chain->opcode, step.chain->type, std::move(operands));
        if (nonUniform) module.decorate(pointer, spv::Decoration::NonUniform);
    }
    place.inHeap = pointer;
    return place;
}

void BufferPlace::appendKey(const Module& module, std::vector<uint32_t>& key) const {
    key.push_back((descriptor ? 1u : 0u) | (nonUniform ? 2u : 0u));
    if (!inHeap) return key.push_back(root);
    key.push_back(contentsOf(module, root));
    for (const auto decoration :
         {spv::Decoration::NonWritable, spv::Decoration::Coherent, spv::Decoration::Volatile}) {
        key.push_back(module.decoration(root, decoration) ? 1 : 0);
    }
    const PointerPath path = pathTo(module, *inHeap);
    key.push_back(path.root);
    for (const ChainStep& step : path.steps) {
        key.insert(key.end(), {step.type, static_cast<uint32_t>(step.indices.size())});
        for (const Operand& index : step.indices) {
            key.push_back(module.constantValue(index.word) ? index.word : 0);
        }
    }
}

namespace {

// Whether a pointer is to the start of shared memory: all blocks there lie at its start.
bool isSharedBlock(const Module& module, Id pointer) {
    return module.storage(pointer) == spv::StorageClass::Workgroup &&
           module.decoration(contentsOf(module, pointer), spv::Decoration::Block).has_value();
}

}  // namespace

BufferPlace placeOf(Emitter& emit, Id pointer) {
    const Module& module = emit.module();
    const PointerPath path = pathTo(module, pointer);
    BufferPlace place;
    place.root = path.root;
    place.nonUniform = path.nonUniform;
    const auto failed = [&](BufferPlace::Problem problem) {
        place.problem = problem;
        return place;
    };
    const Instruction& root = module.def(path.root);
    if (root.opcode == OpBufferPointerEXT) {
        place.inHeap = root.word(0);
        const std::optional<PointerPath> heap = heapPath(module, *place.inHeap);
        if (!heap) return failed(BufferPlace::Problem::kNoVariable);
        place.nonUniform |= heap->nonUniform;
    } else if (!isVariable(root.opcode) && !isSharedBlock(module, path.root)) {
        return failed(BufferPlace::Problem::kNoVariable);
    }
    Id contents = contentsOf(module, path.root);
    ByteWalk walk(emit);
    for (const ChainStep& step : path.steps) {
        std::span<const Operand> indices = step.indices;
        Id type = step.type;
        if (indices.empty()) continue;
        if (isArrayType(module.def(contents).opcode)) {
            contents = module.def(contents).word(0);
            if (isArrayType(module.def(contents).opcode)) {
                return failed(BufferPlace::Problem::kManyDescriptors);
            }
            place.descriptor = indices[0].word;
            place.nonUniform |= isNonUniform(module, indices[0].word);
            type = module.def(type).word(0);
            indices = indices.subspan(1);
        }
        walk.enter(type);
        for (const Operand& index : indices) {
            if (!walk.step(index.word)) return failed(BufferPlace::Problem::kNoLayout);
        }
    }
    place.bytes = walk.bytes();
    return place;
}

bool hasSharedBlocks(const Module& module) {
    if (!module.hasCapability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) return false;
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        return isVariable(i->opcode) && isSharedBlock(module, i->result);
    });
}

bool hasLayout(const LoweringContext& context, spv::StorageClass storage) {
    return storage != spv::StorageClass::Workgroup || context.hasSharedBlocks;
}

bool isTight(const LoweringContext& context, spv::StorageClass storage, Id type, uint64_t bytes) {
    const auto stride = context.module.decoration(type, spv::Decoration::ArrayStride);
    return !stride || *stride == bytes || !hasLayout(context, storage);
}

bool pointersMayVary(const Module& module, spv::StorageClass storage) {
    return module.hasCapability(spv::Capability::VariablePointers) ||
           (module.hasCapability(spv::Capability::VariablePointersStorageBuffer) &&
            storage == spv::StorageClass::StorageBuffer);
}

}  // namespace coopvk::rewrite
