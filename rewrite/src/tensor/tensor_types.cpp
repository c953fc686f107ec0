// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor_types.hpp"

namespace coopvk::rewrite {

namespace {

std::optional<uint32_t> dimensionsOf(const Module& module, const Instruction& type) {
    const std::optional<uint64_t> dimensions = module.constantValue(type.word(0));
    if (!dimensions || *dimensions == 0 || *dimensions > kMaxTensorDimensions) return std::nullopt;
    return static_cast<uint32_t>(*dimensions);
}

void becomeStructure(LoweringContext& context, Instruction& type, uint32_t members) {
    type.opcode = spv::Op::OpTypeStruct;
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
    const spv::Op has = module.def(type.word(1)).opcode;
    if (!isOneOf(has,
                 {spv::Op::OpConstantTrue, spv::Op::OpConstantFalse, spv::Op::OpConstantNull})) {
        return "HasDimensions of a tensor view must be a constant";
    }
    std::optional<std::vector<uint32_t>> permutation = permutationOf(module, type, *dimensions);
    if (!permutation) return "p0 to p<Dim-1> of a tensor view must be a permutation of 0 to Dim-1";
    const TensorViewType view = {type.result, *dimensions, has == spv::Op::OpConstantTrue, false,
                                 *std::move(permutation)};
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
        if (type.opcode == spv::Op::OpTypeTensorLayoutNV) what = lowerLayout(context, types, type);
        if (type.opcode == spv::Op::OpTypeTensorViewNV) what = lowerView(context, types, type);
        if (!what.empty()) context.fail(ErrorCode::kInvalidModule, type, what);
    }
    context.module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpTensorViewSetClipNV) return;
        const auto view = types.views.find(i.type);
        if (view != types.views.end()) view->second.mayClip = true;
    });
    return types;
}

}  // namespace coopvk::rewrite
