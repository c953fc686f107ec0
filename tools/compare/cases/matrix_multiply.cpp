// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix_multiply.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::compare {
namespace {

// Column-major or not, and space between lines.
struct Layouts {
    std::string_view name;
    bool a, b, c, result;
    size_t padding;
};
constexpr Layouts kLayouts[] = {
    {"A rows B rows C rows", false, false, false, false, 0},
    {"A columns B columns C columns", true, true, true, true, 16},
    {"A rows B columns C rows, padded", false, true, false, true, 32},
    {"A columns B rows C columns, padded", true, false, true, false, 16},
};

struct ProductVariant {
    Dialect dialect;
    MatrixRow row;
    Layouts layouts;
    Storage storage;
    Fill fill;
    std::string name;
};

struct ProductInputs {
    Matrix a, b, c;
};

// If sums saturate, overflow of the product alone is undefined; in the NV extension any overflow
// is.
bool productFits(const MatrixRow& row) {
    const uint32_t bits = info(row.a).bits + info(row.b).bits + std::bit_width(row.k);
    return bits < info(row.result).bits;
}

// Sums of integers that come close to the ends of the range, from both sides.
Matrix extremes(Rng& rng, const MatrixRow& row) {
    Matrix c(row.c, row.m, row.n);
    const uint32_t bits = info(row.c).bits;
    for (uint64_t& element : c.elements) {
        const auto distance = static_cast<Wide>(maskBits(rng.next(), bits / 2));
        const Wide value = rng.coin() ? highest(row.c) - distance : lowest(row.c) + distance;
        element = maskBits(static_cast<uint64_t>(value), bits);
    }
    return c;
}

// All sums of them are exact in a format with few integers: in each sum only C and some terms, -1
// and 1, are not 0.
ProductInputs fewUnits(const MatrixRow& row, Rng& rng) {
    const uint32_t most = exactIntegers(row.result) / 2;
    ProductInputs in = {randomRange(rng, row.a, row.m, row.k, -1, 1),
                        {row.b, row.k, row.n},
                        randomMatrix(rng, row.c, row.m, row.n, Fill::kExact)};
    for (uint32_t column = 0; column < row.n; ++column)
        for (uint32_t i = 0; i < std::min(most, row.k); ++i) {
            const auto at = most < row.k ? static_cast<uint32_t>(rng.range(0, row.k - 1)) : i;
            in.b.at(at, column) = encode(row.b, rng.coin() ? 1 : -1);
        }
    return in;
}

ProductInputs makeInputs(const ProductVariant& v, Rng& rng) {
    const MatrixRow& row = v.row;
    if (v.fill == Fill::kExact && !hasArithmetic(row.result)) return fewUnits(row, rng);
    const bool integers = !info(row.result).isFloat();
    const bool bounded = integers && (row.saturating || v.dialect == Dialect::kNv);
    const Fill factors = bounded && !productFits(row) ? Fill::kExact : v.fill;
    ProductInputs in;
    in.a = randomMatrix(rng, row.a, row.m, row.k, factors);
    in.b = randomMatrix(rng, row.b, row.k, row.n, factors);
    if (bounded && row.saturating) {
        in.c = extremes(rng, row);
    } else if (bounded) {
        in.c = randomRange(rng, row.c, row.m, row.n, -1000, 1000);
    } else {
        in.c = randomMatrix(rng, row.c, row.m, row.n, v.fill);
    }
    return in;
}

Plan planOf(const ProductVariant& v, const DeviceShape& device, const ProductInputs& in, Rng& rng) {
    const MatrixRow& row = v.row;
    const Layouts& l = v.layouts;
    const Block blocks[] = {placed(row.a, row.m, row.k, l.a, l.padding),
                            placed(row.b, row.k, row.n, l.b, l.padding),
                            placed(row.c, row.m, row.n, l.c, l.padding),
                            placed(row.result, row.m, row.n, l.result, l.padding)};
    const MatrixType types[] = {{row.a, row.m, row.k, Use::kA},
                                {row.b, row.k, row.n, Use::kB},
                                {row.c, row.m, row.n, Use::kAccumulator},
                                {row.result, row.m, row.n, Use::kAccumulator}};
    Plan plan;
    plan.assembly =
        spirvOf(MatrixProgram{v.dialect,
                              v.storage,
                              row.workgroup ? row.workgroup : device.subgroupSize,
                              {{types[0], blocks[0]}, {types[1], blocks[1]}, {types[2], blocks[2]}},
                              {types[3], blocks[3]},
                              MatrixProgram::MultiplyAdd{row.saturating},
                              scopeOf(row.workgroup)});
    plan.labels = {"A", "B", "C", "result"};
    for (const Block& block : blocks) plan.buffers.push_back(rng.bytes(block.end()));
    scatter(in.a, blocks[0], plan.buffers[0]);
    scatter(in.b, blocks[1], plan.buffers[1]);
    scatter(in.c, blocks[2], plan.buffers[2]);
    if (v.storage == Storage::kAddress) plan.addresses = {0, 1, 2, 3};
    plan.output = 3;
    plan.result = blocks[3];
    return plan;
}

Plan plan(const ProductVariant& v, const DeviceShape& device, uint64_t seed) {
    Rng rng(seed, v.name);
    const ProductInputs in = makeInputs(v, rng);
    Plan plan = planOf(v, device, in, rng);
    const MatrixRow& row = v.row;
    if (v.fill == Fill::kExact || !info(row.result).isFloat()) return plan;
    plan.freedom.inIntervals = true;
    return plan;
}

size_t bytesOf(const MatrixRow& row) {
    const auto bytes = [](Component type, uint32_t rows, uint32_t columns) {
        return size_t{info(type).bytes()} * rows * columns;
    };
    return bytes(row.a, row.m, row.k) + bytes(row.b, row.k, row.n) + bytes(row.c, row.m, row.n) +
           bytes(row.result, row.m, row.n);
}

}  // namespace

void addMultiplyAdd(Dialect dialect, const MatrixRow& row, std::vector<Case>& cases) {
    for (const Storage storage : kAllStorages) {
        if (!fits(storage, bytesOf(row))) continue;
        for (const Layouts& layouts : kLayouts) {
            for (const Fill fill : {Fill::kExact, Fill::kRandom}) {
                if (fill == Fill::kExact && !info(row.result).isFloat()) continue;
                if (fill == Fill::kRandom && !tells(row.result, row.k + 1)) continue;
                const std::string name =
                    nameOf(row) + "/multiply-add/" + std::string(layouts.name) + ", " +
                    std::string(nameOf(storage)) + (fill == Fill::kExact ? ", exact" : ", random");
                const ProductVariant v = {dialect, row, layouts, storage, fill, name};
                cases.push_back({name, nameOf(row), "multiply-add", row.native, row.emulated,
                                 [v](const DeviceShape& device, uint64_t seed) {
                                     return plan(v, device, seed);
                                 }});
            }
        }
    }
}

}  // namespace coopvk::compare
