// SPDX-License-Identifier: Apache-2.0
#include "lowering/element_pointer.hpp"

#include <algorithm>
#include <bit>

#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/multiples.hpp"
#include "ir/opcodes.hpp"
#include "lowering/place.hpp"

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

namespace {

// The type of the array to whose element an access chain leads; 0 for other pointers.
Id arrayAround(const Module& module, Id pointer) {
    const Instruction& chain = behindCopies(module, pointer);
    if (!isAccessChain(chain.opcode) || chain.operands.size() < 2) return 0;
    const Id type = typeBehind(module, chainStep(module, chain), 1);
    return isArrayType(module.def(type).opcode) ? type : 0;
}

}  // namespace

bool pointsIntoTightArray(const LoweringContext& context, Id pointer) {
    const Module& module = context.module;
    const Id array = arrayAround(module, pointer);
    const uint32_t bytes = bytesOf(context.types, module.pointee(pointer));
    return array != 0 && isTight(context, module.storage(pointer), array, bytes);
}

ElementPointer::ElementPointer(LoweringContext& context, Emitter& emit, Id pointer,
                               const Instruction& at, Id component, uint32_t widest)
    : context_(&context), widest_(widest) {
    Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    if (!isPointerType(type.opcode)) {
        context.invalid(at, "Pointer is not a pointer");
        return;
    }
    isNonUniform_ = pathTo(module, pointer).nonUniform;
    isUntyped_ = type.opcode == OpTypeUntypedPointerKHR;
    storage_ = storageOf(type);
    pointee_ = isUntyped_ ? untypedPointee(context, storage_, component) : type.word(1);
    const uint32_t bits = context.types.width(pointee_);
    if (bits < 8 || context.types.components(pointee_) == 0) {
        context.invalid(at, "Pointer must point to a numeric scalar or vector");
        return;
    }
    scalar_ = context.types.scalarOf(pointee_);
    scalarBytes_ = bits / 8;
    components_ = context.types.components(pointee_);
    indexType_ = rewrite::indexType(context.types, storage_);
    isUntyped_ ? resolveUntyped(emit, pointer) : resolve(emit, pointer, at);
}

ElementPointer::ElementPointer(LoweringContext& context, spv::StorageClass storage, Id element,
                               std::vector<Id> prefix, bool steps, bool isNonUniform)
    : context_(&context),
      isNonUniform_(isNonUniform),
      chain_(steps ? OpPtrAccessChain : OpAccessChain),
      prefix_(std::move(prefix)),
      pointerType_(context.types.pointerType(storage, element)),
      pointee_(element),
      scalar_(context.types.scalarOf(element)),
      components_(context.types.components(element)),
      scalarBytes_(context.types.width(element) / 8),
      storage_(storage),
      indexType_(rewrite::indexType(context.types, storage)),
      origin_(constantIndex(0)) {}

void ElementPointer::resolve(Emitter& emit, Id pointer, const Instruction& at) {
    origin_ = context_->types.constant(indexType_, 0);
    if (scalarBytes_ > widest_ && resolveInView(emit, pointer)) return;
    if (resolveInArrays(emit, pointer) || resolveByStep(pointer) || resolveInView(emit, pointer) ||
        resolveByScalars(emit, pointer)) {
        return;
    }
    scalar_ = 0;
    if (hasLayout(*context_, storage_)) {
        context_->unsupported(
            at, "the array has gaps between its elements, and its variable is not known");
    } else {
        context_->invalid(at, "Pointer must point into an array");
    }
}

// Steps from the pointer to the next elements, where it does not lead into an array with gaps.
bool ElementPointer::resolveByStep(Id pointer) {
    Module& module = context_->module;
    if (arrayAround(module, pointer) != 0) return false;
    if ((!isPhysical() && !pointersMayVary(module, storage_)) ||
        !isTight(*context_, storage_, pointerType_, pointeeBytes()))
        return false;
    chain_ = OpPtrAccessChain;
    prefix_ = {pointer};
    if (storage_ != spv::StorageClass::Workgroup &&
        !module.decoration(pointerType_, spv::Decoration::ArrayStride)) {
        module.decorate(pointerType_, spv::Decoration::ArrayStride, {pointeeBytes()});
    }
    return true;
}

