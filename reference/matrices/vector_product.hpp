// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "matrices/sums.hpp"

namespace coopvk::reference::matrices {

// Formats of OpCooperativeVectorMatrixMulAddNV. Integers' signedness is in the formats: of the
// input by MatrixBSignedComponents, of the result by MatrixResultSignedComponents.
struct VectorFormats {
    Number input = Number::f16;           // of the vector's components
    Number interpretation = Number::f16;  // InputInterpretation
    bool packed = false;                  // InputInterpretation is a packed type
    Number matrix = Number::f16;
    Number bias = Number::f16;
};

// SPV_NV_cooperative_vector, "Input is converted to the type indicated by InputInterpretation": the
// K components that the product takes.
std::vector<Element> interpretInput(std::span<const Element> input, const VectorFormats& formats,
                                    uint32_t k);

// One component of the result: the sum of row[k] * input[k], plus bias if there is one.
Element rowProduct(std::span<const Element> row, std::span<const Element> input,
                   std::optional<Element> bias, const VectorFormats& formats, const SumRule& rule);

// OpCooperativeVectorOuterProductAccumulateNV: the product of two components of A and B, in the
// format that is accumulated.
uint64_t outerProduct(Number components, uint64_t a, uint64_t b, Number accumulated);

// Bits of elements of `from` bits each, as elements of `to` bits: lower-numbered ones in lower
// bits. The same for OpBitCastArrayQCOM.
std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to);

}  // namespace coopvk::reference::matrices
