// SPDX-License-Identifier: Apache-2.0
#include "native/lower.hpp"

#include <algorithm>
#include <set>

#include "matrix/pointer.hpp"
#include "matrix/row_conversion.hpp"
#include "native/staging.hpp"
#include "native/tiles.hpp"

namespace coopvk::rewrite {

namespace {

// The rows of a matrix; for B its columns: what one lane's array holds.
struct Lines {
    uint32_t count, length;
    bool columnMajor;
};

Lines linesOf(const TiledType& type) {
    if (type.use == Use::kB) return {type.columns, type.rows, true};
    return {type.rows, type.columns, false};
}

// Matrix type by the id of what was its length as a constant.
using LengthConstants = std::map<Id, Id>;

class NativeFunction {
 public:
    NativeFunction(LoweringContext& context, const NativePlan& plan, Staging& staging,
                   const LengthConstants& lengths, Function& function)
        : context_(context),
          types_(context.types),
          plan_(plan),
          staging_(staging),
          lengths_(lengths),
          function_(function),
          writer_(context, function) {}

    void run() {
        for (const auto& block : function_.blocks) {
            writer_.beginBlock(*block);
            for (InstructionPtr& i : block->body) {
                if (context_.error) return;
                nameLengths(*i);
                if (lower(*i))
                    retired_.push_back(std::move(i));
                else
                    writer_.keep(std::move(i));
            }
            writer_.endBlock();
        }
        writer_.finish();
        if (function_.blocks.empty()) return;
        InstructionList& entry = function_.blocks.front()->body;
        const auto isVariable = [](const InstructionPtr& i) {
            return i->opcode == spv::Op::OpVariable || i->opcode == spv::Op::OpLine ||
                   i->opcode == spv::Op::OpNoLine || i->opcode == spv::Op::OpExtInst;
        };
        entry.insert(std::ranges::find_if_not(entry, isVariable),
                     std::make_move_iterator(prologue_.begin()),
                     std::make_move_iterator(prologue_.end()));
        entry.insert(entry.begin(), std::make_move_iterator(variables_.begin()),
                     std::make_move_iterator(variables_.end()));
    }

 private:
    const TiledType* typeFor(Id type) const {
        const auto found = plan_.types.find(type);
        return found == plan_.types.end() ? nullptr : &found->second;
    }
    const TiledType* typeOf(Id value) const { return typeFor(context_.module.def(value).type); }

    // Replaces former constants by values of this function.
    void nameLengths(Instruction& i) {
        if (i.opcode == spv::Op::OpExtInst) return;
        for (Operand& operand : i.operands) {
            const auto found = operand.isId ? lengths_.find(operand.word) : lengths_.end();
            if (found == lengths_.end()) continue;
            if (i.opcode == spv::Op::OpVariable) {
                context_.fail(ErrorCode::kUnsupported, i,
                              "a constant depends on the length of a native matrix");
                return;
            }
            const auto [value, isNew] = lengthValues_.try_emplace(operand.word, 0);
            if (isNew) {
                const TiledType& type = plan_.types.at(found->second);
                Emitter emit(types_, prologue_);
                const Id tile = emit.op(spv::Op::OpCooperativeMatrixLengthKHR, u32(), {type.tile});
                value->second = emit.mulInt(u32(), tile, types_.constantU32(type.tiles()));
            }
            operand.word = value->second;
        }
    }

    // False where the instruction stays, perhaps changed in place.
    bool lower(Instruction& i) {
        Emitter& emit = writer_.emit();
        switch (i.opcode) {
            case spv::Op::OpCooperativeMatrixLoadKHR:
                return lowerLoad(i);
            case spv::Op::OpCooperativeMatrixStoreKHR:
                return lowerStore(i);
            case spv::Op::OpCooperativeMatrixMulAddKHR:
                return lowerMulAdd(i);
            case spv::Op::OpCooperativeMatrixLengthKHR:
                return lowerLength(i);
            case spv::Op::OpCooperativeMatrixConvertNV:
                return lowerRole(i);
            case spv::Op::OpCompositeConstructCoopMatQCOM:
                return lowerConstruct(i);
            case spv::Op::OpCompositeExtractCoopMatQCOM:
                return lowerExtractLines(i);
            case spv::Op::OpBitCastArrayQCOM:
                lowerBitCastArray(context_, emit, i);
                return true;
            case spv::Op::OpExtractSubArrayQCOM:
                lowerExtractSubArray(context_, emit, i);
                return true;
            case spv::Op::OpCopyMemory:
                return lowerCopyMemory(i);
            case spv::Op::OpUndef:
                return lowerUndef(i);
            case spv::Op::OpCompositeExtract:
                return lowerElementExtract(i);
            case spv::Op::OpCompositeInsert:
                return lowerElementInsert(i);
            case spv::Op::OpAccessChain:
            case spv::Op::OpInBoundsAccessChain:
                lowerChain(i);
                return false;
            default:
                return mapTiles(emit, plan_, i);
        }
    }

