// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

std::optional<uint32_t> dimensionsOf(const Module& module, const Instruction& type) {
    const std::optional<uint64_t> dimensions = module.constantValue(type.word(0));
    if (!dimensions || *dimensions == 0 || *dimensions > kMaxTensorDimensions) return std::nullopt;
    return static_cast<uint32_t>(*dimensions);
}

void becomeStructure(LoweringContext& context, Instruction& type, uint32_t members) {
    type.opcode = OpTypeStruct;
    type.operands.assign(members, idOperand(context.types.uint32()));
}

// Why a layout type is invalid; empty: it is lowered.
std::string_view lowerLayout(LoweringContext& context, TensorTypes& types, Instruction& type) {
    const std::optional<uint32_t> dimensions = dimensionsOf(context.module, type);
    if (!dimensions) return "Dim of a tensor layout must be a constant from 1 to 5";
    const std::optional<uint64_t> clamp = context.module.constantValue(type.word(1));
    if (!clamp || *clamp > static_cast<uint64_t>(spv::TensorClampMode::RepeatMirrored)) {
        return "ClampMode of a tensor layout must be a constant from 0 to 4";
    }
    const TensorLayoutType layout = {type.result, *dimensions,
                                     static_cast<spv::TensorClampMode>(*clamp)};
    types.layouts.emplace(type.result, layout);
    becomeStructure(context, type, layout.members());
    return {};
}

// The permutation of a view type; nullopt where its operands are not one.
std::optional<std::vector<uint32_t>> permutationOf(const Module& module, const Instruction& type,
                                                   uint32_t dimensions) {
    if (type.operands.size() != dimensions + 2) return std::nullopt;
    std::vector<uint32_t> permutation;
    uint32_t seen = 0;
    for (const Operand& operand : operandsBehind(type, 2)) {
        const std::optional<uint64_t> place = module.constantValue(operand.word);
        if (!place || *place >= dimensions || (seen >> *place & 1) != 0) return std::nullopt;
        seen |= 1u << *place;
        permutation.push_back(static_cast<uint32_t>(*place));
    }
    return permutation;
}

// Why a view type is invalid; empty: it is lowered.
std::string_view lowerView(LoweringContext& context, TensorTypes& types, Instruction& type) {
    const Module& module = context.module;
    const std::optional<uint32_t> dimensions = dimensionsOf(module, type);
    if (!dimensions) return "Dim of a tensor view must be a constant from 1 to 5";
    const std::optional<bool> has = module.constantBool(type.word(1));
    if (!has) return "HasDimensions of a tensor view must be a constant";
    std::optional<std::vector<uint32_t>> permutation = permutationOf(module, type, *dimensions);
    if (!permutation) return "p0 to p<Dim-1> of a tensor view must be a permutation of 0 to Dim-1";
    const TensorViewType view = {type.result, *dimensions, *has, false, *std::move(permutation)};
    types.views.emplace(type.result, view);
    becomeStructure(context, type, view.members());
    return {};
}

}  // namespace

TensorTypes lowerTensorTypes(LoweringContext& context) {
    TensorTypes types;
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        Instruction& type = *globals[g];
        std::string_view what;
        if (type.opcode == OpTypeTensorLayoutNV) what = lowerLayout(context, types, type);
        if (type.opcode == OpTypeTensorViewNV) what = lowerView(context, types, type);
        if (!what.empty()) context.invalid(type, what);
    }
    if (types.layouts.empty() && types.views.empty()) return types;
    context.module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != OpTensorViewSetClipNV) return;
        const auto view = types.views.find(i.type);
        if (view != types.views.end()) view->second.mayClip = true;
    });
    return types;
}

// Instructions that make layouts and views: each copies one, and sets some of its numbers.

