// SPDX-License-Identifier: Apache-2.0
//
// Which matrices and products of a module are in a list of shapes, such as the driver's.
#pragma once

#include "native/plan.hpp"

namespace coopvk::rewrite {

// The type of a component that instructions take for signed or unsigned.
ComponentType componentOf(const TypeTable& types, Id type, bool isSigned);

// A matrix type; nullopt where its operands are not known, or no list of shapes could name it.
std::optional<TiledType> listableType(const Module& module, const Instruction& matrix);

// Whether a shape has matrices of the type's component and use, of so many rows and columns.
bool hasMatrix(std::span<const MatrixShape> shapes, const TypeTable& types, const TiledType& type,
               uint32_t rows, uint32_t columns);

// The types of a multiply-add; null for what is no matrix.
struct ProductTypes {
    const TiledType* a;
    const TiledType* b;
    const TiledType* c;
    const TiledType* result;

    bool areMatrices() const { return a && b && c && result; }
    bool fit() const;  // in size and use
};
ProductTypes productTypes(const Module& module, const NativePlan& plan, const Instruction& mulAdd);
// Of a multiply-add whose types fit.
MatrixShape productShape(const TypeTable& types, const ProductTypes& product,
                         uint32_t matrixOperands);

// What a module has of addedMatrixShapes(); with `any`, of all that the driver does not list.
enum class AddedShapeUse {
    kNone,
    kSome,
    kOpen,  // specialization constants decide
};
AddedShapeUse addedShapeUse(const Module& module, const TypeTable& types,
                            const DeviceTraits& device, bool any = false);

}  // namespace coopvk::rewrite
