// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_tensor_addressing: the functions of its text, and the instructions that make tensor
// layouts and views.
#include "execution/opcode_table.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {
namespace {

// OpSMod: the sign of the divisor. A divisor of 0 has no remainder: 0.
int64_t modulo(int64_t value, int64_t divisor) {
    if (divisor == 0) return 0;
    return (value % divisor + divisor) % divisor;
}

// linearToSpanCoord and linearToViewCoord: false if a size is 0.
bool toCoordinate(uint32_t index, const Coordinate& size, const Coordinate& order,
                  uint32_t dimensions, Coordinate& coordinate) {
    for (uint32_t d = dimensions; d-- > 0;) {
        const uint32_t i = order[d];
        if (size[i] == 0) return false;
        coordinate[i] = index % size[i];
        index /= size[i];
    }
    return true;
}

// Strides of elements without gaps.
Coordinate denseStrides(const Coordinate& size, uint32_t dimensions) {
    Coordinate stride{};
    stride[dimensions - 1] = 1;
    for (uint32_t d = dimensions - 1; d-- > 0;) stride[d] = stride[d + 1] * size[d + 1];
    return stride;
}

constexpr Coordinate kInOrder{0, 1, 2, 3, 4};

uint32_t toLinear(const Coordinate& coordinate, const Coordinate& stride, uint32_t dimensions) {
    uint32_t index = 0;
    for (uint32_t d = 0; d < dimensions; ++d) index += coordinate[d] * stride[d];
    return index;
}

// matrixCoordToLinear with a view: false if the element is clipped.
bool clip(const TensorView& view, uint32_t row, uint32_t column, uint32_t columns,
          uint32_t& index) {
    if (row < view.clipRowOffset || row >= view.clipRowOffset + view.clipRowSpan ||
        column < view.clipColumnOffset || column >= view.clipColumnOffset + view.clipColumnSpan) {
        return false;
    }
    const uint32_t width = std::min(columns, view.clipColumnSpan);
    index = (row - view.clipRowOffset) * width + (column - view.clipColumnOffset);
    return true;
}

// linearToViewCoord and viewCoordToLinear: false if a size is 0.
bool throughView(const TensorLayout& layout, const TensorView& view, uint32_t& index) {
    const Coordinate& size = view.hasDimensions ? view.size : layout.span;
    Coordinate coordinate{};
    if (!toCoordinate(index, size, view.permutation, view.dimensions, coordinate)) return false;
    const Coordinate stride =
        view.hasDimensions ? view.stride : denseStrides(layout.span, view.dimensions);
    index = toLinear(coordinate, stride, view.dimensions);
    return true;
}

// A coordinate that is out of bounds, by the clamp mode of a load.
int64_t clamped(ClampMode mode, int64_t c, int64_t size) {
    if (mode == ClampMode::clampToEdge) return std::min(std::max<int64_t>(c, 0), size - 1);
    if (mode == ClampMode::repeat) return modulo(c, size);
    c = modulo(c, 2 * size - 2);  // repeatMirrored
    return c >= size ? 2 * size - 2 - c : c;
}

// spanCoordToTensorCoord
TensorAccess toTensor(const TensorLayout& layout, const Coordinate& coordinate, bool store,
                      TensorElement& element) {
    for (uint32_t d = 0; d < layout.dimensions; ++d) {
        const int64_t size = layout.size[d];
        int64_t c = int32_t(coordinate[d] + layout.offset[d]);
        if (c < 0 || c >= size) {
            if (layout.clampMode == ClampMode::undefined) return TensorAccess::undefined;
            if (store || layout.clampMode == ClampMode::constant) return TensorAccess::constant;
            c = clamped(layout.clampMode, c, size);
            if (c < 0 || c >= size) return TensorAccess::undefined;  // of a size of 0
        }
        if (layout.blockSize[d] == 0) return TensorAccess::undefined;
        element.inBlock[d] = uint32_t(c) % layout.blockSize[d];
        element.block[d] = uint32_t(c) / layout.blockSize[d];
    }
    return TensorAccess::element;
}

}  // namespace

TensorLayout createLayout(uint32_t dimensions, ClampMode mode) {
    TensorLayout layout;
    layout.dimensions = dimensions;
    layout.clampMode = mode;
    layout.blockSize.fill(1);
    return layout;
}

TensorLayout setDimension(TensorLayout layout, const Coordinate& size) {
    layout.size = layout.span = size;
    layout.offset = {};
    Coordinate blocks{};
    for (uint32_t d = 0; d < layout.dimensions; ++d) {
        const uint64_t block = std::max(layout.blockSize[d], 1u);
        blocks[d] = uint32_t((size[d] + block - 1) / block);
    }
    layout.stride = denseStrides(blocks, layout.dimensions);
    return layout;
}

TensorLayout slice(TensorLayout layout, const Coordinate& offset, const Coordinate& span) {
    for (uint32_t d = 0; d < layout.dimensions; ++d) layout.offset[d] += offset[d];
    layout.span = span;
    return layout;
}

TensorView setDimension(TensorView view, const Coordinate& size) {
    view.size = size;
    view.stride = denseStrides(size, view.dimensions);
    return view;
}