    // -----------------------------------------------------------------------------------------
    // Memory

    std::optional<TileAccess> accessOf(const Instruction& at, size_t layout) {
        const std::optional<uint64_t> value = context_.module.constantValue(at.word(layout));
        if (!value || *value > 1 || at.operands.size() < layout + 2) {
            context_.fail(ErrorCode::kUnsupported, at,
                          "MemoryLayout is not row major or column major");
            return std::nullopt;
        }
        TileAccess access;
        access.layout = at.word(layout);
        access.columnMajor = *value == 1;
        access.stride = at.word(layout + 1);
        access.memory.assign(at.operands.begin() + static_cast<std::ptrdiff_t>(layout) + 2,
                             at.operands.end());
        return access;
    }

    // Tiles start some lines down and some pointees along.
    TilePointer tilesAt(const Instruction& at, const TiledType& type, const TileAccess& access,
                        ElementPointer& pointer) {
        const Id stride = pointer.asIndex(writer_.emit(), access.stride);
        return [this, &at, &type, &pointer, stride](uint32_t line, uint32_t inner) -> Id {
            Emitter& emit = writer_.emit();
            const uint32_t bytes = inner * types_.width(type.component) / 8;
            if (bytes % pointer.pointeeBytes() != 0) {
                context_.fail(ErrorCode::kUnsupported, at, "tiles begin inside of a pointee");
                return 0;
            }
            const Id index = pointer.indexType();
            const Id down = emit.mulInt(index, types_.constant(index, line), stride);
            const Id along = types_.constant(index, bytes / pointer.pointeeBytes());
            const Id place = emit.addInt(index, emit.addInt(index, pointer.origin(), down), along);
            return pointer.at(emit, place);
        };
    }

    bool lowerLoad(const Instruction& load) {
        const TiledType* type = typeFor(load.type);
        if (type == nullptr || !type->isTiled()) return false;
        const std::optional<TileAccess> access = accessOf(load, 1);
        ElementPointer pointer(context_, writer_.emit(), load.word(0), load);
        if (!access || !pointer.valid()) return true;
        loadTiles(writer_.emit(), *type, *access, tilesAt(load, *type, *access, pointer),
                  load.result);
        return true;
    }

    bool lowerStore(const Instruction& store) {
        const TiledType* type = typeOf(store.word(1));
        if (type == nullptr || !type->isTiled()) return false;
        const std::optional<TileAccess> access = accessOf(store, 2);
        ElementPointer pointer(context_, writer_.emit(), store.word(0), store);
        if (!access || !pointer.valid()) return true;
        storeTiles(writer_.emit(), *type, *access, tilesAt(store, *type, *access, pointer),
                   store.word(1));
        return true;
    }

    bool lowerMulAdd(const Instruction& mulAdd) {
        bool tiled = typeFor(mulAdd.type)->isTiled();
        for (size_t o = 0; o < 3; ++o) tiled = tiled || typeOf(mulAdd.word(o))->isTiled();
        if (tiled) multiplyTiles(writer_.emit(), plan_, mulAdd);
        return tiled;
    }

    // Each type is looked at once: hostile modules nest structures in themselves.
    bool holdsMatrix(Id type) {
        std::vector<Id> pending = {type};
        std::set<Id> seen;
        while (!pending.empty()) {
            const Id next = pending.back();
            pending.pop_back();
            if (!seen.insert(next).second) continue;
            if (typeFor(next) != nullptr) return true;
            const Instruction& def = context_.module.def(next);
            const bool isArray = def.opcode == spv::Op::OpTypeArray;
            if (!isArray && def.opcode != spv::Op::OpTypeStruct) continue;
            for (const Operand& member : def.operands) pending.push_back(member.word);
        }
        return false;
    }

