// SPDX-License-Identifier: Apache-2.0
#include "matrix/tensor_elements.hpp"

#include <algorithm>
#include <deque>

#include "ir/effects.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/number.hpp"
#include "lowering/place.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

TensorElements::TensorElements(MatrixContext& context, Emitter& emit, const Instruction& at,
                               const MatrixType& matrix, Id pointer, const MemoryOperands& memory)
    : context_(context),
      types_(context.types),
      at_(at),
      matrix_(matrix),
      isStore_(at.opcode == OpCooperativeMatrixStoreTensorNV),
      componentBits_(matrix.number->bits),
      memory_(memory),
      pointer_(pointer) {
    if (context.module.def(emit.typeOf(pointer)).opcode != OpTypePointer) {
        context.invalid(at, "Pointer is not a typed pointer");
        return;
    }
    resolve(emit, pointer);
    if (!valid() || !isStore_ || bits() <= componentBits_) return;
    if (bits() != 32 || !types_.isInteger(scalar_)) {
        unsupported(
            "tensors cannot be stored to memory of larger components that are not 32-bit integers");
    }
}

bool TensorElements::unsupported(std::string_view what) {
    scalar_ = 0;
    return context_.fail(ErrorCode::kUnsupported, at_, what);
}

// The type of components in memory.
Id TensorElements::memoryType() const {
    return matrix_.isConverted() ? types_.intType(componentBits_, false) : matrix_.component;
}

std::vector<Slot> TensorElements::unpack(Emitter& emit, std::span<const Slot> memory, Id type) {
    return unpackComponents(emit, *matrix_.number, memory, type, matrix_.component);
}

std::vector<Slot> TensorElements::pack(Emitter& emit, std::span<const Slot> components, Id type) {
    return packComponents(emit, *matrix_.number, components, matrix_.component, type);
}

// Elements of the application's array, if these are components; else components in any buffer.
void TensorElements::resolve(Emitter& emit, Id pointer) {
    using enum spv::StorageClass;
    const Module& module = context_.module;
    const spv::StorageClass storage = storageOf(module.def(emit.typeOf(pointer)));
    if (!isOneOf(storage, {PhysicalStorageBuffer, StorageBuffer, Uniform, Workgroup})) {
        unsupported("the storage class of Pointer is not emulated for tensors");
        return;
    }
    const bool isElement =
        !hasLayout(context_, storage) ||
        (storage != PhysicalStorageBuffer && module.pointee(pointer) == matrix_.format &&
         pointsIntoTightArray(context_, pointer));
    if (isElement) {
        const ElementPointer elements(context_, emit, pointer, at_, matrix_.format);
        if (elements.valid()) scalars_.emplace(context_, elements, memory_);
    } else {
        scalars_ = Memory::behind(context_, emit, pointer, at_, matrix_.format, memory_);
    }
    if (!scalars_) return;
    scalar_ = scalars_->onlyScalar().value_or(0);
    if (scalar_ != 0) return;
    scalar_ = reachable(storage == Workgroup ? storage : StorageBuffer);
    scalars_->view(emit, scalar_);
    if (storage != PhysicalStorageBuffer) {
        first_ = emit.over(scalars_->place().bytes, componentBits_ / 8);
    } else {
        declareNumbersIn(types_, context_.target.device, module.pointee(pointer));
    }
}

Id TensorElements::fromStart(Emitter& emit, Id index) {
    const bool isElement = scalars_->onlyScalar().has_value();
    index = emit.toUnsigned(isElement ? scalars_->indexType() : bufferIndexType(types_), index);
    return first_ ? emit.sum(*first_, index) : index;
}

