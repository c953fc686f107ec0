// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_tensor_addressing: instructions that make tensor layouts and views.
#include <algorithm>

#include "execution/frame.hpp"
#include "execution/opcode_table.hpp"
#include "matrices/tensor.hpp"

namespace coopvk::reference::matrices {
namespace {

using enum spv::Op;

// Calls f(number) for each number of the state, in the order of the value's components.
template <typename F>
void forNumbers(TensorLayout& t, F f) {
    for (Coordinate* member : {&t.size, &t.stride, &t.offset, &t.span, &t.blockSize}) {
        std::for_each_n(member->begin(), t.dimensions, f);
    }
    f(t.clampValue);
}
template <typename F>
void forNumbers(TensorView& v, F f) {
    for (Coordinate* member : {&v.size, &v.stride}) {
        std::for_each_n(member->begin(), v.dimensions, f);
    }
    for (uint32_t* number :
         {&v.clipRowOffset, &v.clipRowSpan, &v.clipColumnOffset, &v.clipColumnSpan}) {
        f(*number);
    }
}

template <typename State>
void read(const Value& value, uint32_t lane, State& state) {
    uint32_t c = 0;
    forNumbers(state, [&](uint32_t& number) { number = uint32_t(value.at(c++, lane)); });
}
template <typename State>
void write(const Value& value, uint32_t lane, State state) {
    uint32_t c = 0;
    forNumbers(state, [&](uint32_t number) { value.at(c++, lane) = number; });
}

// What the type says.
void start(const Type& type, TensorLayout& layout) {
    layout = createLayout(type.dimensions, ClampMode(type.clampMode));
}
void start(const Type& type, TensorView& view) {
    view.dimensions = type.dimensions;
    view.hasDimensions = type.hasDimensions;
    std::copy(type.permutation.begin(), type.permutation.end(), view.permutation.begin());
}

template <typename State>
Step create(Subgroup& s, const Instruction& i) {
    const Value result = s.result(i);
    State state;
    start(*i.type, state);
    forLanes(s, [&](uint32_t lane) { write(result, lane, state); });
    return Step::kNext;
}

// The operands behind the state; `of` takes every `step`-th.
struct Arguments {
    std::vector<uint32_t> numbers;

    uint32_t operator[](size_t index) const { return numbers[index]; }
    Coordinate of(uint32_t first = 0, uint32_t step = 1) const {
        Coordinate coordinate{};
        for (uint32_t d = 0; d < kMaxDimensions && first + d * step < numbers.size(); ++d) {
            coordinate[d] = numbers[first + d * step];
        }
        return coordinate;
    }
};

template <typename State, auto kChange>
Step change(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0), result = s.result(i);
    Arguments arguments{std::vector<uint32_t>(i.operands.size() - 1)};
    State state;
    start(*i.type, state);
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t a = 0; a < arguments.numbers.size(); ++a) {
            arguments.numbers[a] = uint32_t(s.operand(i, a + 1).at(0, lane));
        }
        read(from, lane, state);
        kChange(state, arguments);
        write(result, lane, state);
    });
    return Step::kNext;
}

using Layout = TensorLayout;
using View = TensorView;
using Given = const Arguments&;
constexpr auto clip = [](View& v, Given a) {
    v.clipRowOffset = a[0];
    v.clipRowSpan = a[1];
    v.clipColumnOffset = a[2];
    v.clipColumnSpan = a[3];
};

constexpr auto kAll = Defined::kAll;
constexpr OpcodeRow kRows[] = {
    row(OpCreateTensorLayoutNV, create<Layout>, Defined::kAlways),
    row(OpTensorLayoutSetDimensionNV,
        change<Layout, [](Layout& t, Given a) { t = setDimension(t, a.of()); }>, kAll),
    row(OpTensorLayoutSetStrideNV, change<Layout, [](Layout& t, Given a) { t.stride = a.of(); }>,
        kAll),
    row(OpTensorLayoutSliceNV,
        change<Layout, [](Layout& t, Given a) { t = slice(t, a.of(0, 2), a.of(1, 2)); }>, kAll),
    row(OpTensorLayoutSetClampValueNV,
        change<Layout, [](Layout& t, Given a) { t.clampValue = a[0]; }>, kAll),
    row(OpTensorLayoutSetBlockSizeNV,
        change<Layout, [](Layout& t, Given a) { t.blockSize = a.of(); }>, kAll),
    row(OpCreateTensorViewNV, create<View>, Defined::kAlways),
    row(OpTensorViewSetDimensionNV,
        change<View, [](View& v, Given a) { v = setDimension(v, a.of()); }>, kAll),
    row(OpTensorViewSetStrideNV, change<View, [](View& v, Given a) { v.stride = a.of(); }>, kAll),
    row(OpTensorViewSetClipNV, change<View, clip>, kAll),
};

}  // namespace

TensorLayout layoutAt(const Value& value, uint32_t lane) {
    TensorLayout layout;
    start(*value.type, layout);
    read(value, lane, layout);
    return layout;
}

TensorView viewAt(const Value& value, uint32_t lane) {
    TensorView view;
    start(*value.type, view);
    read(value, lane, view);
    return view;
}

}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::tensorRows() { return matrices::kRows; }
