// SPDX-License-Identifier: Apache-2.0
//
// Composites with long vectors in them, and long vectors made of parts.
#include "ir/composites.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/arithmetic_decorations.hpp"
#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"
#include "longvector/function.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

namespace {

// The type that the indices of OpCompositeExtract or OpCompositeInsert select.
Id selectedType(const Module& module, Id type, std::span<const Operand> indices) {
    for (const Operand& index : indices) type = memberType(module, type, index.word);
    return type;
}

}  // namespace

std::vector<Id> LongVectorFunction::componentsOf(Id value) {
    if (context_.vectorOfValue(value) == nullptr) return emit().parts(value);
    return values_.components(value);
}

void LongVectorFunction::lowerExtract(const Instruction& i) {
    const LongVector* vector = context_.vectorOfValue(i.word(0));
    if (vector != nullptr) {
        if (group_.has(i.word(0)) && !group_.isShort()) group_.flush();
        const Id part = component(i.word(0), values_.index(i.word(1)));
        emit().op(OpCopyObject, i.type, {part}, i.result);
        return;
    }
    group_.flush();
    if (const auto pair = pairs_.find(i.word(0)); pair != pairs_.end()) {
        const Id variable = pair->second[i.word(1)];
        values_.setVariable(i.result, variable);
        slots_.pass(variable, i.result);
        return;
    }
    const Id type =
        selectedType(module_, emit().typeOf(i.word(0)), std::span(i.operands).subspan(1));
    values_.defineByWhole(i.result, emit().op(OpCompositeExtract, type, Operands(i.operands)));
}

void LongVectorFunction::lowerDynamicExtract(const Instruction& i) {
    const std::optional<uint64_t> known = module_.constantValue(i.word(1));
    const bool isAlone = group_.isShort() && !group_.readsOtherLanes();
    if (group_.has(i.word(0)) && !isAlone) group_.flush();
    const LongVector& vector = *context_.vectorOfValue(i.word(0));
    ComponentIndex at = {i.word(1), std::nullopt};
    if (known) at = values_.index(static_cast<uint32_t>(*known % vector.count));
    emit().op(OpCopyObject, i.type, {component(i.word(0), at)}, i.result);
}

// A value that nothing else needs gives its variable to the result.
void LongVectorFunction::insertAt(const Instruction& i, Id composite, Id object,
                                  ComponentIndex at) {
    const LongVector& vector = *context_.vector(i.type);
    if (vector.isCooperative) {
        emit().op(OpVectorInsertDynamic, i.type, {composite, object, at.id}, i.result);
        return;
    }
    const bool isLast =
        liveness_.uses(composite) == 1 && isFromHere(composite) && values_.owns(composite);
    if (isLast && !values_.isPlaced(i.result)) {
        values_.passVariable(composite, i.result);
    } else {
        values_.copy(composite, values_.newVariableFor(i.result));
    }
    values_.store(i.result, at, object);
}

void LongVectorFunction::lowerInsert(const Instruction& i) {
    if (context_.vector(i.type) != nullptr) {
        return insertAt(i, i.word(1), i.word(0), values_.index(i.word(2)));
    }
    const Id type = selectedType(module_, i.type, std::span(i.operands).subspan(2));
    Operands operands = i.operands;
    operands[0].word = values_.whole(i.word(0), type);
    emit().op(i.opcode, i.type, std::move(operands), i.result);
}

void LongVectorFunction::lowerDynamicInsert(const Instruction& i) {
    insertAt(i, i.word(0), i.word(1), {i.word(2), std::nullopt});
}

void LongVectorFunction::lowerConstruct(const Instruction& i) {
    const LongVector* vector = context_.vector(i.type);
    if (vector == nullptr) {
        const bool isCoreVector = module_.def(i.type).opcode == OpTypeVector;
        std::vector<Id> constituents;
        for (size_t m = 0; m < i.operands.size(); ++m) {
            const Id value = i.word(m);
            if (context_.vectorOfValue(value) == nullptr) {
                constituents.push_back(value);
            } else if (isCoreVector) {
                for (const Id part : values_.components(value)) constituents.push_back(part);
            } else {
                constituents.push_back(values_.whole(value, memberType(module_, i.type, m)));
            }
        }
        emit().construct(i.type, constituents, i.result);
        return;
    }
    std::vector<Id> parts;
    for (const Operand& o : i.operands) {
        const std::vector<Id> more = componentsOf(o.word);
        parts.insert(parts.end(), more.begin(), more.end());
    }
    if (parts.size() != vector->count) {
        context_.fail(ErrorCode::kInvalidModule, i,
                      "the constituents are not as many components of the type as it has");
        return;
    }
    values_.define(i.result, i.type, parts);
}

