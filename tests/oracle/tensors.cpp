// SPDX-License-Identifier: Apache-2.0
#include "tensors.hpp"

#include <algorithm>
#include <format>

namespace coopvk::oracle {
namespace {

// OpSMod.
int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }

Coord spanCoord(const Layout& t, uint32_t index) {
    Coord result(t.dims());
    for (int dim = int(t.dims()) - 1; dim >= 0; --dim) {
        result[size_t(dim)] = index % t.span[size_t(dim)];
        index /= t.span[size_t(dim)];
    }
    return result;
}

// Nothing: the constant, or a store that is discarded.
std::optional<int64_t> clamped(const Layout& t, int64_t c, int64_t dimension, bool isStore) {
    if (c >= 0 && c < dimension) return c;
    if (isStore || t.clamp == kConstant) return std::nullopt;
    if (t.clamp == kClampToEdge) return std::min(std::max<int64_t>(c, 0), dimension - 1);
    if (t.clamp == kRepeat) return modulo(c, dimension);
    c = modulo(c, 2 * dimension - 2);
    return c >= dimension ? 2 * dimension - 2 - c : c;
}

Place placeInLayout(const Layout& t, uint32_t index, bool isStore) {
    Place place{Place::kElement, 0, Coord(t.dims()), Coord(t.dims())};
    const Coord coord = spanCoord(t, index);
    for (size_t dim = 0; dim < t.dims(); ++dim) {
        const auto c =
            clamped(t, int32_t(coord[dim] + uint32_t(t.offset[dim])), t.dimension[dim], isStore);
        if (!c) return {Place::kConstantValue, 0, {}, {}};
        place.inBlock[dim] = uint32_t(*c) % t.block[dim];
        place.block[dim] = uint32_t(*c) / t.block[dim];
        place.index += place.block[dim] * t.stride[dim];
    }
    return place;
}

}  // namespace

Place placeOf(const Layout& t, const View* view, uint32_t row, uint32_t column, uint32_t columns,
              bool isStore) {
    if (view == nullptr) return placeInLayout(t, row * columns + column, isStore);
    const View& v = *view;
    if (row < v.clipRow || row >= v.clipRow + v.clipRows || column < v.clipColumn ||
        column >= v.clipColumn + v.clipColumns)
        return {};
    uint32_t index = (row - v.clipRow) * std::min(columns, v.clipColumns) + column - v.clipColumn;
    const Coord& dimensions = v.hasDimensions ? v.dimension : t.span;
    const size_t count = v.permutation.size();
    Coord coord(count);
    for (size_t dim = count; dim-- > 0;) {
        const uint32_t i = v.permutation[dim];
        coord[i] = index % dimensions[i];
        index /= dimensions[i];
    }
    Coord stride = v.hasDimensions ? v.stride : Coord(count, 1);
    // A view without dimensions of its own has those of the layout.
    for (size_t dim = count - 1; !v.hasDimensions && dim-- > 0;)
        stride[dim] = stride[dim + 1] * t.span[dim + 1];
    index = 0;
    for (size_t dim = 0; dim < count; ++dim) index += coord[dim] * stride[dim];
    return placeInLayout(t, index, isStore);
}

Tensor::Tensor(Module& module, Random& random, uint32_t rows, uint32_t columns, bool hasBlocks,
               bool hasView)
    : module_(module), random_(random), rows_(rows), columns_(columns) {
    module.capability("TensorAddressingNV", "SPV_NV_tensor_addressing");
    module.capability("CooperativeMatrixTensorAddressingNV", "SPV_NV_cooperative_matrix2");
    makeLayout(1 + uint32_t(random() % 5), hasBlocks);
    if (hasView) makeView();
}

size_t Tensor::elements() const {
    size_t last = 0;
    for (size_t dim = 0; dim < layout.dims(); ++dim)
        last += size_t{(layout.dimension[dim] - 1) / layout.block[dim]} * layout.stride[dim];
    return last + 1;
}

std::string Tensor::operands(const std::string& functions) const {
    std::string mask = view ? "TensorView" : "";
    if (!functions.empty()) mask += mask.empty() ? "DecodeFunc" : "|DecodeFunc";
    return "None " + (mask.empty() ? "None" : mask) + " " + viewId + " " + functions;
}

std::string Tensor::list(const Coord& values) {
    std::string text;
    for (const uint32_t value : values) text += " " + module_.u32(value);
    return text;
}

