// SPDX-License-Identifier: Apache-2.0
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "optimise/fold_constants.hpp"
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

namespace {

using Found = std::optional<Id>;

// So many instructions up at most.
constexpr uint32_t kMostSteps = 64;

class Simplifier {
 public:
    Simplifier(TypeTable& types, Instruction& i) : types_(types), module_(types.module()), i_(i) {}

    Found run() {
        switch (i_.opcode) {
            case OpCopyObject:
                return i_.word(0);
            case OpPhi:
                return onlyValue();
            case OpSelect:
                return selected();
            case OpBitcast:
                return bitcast();
            case OpCompositeExtract:
                return extracted();
            case OpCompositeConstruct:
                return wholeOf();
            case OpExtInst:
                return extreme();
            default:
                return isInteger() ? computed() : std::nullopt;
        }
    }

 private:
    const Instruction& def(Id id) const { return module_.def(id); }

    bool isInteger() const {
        return i_.operands.size() == 2 && i_.operands[1].isId &&
               isOneOf(def(i_.type).opcode, {OpTypeInt, OpTypeBool});
    }

    Found onlyValue() const {
        Id only = 0;
        for (size_t o = 0; o < i_.operands.size(); o += 2) {
            const Id value = i_.word(o);
            if (value == i_.result || value == only) continue;
            if (only != 0) return std::nullopt;
            only = value;
        }
        return only != 0 ? Found(only) : std::nullopt;
    }

    Found selected() const {
        if (i_.word(1) == i_.word(2)) return i_.word(1);
        const std::optional<bool> condition = module_.constantBool(i_.word(0));
        return condition ? Found(i_.word(*condition ? 1 : 2)) : std::nullopt;
    }

    Found bitcast() {
        const Instruction& from = def(i_.word(0));
        if (from.type == i_.type) return i_.word(0);
        const bool isPointer = isPointerType(def(i_.type).opcode) ||
                               isPointerType(def(from.type).opcode) ||
                               isPointerType(def(def(from.word(0)).type).opcode);
        if (from.opcode == OpBitcast && !isPointer && !module_.isDecorated(from.result)) {
            if (def(from.word(0)).type == i_.type) return from.word(0);
            i_.operands[0].word = from.word(0);
        }
        return std::nullopt;
    }

    // A member of a value, if an instruction says which one that is. Otherwise perhaps another
    // value of which it is a member, too.
    struct Member {
        Id value = 0;
        std::vector<uint32_t> indices;
    };

    // One step up; false: there is none.
    bool goUp(Member& member) {
        const Instruction& from = def(member.value);
        if (member.indices.empty() || module_.isDecorated(from.result)) return false;
        const uint32_t first = member.indices.front();
        if (from.opcode == OpCompositeExtract) {
            std::vector<uint32_t> all;
            for (const Operand& o : operandsBehind(from, 1)) all.push_back(o.word);
            all.insert(all.end(), member.indices.begin(), member.indices.end());
            member = {from.word(0), std::move(all)};
            return true;
        }
        if (from.opcode == OpCompositeInsert) return passInsertion(from, member);
        if (from.opcode == OpCompositeConstruct || from.opcode == OpConstantComposite) {
            // Constituents of vectors may be vectors.
            const spv::Op type = def(from.type).opcode;
            const bool isVector = type == OpTypeVector;
            if (!isVector && !isOneOf(type, {OpTypeArray, OpTypeStruct, OpTypeMatrix}))
                return false;
            if (isVector && from.operands.size() != types_.components(from.type)) return false;
            if (first >= from.operands.size()) return false;
            member.value = from.word(first);
            member.indices.erase(member.indices.begin());
            return true;
        }
        return false;
    }

    static bool passInsertion(const Instruction& insert, Member& member) {
        const std::span<const Operand> into = operandsBehind(insert, 2);
        const size_t common = std::min(into.size(), member.indices.size());
        for (size_t n = 0; n < common; ++n) {
            if (into[n].word == member.indices[n]) continue;
            member.value = insert.word(1);
            return true;
        }
        if (into.size() > member.indices.size()) return false;
        member.value = insert.word(0);
        member.indices.erase(member.indices.begin(),
                             member.indices.begin() + static_cast<std::ptrdiff_t>(common));
        return true;
    }

