// SPDX-License-Identifier: Apache-2.0
#include "vector/memory.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/entry_point.hpp"
#include "ir/multiples.hpp"
#include "ir/opcodes.hpp"
#include "lowering/words.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

VectorMemory::VectorMemory(VectorFunction& function, const Location& location,
                           size_t firstParameter, MemoryOperands access)
    : VectorCode(function),
      location_(location),
      first_(firstParameter),
      // Only accesses to physical pointers need Aligned; the extension guarantees the alignment.
      access_(access.withAlignment(0)),
      start_(function.parameter(firstParameter + location.arguments.size() - 1)) {
    if (byElements()) {
        useElements();
        return;
    }
    std::vector<Id> parameters;
    for (size_t a = 0; a + 1 < location.arguments.size(); ++a) {
        parameters.push_back(function.parameter(firstParameter + a));
    }
    array_.emplace(f_.context(), location.place.inFunction(emit_, parameters), access_);
    if (!location.place.hasViewValues()) return;
    for (const uint32_t bytes : {kWidestAccess, 4u}) {
        if (bytes <= location_.alignment) array_->view(emit_, bits(bytes));
    }
}

void VectorMemory::makeNonPrivate() {
    access_ = MemoryOperands(nonPrivateAccess(f_.module()));
    useElements();
}

Id VectorMemory::bits(uint32_t bytes) {
    return bytes == 16 ? types_.vectorType(u32(), 4) : types_.intType(8 * bytes, false);
}

bool VectorMemory::isArrayOf(Id type) const {
    return !byElements() || types_.scalarOf(location_.element) == type;
}

// Declares the arithmetic of integers that accesses convert.
void VectorMemory::declare(Id type) {
    const uint32_t bytes = bytesOf(types_, type);
    if (bytes < 4 && (bytes == 1 ? device().shaderInt8 : device().shaderInt16)) {
        types_.declareArithmetic(types_.intType(8 * bytes, false));
    }
}

// ---------------------------------------------------------------------------------------------
// Through the elements of the application's array

void VectorMemory::useElements() {
    std::vector<Id> chain = {location_.place.root != 0 ? location_.place.root
                                                       : f_.parameter(first_)};
    for (size_t i = location_.firstIndex(); i + 1 < location_.arguments.size(); ++i) {
        const Id known = location_.arguments[i];
        const bool isConstant = f_.module().constantValue(known).has_value();
        chain.push_back(isConstant ? known : f_.parameter(first_ + i));
    }
    const ElementPointer elements(f_.context(), location_.storage, location_.element,
                                  std::move(chain), location_.steps, location_.place.nonUniform);
    array_.emplace(f_.context(), elements, access_);
}

// The scalars of some bytes, by the number of the first.
ScalarIndex VectorMemory::scalarsAt(Id index, uint32_t count) const {
    return {0, index, std::gcd(count, array_->elements().components())};
}

// `bytes` (1, 2, 4 or 16) bytes, as words. `index`: of the first scalar, or if scalars have more
// bytes, of such a part of one.
std::vector<Id> VectorMemory::loadElements(uint32_t bytes, Id index) {
    const Id scalar = types_.scalarOf(location_.element), origin = array_->elements().origin();
    const uint32_t size = elementBytes();
    declare(scalar);
    if (size > bytes) {
        const std::vector<Slot> whole =
            array_->loadScalars(emit_, origin, {0, over(index, size / bytes)}, 1);
        const Id part = emit_.toU32(modulo(index, size / bytes));
        return {fieldOf(emit_, scalarOf(emit_, scalar, whole[0]), part, 8 * bytes, false)};
    }
    const uint32_t count = bytes / size;
    const std::vector<Id> words =
        toWords(emit_, array_->loadScalars(emit_, origin, scalarsAt(index, count), count), scalar);
    if (bytes >= 4) return words;
    return {words.size() == 1 ? words[0] : withPart(emit_, words[0], words[1], 8)};
}

