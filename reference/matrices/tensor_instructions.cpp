// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_tensor_addressing: instructions that make tensor layouts and views.
#include <algorithm>
#include <span>

#include "execution/frame.hpp"
#include "execution/opcode_table.hpp"
#include "matrices/tensor_values.hpp"

namespace coopvk::reference::matrices {
namespace {

using Arguments = std::span<const uint32_t>;

// The numbers of a member, or of every `step`-th argument.
Coordinate coordinateOf(Arguments arguments, uint32_t first, uint32_t step) {
    Coordinate coordinate{};
    for (uint32_t d = 0; d < kMaxDimensions && first + d * step < arguments.size(); ++d) {
        coordinate[d] = arguments[first + d * step];
    }
    return coordinate;
}

TensorLayout layoutDimension(TensorLayout t, Arguments a) {
    return setDimension(t, coordinateOf(a, 0, 1));
}
TensorLayout layoutStride(TensorLayout t, Arguments a) {
    t.stride = coordinateOf(a, 0, 1);
    return t;
}
TensorLayout layoutBlockSize(TensorLayout t, Arguments a) {
    t.blockSize = coordinateOf(a, 0, 1);
    return t;
}
TensorLayout layoutSlice(TensorLayout t, Arguments a) {
    return slice(t, coordinateOf(a, 0, 2), coordinateOf(a, 1, 2));
}
TensorLayout layoutClampValue(TensorLayout t, Arguments a) {
    t.clampValue = a[0];
    return t;
}
TensorView viewDimension(TensorView v, Arguments a) {
    return setDimension(v, coordinateOf(a, 0, 1));
}
TensorView viewStride(TensorView v, Arguments a) {
    v.stride = coordinateOf(a, 0, 1);
    return v;
}
TensorView viewClip(TensorView v, Arguments a) {
    v.clipRowOffset = a[0];
    v.clipRowSpan = a[1];
    v.clipColumnOffset = a[2];
    v.clipColumnSpan = a[3];
    return v;
}

// The operands behind the first, and where all operands are defined.
LaneMask definedOf(const Subgroup& s, const Instruction& i) {
    LaneMask defined = s.mask;
    for (uint32_t operand = 0; operand < i.operands.size(); ++operand) {
        const Value value = s.operand(i, operand);
        for (uint32_t c = 0; c < value.components(); ++c) defined &= value.defined[c];
    }
    return defined;
}

void setDefined(const Subgroup& s, const Value& result, LaneMask defined) {
    for (uint32_t c = 0; c < result.components(); ++c) {
        result.defined[c] = (result.defined[c] & ~s.mask) | defined;
    }
}

template <auto kRead, auto kChange, auto kWrite>
Step change(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const LaneMask defined = definedOf(s, i);
    std::vector<uint32_t> arguments(i.operands.size() - 1);
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t a = 0; a < arguments.size(); ++a) {
            arguments[a] = uint32_t(s.operand(i, a + 1).at(0, lane));
        }
        kWrite(result, lane, kChange(kRead(s.operand(i, 0), lane), Arguments(arguments)));
    });
    setDefined(s, result, defined);
    return Step::kNext;
}

template <auto kChange>
constexpr Handler kOfLayout = change<layoutAt, kChange, setLayout>;
template <auto kChange>
constexpr Handler kOfView = change<viewAt, kChange, setView>;

Step createLayoutValue(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    const TensorLayout layout = createLayout(i.type->dimensions, ClampMode(i.type->clampMode));
    forLanes(s, [&](uint32_t lane) { setLayout(result, lane, layout); });
    setDefined(s, result, s.mask);
    return Step::kNext;
}

Step createViewValue(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    TensorView view;
    view.dimensions = i.type->dimensions;
    forLanes(s, [&](uint32_t lane) { setView(result, lane, view); });
    setDefined(s, result, s.mask);
    return Step::kNext;
}

constexpr OpcodeRow kRows[] = {
    row(spv::Op::OpCreateTensorLayoutNV, createLayoutValue),
    row(spv::Op::OpTensorLayoutSetDimensionNV, kOfLayout<layoutDimension>),
    row(spv::Op::OpTensorLayoutSetStrideNV, kOfLayout<layoutStride>),
    row(spv::Op::OpTensorLayoutSliceNV, kOfLayout<layoutSlice>),
    row(spv::Op::OpTensorLayoutSetClampValueNV, kOfLayout<layoutClampValue>),
    row(spv::Op::OpTensorLayoutSetBlockSizeNV, kOfLayout<layoutBlockSize>),
    row(spv::Op::OpCreateTensorViewNV, createViewValue),
    row(spv::Op::OpTensorViewSetDimensionNV, kOfView<viewDimension>),
    row(spv::Op::OpTensorViewSetStrideNV, kOfView<viewStride>),
    row(spv::Op::OpTensorViewSetClipNV, kOfView<viewClip>),
};

// Members in the order of their components.
constexpr Coordinate TensorLayout::* kLayoutMembers[] = {&TensorLayout::size, &TensorLayout::stride,
                                                         &TensorLayout::offset, &TensorLayout::span,
                                                         &TensorLayout::blockSize};
constexpr Coordinate TensorView::* kViewMembers[] = {&TensorView::size, &TensorView::stride};
constexpr uint32_t TensorView::* kClipMembers[] = {
    &TensorView::clipRowOffset, &TensorView::clipRowSpan, &TensorView::clipColumnOffset,
    &TensorView::clipColumnSpan};

}  // namespace

TensorLayout layoutAt(const Value& value, uint32_t lane) {
    TensorLayout layout;
    layout.dimensions = value.type->dimensions;
    layout.clampMode = ClampMode(value.type->clampMode);
    uint32_t c = 0;
    for (const auto member : kLayoutMembers) {
        for (uint32_t d = 0; d < layout.dimensions; ++d) {
            (layout.*member)[d] = uint32_t(value.at(c++, lane));
        }
    }
    layout.clampValue = uint32_t(value.at(c, lane));
    return layout;
}

void setLayout(const Value& value, uint32_t lane, const TensorLayout& layout) {
    uint32_t c = 0;
    for (const auto member : kLayoutMembers) {
        for (uint32_t d = 0; d < layout.dimensions; ++d) value.at(c++, lane) = (layout.*member)[d];
    }
    value.at(c, lane) = layout.clampValue;
}

TensorView viewAt(const Value& value, uint32_t lane) {
    TensorView view;
    view.dimensions = value.type->dimensions;
    view.hasDimensions = value.type->hasDimensions;
    std::copy(value.type->permutation.begin(), value.type->permutation.end(),
              view.permutation.begin());
    uint32_t c = 0;
    for (const auto member : kViewMembers) {
        for (uint32_t d = 0; d < view.dimensions; ++d) {
            (view.*member)[d] = uint32_t(value.at(c++, lane));
        }
    }
    for (const auto member : kClipMembers) view.*member = uint32_t(value.at(c++, lane));
    return view;
}

void setView(const Value& value, uint32_t lane, const TensorView& view) {
    uint32_t c = 0;
    for (const auto member : kViewMembers) {
        for (uint32_t d = 0; d < view.dimensions; ++d) value.at(c++, lane) = (view.*member)[d];
    }
    for (const auto member : kClipMembers) value.at(c++, lane) = view.*member;
}

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::tensorRows() { return matrices::kRows; }
