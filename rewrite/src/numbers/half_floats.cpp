// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include <unordered_set>

#include "ir/arithmetic_decorations.hpp"
#include "ir/composites.hpp"
#include "ir/control_flow.hpp"
#include "ir/opcodes.hpp"
#include "lowering/half_bits.hpp"
#include "lowering/words.hpp"
#include "numbers/conversions.hpp"

namespace coopvk::rewrite {

namespace {

struct Member {
    Id structure = 0;
    uint32_t index = 0;
    uint32_t stride = 0;
    Id matrix = 0;
};

// The members with a MatrixStride that are matrices of half floats, or arrays of them.
std::vector<Member> findMembers(const NumbersContext& context) {
    const Module& module = context.module;
    std::map<Id, Id> matrixOf;  // by type: a matrix or an array of them
    for (const auto& [id, matrix] : context.matrices) matrixOf[id] = id;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto element = matrixOf.find(isArrayType(i->opcode) ? i->word(0) : 0);
        if (element != matrixOf.end()) matrixOf[i->result] = element->second;
    }
    std::vector<Member> members;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (!decoratesMember(*i, spv::Decoration::MatrixStride)) continue;
        const auto found = matrixOf.find(module.def(i->word(0)).word(i->word(1)));
        if (found == matrixOf.end()) continue;
        members.push_back({i->word(0), i->word(1), i->word(3), found->second});
    }
    return members;
}

// The array in memory; nullopt if the type has one with another stride already.
std::optional<Id> inMemory(NumbersContext& context, const Member& member) {
    Module& module = context.module;
    const auto [entry, isNew] = context.matricesInMemory.try_emplace(member.matrix);
    Id& array = entry->second;
    if (!isNew) {
        const auto stride = module.decoration(array, spv::Decoration::ArrayStride);
        return stride == member.stride ? std::optional(array) : std::nullopt;
    }
    const PlainMatrix& matrix = context.matrices.at(member.matrix);
    const Id length = context.types.constantU32(matrix.columns);
    array = context.types.newType(OpTypeArray, {idOperand(matrix.column), idOperand(length)});
    module.decorate(array, spv::Decoration::ArrayStride, {member.stride});
    return array;
}

// Puts the array into the member's type.
void retype(Module& module, const Member& member, Id array) {
    Instruction* holder = module.edit(member.structure);
    size_t operand = member.index;
    while (holder->word(operand) != member.matrix && holder->word(operand) != array) {
        holder = module.edit(holder->word(operand));
        operand = 0;
    }
    holder->operands[operand].word = array;
}

bool isOfMatrices(const Instruction& i) {
    return decoratesMember(i, spv::Decoration::MatrixStride) ||
           decoratesMember(i, spv::Decoration::ColMajor);
}

// Pointers to memory that each invocation or workgroup has for itself lead to no layout.
bool leadsToLayout(const Instruction& pointer) {
    return pointer.opcode == OpTypePointer &&
           isOneOf(storageOf(pointer),
                   {spv::StorageClass::StorageBuffer, spv::StorageClass::PhysicalStorageBuffer,
                    spv::StorageClass::Uniform, spv::StorageClass::PushConstant,
                    spv::StorageClass::ShaderRecordBufferKHR});
}

Id columnsAs(Emitter& emit, const PlainMatrix& matrix, Id value, Id type,
             std::optional<Id> result = {}) {
    std::vector<Id> columns;
    for (uint32_t c = 0; c < matrix.columns; ++c) {
        columns.push_back(emit.extract(matrix.column, value, {c}));
    }
    return emit.construct(type, columns, result);
}

// Whether `held` is the array in memory of the matrix `type`.
bool isArrayOf(const NumbersContext& context, Id held, Id type) {
    const auto found = context.matricesInMemory.find(type);
    return found != context.matricesInMemory.end() && found->second == held;
}

bool lowerLoad(NumbersContext& context, Emitter& emit, const Instruction& i) {
    const Id array = context.module.pointee(i.word(0));
    if (!isArrayOf(context, array, i.type)) return false;
    const Id value = emit.op(OpLoad, array, i.operands);
    columnsAs(emit, context.matrices.at(i.type), value, i.type, i.result);
    return true;
}

bool lowerStore(NumbersContext& context, Emitter& emit, Instruction& i) {
    const Id type = emit.typeOf(i.word(1));
    const Id array = context.module.pointee(i.word(0));
    if (!isArrayOf(context, array, type)) return false;
    i.operands[1].word = columnsAs(emit, context.matrices.at(type), i.word(1), array);
    return false;
}