void VectorMemory::storeElements(uint32_t bytes, Id index, std::span<const Id> words) {
    const Id scalar = types_.scalarOf(location_.element), origin = array_->elements().origin();
    const uint32_t size = elementBytes(), count = bytes / size;
    declare(scalar);
    if (count != 0) {
        const std::vector<Slot> scalars = regroup(emit_, slotsOf(emit_, words), u32(), scalar);
        return array_->storeScalars(emit_, origin, scalarsAt(index, count),
                                    std::span(scalars).first(count));
    }
    // The other bytes of the element keep their values.
    const uint32_t parts = size / bytes, perWord = std::min(parts, 4 / bytes);
    const Id part = emit_.toU32(modulo(index, parts));
    const ScalarIndex at = {0, over(index, parts)};
    std::vector<Id> changed = toWords(emit_, array_->loadScalars(emit_, origin, at, 1), scalar);
    for (uint32_t w = 0; w < changed.size(); ++w) {
        const Id first = times(modulo(part, perWord), 8 * bytes);
        const Id word =
            bytes == 4 ? words[0] : U32(emit_, changed[w]).withField(words[0], first, 8 * bytes);
        const bool isOnly = changed.size() == 1;
        const Id isHere = isOnly ? 0 : emit_.compare(OpIEqual, over(part, perWord), c(w));
        changed[w] = isOnly ? word : emit_.select(isHere, word, changed[w]);
    }
    const std::vector<Slot> whole = regroup(emit_, slotsOf(emit_, changed), u32(), scalar);
    array_->storeScalars(emit_, origin, at, std::span(whole).first(1));
}

// ---------------------------------------------------------------------------------------------
// Lines

// The width of the first access to a range of so many bytes.
uint32_t VectorMemory::Line::widestAccess(uint32_t bytes) const {
    const uint32_t most = std::min(bytes, memory_.location_.alignment);
    return most >= kWidestAccess ? kWidestAccess : most >= 4 ? 4 : most >= 2 ? 2 : 1;
}

// (bytes() + the place of `byte`) / bytes
Id VectorMemory::Line::index(uint32_t byte, uint32_t bytes) {
    return memory_.plus(memory_.over(bytes_, bytes), (byte / 16 * quadBytes_ + byte % 16) / bytes);
}

std::vector<Id> VectorMemory::Line::load(uint32_t byte, uint32_t bytes) {
    std::vector<Id> words;
    for (uint32_t done = 0; done < bytes;) {
        const uint32_t piece = widestAccess(bytes - done);
        const std::vector<Id> loaded = loadPiece(byte + done, piece);
        if (done % 4 != 0) {
            words.back() = withPart(memory_.emit_, words.back(), loaded[0], 8 * (done % 4));
        } else {
            words.insert(words.end(), loaded.begin(), loaded.end());
        }
        done += piece;
    }
    return words;
}

std::vector<Id> VectorMemory::Line::loadPiece(uint32_t byte, uint32_t bytes) {
    Emitter& emit = memory_.emit_;
    if (memory_.byElements()) return memory_.loadElements(bytes, elementIndex(byte, bytes));
    const Id type = memory_.bits(bytes);
    memory_.declare(type);
    const Id value = memory_.array_->load(emit, type, index(byte, bytes));
    if (bytes < 4) return {emit.op(OpUConvert, memory_.u32(), {value})};
    return emit.parts(value);
}

void VectorMemory::Line::store(uint32_t byte, uint32_t bytes, std::span<const Id> words) {
    for (uint32_t done = 0; done < bytes;) {
        const uint32_t piece = widestAccess(bytes - done);
        if (done % 4 == 0) {
            storePiece(byte + done, piece, words.subspan(done / 4));
        } else {
            const Id rest = U32(memory_.emit_, words[done / 4]) >> 8 * (done % 4);
            storePiece(byte + done, piece, {&rest, 1});
        }
        done += piece;
    }
}

void VectorMemory::Line::storePiece(uint32_t byte, uint32_t bytes, std::span<const Id> words) {
    Emitter& emit = memory_.emit_;
    if (memory_.byElements()) {
        return memory_.storeElements(bytes, elementIndex(byte, bytes),
                                     words.first(divideUp(bytes, 4)));
    }
    const Id type = memory_.bits(bytes);
    Id value = bytes == 16 ? emit.construct(type, words.first(4)) : words[0];
    const Id at = index(byte, bytes);
    if (bytes < 4) value = emit.op(OpUConvert, type, {value});
    memory_.declare(type);
    memory_.array_->store(emit, type, at, value);
}

// The locations of the pointers of cooperative-vector instructions.

namespace {

class Locator {
 public:
    Locator(VectorContext& context, Emitter& emit)
        : context_(context), module_(context.module), emit_(emit) {}