Id TensorElements::load(Emitter& emit, Id index) {
    index = fromStart(emit, index);
    const Id component = matrix_.component;
    if (bits() == componentBits_) {
        const Slot whole[] = {{scalars_->load(emit, scalar_, index), 0}};
        return scalarOf(emit, component, unpack(emit, whole, scalar_)[0]);
    }
    if (bits() > componentBits_) {
        const uint32_t parts = bits() / componentBits_;
        const Id scalar = scalars_->load(emit, scalar_, emit.over(index, parts));
        return scalarOf(emit, component,
                        pickComponent(emit, *matrix_.number, scalar,
                                      emit.toU32(emit.modulo(index, parts)), component));
    }
    const uint32_t count = componentBits_ / bits();
    const Id first = emit.times(index, count);
    std::vector<Slot> scalars;
    for (uint32_t i = 0; i < count; ++i) {
        scalars.push_back({scalars_->load(emit, scalar_, emit.plus(first, i)), 0});
    }
    return scalarOf(emit, component, unpack(emit, scalars, scalar_)[0]);
}

void TensorElements::store(Emitter& emit, Id index, Id component) {
    index = fromStart(emit, index);
    if (bits() > componentBits_) return storePart(emit, index, component);
    const Slot whole[] = {{component, 0}};
    const std::vector<Slot> scalars = pack(emit, whole, scalar_);
    if (scalars.size() == 1) {
        return scalars_->store(emit, scalar_, index, scalarOf(emit, scalar_, scalars[0]));
    }
    const Id first = emit.times(index, static_cast<uint32_t>(scalars.size()));
    for (uint32_t i = 0; i < scalars.size(); ++i) {
        scalars_->store(emit, scalar_, emit.plus(first, i), scalarOf(emit, scalar_, scalars[i]));
    }
}

void TensorElements::storePart(Emitter& emit, Id index, Id component) {
    const uint32_t parts = 32 / componentBits_;
    const Id pointer = scalars_->pointer(emit, scalar_, emit.over(index, parts));
    const Id first = emit.times(emit.toU32(emit.modulo(index, parts)), componentBits_);
    const Slot slot = {component, 0};
    const Id bits = componentBits(emit, *matrix_.number, slot, matrix_.component);
    storeBits(emit, pointer, bits, first, componentBits_);
}

// Runs.

Condition TensorElements::hasRuns(Emitter& emit, uint32_t length) {
    const spv::StorageClass storage = storageOf(context_.module.def(emit.typeOf(pointer_)));
    if (storage == spv::StorageClass::Workgroup ||
        reachable(spv::StorageClass::StorageBuffer) != memoryType())
        return Condition::never();
    const BufferPlace place = scalars_->onlyScalar() ? placeOf(emit, pointer_) : scalars_->place();
    if (!place.valid()) return Condition::never();
    run_ = length;
    pack_ = length <= 4 ? types_.vectorType(memoryType(), length)
                        : types_.vectorType(types_.uint32(), length * componentBits_ / 32);
    const uint32_t bytes = length * componentBits_ / 8;
    runs_.emplace(context_, place, memory_);
    runs_->view(emit, pack_);
    return isMultiple(emit, place.lowBits(emit), bytes);
}

// A run whose components are the low bits of a word.
Id TensorElements::packOf(Emitter& emit, Id word) {
    const Id scalar = types_.scalarOf(pack_), u32 = types_.uint32();
    if (types_.width(scalar) == 32 && componentBits_ < 32) {
        const uint32_t mask = (1u << componentBits_) - 1;
        const Id bits = emit.op(OpBitwiseAnd, u32, {word, emit.constant(mask)});
        return emit.splat(pack_, emit.times(bits, ~0u / mask));
    }
    std::vector<Slot> words = {{word, 0}};
    if (types_.width(scalar) == 64) words.push_back({emit.constant(0), 0});
    const std::vector<Slot> scalars = regroup(emit, words, u32, scalar);
    return emit.splat(pack_, scalarOf(emit, scalar, scalars[0]));
}

std::vector<Slot> TensorElements::loadRun(Emitter& emit, Id run, Condition inside, Id outside) {
    Id pack = runs_->load(emit, pack_, run);
    if (!inside.isAlways()) pack = emit.select(emit.boolean(inside), pack, packOf(emit, outside));
    return unpack(emit, slotsOf(emit, std::span(&pack, 1)), types_.scalarOf(pack_));
}

