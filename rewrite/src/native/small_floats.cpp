// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "lowering/memory.hpp"
#include "matrix/matrix_uses.hpp"
#include "native/lower.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kWideItem = 8;     // f16 in the widest vector, of 16 bytes
constexpr uint32_t kWordOfBytes = 4;  // 8-bit floats in a u32
constexpr uint32_t kLinesAtOnce = 8;  // that drivers read at once, from the same place of each

// How a matrix lies in shared memory: its lines one after the other. An invocation accesses units
// of neighbours in a line at once.
struct StagedShape {
    uint32_t lines = 0, length = 0;  // elements in a line
    uint32_t unit = 1;               // elements
    uint32_t item = 1;               // elements in an element of the shared array
    uint32_t stride = 0;             // items from a line to the next

    // Each element alone.
    static StagedShape byElements(const MatrixDimensions& matrix) {
        return {matrix.rows, matrix.columns, 1, 1, matrix.columns};
    }

    // f16 elements in units of whole pointees, `pointee` elements each. nullopt if a line does not
    // consist of pointees.
    static std::optional<StagedShape> byUnits(const MatrixDimensions& matrix, bool columnMajor,
                                              uint32_t pointee, uint32_t subgroupSize) {
        StagedShape shape{columnMajor ? matrix.columns : matrix.rows,
                          columnMajor ? matrix.rows : matrix.columns};
        if (shape.length % pointee != 0) return std::nullopt;
        shape.unit = pointee;
        // Units become wider while they keep all invocations busy.
        const auto mayDouble = [&](uint32_t unit) {
            return unit < kWideItem && shape.length % (unit * 2) == 0 &&
                   (unit * 2 <= kWordOfBytes ||
                    shape.lines * shape.length / (unit * 2) >= subgroupSize);
        };
        while (mayDouble(shape.unit)) shape.unit *= 2;
        while (shape.item < kWideItem && shape.unit % (shape.item * 2) == 0) shape.item *= 2;
        shape.stride = shape.length / shape.item;
        // With an odd stride of 16 bytes, lines that are read at once lie in different banks.
        if (shape.item == kWideItem && shape.stride % 2 == 0) ++shape.stride;
        return shape;
    }
};

struct HalvesContext : SmallFloatContext {
    HalvesContext(TypeTable& theTypes, const PlannedTarget& theTarget, uint32_t subgroups)
        : SmallFloatContext(theTypes, theTarget), staging(*this, subgroups) {}

    Staging staging;
    std::set<Id> sharedHalves;  // pointers to elements of arrays that have f16 in their place

    // The type of the driver's matrices that hold those of a type; the type itself if it has no
    // 8-bit floats.
    Id held(Id matrix) {
        if (!isMatrix(matrix)) return matrix;
        Operands operands = module.def(matrix).operands;
        operands[0] = idOperand(types.floatType(16));
        return types.matrixType(std::move(operands));
    }
    // The type of the elements of a matrix type, as they are held.
    Id elementOf(Id matrix) { return heldType(types, module.def(matrix).word(0)); }
};

struct HalvesFunction : FunctionLowering<HalvesContext> {
    using FunctionLowering::FunctionLowering;
};

// A matrix in shared memory. Barriers follow all accesses.
class StagedElements {
 public:
    StagedElements(HalvesFunction& f, Id matrixType, bool columnMajor, const StagedShape& shape)
        : f_(f),
          emit_(f.emit()),
          type_(matrixType),
          element_(f.context.elementOf(matrixType)),
          area_(
              f.context.staging.access(f.writer, itemType(f.context.types, element_, shape.item))),
          columnMajor_(columnMajor),
          shape_(shape) {}

    Id element() const { return element_; }

    // The type of the shared array's elements.
    static Id itemType(TypeTable& types, Id element, uint32_t item) {
        if (item == 1) return element;
        return item == 2 ? types.uint32() : types.vectorType(types.uint32(), item / 2);
    }

