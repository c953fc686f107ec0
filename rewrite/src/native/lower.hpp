// SPDX-License-Identifier: Apache-2.0
//
// Chooses the driver's matrices of which the matrices of a module consist.
#pragma once

#include <algorithm>

#include "lowering/packed.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// A matrix type as a grid of tiles in row-major order: matrices of the driver, which are its packs.
// If there is only one, it is the type itself.
struct TiledType : PackedType {
    Use use = Use::kAccumulator;
    uint32_t rows = 0, columns = 0;
    uint32_t tileRows = 0, tileColumns = 0;

    uint32_t gridRows() const { return rows / tileRows; }
    uint32_t gridColumns() const { return columns / tileColumns; }
    bool isTiled() const { return gridRows() * gridColumns() > 1; }
};

struct NativePlan {
    std::map<Id, TiledType> types;
    std::string note;  // names the choice

    bool isTiled() const {
        return std::ranges::any_of(types, [](const auto& type) { return type.second.isTiled(); });
    }
    const TiledType* type(Id id) const {
        const auto found = types.find(id);
        return found == types.end() ? nullptr : &found->second;
    }
};

// kUnsupported, with the reason, if the driver's matrices do not suffice.
Result<NativePlan> planNative(const Module& module, const TypeTable& types,
                              const PlannedTarget& target);

// The native back-end: uses the driver's VK_KHR_cooperative_matrix. Matrices become arrays of tiles
// if the driver lacks their shape. Instructions of other extensions become accesses to shared
// memory.
//
//   %a = OpCooperativeMatrixLoadKHR %M32x16 %p      %0 = OpCooperativeMatrixLoadKHR %M16x16 %p
//                                                   %1 = OpCooperativeMatrixLoadKHR %M16x16 %p16
//                                                   %a = OpCompositeConstruct %array %0 %1

// `subgroups`: the most that a workgroup may have.
std::optional<Error> lowerToNative(TypeTable& types, const PlannedTarget& target, NativePlan plan,
                                   uint32_t subgroups);

// Tests whether a list of shapes, such as the driver's, has a module's matrices and products.

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

// Whether operands of a matrix type depend on specialization constants.
bool hasOpenMatrixTypes(const Module& module);

// Whether a module uses a shape of `added`; with `any`, any one that is not in `native`.
enum class AddedShapeUse {
    kNone,
    kSome,
    kOpen,  // specialization constants decide
};
AddedShapeUse addedShapeUse(const Module& module, const TypeTable& types,
                            std::span<const MatrixShape> native, std::span<const MatrixShape> added,
                            bool any);

}  // namespace coopvk::rewrite
