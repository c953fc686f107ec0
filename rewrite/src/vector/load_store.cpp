// SPDX-License-Identifier: Apache-2.0
//
// The locations of the pointers of cooperative-vector instructions.
#include "ir/composites.hpp"
#include "ir/indexing.hpp"
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

// OpCooperativeVectorLoadNV and OpCooperativeVectorStoreNV.

namespace {

class VectorTransfer : private VectorCode {
 public:
    VectorTransfer(VectorFunction& f, const VectorType& type, const Location& location,
                   const MemoryOperands& access)
        : VectorCode(f),
          type_(type),
          memory_(f, location, 0, access),
          bytes_(types_.width(type.component) / 8 * type.count),
          wordsPerPack_(types_.width(type.component) == 64 ? 2 : 1) {}

    Id load() {
        if (!isLarge(type_)) {
            auto line = memory_.line(memory_.start());
            return emit_.construct(type_.id, packsOf(line.load(0, bytes_)));
        }
        const Id result = f_.variable(type_.id);
        forEachQuad([&](Id quad, VectorMemory::Line& line, uint32_t bytes) {
            const std::vector<Id> packs = packsOf(line.load(0, bytes));
            const Id first = times(quad, packsPerQuad());
            for (uint32_t p = 0; p < packs.size(); ++p) {
                f_.store(f_.element(result, plus(first, p)), packs[p]);
            }
        });
        return f_.load(result);
    }

    void store(Id value) {
        if (!isLarge(type_)) {
            auto line = memory_.line(memory_.start());
            line.store(0, bytes_, wordsOf(f_.context().packsOf(emit_, type_, value)));
            return;
        }
        const Id source = f_.variable(type_.id);
        f_.store(source, value);
        forEachQuad([&](Id quad, VectorMemory::Line& line, uint32_t bytes) {
            const Id first = times(quad, packsPerQuad());
            std::vector<Id> packs;
            for (uint32_t p = 0; p < divideUp(bytes, 4 * wordsPerPack_); ++p) {
                packs.push_back(f_.load(f_.element(source, plus(first, p))));
            }
            line.store(0, bytes, wordsOf(packs));
        });
    }

 private:
    uint32_t packsPerQuad() const { return 4 / wordsPerPack_; }

    // Calls visit(index of the quad (u32), line at its start, its bytes) for each quad, 16 bytes,
    // in a loop, then for the rest.
    template <typename Visit>
    void forEachQuad(Visit visit) {
        const auto visitAt = [&](Id quad, uint32_t bytes) {
            auto line = memory_.fromStart(times(quad, 16));
            visit(quad, line, bytes);
        };
        f_.loop(bytes_ / 16, [&](Id quad) { visitAt(quad, 16); });
        if (bytes_ % 16 != 0) visitAt(c(bytes_ / 16), bytes_ % 16);
    }

    std::vector<Id> packsOf(std::span<const Id> words) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> packs;
        for (size_t w = 0; w < words.size(); w += wordsPerPack_) {
            const Id whole = emit_.join(type, words.subspan(w, wordsPerPack_));
            packs.push_back(emit_.bitcast(type_.pack, whole));
        }
        return packs;
    }

    std::vector<Id> wordsOf(std::span<const Id> packs) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> words;
        for (Id pack : packs) {
            for (Id word : emit_.parts(emit_.bitcast(type, pack))) words.push_back(word);
        }
        return words;
    }

    const VectorType& type_;
    VectorMemory memory_;
    uint32_t bytes_;  // of the vector
    uint32_t wordsPerPack_;
};

std::string helperName(const VectorContext& context, const VectorType& type, bool isLoad) {
    const Number& number = *numberOf(context.types, type.component);
    return std::format("coopvk_vector_{}_{}x{}", isLoad ? "load" : "store", name(number.type),
                       type.count);
}

// Calls the helper function of a load (object: 0) or a store.
void transfer(VectorContext& context, Emitter& emit, const Instruction& i, const VectorType& type,
              Id object) {
    const Location location = locate(context, emit, i.word(0), i.word(1), i);
    if (!location.valid()) return;
    const bool isLoad = object == 0;
    const auto access = MemoryOperands(operandsBehind(i, isLoad ? 2 : 3)).withAlignment(0);
    std::vector<uint32_t> key = {isLoad ? kLoadHelper : kStoreHelper, type.id};
    location.appendKey(context.module, key);
    access.appendKey(key);
    const Id helper = context.helper(key, [&] {
        std::vector<Id> parameters = location.argumentTypes;
        if (!isLoad) parameters.push_back(type.id);
        VectorFunction f(context, helperName(context, type, isLoad), isLoad ? type.id : 0,
                         parameters);
        VectorTransfer code(f, type, location, access);
        if (isLoad) return f.finish(code.load());
        code.store(f.parameter(location.arguments.size()));
        return f.finish();
    });
    std::vector<Id> arguments = location.arguments;
    if (!isLoad) arguments.push_back(object);
    emit.call(isLoad ? i.type : context.types.voidType(), helper, arguments, i.result);
}

}  // namespace

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.packed(i.type)) {
        transfer(context, emit, i, *type, 0);
    } else {
        context.fail(ErrorCode::kInvalidModule, i, "Result Type is not a cooperative vector");
    }
}

void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.packedOfValue(i.word(2))) {
        transfer(context, emit, i, *type, i.word(2));
    } else {
        context.fail(ErrorCode::kInvalidModule, i, "Object is not a cooperative vector");
    }
}

}  // namespace coopvk::rewrite
