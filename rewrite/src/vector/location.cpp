// SPDX-License-Identifier: Apache-2.0
//
// The locations of the pointers of cooperative-vector instructions.
#include "ir/composites.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "vector/context.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

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
                location_.kind = Location::Kind::kPhysical;
                addArgument(pointer);
                return finish(offset);
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
        location_.kind = Location::Kind::kBuffer;
        location_.place = placeOf(emit_, pointer);
        if (location_.place.problem == BufferPlace::Problem::kManyDescriptors) {
            return fail(ErrorCode::kInvalidModule,
                        "the buffer is in an array of arrays of descriptors "
                        "(VUID-StandaloneSpirv-Uniform-06807)");
        }
        if (location_.place.problem == BufferPlace::Problem::kNoVariable) {
            return fail(ErrorCode::kUnsupported,
                        "the buffer's place in the descriptor heap is not known");
        }
        if (!location_.place.valid()) {
            return fail(ErrorCode::kInvalidModule,
                        "the pointer leads through a type without an explicit layout");
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
    if (kind != Kind::kPhysical) place.appendKey(module, key);
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

}  // namespace coopvk::rewrite
