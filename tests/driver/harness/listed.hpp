// SPDX-License-Identifier: Apache-2.0
//
// Sizes of matrices of bfloat16 and 8-bit floats. coopvk accepts more sizes than it lists; a driver
// with its own matrices of these formats need not accept other sizes.
#pragma once

#include <volk.h>

#include <string>
#include <vector>

#include "component.hpp"
#include "matrix.hpp"
#include "matrix_group.hpp"

namespace coopvk::test {

// A matrix's type in a shader.
struct NeededMatrix {
    Component component;
    uint32_t rows, columns;
    Use use;
    MatrixGroup group = {};
};
using NeededMatrices = std::vector<NeededMatrix>;

// OpCooperativeMatrixMulAddKHR.
struct NeededProduct {
    uint32_t m, n, k;
    Component a, b, c, result;
    MatrixGroup group = {};
};

// What a device lists: sizes of matrices of a subgroup, and of both scopes what sizes are multiples
// of, up to a largest one.
struct ListedMatrices {
    std::vector<VkCooperativeMatrixPropertiesKHR> sizes;
    std::vector<VkCooperativeMatrixFlexibleDimensionsPropertiesNV> flexible;
    uint32_t maxDimension = 0;
};
bool isListed(const NeededMatrix& matrix, const ListedMatrices& listed);
bool isListed(const NeededProduct& product, const ListedMatrices& listed);

// Whether tests keep to what the device lists: coopvk and the reference device take more, GPUs'
// drivers need not. COOPVK_TEST_LISTED is 1 for the validation layer above coopvk.
bool keepsToListed();

// Whether the device lists matrices of workgroups of so many invocations.
bool listsWorkgroupsOf(uint32_t invocations);

// "a 16x32 A of bf16 of a subgroup"
std::string describe(const NeededMatrix& matrix);

// Whether the environment makes coopvk emulate the format (COOPVK_EMULATE), also if the driver has
// it.
bool isEmulated(Component format);

// Why shaders with these matrices, or with this product, cannot run: a format may be the driver's
// own, and the device may not list the sizes. Empty if they can run.
std::string missing(const NeededMatrices& matrices);
std::string missing(const NeededProduct& product);

}  // namespace coopvk::test
