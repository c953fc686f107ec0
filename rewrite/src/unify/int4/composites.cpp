// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"

#include "unify/int4/instructions.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

class Composites {
 public:
    Composites(Int4Context& context, Emitter& emit, const Instruction& i)
        : context_(context), types_(context.types), emit_(emit), i_(i), values_(context, emit) {}

    bool lower() {
        switch (i_.opcode) {
            case Op::OpCompositeExtract:
            case Op::OpVectorExtractDynamic:
                return extract();
            case Op::OpCompositeInsert:
            case Op::OpVectorInsertDynamic:
                return insert();
            case Op::OpCompositeConstruct:
            case Op::OpCompositeConstructReplicateEXT:
                return construct();
            case Op::OpVectorShuffle:
                return shuffle();
            case Op::OpSelect:
                return select();
            default:
                return false;
        }
    }

 private:
    struct Component {
        const Int4Type* type = nullptr;  // of the vector; nullptr: the indices lead to none
        Id vector = 0;
        Id index = 0;
        size_t at = 0;  // operand that is the index
    };

    // That the indices from operand `first` on lead to.
    Component find(Id composite, size_t first) {
        if (i_.opcode == Op::OpVectorExtractDynamic || i_.opcode == Op::OpVectorInsertDynamic) {
            return {context_.typeOf(composite), composite, i_.word(first), first};
        }
        Id type = emit_.typeOf(composite);
        const auto isVector = [&](Id id) { return context_.vector(id) != nullptr; };
        const auto at = findIndexInto(context_.module, type, i_.operands, first, isVector);
        if (!at) return {};
        Component found = {context_.type(type), composite, emit_.constant(i_.word(*at)), *at};
        if (*at == first) return found;
        Operands operands = {idOperand(composite)};
        for (size_t o = first; o < *at; ++o) operands.push_back(i_.operands[o]);
        found.vector = emit_.op(Op::OpCompositeExtract, type, std::move(operands));
        return found;
    }

    bool extract() {
        const Component from = find(i_.word(0), 1);
        if (from.type == nullptr) return false;
        const bool isSigned = from.type->isSigned;
        const Id component = values_.component(from.vector, *from.type, from.index, isSigned);
        values_.scalar(i_.type, isSigned, component, i_.result);
        return true;
    }

    // OpCompositeInsert takes the object first, OpVectorInsertDynamic the vector.
    bool insert() {
        const bool dynamic = i_.opcode == Op::OpVectorInsertDynamic;
        const Component to = find(i_.word(dynamic ? 0 : 1), 2);
        if (to.type == nullptr) return false;
        const std::vector<Id> object = components(i_.word(dynamic ? 1 : 0));
        if (object.size() != 1) return fail("a component must be a 4-bit integer");
        const Id changed = values_.withComponent(to.vector, *to.type, to.index, object[0]);
        if (to.at == 2) {
            values_.define(i_.result, to.type->id, changed);
            return true;
        }
        Operands operands(i_.operands.begin(),
                          i_.operands.begin() + static_cast<std::ptrdiff_t>(to.at));
        operands[0] = idOperand(changed);
        emit_.add(makeInstruction(i_.opcode, i_.type, i_.result, std::move(operands)));
        return true;
    }

    bool construct() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr) return false;
        std::vector<Id> all;
        for (const Operand& operand : i_.operands) {
            if (all.size() >= type->components) break;
            append(all, components(operand.word));
        }
        if (i_.opcode == Op::OpCompositeConstructReplicateEXT && all.size() == 1) {
            all.assign(type->components, all[0]);
        }
        return make(*type, all, "constituents are not as many 4-bit integers as the result");
    }

    bool shuffle() {
        const Int4Type* type = context_.vector(i_.type);
        if (type == nullptr || context_.typeOf(i_.word(0)) == nullptr ||
            context_.typeOf(i_.word(1)) == nullptr) {
            return false;
        }
        std::vector<Id> from = components(i_.word(0)), all;
        append(from, components(i_.word(1)));
        for (size_t o = 2; o < i_.operands.size(); ++o) {
            // 0xFFFFFFFF: any value.
            all.push_back(i_.word(o) < from.size() ? from[i_.word(o)] : from[0]);
        }
        return make(*type, all, "one literal for each component");
    }

    // By a vector of booleans; one boolean for the whole vector needs no change.
    bool select() {
        const Int4Type* type = context_.vector(i_.type);
        const uint32_t conditions = types_.components(emit_.typeOf(i_.word(0)));
        if (type == nullptr || conditions == 1) return false;
        std::vector<Id> all;
        const std::vector<Id> yes = components(i_.word(1)), no = components(i_.word(2));
        for (uint32_t c = 0; c < std::min({size_t{conditions}, yes.size(), no.size()}); ++c) {
            const Id condition = emit_.extract(types_.boolType(), i_.word(0), {c});
            all.push_back(emit_.op(Op::OpSelect, types_.uint32(), {condition, yes[c], no[c]}));
        }
        return make(*type, all, "one condition for each component");
    }

    // The components of a 4-bit value as u32; none of another one.
    std::vector<Id> components(Id value) {
        const Int4Type* type = context_.typeOf(value);
        return type == nullptr ? std::vector<Id>() : values_.components(value, *type, false);
    }

    static void append(std::vector<Id>& all, const std::vector<Id>& more) {
        all.insert(all.end(), more.begin(), more.end());
    }

    bool make(const Int4Type& type, std::span<const Id> components, std::string_view problem) {
        if (components.size() != type.components) return fail(problem);
        values_.make(type, components, i_.result);
        return true;
    }

    bool fail(std::string_view what) {
        context_.fail(ErrorCode::kInvalidModule, i_, what);
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
