// SPDX-License-Identifier: Apache-2.0
#include "vector/elementwise.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/slots.hpp"
#include "vector/composite.hpp"
#include "vector/context.hpp"
#include "vector/large_vectors.hpp"

namespace coopvk::rewrite {

namespace {

// One element-wise instruction, apart from where its operands come from.
struct Map {
    spv::Op opcode = spv::Op::OpNop;
    Operands head;  // of OpExtInst: the set and the instruction
    const VectorType* result = nullptr;
    bool noContraction = false;            // decorated so
    std::vector<const VectorType*> types;  // of the operands; null: a scalar for all components
};

bool isMapped(spv::Op opcode) {
    if (isArithmetic(opcode) || isConversion(opcode)) return true;
    switch (opcode) {
        case spv::Op::OpShiftRightLogical:
        case spv::Op::OpShiftRightArithmetic:
        case spv::Op::OpShiftLeftLogical:
        case spv::Op::OpBitwiseOr:
        case spv::Op::OpBitwiseXor:
        case spv::Op::OpBitwiseAnd:
        case spv::Op::OpNot:
        case spv::Op::OpVectorTimesScalar:
            return true;
        default:
            return false;
    }
}

bool isMappedExtended(uint32_t instruction) {
    switch (instruction) {
        case GLSLstd450FMin:
        case GLSLstd450UMin:
        case GLSLstd450SMin:
        case GLSLstd450NMin:
        case GLSLstd450FMax:
        case GLSLstd450UMax:
        case GLSLstd450SMax:
        case GLSLstd450NMax:
        case GLSLstd450FClamp:
        case GLSLstd450UClamp:
        case GLSLstd450SClamp:
        case GLSLstd450NClamp:
        case GLSLstd450Step:
        case GLSLstd450Exp:
        case GLSLstd450Log:
        case GLSLstd450Tanh:
        case GLSLstd450Atan:
        case GLSLstd450Fma:
            return true;
        default:
            return false;
    }
}

// Components that whole packs of every type involved hold.
uint32_t groupSize(const Map& map) {
    uint32_t size = map.result->packWidth;
    for (const VectorType* type : map.types) {
        if (type != nullptr) size = std::max(size, type->packWidth);
    }
    return size;
}

// One group: packs of each operand in, packs of the result out.
std::vector<Id> mapGroup(Emitter& emit, const Map& map, uint32_t size,
                         const std::vector<std::vector<Id>>& operands) {
    TypeTable& types = emit.types();
    // The narrowest packs set the pace.
    uint32_t step = map.result->packWidth;
    for (const VectorType* type : map.types) {
        if (type != nullptr) step = std::min(step, type->packWidth);
    }
    std::vector<Slot> results;
    for (uint32_t first = 0; first < size; first += step) {
        Operands parts = map.head;
        for (size_t o = 0; o < operands.size(); ++o) {
            const VectorType* type = map.types[o];
            if (type == nullptr) {
                const Id pack = types.vectorType(emit.typeOf(operands[o][0]), step);
                parts.push_back(idOperand(emit.splat(pack, operands[o][0])));
                continue;
            }
            std::vector<Slot> slots;
            for (uint32_t c = first; c < first + step; ++c) {
                slots.push_back({operands[o][c / type->packWidth], c % type->packWidth});
            }
            parts.push_back(idOperand(gather(emit, type->component, slots)));
        }
        const Id pack = types.vectorType(map.result->component, step);
        const Id part = emit.op(map.opcode, pack, std::move(parts));
        if (map.noContraction) emit.module().decorate(part, spv::Decoration::NoContraction);
        appendSlots(emit, part, results);
    }
    std::vector<Id> packs;
    const std::span<const Slot> all(results);
    for (uint32_t first = 0; first < size; first += map.result->packWidth) {
        packs.push_back(
            gather(emit, map.result->component, all.subspan(first, map.result->packWidth)));
    }
    return packs;
}

void mapUnrolled(Emitter& emit, const Map& map, const Instruction& i,
                 const std::vector<Id>& operands) {
    const uint32_t size = groupSize(map);
    std::vector<std::vector<Id>> packs;
    for (size_t o = 0; o < operands.size(); ++o) {
        packs.push_back(map.types[o] == nullptr ? std::vector<Id>{operands[o]}
                                                : vectorPacks(emit, *map.types[o], operands[o]));
    }
    std::vector<Id> results;
    for (uint32_t group = 0; group * size < map.result->count; ++group) {
        std::vector<std::vector<Id>> parts;
        for (size_t o = 0; o < operands.size(); ++o) {
            if (map.types[o] == nullptr) {
                parts.push_back(packs[o]);
                continue;
            }
            const uint32_t count = size / map.types[o]->packWidth;
            std::vector<Id> part;
            for (uint32_t p = group * count; p < (group + 1) * count; ++p) {
                part.push_back(packs[o][std::min<size_t>(p, packs[o].size() - 1)]);
            }
            parts.push_back(std::move(part));
        }
        for (Id pack : mapGroup(emit, map, size, parts)) results.push_back(pack);
    }
    results.resize(map.result->packs());
    emit.add(makeInstruction(spv::Op::OpCompositeConstruct, i.type, i.result, idOperands(results)));
}

// The same as a function with a loop over groups. Parameters that are no vectors are the same for
// all components: scalars, and packs of constants.
class MapFunction {
 public:
    MapFunction(VectorContext& context, const Map& map, std::span<const Id> parameters)
        : map_(map),
          parameters_(parameters.begin(), parameters.end()),
          types_(context.types),
          f_(context, "coopvk_vector_map", map.result->id, parameters),
          size_(groupSize(map)) {}