    void writeAll(Id value) {
        lines().store(emit_, area_.pointer(emit_.constant(0)), value);
        barrier();
    }

    void readAll(Id result) {
        barrier();
        lines().load(emit_, type_, area_.pointer(emit_.constant(0)), result);
        barrier();
    }

    struct Unit {
        Id line, place;  // u32: the line, and how many units precede this one there
    };

    // Visits this invocation's units.
    void eachUnit(const std::function<void(const Unit&)>& visit) {
        const uint32_t perLine = shape_.length / shape_.unit, units = shape_.lines * perLine;
        // Neighbouring invocations access the same place of neighbouring lines (see byUnits()).
        const uint32_t beside = shape_.lines % kLinesAtOnce == 0 ? kLinesAtOnce : 1;
        const uint32_t lanes = f_.context.target.subgroupSize;
        for (uint32_t first = 0; first < units; first += lanes) {
            const Id unit = emit_.plus(f_.writer.lane(), first);
            const Condition inside =
                first + lanes <= units
                    ? Condition::always()
                    : Condition(emit_.compare(OpULessThan, unit, emit_.constant(units)));
            f_.writer.when(inside, [&] {
                const Id block = emit_.times(emit_.over(unit, beside * perLine), beside);
                visit({emit_.addU32(block, emit_.modulo(unit, beside)),
                       emit_.modulo(emit_.over(unit, beside), perLine)});
            });
        }
    }

    // A unit's elements.
    void write(const Unit& unit, std::span<const Slot> elements) {
        for (uint32_t i = 0; i * shape_.item < shape_.unit; ++i) {
            const std::span<const Slot> part =
                elements.subspan(size_t{i} * shape_.item, shape_.item);
            Id value = 0;
            if (shape_.item == 1) {
                value = scalarOf(emit_, element_, part[0]);
            } else {
                const Id u32 = emit_.types().uint32();
                value = gather(emit_, u32, regroup(emit_, part, element_, u32));
            }
            area_.store(itemOf(unit, i), value);
        }
    }

    std::vector<Slot> read(const Unit& unit) {
        std::vector<Id> items;
        for (uint32_t i = 0; i * shape_.item < shape_.unit; ++i) {
            items.push_back(area_.load(itemOf(unit, i)));
        }
        return regroup(emit_, slotsOf(emit_, items), emit_.types().scalarOf(emit_.typeOf(items[0])),
                       element_);
    }

    void barrier() { area_.barrier(); }

 private:
    // The number of an item of a unit.
    Id itemOf(const Unit& unit, uint32_t item) {
        const Id place = emit_.times(unit.place, shape_.unit / shape_.item);
        const Id start = emit_.addU32(emit_.times(unit.line, shape_.stride), place);
        return emit_.plus(start, item);
    }

    DriverLines lines() { return DriverLines::shared(emit_, shape_.stride, columnMajor_); }

    HalvesFunction& f_;
    Emitter& emit_;
    Id type_, element_;
    AreaAccess area_;
    bool columnMajor_;
    StagedShape shape_;
};

// Shared memory from which a shader only loads matrices of 8-bit floats, all of one format, has f16
// in their place. Then each element is converted once, when the shader writes it, and the driver
// loads its f16 matrices from there directly. The memory takes twice as many bytes.
//
// The arrays of which this may be true.
std::vector<RetypedArray> arraysForHalves(HalvesContext& context) {
    const auto isWanted = [&](Id matrix) { return context.format(matrix) != 0; };
    std::vector<RetypedArray> found;
    for (StagingArray& array : stagingArrays(context.types, Users(context.module), isWanted)) {
        const Id format = context.format(*array.matrices.begin());
        const auto isSame = [&](Id matrix) { return context.format(matrix) == format; };
        if (!std::ranges::all_of(array.matrices, isSame)) continue;
        found.push_back(withHalves(context.types, std::move(array), format));
    }
    return found;
}

