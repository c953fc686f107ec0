// SPDX-License-Identifier: Apache-2.0
#include "lowering/element_pointer.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/indexing.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

// Words suffice: Pointer and Stride are multiples of 16 bytes, or of a line's size if that is less
// (Vulkan specification, VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
Id untypedPointee(LoweringContext& context, spv::StorageClass storage, Id component) {
    TypeTable& types = context.types;
    const uint32_t width = types.width(component), bits = std::max(width, 8u);
    if (bits >= 32) return component;
    if (!canAccess(context.module, context.target.device, storage, bits)) return types.uint32();
    declareAccess(context.module, storage, bits);
    return bits == width ? component : types.intType(bits, false);
}

ElementPointer::ElementPointer(LoweringContext& context, Emitter& emit, Id pointer,
                               const Instruction& at, Id component)
    : context_(context) {
    Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    if (!isPointerType(type.opcode)) {
        context.fail(ErrorCode::kInvalidModule, at, "Pointer is not a pointer");
        return;
    }
    isNonUniform_ = pathTo(module, pointer).nonUniform;
    isUntyped_ = type.opcode == spv::Op::OpTypeUntypedPointerKHR;
    storage_ = storageOf(type);
    pointee_ = isUntyped_ ? untypedPointee(context, storage_, component) : type.word(1);
    const uint32_t bits = context.types.width(pointee_);
    if (bits < 8 || context.types.components(pointee_) == 0) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "Pointer must point to a numeric scalar or vector");
        return;
    }
    scalar_ = context.types.scalarOf(pointee_);
    scalarBytes_ = bits / 8;
    components_ = context.types.components(pointee_);
    indexType_ = rewrite::indexType(context.types, storage_);
    isUntyped_ ? resolveUntyped(emit, pointer) : resolve(emit, pointer, at);
}

bool ElementPointer::pointsIntoArray(const Instruction& chain) const {
    const Module& module = context_.module;
    if (chain.operands.size() < 2) return false;
    const Id type = typeBehind(module, chainStep(module, chain), 1);
    const Instruction& array = module.def(type);
    if (!isArrayType(array.opcode)) return false;
    // The specification ignores ArrayStride: elements of Pointer[] are tightly packed. Indices into
    // the array reach these only if the array is tightly packed, too.
    const std::optional<uint32_t> stride = module.decoration(type, spv::Decoration::ArrayStride);
    return !stride || *stride == pointeeBytes();
}

void ElementPointer::resolve(Emitter& emit, Id pointer, const Instruction& at) {
    Module& module = context_.module;
    const Instruction* def = &behindCopies(module, pointer);
    origin_ = context_.types.constant(indexType_, 0);
    if (isAccessChain(def->opcode) && resolveInNested(emit, pointer)) return;
    if (isAccessChain(def->opcode) && pointsIntoArray(*def)) {
        chain_ = spv::Op::OpAccessChain;  // not in bounds: perhaps beyond an array of a structure
        for (size_t i = 0; i + 1 < def->operands.size(); ++i) prefix_.push_back(def->word(i));
        origin_ = asIndex(emit, def->operands.back().word);
        return;
    }
    const bool isVariable = module.hasCapability(spv::Capability::VariablePointers) ||
                            (module.hasCapability(spv::Capability::VariablePointersStorageBuffer) &&
                             storage_ == spv::StorageClass::StorageBuffer);
    if (storage_ != spv::StorageClass::PhysicalStorageBuffer && !isVariable) {
        if (resolveInView(emit, pointer)) return;
        context_.fail(ErrorCode::kUnsupported, at,
                      "Pointer must be an access chain into a tightly packed array");
        scalar_ = 0;
        return;
    }
    chain_ = spv::Op::OpPtrAccessChain;
    prefix_ = {pointer};
    const std::optional<uint32_t> stride =
        module.decoration(pointerType_, spv::Decoration::ArrayStride);
    if (stride && *stride != pointeeBytes()) {
        context_.fail(ErrorCode::kUnsupported, at, "the pointer's ArrayStride is not tight");
        scalar_ = 0;
    } else if (!stride && storage_ != spv::StorageClass::Workgroup) {
        module.decorate(pointerType_, spv::Decoration::ArrayStride, {pointeeBytes()});
    }
}

// For an array in arrays: elements may lie beyond the inner one, where an access chain must not
// lead.
bool ElementPointer::resolveInNested(Emitter& emit, Id pointer) {
    Module& module = context_.module;
    const PointerPath path = pathTo(module, pointer);
    const std::vector<Id> indices = path.indices();
    std::vector<Id> types = {module.pointee(path.root)};  // before each index
    for (const Id index : indices)
        types.push_back(memberType(module, types.back(), module.constantValue(index)));
    size_t first = indices.size();  // the index into the outermost array of those without gaps
    uint64_t bytes = pointeeBytes();
    std::vector<uint32_t> lengths;  // of the arrays in it, innermost first
    while (first > 0 && isArrayType(module.def(types[first - 1]).opcode)) {
        const Id array = types[first - 1];
        const auto stride = module.decoration(array, spv::Decoration::ArrayStride);
        if (stride && *stride != bytes) break;
        const uint64_t length = memberCount(module, array).value_or(0);
        --first;
        bytes *= length;
        lengths.push_back(static_cast<uint32_t>(length));
        if (length == 0) break;  // it has no end
    }
    if (lengths.size() < 2) return false;
    lengths.pop_back();
    prefix_ = {path.root};
    prefix_.insert(prefix_.end(), indices.begin(), indices.begin() + std::ptrdiff_t(first));
    for (size_t level = first; level < indices.size(); ++level) {
        const Id index = asIndex(emit, indices[level]);
        const size_t inside = indices.size() - level;
        const uint32_t length = inside <= lengths.size() ? lengths[inside - 1] : 1;
        origin_ =
            emit.addInt(indexType_, emit.mulInt(indexType_, origin_, constantIndex(length)), index);
    }
    lengths_ = std::move(lengths);
    return true;
}