void LongVectorFunction::lowerShuffle(const Instruction& i) {
    const auto countOf = [&](Id value) {
        const LongVector* vector = context_.vectorOfValue(value);
        return vector ? vector->count : context_.types.components(emit().typeOf(value));
    };
    const uint32_t first = countOf(i.word(0)), all = first + countOf(i.word(1));
    const Id scalar = context_.vector(i.type) ? context_.vector(i.type)->component
                                              : context_.types.scalarOf(i.type);
    std::vector<Id> parts;
    for (size_t o = 2; o < i.operands.size(); ++o) {
        const uint32_t number = i.word(o);
        if (number >= all) {
            if (number != ~0u) {
                context_.fail(ErrorCode::kInvalidModule, i, "an index is beyond the vectors");
                return;
            }
            parts.push_back(emit().op(OpUndef, scalar, Operands{}));
            continue;
        }
        const Id value = number < first ? i.word(0) : i.word(1);
        const uint32_t c = number < first ? number : number - first;
        parts.push_back(context_.vectorOfValue(value) ? values_.component(value, values_.index(c))
                                                      : emit().extract(scalar, value, {c}));
    }
    if (context_.vector(i.type)) {
        values_.define(i.result, i.type, parts);
    } else {
        emit().construct(i.type, parts, i.result);
    }
}

// The numbers of components differ: the bits of all components follow each other.
void LongVectorFunction::lowerBitcast(const Instruction& i) {
    const LongVector* to = context_.vector(i.type);
    const Id scalar = to != nullptr ? to->component : context_.types.scalarOf(i.type);
    const std::vector<Id> parts = componentsOf(i.word(0));
    const std::vector<Slot> slots = slotsOf(emit(), parts);
    const uint32_t count = to != nullptr ? to->count : context_.types.components(i.type);
    if (parts.size() * context_.types.width(emit().typeOf(parts[0])) !=
        size_t{count} * context_.types.width(scalar)) {
        context_.fail(ErrorCode::kInvalidModule, i,
                      "a bit cast's operand and result have as many bits");
        return;
    }
    const std::vector<Slot> cast = regroup(emit(), slots, emit().typeOf(parts[0]), scalar);
    const std::vector<Id> components = scalarsOf(emit(), scalar, cast);
    if (to != nullptr) {
        values_.define(i.result, i.type, components);
    } else if (components.size() == 1) {
        emit().op(OpCopyObject, i.type, {components[0]}, i.result);
    } else {
        emit().construct(i.type, components, i.result);
    }
}

std::optional<LongVectorFunction::Pair> LongVectorFunction::pairOf(const Instruction& i) {
    const Instruction& type = module_.def(i.type);
    Pair pair;
    for (size_t m = 0; m < 2; ++m) {
        pair.vectors[m] = context_.vectorOrInMemory(type.word(m));
        if (pair.vectors[m] == nullptr) {
            context_.fail(ErrorCode::kUnsupported, i, "takes no long vector");
            return std::nullopt;
        }
        pair.scalars[m] = pair.vectors[m]->component;
        // Components of cooperative vectors cannot be stored in a loop.
        pair.isLooped &= pair.vectors[m]->isLooped() && !pair.vectors[m]->isCooperative;
    }
    pair.type = context_.types.structType(pair.scalars);
    return pair;
}

std::array<Id, 2> LongVectorFunction::pairAt(const Instruction& i, const Pair& pair,
                                             ComponentIndex at) {
    Operands operands = i.operands;
    for (Operand& o : operands) {
        if (o.isId && context_.vectorOfValue(o.word)) o.word = component(o.word, at);
    }
    const Id result = emit().op(i.opcode, pair.type, std::move(operands));
    return {emit().extract(pair.scalars[0], result, {0}),
            emit().extract(pair.scalars[1], result, {1})};
}