    Location run(Id pointer, Id byteOffset) {
        TypeTable& types = context_.types;
        const Instruction& type = module_.def(emit_.typeOf(pointer));
        const Instruction& array = module_.def(type.word(1));
        const Id element = array.word(0);
        if (type.opcode != OpTypePointer || !isArrayType(array.opcode) ||
            types.width(element) < 8 || types.components(element) == 0) {
            return fail(ErrorCode::kInvalidModule,
                        "the pointer must point to an array of numeric scalars or vectors");
        }
        const Id offsetType = emit_.typeOf(byteOffset);
        if (!types.isInteger(offsetType) || types.components(offsetType) != 1) {
            return fail(ErrorCode::kInvalidModule, "the offset is not an integer scalar");
        }
        location_.storage = storageOf(type);
        location_.element = element;
        const bool isShared = location_.storage == spv::StorageClass::Workgroup;
        const Id offset =
            emit_.toUnsigned(isShared ? types.uint32() : bufferIndexType(types), byteOffset);
        const PointerPath path = pathTo(module_, pointer);
        location_.place.root = path.root;
        location_.place.nonUniform = path.nonUniform;
        const bool isBuffer =
            isOneOf(module_.def(path.root).opcode, {OpVariable, OpBufferPointerEXT});
        switch (location_.storage) {
            case spv::StorageClass::PhysicalStorageBuffer:
                return buffer(pointer, offset);
            case spv::StorageClass::StorageBuffer:
                if (isBuffer) return buffer(pointer, offset);
                [[fallthrough]];
            case spv::StorageClass::Workgroup:
                return isTightArray(type.word(1)) ? elements(path, offset)
                                                  : scalars(pointer, offset);
            default:
                return fail(ErrorCode::kInvalidModule,
                            "the pointer's storage class is not Workgroup, StorageBuffer or "
                            "PhysicalStorageBuffer");
        }
    }

 private:
    static Location fail(ErrorCode code, std::string_view what) {
        Location none;
        none.problem = what;
        none.code = code;
        return none;
    }

    // Indices have 32 bits at least: subgroup operations on narrower ones need a feature.
    void addArgument(Id argument) {
        const TypeTable& types = context_.types;
        const Id type = emit_.typeOf(argument);
        if (types.isInteger(type) && types.width(type) < 32) argument = emit_.toU32(argument);
        location_.arguments.push_back(argument);
        location_.argumentTypes.push_back(emit_.typeOf(argument));
    }

    Location finish(Id offset) {
        addArgument(offset);
        return std::move(location_);
    }

    Location buffer(Id pointer, Id offset) {
        location_.kind = Location::Kind::kPlace;
        location_.place = placeOf(emit_, pointer);
        if (!location_.place.valid()) {
            const auto [code, text] = location_.place.refusal();
            return fail(code, text);
        }
        for (const Id argument : location_.place.arguments(module_)) addArgument(argument);
        return finish(emit_.sum(offset, location_.place.bytes));
    }

    bool isTightArray(Id array) const {
        return isTight(context_, location_.storage, array,
                       bytesOf(context_.types, location_.element));
    }

    // For an array with gaps, whose memory is that of an array of scalars.
    Location scalars(Id pointer, Id offset) {
        const bool isVector = context_.types.components(location_.element) != 1;
        location_.element = context_.types.scalarOf(location_.element);
        const bool isShared = location_.storage == spv::StorageClass::Workgroup;
        const BufferPlace place = isShared ? placeOf(emit_, pointer) : BufferPlace::unknown();
        if (place.valid()) {
            location_.place.root = context_.views.view(emit_, place, location_.element);
            addArgument(emit_.constant(0));
            return finish(emit_.sum(offset, emit_.toU32(place.bytes)));
        }
        if (!pointersMayVary(module_, location_.storage)) {
            return fail(ErrorCode::kUnsupported,
                        "the array has gaps between its elements, and its variable is not known");
        }
        std::vector<Id> toFirst = {pointer, emit_.constant(0)};
        if (isVector) toFirst.push_back(emit_.constant(0));
        location_.place.root = 0;
        location_.steps = true;
        addArgument(emit_.op(OpAccessChain,
                             context_.views.stepper(location_.storage, location_.element),
                             idOperands(toFirst)));
        return finish(offset);
    }

