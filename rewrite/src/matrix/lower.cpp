// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "lowering/packed.hpp"
#include "lowering/words.hpp"
#include "matrix/context.hpp"
#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/tensor_elements.hpp"
#include "tensor/load_order.hpp"

namespace coopvk::rewrite {

namespace {

// Components in a lane: more than any registers hold, and about as many as drivers can compile.
constexpr uint32_t kMostComponentsHeld = 8192;

// The granularity that flexibleMatrixShapes() lists.
constexpr uint32_t kWorkgroupGranularity = 16;

bool isMatrixType(const Instruction& i) { return i.opcode == OpTypeCooperativeMatrixKHR; }

// The same for a matrix type of the module.
Fragment fragmentOf(const LayoutPolicy& policy, Id type, const MatrixDimensions& d,
                    uint32_t componentBits) {
    const auto map = policy.mapped.find(type);
    if (map != policy.mapped.end()) {
        return makeMappedFragment(map->second, d.rows, d.columns, componentBits);
    }
    const auto run = policy.runs.find(type);
    if (run == policy.runs.end()) return makeFragment(policy, d, componentBits);
    return makeRunFragment(policy, run->second, d.rows, d.columns, componentBits);
}

}  // namespace

std::optional<MatrixDimensions> matrixDimensions(const Module& module, const Instruction& type) {
    const std::optional<uint64_t> rows = module.constantValue(type.word(2));
    const std::optional<uint64_t> columns = module.constantValue(type.word(3));
    const std::optional<uint64_t> use = module.constantValue(type.word(4));
    constexpr uint64_t kMaxSize = 0xFFFF;
    if (!isMatrixType(type) || !rows || !columns || !use || *rows == 0 || *columns == 0 ||
        *rows > kMaxSize || *columns > kMaxSize || *use > 2) {
        return std::nullopt;
    }
    const auto scope = module.constantValue(type.word(1));
    const bool ofWorkgroup = scope == static_cast<uint64_t>(spv::Scope::Workgroup);
    return MatrixDimensions{static_cast<uint32_t>(*rows), static_cast<uint32_t>(*columns),
                            static_cast<Use>(*use),
                            ofWorkgroup ? LaneScope::kWorkgroup : LaneScope::kSubgroup};
}

bool isZero(const Module& module, Id value) {
    const Instruction* constant = &module.def(value);
    if (constant->opcode == OpConstantComposite && constant->operands.size() == 1) {
        constant = &module.def(constant->word(0));
    }
    return constant->opcode == OpConstantNull ||
           (constant->opcode == OpConstant &&
            std::ranges::all_of(constant->operands, [](const Operand& o) { return o.word == 0; }));
}

Fragment makeFragment(const LayoutPolicy& policy, const MatrixDimensions& d,
                      uint32_t componentBits) {
    if (d.scope == LaneScope::kWorkgroup) {
        return makeWorkgroupFragment(policy, d.rows, d.columns, componentBits);
    }
    return makeFragment(policy, d.use, d.rows, d.columns, componentBits);
}

std::optional<uint32_t> matrixLength(const TypeTable& types, const LayoutPolicy& policy,
                                     Id matrixType) {
    const Module& module = types.module();
    const Instruction& type = module.def(matrixType);
    const uint32_t bits = heldBits(types, type.word(0));
    if (bits == 0) return std::nullopt;
    std::optional<MatrixDimensions> d = matrixDimensions(module, type);
    if (!d) return std::nullopt;
    if (policy.likeAccumulators.contains(matrixType)) d->use = Use::kAccumulator;
    return fragmentOf(policy, matrixType, *d, bits).length();
}

namespace {

// Of MatrixType::shape, in place of a use.
constexpr uint32_t kAnyUse = ~0u, kTiles = kAnyUse - 1;

// Why a matrix of scope Workgroup is refused; empty: it is not.
std::string_view workgroupProblem(const MatrixContext& context, const Instruction& type,
                                  const MatrixDimensions& d) {
    if (context.invocations == 0) {
        return "matrices of scope Workgroup need a workgroup size (SPV_NV_cooperative_matrix2)";
    }
    if (d.rows % kWorkgroupGranularity != 0 || d.columns % kWorkgroupGranularity != 0) {
        return "Rows and Columns of scope Workgroup must be multiples of 16, the granularity "
               "(VkCooperativeMatrixFlexibleDimensionsPropertiesNV)";
    }
    const Number& number = *numberOf(context.types, type.word(0));
    if (number.bits > 32 || number.bits < 8) {
        return "components of this format are not emulated at scope Workgroup";
    }
    return {};
}

// Why a matrix type is refused; empty: it is not.
std::string_view problem(const MatrixContext& context, const Instruction& type) {
    const std::string_view component = context.types.componentProblem(type.word(0));
    if (!component.empty()) return component;
    if (numberOf(context.types, type.word(0)) == nullptr) {
        return "components of this format are not emulated";
    }
    const auto scope = context.module.constantValue(type.word(1));
    if (scope != static_cast<uint64_t>(spv::Scope::Subgroup) &&
        scope != static_cast<uint64_t>(spv::Scope::Workgroup)) {
        return "only matrices of scope Subgroup and Workgroup are emulated";
    }
    const std::optional<MatrixDimensions> d = matrixDimensions(context.module, type);
    if (!d) return "Rows, Columns and Use must be constants, from 1 to 65535 and 0 to 2";
    return d->isOfSubgroup() ? std::string_view() : workgroupProblem(context, type, *d);
}

Id typeOfSum(TypeTable& types, const MatrixType& matrix) {
    return matrix.sumForm == SumForm::kHalves ? types.vectorType(matrix.component, 2)
                                              : types.floatType(32);
}

// Removes the 4-bit types, which only matrix types used, as their component types.
void dropFourBits(Module& module, const std::unordered_set<Id>& fourBits) {
    if (fourBits.empty()) return;
    module.forget(module.takeOut(module.section(Section::kGlobals), [&](const Instruction& i) {
        return fourBits.contains(i.result);
    }));
    module.removeCapability(spv::Capability::Int4CooperativeMatrixINTEL);
}

// The types whose components of 4 or 8 bits an invocation holds as words, as they lie in memory,
// until a product reads them. Empty unless products become dot products of four bytes.
std::set<Id> typesInWords(const MatrixUses& uses, const TypeTable& types,
                          const PlannedTarget& target, const LayoutPolicy& policy) {
    if (!target.device.prefersByteDots) return {};
    const Module& module = types.module();
    const auto mayBeWords = [&](const Instruction& type) {
        const std::optional<MatrixDimensions> d = matrixDimensions(module, type);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) return false;
        if (heldBits(types, type.word(0)) != 8) return false;
        if (policy.isHeldApart(type.result)) return false;
        const uint32_t bits = types.width(type.word(0));
        return makeFragment(policy, *d, bits).packWidth == 32 / bits;
    };
    FactorSurvey survey(uses, types, mayBeWords, {.keepsLength = true});
    // A product reads both operands as words, or neither.
    survey.dropUnless([&](const MatrixProduct& product) {
        return survey.bitsOf(product.a) == survey.bitsOf(product.b) &&
               types.width(module.def(product.instruction->type).word(0)) == 32;
    });
    return survey.found();
}

// Of MatrixType::shape: other types with this use have elements elsewhere, or in another order.
uint32_t shapeUse(const MatrixType& matrix) {
    const auto use = static_cast<uint32_t>(matrix.use);
    if (matrix.likeAccumulator) return use | 4u;
    if (!matrix.fragment.map) return use;
    const MappedLanes& map = *matrix.fragment.map;
    return use | 8u | map.rowBlock << 8 | map.columnBlock << 20;
}

// Describes a matrix type, with its packs.
MatrixType describe(const MatrixContext& context, const Instruction& type, bool inWords,
                    bool isOpen) {
    TypeTable& types = context.types;
    MatrixDimensions d = *matrixDimensions(context.module, type);
    MatrixType matrix;
    matrix.id = type.result;
    matrix.component = heldType(types, type.word(0));
    matrix.number = numberOf(types, type.word(0));
    // 4-bit types go.
    matrix.format = matrix.hasFourBits() ? matrix.component : type.word(0);
    matrix.rows = d.rows;
    matrix.columns = d.columns;
    matrix.use = d.use;
    matrix.isInWords = inWords;
    matrix.likeAccumulator = context.policy.likeAccumulators.contains(type.result);
    if (matrix.likeAccumulator) d.use = Use::kAccumulator;
    const uint32_t bits = inWords ? matrix.number->bits : types.width(matrix.component);
    matrix.fragment = fragmentOf(context.policy, type.result, d, bits);
    describePacks(matrix, types);
    // At scope Workgroup, elements are distributed alike whatever the use.
    matrix.shape = {d.rows, d.columns, d.isOfSubgroup() ? shapeUse(matrix) : kAnyUse};
    matrix.hasOpenCount = true;
    if (isOpen) {
        matrix.sumForm = context.target.device.openSums;
        matrix.sumType = typeOfSum(types, matrix);
    }
    return matrix;
}

// Makes tiles the packs of a type.
void divide(MatrixContext& context, MatrixType& matrix, const TileGrid& grid) {
    matrix.tiles = grid;
    matrix.pack = context.tiles.tileType(context.types, matrix.component, grid.rows, grid.columns,
                                         matrix.use);
    matrix.packWidth = matrix.packStep = 1;
    matrix.count = grid.count();
    matrix.shape[2] = kTiles;  // element-wise instructions take no other types along with it
}

// Fills context.matrices, and redefines each matrix type as an array of packs.
void lowerMatrixTypes(MatrixContext& context) {
    Module& module = context.module;
    InstructionList& globals = module.section(Section::kGlobals);
    const MatrixUses uses(module);
    const std::set<Id> inWords = typesInWords(uses, context.types, context.target, context.policy);
    const std::set<Id> open = openAccumulators(uses, context.types, context.target, context.policy);
    std::unordered_set<Id> fourBits;
    for (size_t g = 0; g < globals.size(); ++g) {
        Instruction& type = *globals[g];
        if (!isMatrixType(type) || context.tiles.isTile(type.result) ||
            context.driver.contains(type.result)) {
            continue;
        }
        if (const std::string_view what = problem(context, type); !what.empty()) {
            return context.unsupported(type, what);
        }
        const bool isOpen =
            open.contains(type.result) || context.slices.openSums.contains(type.result);
        MatrixType matrix = describe(context, type, inWords.contains(type.result), isOpen);
        if (matrix.length() > kMostComponentsHeld) {
            context.fail(
                ErrorCode::kUnsupported, type,
                std::format("a {}x{} matrix has {} components in each invocation; the "
                            "limit is {}",
                            matrix.rows, matrix.columns, matrix.length(), kMostComponentsHeld));
            return;
        }
        if (const TileGrid* grid = context.tiles.grid(matrix.id)) divide(context, matrix, *grid);
        if (matrix.hasFourBits()) fourBits.insert(type.word(0));
        context.types.declareArithmetic(matrix.component);
        const Id count = context.types.constantU32(matrix.heldCount());
        type.opcode = OpTypeArray;
        type.operands = {idOperand(matrix.heldType()), idOperand(count)};
        context.matrices.emplace(matrix.id, matrix);
    }
    dropFourBits(module, fourBits);
}

}  // namespace

