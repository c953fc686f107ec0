// SPDX-License-Identifier: Apache-2.0
#include "int4/int4_composites.hpp"

#include "int4/int4_sixteen.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Position of the operand that is an index into a 4-bit vector, on the way from `type`.
std::optional<size_t> findVectorIndex(const Int4Context& context, Id& type, const Instruction& i,
                                      size_t first) {
    const auto isVector = [&](Id id) { return context.vector(id) != nullptr; };
    return findIndexInto(context.module, type, i.operands, first, isVector);
}

class Composites {
 public:
    Composites(Int4Context& context, Emitter& emit, const Instruction& i)
        : context_(context), types_(context.types), emit_(emit), i_(i), values_(context, emit) {}

    bool lower() {
        switch (i_.opcode) {
            case spv::Op::OpCompositeExtract:
                return extract();
            case spv::Op::OpCompositeInsert:
                return insert();
            case spv::Op::OpCompositeConstruct:
            case spv::Op::OpCompositeConstructReplicateEXT:
                return construct();
            case spv::Op::OpVectorExtractDynamic:
                return extractDynamic();
            case spv::Op::OpVectorInsertDynamic:
                return insertDynamic();
            case spv::Op::OpVectorShuffle:
                return shuffle();
            case spv::Op::OpSelect:
                return select();
            default:
                return false;
        }
    }

 private:
    // The vector that literal indices from operand `first` lead to, inside `composite`.
    std::optional<size_t> findVector(Id composite, size_t first, Id& type, Id& vector) {
        type = emit_.typeOf(composite);
        const auto at = findVectorIndex(context_, type, i_, first);
        if (!at) return std::nullopt;
        vector = extractVector(context_, emit_, composite, i_, first, *at, type);
        return at;
    }

    Id constantIndex(size_t operand) { return types_.constantU32(i_.word(operand)); }

    // A component, extended by its type's sign, as the result.
    void defineScalar(bool isSigned, Id component) {
        values_.scalar(i_.type, isSigned, component, i_.result);
    }

    bool extract() {
        Id type = 0;
        Id vector = 0;
        const auto at = findVector(i_.word(0), 1, type, vector);
        if (!at) return false;
        const Int4Type& int4 = *context_.type(type);
        defineScalar(int4.isSigned,
                     values_.component(vector, int4, constantIndex(*at), int4.isSigned));
        return true;
    }

    bool insert() {
        Id type = 0;
        Id vector = 0;
        const auto at = findVector(i_.word(1), 2, type, vector);
        if (!at) return false;
        const Int4Type& int4 = *context_.type(type);
        const Id changed =
            values_.withComponent(vector, int4, constantIndex(*at), wordOf(i_.word(0)));
        if (*at == 2) {
            values_.define(i_.result, int4.id, changed);
            return true;
        }
        Operands operands(i_.operands.begin(),
                          i_.operands.begin() + static_cast<std::ptrdiff_t>(*at));
        operands[0] = idOperand(asMember(context_, emit_, changed, i_.word(1), i_, 2, *at));
        emit_.add(
            makeInstruction(spv::Op::OpCompositeInsert, i_.type, i_.result, std::move(operands)));
        return true;
    }

    // A 4-bit scalar as a u32.
    Id wordOf(Id scalar) {
        const Int4Type* type = context_.typeOf(scalar);
        if (type == nullptr || type->components != 1) {
            context_.fail(ErrorCode::kInvalidModule, i_, "a component must be a 4-bit integer");
            return types_.constantU32(0);
        }
        return values_.component(scalar, *type, types_.constantU32(0), false);
    }

    bool construct() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr) return false;
        std::vector<Id> components;
        if (i_.opcode == spv::Op::OpCompositeConstructReplicateEXT) {
            components.assign(type->components, wordOf(i_.word(0)));
        }
        for (const Operand& operand : i_.operands) {
            if (components.size() >= type->components) break;
            const Int4Type* part = context_.typeOf(operand.word);
            if (part == nullptr) break;
            const std::vector<Id> more = values_.components(operand.word, *part, false);
            components.insert(components.end(), more.begin(), more.end());
        }
        if (components.size() != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_,
                          "constituents are not as many 4-bit integers as the result");
            return true;
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    bool extractDynamic() {
        const Int4Type* type = context_.typeOf(i_.word(0));
        if (type == nullptr) return false;
        defineScalar(type->isSigned,
                     values_.component(i_.word(0), *type, i_.word(1), type->isSigned));
        return true;
    }

    bool insertDynamic() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr) return false;
        const Id changed = values_.withComponent(i_.word(0), *type, i_.word(2), wordOf(i_.word(1)));
        values_.define(i_.result, type->id, changed);
        return true;
    }

    bool shuffle() {
        const Int4Type* type = context_.vector(i_.type);
        const Int4Type* a = context_.typeOf(i_.word(0));
        const Int4Type* b = context_.typeOf(i_.word(1));
        if (type == nullptr || a == nullptr || b == nullptr) return false;
        std::vector<Id> from = values_.components(i_.word(0), *a, false);
        const std::vector<Id> more = values_.components(i_.word(1), *b, false);
        from.insert(from.end(), more.begin(), more.end());
        std::vector<Id> components;
        for (size_t o = 2; o < i_.operands.size(); ++o) {
            // 0xFFFFFFFF: any value.
            components.push_back(i_.word(o) < from.size() ? from[i_.word(o)] : from[0]);
        }
        if (components.size() != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_, "one literal for each component");
            return true;
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    // By a vector of booleans; one boolean for the whole vector needs no change.
    bool select() {
        const Int4Type* type = context_.vector(i_.type);
        const uint32_t conditions = types_.components(emit_.typeOf(i_.word(0)));
        if (type == nullptr || conditions == 1) return false;
        if (conditions != type->components) {
            context_.fail(ErrorCode::kInvalidModule, i_, "one condition for each component");
            return true;
        }
        const std::vector<Id> yes = values_.components(i_.word(1), *type, false);
        const std::vector<Id> no = values_.components(i_.word(2), *type, false);
        std::vector<Id> components;
        for (uint32_t c = 0; c < conditions; ++c) {
            const Id condition = emit_.extract(types_.boolType(), i_.word(0), {c});
            components.push_back(
                emit_.op(spv::Op::OpSelect, types_.uint32(), {condition, yes[c], no[c]}));
        }
        values_.make(*type, components, i_.result);
        return true;
    }

    Int4Context& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& i_;
    Int4Values values_;
};

}  // namespace

bool lowerInt4Composite(Int4Context& context, Emitter& emit, const Instruction& instruction) {
    return Composites(context, emit, instruction).lower();
}

}  // namespace coopvk::rewrite