    Location elements(const PointerPath& path, Id offset) {
        const Instruction& root = module_.def(path.root);
        const bool isGlobal = root.opcode == OpVariable &&
                              root.word(0) != static_cast<uint32_t>(spv::StorageClass::Function);
        // Only pointers to variables may be arguments, so the helper has the access chain.
        if (!isGlobal) {
            location_.place.root = 0;
            addArgument(path.root);
        }
        for (Id index : path.indices()) addArgument(index);
        return finish(offset);
    }

    VectorContext& context_;
    Module& module_;
    Emitter& emit_;
    Location location_;
};

}  // namespace

void Location::appendKey(const Module& module, std::vector<uint32_t>& key) const {
    key.push_back(static_cast<uint32_t>(kind));
    key.push_back(static_cast<uint32_t>(storage));
    key.push_back(kind == Kind::kElements ? element : 0);
    key.push_back(alignment);
    place.appendKey(module, key);
    key.push_back(static_cast<uint32_t>(argumentTypes.size()));
    key.insert(key.end(), argumentTypes.begin(), argumentTypes.end());
    // Indices into structures must be constants in the helper, too.
    if (kind != Kind::kElements) return;
    for (size_t a = firstIndex(); a + 1 < arguments.size(); ++a) key.push_back(arguments[a]);
}

Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset) {
    return Locator(context, emit).run(pointer, byteOffset);
}

Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at) {
    Location location = locate(context, emit, pointer, byteOffset);
    if (!location.valid()) context.fail(location.code, at, location.problem);
    return location;
}

// Offsets, addresses and strides that break Vulkan's rules of alignment. A multiple of 4 is
// accessed by words, of 2 and 1 by as many bytes, so that results are those of the bytes that the
// module names. What a buffer or a push constant gives is taken for a multiple, as the rules say.

namespace {

// A power of two that divides a sum. Its constants count together: two that are no multiples may
// make one.
uint32_t multipleOfSum(const Module& module, const Multiples& known, Id sum) {
    constexpr size_t kMostTerms = 16;
    constexpr uint32_t kMostKnown = 64;
    uint64_t constant = 0;
    uint32_t multiple = kMostKnown;
    const auto isInteger = [&](Id value) {
        return module.def(module.def(value).type).opcode == OpTypeInt;
    };
    const auto isChanged = [&](const Instruction& i) {
        return isOneOf(i.opcode, {OpBitcast, OpUConvert, OpSConvert}) && isInteger(i.word(0));
    };
    std::vector<Id> terms = {sum};
    for (size_t t = 0; t < terms.size(); ++t) {
        const Instruction& term = module.def(terms[t]);
        if (const std::optional<uint64_t> value = module.constantValue(terms[t])) {
            constant += *value;
        } else if (term.opcode == OpIAdd && terms.size() < kMostTerms) {
            terms.insert(terms.end(), {term.word(0), term.word(1)});
        } else if (isChanged(term) && terms.size() < kMostTerms) {
            terms.push_back(term.word(0));
        } else {
            multiple = std::min(multiple, known.of(terms[t]));
        }
    }
    return static_cast<uint32_t>(std::gcd(constant, uint64_t{multiple}));
}

void narrow(VectorContext& context, Location& location, uint32_t multiple,
            const AlignmentRule& rule) {
    location.alignment = std::min(location.alignment, multiple);
    if (multiple >= rule.bytes) return;
    context.warnings.insert(std::format(
        "{} is a multiple of {} only, and Vulkan requires {} ({}{}): other drivers may compute "
        "something else",
        rule.what, multiple, rule.bytes, kVuid, rule.vuid));
}

}  // namespace

void obeyAlignment(VectorContext& context, Location& location, const AlignmentRule& rule) {
    if (!location.valid()) return;
    const Multiples& known = *context.claimed;
    uint32_t multiple = multipleOfSum(context.module, known, location.arguments.back());
    if (location.place.isAddress) {
        const Id pointer = location.place.root;
        const Instruction& root = context.module.def(rootOf(context.module, pointer));
        multiple = std::min(multiple, multipleBehindRoot(context, known, pointer));
        // From an integer; other pointers are as their variables and buffers have them.
        if (isOneOf(root.opcode, {OpConvertUToPtr, OpBitcast})) {
            multiple = std::min(multiple, known.of(root.word(0)));
        }
    }
    narrow(context, location, multiple, rule);
}

void obeyAlignment(VectorContext& context, Location& location, Id stride,
                   const AlignmentRule& rule) {
    if (location.valid()) narrow(context, location, context.claimed->of(stride), rule);
}

}  // namespace coopvk::rewrite
