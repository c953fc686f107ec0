// SPDX-License-Identifier: Apache-2.0
//
// The instructions that make layouts and views: each copies one and sets some of its numbers.
#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

using Layout = TensorLayoutType;
using View = TensorViewType;

// The members of a copy, and the operands behind it: u32.
template <typename Type>
struct Copy {
    Emitter& emit;
    const Type& type;
    std::vector<Id>& members;
    std::span<const Id> operands;

    uint32_t dimensions() const { return type.dimensions; }
    Id& at(typename Type::Field field, uint32_t dimension) const {
        return members[type.member(field, dimension)];
    }
    void fill(typename Type::Field field, Id value) const {
        for (uint32_t d = 0; d < dimensions(); ++d) at(field, d) = value;
    }
    void set(typename Type::Field field) const {
        for (uint32_t d = 0; d < dimensions(); ++d) at(field, d) = operands[d];
    }
};

Id ceilingQuotient(Emitter& emit, Id a, Id b) {
    if (emit.module().constantValue(b) == 1) return a;
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    const Id isRest = emit.op(spv::Op::OpINotEqual, types.boolType(),
                              {safeRemainder(emit, a, b), emit.constant(0)});
    const Id rest = emit.op(spv::Op::OpSelect, u32, {isRest, emit.constant(1), emit.constant(0)});
    return emit.addInt(u32, safeDivide(emit, a, b), rest);
}

void createLayout(const Copy<Layout>& c) { c.fill(Layout::kBlockSize, c.emit.constant(1)); }

void setBlockSize(const Copy<Layout>& c) { c.set(Layout::kBlockSize); }

void setDimension(const Copy<Layout>& c) {
    c.set(Layout::kDimension);
    c.set(Layout::kSpan);
    c.fill(Layout::kOffset, c.emit.constant(0));
    c.at(Layout::kStride, c.dimensions() - 1) = c.emit.constant(1);
    for (uint32_t d = c.dimensions() - 1; d-- > 0;) {
        const Id blocks =
            ceilingQuotient(c.emit, c.operands[d + 1], c.at(Layout::kBlockSize, d + 1));
        c.at(Layout::kStride, d) =
            c.emit.mulInt(c.emit.types().uint32(), c.at(Layout::kStride, d + 1), blocks);
    }
}

void setStride(const Copy<Layout>& c) { c.set(Layout::kStride); }

void slice(const Copy<Layout>& c) {
    for (uint32_t d = 0; d < c.dimensions(); ++d) {
        Id& offset = c.at(Layout::kOffset, d);
        offset = c.emit.addInt(c.emit.types().uint32(), offset, c.operands[size_t{2} * d]);
        c.at(Layout::kSpan, d) = c.operands[size_t{2} * d + 1];
    }
}

void setClampValue(const Copy<Layout>& c) { c.members[c.type.clampValue()] = c.operands[0]; }

void createView(const Copy<View>& c) {
    for (const View::Clip span : {View::kRowSpan, View::kColumnSpan}) {
        c.members[c.type.clip(span)] = c.emit.constant(~0u);
    }
}

void setViewDimension(const Copy<View>& c) {
    c.set(View::kDimension);
    c.at(View::kStride, c.dimensions() - 1) = c.emit.constant(1);
    for (uint32_t d = c.dimensions() - 1; d-- > 0;) {
        c.at(View::kStride, d) =
            c.emit.mulInt(c.emit.types().uint32(), c.at(View::kStride, d + 1), c.operands[d + 1]);
    }
}

void setViewStride(const Copy<View>& c) { c.set(View::kStride); }

void setClip(const Copy<View>& c) {
    for (uint32_t k = 0; k < View::kClips; ++k) {
        c.members[c.type.clip(static_cast<View::Clip>(k))] = c.operands[k];
    }
}

template <typename Type>
struct Row {
    spv::Op opcode;
    bool copies;                      // else it makes one of zeros
    uint32_t operandsEach, operands;  // for each dimension, and further ones
    void (*apply)(const Copy<Type>&);
};

