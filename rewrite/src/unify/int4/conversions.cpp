// SPDX-License-Identifier: Apache-2.0
//
// Constants, conversions and bit casts of 4-bit integers.
#include "ir/opcodes.hpp"
#include "unify/int4/types.hpp"

namespace coopvk::rewrite {

namespace {

// The bits of a 4-bit scalar constant; nullopt if it is not one.
std::optional<uint32_t> fourBits(const Module& module, Id id) {
    const Instruction& def = module.def(id);
    switch (def.opcode) {
        case OpConstant:
            return def.word(0) & 15u;
        case OpConstantNull:
        case OpUndef:
        case kOpPoison:
            return 0;
        default:
            return std::nullopt;
    }
}

void lowerComposite(Int4Context& context, const Int4Type& type, Instruction& constant) {
    const bool replicated = constant.opcode == OpConstantCompositeReplicateEXT;
    if (constant.operands.size() != (replicated ? 1 : type.components)) {
        return context.invalid(constant, "one constituent for each component");
    }
    uint64_t bits = 0;
    for (uint32_t c = 0; c < type.components; ++c) {
        const auto value = fourBits(context.module, constant.word(replicated ? 0 : c));
        if (!value) return context.invalid(constant, "a constituent is not a constant");
        bits |= uint64_t{*value} << 4 * c;
    }
    const uint32_t width = type.isByteWise() ? 8 : 32;
    const uint32_t parts = type.isByteWise() ? type.bytes : type.words();
    constant.opcode = parts == 1 ? OpConstant : OpConstantComposite;
    constant.operands = {literal(static_cast<uint32_t>(bits))};
    if (parts == 1) return;
    constant.operands.clear();
    const Id scalar = context.types.intType(width, false);
    for (uint32_t p = 0; p < parts; ++p) {
        constant.operands.push_back(idOperand(context.types.constant(scalar, bits >> width * p)));
    }
}

}  // namespace

void lowerInt4Constant(Int4Context& context, Instruction& constant) {
    const Int4Type* type = context.type(constant.type);
    if (type == nullptr) return;
    switch (constant.opcode) {
        case OpConstant: {
            // Literals are sign extended in signed types (SPIR-V specification, section 2.2.1).
            const uint32_t bits = constant.word(0) & 15u;
            const bool negative = type->isSigned && bits >= 8;
            constant.operands = {literal(negative ? bits | ~15u : bits)};
            break;
        }
        case OpConstantComposite:
        case OpConstantCompositeReplicateEXT:
            lowerComposite(context, *type, constant);
            break;
        case OpConstantNull:
        case OpUndef:
        case kOpPoison:
            break;
        default:
            context.unsupported(constant,
                                "this specialization constant of 4-bit integers cannot be folded");
            break;
    }
}

namespace {

class Int4Conversion {
 public:
    Int4Conversion(Int4Function& f, const Instruction& i)
        : context_(f.context), types_(f.context.types), emit_(f.emit()), i_(i), values_(f.values) {}

    void convert() {
        const Id fromType = emit_.typeOf(i_.word(0));
        const uint32_t fromCount = from_ ? from_->components : types_.components(fromType);
        const uint32_t toCount = to_ ? to_->components : types_.components(i_.type);
        if (fromCount != toCount || fromCount == 0) {
            return fail("a conversion keeps the number of components");
        }
        std::vector<Id> words = from_ ? values_.components(i_.word(0), *from_, isSigned())
                                      : wideComponents(fromType, fromCount);
        if (to_) {
            values_.make(*to_, words, i_.result);
            return;
        }
        for (Id& word : words) word = toWide(word, types_.scalarOf(i_.type));
        const spv::Op gather = toCount == 1 ? OpCopyObject : OpCompositeConstruct;
        emit_.op(gather, i_.type, idOperands(words), i_.result);
    }

    void bitcast() {
        const Id value = i_.word(0);
        if (from_ && to_) {
            if (from_->components != to_->components) return fail(kBits);
            // Signed and unsigned vectors have the same replacement.
            if (from_->components > 1) {
                emit_.op(OpCopyObject, to_->id, {value}, i_.result);
            } else {
                values_.make(*to_, values_.components(value, *from_, to_->isSigned), i_.result);
            }
            return;
        }
        const Id other = from_ ? i_.type : emit_.typeOf(value);
        const Int4Type& int4 = from_ ? *from_ : *to_;
        if (types_.width(other) * types_.components(other) != int4.components * 4) {
            return fail(kBits);
        }
        const bool same = other == int4.replacement;
        emit_.op(same ? OpCopyObject : OpBitcast, i_.type, {value}, i_.result);
    }

 private:
    static constexpr std::string_view kBits = "a bitcast keeps the number of bits";

    void fail(std::string_view what) { context_.invalid(i_, what); }

    bool isSigned() const { return i_.opcode == OpSConvert || i_.opcode == OpConvertSToF; }

    // The components of a value of another type as u32, whose low four bits are the result.
    std::vector<Id> wideComponents(Id type, uint32_t count) {
        const Id scalar = types_.scalarOf(type), u32 = types_.uint32();
        const spv::Op opcode = types_.isFloat(type) ? i_.opcode : OpUConvert;
        const bool cast = !types_.isFloat(type) && types_.width(type) == 32;
        std::vector<Id> list;
        for (uint32_t c = 0; c < count; ++c) {
            const Id value = count == 1 ? i_.word(0) : emit_.extract(scalar, i_.word(0), {c});
            list.push_back(cast ? emit_.bitcast(u32, value) : emit_.op(opcode, u32, {value}));
        }
        return list;
    }

    // A u32, sign or zero extended by the conversion, as the component type of the result.
    Id toWide(Id word, Id scalar) {
        if (types_.isFloat(scalar)) return emit_.op(i_.opcode, scalar, {word});
        const uint32_t width = types_.width(scalar);
        if (width == 32) return emit_.bitcast(scalar, word);
        // The result type of OpUConvert must be unsigned.
        if (isSigned() || width < 32) return emit_.op(OpSConvert, scalar, {word});
        const Id wide = emit_.op(OpUConvert, types_.intType(width, false), {word});
        return emit_.bitcast(scalar, wide);
    }

    Int4Context& context_;
    TypeTable& types_;
    Emitter& emit_;
    const Instruction& i_;
    Int4Values& values_;
    const Int4Type* from_ = context_.typeOf(i_.word(0));
    const Int4Type* to_ = context_.type(i_.type);
};

bool lowerInt4Conversion(Int4Function& f, const Instruction& i) {
    if (f.context.type(i.type) == nullptr && f.context.typeOf(i.word(0)) == nullptr) return false;
    Int4Conversion conversion(f, i);
    if (i.opcode == OpBitcast) {
        conversion.bitcast();
    } else {
        conversion.convert();
    }
    return true;
}

}  // namespace

void addInt4Conversions(OpcodeTable<Int4Function>& table) {
    table.add<lowerInt4Conversion>({OpConvertFToU, OpConvertFToS, OpConvertSToF, OpConvertUToF,
                                    OpUConvert, OpSConvert, OpBitcast});
}

}  // namespace coopvk::rewrite