namespace {

using Layout = TensorLayoutType;
using View = TensorViewType;

// One of these instructions: the members of its result, which begin as those of what it copies, and
// its further operands. All are u32.
template <typename Type>
struct Setting {
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
    // Sets the strides of tightly packed dimensions. size(d) is that of dimension d.
    template <typename Size>
    void packStrides(Size size) const {
        at(Type::kStride, dimensions() - 1) = emit.constant(1);
        for (uint32_t d = dimensions() - 1; d-- > 0;) {
            at(Type::kStride, d) = emit.mulU32(at(Type::kStride, d + 1), size(d + 1));
        }
    }
};

Id ceilingQuotient(Emitter& emit, Id a, Id b) {
    if (emit.module().constantValue(b) == 1) return a;
    TypeTable& types = emit.types();
    const Id u32 = types.uint32();
    const Id isRest =
        emit.op(OpINotEqual, types.boolType(), {safeRemainder(emit, a, b), emit.constant(0)});
    const Id rest = emit.select(isRest, emit.constant(1), emit.constant(0));
    return emit.addInt(u32, safeDivide(emit, a, b), rest);
}

void createLayout(const Setting<Layout>& c) { c.fill(Layout::kBlockSize, c.emit.constant(1)); }

template <typename Type, typename Type::Field field>
void set(const Setting<Type>& c) {
    c.set(field);
}

void setDimension(const Setting<Layout>& c) {
    c.set(Layout::kDimension);
    c.set(Layout::kSpan);
    c.fill(Layout::kOffset, c.emit.constant(0));
    c.packStrides([&](uint32_t d) {
        return ceilingQuotient(c.emit, c.operands[d], c.at(Layout::kBlockSize, d));
    });
}

void slice(const Setting<Layout>& c) {
    for (uint32_t d = 0; d < c.dimensions(); ++d) {
        Id& offset = c.at(Layout::kOffset, d);
        offset = c.emit.addU32(offset, c.operands[size_t{2} * d]);
        c.at(Layout::kSpan, d) = c.operands[size_t{2} * d + 1];
    }
}

void setClampValue(const Setting<Layout>& c) { c.members[c.type.clampValue()] = c.operands[0]; }

void createView(const Setting<View>& c) {
    for (const View::Clip span : {View::kRowSpan, View::kColumnSpan}) {
        c.members[c.type.clip(span)] = c.emit.constant(~0u);
    }
}

void setViewDimension(const Setting<View>& c) {
    c.set(View::kDimension);
    c.packStrides([&](uint32_t d) { return c.operands[d]; });
}

void setClip(const Setting<View>& c) {
    for (uint32_t k = 0; k < View::kClips; ++k) {
        c.members[c.type.clip(static_cast<View::Clip>(k))] = c.operands[k];
    }
}

template <typename Type>
struct TensorRow {
    spv::Op opcode;
    bool copies;                      // its first operand; else it makes one of zeros
    uint32_t operandsEach, operands;  // further operands: of each dimension, and others
    void (*apply)(const Setting<Type>&);
};

constexpr TensorRow<Layout> kLayoutRows[] = {
    {OpCreateTensorLayoutNV, false, 0, 0, createLayout},
    {OpTensorLayoutSetBlockSizeNV, true, 1, 0, set<Layout, Layout::kBlockSize>},
    {OpTensorLayoutSetDimensionNV, true, 1, 0, setDimension},
    {OpTensorLayoutSetStrideNV, true, 1, 0, set<Layout, Layout::kStride>},
    {OpTensorLayoutSliceNV, true, 2, 0, slice},
    {OpTensorLayoutSetClampValueNV, true, 0, 1, setClampValue},
};
constexpr TensorRow<View> kViewRows[] = {
    {OpCreateTensorViewNV, false, 0, 0, createView},
    {OpTensorViewSetDimensionNV, true, 1, 0, setViewDimension},
    {OpTensorViewSetStrideNV, true, 1, 0, set<View, View::kStride>},
    {OpTensorViewSetClipNV, true, 0, View::kClips, setClip},
};

// The operands as u32; nullopt where one is not a 32-bit integer scalar.
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
           std::span<const TensorRow<Type>> rows) {
    const auto row = std::ranges::find(rows, i.opcode, &TensorRow<Type>::opcode);
    if (row == rows.end()) {
        return context.invalid(i, "Result Type is not what the instruction makes");
    }
    const size_t copied = row->copies ? 1 : 0;
    if (row->copies && emit.typeOf(i.word(0)) != type.id) {
        return context.invalid(i, "the type of the operand must be Result Type");
    }
    const std::optional<std::vector<Id>> operands = numbers(emit, operandsBehind(i, copied));
    if (!operands || operands->size() != row->operandsEach * type.dimensions + row->operands) {
        return context.invalid(
            i, "the operands must be 32-bit integers, as many as the type has dimensions");
    }
    std::vector<Id> members = row->copies ? structureMembers(emit, i.word(0))
                                          : std::vector<Id>(type.members(), emit.constant(0));
    row->apply({emit, type, members, *operands});
    emit.add(makeInstruction(OpCompositeConstruct, type.id, i.result, idOperands(members)));
}

}  // namespace

std::vector<Id> structureMembers(Emitter& emit, Id value) {
    const Instruction& def = emit.module().def(value);
    if (def.opcode == OpCompositeConstruct)
        return listFor(def.operands, [](const Operand& member) { return member.word; });
    const Operands types = emit.module().def(def.type).operands;
    return listOf(types.size(),
                  [&](uint32_t m) { return emit.extract(types[m].word, value, {m}); });
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
        context.invalid(i, "Result Type is not a tensor layout or view");
    }
}

}  // namespace coopvk::rewrite
