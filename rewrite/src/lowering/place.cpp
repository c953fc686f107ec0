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
    bool step(Id index) {
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
                return skip(index,
                            module.decoration(type_, spv::Decoration::ArrayStride).value_or(0));
            case OpTypeMatrix:
                inRowMajorColumn_ = isRowMajor_;
                return skip(index, isRowMajor_ ? types.width(type.word(0)) / 8 : matrixStride_);
            case OpTypeVector:
                return skip(index, inRowMajorColumn_ ? matrixStride_ : types.width(type_) / 8);
            default:
                return false;
        }
    }

 private:
    bool skip(Id index, uint32_t stride) {
        bytes_ = emit_.sum(bytes_, emit_.times(emit_.toUnsigned(indexType_, index), stride));
        type_ = emit_.module().def(type_).word(0);
        return stride != 0;
    }

    Emitter& emit_;
    Id indexType_;
    Id type_ = 0;
    Id bytes_;
    // Of the last structure member on the way.
    uint32_t matrixStride_ = 0;
    bool isRowMajor_ = false;
    bool inRowMajorColumn_ = false;  // the distance between components is matrixStride_
};

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

BufferPlace::Refusal BufferPlace::refusal() const {
    if (problem == Problem::kNoVariable) {
        return {ErrorCode::kUnsupported, "the buffer that the pointer leads to is not known"};
    }
    if (problem == Problem::kManyDescriptors) {
        return {ErrorCode::kInvalidModule,
                "the buffer is in an array of arrays of descriptors "
                "(VUID-StandaloneSpirv-Uniform-06807)"};
    }
    return {ErrorCode::kInvalidModule,
            "the pointer leads through a type without an explicit layout"};
}

std::nullopt_t BufferPlace::refuse(LoweringContext& context, const Instruction& at) const {
    const auto [code, text] = refusal();
    context.fail(code, at, text);
    return std::nullopt;
}

Id BufferPlace::lowBits(Emitter& emit) const {
    if (!isAddress) return bytes;
    const Id u32 = emit.types().uint32();
    return emit.extract(u32, emit.op(OpBitcast, emit.types().vectorType(u32, 2), {root}), {0});
}

std::vector<Id> BufferPlace::arguments(const Module& module) const {
    if (isAddress) return {root};
    if (!inHeap) return descriptor ? std::vector{*descriptor} : std::vector<Id>{};
    std::vector<Id> indices = pathTo(module, *inHeap).indices();
    std::erase_if(indices, [&](Id index) { return module.constantValue(index).has_value(); });
    return indices;
}

