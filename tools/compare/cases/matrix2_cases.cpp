// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/matrix2_cases.hpp"

#include <algorithm>
#include <numeric>

#include "compare/cases/matrix_cases.hpp"
#include "compare/cases/matrix_multiply.hpp"
#include "compare/cases/matrix_values.hpp"

namespace coopvk::compare {
namespace {

constexpr Dialect kDialect = Dialect::kNv2;
constexpr uint32_t kLeastSize = 16;

// One size for all dimensions, so that a matrix of each use can be converted to the other uses.
MatrixRow squareOf(const MatrixRow& flexible) {
    const uint32_t step = std::lcm(std::lcm(flexible.m, flexible.n), flexible.k);
    MatrixRow row = flexible;
    row.m = row.n = row.k = step * ((kLeastSize + step - 1) / step);
    return row;
}

// Adds cases with the features that they need.
class Matrix2Cases {
 public:
    Matrix2Cases(uint32_t native, uint32_t emulated) : native_(native), emulated_(emulated) {}

    template <typename Add>
    void add(const MatrixRow& row, uint32_t bits, Add function) {
        const size_t first = cases.size();
        function();
        for (size_t i = first; i < cases.size(); ++i) {
            Case& c = cases[i];
            c.bits = bits | kFlexibleDimensions | (row.workgroup ? kWorkgroupScope : 0u);
            const bool isNative = (native_ & c.bits) == c.bits;
            const bool isEmulated = (emulated_ & c.bits) == c.bits;
            c.native &= isNative;
            c.emulated &= isEmulated;
            c.lacksBits = !isNative || !isEmulated;
        }
    }
    std::vector<Case> cases;

 private:
    uint32_t native_, emulated_;
};

void addProducts(const MatrixRow& flexible, uint32_t maxDimension, Matrix2Cases& grid) {
    MatrixRow large = flexible;
    large.m *= 2, large.k *= 3;
    std::vector<MatrixRow> sizes = {flexible};
    for (const MatrixRow& row : {squareOf(flexible), large})
        if (std::max({row.m, row.n, row.k}) <= maxDimension && !row.sameAs(flexible))
            sizes.push_back(row);
    for (const MatrixRow& row : sizes)
        grid.add(row, 0, [&] { addMultiplyAdd(kDialect, row, grid.cases); });
}

void addTypes(const MatrixRow& square, const std::vector<ListedType>& types, uint32_t maxDimension,
              Matrix2Cases& grid) {
    for (const auto& [type, row] : types) {
        if (!row.sameAs(square)) continue;
        grid.add(row, 0, [&] { addLoadStore(kDialect, row, type, grid.cases); });
        grid.add(row, 0, [&] { addArithmetic(kDialect, row, type, grid.cases); });
        grid.add(row, kPerElement, [&] { addPerElement(row, type, grid.cases); });
        grid.add(row, kTensorAddressing, [&] { addTensorAccesses(row, type, grid.cases); });
        grid.add(row, kTensorAddressing | kBlockLoads,
                 [&] { addBlockLoads(row, type, grid.cases); });
        if (type.use != Use::kAccumulator) continue;
        if (2 * row.m <= maxDimension)
            grid.add(row, kReductions, [&] { addReductions(row, type.component, grid.cases); });
        for (const ListedType& target : types) {
            MatrixRow both = row;
            both.native &= target.row.native;
            both.emulated &= target.row.emulated;
            if (target.row.workgroup == row.workgroup && (both.native || both.emulated))
                grid.add(both, kConversions,
                         [&] { addUseConversions(both, type, target.type, grid.cases); });
        }
    }
}

}  // namespace

std::vector<Case> matrix2Cases(const FlexibleRows& rows, uint32_t nativeBits,
                               uint32_t emulatedBits) {
    Matrix2Cases grid(nativeBits, emulatedBits);
    std::vector<MatrixRow> squares;
    for (const MatrixRow& row : rows.rows) squares.push_back(squareOf(row));
    const std::vector<ListedType> types = listedTypes(squares);
    for (size_t i = 0; i < squares.size(); ++i) {
        addProducts(rows.rows[i], rows.maxDimension, grid);
        addTypes(squares[i], types, rows.maxDimension, grid);
    }
    return grid.cases;
}

}  // namespace coopvk::compare