    // Mesa 26.1 copies no matrices from memory to memory, and has no undefined ones.
    bool lowerCopyMemory(const Instruction& copy) {
        Emitter& emit = writer_.emit();
        const Id type = context_.module.def(emit.typeOf(copy.word(1))).word(1);
        if (!holdsMatrix(type) || copy.operands.size() != 2) return false;
        const Id value = emit.op(spv::Op::OpLoad, type, {copy.word(1)});
        emit.opVoid(spv::Op::OpStore, {copy.operands[0], idOperand(value)});
        return true;
    }

    bool lowerUndef(const Instruction& undef) {
        if (!holdsMatrix(undef.type)) return false;
        context_.module.append(Section::kGlobals, makeInstruction(spv::Op::OpConstantNull,
                                                                  undef.type, undef.result, {}));
        return true;
    }

    // -----------------------------------------------------------------------------------------
    // Elements

    Id u32() { return types_.uint32(); }

    Id tileLength(const TiledType& type) {
        return writer_.emit().op(spv::Op::OpCooperativeMatrixLengthKHR, u32(), {type.tile});
    }

    bool lowerLength(const Instruction& length) {
        const TiledType* type = typeFor(length.word(0));
        if (type == nullptr || !type->isTiled()) return false;
        writer_.emit().add(makeInstruction(
            spv::Op::OpIMul, length.type, length.result,
            {idOperand(tileLength(*type)), idOperand(types_.constantU32(type->tiles()))}));
        return true;
    }

    // Index of the operand that leads into a tiled matrix, on the way from `type`.
    template <typename Value>
    std::optional<size_t> intoMatrix(Id type, const Operands& operands, size_t first, Value value,
                                     const TiledType*& matrix) {
        for (size_t i = first; i < operands.size(); ++i) {
            matrix = typeFor(type);
            if (matrix != nullptr) {
                return matrix->isTiled() ? std::optional<size_t>(i) : std::nullopt;
            }
            const Instruction& def = context_.module.def(type);
            if (def.opcode == spv::Op::OpTypeStruct)
                type = def.word(value(operands[i]));
            else
                type = def.word(0);
        }
        return std::nullopt;
    }

    void lowerChain(Instruction& chain) {
        Emitter& emit = writer_.emit();
        const TiledType* matrix = nullptr;
        const auto value = [&](const Operand& o) {
            return context_.module.constantValue(o.word).value_or(0);
        };
        const Id pointee = context_.module.def(emit.typeOf(chain.word(0))).word(1);
        const std::optional<size_t> at = intoMatrix(pointee, chain.operands, 1, value, matrix);
        if (!at) return;
        const Id index = emit.typeOf(chain.word(*at));
        if (types_.width(index) != 32) {
            context_.fail(ErrorCode::kUnsupported, chain, "an element index of other than 32 bits");
            return;
        }
        const Id element = emit.bitcast(u32(), chain.word(*at));
        const Id length = tileLength(*matrix);
        const Id tile = emit.op(spv::Op::OpUDiv, u32(), {element, length});
        const Id inTile = emit.op(spv::Op::OpUMod, u32(), {element, length});
        chain.operands[*at] = idOperand(tile);
        chain.operands.insert(chain.operands.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                              idOperand(inTile));
    }

    // The matrix that a literal index leads into, in a variable, and a pointer to that element:
    // only the driver knows which tile the element is in.
    Id elementPointer(const TiledType& matrix, Id variable, uint32_t element) {
        Emitter& emit = writer_.emit();
        const Id length = tileLength(matrix);
        const Id index = types_.constantU32(element);
        const Id tile = emit.op(spv::Op::OpUDiv, u32(), {index, length});
        const Id inTile = emit.op(spv::Op::OpUMod, u32(), {index, length});
        const Id type = types_.pointerType(spv::StorageClass::Function, matrix.component);
        return emit.op(spv::Op::OpAccessChain, type, {variable, tile, inTile});
    }