BufferPlace BufferPlace::inFunction(Emitter& emit, std::span<const Id> parameters) const {
    Module& module = emit.module();
    BufferPlace place = *this;
    place.bytes = 0;
    if (isAddress) place.root = parameters[0];
    if (descriptor) place.descriptor = parameters[0];
    if (!inHeap) return place;
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
    key.push_back((descriptor ? 1u : 0u) | (nonUniform ? 2u : 0u) | (isAddress ? 4u : 0u));
    if (isAddress) return;
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
    place.isAddress = module.storage(pointer) == spv::StorageClass::PhysicalStorageBuffer;
    if (place.isAddress) {
        place.root = pointer;
        place.bytes = emit.types().constant(bufferIndexType(emit.types()), 0);
        return place;
    }
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
    return storage == spv::StorageClass::Workgroup ? context.hasSharedBlocks
                                                   : hasExplicitLayout(storage);
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

namespace {

// How many members of a structure have a decoration.
size_t membersWith(const Module& module, Id type, spv::Decoration decoration) {
    return static_cast<size_t>(std::ranges::count_if(
        module.annotationsOf(type),
        [&](const Instruction* i) { return decoratesMember(*i, decoration); }));
}

}  // namespace

BufferViews::Qualifiers BufferViews::qualifiersOf(Id root, Id element) const {
    Id type = contentsOf(module_, root);
    if (module_.storage(root) == spv::StorageClass::Workgroup) {
        return {.length = std::max(sizeOfType(types_, type) / bytesOf(types_, element), 1u)};
    }
    if (isArrayType(module_.def(type).opcode)) type = module_.def(type).word(0);
    const auto has = [&](Id id, spv::Decoration decoration) {
        return module_.decoration(id, decoration).has_value();
    };
    const size_t members = module_.def(type).operands.size();
    Qualifiers found;
    found.bufferBlock = has(type, spv::Decoration::BufferBlock);
    found.nonWritable =
        has(root, spv::Decoration::NonWritable) ||
        (members != 0 && membersWith(module_, type, spv::Decoration::NonWritable) == members);
    found.coherent = has(root, spv::Decoration::Coherent) ||
                     membersWith(module_, type, spv::Decoration::Coherent) != 0;
    found.isVolatile = has(root, spv::Decoration::Volatile) ||
                       membersWith(module_, type, spv::Decoration::Volatile) != 0;
    return found;
}

void BufferViews::declare(Id type, spv::Op opcode, Operands operands) {
    module_.append(Section::kGlobals, makeInstruction(opcode, 0, type, std::move(operands)));
}

Id BufferViews::array(Id element, uint32_t length) {
    Id& array = arrays_[{element, length}];
    if (array != 0) return array;
    array = module_.takeId();
    Operands operands = {idOperand(element)};
    if (length != 0) operands.push_back(idOperand(types_.constantU32(length)));
    declare(array, length != 0 ? OpTypeArray : OpTypeRuntimeArray, std::move(operands));
    module_.decorate(array, spv::Decoration::ArrayStride, {bytesOf(types_, element)});
    return array;
}

Id BufferViews::stepper(spv::StorageClass storage, Id scalar) {
    Id& type = steppers_[{storage, scalar}];
    if (type != 0) return type;
    type = module_.takeId();
    declare(type, OpTypePointer, {literal(storage), idOperand(scalar)});
    module_.decorate(type, spv::Decoration::ArrayStride, {bytesOf(types_, scalar)});
    return type;
}

Id BufferViews::block(Id element, const Qualifiers& qualifiers) {
    Id& block = blocks_[{element, qualifiers}];
    if (block != 0) return block;
    block = module_.takeId();
    declare(block, OpTypeStruct, {idOperand(array(element, qualifiers.length))});
    module_.decorate(
        block, qualifiers.bufferBlock ? spv::Decoration::BufferBlock : spv::Decoration::Block);
    module_.decorateMember(block, 0, spv::Decoration::Offset, {0});
    for (const auto& [wanted, decoration] :
         {std::pair(qualifiers.nonWritable, spv::Decoration::NonWritable),
          std::pair(qualifiers.coherent, spv::Decoration::Coherent),
          std::pair(qualifiers.isVolatile, spv::Decoration::Volatile)}) {
        if (wanted) module_.decorateMember(block, 0, decoration);
    }
    module_.addName(block, "coopvk_buffer");
    return block;
}

// The type of a view of a variable: the block, or if `original` is an array of descriptors, an
// array of the same length of blocks.
Id BufferViews::likeDescriptors(Id original, Id block) {
    const Instruction& array = module_.def(original);
    if (!isArrayType(array.opcode)) return block;
    Operands operands = array.operands;
    operands[0] = idOperand(block);
    const Id type = module_.takeId();
    declare(type, array.opcode, std::move(operands));
    return type;
}

// A view may be read, as where parts of words are stored, and with NonReadable "this module does
// not read from the memory holding the variable". So no variable of the same descriptor stays so.
void BufferViews::makeReadable(Id variable) {
    const auto descriptorOf = [&](Id id) {
        return std::pair(module_.decoration(id, spv::Decoration::DescriptorSet),
                         module_.decoration(id, spv::Decoration::Binding));
    };
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (!isVariable(i->opcode) || descriptorOf(i->result) != descriptorOf(variable)) continue;
        Id type = contentsOf(module_, i->result);
        if (isArrayType(module_.def(type).opcode)) type = module_.def(type).word(0);
        module_.removeDecoration(i->result, spv::Decoration::NonReadable);
        module_.removeDecorationsOf(type, [](const Instruction& annotation) {
            return decoratesMember(annotation, spv::Decoration::NonReadable);
        });
    }
}

// Replaces Restrict by Aliased.
void BufferViews::declareAliased(Id root) {
    module_.removeDecoration(root, spv::Decoration::Restrict);
    if (module_.decoration(root, spv::Decoration::Aliased)) return;
    module_.madeAliased().insert(root);
    module_.decorate(root, spv::Decoration::Aliased);
}

// The same for a view. Both stay so if the application's variable was: other buffers may alias it.
void BufferViews::declareAliased(Id view, Id variable) {
    declareAliased(variable);
    if (module_.madeAliased().contains(variable)) module_.madeAliased().insert(view);
    module_.decorate(view, spv::Decoration::Aliased);
}

// A physical pointer as one to another type. Undoes the cast that made it.
Id BufferViews::cast(Emitter& emit, const BufferPlace& place, Id type) {
    const Id pointer = types_.pointerType(spv::StorageClass::PhysicalStorageBuffer, type);
    const Instruction& def = module_.def(place.root);
    if (def.opcode == OpConvertUToPtr) return emit.op(def.opcode, pointer, {def.word(0)});
    return emit.bitcast(pointer, def.opcode == OpBitcast ? def.word(0) : place.root);
}

Id BufferViews::view(Emitter& emit, const BufferPlace& place, Id element) {
    if (place.isAddress) return cast(emit, place, block(element, Qualifiers{}));
    return place.inHeap ? pointerIntoHeap(emit, place, element) : variableLike(place.root, element);
}

Id BufferViews::pointerIntoHeap(Emitter& emit, const BufferPlace& place, Id element) {
    const Id type = types_.pointerType(module_.storage(place.root),
                                       block(element, qualifiersOf(place.root, element)));
    const Id view = emit.op(OpBufferPointerEXT, type, {*place.inHeap});
    if (place.nonUniform) module_.decorate(view, spv::Decoration::NonUniform);
    declareAliased(view);
    declareAliased(place.root);
    return view;
}

