// SPDX-License-Identifier: Apache-2.0
//
// Finds atomics on 32-bit floats in the words of a module, and replaces those in a module.
#include <algorithm>
#include <format>
#include <unordered_map>
#include <unordered_set>

#include "ir/control_flow.hpp"
#include "ir/instruction.hpp"
#include "lowering/context.hpp"
#include "lowering/memory.hpp"
#include "lowering/place.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kLoad = firstWord(OpAtomicLoad, 6);
constexpr uint32_t kStore = firstWord(OpAtomicStore, 5);
constexpr uint32_t kExchange = firstWord(OpAtomicExchange, 7);
constexpr uint32_t kAdd = firstWord(OpAtomicFAddEXT, 7);

// Whether a word equals the first word of one of these atomics: each has one length only. Literals
// may equal it, too, but this is many times faster than a walk over instructions.
bool mayHaveAtomics(std::span<const uint32_t> words) {
    uint32_t found = 0;
    for (const uint32_t word : words) {  // no branch in this loop
        for (const uint32_t first : {kLoad, kStore, kExchange, kAdd}) {
            found |= word == first ? 1u : 0u;
        }
    }
    return found != 0;
}

// Notes the values that are 32-bit floats, and the storage classes of pointers.
class AtomicFinder {
 public:
    explicit AtomicFinder(uint32_t native) : native_(native) {}

    // Whether an instruction is an atomic of such a float that native features do not allow.
    bool visit(spv::Op opcode, std::span<const uint32_t> i) {
        switch (opcode) {
            case OpTypeFloat:
                if (i.size() == 3 && i[2] == 32) floatTypes_.insert(i[1]);
                return false;
            case OpTypePointer:
            case OpTypeUntypedPointerKHR:
                if (i.size() > 2) pointerTypes_.emplace(i[1], static_cast<Storage>(i[2]));
                return false;
            case OpAtomicStore:
                return i.size() > 4 && floats_.contains(i[4]) &&
                       isMissing(i[1], kBufferFloat32Atomics);
            case OpAtomicLoad:
            case OpAtomicExchange:
            case OpAtomicFAddEXT:
                if (i.size() < 4) return false;
                note(i[1], i[2]);
                return floatTypes_.contains(i[1]) &&
                       isMissing(i[3], opcode == OpAtomicFAddEXT ? kBufferFloat32AtomicAdd
                                                                 : kBufferFloat32Atomics);
            default:
                break;
        }
        bool hasResult = false, hasType = false;
        spv::HasResultAndType(opcode, &hasResult, &hasType);
        if (hasResult && hasType && i.size() > 2) note(i[1], i[2]);
        return false;
    }

 private:
    using Storage = spv::StorageClass;

    void note(uint32_t type, uint32_t result) {
        if (floatTypes_.contains(type)) floats_.insert(result);
        const auto pointer = pointerTypes_.find(type);
        if (pointer != pointerTypes_.end()) pointers_.emplace(result, pointer->second);
    }

    bool isMissing(uint32_t pointer, uint32_t feature) const {
        if ((native_ & feature) != 0) return false;
        const auto found = pointers_.find(pointer);
        if (found == pointers_.end()) return true;
        return found->second != Storage::Workgroup && found->second != Storage::Image;
    }

    const uint32_t native_;
    std::unordered_map<uint32_t, Storage> pointerTypes_, pointers_;
    std::unordered_set<uint32_t> floatTypes_, floats_;
};

}  // namespace

bool hasFloatAtomics(std::span<const uint32_t> words, uint32_t native) {
    const std::span<const uint32_t> instructions = instructionWords(words);
    if (!mayHaveAtomics(instructions)) return false;
    AtomicFinder finder(native);
    return anyInstruction(instructions, [&](spv::Op opcode, std::span<const uint32_t> i) {
        return finder.visit(opcode, i);
    });
}

namespace {

bool isFloatAtomic(const TypeTable& types, const Module& module, const Instruction& i) {
    const auto isFloat = [&](Id type) { return types.isFloat(type) && types.width(type) == 32; };
    switch (i.opcode) {
        case OpAtomicLoad:
        case OpAtomicExchange:
        case OpAtomicFAddEXT:
            return isFloat(i.type);
        case OpAtomicStore:
            return isFloat(module.def(i.word(3)).type);
        default:
            return false;
    }
}

class FloatAtomics {
 public:
    FloatAtomics(TypeTable& types, uint32_t native)
        : types_(types), module_(types.module()), views_(types), native_(native) {}

    std::optional<Error> run() {
        // By index: helper functions are appended.
        for (size_t f = 0; f < module_.functions().size(); ++f) {
            replaceInBlocks(types_, *module_.functions()[f],
                            [&](Emitter& emit, const Instruction& i) { return lower(emit, i); });
        }
        if (error_) return error_;
        for (auto& function : added_) module_.functions().push_back(std::move(function));
        if (keepsAdds_) return std::nullopt;
        module_.removeCapability(spv::Capability::AtomicFloat32AddEXT);
        module_.addCapability(spv::Capability::Shader);  // which that one implies
        if (module_.hasCapability(spv::Capability::AtomicFloat64AddEXT)) return std::nullopt;
        module_.removeExtension("SPV_EXT_shader_atomic_float_add");
        return std::nullopt;
    }