    Id variable(const TiledType& matrix) {
        Id& id = variableOf_[matrix.id];
        if (id != 0) return id;
        id = context_.module.takeId();
        const Id type = types_.pointerType(spv::StorageClass::Function, matrix.id);
        variables_.push_back(
            makeInstruction(spv::Op::OpVariable, type, id, {literal(spv::StorageClass::Function)}));
        context_.module.setDef(variables_.back().get());
        return id;
    }

    Id matrixAt(const TiledType& matrix, Id composite, std::span<const Operand> indices) {
        if (indices.empty()) return composite;
        Operands operands = {idOperand(composite)};
        operands.insert(operands.end(), indices.begin(), indices.end());
        return writer_.emit().op(spv::Op::OpCompositeExtract, matrix.id, std::move(operands));
    }

    bool lowerElementExtract(const Instruction& extract) {
        const TiledType* matrix = nullptr;
        const auto value = [](const Operand& o) { return uint64_t{o.word}; };
        Emitter& emit = writer_.emit();
        const std::optional<size_t> at =
            intoMatrix(emit.typeOf(extract.word(0)), extract.operands, 1, value, matrix);
        if (!at) return false;
        const Id whole =
            matrixAt(*matrix, extract.word(0), std::span(extract.operands).subspan(1, *at - 1));
        emit.opVoid(spv::Op::OpStore, {idOperand(variable(*matrix)), idOperand(whole)});
        const Id pointer = elementPointer(*matrix, variable(*matrix), extract.word(*at));
        emit.add(
            makeInstruction(spv::Op::OpLoad, extract.type, extract.result, {idOperand(pointer)}));
        return true;
    }

    bool lowerElementInsert(const Instruction& insert) {
        const TiledType* matrix = nullptr;
        const auto value = [](const Operand& o) { return uint64_t{o.word}; };
        Emitter& emit = writer_.emit();
        const std::optional<size_t> at =
            intoMatrix(emit.typeOf(insert.word(1)), insert.operands, 2, value, matrix);
        if (!at) return false;
        const auto outer = std::span(insert.operands).subspan(2, *at - 2);
        const Id whole = matrixAt(*matrix, insert.word(1), outer);
        emit.opVoid(spv::Op::OpStore, {idOperand(variable(*matrix)), idOperand(whole)});
        const Id pointer = elementPointer(*matrix, variable(*matrix), insert.word(*at));
        emit.opVoid(spv::Op::OpStore, {idOperand(pointer), idOperand(insert.word(0))});
        const Operands loaded = {idOperand(variable(*matrix))};
        if (outer.empty()) {
            emit.add(makeInstruction(spv::Op::OpLoad, insert.type, insert.result, loaded));
            return true;
        }
        const Id changed = emit.op(spv::Op::OpLoad, matrix->id, Operands(loaded));
        Operands operands = {idOperand(changed), insert.operands[1]};
        operands.insert(operands.end(), outer.begin(), outer.end());
        emit.add(makeInstruction(spv::Op::OpCompositeInsert, insert.type, insert.result,
                                 std::move(operands)));
        return true;
    }

    // -----------------------------------------------------------------------------------------
    // By way of shared memory

    TileAccess stagingAccess(const Lines& lines) {
        TileAccess access;
        access.columnMajor = lines.columnMajor;
        access.layout = types_.constantU32(lines.columnMajor ? 1 : 0);
        access.stride = types_.constantU32(lines.length);
        access.memory = {Staging::access()};
        return access;
    }

    TilePointer stagingPointer(const TiledType& type, const Lines& lines) {
        return [this, &type, lines](uint32_t line, uint32_t inner) {
            return staging_.at(writer_, type.component,
                               types_.constantU32(line * lines.length + inner));
        };
    }

    bool lowerRole(const Instruction& conversion) {
        const TiledType* from = typeOf(conversion.word(0));
        const TiledType* to = typeFor(conversion.type);
        if (from == nullptr || to == nullptr || from->component != to->component ||
            from->rows != to->rows || from->columns != to->columns) {
            context_.fail(ErrorCode::kInvalidModule, conversion,
                          "conversion between matrices of different components or sizes");
            return true;
        }
        const Lines lines{from->rows, from->columns, false};
        Emitter& emit = writer_.emit();
        storeTiles(emit, *from, stagingAccess(lines), stagingPointer(*from, lines),
                   conversion.word(0));
        staging_.barrier(writer_);
        loadTiles(emit, *to, stagingAccess(lines), stagingPointer(*to, lines), conversion.result);
        staging_.barrier(writer_);
        return true;
    }