// Of shared memory there is one variable for each size.
Id BufferViews::sharedVariable(Id root, Id element) {
    const Id type = block(element, qualifiersOf(root, element));
    Id& view = variables_[{type, element}];
    if (view != 0) return view;
    view = globalVariable(types_, spv::StorageClass::Workgroup, type, "coopvk_view");
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (isVariable(i->opcode) && storageOf(*i) == spv::StorageClass::Workgroup) {
            declareAliased(i->result);
        }
    }
    return view;
}

Id BufferViews::variableLike(Id variable, Id element) {
    if (module_.storage(variable) == spv::StorageClass::Workgroup) {
        return sharedVariable(variable, element);
    }
    const auto [entry, isNew] = variables_.try_emplace({variable, element}, 0);
    if (!isNew) return entry->second;
    const Id type = likeDescriptors(contentsOf(module_, variable),
                                    block(element, qualifiersOf(variable, element)));
    const Id view = entry->second =
        globalVariable(types_, storageOf(module_.def(variable)), type, "coopvk_view");
    for (const auto decoration : {spv::Decoration::DescriptorSet, spv::Decoration::Binding}) {
        if (const auto value = module_.decoration(variable, decoration)) {
            module_.decorate(view, decoration, {*value});
        }
    }
    declareAliased(view, variable);
    makeReadable(variable);
    return view;
}

std::vector<Id> BufferViews::chainInto(const BufferPlace& place, Id view) {
    std::vector<Id> ids = {view};
    if (place.descriptor) ids.push_back(*place.descriptor);
    ids.push_back(types_.constantU32(0));
    return ids;
}

Id BufferViews::pointer(Emitter& emit, const BufferPlace& place, Id element, Id index, Id view) {
    if (place.isAddress && view == 0 && module_.constantValue(index) == 0) {
        return cast(emit, place, element);
    }
    std::vector<Id> ids = chainInto(place, view != 0 ? view : this->view(emit, place, element));
    ids.push_back(index);
    const Id pointer = emit.chain(element, ids);
    if (place.nonUniform && !place.isAddress) {
        module_.decorate(pointer, spv::Decoration::NonUniform);
        module_.addCapability(spv::Capability::ShaderNonUniform);
    }
    return pointer;
}

// Accesses of 8 and 16 bits.

namespace {

using Storage = spv::StorageClass;
using Features = DeviceFeatures;

struct AccessRow {
    Storage storage;
    uint32_t bits;
    spv::Capability capability;
    DeviceFeatures::Feature feature;
    std::string_view featureName;
};

constexpr AccessRow kAccessRows[] = {
    {Storage::StorageBuffer, 8, spv::Capability::StorageBuffer8BitAccess,
     &Features::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {Storage::StorageBuffer, 16, spv::Capability::StorageBuffer16BitAccess,
     &Features::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {Storage::Uniform, 8, spv::Capability::UniformAndStorageBuffer8BitAccess,
     &Features::uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"},
    {Storage::Uniform, 16, spv::Capability::UniformAndStorageBuffer16BitAccess,
     &Features::uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"},
    {Storage::PushConstant, 8, spv::Capability::StoragePushConstant8,
     &Features::storagePushConstant8, "storagePushConstant8"},
    {Storage::PushConstant, 16, spv::Capability::StoragePushConstant16,
     &Features::storagePushConstant16, "storagePushConstant16"},
};

const AccessRow* findRow(Storage storage, uint32_t bits) {
    if (storage == Storage::PhysicalStorageBuffer) storage = Storage::StorageBuffer;
    const auto found = std::ranges::find_if(kAccessRows, [&](const AccessRow& row) {
        return row.storage == storage && row.bits == bits;
    });
    return found == std::end(kAccessRows) ? nullptr : found;
}

spv::Capability sharedBlockAccess(uint32_t bits) {
    return bits == 8 ? spv::Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR
                     : spv::Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR;
}

}  // namespace

std::string_view missingForAccess(const DeviceFeatures& device, Storage storage, uint32_t bits) {
    const AccessRow* row = findRow(storage, bits);
    return row == nullptr || device.has(row->feature) ? "" : row->featureName;
}

bool canAccess(const Module& module, const DeviceFeatures& device, Storage storage, uint32_t bits) {
    if (storage == Storage::Workgroup && bits < 32) {
        return module.hasCapability(sharedBlockAccess(bits));
    }
    return missingForAccess(device, storage, bits).empty();
}

void declareAccess(Module& module, Storage storage, uint32_t bits) {
    if (const AccessRow* row = findRow(storage, bits)) {
        module.addCapability(row->capability);
        if (bits == 8 && module.version() < 0x00010500) module.addExtension("SPV_KHR_8bit_storage");
        if (bits == 16 && module.version() < 0x00010300) {
            module.addExtension("SPV_KHR_16bit_storage");
        }
    }
    // Blocks in Workgroup memory have an explicit layout.
    if (storage == Storage::Workgroup && bits < 32 &&
        module.hasCapability(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) {
        module.addCapability(sharedBlockAccess(bits));
    }
}

}  // namespace coopvk::rewrite