// For an element of an array. In an array in arrays elements may lie beyond the inner one, where an
// access chain must not lead. In shared memory, of which there may be no view, vectors and
// structures of one member count as arrays. So do vectors in variables of an invocation, where a
// number alone counts, too.
bool ElementPointer::resolveInArrays(Emitter& emit, Id pointer) {
    const Module& module = context_->module;
    const PointerPath path = pathTo(module, pointer);
    const std::vector<Id> indices = path.indices();
    std::vector<Id> types = {module.pointee(path.root)};  // before each index
    for (const Id index : indices)
        types.push_back(memberType(module, types.back(), module.constantValue(index)));
    size_t first = indices.size();  // the index into the outermost array of those without gaps
    uint64_t bytes = pointeeBytes();
    std::vector<uint32_t> lengths;  // from that index on, innermost first
    for (size_t level = first; level > 0 && hasNoGaps(types, level - 1, bytes); --level) {
        const uint64_t length = memberCount(module, types[level - 1]).value_or(0);
        lengths.push_back(static_cast<uint32_t>(length));
        if (isPrivate(storage_) || isArrayType(module.def(types[level - 1]).opcode)) {
            first = level - 1;
        }
        if (length == 0) break;  // it has no end
        bytes *= length;
    }
    lengths.resize(indices.size() - first);
    if (lengths.empty() && !isPrivate(storage_)) return false;
    prefix_ = {path.root};
    prefix_.insert(prefix_.end(), indices.begin(), indices.begin() + std::ptrdiff_t(first));
    for (size_t level = first; level < indices.size(); ++level) {
        const Id index = asIndex(emit, indices[level]);
        const Id length = constantIndex(lengths[indices.size() - level - 1]);
        origin_ = emit.addInt(indexType_, emit.mulInt(indexType_, origin_, length), index);
    }
    lengths_ = std::move(lengths);
    return true;
}

// Whether the type before an index has members of `bytes` bytes that lie side by side.
bool ElementPointer::hasNoGaps(std::span<const Id> types, size_t level, uint64_t bytes) const {
    const Module& module = context_->module;
    const Instruction& type = module.def(types[level]);
    if (isArrayType(type.opcode)) return isTight(*context_, storage_, type.result, bytes);
    if (storage_ != spv::StorageClass::Workgroup && !isPrivate(storage_)) return false;
    switch (type.opcode) {
        case OpTypeVector:  // the column of a matrix may have a stride
            return level == 0 || module.def(types[level - 1]).opcode != OpTypeMatrix;
        case OpTypeStruct:  // where a number alone counts, it would be the index
            return !isPrivate(storage_) && type.operands.size() == 1 &&
                   module.memberDecoration(type.result, 0, spv::Decoration::Offset).value_or(0) ==
                       0;
        default:
            return false;
    }
}

Id ElementPointer::constantIndex(uint32_t value) const {
    return context_->types.constant(indexType_, value);
}

// From now on pointees are scalars: views and addresses need no alignment of vectors.
void ElementPointer::becomeScalars() {
    perOriginal_ = components_;
    components_ = 1;
    pointee_ = scalar_;
}

// The same, with words in place of wider scalars than `widest`.
void ElementPointer::becomeNarrowScalars() {
    becomeScalars();
    if (scalarBytes_ <= widest_) return;
    perOriginal_ *= scalarBytes_ / 4;
    scalarBytes_ = 4;
    pointee_ = scalar_ = context_->types.uint32();
}

// Where the memory's variable or address is known.
bool ElementPointer::resolveInView(Emitter& emit, Id pointer) {
    const bool isViewed =
        storage_ == spv::StorageClass::StorageBuffer || isPhysical() ||
        (storage_ == spv::StorageClass::Workgroup && hasLayout(*context_, storage_));
    if (!isViewed) return false;
    const BufferPlace place = placeOf(emit, pointer);
    if (!place.valid()) return false;
    becomeNarrowScalars();
    intoView(emit, place);
    return true;
}

// For a variable pointer whose type has another stride than the elements.
bool ElementPointer::resolveByScalars(Emitter& emit, Id pointer) {
    if (!pointersMayVary(context_->module, storage_)) return false;
    becomeScalars();
    chain_ = OpPtrAccessChain;
    pointerType_ = context_->views.stepper(storage_, scalar_);
    std::vector<Id> toFirst = {pointer};
    if (perOriginal_ != 1) toFirst.push_back(emit.constant(0));
    prefix_ = {emit.op(OpAccessChain, pointerType_, idOperands(toFirst))};
    return true;
}

void ElementPointer::intoView(Emitter& emit, const BufferPlace& place) {
    BufferViews& views = context_->views;
    pointerType_ = context_->types.pointerType(storage_, pointee_);
    prefix_ = views.chainInto(place, views.view(emit, place, pointee_));
    if (!place.isAddress) origin_ = asIndex(emit, emit.over(place.bytes, pointeeBytes()));
}

