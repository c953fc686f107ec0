// SPDX-License-Identifier: Apache-2.0
#include "passes/float_atomics.hpp"

#include <algorithm>
#include <format>

#include "ir/built_ins.hpp"
#include "passes/word_view.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kPhysical = spv::StorageClass::PhysicalStorageBuffer;

bool isFloatAtomic(const TypeTable& types, const Module& module, const Instruction& i) {
    const auto isFloat = [&](Id type) { return types.isFloat(type) && types.width(type) == 32; };
    switch (i.opcode) {
        case spv::Op::OpAtomicLoad:
        case spv::Op::OpAtomicExchange:
        case spv::Op::OpAtomicFAddEXT:
            return isFloat(i.type);
        case spv::Op::OpAtomicStore:
            return isFloat(module.def(i.word(3)).type);
        default:
            return false;
    }
}

class FloatAtomics {
 public:
    FloatAtomics(TypeTable& types, uint32_t own)
        : types_(types), module_(types.module()), views_(types), own_(own) {}

    std::optional<Error> run() {
        // By index: helper functions are appended.
        for (size_t f = 0; f < module_.functions().size(); ++f) {
            for (const auto& block : module_.functions()[f]->blocks) {
                if (auto error = lowerBlock(*block)) return error;
            }
        }
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

    Storage storageOf(Id pointer) const {
        return static_cast<Storage>(module_.def(module_.def(pointer).type).word(0));
    }

    bool isOwn(const Instruction& i) const {
        const bool isAdd = i.opcode == spv::Op::OpAtomicFAddEXT;
        switch (storageOf(i.word(0))) {
            case Storage::Workgroup:
                return true;
            case Storage::Image:
                return (own_ & kImageFloat32Atomics) != 0;
            default:
                return (own_ & (isAdd ? kBufferFloat32AtomicAdd : kBufferFloat32Atomics)) != 0;
        }
    }

    std::optional<Error> lowerBlock(Block& block) {
        InstructionList old = std::move(block.body);
        block.body.clear();
        Emitter emit(types_, block.body);
        for (InstructionPtr& i : old) {
            const bool isFloat = isFloatAtomic(types_, module_, *i);
            if (!isFloat || isOwn(*i)) {
                keepsAdds_ |= isFloat && i->opcode == spv::Op::OpAtomicFAddEXT;
                block.body.push_back(std::move(i));
                continue;
            }
            if (auto error = lower(emit, *i)) return error;
            module_.retire(std::move(i));
        }
        return std::nullopt;
    }

    std::optional<Error> lower(Emitter& emit, const Instruction& i) {
        const Id pointer = i.word(0);
        if (storageOf(pointer) == kPhysical) {
            const Id type = types_.pointerType(kPhysical, types_.uint32());
            lowerAt(emit, i, emit.op(spv::Op::OpBitcast, type, {pointer}), nullptr);
            return std::nullopt;
        }
        const std::optional<WordPlace> place = views_.find(emit, pointer);
        if (!place) {
            return Error{ErrorCode::kUnsupported,
                         std::format("float atomic %{}: its pointer does not start at a buffer "
                                     "with a known layout",
                                     i.result)};
        }
        lowerAt(emit, i, 0, &*place);
        return std::nullopt;
    }

    // At a physical pointer, or at a place in a buffer.
    void lowerAt(Emitter& emit, const Instruction& i, Id physical, const WordPlace* place) {
        if (i.opcode == spv::Op::OpAtomicFAddEXT) return add(emit, i, physical, place);
        const Id u32 = types_.uint32();
        const Id pointer = place != nullptr ? views_.pointer(emit, *place) : physical;
        Operands operands = i.operands;
        operands[0] = idOperand(pointer);
        if (operands.size() == 4) {
            operands[3] = idOperand(emit.op(spv::Op::OpBitcast, u32, {operands[3].word}));
        }
        if (i.opcode == spv::Op::OpAtomicStore) return emit.opVoid(i.opcode, std::move(operands));
        const Id word = emit.op(i.opcode, u32, std::move(operands));
        emit.add(makeInstruction(spv::Op::OpBitcast, i.type, i.result, {idOperand(word)}));
    }

    // A call of a helper function, which loops.
    void add(Emitter& emit, const Instruction& i, Id physical, const WordPlace* place) {
        std::vector<Id> arguments;
        if (place == nullptr) arguments.push_back(physical);
        if (place != nullptr && place->descriptor != 0) arguments.push_back(place->descriptor);
        if (place != nullptr) arguments.push_back(place->word);
        arguments.push_back(i.word(3));
        Operands operands = {idOperand(adder(emit, i, place, arguments))};
        for (Id argument : arguments) operands.push_back(idOperand(argument));
        emit.add(makeInstruction(spv::Op::OpFunctionCall, i.type, i.result, std::move(operands)));
    }

    Id adder(Emitter& emit, const Instruction& i, const WordPlace* place,
             std::span<const Id> arguments) {
        std::vector<Id> key = {place != nullptr ? place->variable : 0,
                               place != nullptr && place->nonUniform, i.word(1), i.word(2)};
        std::vector<Id> parameters;
        for (Id argument : arguments) parameters.push_back(emit.typeOf(argument));
        key.insert(key.end(), parameters.begin(), parameters.end());
        Id& function = adders_[key];
        if (function == 0) function = makeAdder(i, place, parameters);
        return function;
    }

    Id makeAdder(const Instruction& i, const WordPlace* place, std::span<const Id> parameters);
    Id isDone(Emitter& emit, Id now, Id old);

    TypeTable& types_;
    Module& module_;
    WordViews views_;
    const uint32_t own_;
    bool keepsAdds_ = false;
    std::map<std::vector<Id>, Id> adders_;
    std::vector<std::unique_ptr<Function>> added_;
};

// Atomics of helper invocations do nothing and give anything, so that they could go on for ever. An
// invocation may become one while the shader runs.
Id FloatAtomics::isDone(Emitter& emit, Id now, Id old) {
    const Id boolean = types_.boolType();
    const Id equal = emit.op(spv::Op::OpIEqual, boolean, {now, old});
    const uint32_t model = module_.section(Section::kEntryPoints).front()->word(0);
    if (model != static_cast<uint32_t>(spv::ExecutionModel::Fragment)) return equal;
    const Id variable =
        builtInVariable(types_, spv::BuiltIn::HelperInvocation, boolean, "coopvk_is_helper");
    const Id helper = emit.op(spv::Op::OpLoad, boolean,
                              {idOperand(variable), literal(spv::MemoryAccessMask::Volatile)});
    return emit.op(spv::Op::OpLogicalOr, boolean, {equal, helper});
}

Id FloatAtomics::makeAdder(const Instruction& i, const WordPlace* place,
                           std::span<const Id> parameters) {
    const Id u32 = types_.uint32(), f32 = i.type;
    auto function = std::make_unique<Function>();
    const Id id = module_.takeId();
    function->definition = makeInstruction(spv::Op::OpFunction, f32, id,
                                           {literal(spv::FunctionControlMask::MaskNone),
                                            idOperand(types_.functionType(f32, parameters))});
    std::vector<Id> values;
    for (Id type : parameters) {
        values.push_back(module_.takeId());
        function->parameters.push_back(
            makeInstruction(spv::Op::OpFunctionParameter, type, values.back(), {}));
        module_.setDef(function->parameters.back().get());
    }
    Id labels[4];  // entry, loop, again, end
    for (Id& label : labels) {
        label = module_.takeId();
        function->blocks.push_back(std::make_unique<Block>());
        function->blocks.back()->label = makeInstruction(spv::Op::OpLabel, 0, label, {});
    }
    const auto [entry, loop, again, end] = labels;

    Emitter emit(types_, function->blocks[0]->body);
    Id pointer = values[0];
    if (place != nullptr) {
        WordPlace inside = *place;
        if (place->descriptor != 0) inside.descriptor = values[0];
        inside.word = values[values.size() - 2];
        pointer = views_.pointer(emit, inside);
    } else {
        module_.decorate(pointer, spv::Decoration::Aliased);
    }
    const Id scope = i.word(1), semantics = i.word(2);
    const auto isVolatile = static_cast<uint32_t>(module_.constantValue(semantics).value_or(0)) &
                            static_cast<uint32_t>(spv::MemorySemanticsMask::Volatile);
    const Id relaxed = types_.constantU32(isVolatile);
    const Id first = emit.op(spv::Op::OpAtomicLoad, u32, {pointer, scope, relaxed});
    emit.opVoid(spv::Op::OpBranch, {idOperand(loop)});

    emit.setOut(function->blocks[1]->body);
    const Id old = module_.takeId(), now = module_.takeId();
    emit.add(
        makeInstruction(spv::Op::OpPhi, u32, old,
                        {idOperand(first), idOperand(entry), idOperand(now), idOperand(again)}));
    const Id sum =
        emit.op(spv::Op::OpFAdd, f32, {emit.op(spv::Op::OpBitcast, f32, {old}), values.back()});
    const Id wanted = emit.op(spv::Op::OpBitcast, u32, {sum});
    emit.add(makeInstruction(
        spv::Op::OpAtomicCompareExchange, u32, now,
        idOperands(std::vector<Id>{pointer, scope, semantics, relaxed, wanted, old})));
    const Id done = isDone(emit, now, old);
    emit.opVoid(spv::Op::OpLoopMerge,
                {idOperand(end), idOperand(again), literal(spv::LoopControlMask::MaskNone)});
    emit.opVoid(spv::Op::OpBranchConditional, {idOperand(done), idOperand(end), idOperand(again)});

    emit.setOut(function->blocks[2]->body);
    emit.opVoid(spv::Op::OpBranch, {idOperand(loop)});

    emit.setOut(function->blocks[3]->body);
    emit.opVoid(spv::Op::OpReturnValue, {idOperand(emit.op(spv::Op::OpBitcast, f32, {now}))});
    function->end = makeInstruction(spv::Op::OpFunctionEnd, 0, 0, {});
    module_.addName(id, "coopvk_atomic_fadd");
    added_.push_back(std::move(function));
    return id;
}

}  // namespace

std::optional<Error> lowerFloatAtomics(TypeTable& types, uint32_t own) {
    return FloatAtomics(types, own).run();
}

}  // namespace coopvk::rewrite