// The members of the result, each in a variable.
std::array<Id, 2> LongVectorFunction::lowerPairInLoop(const Instruction& i, const Pair& pair) {
    const bool isTakenApart = context_.takenApart.contains(i.result);
    std::array<Id, 2> variables{};
    for (size_t m = 0; m < 2; ++m) {
        const Id type = pair.vectors[m]->id;
        variables[m] = isTakenApart ? slots_.take(i.result, type) : slots_.temporary(type);
    }
    values_.each(*pair.vectors[0], [&](ComponentIndex at) {
        const std::array<Id, 2> parts = pairAt(i, pair, at);
        for (uint32_t m = 0; m < 2; ++m) {
            emit().store(emit().chain(pair.scalars[m], {variables[m], at.id}), parts[m]);
        }
    });
    return variables;
}

// Instructions whose result is a structure of two vectors.
void LongVectorFunction::lowerPair(const Instruction& i) {
    const std::optional<Pair> pair = pairOf(i);
    if (!pair) return;
    const Instruction& type = module_.def(i.type);
    std::array<Id, 2> members{};
    if (pair->isLooped) {
        const std::array<Id, 2> variables = lowerPairInLoop(i, *pair);
        if (context_.takenApart.contains(i.result)) {
            pairs_[i.result] = variables;
            return;
        }
        for (size_t m = 0; m < 2; ++m) {
            members[m] = emit().load(pair->vectors[m]->id, variables[m]);
            if (type.word(m) != pair->vectors[m]->id)  // the structure is in memory, too
                members[m] = emit().construct(type.word(m), emit().parts(members[m]));
        }
    } else {
        std::array<std::vector<Id>, 2> parts;
        for (uint32_t c = 0; c < pair->vectors[0]->count; ++c) {
            const std::array<Id, 2> both = pairAt(i, *pair, values_.index(c));
            for (size_t m = 0; m < 2; ++m) parts[m].push_back(both[m]);
        }
        for (size_t m = 0; m < 2; ++m) members[m] = emit().construct(type.word(m), parts[m]);
    }
    emit().construct(i.type, members, i.result);
}

// The types of what two pointers point to may differ by their layouts.
void LongVectorFunction::lowerCopyMemory(const Instruction& i) {
    const LongVector& vector = *context_.vectorOrInMemory(module_.pointee(i.word(0)));
    const uint32_t bytes = std::max(context_.types.width(vector.component) / 8, 1u);
    const CopyOperands operands = copyOperands(i);
    values_.each(vector, [&](ComponentIndex at) {
        const Id from = values_.componentPointer(i.word(1), vector, at);
        const Id part = emit().load(vector.component, from, operands.source.forLoad(bytes));
        emit().store(values_.componentPointer(i.word(0), vector, at), part,
                     operands.target.forStore(bytes));
    });
}

// The same numbers in a value of another type, which has an array where the other has a cooperative
// vector.
Id LongVectorFunction::logicalCopy(Id value, Id to) {
    const Id from = emit().typeOf(value);
    if (from == to) return value;
    if (!context_.withCooperative.contains(to)) {
        return emit().op(OpCopyLogical, to, {value});
    }
    const LongVector* vector = context_.vectorOrInMemory(from);
    const auto count =
        static_cast<uint32_t>(vector ? vector->count : memberCount(module_, from).value_or(0));
    std::vector<Id> parts;
    for (uint32_t m = 0; m < count; ++m) {
        const Id type = vector ? vector->component : memberType(module_, from, m);
        const Id part = emit().extract(type, value, {m});
        parts.push_back(vector ? part : logicalCopy(part, memberType(module_, to, m)));
    }
    return emit().construct(to, parts);
}

void LongVectorFunction::lowerCopyLogical(const Instruction& i) {
    emit().op(OpCopyObject, i.type, {logicalCopy(i.word(0), i.type)}, i.result);
}

// Instructions of GLSL.std.450 that combine all components, as OpDot and instructions for each
// component.

namespace {

class Geometry {
 public:
    Geometry(LongVectorFunction& function, const Instruction& i)
        : f_(function), i_(i), x_(i.word(2)), vector_(*function.context().vectorOfValue(x_)) {}

