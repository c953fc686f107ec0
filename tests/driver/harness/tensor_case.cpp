// SPDX-License-Identifier: Apache-2.0
#include "tensor_case.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace coopvk::test {

namespace {

constexpr uint32_t kMostElements = 60'000;

uint32_t pick(Rng& rng, int64_t low, int64_t high) {
    return static_cast<uint32_t>(rng.range(low, high));
}

bool chance(Rng& rng, int64_t oneIn) { return rng.range(1, oneIn) == 1; }

TensorNumbers randomPermutation(Rng& rng, uint32_t count) {
    TensorNumbers places{};
    std::iota(places.begin(), places.end(), 0u);
    for (uint32_t d = count; d > 1; --d) std::swap(places[d - 1], places[pick(rng, 0, d - 1)]);
    return places;
}

// Numbers whose product is `whole`, in random places.
TensorNumbers factors(Rng& rng, uint32_t whole, uint32_t count) {
    TensorNumbers sizes{};
    std::fill_n(sizes.begin(), count, 1u);
    while (whole > 1) {
        uint32_t factor = 2;
        while (whole % factor != 0) ++factor;
        sizes[pick(rng, 0, count - 1)] *= factor;
        whole /= factor;
    }
    return sizes;
}

// Sizes for all elements; `innermost` changes fastest. Often as long as a row there.
TensorNumbers randomSizes(Rng& rng, const TensorWish& w, uint32_t count, uint32_t innermost) {
    if (count > 1 && !chance(rng, 3)) {
        TensorNumbers sizes = factors(rng, w.rows, count - 1);
        for (uint32_t d = count - 1; d > innermost; --d) sizes[d] = sizes[d - 1];
        sizes[innermost] = w.columns;
        return sizes;
    }
    TensorNumbers sizes = factors(rng, w.rows * w.columns, count);
    // Sizes that differ from the matrix: elements wrap around, and several have the same position.
    if (!w.isStore && chance(rng, 3)) {
        for (uint32_t d = 0; d < count; ++d) sizes[d] = pick(rng, 1, count > 3 ? 6 : 12);
    }
    return sizes;
}

TensorView randomView(Rng& rng, const TensorWish& w) {
    TensorView view;
    view.hasDimensions = w.view != TensorViewKind::kPermutation && !chance(rng, 3);
    view.dimensions = view.hasDimensions ? pick(rng, 1, kMaxTensorDimensions) : w.dimensions;
    view.permutation = randomPermutation(rng, view.dimensions);
    if (view.hasDimensions) {
        view = setDimension(
            view, randomSizes(rng, w, view.dimensions, view.permutation[view.dimensions - 1]));
        if (!w.isStore && chance(rng, 3)) {
            for (uint32_t d = 0; d < view.dimensions; ++d) view.stride[d] = pick(rng, 0, 9);
        }
    }
    if (w.view == TensorViewKind::kClip) {
        view.clipRowOffset = pick(rng, 0, w.rows / 2);
        view.clipColumnOffset = pick(rng, 0, w.columns / 2);
        view.clipRowSpan = pick(rng, 0, w.rows + 1);
        view.clipColumnSpan = chance(rng, 3) ? w.columns : pick(rng, 1, w.columns);
    }
    return view;
}

constexpr uint32_t kAlignment = 8;

uint32_t roundUp(uint32_t value, uint32_t grain) { return (value + grain - 1) / grain * grain; }

void place(Rng& rng, const TensorWish& w, TensorLayout& t, const TensorNumbers& spans) {
    TensorNumbers sizes{}, offsets{};
    for (uint32_t d = 0; d < t.dimensions; ++d) {
        const int64_t span = spans[d];
        if (w.clamp == TensorClamp::undefined) {
            offsets[d] = pick(rng, 0, 2);
            sizes[d] = offsets[d] + pick(rng, span, span + 2);
        } else {
            const bool mayBeEmpty = w.clamp == TensorClamp::constant || w.isStore;
            offsets[d] = pick(rng, -span, span + 1);
            if (chance(rng, 2)) offsets[d] = pick(rng, -1, 1);
            sizes[d] = pick(rng, 1, span + 3);
            if (mayBeEmpty && chance(rng, 20)) sizes[d] = 0;
        }
    }
    if (w.isAligned) {
        const uint32_t last = t.dimensions - 1;
        offsets[last] = roundUp(offsets[last], kAlignment);
        sizes[last] = roundUp(sizes[last], kAlignment);
        if (w.clamp == TensorClamp::undefined) {
            sizes[last] = offsets[last] + roundUp(spans[last], kAlignment);
        }
    }
    t = setDimension(t, sizes);
    if (w.isAligned || chance(rng, 2)) {
        TensorNumbers strides = t.stride;
        const uint32_t grain = w.isAligned ? kAlignment : 1;
        uint32_t least = w.isAligned ? 1 : pick(rng, 1, 2);
        for (uint32_t d = t.dimensions; d-- > 0;) {
            const bool isLast = d + 1 == t.dimensions;
            strides[d] = isLast ? least : roundUp(least + pick(rng, 0, 2), grain);
            least = strides[d] * std::max(1u, (sizes[d] + t.blockSize[d] - 1) / t.blockSize[d]);
        }
        t.stride = strides;
    }
    // In two steps: offsets add up.
    TensorNumbers half{}, rest{};
    for (uint32_t d = 0; d < t.dimensions; ++d) {
        half[d] = pick(rng, -2, 2);
        rest[d] = offsets[d] - half[d];
    }
    t = slice(slice(t, half, sizes), rest, spans);
}

bool isUsable(const TensorCase& c, const TensorWish& w) {
    if (sizeOf(c.layout) > kMostElements) return false;
    std::set<uint32_t> seen;
    for (const TensorElement& e : placesOf(c, w)) {
        if (e.access == TensorAccess::undefined) return false;
        if (w.isStore && e.access == TensorAccess::element && !seen.insert(e.index).second) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<TensorElement> placesOf(const TensorCase& tensor, const TensorWish& w) {
    std::vector<TensorElement> places;
    for (uint32_t row = 0; row < w.rows; ++row) {
        for (uint32_t column = 0; column < w.columns; ++column) {
            places.push_back(tensorElement(tensor.layout, tensor.viewOrNull(), row, column,
                                           w.columns, w.isStore));
        }
    }
    return places;
}

uint32_t sizeOf(const TensorLayout& t) {
    uint64_t last = 0;
    for (uint32_t d = 0; d < t.dimensions; ++d) {
        if (t.size[d] == 0) return 0;
        last += uint64_t{(t.size[d] - 1) / t.blockSize[d]} * t.stride[d];
    }
    return static_cast<uint32_t>(std::min<uint64_t>(last + 1, ~0u));
}

TensorCase randomTensor(Rng& rng, const TensorWish& w) {
    for (;;) {
        TensorCase c{reference::matrices::createLayout(w.dimensions, w.clamp), std::nullopt};
        if (w.view != TensorViewKind::kNone) c.view = randomView(rng, w);
        TensorNumbers blocks = c.layout.blockSize;
        for (uint32_t d = 0; w.hasBlocks && d < w.dimensions; ++d) blocks[d] = pick(rng, 1, 4);
        if (w.hasBlocks && w.isAligned) blocks[w.dimensions - 1] = 4 * pick(rng, 1, 3);
        c.layout.blockSize = blocks;
        const bool permutes = c.view && !c.view->hasDimensions;
        const uint32_t innermost =
            permutes ? c.view->permutation[w.dimensions - 1] : w.dimensions - 1;
        place(rng, w, c.layout, randomSizes(rng, w, w.dimensions, innermost));
        c.layout.clampValue = static_cast<uint32_t>(rng.next());
        if (isUsable(c, w)) return c;
    }
}

}  // namespace coopvk::test
