// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector, on the host and on the device. Optimal layouts
// are the implementation's own, so each matrix is converted to such a layout and back.
#include <cmath>

#include "compare/cases/vector_cases.hpp"
#include "compare/numbers/conversion.hpp"

namespace coopvk::compare {
namespace {

constexpr size_t kPadding = 16;  // a stride must be more than a line

struct ConversionVariant {
    Component outer, inner;  // of the matrix given and got back; in between
    Layout layout;           // in between
    uint32_t rows, columns;
    bool onDevice;
    std::string name;
};

size_t strideOf(Component type, Layout layout, uint32_t rows, uint32_t columns) {
    if (isOptimal(layout)) return 0;
    return size_t{layout == kColumnMajor ? rows : columns} * info(type).bytes() + kPadding;
}

// Values that the inner type can hold, down to its denormal numbers.
Matrix draw(Rng& rng, const ConversionVariant& v) {
    Matrix matrix = randomMatrix(rng, v.outer, v.rows, v.columns, Fill::kRandom);
    if (!info(v.outer).isFloat()) return matrix;
    const ComponentInfo& narrow =
        info(v.inner).bits < info(v.outer).bits ? info(v.inner) : info(v.outer);
    const int top = (1 << (narrow.exponentBits - 1)) - 2, bottom = -top - narrow.mantissaBits - 1;
    for (uint64_t& element : matrix.elements) {
        const auto exponent = static_cast<int>(rng.range(bottom, top));
        element = encode(v.outer, std::ldexp(decode(v.outer, element), exponent));
    }
    return matrix;
}

Plan plan(const ConversionVariant& v, uint64_t seed) {
    Rng rng(seed, v.name);
    const Block from = placed(v.outer, v.rows, v.columns, false, kPadding);
    Block source = from, result = placed(v.outer, v.rows, v.columns, true, kPadding);
    source.offset = result.offset = 0;
    const size_t innerStride = strideOf(v.inner, v.layout, v.rows, v.columns);
    const size_t innerLines = v.layout == kColumnMajor ? v.columns : v.rows;
    const Matrix matrix = draw(rng, v);
    Plan plan;
    plan.labels = {"rows", "between", "columns"};
    plan.buffers = {rng.bytes(source.end()), rng.bytes(innerStride * innerLines),
                    rng.bytes(result.end())};
    scatter(matrix, source, plan.buffers[0]);
    plan.conversions = {{v.onDevice, v.outer, v.inner, kRowMajor, v.layout, source.stride,
                         innerStride, v.rows, v.columns},
                        {v.onDevice, v.inner, v.outer, v.layout, kColumnMajor, innerStride,
                         result.stride, v.rows, v.columns}};
    plan.output = 2;
    plan.result = result;
    for (uint64_t bits : matrix.elements) {
        if (info(v.outer).isFloat())
            bits = encode(v.outer, decode(v.inner, encode(v.inner, decode(v.outer, bits))));
        plan.expected.push_back(exactly(v.outer, bits));
    }
    return plan;
}

void add(Component outer, Component inner, const OnSides& sides, std::vector<Case>& cases) {
    const std::string row =
        "matrices of " + std::string(nameOf(inner)) + " from " + std::string(nameOf(outer));
    constexpr std::pair<uint32_t, uint32_t> kSizes[] = {{16, 16}, {21, 35}};
    for (const Layout layout : kAllLayouts) {
        if (info(inner).isFloat8() && !isOptimal(layout)) continue;
        for (const auto& [rows, columns] : kSizes) {
            for (const bool onDevice : {false, true}) {
                ConversionVariant v = {outer, inner, layout, rows, columns, onDevice, {}};
                const char* operation = onDevice ? "device-conversion" : "host-conversion";
                v.name = row + "/" + operation + "/" + std::to_string(rows) + "x" +
                         std::to_string(columns) + " " + nameOf(layout);
                cases.push_back({v.name, row, operation, sides.native, sides.emulated,
                                 [v](const DeviceShape&, uint64_t seed) { return plan(v, seed); }});
                cases.back().convertsInDriver = true;
            }
        }
    }
}

// Sides that list it as a matrix's type in any row.
OnSides matrixType(const VectorProperties& properties, Component type) {
    OnSides sides;
    for (const VectorRow& row : properties.rows) {
        if (row.matrix != type) continue;
        sides.native |= row.listed.native;
        sides.emulated |= row.listed.emulated;
    }
    return sides;
}

}  // namespace

void addMatrixConversions(const VectorProperties& properties, std::vector<Case>& cases) {
    std::vector<std::pair<Component, Component>> pairs = {
        {kFloat16, kFloat16},
        {kFloat32, kFloat32},
        {VK_COMPONENT_TYPE_SINT8_KHR, VK_COMPONENT_TYPE_SINT8_KHR},
        {VK_COMPONENT_TYPE_UINT8_KHR, VK_COMPONENT_TYPE_UINT8_KHR},
        {kFloat32, kFloat16},
    };
    for (const ComponentInfo& component : allComponents()) {
        if (!component.isFloat8()) continue;
        for (const Component outer : {kFloat16, kFloat32})
            pairs.emplace_back(outer, component.type);
    }
    OnSides every;
    for (const VectorRow& row : properties.rows) {
        every.native |= row.listed.native;
        every.emulated |= row.listed.emulated;
    }
    for (const auto& [outer, inner] : pairs) {
        // f32 may always be converted.
        const OnSides sides = inner == kFloat32 ? every : matrixType(properties, inner);
        if (sides.any()) add(outer, inner, sides, cases);
    }
}

}  // namespace coopvk::compare