TensorElement tensorElement(const TensorLayout& layout, const TensorView* view, uint32_t row,
                            uint32_t column, uint32_t columns, bool store) {
    TensorElement element;
    uint32_t index = row * columns + column;
    if (view != nullptr) {
        if (!clip(*view, row, column, columns, index)) {
            element.access = TensorAccess::clipped;
            return element;
        }
        if (!throughView(layout, *view, index)) return element;
    }
    Coordinate coordinate{};
    if (!toCoordinate(index, layout.span, kInOrder, layout.dimensions, coordinate)) return element;
    element.access = toTensor(layout, coordinate, store, element);
    element.index = toLinear(element.block, layout.stride, layout.dimensions);
    return element;
}

template <typename State>
using NumbersOf = std::array<uint32_t, sizeof(State) / sizeof(uint32_t)>;
static_assert(std::tuple_size_v<NumbersOf<TensorLayout>> == kTensorLayoutComponents);
static_assert(std::tuple_size_v<NumbersOf<TensorView>> == kTensorViewComponents);

// What the type says, whatever the value has.
static void setByType(const Type& type, TensorLayout& layout) {
    layout.dimensions = type.dimensions;
    layout.clampMode = ClampMode(type.clampMode);
}
static void setByType(const Type& type, TensorView& view) {
    view.dimensions = type.dimensions;
    view.hasDimensions = type.hasDimensions;
    std::ranges::copy(type.permutation, view.permutation.begin());
}

template <typename State>
State stateAt(const Value& value, uint32_t lane) {
    NumbersOf<State> numbers;
    for (uint32_t c = 0; c < numbers.size(); ++c) numbers[c] = uint32_t(value.at(c, lane));
    auto state = std::bit_cast<State>(numbers);
    setByType(*value.type, state);
    return state;
}
template TensorLayout stateAt(const Value&, uint32_t);
template TensorView stateAt(const Value&, uint32_t);

namespace {

template <typename State>
void write(const Value& value, uint32_t lane, const State& state) {
    uint32_t c = 0;
    for (const uint32_t number : std::bit_cast<NumbersOf<State>>(state))
        value.at(c++, lane) = number;
}

template <auto kInitial>
void create(Subgroup& s, Out result) {
    auto state = kInitial();
    setByType(s.type(), state);
    forLanes(s, [&](uint32_t lane) { write(result, lane, state); });
}
constexpr auto newLayout = [] { return createLayout(1, ClampMode::undefined); };
constexpr auto newView = [] { return TensorView(); };

// The operands behind the state; `of` takes every `step`-th.
struct Arguments {
    std::vector<uint32_t> numbers;

    uint32_t operator[](size_t index) const { return numbers[index]; }
    Coordinate of(uint32_t first = 0, uint32_t step = 1) const {
        Coordinate coordinate{};
        for (uint32_t d = 0; d < kMaxDimensions && first + d * step < numbers.size(); ++d)
            coordinate[d] = numbers[first + d * step];
        return coordinate;
    }
};

template <typename State, auto kChange>
void change(Subgroup& s, Out result, In from) {
    Arguments arguments{std::vector<uint32_t>(s.operands() - 1)};
    forLanes(s, [&](uint32_t lane) {
        for (uint32_t a = 0; a < arguments.numbers.size(); ++a)
            arguments.numbers[a] = uint32_t(s.operand(a + 1).at(0, lane));
        State state = stateAt<State>(from, lane);
        kChange(state, arguments);
        write(result, lane, state);
    });
}

using Layout = TensorLayout;
using View = TensorView;
using Given = const Arguments&;
constexpr auto setSize = [](auto& state, Given a) { state = setDimension(state, a.of()); };
constexpr auto setStride = [](auto& state, Given a) { state.stride = a.of(); };
constexpr auto cut = [](Layout& t, Given a) { t = slice(t, a.of(0, 2), a.of(1, 2)); };
constexpr auto setClampValue = [](Layout& t, Given a) { t.clampValue = a[0]; };
constexpr auto setBlockSize = [](Layout& t, Given a) { t.blockSize = a.of(); };
constexpr auto setClip = [](View& v, Given a) {
    v.clipRowOffset = a[0];
    v.clipRowSpan = a[1];
    v.clipColumnOffset = a[2];
    v.clipColumnSpan = a[3];
};

constexpr OpcodeRow kTensorRows[] = {
    row<create<newLayout>>(OpCreateTensorLayoutNV, Defined::kAlways),
    row<change<Layout, setSize>>(OpTensorLayoutSetDimensionNV, Defined::kAll),
    row<change<Layout, setStride>>(OpTensorLayoutSetStrideNV, Defined::kAll),
    row<change<Layout, cut>>(OpTensorLayoutSliceNV, Defined::kAll),
    row<change<Layout, setClampValue>>(OpTensorLayoutSetClampValueNV, Defined::kAll),
    row<change<Layout, setBlockSize>>(OpTensorLayoutSetBlockSizeNV, Defined::kAll),
    row<create<newView>>(OpCreateTensorViewNV, Defined::kAlways),
    row<change<View, setSize>>(OpTensorViewSetDimensionNV, Defined::kAll),
    row<change<View, setStride>>(OpTensorViewSetStrideNV, Defined::kAll),
    row<change<View, setClip>>(OpTensorViewSetClipNV, Defined::kAll),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::tensorRows() { return matrices::kTensorRows; }