void Tensor::makeLayout(uint32_t dims, bool hasBlocks) {
    layout.clamp = Clamp(random_() % 5);
    const Id type = module_.type(
        std::format("OpTypeTensorLayoutNV {} {}", module_.u32(dims), module_.u32(layout.clamp)));
    layoutId = module_.value("OpCreateTensorLayoutNV " + type);
    const Set set = [&](const std::string& name, const Coord& operands) {
        layoutId =
            module_.value("OpTensorLayout" + name + "NV " + type + " " + layoutId + list(operands));
    };
    layout.block.assign(dims, 1);
    if (hasBlocks) {
        for (uint32_t& each : layout.block) each = upTo(4);
        set("SetBlockSize", layout.block);
    }
    layout.dimension.resize(dims);
    for (uint32_t& each : layout.dimension) each = 1 + upTo(dims > 3 ? 4 : 12);
    set("SetDimension", layout.dimension);
    makeStrides(set);
    slice(set);
    if (random_() % 2 == 0) {
        layout.clampValue = uint32_t(random_());
        set("SetClampValue", {layout.clampValue});
    }
}

void Tensor::makeStrides(const Set& set) {
    const size_t dims = layout.dims();
    const bool isPadded = random_() % 3 == 0;
    layout.stride.assign(dims, 1);
    for (size_t dim = dims; dim-- > 0;) {
        if (dim + 1 < dims) layout.stride[dim] = layout.stride[dim + 1] * inBlocks(dim + 1);
        if (isPadded) layout.stride[dim] += uint32_t(random_() % 3);
    }
    if (isPadded) set("SetStride", layout.stride);
}

// A span that holds the matrix or a part of it; inside of the tensor where outside is undefined.
void Tensor::slice(const Set& set) {
    const bool staysInside = layout.clamp == kUndefined;
    Coord operands;
    layout.span.resize(layout.dims());
    layout.offset.resize(layout.dims());
    for (size_t dim = 0; dim < layout.dims(); ++dim) {
        const uint32_t dimension = layout.dimension[dim];
        uint32_t span = upTo(dimension), offset = uint32_t(random_() % (dimension - span + 1));
        if (!staysInside && random_() % 2 == 0) {
            span = upTo(dimension + 4);
            offset = uint32_t(int32_t(random_() % 16) - 6);
        }
        layout.offset[dim] = int32_t(offset);
        layout.span[dim] = span;
        operands.insert(operands.end(), {offset, span});
    }
    set("Slice", operands);
}

void Tensor::makeView() {
    View& v = view.emplace();
    v.hasDimensions = random_() % 2 == 0;
    const uint32_t dims = v.hasDimensions ? upTo(5) : layout.dims();
    for (uint32_t i = 0; i < dims; ++i) v.permutation.push_back(i);
    std::ranges::shuffle(v.permutation, random_);
    const Id boolean = module_.type("OpTypeBool");
    const Id hasDimensions =
        module_.type((v.hasDimensions ? "OpConstantTrue " : "OpConstantFalse ") + boolean);
    const Id type = module_.type(std::format("OpTypeTensorViewNV {} {}{}", module_.u32(dims),
                                             hasDimensions, list(v.permutation)));
    viewId = module_.value("OpCreateTensorViewNV " + type);
    const Set set = [&](const std::string& name, const Coord& operands) {
        viewId =
            module_.value("OpTensorView" + name + "NV " + type + " " + viewId + list(operands));
    };
    if (v.hasDimensions) makeViewDimensions(dims, set);
    if (random_() % 2 == 0) {
        v.clipRow = uint32_t(random_() % rows_);
        v.clipRows = upTo(rows_);
        v.clipColumn = uint32_t(random_() % columns_);
        v.clipColumns = upTo(columns_);
        set("SetClip", {v.clipRow, v.clipRows, v.clipColumn, v.clipColumns});
    }
}

void Tensor::makeViewDimensions(uint32_t dims, const Set& set) {
    View& v = *view;
    v.dimension.resize(dims);
    for (uint32_t& each : v.dimension) each = upTo(6);
    v.stride.assign(dims, 1);
    for (size_t dim = dims - 1; dim-- > 0;)
        v.stride[dim] = v.stride[dim + 1] * v.dimension[dim + 1];
    set("SetDimension", v.dimension);
    if (random_() % 2 != 0) return;
    for (uint32_t& each : v.stride) each = uint32_t(random_() % 9);
    set("SetStride", v.stride);
}

}  // namespace coopvk::oracle
