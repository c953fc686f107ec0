// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/words.hpp"
#include "numbers/half_code.hpp"

namespace coopvk::rewrite {

namespace {

enum class Kind {
    kComputed,  // the same on f32
    kBits,      // of the sign
    kStruct,    // a structure as result
    kPointer,   // its second result goes through a pointer
};

struct Row {
    GLSLstd450 instruction;
    Kind kind = Kind::kComputed;
    GLSLstd450 asStruct = GLSLstd450Bad;  // for kPointer: the same with a structure as result
};

// The instructions that may take 16-bit floats (GLSL.std.450, "Extended Instructions"), but for
// interpolations: inputs are no half floats.
constexpr Row kRows[] = {{GLSLstd450Round},
                         {GLSLstd450RoundEven},
                         {GLSLstd450Trunc},
                         {GLSLstd450FAbs, Kind::kBits},
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
                         {GLSLstd450Modf, Kind::kPointer, GLSLstd450ModfStruct},
                         {GLSLstd450ModfStruct, Kind::kStruct},
                         {GLSLstd450FMin},
                         {GLSLstd450FMax},
                         {GLSLstd450FClamp},
                         {GLSLstd450FMix},
                         {GLSLstd450Step},
                         {GLSLstd450SmoothStep},
                         {GLSLstd450Fma},
                         {GLSLstd450Frexp, Kind::kPointer, GLSLstd450FrexpStruct},
                         {GLSLstd450FrexpStruct, Kind::kStruct},
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

const Row* findRow(uint32_t instruction) {
    const auto found = std::ranges::find(
        kRows, instruction, [](const Row& row) { return static_cast<uint32_t>(row.instruction); });
    return found == std::end(kRows) ? nullptr : found;
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
    const Id pair =
        emit.op(spv::Op::OpExtInst, context.types.structType(types), std::move(operands));
    return {code.encode(members[0], emit.extract(types[0], pair, {0})),
            code.encode(members[1], emit.extract(types[1], pair, {1}))};
}

void lowerPointer(NumbersContext& context, Emitter& emit, const Instruction& i, const Row& row) {
    HalfCode code(context, emit);
    const Id pointer = i.word(3);
    const std::array<Id, 2> members = {i.type, context.module.pointee(pointer)};
    if (i.operands.size() != 4 || members[1] == 0) {
        context.fail(ErrorCode::kUnsupported, i, "its second result needs a typed pointer");
        return;
    }
    Operands operands = decoded(code, i, 3);
    operands[1] = literal(row.asStruct);
    const auto [result, second] = both(context, emit, std::move(operands), members);
    emit.store(pointer, second);
    finish(context, emit, i, result);
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
    const Id value =
        emit.op(spv::Op::OpExtInst, code.f32Type(i.type), decoded(code, i, i.operands.size()));
    ArithmeticDecorations(context.module, i.result).addTo(value);
    finish(context, emit, i, code.encode(i.type, value));
}

}  // namespace

bool lowerHalfGlsl(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (i.operands.size() < 3 || !code.isHalf(emit.typeOf(i.word(2))) ||
        stringFromOperands(context.module.def(i.word(0)), 0) != "GLSL.std.450") {
        return false;
    }
    const Row* row = findRow(i.word(1));
    if (row == nullptr) return false;
    switch (row->kind) {
        case Kind::kPointer:
            lowerPointer(context, emit, i, *row);
            break;
        case Kind::kStruct:
            lowerStruct(context, emit, i);
            break;
        case Kind::kBits:
            finish(context, emit, i, Bits(emit, code.integers(i.type)).mask(i.word(2), 0x7FFF));
            break;
        case Kind::kComputed:
            lowerComputed(context, emit, i);
            break;
    }
    return true;
}

}  // namespace coopvk::rewrite
