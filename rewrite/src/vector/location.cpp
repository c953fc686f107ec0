// SPDX-License-Identifier: Apache-2.0
//
// The locations of the pointers of cooperative-vector instructions.
#include "ir/composites.hpp"
#include "ir/indexing.hpp"
#include "ir/opcodes.hpp"
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
        if (type.opcode != spv::Op::OpTypePointer || !isArrayType(array.opcode) ||
            types.width(element) < 8 || types.components(element) == 0) {
            return fail("the pointer must point to an array of numeric scalars or vectors");
        }
        const Id offsetType = emit_.typeOf(byteOffset);
        if (!types.isInteger(offsetType) || types.components(offsetType) != 1) {
            return fail("the offset is not an integer scalar");
        }
        location_.storage = storageOf(type);
        location_.element = element;
        const bool isShared = location_.storage == spv::StorageClass::Workgroup;
        const Id offset =
            emit_.toUnsigned(isShared ? types.uint32() : bufferIndexType(types), byteOffset);
        const PointerPath path = pathTo(module_, pointer);
        location_.place.root = path.root;
        location_.place.nonUniform = path.nonUniform;
        const bool isBuffer = isOneOf(module_.def(path.root).opcode,
                                      {spv::Op::OpVariable, spv::Op::OpBufferPointerEXT});
        switch (location_.storage) {
            case spv::StorageClass::PhysicalStorageBuffer:
                location_.kind = Location::Kind::kPhysical;
                addArgument(pointer);
                return finish(offset);
            case spv::StorageClass::StorageBuffer:
                return isBuffer ? buffer(pointer, offset) : elements(type.word(1), path, offset);
            case spv::StorageClass::Workgroup:
                return elements(type.word(1), path, offset);
            default:
                return fail("the pointer's storage class is not emulated");
        }
    }

 private:
    static Location fail(std::string_view what) {
        Location none;
        none.problem = what;
        return none;
    }

    void addArgument(Id argument) {
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
            return fail("an array of arrays of descriptors is not emulated");
        }
        if (location_.place.problem == BufferPlace::Problem::kNoVariable) {
            return fail("the buffer's place in the descriptor heap is not known");
        }
        if (!location_.place.valid()) {
            return fail("the pointer leads through a type without an explicit layout");
        }
        for (const Id argument : location_.place.arguments(module_)) addArgument(argument);
        return finish(emit_.sum(offset, location_.place.bytes));
    }

    Location elements(Id array, const PointerPath& path, Id offset) {
        const uint32_t bytes = context_.types.width(location_.element) / 8 *
                               context_.types.components(location_.element);
        const auto stride = module_.decoration(array, spv::Decoration::ArrayStride);
        if (stride && *stride != bytes) {
            return fail("the array has gaps between its elements, and its buffer is not known");
        }
        const Instruction& root = module_.def(path.root);
        const bool isGlobal = root.opcode == spv::Op::OpVariable &&
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
    if (!location.valid()) context.fail(ErrorCode::kUnsupported, at, location.problem);
    return location;
}

}  // namespace coopvk::rewrite