 private:
    using Storage = spv::StorageClass;

    bool isNative(const Instruction& i) const {
        const bool isAdd = i.opcode == OpAtomicFAddEXT;
        switch (module_.storage(i.word(0))) {
            case Storage::Workgroup:
                return true;
            case Storage::Image:
                return (native_ & kImageFloat32Atomics) != 0;
            default:
                return (native_ & (isAdd ? kBufferFloat32AtomicAdd : kBufferFloat32Atomics)) != 0;
        }
    }

    bool lower(Emitter& emit, const Instruction& i) {
        const bool isFloat = isFloatAtomic(types_, module_, i);
        if (error_ || !isFloat || isNative(i)) {
            keepsAdds_ |= isFloat && i.opcode == OpAtomicFAddEXT;
            return false;
        }
        const BufferPlace place = placeOf(emit, i.word(0));
        const Storage storage = module_.storage(place.root);
        if (!place.valid() || (!place.isAddress && storage != Storage::StorageBuffer &&
                               storage != Storage::Uniform)) {
            error_ = Error{ErrorCode::kUnsupported,
                           std::format("float atomic %{}: its pointer does not lead to a buffer "
                                       "variable with a known layout",
                                       i.result)};
        } else if (i.opcode == OpAtomicFAddEXT) {
            add(emit, i, place);
        } else {
            access(emit, i, place);
        }
        return true;
    }

    // The number of the word at a place.
    static Id numberOf(Emitter& emit, const BufferPlace& place) {
        return emit.over(place.bytes, sizeof(uint32_t));
    }

    void access(Emitter& emit, const Instruction& i, const BufferPlace& place) {
        const Id u32 = types_.uint32();
        Operands operands = i.operands;
        operands[0] = idOperand(views_.pointer(emit, place, u32, numberOf(emit, place)));
        if (operands.size() == 4) {
            operands[3] = idOperand(emit.op(OpBitcast, u32, {operands[3].word}));
        }
        if (i.opcode == OpAtomicStore) return emit.opVoid(i.opcode, std::move(operands));
        const Id value = emit.op(i.opcode, u32, std::move(operands));
        emit.op(OpBitcast, i.type, {value}, i.result);
    }

    // Calls a helper function that adds in a loop of compare-exchanges.
    void add(Emitter& emit, const Instruction& i, const BufferPlace& place) {
        std::vector<Id> arguments = place.arguments(module_);
        if (!place.isAddress) arguments.push_back(numberOf(emit, place));
        arguments.push_back(i.word(3));
        emit.call(i.type, adder(emit, i, place, arguments), arguments, i.result);
    }

    Id adder(Emitter& emit, const Instruction& i, const BufferPlace& place,
             std::span<const Id> arguments) {
        std::vector<Id> key = {i.word(1), i.word(2)};
        place.appendKey(module_, key);
        std::vector<Id> parameters;
        for (Id argument : arguments) parameters.push_back(emit.typeOf(argument));
        key.insert(key.end(), parameters.begin(), parameters.end());
        Id& function = adders_[key];
        if (function == 0) function = makeAdder(i, place, parameters);
        return function;
    }

    Id makeAdder(const Instruction& i, const BufferPlace& place, std::span<const Id> parameters) {
        const Id u32 = types_.uint32(), f32 = i.type;
        FunctionBuilder f(types_, added_, "coopvk_atomic_fadd", f32, parameters);
        Emitter& emit = f.emit();
        std::vector<Id> arguments;
        for (size_t p = 0; p < parameters.size(); ++p) arguments.push_back(f.parameter(p));
        if (place.isAddress) module_.decorate(arguments[0], spv::Decoration::Aliased);
        const Id number = place.isAddress ? emit.constant(0) : arguments[parameters.size() - 2];
        const Id pointer = views_.pointer(emit, place.inFunction(emit, arguments), u32, number);
        const Id value = f.parameter(parameters.size() - 1);
        const Id scope = i.word(1), semantics = i.word(2);
        const auto isVolatile =
            static_cast<uint32_t>(module_.constantValue(semantics).value_or(0)) &
            static_cast<uint32_t>(spv::MemorySemanticsMask::Volatile);
        const Id relaxed = emit.constant(isVolatile);
        const auto sum = [&](Id bits) {
            return emit.bitcast(u32, emit.op(OpFAdd, f32, {emit.bitcast(f32, bits), value}));
        };
        const uint32_t model = module_.section(Section::kEntryPoints).front()->word(0);
        const bool isFragment = model == static_cast<uint32_t>(spv::ExecutionModel::Fragment);
        const Id old = changeWord(f, {pointer, scope, semantics, relaxed}, sum, isFragment);
        return f.finish(emit.bitcast(f32, f.load(old)));
    }

    TypeTable& types_;
    Module& module_;
    BufferViews views_;
    const uint32_t native_;
    std::optional<Error> error_;
    bool keepsAdds_ = false;
    std::map<std::vector<Id>, Id> adders_;
    FunctionList added_;
};

}  // namespace

std::optional<Error> lowerFloatAtomics(TypeTable& types, uint32_t native) {
    return FloatAtomics(types, native).run();
}

}  // namespace coopvk::rewrite