bool lowerExtract(NumbersContext& context, Emitter& emit, const Instruction& i) {
    if (!context.matricesInMemory.contains(i.type)) return false;
    Id held = emit.typeOf(i.word(0));
    for (size_t o = 1; o < i.operands.size(); ++o) {
        held = memberType(context.module, held, i.word(o));
    }
    if (!isArrayOf(context, held, i.type)) return false;
    const Id value = emit.op(OpCompositeExtract, held, i.operands);
    columnsAs(emit, context.matrices.at(i.type), value, i.type, i.result);
    return true;
}

bool refuseConstruct(NumbersContext& context, Emitter&, const Instruction& i) {
    const Instruction& type = context.module.def(i.type);
    for (const auto& [matrix, array] : context.matricesInMemory) {
        for (const Operand& operand : type.operands) {
            if (operand.isId && operand.word == array) {
                return context.fail(ErrorCode::kUnsupported, i,
                                    "constructs a structure with a layout and a matrix of half "
                                    "floats, which are emulated");
            }
        }
    }
    return false;
}

}  // namespace

void layOutHalfMatrices(NumbersContext& context) {
    if (context.matrices.empty()) return;
    Module& module = context.module;
    const std::vector<Member> members = findMembers(context);
    for (const Member& member : members) {
        const bool isRowMajor =
            module.memberDecoration(member.structure, member.index, spv::Decoration::RowMajor)
                .has_value();
        const std::optional<Id> array = isRowMajor ? std::nullopt : inMemory(context, member);
        if (!array) {
            return context.unsupported(
                module.def(member.structure),
                "a matrix of half floats, which are emulated, is row-major or has several "
                "strides");
        }
        retype(module, member, *array);
        module.removeDecorationsOf(member.structure, [&](const Instruction& i) {
            return isOfMatrices(i) && i.word(1) == member.index;
        });
    }
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto found = context.matricesInMemory.find(leadsToLayout(*i) ? i->word(1) : 0);
        if (found != context.matricesInMemory.end()) i->operands[1].word = found->second;
    }
}

void addHalfMatrixAccess(OpcodeTable<NumbersFunction>& table) {
    table.add<lowerLoad>({OpLoad});
    table.add<lowerStore>({OpStore});
    table.add<lowerExtract>({OpCompositeExtract});
    table.add<refuseConstruct>({OpCompositeConstruct, OpCompositeInsert});
}

namespace {

class HalfRounding {
 public:
    explicit HalfRounding(TypeTable& types) : types_(types), module_(types.module()) {}

    void run() {
        for (const auto& function : module_.functions()) {
            replaceInBlocks(types_, *function,
                            [&](Emitter& emit, const Instruction& i) { return lower(emit, i); });
        }
        for (auto& function : added_) module_.functions().push_back(std::move(function));
        // Calls may not have these decorations.
        module_.removeDecorations([&](const Instruction& i) {
            return decoratesArithmetic(i) && replaced_.contains(i.word(0));
        });
    }

 private:
    bool lower(Emitter& emit, const Instruction& i) {
        if (i.opcode != OpFConvert) return false;
        const uint32_t components = types_.components(i.type);
        if (components == 0 || !types_.isHalf(types_.scalarOf(i.type))) return false;
        const Id from = types_.vectorType(types_.floatType(32), components);
        const bool truncates = module_.decoration(i.result, spv::Decoration::FPRoundingMode) ==
                               static_cast<uint32_t>(spv::FPRoundingMode::RTZ);
        if (components > 4 || truncates || emit.typeOf(i.word(0)) != from) return false;
        const Id value = i.word(0);
        emit.call(i.type, functionFor(components), std::span(&value, 1), i.result);
        replaced_.insert(i.result);
        return true;
    }

    Id functionFor(uint32_t components) {
        Id& function = functions_[components - 1];
        if (function != 0) return function;
        return function = halfFunction(types_, added_, components, Rounding::kNearestEven);
    }

    TypeTable& types_;
    Module& module_;
    FunctionList added_;
    Id functions_[4] = {};  // by components - 1
    std::unordered_set<Id> replaced_;
};

}  // namespace

void roundHalvesInIntegers(TypeTable& types) {
    if (halfRounding(types.module()) == Rounding::kNearestEven) HalfRounding(types).run();
}