void describePacks(MatrixType& matrix, TypeTable& types) {
    const Fragment& fragment = matrix.fragment;
    matrix.count = fragment.length();
    matrix.packWidth = fragment.packWidth;
    matrix.packStep = fragment.packAxis == PackAxis::kRows ? fragment.columns.count() : 1;
    matrix.columnLength = fragment.numbersByColumns() ? fragment.rows.count() : 0;
    matrix.pack =
        matrix.isInWords ? types.uint32() : types.vectorType(matrix.component, fragment.packWidth);
}

const MatrixType& typeWith(MatrixContext& context, const MatrixType& from, Id format,
                           const Number& number) {
    TypeTable& types = context.types;
    const Id component = heldType(types, format);
    for (const auto& [id, known] : context.matrices) {
        if (known.use == from.use && known.component == component && known.number == &number &&
            known.rows == from.rows && known.columns == from.columns &&
            known.fragment.scope == from.fragment.scope && !known.fragment.run &&
            !known.isInWords && !known.tiles && known.likeAccumulator == from.likeAccumulator &&
            known.fragment.map == from.fragment.map) {
            return known;
        }
    }
    MatrixType made = from;
    made.component = component;
    made.number = &number;
    made.format = format;
    const Use use = from.likeAccumulator ? Use::kAccumulator : from.use;
    const uint32_t bits = types.width(component);
    made.fragment = from.fragment.map
                        ? makeMappedFragment(*from.fragment.map, from.rows, from.columns, bits)
                        : makeFragment(context.policy,
                                       {from.rows, from.columns, use, from.fragment.scope}, bits);
    made.isInWords = false;
    made.sumForm = SumForm::kClosed;
    describePacks(made, types);
    // A new type in any case: an equal array may be that of other matrices.
    const Id packs = types.constantU32(made.fragment.packs());
    made.id = types.newType(OpTypeArray, {idOperand(made.pack), idOperand(packs)});
    return context.matrices.emplace(made.id, made).first->second;
}

