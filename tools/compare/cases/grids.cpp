// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/grids.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "compare/cases/format_cases.hpp"
#include "compare/cases/matrix2_cases.hpp"
#include "compare/cases/matrix_cases.hpp"
#include "compare/cases/reference_rows.hpp"
#include "compare/cases/vector_cases.hpp"

namespace coopvk::compare {
namespace {

template <Dialect dialect>
Grid matrices(const Gpu* native, const Gpu* emulated) {
    const MatrixRows rows = matrixRows(dialect, native, emulated);
    return {matrixCases(dialect, rows.rows), rows.skipped};
}
template <Dialect dialect>
Grid referenceMatrices() {
    const MatrixRows rows = referenceRows(dialect);
    return {matrixCases(dialect, rows.rows), rows.skipped};
}

Grid matrices2(const Gpu* native, const Gpu* emulated) {
    const FlexibleRows rows = flexibleRows(native, emulated);
    return {matrix2Cases(rows, matrix2Bits(native), matrix2Bits(emulated)), rows.skipped};
}
Grid referenceMatrices2() {
    const FlexibleRows rows = referenceFlexibleRows();
    return {matrix2Cases(rows, kAllBits, 0), rows.skipped};
}

struct GridRow {
    const char* extension;
    Grid (*grid)(const Gpu* native, const Gpu* emulated);
    Grid (*reference)();
};
constexpr GridRow kGrids[] = {
    {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, matrices<Dialect::kKhr>,
     referenceMatrices<Dialect::kKhr>},
    {VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME, matrices<Dialect::kNv>,
     referenceMatrices<Dialect::kNv>},
    {VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME, matrices2, referenceMatrices2},
    {VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
     [](const Gpu* native, const Gpu* emulated) {
         return Grid{vectorCases(vectorProperties(native, emulated)), {}};
     },
     [] { return Grid{vectorCases(referenceVectors()), {}}; }},
    {"VK_EXT_shader_ocp_microscaling_types",
     [](const Gpu* native, const Gpu* emulated) { return Grid{formatCases(native, emulated), {}}; },
     [] { return Grid{referenceFormatCases(), {}}; }},
};

const GridRow& gridRow(const std::string& extension) {
    const auto* row = std::ranges::find(kGrids, extension, &GridRow::extension);
    if (row != std::end(kGrids)) return *row;
    throw std::runtime_error(extension + " cannot be compared");
}

}  // namespace

Grid gridOf(const std::string& extension, const Gpu* native, const Gpu* emulated) {
    return gridRow(extension).grid(native, emulated);
}

Grid referenceGrid(const std::string& extension) { return gridRow(extension).reference(); }

std::vector<std::string> comparedExtensions() {
    std::vector<std::string> names;
    for (const GridRow& row : kGrids) names.emplace_back(row.extension);
    return names;
}

}  // namespace coopvk::compare
