// SPDX-License-Identifier: Apache-2.0
#include "vector/location.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

class Locator {
 public:
    Locator(VectorContext& context, Emitter& emit, const Instruction& at)
        : context_(context), module_(context.module), emit_(emit), at_(at) {}

    Location run(Id pointer, Id byteOffset) {
        const Instruction& type = module_.def(emit_.typeOf(pointer));
        const Instruction& array = module_.def(type.word(1));
        const bool isArray = isArrayType(array.opcode);
        const Id element = array.word(0);
        if (type.opcode != spv::Op::OpTypePointer || !isArray ||
            context_.types.width(element) < 8 || context_.types.components(element) == 0) {
            fail("the pointer must point to an array of numeric scalars or vectors");
            return {};
        }
        if (!context_.types.isInteger(emit_.typeOf(byteOffset)) ||
            context_.types.components(emit_.typeOf(byteOffset)) != 1) {
            fail("the offset is not an integer scalar");
            return {};
        }
        location_.storage = static_cast<spv::StorageClass>(type.word(0));
        location_.element = element;
        offset_ = emit_.toU32(byteOffset);
        const PointerPath path = pathTo(module_, pointer);
        location_.place.variable = path.root;
        location_.place.nonUniform = path.nonUniform;
        switch (location_.storage) {
            case spv::StorageClass::PhysicalStorageBuffer:
                return physical(pointer);
            case spv::StorageClass::StorageBuffer:
                if (module_.def(path.root).opcode == spv::Op::OpVariable) return buffer(pointer);
                break;
            case spv::StorageClass::Workgroup:
                break;
            default:
                fail("the pointer's storage class is not emulated");
                return {};
        }
        return elements(type.word(1), path);
    }

 private:
    void fail(std::string_view what) { context_.fail(ErrorCode::kUnsupported, at_, what); }

    Location finish() {
        location_.arguments.push_back(offset_);
        location_.argumentTypes.push_back(context_.types.uint32());
        return std::move(location_);
    }

    void argument(Id value) {
        location_.arguments.push_back(value);
        location_.argumentTypes.push_back(emit_.typeOf(value));
    }

    Location physical(Id pointer) {
        location_.kind = Location::Kind::kPhysical;
        argument(pointer);
        return finish();
    }

    Location buffer(Id pointer) {
        location_.kind = Location::Kind::kBuffer;
        location_.place = placeOf(emit_, pointer);
        if (location_.place.problem == BufferPlace::Problem::kManyDescriptors) {
            fail("an array of arrays of descriptors is not emulated");
        } else if (!location_.place.valid()) {
            fail("a member on the way to the array has no explicit layout");
        }
        if (!location_.place.valid()) return {};
        if (location_.place.descriptor != 0) argument(location_.place.descriptor);
        offset_ = emit_.addInt(context_.types.uint32(), offset_, location_.place.bytes);
        return finish();
    }

    // Through the array's own elements, which must follow each other without gaps.
    Location elements(Id array, const PointerPath& path) {
        const uint32_t bytes = context_.types.width(location_.element) / 8 *
                               context_.types.components(location_.element);
        const auto stride = module_.decoration(array, spv::Decoration::ArrayStride);
        if (stride && *stride != bytes) {
            fail("the array has gaps between its elements, and its buffer is not known");
            return {};
        }
        const Instruction& root = module_.def(path.root);
        const bool isGlobal = root.opcode == spv::Op::OpVariable &&
                              root.word(0) != static_cast<uint32_t>(spv::StorageClass::Function);
        // Functions take pointers to whole variables only, so the chain is followed anew in them.
        if (!isGlobal) {
            location_.place.variable = 0;
            argument(path.root);
        }
        for (Id index : path.indices()) argument(index);
        return finish();
    }

    VectorContext& context_;
    Module& module_;
    Emitter& emit_;
    const Instruction& at_;
    Location location_;
    Id offset_ = 0;
};

}  // namespace

void Location::appendKey(std::vector<uint32_t>& key) const {
    key.push_back(static_cast<uint32_t>(kind));
    key.push_back(static_cast<uint32_t>(storage));
    key.push_back(kind == Kind::kPhysical ? 0 : place.variable);
    key.push_back(kind == Kind::kElements ? element : 0);
    key.push_back((place.descriptor != 0 ? 1u : 0u) | (place.nonUniform ? 2u : 0u));
    key.push_back(static_cast<uint32_t>(argumentTypes.size()));
    key.insert(key.end(), argumentTypes.begin(), argumentTypes.end());
    // Structure members are chosen by constants only.
    if (kind != Kind::kElements) return;
    for (size_t a = firstIndex(); a + 1 < arguments.size(); ++a) key.push_back(arguments[a]);
}

Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at) {
    return Locator(context, emit, at).run(pointer, byteOffset);
}

}  // namespace coopvk::rewrite