namespace {

using MatrixFunction = FunctionLowering<MatrixContext, MatrixWriter>;

// OpCooperativeMatrixLengthKHR: a constant, or of tiles the driver's length times their number.
void lowerLength(MatrixFunction& f, const Instruction& length) {
    const MatrixType* matrix = f.context.matrix(length.word(0));
    if (matrix == nullptr) return f.context.invalid(length, "Type is not a cooperative matrix");
    if (matrix->tiles) {
        const Id one = f.emit().op(OpCooperativeMatrixLengthKHR, length.type, {matrix->pack});
        const Id count = f.context.types.constant(length.type, matrix->count);
        f.emit().op(OpIMul, length.type, {one, count}, length.result);
        return;
    }
    f.context.module.append(
        Section::kGlobals,
        makeInstruction(OpConstant, length.type, length.result, {literal(matrix->length())}));
}

bool lowerRemainder(MatrixContext& context, Emitter& emit, const Instruction& i) {
    const MatrixType* matrix = context.matrix(i.type);
    if (matrix != nullptr && matrix->tiles) {
        return context.fail(ErrorCode::kUnsupported, i,
                            "the driver's matrices have no remainders of divisions");
    }
    return lowerElementWise(context, emit, i);
}

void lowerTensorSetting(MatrixContext& context, Emitter& emit, const Instruction& i) {
    lowerTensorValue(context, context.tensors, emit, i);
}

// Removes the extensions whose instructions are lowered, and their capabilities.
void dropDeclarations(const MatrixContext& context) {
    using enum spv::Capability;
    Module& module = context.module;
    for (const spv::Capability capability :
         {TensorAddressingNV, CooperativeMatrixTensorAddressingNV, CooperativeMatrixBlockLoadsNV,
          CooperativeMatrixDecodeVectorNV, CooperativeMatrixConversionQCOM}) {
        module.removeCapability(capability);
    }
    for (const char* extension :
         {"SPV_NV_tensor_addressing", "SPV_NV_cooperative_matrix_decode_vector",
          "SPV_QCOM_cooperative_matrix_conversion"}) {
        module.removeExtension(extension);
    }
    // The formats stay; other passes lower them.
    const bool hasTiles = context.tiles.hasTiles() || !context.driver.empty();
    const bool hasBFloat16Tiles =
        hasTiles && !context.target.emulated.contains(Extension::kKhrShaderBfloat16);
    for (const auto& [ofMatrices, ofType, stays] :
         {std::tuple(Float8CooperativeMatrixEXT, Float8EXT, false),
          std::tuple(BFloat16CooperativeMatrixKHR, BFloat16TypeKHR, hasBFloat16Tiles)}) {
        if (stays || !module.hasCapability(ofMatrices)) continue;
        module.removeCapability(ofMatrices);
        module.addCapability(ofType);
    }
    if (hasTiles) return;
    module.removeCapability(CooperativeMatrixKHR);
    module.removeExtension("SPV_KHR_cooperative_matrix");
}

OpcodeTable<MatrixFunction> matrixTable() {
    OpcodeTable<MatrixFunction> table;
    table.add<lowerMatrixLoad>({OpCooperativeMatrixLoadKHR});
    table.add<lowerMatrixStore>({OpCooperativeMatrixStoreKHR});
    table.add<lowerTensorLoad>({OpCooperativeMatrixLoadTensorNV});
    table.add<lowerLoadCondition>({OpUndef});
    table.add<lowerTensorStore>({OpCooperativeMatrixStoreTensorNV});
    table.add<lowerTensorSetting>(kTensorValues);
    table.add<lowerMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<lowerProductEnd>({OpCopyObject});
    table.add<lowerLength>({OpCooperativeMatrixLengthKHR});
    table.add<lowerRoleConversion>({OpCooperativeMatrixConvertNV});
    table.add<lowerTransposition>({OpCooperativeMatrixTransposeNV});
    table.add<lowerReduction>({OpCooperativeMatrixReduceNV});
    table.add<lowerPerElement>({OpCooperativeMatrixPerElementOpNV});
    table.add<lowerGetCoordinate>({OpCooperativeMatrixGetCoordinateEXT});
    table.add<lowerConstructFromRows>({OpCompositeConstructCoopMatQCOM});
    table.add<lowerExtractRows>({OpCompositeExtractCoopMatQCOM});
    table.add<lowerBitCastArray>({OpBitCastArrayQCOM});
    table.add<lowerExtractSubArray>({OpExtractSubArrayQCOM});
    table.add<lowerSumAccess>({OpLoad, OpStore});
    addPackedComposites(table);
    table.add<lowerMatrixIndices>({OpCompositeExtract, OpCompositeInsert});
    table.add<lowerMatrixChain>(kTypedChains);
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerRemainder>(kRemainders);
    table.add<lowerElementWise>({OpMatrixTimesScalar, OpSelect});
    table.add<lowerConversion>(kConversions);
    return table;
}

// Lowers callbacks first: where a load copies its decode function, the copy is not lowered again.
void lowerFunctions(MatrixContext& context, const std::unordered_set<Id>& callbacks) {
    const OpcodeTable<MatrixFunction> table = matrixTable();
    for (const bool isCallback : {true, false}) {
        for (const auto& function : context.module.functions()) {
            if (callbacks.contains(function->id()) != isCallback) continue;
            if (context.error) return;
            MatrixFunction lowering(context, *function);
            table.lower(lowering, *function);
        }
    }
    for (auto& function : std::exchange(context.sharedLoads.waiting, {})) {
        if (context.error) return;
        MatrixFunction lowering(context, *function);
        table.lower(lowering, *function);
        context.newFunctions.push_back(std::move(function));
    }
}

bool hasMatrixLoads(const Module& module) {
    bool has = false;
    module.visitBlocks(
        [&](const Instruction& i) { has |= i.opcode == OpCooperativeMatrixLoadKHR; });
    return has;
}

}  // namespace