// Through typed pointers where memory can have these, since drivers have known them for longer.
void ElementPointer::resolveUntyped(Emitter& emit, Id pointer) {
    origin_ = context_->types.constant(indexType_, 0);
    const BufferPlace place =
        storage_ == spv::StorageClass::Workgroup ? BufferPlace::unknown() : placeOf(emit, pointer);
    if (place.valid()) return intoView(emit, place);
    chain_ = OpUntypedAccessChainKHR;
    prefix_ = {context_->views.array(pointee_), pointer};
}

Id ElementPointer::stride(Emitter& emit, Id operand) {
    const Id units = asIndex(emit, operand);
    if (originalBytes_ != 0) return strideInWords(emit, units);
    if (!isUntyped_) return emit.mulInt(indexType_, units, constantIndex(perOriginal_));
    return overSigned(emit, units, pointeeBytes());
}

Id ElementPointer::asIndex(Emitter& emit, Id integer) const {
    return emit.toUnsigned(indexType_, integer);
}

std::optional<uint64_t> ElementPointer::count() const {
    uint64_t all = 1;
    for (const uint32_t length : lengths_) all *= length;
    const std::optional<uint64_t> ahead = context_->module.constantValue(origin_);
    if (all == 0 || !ahead) return std::nullopt;
    return all > *ahead ? all - *ahead : 0;
}

Id ElementPointer::at(Emitter& emit, Id index, Id component) const {
    Operands operands = idOperands(prefix_);
    std::vector<Id> indices;  // innermost first
    for (size_t i = 0; i + 1 < lengths_.size(); ++i) {
        const uint32_t length = lengths_[i];
        indices.push_back(length == 1 ? emit.constant(0)
                                      : emit.modInt(indexType_, index, constantIndex(length)));
        index = emit.divInt(indexType_, index, constantIndex(length));
    }
    if (!lengths_.empty()) indices.push_back(index);
    if (operands.size() + indices.size() == 1) return prefix_[0];
    for (; !indices.empty(); indices.pop_back()) operands.push_back(idOperand(indices.back()));
    Id type = pointerType_;
    if (component != 0) {
        operands.push_back(idOperand(component));
        type = context_->types.pointerType(storage_, scalar_);
    }
    const Id element = emit.op(chain_, type, std::move(operands));
    if (isNonUniform_) context_->module.decorate(element, spv::Decoration::NonUniform);
    return element;
}

// The memory behind a pointer as words, or vectors of words.

namespace {

Condition isMultiple(Emitter& emit, const Multiples& known, Id number, uint32_t of) {
    if (known.of(number) >= of) return Condition::always();
    const Id rest = emit.modulo(number, of);
    const Id zero = emit.types().constant(emit.typeOf(rest), 0);
    return emit.known(emit.compare(OpIEqual, rest, zero));
}

// The number of elements in the view of a buffer as an array of `element`.
Id lengthOf(LoweringContext& context, Emitter& emit, const BufferPlace& place, Id element) {
    Module& module = context.module;
    Id view = context.views.view(emit, place, element);
    if (place.descriptor) {
        const Id block = module.def(contentsOf(module, view)).word(0);
        view = emit.chain(block, {view, *place.descriptor});
        if (place.nonUniform) module.decorate(view, spv::Decoration::NonUniform);
    }
    return emit.op(OpArrayLength, emit.types().uint32(), {idOperand(view), literal(0u)});
}

}  // namespace

uint32_t multipleBehindRoot(LoweringContext& context, const Multiples& known, Id pointer) {
    InstructionList code;  // nothing uses it but `known`
    Emitter aside(context.types, code);
    uint32_t multiple = ~0u;
    for (const ChainStep& step : pathTo(context.module, pointer).steps) {
        std::vector<Id> indices;
        for (const Operand& index : step.indices) indices.push_back(index.word);
        const std::optional<Id> bytes = bytesTo(aside, step.type, indices);
        multiple = std::min(multiple, bytes ? known.of(*bytes) : 1);
    }
    for (InstructionPtr& i : code) context.module.retire(std::move(i));
    return multiple;
}

ElementPointer::ElementPointer(LoweringContext& context, Id pointer) : context_(&context) {
    const Module& module = context.module;
    pointerType_ = module.def(pointer).type;
    const Instruction& type = module.def(pointerType_);
    isUntyped_ = type.opcode == OpTypeUntypedPointerKHR;
    isNonUniform_ = pathTo(module, pointer).nonUniform;
    storage_ = storageOf(type);
    indexType_ = rewrite::indexType(context.types, storage_);
    origin_ = constantIndex(0);
}