std::optional<StagedShape> stagedShape(HalvesContext& context, Id type, bool columnMajor,
                                       uint32_t pointee) {
    const auto matrix = matrixDimensions(context.module, context.module.def(type));
    return StagedShape::byUnits(*matrix, columnMajor, pointee, context.target.subgroupSize);
}

// What a load or store accesses in the module's memory.
struct MatrixInMemory : MatrixPlace {
    // How the matrix lies in shared memory; nullopt after an error.
    std::optional<StagedShape> staged(HalvesFunction& f, const Instruction& access, Id type) {
        const auto shape = stagedShape(f.context, type, areColumns, pointer().pointeeBytes());
        if (!shape) f.context.unsupported(access, "a line ends inside a pointee");
        return shape;
    }
    // Where a unit of so many scalars lies.
    Id lineOf(Emitter& emit, const StagedElements::Unit& unit) const {
        return lineAt(emit, pointer().asIndex(emit, unit.line));
    }
    ScalarIndex inLine(Emitter& emit, const StagedElements::Unit& unit, uint32_t scalars) const {
        return {0, emit.times(unit.place, scalars)};
    }
};

// `layout`: the number of the operand MemoryLayout. nullopt after an error.
std::optional<MatrixInMemory> memoryOf(HalvesFunction& f, const Instruction& at, size_t layout,
                                       Id format) {
    auto place = MatrixPlace::of(f.context, f.emit(), at,
                                 ElementPointer(f.context, f.emit(), at.word(0), at, format),
                                 operandsBehind(at, layout));
    return place ? std::optional(MatrixInMemory{std::move(*place)}) : std::nullopt;
}

bool holdLoad(HalvesFunction& f, Instruction& load) {
    const Id format = f.context.format(load.type);
    if (format == 0 || f.context.sharedHalves.contains(load.word(0))) return false;
    std::optional<MatrixInMemory> from = memoryOf(f, load, 1, format);
    const auto shape = from ? from->staged(f, load, load.type) : std::nullopt;
    if (!shape) return true;
    StagedElements staged(f, load.type, from->areColumns, *shape);
    Emitter& emit = f.emit();
    const Number& number = *numberOf(f.context.types, format);
    const Id scalar = from->pointer().scalar();
    const uint32_t count = shape->unit / from->pointer().scalarBytes();
    staged.eachUnit([&](const StagedElements::Unit& unit) {
        const ScalarIndex position = from->inLine(emit, unit, count);
        const std::vector<Slot> scalars =
            from->memory.loadScalars(emit, from->lineOf(emit, unit), position, count);
        staged.write(unit, unpackComponents(emit, number, scalars, scalar, staged.element()));
    });
    staged.readAll(load.result);
    return true;
}

bool holdStore(HalvesFunction& f, const Instruction& store) {
    const Id type = f.emit().typeOf(store.word(1));
    const Id format = f.context.format(type);
    if (format == 0) return false;
    std::optional<MatrixInMemory> to = memoryOf(f, store, 2, format);
    const auto shape = to ? to->staged(f, store, type) : std::nullopt;
    if (!shape) return true;
    StagedElements staged(f, type, to->areColumns, *shape);
    Emitter& emit = f.emit();
    const Number& number = *numberOf(f.context.types, format);
    staged.writeAll(store.word(1));
    const Id scalar = to->pointer().scalar();
    staged.eachUnit([&](const StagedElements::Unit& unit) {
        const std::vector<Slot> scalars =
            packComponents(emit, number, staged.read(unit), staged.element(), scalar);
        const auto count = static_cast<uint32_t>(scalars.size());
        const ScalarIndex position = to->inLine(emit, unit, count);
        to->memory.storeScalars(emit, to->lineOf(emit, unit), position, scalars);
    });
    staged.barrier();
    return true;
}

const Number* componentsOf(const HalvesContext& context, Id matrix) {
    return numberOf(context.types, context.module.def(matrix).word(0));
}