bool MatrixContext::isOfOthers(const Instruction& i) const {
    if (driver.empty() ||
        isOneOf(i.opcode, {OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV})) {
        return false;
    }
    const auto isDriver = [&](const Operand& o) {
        return o.isId && (driver.contains(o.word) || driver.contains(module.def(o.word).type));
    };
    return driver.contains(i.type) || std::ranges::any_of(i.operands, isDriver);
}

std::optional<Error> lowerMatrices(MatrixContext& context) {
    Module& module = context.module;
    const bool hasTiles = context.tiles.hasTiles();
    const DevicePlan& device = context.target.device;
    if (!hasTiles) shareTensorAccesses(context.types, device.prefersShortCode);
    lowerMatrixTypes(context);
    if (!hasTiles) forwardTensorValues(module);
    context.tensors = lowerTensorTypes(context);
    const std::unordered_set<Id> callbacks = callbacksOf(context);
    if (context.error) return context.error;
    lowerMatrixConstants(context);
    if (!hasTiles) findStoredConversions(context);
    if (!hasTiles && !device.prefersShortCode) findSharedLoads(context);
    if (hasTiles) {
        context.openedProducts = prefetchTensorLoads(context.types, context.tensors);
    }
    if (!context.tensors.layouts.empty()) context.followedLoads = gatherTensorLoads(module);
    if (hasTiles) {
        context.loadVersions = duplicateLoads(context.types, context.followedLoads);
    }
    if (device.bitsLoadedInWords != 0 && hasMatrixLoads(module)) context.multiples.emplace(module);
    lowerFunctions(context, callbacks);
    if (context.error) return context.error;
    tellElements(context);
    std::unordered_set<Id> stored;  // nothing defines them any more
    for (const auto& conversion : context.storedConversions) stored.insert(conversion.first);
    module.forget(stored);
    context.dropValueDecorations();
    module.removeDecorations([](const Instruction& i) {
        return decorates(i, spv::Decoration::CooperativeMatrixTransposeEXT);
    });
    declareWorkgroupMemory(context);
    context.addNewFunctions();
    dropDeclarations(context);
    return context.error;
}

bool canReduceInSubgroups(const Module& module, const PlannedTarget& target) {
    const uint32_t width = localSize(module)[0];
    if (width == 0 || width % target.subgroupSize != 0 || !target.device.subgroupShuffle) {
        return false;
    }
    bool reduces = false;
    module.visitBlocks(
        [&](const Instruction& i) { reduces |= i.opcode == OpCooperativeMatrixReduceNV; });
    return reduces;
}

}  // namespace coopvk::rewrite