bool lowerByHalves(NumbersContext& context, Emitter& emit, const Instruction& i) {
    TypeTable& types = context.types;
    const Number* number = context.format(i.type);
    const Id from = context.module.def(i.word(0)).type;
    const bool isAsked = i.opcode == OpFConvert && number != nullptr && types.isHalf(from) &&
                         context.format(from) == nullptr && types.components(from) > 1;
    if (!isAsked || !roundsHalvesFast(context.target.device) ||
        !canRoundHalves(context.module, *number)) {
        return false;
    }
    const Id f16 = types.scalarOf(from), u8 = types.intType(8, false);
    types.declareArithmetic(f16);
    const Id pair = types.vectorType(f16, 2);
    std::vector<Id> halves = emit.parts(i.word(0)), bytes;
    const size_t count = halves.size();
    if (count % 2 != 0) halves.push_back(types.constantNull(f16));
    for (size_t first = 0; first < count; first += 2) {
        const Id two = emit.construct(pair, std::span<const Id>(halves).subspan(first, 2));
        const Id word = roundedBytes(emit, *number, two, context.isSaturated(i.result));
        const Id four = emit.bitcast(types.vectorType(u8, 4), word);
        for (const uint32_t at : {0u, 2u}) bytes.push_back(emit.extract(u8, four, {at}));
    }
    bytes.resize(count);
    defineResult(context, emit, i,
                 emit.join(types.vectorType(u8, static_cast<uint32_t>(count)), bytes));
    return true;
}

namespace {

// Instructions that are the same on f32. Their results are rounded if they are half floats.
constexpr spv::Op kSameOnF32[] = {
    // Arithmetic; OpDot and OpFNegate are not here.
    OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod, OpVectorTimesScalar, OpMatrixTimesScalar,
    OpVectorTimesMatrix, OpMatrixTimesVector, OpMatrixTimesMatrix, OpOuterProduct, OpTranspose,
    // Comparisons.
    OpIsNan, OpIsInf, OpFOrdEqual, OpFUnordEqual, OpFOrdNotEqual, OpFUnordNotEqual, OpFOrdLessThan,
    OpFUnordLessThan, OpFOrdGreaterThan, OpFUnordGreaterThan, OpFOrdLessThanEqual,
    OpFUnordLessThanEqual, OpFOrdGreaterThanEqual, OpFUnordGreaterThanEqual,
    // Derivatives.
    OpDPdx, OpDPdy, OpFwidth, OpDPdxFine, OpDPdyFine, OpFwidthFine, OpDPdxCoarse, OpDPdyCoarse,
    OpFwidthCoarse,
    // Subgroups. The order of reductions is the device's, and so is when they round.
    OpGroupNonUniformAllEqual, OpSubgroupAllEqualKHR, OpGroupNonUniformPartitionEXT,
    OpGroupNonUniformFAdd, OpGroupNonUniformFMul, OpGroupNonUniformFMin, OpGroupNonUniformFMax};

constexpr spv::Op kMoved[] = {
    OpGroupNonUniformBroadcast,     OpGroupNonUniformBroadcastFirst, OpGroupNonUniformShuffle,
    OpGroupNonUniformShuffleXor,    OpGroupNonUniformShuffleUp,      OpGroupNonUniformShuffleDown,
    OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap,       OpGroupNonUniformRotateKHR,
    OpSubgroupReadInvocationKHR,    OpSubgroupFirstInvocationKHR};

bool hasHalves(const NumbersContext& context, const HalfCode& code, const Instruction& i) {
    return code.isHalf(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && code.isHalf(context.module.def(operand.word).type);
           });
}

bool negateHalf(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (!code.isHalf(i.type)) return false;
    defineResult(context, emit, i, U32(emit, i.word(0), code.integers(i.type)) ^ 0x8000);
    return true;
}

}  // namespace

bool lowerHalfArithmetic(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (!hasHalves(context, code, i)) return false;
    Operands operands = i.operands;
    for (Operand& operand : operands) {
        if (operand.isId) operand.word = code.decode(operand.word);
    }
    if (!code.isHalf(i.type)) {
        emit.op(i.opcode, i.type, std::move(operands), i.result);
        return true;
    }
    const Id value = emit.op(i.opcode, code.f32Type(i.type), std::move(operands));
    ArithmeticDecorations(context.module, i.result).addTo(value);
    defineResult(context, emit, i, code.encode(i.type, value));
    return true;
}