void TensorElements::storeRun(Emitter& emit, Id run, std::span<const Slot> components) {
    const Id scalar = types_.scalarOf(pack_);
    const std::vector<Slot> scalars = pack(emit, components, scalar);
    runs_->store(emit, pack_, run, gather(emit, scalar, scalars));
}

TensorWalk::TensorWalk(MatrixWriter& writer, const MatrixType& matrix, uint32_t maxUnrolled,
                       TensorRun run, spv::LoopControlMask control)
    : writer_(writer),
      matrix_(matrix),
      run_(run),
      rows_(matrix.fragment.rows.count() / run.rows()),
      columns_(matrix.fragment.columns.count() / run.columns()),
      rollsRows_(rows_ * columns_ > maxUnrolled),
      rollsColumns_(columns_ > maxUnrolled),
      control_(control) {}

void TensorWalk::run(const MakePart& ofRow, const MakePart& ofColumn, const Visit& visit) {
    Emitter& emit = writer_.emit();
    const Fragment& f = matrix_.fragment;
    const uint32_t toNextRow = run_.rows() * f.columns.count();
    std::vector<TensorPart> parts;
    for (uint32_t c = 0; !rollsColumns_ && c < columns_; ++c) {
        parts.push_back(ofColumn(writer_.columnOf(matrix_, c * run_.columns())));
    }
    const Id columnLane = writer_.laneOn(matrix_, Dimension::kColumns);
    const Id rowLane = writer_.laneOn(matrix_, Dimension::kRows);
    const auto line = [&](const TensorPart& row, Id first) {
        for (uint32_t c = 0; c < parts.size(); ++c) {
            visit(row, parts[c], emit.plus(first, c * run_.columns()));
        }
        if (!rollsColumns_) return;
        const auto visitRun = [&](Id run) {
            const Id column = emit.times(run, run_.columns());
            visit(row, ofColumn(indexOfValue(emit, f.columns, columnLane, column)),
                  emit.addU32(first, column));
        };
        writer_.loop(columns_, visitRun, control_);
    };
    for (uint32_t r = 0; !rollsRows_ && r < rows_; ++r) {
        line(ofRow(writer_.rowOf(matrix_, r * run_.rows())), emit.constant(r * toNextRow));
    }
    if (!rollsRows_) return;
    const auto visitRow = [&](Id run) {
        const Id row = emit.times(run, run_.rows());
        line(ofRow(indexOfValue(emit, f.rows, rowLane, row)), emit.times(run, toNextRow));
    };
    writer_.loop(rows_, visitRow, control_);
}

TensorDecode::TensorDecode(MatrixContext& context, Emitter& emit, const Instruction& at,
                           const MatrixType& matrix, const TensorLayoutType& layout, Kind kind,
                           Id function, Id pointer)
    : context_(context), at_(at), dimensions_(layout.dimensions) {
    Module& module = context.module;
    const Instruction& definition = module.def(function);
    const Instruction& type = module.def(definition.word(1));
    const Instruction& result = module.def(type.word(0));
    const bool isVector = kind == Kind::kVector;
    const bool isRightResult =
        isVector ? result.opcode == OpTypeVector && result.word(0) == matrix.component
                 : type.word(0) == matrix.component;
    if (definition.opcode != OpFunction || !isRightResult || !hasParameters(type)) {
        refuse(isVector ? "DecodeVectorFunc must return a vector of components, and take what "
                          "DecodeFunc takes"
                        : "DecodeFunc must return a component, and take a pointer to a physical "
                          "block and two arrays of as many 32-bit integers as the layout has "
                          "dimensions");
        return;
    }
    mayRepeat_ = Effects(module).onlyGivesResult(function);
    functionType_ = type.result;
    resultType_ = type.word(0);
    const Id block = module.def(type.word(1)).word(1);
    blockBytes_ = sizeOfType(context.types, block);
    if (blockBytes_ == 0) {
        refuse("the block that DecodeFunc takes has no explicit layout");
        return;
    }
    declareNumbersIn(context.types, context.target.device, block);
    const spv::StorageClass storage = storageOf(module.def(emit.typeOf(pointer)));
    if (!isOneOf(storage,
                 {spv::StorageClass::PhysicalStorageBuffer, spv::StorageClass::StorageBuffer})) {
        refuse("the Pointer of a load with DecodeFunc must be in buffer memory");
        return;
    }
    const BufferPlace place = placeOf(emit, pointer);
    if (!place.valid()) {
        place.refuse(context, at);
        return;
    }
    memory_.emplace(context, place);
    if (place.isAddress) useUnits(emit);
    function_ = place.isAddress ? function : cloneDecode(context, at, function, place);
}