std::optional<ElementPointer> ElementPointer::inWords(LoweringContext& context, Emitter& emit,
                                                      Id pointer, Id component,
                                                      const WordAccess& access) {
    using enum spv::StorageClass;
    const Instruction& type = context.module.def(emit.typeOf(pointer));
    if (!isPointerType(type.opcode)) return std::nullopt;
    ElementPointer words(context, pointer);
    if (words.storage_ != StorageBuffer && words.storage_ != PhysicalStorageBuffer) {
        return std::nullopt;
    }
    const Id original = words.isUntyped_ ? component : type.word(1);
    const uint32_t bytes = bytesOf(context.types, original);
    if (bytes == 0 || bytes >= access.bytes) return std::nullopt;
    words.originalBytes_ = words.isUntyped_ ? 1 : bytes;
    words.scalar_ = context.types.uint32();
    words.scalarBytes_ = 4;
    words.components_ = access.bytes / 4;
    words.pointee_ = context.types.vectorType(words.scalar_, words.components_);
    // The code is dropped again if memory is not accessed in words.
    InstructionList code;
    Emitter aside(context.types, code);
    const bool isPossible = words.intoWords(aside, pointer, original, access);
    for (InstructionPtr& i : code) {
        if (isPossible)
            emit.out().push_back(std::move(i));
        else
            context.module.retire(std::move(i));
    }
    return isPossible ? std::optional(words) : std::nullopt;
}

bool ElementPointer::intoWords(Emitter& emit, Id pointer, Id original, const WordAccess& access) {
    TypeTable& types = context_->types;
    reaches_ = isMultiple(emit, access.known, asIndex(emit, access.stride), unitsInPointee());
    const auto mayBe = [&] {
        return !reaches_.isNever() && (reaches_.isAlways() || access.isChecked);
    };
    const BufferPlace place = placeOf(emit, pointer);
    if (!place.valid()) return false;
    // glslang's alignment is that of the block, whatever the index is.
    const bool isAligned =
        place.isAddress && std::min(access.alignment, multipleBehindRoot(*context_, access.known,
                                                                         pointer)) >= access.bytes;
    if (!isAligned) {
        const Id low = place.lowBits(emit);
        reaches_ = emit.both(reaches_, isMultiple(emit, access.known, low, access.bytes));
    }
    // A load of a vector that a buffer ends in may give zeros also for what lies in the buffer.
    if (!place.isAddress && context_->target.device.robustBufferAccess) {
        if (!access.isChecked || !mayBe()) return false;
        const Id element =
            isUntyped_ ? untypedPointee(*context_, storage_, original) : types.scalarOf(original);
        const Id length = lengthOf(*context_, emit, place, element);
        const uint32_t bytesOfElement = bytesOf(types, element);
        const uint32_t elements = access.bytes / bytesOfElement;
        reaches_ = emit.both(reaches_, isMultiple(emit, access.known, length, elements));
        // Lines may lie in a buffer ahead of which Pointer leads.
        const Id first = emit.over(place.bytes, bytesOfElement);
        const Id end = emit.toUnsigned(emit.typeOf(first), length);
        reaches_ = emit.both(reaches_, emit.known(emit.compare(OpULessThan, first, end)));
    }
    if (mayBe()) intoView(emit, place);
    return mayBe();
}

// The units that Stride counts in a pointee, but for a factor that the original pointee has itself.
uint32_t ElementPointer::unitsInPointee() const {
    return pointeeBytes() / powerOfTwoIn(originalBytes_);
}

// Stride may be negative.
Id ElementPointer::overSigned(Emitter& emit, Id units, uint32_t powerOfTwo) {
    const Scalar by = {static_cast<uint64_t>(std::countr_zero(powerOfTwo))};
    const uint32_t width = context_->types.width(indexType_);
    if (const std::optional<uint64_t> known = context_->module.constantValue(units)) {
        return context_->types.constant(
            indexType_, *evaluate(OpShiftRightArithmetic, Scalar{*known, width}, by));
    }
    if (by.bits == 0) return units;
    const Id bits = emit.constant(static_cast<uint32_t>(by.bits));
    return emit.op(OpShiftRightArithmetic, indexType_, {units, bits});
}

Id ElementPointer::strideInWords(Emitter& emit, Id units) {
    return emit.mulInt(indexType_, overSigned(emit, units, unitsInPointee()),
                       constantIndex(originalBytes_ / powerOfTwoIn(originalBytes_)));
}

}  // namespace coopvk::rewrite