bool movesHalves(spv::Op opcode) { return std::ranges::find(kMoved, opcode) != std::end(kMoved); }

void addHalfArithmetic(OpcodeTable<NumbersFunction>& table) {
    table.add<lowerHalfArithmetic>(kSameOnF32);
    table.add<negateHalf>({OpFNegate});
    table.add<lowerHalfGlsl>({OpExtInst});
}

namespace {

// Modes of 16 bits that emulated halves need not have: the layer does not offer them.
constexpr std::pair<spv::ExecutionMode, spv::Capability> kHalfModes[] = {
    {spv::ExecutionMode::DenormPreserve, spv::Capability::DenormPreserve},
    {spv::ExecutionMode::DenormFlushToZero, spv::Capability::DenormFlushToZero},
    {spv::ExecutionMode::RoundingModeRTE, spv::Capability::RoundingModeRTE},
    {spv::ExecutionMode::RoundingModeRTZ, spv::Capability::RoundingModeRTZ}};

bool isMode(const Instruction& i, spv::ExecutionMode mode) {
    return i.opcode == OpExecutionMode && i.word(1) == static_cast<uint32_t>(mode);
}

// Halves keep signed zeros, infinities and NaN if f32 does.
void preserveInSingles(InstructionList& modes) {
    const auto hasWidth = [](const InstructionPtr& i, uint32_t width) {
        return isMode(*i, spv::ExecutionMode::SignedZeroInfNanPreserve) && i->word(2) == width;
    };
    std::vector<Id> done;  // entry points
    for (const InstructionPtr& i : modes)
        if (hasWidth(i, 32)) done.push_back(i->word(0));
    for (const InstructionPtr& i : modes) {
        if (!hasWidth(i, 16) || std::ranges::find(done, i->word(0)) != done.end()) continue;
        i->operands[2].word = 32;
        done.push_back(i->word(0));
    }
    std::erase_if(modes, [&](const InstructionPtr& i) { return hasWidth(i, 16); });
}

}  // namespace

void lowerHalfModes(Module& module) {
    InstructionList& modes = module.section(Section::kExecutionModes);
    for (const auto& [mode, capability] : kHalfModes) {
        const auto isOfMode = [mode](const InstructionPtr& i) { return isMode(*i, mode); };
        const auto isOfHalves = [&](const InstructionPtr& i) {
            return isOfMode(i) && i->word(2) == 16;
        };
        if (std::erase_if(modes, isOfHalves) != 0 && std::ranges::none_of(modes, isOfMode)) {
            module.removeCapability(capability);
        }
    }
    preserveInSingles(modes);
}

