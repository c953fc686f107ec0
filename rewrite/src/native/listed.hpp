// SPDX-License-Identifier: Apache-2.0
//
// Tests whether a list of shapes, such as the driver's, has a module's matrices and products.
#pragma once

#include "native/plan.hpp"

namespace coopvk::rewrite {

// The component type of a scalar type; `isSigned`: of integers.
ComponentType componentOf(const TypeTable& types, Id type, bool isSigned);

// A matrix type; nullopt if its operands are not known, or lists of shapes cannot have it.
std::optional<TiledType> listableType(const Module& module, const Instruction& matrix);

// Whether a shape has a matrix of the type's component and use with `rows` and `columns`.
bool hasMatrix(std::span<const MatrixShape> shapes, const TypeTable& types, const TiledType& type,
               uint32_t rows, uint32_t columns);

// The types of a multiply-add; nullptr: not a matrix.
struct ProductTypes {
    const TiledType* a;
    const TiledType* b;
    const TiledType* c;
    const TiledType* result;

    bool areMatrices() const { return a && b && c && result; }
    bool fit() const;  // sizes and uses are right
};
ProductTypes productTypes(const Module& module, const NativePlan& plan, const Instruction& mulAdd);
// The shape of a multiply-add whose types fit().
MatrixShape productShape(const TypeTable& types, const ProductTypes& product,
                         uint32_t matrixOperands);

// Whether a module uses addedMatrixShapes(); with `any`, any shape that the driver does not list.
enum class AddedShapeUse {
    kNone,
    kSome,
    kOpen,  // specialization constants decide
};
AddedShapeUse addedShapeUse(const Module& module, const TypeTable& types,
                            const DeviceTraits& device, bool any = false);

}  // namespace coopvk::rewrite