    bool expand() {
        switch (i_.word(1)) {
            case GLSLstd450Length:
                glsl(GLSLstd450Sqrt, dot(x_, x_), i_.result);
                return true;
            case GLSLstd450Distance: {
                const Id between = each(OpFSub, {x_, i_.word(3)});
                glsl(GLSLstd450Sqrt, dot(between, between), i_.result);
                return true;
            }
            case GLSLstd450Normalize:
                each(OpVectorTimesScalar, {x_, glsl(GLSLstd450InverseSqrt, dot(x_, x_))},
                     i_.result);
                return true;
            case GLSLstd450FaceForward: {
                const Id isAgainst =
                    f_.emit().compare(OpFOrdLessThan, dot(i_.word(4), i_.word(3)), number(0.0));
                each(OpSelect, {isAgainst, x_, each(OpFNegate, {x_})}, i_.result);
                return true;
            }
            case GLSLstd450Reflect: {
                const Id normal = i_.word(3);
                const Id twice = scalar(OpFMul, {number(2.0), dot(normal, x_)});
                each(OpFSub, {x_, each(OpVectorTimesScalar, {normal, twice})}, i_.result);
                return true;
            }
            case GLSLstd450Refract:
                refract(i_.word(3), i_.word(4));
                return true;
            default:
                return false;
        }
    }

 private:
    // k = 1 - eta * eta * (1 - d * d); k < 0 ? 0 : eta * x - (eta * d + sqrt(k)) * normal
    // A scalar eta has 16 or 32 bits, also where components have more.
    void refract(Id normal, Id scalarEta) {
        const Id one = number(1.0), eta = f_.emit().converted(vector_.component, scalarEta);
        const Id d = dot(normal, x_);
        const Id rest = scalar(OpFSub, {one, scalar(OpFMul, {d, d})});
        const Id k = scalar(OpFSub, {one, scalar(OpFMul, {scalar(OpFMul, {eta, eta}), rest})});
        const Id isTotal = f_.emit().compare(OpFOrdLessThan, k, number(0.0));
        const Id part = scalar(OpFAdd, {scalar(OpFMul, {eta, d}), glsl(GLSLstd450Sqrt, k)});
        const Id bent = each(OpFSub, {each(OpVectorTimesScalar, {x_, eta}),
                                      each(OpVectorTimesScalar, {normal, part})});
        const Id none = f_.context().types.constantNull(vector_.id);
        each(OpSelect, {isTotal, none, bent}, i_.result);
    }

    Id number(double value) { return f_.context().types.constantFloat(vector_.component, value); }

    Id each(spv::Op opcode, std::initializer_list<Id> operands, std::optional<Id> result = {}) {
        return make(opcode, vector_.id, operands, result);
    }
    Id scalar(spv::Op opcode, std::initializer_list<Id> operands) {
        return f_.emit().op(opcode, vector_.component, operands);
    }
    Id dot(Id a, Id b) { return make(OpDot, vector_.component, {a, b}, {}); }
    Id glsl(GLSLstd450 instruction, Id value, std::optional<Id> result = {}) {
        const Id set = f_.context().module.importSet("GLSL.std.450");
        return f_.emit().op(OpExtInst, vector_.component,
                            {idOperand(set), literal(instruction), idOperand(value)}, result);
    }

    Id make(spv::Op opcode, Id type, std::initializer_list<Id> operands, std::optional<Id> result) {
        const Id defined = result ? *result : f_.context().module.takeId();
        InstructionPtr i =
            makeInstruction(opcode, type, defined, idOperands({operands.begin(), operands.size()}));
        f_.context().module.setDef(i.get());
        f_.lowerNew(std::move(i));
        return defined;
    }

    LongVectorFunction& f_;
    const Instruction& i_;
    Id x_;
    const LongVector& vector_;
};

}  // namespace

bool expandGeometry(LongVectorFunction& function, const Instruction& i) {
    if (function.context().vectorOfValue(i.word(2)) == nullptr) return false;
    return Geometry(function, i).expand();
}

namespace {

struct ReductionRow {
    spv::Op opcode;
    spv::Op combine;
    // Integer dot products: the signs of the operands, and whether there is an accumulator.
    bool firstIsSigned = false, secondIsSigned = false, saturates = false;
};

constexpr ReductionRow kReductionRows[] = {
    {OpDot, OpFAdd},
    {OpAny, OpLogicalOr},
    {OpAll, OpLogicalAnd},
    {OpGroupNonUniformAllEqual, OpLogicalAnd},
    // The invocations with the same vector are those with the same components.
    {OpGroupNonUniformPartitionEXT, OpBitwiseAnd},
    {OpSDot, OpIAdd, true, true, false},
    {OpUDot, OpIAdd, false, false, false},
    {OpSUDot, OpIAdd, true, false, false},
    {OpSDotAccSat, OpIAdd, true, true, true},
    {OpUDotAccSat, OpIAdd, false, false, true},
    {OpSUDotAccSat, OpIAdd, true, false, true},
};

const ReductionRow* find(spv::Op opcode) {
    const auto* row = std::ranges::find(kReductionRows, opcode, &ReductionRow::opcode);
    return row == std::end(kReductionRows) ? nullptr : row;
}

Id widen(Emitter& emit, Id type, Id value, bool isSigned) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(type);
    if (types.width(emit.typeOf(value)) == width) return emit.bitcast(type, value);
    const Id integer = types.intType(width, isSigned);
    return emit.bitcast(type, emit.op(isSigned ? OpSConvert : OpUConvert, integer, {value}));
}