bool holdConversion(HalvesFunction& f, const Instruction& i) {
    HalvesContext& context = f.context;
    Emitter& emit = f.emit();
    const Id type = emit.typeOf(i.word(0)), to = context.format(i.type);
    const Id from = context.format(type);
    if (from == 0 && to == 0) return false;
    const auto a = matrixDimensions(context.module, context.module.def(type));
    const auto b = matrixDimensions(context.module, context.module.def(i.type));
    const Number* number = componentsOf(context, type);
    const Number* wanted = componentsOf(context, i.type);
    const bool casts = i.opcode == OpBitcast;
    if (!a || !b || a->rows != b->rows || a->columns != b->columns || !number || !wanted ||
        (casts && number->bits != wanted->bits)) {
        return context.fail(ErrorCode::kUnsupported, i, "this conversion is not the driver's");
    }
    const Id half = context.types.floatType(16);
    if (to == 0 && a->use == b->use && !casts) {
        const bool copies = context.elementOf(i.type) == half;
        emit.op(copies ? OpCopyObject : i.opcode, i.type, {i.word(0)}, i.result);
        return true;
    }
    // Both matrices lie in the memory of their elements' type, perhaps in the same places: each
    // element is read and written by one invocation.
    const ArithmeticDecorations decorations(context.module, i.result);
    const StagedShape shape = StagedShape::byElements(*a);
    StagedElements source(f, type, false, shape), target(f, i.type, false, shape);
    source.writeAll(i.word(0));
    source.eachUnit([&](const StagedElements::Unit& at) {
        Id value = scalarOf(emit, source.element(), source.read(at)[0]);
        if (casts) {
            const Slot slots[] = {{value, 0}};
            context.types.declareArithmetic(context.types.intType(number->bits, false));
            value = scalarOf(emit, target.element(),
                             castComponents(emit, *number, *wanted, slots, emit.typeOf(value),
                                            target.element())[0]);
        } else if (from != to && to != 0) {
            value = emit.op(i.opcode, to, {value});
            decorations.addTo(value);
            value = emit.op(OpFConvert, half, {value});
        } else if (from != to && emit.typeOf(value) != target.element()) {
            value = emit.op(i.opcode, target.element(), {value});
        }
        const Slot slots[] = {{value, 0}};
        target.write(at, slots);
    });
    decorations.removeFrom(i.result);
    target.readAll(i.result);
    return true;
}

// C may have 8-bit floats, the result not: only coopvk rounds to these.
bool holdMulAdd(HalvesFunction& f, Instruction& i) {
    HalvesContext& context = f.context;
    if (context.isMatrix(i.type)) {
        return context.fail(ErrorCode::kUnsupported, i, "the driver has no sums of 8-bit floats");
    }
    if (context.formatOf(i.word(2)) == 0 ||
        context.elementOf(i.type) == context.types.floatType(16)) {
        return false;
    }
    i.operands[2] = idOperand(f.emit().op(OpFConvert, i.type, {i.word(2)}));
    return false;
}

void reserveFor(HalvesContext& context, Id type, const StagedShape& shape) {
    const Id item = StagedElements::itemType(context.types, context.elementOf(type), shape.item);
    context.staging.reserve(item, shape.lines * shape.stride);
}

// For a load or store. One with operands that are not valid fails when it is lowered.
void reserveForMemory(HalvesContext& context, const Instruction& at, Id type, size_t layout) {
    const Module& module = context.module;
    const auto columnMajor = module.constantValue(at.word(layout));
    const Instruction& pointer = module.def(module.def(at.word(0)).type);
    if (!columnMajor || !isPointerType(pointer.opcode)) return;
    const Id pointee = pointer.opcode == OpTypePointer
                           ? pointer.word(1)
                           : untypedPointee(context, storageOf(pointer), context.format(type));
    const uint32_t bytes = bytesOf(context.types, pointee);
    if (bytes == 0 || !matrixDimensions(module, module.def(type))) return;
    const auto reserveForPointees = [&](uint32_t size) {
        const auto shape = stagedShape(context, type, *columnMajor == 1, size);
        if (shape) reserveFor(context, type, *shape);
    };
    reserveForPointees(bytes);
    // Then the pointee may become a scalar.
    if (pointer.opcode == OpTypePointer && !pointsIntoTightArray(context, at.word(0))) {
        reserveForPointees(bytesOf(context.types, context.types.scalarOf(pointee)));
    }
}