Id ElementPointer::constantIndex(uint32_t value) {
    return context_.types.constant(indexType_, value);
}

// For a component of a vector, or the one member of a structure, in an array.
bool ElementPointer::resolveInView(Emitter& emit, Id pointer) {
    if (storage_ != spv::StorageClass::StorageBuffer || components_ != 1) return false;
    const BufferPlace place = placeOf(emit, pointer);
    if (place.valid()) intoView(emit, place);
    return place.valid();
}

void ElementPointer::intoView(Emitter& emit, const BufferPlace& place) {
    BufferViews& views = context_.views;
    pointerType_ = context_.types.pointerType(storage_, pointee_);
    prefix_ = views.chainInto(place, views.view(emit, place, pointee_));
    origin_ = asIndex(emit, emit.over(place.bytes, pointeeBytes()));
}

namespace {

// An address as a pointer of another type. Undoes the cast that made the pointer.
Id cast(Emitter& emit, Id type, Id pointer) {
    const Instruction& def = emit.module().def(pointer);
    if (def.opcode == spv::Op::OpConvertUToPtr) return emit.op(def.opcode, type, {def.word(0)});
    return emit.bitcast(type, def.opcode == spv::Op::OpBitcast ? def.word(0) : pointer);
}

}  // namespace

// Through typed pointers where memory can have these, since drivers have known them for longer.
void ElementPointer::resolveUntyped(Emitter& emit, Id pointer) {
    TypeTable& types = context_.types;
    BufferViews& views = context_.views;
    const Id zero = emit.constant(0);
    origin_ = types.constant(indexType_, 0);
    if (storage_ == spv::StorageClass::PhysicalStorageBuffer) {
        const Id block = types.pointerType(storage_, views.block(pointee_));
        pointerType_ = types.pointerType(storage_, pointee_);
        prefix_ = {cast(emit, block, pointer), zero};
        return;
    }
    const BufferPlace place =
        storage_ == spv::StorageClass::Workgroup ? BufferPlace::unknown() : placeOf(emit, pointer);
    if (place.valid()) return intoView(emit, place);
    chain_ = spv::Op::OpUntypedAccessChainKHR;
    prefix_ = {views.array(pointee_), pointer};
}

Id ElementPointer::stride(Emitter& emit, Id operand) {
    const Id units = asIndex(emit, operand);
    if (!isUntyped_) return units;
    return emit.divInt(indexType_, units, context_.types.constant(indexType_, pointeeBytes()));
}

Id ElementPointer::asIndex(Emitter& emit, Id integer) {
    return emit.toUnsigned(indexType_, integer);
}

Id ElementPointer::at(Emitter& emit, Id index, Id component) {
    Operands operands = idOperands(prefix_);
    std::vector<Id> inside;  // indices into arrays of arrays, innermost first
    for (const uint32_t length : lengths_) {
        inside.push_back(emit.modInt(indexType_, index, constantIndex(length)));
        index = emit.divInt(indexType_, index, constantIndex(length));
    }
    operands.push_back(idOperand(index));
    for (; !inside.empty(); inside.pop_back()) operands.push_back(idOperand(inside.back()));
    Id type = pointerType_;
    if (component != 0) {
        operands.push_back(idOperand(component));
        type = context_.types.pointerType(storage_, scalar_);
    }
    const Id element = emit.op(chain_, type, std::move(operands));
    if (isNonUniform_) context_.module.decorate(element, spv::Decoration::NonUniform);
    return element;
}

namespace {

using Storage = spv::StorageClass;
using Traits = DeviceFeatures;

struct AccessRow {
    Storage storage;
    uint32_t bits;
    spv::Capability capability;
    bool DeviceFeatures::* feature;
    std::string_view featureName;
};

constexpr AccessRow kAccessRows[] = {
    {Storage::StorageBuffer, 8, spv::Capability::StorageBuffer8BitAccess,
     &Traits::storageBuffer8BitAccess, "storageBuffer8BitAccess"},
    {Storage::StorageBuffer, 16, spv::Capability::StorageBuffer16BitAccess,
     &Traits::storageBuffer16BitAccess, "storageBuffer16BitAccess"},
    {Storage::Uniform, 8, spv::Capability::UniformAndStorageBuffer8BitAccess,
     &Traits::uniformAndStorageBuffer8BitAccess, "uniformAndStorageBuffer8BitAccess"},
    {Storage::Uniform, 16, spv::Capability::UniformAndStorageBuffer16BitAccess,
     &Traits::uniformAndStorageBuffer16BitAccess, "uniformAndStorageBuffer16BitAccess"},
    {Storage::PushConstant, 8, spv::Capability::StoragePushConstant8, &Traits::storagePushConstant8,
     "storagePushConstant8"},
    {Storage::PushConstant, 16, spv::Capability::StoragePushConstant16,
     &Traits::storagePushConstant16, "storagePushConstant16"},
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
    return row == nullptr || device.*row->feature ? "" : row->featureName;
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