// Some drivers do not step over whole blocks by OpPtrAccessChain, so the pointer becomes one to an
// array of units.
void TensorDecode::useUnits(Emitter& emit) {
    TypeTable& types = context_.types;
    const uint32_t bytes = std::min(16u, powerOfTwoIn(blockBytes_));
    unit_ =
        bytes < 4 ? types.intType(bytes * 8, false) : types.vectorType(types.uint32(), bytes / 4);
    declareNumbersIn(types, context_.target.device, unit_);
    memory_->view(emit, unit_);
}

bool TensorDecode::refuse(std::string_view what) {
    return context_.fail(ErrorCode::kInvalidModule, at_, what);
}

bool TensorDecode::hasParameters(const Instruction& type) const {
    const Module& module = context_.module;
    const TypeTable& types = context_.types;
    if (type.operands.size() != 4) return false;
    const Instruction& pointer = module.def(type.word(1));
    if (pointer.opcode != OpTypePointer ||
        storageOf(pointer) != spv::StorageClass::PhysicalStorageBuffer) {
        return false;
    }
    for (const size_t parameter : {2, 3}) {
        const Instruction& array = module.def(type.word(parameter));
        if (array.opcode != OpTypeArray || module.constantValue(array.word(1)) != dimensions_ ||
            !types.isInteger(array.word(0)) || types.width(array.word(0)) != 32) {
            return false;
        }
    }
    return true;
}

Id TensorDecode::coordinates(Emitter& emit, uint32_t parameter, std::span<const Id> values) {
    const Module& module = context_.module;
    const Id array = module.def(functionType_).word(parameter + 1);
    const Id element = module.def(array).word(0);
    std::vector<Id> members;
    for (const Id value : values.first(dimensions_))
        members.push_back(emit.bitcast(element, value));
    return emit.construct(array, members);
}

Id TensorDecode::call(Emitter& emit, const TensorPart& place) {
    Operands operands = {idOperand(function_)};
    const BufferPlace& memory = memory_->place();
    const Id block = emit.toUnsigned(memory_->indexType(), place.index);
    if (memory.isAddress) {
        const uint32_t bytes = bytesOf(context_.types, unit_);
        const Id index = emit.times(block, blockBytes_ / bytes);
        const Id first = memory_->pointer(emit, unit_, index);
        const Id parameter = context_.module.def(functionType_).word(1);
        operands.push_back(idOperand(emit.bitcast(parameter, first)));
    } else {
        append(operands, idOperands(memory.arguments(context_.module)));
        operands.push_back(idOperand(emit.sum(memory.bytes, emit.times(block, blockBytes_))));
    }
    append(operands, {idOperand(coordinates(emit, 1, place.block)),
                      idOperand(coordinates(emit, 2, place.inBlock))});
    return emit.op(OpFunctionCall, resultType_, std::move(operands));
}