namespace {

enum class GlslKind {
    kComputed,  // the same on f32
    kBits,      // of the sign
    kStruct,    // a structure as result
    kPointer,   // its second result goes through a pointer
};

struct GlslRow {
    GLSLstd450 instruction;
    GlslKind kind = GlslKind::kComputed;
    GLSLstd450 asStruct = GLSLstd450Bad;  // for kPointer: the same with a structure as result
};

// The instructions that may take 16-bit floats (GLSL.std.450, "Extended Instructions"), but for
// interpolations: inputs are no half floats.
constexpr GlslRow kGlslRows[] = {{GLSLstd450Round},
                                 {GLSLstd450RoundEven},
                                 {GLSLstd450Trunc},
                                 {GLSLstd450FAbs, GlslKind::kBits},
                                 {GLSLstd450FSign},
                                 {GLSLstd450Floor},
                                 {GLSLstd450Ceil},
                                 {GLSLstd450Fract},
                                 {GLSLstd450Radians},
                                 {GLSLstd450Degrees},
                                 {GLSLstd450Sin},
                                 {GLSLstd450Cos},
                                 {GLSLstd450Tan},
                                 {GLSLstd450Asin},
                                 {GLSLstd450Acos},
                                 {GLSLstd450Atan},
                                 {GLSLstd450Sinh},
                                 {GLSLstd450Cosh},
                                 {GLSLstd450Tanh},
                                 {GLSLstd450Asinh},
                                 {GLSLstd450Acosh},
                                 {GLSLstd450Atanh},
                                 {GLSLstd450Atan2},
                                 {GLSLstd450Pow},
                                 {GLSLstd450Exp},
                                 {GLSLstd450Log},
                                 {GLSLstd450Exp2},
                                 {GLSLstd450Log2},
                                 {GLSLstd450Sqrt},
                                 {GLSLstd450InverseSqrt},
                                 {GLSLstd450Determinant},
                                 {GLSLstd450MatrixInverse},
                                 {GLSLstd450Modf, GlslKind::kPointer, GLSLstd450ModfStruct},
                                 {GLSLstd450ModfStruct, GlslKind::kStruct},
                                 {GLSLstd450FMin},
                                 {GLSLstd450FMax},
                                 {GLSLstd450FClamp},
                                 {GLSLstd450FMix},
                                 {GLSLstd450Step},
                                 {GLSLstd450SmoothStep},
                                 {GLSLstd450Fma},
                                 {GLSLstd450Frexp, GlslKind::kPointer, GLSLstd450FrexpStruct},
                                 {GLSLstd450FrexpStruct, GlslKind::kStruct},
                                 {GLSLstd450Ldexp},
                                 {GLSLstd450Length},
                                 {GLSLstd450Distance},
                                 {GLSLstd450Cross},
                                 {GLSLstd450Normalize},
                                 {GLSLstd450FaceForward},
                                 {GLSLstd450Reflect},
                                 {GLSLstd450Refract},
                                 {GLSLstd450NMin},
                                 {GLSLstd450NMax},
                                 {GLSLstd450NClamp}};

const GlslRow* findRow(uint32_t instruction) {
    const auto found = std::ranges::find(kGlslRows, instruction, [](const GlslRow& row) {
        return static_cast<uint32_t>(row.instruction);
    });
    return found == std::end(kGlslRows) ? nullptr : found;
}

// The operands in f32, without a pointer behind them.
Operands decoded(HalfCode& code, const Instruction& i, size_t count) {
    Operands operands(i.operands.begin(), i.operands.begin() + static_cast<ptrdiff_t>(count));
    for (size_t o = 2; o < operands.size(); ++o) operands[o].word = code.decode(operands[o].word);
    return operands;
}

// The two results of ModfStruct or FrexpStruct on f32, of the types of `members`.
std::array<Id, 2> both(NumbersContext& context, Emitter& emit, Operands operands,
                       const std::array<Id, 2>& members) {
    HalfCode code(context, emit);
    const Id types[] = {code.f32Type(members[0]), code.f32Type(members[1])};
    const Id pair = emit.op(OpExtInst, context.types.structType(types), std::move(operands));
    return {code.encode(members[0], emit.extract(types[0], pair, {0})),
            code.encode(members[1], emit.extract(types[1], pair, {1}))};
}

void lowerPointer(NumbersContext& context, Emitter& emit, const Instruction& i,
                  const GlslRow& row) {
    HalfCode code(context, emit);
    const Id pointer = i.word(3);
    const std::array<Id, 2> members = {i.type, context.module.pointee(pointer)};
    if (i.operands.size() != 4 || members[1] == 0) {
        return context.unsupported(i, "its second result needs a typed pointer");
    }
    Operands operands = decoded(code, i, 3);
    operands[1] = literal(row.asStruct);
    const auto [result, second] = both(context, emit, std::move(operands), members);
    emit.store(pointer, second);
    defineResult(context, emit, i, result);
}

void lowerStruct(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    const Instruction& type = context.module.def(i.type);
    const auto members =
        both(context, emit, decoded(code, i, i.operands.size()), {type.word(0), type.word(1)});
    emit.construct(i.type, members, i.result);
    context.replaced.insert(i.result);
}

void lowerComputed(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    const Id value = emit.op(OpExtInst, code.f32Type(i.type), decoded(code, i, i.operands.size()));
    ArithmeticDecorations(context.module, i.result).addTo(value);
    defineResult(context, emit, i, code.encode(i.type, value));
}

}  // namespace

bool lowerHalfGlsl(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (!code.isHalf(emit.typeOf(i.word(2))) ||
        stringFromOperands(context.module.def(i.word(0)), 0) != "GLSL.std.450") {
        return false;
    }
    const GlslRow* row = findRow(i.word(1));
    if (row == nullptr) return false;
    switch (row->kind) {
        case GlslKind::kPointer:
            lowerPointer(context, emit, i, *row);
            break;
        case GlslKind::kStruct:
            lowerStruct(context, emit, i);
            break;
        case GlslKind::kBits:
            defineResult(context, emit, i, U32(emit, i.word(2), code.integers(i.type)) & 0x7FFF);
            break;
        case GlslKind::kComputed:
            lowerComputed(context, emit, i);
            break;
    }
    return true;
}

}  // namespace coopvk::rewrite