    // The matrix and its array type as its lines want it: components, `length` of them.
    Id componentArray(const TiledType& type, const Lines& lines) {
        return types_.arrayType(type.component, lines.length);
    }

    bool linesFit(const Instruction& at, const TiledType* type, Id arrayType) {
        const Instruction& array = context_.module.def(arrayType);
        const std::optional<uint64_t> length = context_.module.constantValue(array.word(1));
        if (type == nullptr || array.opcode != spv::Op::OpTypeArray || !length) {
            context_.fail(ErrorCode::kInvalidModule, at,
                          "converts between a cooperative matrix and an array of scalars");
            return false;
        }
        if (linesOf(*type).count > context_.target.subgroupSize) {
            context_.fail(ErrorCode::kUnsupported, at, "a matrix of more lines than lanes");
            return false;
        }
        return true;
    }

    // Same bits as another array type.
    Id castArray(Id type, Id value, Id result = 0) {
        if (result == 0) result = context_.module.takeId();
        const Instruction cast{spv::Op::OpBitCastArrayQCOM, type, result, {idOperand(value)}};
        lowerBitCastArray(context_, writer_.emit(), cast);
        return result;
    }

    bool lowerConstruct(const Instruction& construct) {
        const TiledType* type = typeFor(construct.type);
        Emitter& emit = writer_.emit();
        if (!linesFit(construct, type, emit.typeOf(construct.word(0)))) return true;
        const Lines lines = linesOf(*type);
        const Id array = castArray(componentArray(*type, lines), construct.word(0));
        if (context_.error) return true;
        const Id start = emit.mulInt(u32(), writer_.lane(), types_.constantU32(lines.length));
        for (uint32_t x = 0; x < lines.length; ++x) {
            const Id index = emit.addInt(u32(), start, types_.constantU32(x));
            const Id pointer = staging_.at(writer_, type->component, index);
            const Id value = emit.extract(type->component, array, {x});
            emit.opVoid(spv::Op::OpStore,
                        {idOperand(pointer), idOperand(value), Staging::access()});
        }
        staging_.barrier(writer_);
        loadTiles(emit, *type, stagingAccess(lines), stagingPointer(*type, lines),
                  construct.result);
        staging_.barrier(writer_);
        return true;
    }

    bool lowerExtractLines(const Instruction& extract) {
        const TiledType* type = typeOf(extract.word(0));
        Emitter& emit = writer_.emit();
        if (!linesFit(extract, type, extract.type)) return true;
        const Lines lines = linesOf(*type);
        storeTiles(emit, *type, stagingAccess(lines), stagingPointer(*type, lines),
                   extract.word(0));
        staging_.barrier(writer_);
        // Lanes beyond the last line read some line.
        const Id line = emit.modInt(u32(), writer_.lane(), types_.constantU32(lines.count));
        const Id start = emit.mulInt(u32(), line, types_.constantU32(lines.length));
        std::vector<Id> values;
        for (uint32_t x = 0; x < lines.length; ++x) {
            const Id index = emit.addInt(u32(), start, types_.constantU32(x));
            const Id pointer = staging_.at(writer_, type->component, index);
            values.push_back(
                emit.op(spv::Op::OpLoad, type->component, {idOperand(pointer), Staging::access()}));
        }
        staging_.barrier(writer_);
        const Id array = emit.construct(componentArray(*type, lines), values);
        castArray(extract.type, array, extract.result);
        return true;
    }