    Found extracted() {
        Member member = {i_.word(0), {}};
        for (const Operand& o : operandsBehind(i_, 1)) member.indices.push_back(o.word);
        uint32_t steps = 0;
        while (steps < kMostSteps && goUp(member)) ++steps;
        module_.countSteps(steps);
        if (member.indices.empty()) {
            return def(member.value).type == i_.type ? Found(member.value) : std::nullopt;
        }
        if (def(member.value).opcode == OpConstantNull) return types_.constantNull(i_.type);
        if (steps == 0) return std::nullopt;
        i_.operands = {idOperand(member.value)};
        for (const uint32_t index : member.indices) i_.operands.push_back(literal(index));
        return std::nullopt;
    }

    // What all constituents are the members of.
    Found wholeOf() const {
        const Instruction& first = def(i_.word(0));
        if (first.opcode != OpCompositeExtract) return std::nullopt;
        const Id whole = first.word(0);
        if (def(whole).type != i_.type || memberCount(module_, i_.type) != i_.operands.size())
            return std::nullopt;
        for (uint32_t n = 0; n < i_.operands.size(); ++n) {
            const Instruction& part = def(i_.word(n));
            if (part.opcode != OpCompositeExtract || part.operands.size() != 2 ||
                part.word(0) != whole || part.word(1) != n) {
                return std::nullopt;
            }
        }
        return whole;
    }

    // Of unsigned integers that are known: the lesser or the greater one.
    Found extreme() const {
        const bool isLeast = i_.word(1) == GLSLstd450UMin;
        if (!isLeast && i_.word(1) != GLSLstd450UMax) return std::nullopt;
        const std::optional<Scalar> a = scalarOf(i_.word(2)), b = scalarOf(i_.word(3));
        if (!a || !b || stringFromOperands(def(i_.word(0)), 0) != "GLSL.std.450")
            return std::nullopt;
        const Id found = (a->asUnsigned() < b->asUnsigned()) == isLeast ? i_.word(2) : i_.word(3);
        return def(found).type == i_.type ? Found(found) : std::nullopt;
    }

    // Of integers and booleans: the other operand, if one is neutral.
    Found computed() {
        const std::optional<Scalar> a = scalarOf(i_.word(0)), b = scalarOf(i_.word(1));
        if (b && isNeutral(*b) && def(i_.word(0)).type == i_.type) return i_.word(0);
        const bool commutes = isOneOf(i_.opcode, {OpIAdd, OpIMul, OpBitwiseOr, OpBitwiseXor,
                                                  OpLogicalOr, OpLogicalAnd, OpBitwiseAnd});
        if (a && commutes && isNeutral(*a) && def(i_.word(1)).type == i_.type) return i_.word(1);
        return std::nullopt;
    }

    std::optional<Scalar> scalarOf(Id id) const {
        if (const auto boolean = module_.constantBool(id)) return Scalar{*boolean, 1};
        const std::optional<uint64_t> number = module_.constantValue(id);
        return number ? std::optional(Scalar{*number, types_.width(def(id).type)}) : std::nullopt;
    }

    // Whether the result is the other operand.
    bool isNeutral(const Scalar& one) const {
        switch (i_.opcode) {
            case OpIAdd:
            case OpISub:
            case OpBitwiseOr:
            case OpBitwiseXor:
            case OpShiftLeftLogical:
            case OpShiftRightLogical:
            case OpShiftRightArithmetic:
                return one.asUnsigned() == 0;
            case OpIMul:
            case OpUDiv:
            case OpSDiv:
                return one.asUnsigned() == 1;
            case OpBitwiseAnd:
                return one.asSigned() == -1;
            case OpLogicalAnd:
                return one.asUnsigned() == 1;
            case OpLogicalOr:
                return one.asUnsigned() == 0;
            default:
                return false;
        }
    }

    TypeTable& types_;
    Module& module_;
    Instruction& i_;
};

}  // namespace

std::optional<Id> simplified(TypeTable& types, Instruction& i) {
    std::optional<Id> value = folded(types, i);
    if (!value) value = Simplifier(types, i).run();
    return value && !types.module().isDecorated(i.result) ? value : std::nullopt;
}

}  // namespace coopvk::rewrite