void reserve(HalvesContext& context) {
    Module& module = context.module;
    const auto reserveElements = [&](Id type) {
        const auto d = matrixDimensions(module, module.def(type));
        if (d) reserveFor(context, type, StagedShape::byElements(*d));
    };
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixLoadKHR && context.isMatrix(i.type) &&
            !context.sharedHalves.contains(i.word(0))) {
            reserveForMemory(context, i, i.type, 1);
        }
        if (i.opcode == OpCooperativeMatrixStoreKHR && context.formatOf(i.word(1)) != 0) {
            reserveForMemory(context, i, module.def(i.word(1)).type, 2);
        }
        if (!isConversion(i.opcode)) return;
        const Id from = module.def(i.word(0)).type;
        if (!context.isMatrix(i.type) && !context.isMatrix(from)) return;
        reserveElements(from);
        reserveElements(i.type);
    });
}

// Reserves what matrices need if these arrays have f16. False: that is more than there is.
bool reserveBeside(HalvesContext& context, std::span<const RetypedArray> arrays) {
    context.staging.clear();
    context.sharedHalves.clear();
    uint64_t bytes = 0;
    for (const auto& [array, item, items, convert] : arrays) {
        bytes += array.bytes * array.length;
        context.sharedHalves.insert(array.pointers.begin(), array.pointers.end());
    }
    reserve(context);
    return context.staging.fits(bytes);
}

// Chooses as many arrays for f16 as the device has room for, and reserves what the other matrices
// need. False: they need more than there is.
bool reserveAll(HalvesContext& context) {
    std::vector<RetypedArray> chosen = arraysForHalves(context);
    while (!reserveBeside(context, chosen)) {
        if (chosen.empty()) return false;
        chosen.pop_back();
    }
    retypeArrays(context.types, chosen);
    return true;
}

}  // namespace

std::optional<Error> holdInDriverMatrices(TypeTable& types, const PlannedTarget& target,
                                          uint32_t subgroups) {
    HalvesContext context(types, target, subgroups);
    Module& module = context.module;
    TypeReplacements replacements;
    for (size_t g = 0; g < module.section(Section::kGlobals).size(); ++g) {
        const Id id = module.section(Section::kGlobals)[g]->result;
        if (!context.isMatrix(id)) continue;
        if (!matrixDimensions(module, module.def(id))) {
            return Error{ErrorCode::kUnsupported,
                         "Rows, Columns and Use must be constants, from 1 to 65535 and 0 to 2"};
        }
        replacements[id] = context.held(id);
    }
    if (replacements.empty()) return std::nullopt;
    for (const Id type : typesLikeAccumulators(MatrixUses(module))) {
        if (!context.isMatrix(type)) continue;
        return Error{ErrorCode::kUnsupported,
                     "elements are copied between matrices of different use, which the driver may "
                     "distribute in different ways"};
    }
    if (!reserveAll(context)) {
        return Error{ErrorCode::kUnsupported,
                     "matrices of 8-bit floats need more shared memory than the shader leaves"};
    }
    OpcodeTable<HalvesFunction> table;
    table.add<holdLoad>({OpCooperativeMatrixLoadKHR});
    table.add<holdStore>({OpCooperativeMatrixStoreKHR});
    table.add<holdMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<holdConversion>(kConversions);
    table.lowerAll(context);
    if (context.error) return context.error;
    replaceTypes(types, replacements);
    module.removeCapability(spv::Capability::Float8CooperativeMatrixEXT);
    module.addCapability(spv::Capability::Float8EXT);
    return context.error;
}

}  // namespace coopvk::rewrite