    LoweringContext& context_;
    TypeTable& types_;
    const NativePlan& plan_;
    Staging& staging_;
    const LengthConstants& lengths_;
    Function& function_;
    FunctionWriter writer_;
    InstructionList retired_;  // others look their types up
    InstructionList variables_;
    InstructionList prologue_;
    std::map<Id, Id> lengthValues_;
    std::map<Id, Id> variableOf_;  // by matrix type
};

// Redefines tiled types as arrays of new tile types, and their constants with them.
void lowerTypes(LoweringContext& context, NativePlan& plan) {
    TypeTable& types = context.types;
    Module& module = context.module;
    for (auto& [id, type] : plan.types) {
        type.tile = id;
        if (!type.isTiled()) continue;
        Instruction& own = *module.edit(id);
        Operands tile = own.operands;
        tile[2] = idOperand(types.constantU32(type.tileRows));
        tile[3] = idOperand(types.constantU32(type.tileColumns));
        type.tile = types.matrixType(std::move(tile));
        own.opcode = spv::Op::OpTypeArray;
        own.operands = {idOperand(type.tile), idOperand(types.constantU32(type.tiles()))};
    }
    InstructionList& globals = module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& i = *globals[g];
        const bool composite = i.opcode == spv::Op::OpConstantComposite ||
                               i.opcode == spv::Op::OpSpecConstantComposite;
        const auto matrix = plan.types.find(i.type);
        if (!composite || matrix == plan.types.end() || !matrix->second.isTiled()) continue;
        const Id tile = module.takeId();
        Operands constituent = i.operands;
        const spv::Op opcode = i.opcode;
        i.operands.assign(matrix->second.tiles(), idOperand(tile));
        module.append(Section::kGlobals,
                      makeInstruction(opcode, matrix->second.tile, tile, std::move(constituent)));
    }
}

// Takes the lengths of matrices out of the constants: drivers know them, but not all as constants.
// Functions ask for them instead.
LengthConstants takeLengths(LoweringContext& context) {
    LengthConstants lengths;
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (const InstructionPtr& i : globals) {
        if (i->opcode != spv::Op::OpSpecConstantOp ||
            i->word(0) != static_cast<uint32_t>(spv::Op::OpCooperativeMatrixLengthKHR)) {
            continue;
        }
        lengths.emplace(i->result, i->word(1));
        // Nothing will name it any more.
        i->opcode = spv::Op::OpConstant;
        i->operands = {literal(0u)};
    }
    for (const InstructionPtr& i : globals) {
        for (const Operand& operand : i->operands) {
            if (operand.isId && lengths.contains(operand.word)) {
                context.fail(ErrorCode::kUnsupported, *i,
                             "a constant depends on the length of a native matrix");
            }
        }
    }
    return lengths;
}

// What must pass through shared memory, and how much of it at once.
void reserveStaging(const LoweringContext& context, const NativePlan& plan, Staging& staging) {
    const auto reserve = [&](Id typeId, bool byLines) {
        const auto found = plan.types.find(typeId);
        if (found == plan.types.end()) return;
        const TiledType& type = found->second;
        // Every lane writes a line, also where the matrix has fewer.
        const uint32_t lines = byLines ? context.target.subgroupSize : linesOf(type).count;
        staging.reserve(type.component, lines * linesOf(type).length);
    };
    for (const auto& function : context.module.functions()) {
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpCooperativeMatrixConvertNV) reserve(i->type, false);
                if (i->opcode == spv::Op::OpCompositeConstructCoopMatQCOM) reserve(i->type, true);
                if (i->opcode == spv::Op::OpCompositeExtractCoopMatQCOM) {
                    reserve(context.module.def(i->word(0)).type, true);
                }
            }
        }
    }
}

}  // namespace

std::optional<Error> lowerToNative(LoweringContext& context, const NativePlan& plan,
                                   uint32_t subgroups) {
    NativePlan own = plan;
    Staging staging(context, subgroups);
    reserveStaging(context, own, staging);
    if (!staging.fits()) {
        return Error{ErrorCode::kUnsupported,
                     "matrices change their form in more shared memory "
                     "than the device has"};
    }
    lowerTypes(context, own);
    const LengthConstants lengths = takeLengths(context);
    for (const auto& function : context.module.functions()) {
        if (context.error) return context.error;
        NativeFunction(context, own, staging, lengths, *function).run();
    }
    if (context.error) return context.error;
    staging.finish();
    Module& module = context.module;
    for (auto& function : context.newFunctions) module.functions().push_back(std::move(function));
    context.newFunctions.clear();
    module.removeCapability(spv::Capability::CooperativeMatrixConversionQCOM);
    module.removeExtension("SPV_QCOM_cooperative_matrix_conversion");
    module.addCapability(spv::Capability::CooperativeMatrixKHR);
    module.addExtension("SPV_KHR_cooperative_matrix");
    return std::nullopt;
}

}  // namespace coopvk::rewrite