// a + b, or the largest or smallest value of the type (SPIR-V, OpSDotAccSat).
Id addSaturating(Emitter& emit, Id type, Id a, Id b, bool isSigned) {
    TypeTable& types = emit.types();
    const uint32_t width = types.width(type);
    const uint64_t top = uint64_t{1} << (width - 1);
    const Id sum = emit.op(OpIAdd, type, {a, b});
    if (!isSigned) {
        const Id wraps = emit.compare(OpULessThan, sum, a);
        return emit.op(OpSelect, type, {wraps, types.constant(type, top | (top - 1)), sum});
    }
    const Id zero = types.constantNull(type);
    const Id changed =
        emit.op(OpBitwiseAnd, type,
                {emit.op(OpBitwiseXor, type, {a, sum}), emit.op(OpBitwiseXor, type, {b, sum})});
    const Id limit = emit.op(OpSelect, type,
                             {emit.compare(OpSLessThan, a, zero), types.constant(type, top),
                              types.constant(type, top - 1)});
    return emit.op(OpSelect, type, {emit.compare(OpSLessThan, changed, zero), limit, sum});
}

}  // namespace

bool isReduction(spv::Op opcode) { return find(opcode) != nullptr; }

size_t firstVector(spv::Op opcode) { return opcode == OpGroupNonUniformAllEqual ? 1 : 0; }

Id termType(TypeTable& types, const Instruction& i) {
    return i.opcode == OpDot && types.encoding(i.type) ? types.floatType(32) : i.type;
}

Id reductionTerm(Emitter& emit, const Instruction& i, const Operands& operands) {
    const ReductionRow& row = *find(i.opcode);
    if (i.opcode == OpAny || i.opcode == OpAll) return operands[0].word;
    if (i.opcode == OpGroupNonUniformAllEqual || i.opcode == OpGroupNonUniformPartitionEXT)
        return emit.op(i.opcode, i.type, Operands(operands));
    const ArithmeticDecorations decorations(emit.module(), i.result);
    if (i.opcode == OpDot) {
        const Id type = termType(emit.types(), i);
        const Id a = emit.converted(type, operands[0].word);
        const Id b = emit.converted(type, operands[1].word);
        const Id term = emit.op(OpFMul, type, {a, b});
        decorations.addTo(term);
        return term;
    }
    return emit.op(OpIMul, i.type,
                   {widen(emit, i.type, operands[0].word, row.firstIsSigned),
                    widen(emit, i.type, operands[1].word, row.secondIsSigned)});
}

Id combineTerms(Emitter& emit, const Instruction& i, Id a, Id b) {
    const Id sum = emit.op(find(i.opcode)->combine, termType(emit.types(), i), {a, b});
    if (i.opcode == OpDot) ArithmeticDecorations(emit.module(), i.result).addTo(sum);
    return sum;
}

Id neutralTerm(Emitter& emit, const Instruction& i) {
    TypeTable& types = emit.types();
    if (i.opcode == OpDot) return types.constantFloat(termType(types, i), -0.0);
    const spv::Op combine = find(i.opcode)->combine;
    if (combine == OpIAdd) return types.constantNull(i.type);
    if (combine == OpBitwiseAnd) return types.constantSplat(i.type, types.constantU32(~0u));
    return types.constantBool(combine == OpLogicalAnd);
}

Id reductionResult(Emitter& emit, const Instruction& i, Id combined) {
    const ReductionRow& row = *find(i.opcode);
    if (!row.saturates) return emit.converted(i.type, combined);
    return addSaturating(emit, i.type, i.word(2), combined,
                         row.firstIsSigned || row.secondIsSigned);
}

}  // namespace coopvk::rewrite