std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at) {
    TensorOperands operands;
    operands.pointer = at.word(0);
    operands.object = at.word(1);
    operands.layout = at.word(2);
    operands.memory = MemoryOperands(operandsBehind(at, 3));
    const std::span<const Operand> addressing = tensorAddressing(at);
    const auto fails = [&](std::string_view what) {
        context.invalid(at, what);
        return std::nullopt;
    };
    if (addressing.empty()) return fails("Tensor Addressing Operands are missing");
    using Mask = spv::TensorAddressingOperandsMask;
    size_t next = 1;
    uint32_t left = addressing[0].word;
    const auto take = [&](Mask bit, std::optional<Id>& id) {
        if ((left & static_cast<uint32_t>(bit)) == 0) return;
        left &= ~static_cast<uint32_t>(bit);
        if (next < addressing.size()) id = addressing[next++].word;
    };
    take(Mask::TensorView, operands.view);
    take(Mask::DecodeFunc, operands.decode);
    take(Mask::DecodeVectorFunc, operands.decodeVector);
    if (left != 0) return fails("Tensor Addressing Operands have bits that are not known");
    if (context.tensors.layoutOf(context.module, operands.layout) == nullptr) {
        return fails("TensorLayout is not a tensor layout");
    }
    if (operands.view && context.tensors.viewOf(context.module, *operands.view) == nullptr) {
        return fails("TensorView is not a tensor view");
    }
    return operands;
}

void findSharedLoads(MatrixContext& context) {
    std::map<std::vector<uint32_t>, std::vector<Id>> alike;
    SharedLoads& shared = context.sharedLoads;
    shared.patterns.emplace(context.module);
    context.module.visitBlocks([&](const Instruction& i) {
        if (!isTensorLoad(i) || !shared.patterns->has(i)) return;
        alike[shared.patterns->of(i).key].push_back(i.result);
    });
    for (const auto& [key, loads] : alike) {
        if (loads.size() > 1) shared.loads.insert(loads.begin(), loads.end());
    }
}

namespace {

class SharedLoad {
 public:
    SharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load, LoadWay way)
        : context_(context), load_(load), way_(way) {
        AccessPattern pattern = context.sharedLoads.patterns->of(load);
        key_ = std::move(pattern.key);
        key_.push_back(static_cast<uint32_t>(way));
        for (const Id argument : pattern.arguments) add(emit, argument);
    }

    Id call(Emitter& emit) {
        const auto [entry, isNew] = context_.sharedLoads.functions.try_emplace(key_, 0);
        if (isNew) entry->second = build();
        return emit.call(load_.type, entry->second, arguments_);
    }

 private:
    bool isTensorValue(Id value) const {
        return context_.tensors.layoutOf(context_.module, value) != nullptr ||
               context_.tensors.viewOf(context_.module, value) != nullptr;
    }

    // Members of layouts and views are arguments of their own: many are constants.
    void add(Emitter& emit, Id argument) {
        if (!isTensorValue(argument)) return arguments_.push_back(argument);
        members_.push_back(structureMembers(emit, argument));
        for (const Id member : members_.back()) {
            const bool isConstant = isDeclaration(context_.module.def(member));
            key_.push_back(isConstant ? member : 0);
            if (!isConstant) arguments_.push_back(member);
        }
    }

    Id build() {
        FunctionBuilder f(context_.types, context_.sharedLoads.waiting, "coopvk_tensor_load",
                          load_.type, typesOf(context_.module, arguments_));
        decoratePointers(f, arguments_);
        size_t next = 0;
        const auto parameter = [&](Id argument) {
            if (!isTensorValue(argument)) return f.parameter(next++);
            std::vector<Id> members = std::move(members_.front());
            members_.pop_front();
            for (Id& member : members) {
                if (!isDeclaration(context_.module.def(member))) member = f.parameter(next++);
            }
            return f.emit().construct(context_.module.def(argument).type, members);
        };
        const Id loaded = *context_.sharedLoads.patterns->emitIn(f.emit(), load_, parameter);
        context_.sharedLoads.ways[loaded] = way_;
        return f.finish(loaded);
    }

    MatrixContext& context_;
    const Instruction& load_;
    const LoadWay way_;
    std::vector<uint32_t> key_;
    std::vector<Id> arguments_;
    std::deque<std::vector<Id>> members_;
};

}  // namespace

std::optional<Id> callSharedLoad(MatrixContext& context, Emitter& emit, const Instruction& load,
                                 LoadWay way) {
    if (!context.sharedLoads.loads.contains(load.result)) return std::nullopt;
    return SharedLoad(context, emit, load, way).call(emit);
}

}  // namespace coopvk::rewrite