constexpr Row<Layout> kLayoutRows[] = {
    {spv::Op::OpCreateTensorLayoutNV, false, 0, 0, createLayout},
    {spv::Op::OpTensorLayoutSetBlockSizeNV, true, 1, 0, setBlockSize},
    {spv::Op::OpTensorLayoutSetDimensionNV, true, 1, 0, setDimension},
    {spv::Op::OpTensorLayoutSetStrideNV, true, 1, 0, setStride},
    {spv::Op::OpTensorLayoutSliceNV, true, 2, 0, slice},
    {spv::Op::OpTensorLayoutSetClampValueNV, true, 0, 1, setClampValue},
};
constexpr Row<View> kViewRows[] = {
    {spv::Op::OpCreateTensorViewNV, false, 0, 0, createView},
    {spv::Op::OpTensorViewSetDimensionNV, true, 1, 0, setViewDimension},
    {spv::Op::OpTensorViewSetStrideNV, true, 1, 0, setViewStride},
    {spv::Op::OpTensorViewSetClipNV, true, 0, View::kClips, setClip},
};

// The operands as u32; nullopt where one is no integer scalar of 32 bits.
std::optional<std::vector<Id>> numbers(Emitter& emit, std::span<const Operand> operands) {
    std::vector<Id> ids;
    for (const Operand& operand : operands) {
        const Id type = emit.typeOf(operand.word);
        const TypeTable& types = emit.types();
        if (!types.isInteger(type) || types.width(type) != 32 || types.components(type) != 1) {
            return std::nullopt;
        }
        ids.push_back(emit.toU32(operand.word));
    }
    return ids;
}

template <typename Type>
void lower(LoweringContext& context, Emitter& emit, const Instruction& i, const Type& type,
           std::span<const Row<Type>> rows) {
    const auto row = std::ranges::find(rows, i.opcode, &Row<Type>::opcode);
    if (row == rows.end()) {
        context.fail(ErrorCode::kInvalidModule, i, "Result Type is not what the instruction makes");
        return;
    }
    const size_t own = row->copies ? 1 : 0;
    if (row->copies && emit.typeOf(i.word(0)) != type.id) {
        context.fail(ErrorCode::kInvalidModule, i, "the type of the operand must be Result Type");
        return;
    }
    const std::optional<std::vector<Id>> operands = numbers(emit, operandsBehind(i, own));
    if (!operands || operands->size() != row->operandsEach * type.dimensions + row->operands) {
        context.fail(ErrorCode::kInvalidModule, i,
                     "the operands must be 32-bit integers, as many as the type has dimensions");
        return;
    }
    std::vector<Id> members = row->copies ? tensorMembers(emit, i.word(0))
                                          : std::vector<Id>(type.members(), emit.constant(0));
    row->apply({emit, type, members, *operands});
    emit.add(
        makeInstruction(spv::Op::OpCompositeConstruct, type.id, i.result, idOperands(members)));
}

}  // namespace

std::vector<Id> tensorMembers(Emitter& emit, Id value) {
    const Instruction& def = emit.module().def(value);
    std::vector<Id> members;
    if (def.opcode == spv::Op::OpCompositeConstruct) {
        for (const Operand& member : def.operands) members.push_back(member.word);
        return members;
    }
    const auto count = static_cast<uint32_t>(emit.module().def(def.type).operands.size());
    for (uint32_t m = 0; m < count; ++m) {
        members.push_back(emit.extract(emit.types().uint32(), value, {m}));
    }
    return members;
}

void lowerTensorValue(LoweringContext& context, const TensorTypes& types, Emitter& emit,
                      const Instruction& i) {
    const auto layout = types.layouts.find(i.type);
    const auto view = types.views.find(i.type);
    if (layout != types.layouts.end()) {
        lower<Layout>(context, emit, i, layout->second, kLayoutRows);
    } else if (view != types.views.end()) {
        lower<View>(context, emit, i, view->second, kViewRows);
    } else {
        context.fail(ErrorCode::kInvalidModule, i, "Result Type is no tensor layout and no view");
    }
}

namespace {

Id atLeastOne(Emitter& emit, Id value) {
    if (const std::optional<uint64_t> known = emit.module().constantValue(value)) {
        return *known == 0 ? emit.constant(1) : value;
    }
    return emit.glsl(GLSLstd450UMax, emit.types().uint32(), {value, emit.constant(1)});
}

}  // namespace

Id safeDivide(Emitter& emit, Id a, Id b) {
    return emit.divInt(emit.types().uint32(), a, atLeastOne(emit, b));
}

Id safeRemainder(Emitter& emit, Id a, Id b) {
    return emit.modInt(emit.types().uint32(), a, atLeastOne(emit, b));
}

}  // namespace coopvk::rewrite