    Id build() {
        for (size_t o = 0; o < parameters_.size(); ++o) {
            sources_.push_back(isVector(o) ? f_.variable(parameters_[o]) : f_.parameter(o));
            if (isVector(o)) f_.store(sources_[o], f_.parameter(o));
        }
        result_ = f_.variable(map_.result->id);
        const uint32_t groups = map_.result->count / size_;
        f_.loop(groups, [&](Id group) { mapAt(group, 0, true); });
        if (map_.result->count % size_ != 0) mapAt(types_.constantU32(groups), groups, false);
        return f_.finish(f_.load(result_));
    }

 private:
    bool isVector(size_t o) const {
        return map_.types[o] != nullptr && parameters_[o] == map_.types[o]->id;
    }

    Id place(Id array, const VectorType& type, Id group, uint32_t p) {
        Emitter& emit = f_.emit();
        const Id u32 = types_.uint32();
        const Id count = types_.constantU32(size_ / type.packWidth);
        return f_.element(array,
                          emit.addInt(u32, emit.mulInt(u32, group, count), types_.constantU32(p)));
    }

    // The packs of an operand in a group. Whole groups are in the loop; what remains, whose number
    // is `known`, has fewer.
    std::vector<Id> packsAt(size_t o, Id group, uint32_t known, bool whole) {
        const VectorType* type = map_.types[o];
        const uint32_t count = type == nullptr ? 1 : size_ / type->packWidth;
        if (!isVector(o)) return std::vector<Id>(count, sources_[o]);
        std::vector<Id> packs;
        for (uint32_t p = 0; p < count; ++p) {
            const bool inside = whole || known * count + p < type->packs();
            packs.push_back(inside ? f_.load(place(sources_[o], *type, group, p)) : packs[0]);
        }
        return packs;
    }

    void mapAt(Id group, uint32_t known, bool whole) {
        std::vector<std::vector<Id>> parts;
        for (size_t o = 0; o < parameters_.size(); ++o) {
            parts.push_back(packsAt(o, group, known, whole));
        }
        const std::vector<Id> packs = mapGroup(f_.emit(), map_, size_, parts);
        for (uint32_t p = 0; p < packs.size(); ++p) {
            if (!whole && known * packs.size() + p >= map_.result->packs()) break;
            f_.store(place(result_, *map_.result, group, p), packs[p]);
        }
    }

    const Map& map_;
    std::vector<Id> parameters_;  // types
    TypeTable& types_;
    VectorFunction f_;
    uint32_t size_;
    std::vector<Id> sources_;
    Id result_ = 0;
};

Id mapLoop(VectorContext& context, Emitter& caller, const Map& map,
           const std::vector<Id>& operands) {
    std::vector<uint32_t> key = {static_cast<uint32_t>(HelperKind::kMap), map.result->id,
                                 static_cast<uint32_t>(map.opcode), map.noContraction ? 1u : 0u};
    for (const Operand& operand : map.head) key.push_back(operand.word);
    std::vector<Id> parameters;
    for (Id operand : operands) parameters.push_back(caller.typeOf(operand));
    key.insert(key.end(), parameters.begin(), parameters.end());
    return context.helper(key, [&] { return MapFunction(context, map, parameters).build(); });
}

bool describe(VectorContext& context, Emitter& emit, const Instruction& i, Map& map,
              std::vector<Id>& operands) {
    const VectorType* result = context.vector(i.type);
    if (result == nullptr) return false;
    map.opcode = i.opcode;
    map.result = result;
    map.noContraction =
        context.module.decoration(i.result, spv::Decoration::NoContraction).has_value();
    size_t first = 0;
    if (i.opcode == spv::Op::OpExtInst) {
        if (stringFromOperands(context.module.def(i.word(0)), 0) != "GLSL.std.450" ||
            !isMappedExtended(i.word(1))) {
            return false;
        }
        map.head = {i.operands[0], i.operands[1]};
        first = 2;
    } else if (!isMapped(i.opcode)) {
        return false;
    }
    if (i.opcode == spv::Op::OpVectorTimesScalar) map.opcode = spv::Op::OpFMul;
    for (size_t o = first; o < i.operands.size(); ++o) {
        const VectorType* type = context.vectorOfValue(i.word(o));
        const bool scalar = i.opcode == spv::Op::OpVectorTimesScalar && o == 1 &&
                            emit.typeOf(i.word(o)) == result->component;
        if (!scalar && (type == nullptr || type->count != result->count)) {
            context.fail(ErrorCode::kInvalidModule, i, "operand types do not fit Result Type");
            return false;
        }
        map.types.push_back(type);
        operands.push_back(i.word(o));
    }
    return !operands.empty();
}

}  // namespace

bool lowerVectorElementwise(VectorContext& context, Emitter& emit, const Instruction& i) {
    Map map;
    std::vector<Id> operands;
    if (!describe(context, emit, i, map, operands)) return false;
    if (map.result->packs() <= kUnrolledPacks) {
        mapUnrolled(emit, map, i, operands);
        return true;
    }
    for (size_t o = 0; o < operands.size(); ++o) {
        if (map.types[o] == nullptr) continue;
        if (const Id pack = repeatedConstituent(context, operands[o], map.types[o]->pack))
            operands[o] = pack;
    }
    Operands call = {idOperand(mapLoop(context, emit, map, operands))};
    for (Id operand : operands) call.push_back(idOperand(operand));
    emit.add(makeInstruction(spv::Op::OpFunctionCall, i.type, i.result, std::move(call)));
    return true;
}

}  // namespace coopvk::rewrite
