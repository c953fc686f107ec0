// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats become the driver's f16 matrices, which have all their values. Loads,
// stores and conversions to 8-bit floats go through shared memory, since only the driver knows
// which invocation has which element:
//
//   %a = OpCooperativeMatrixLoadKHR %bytes %p      for each of this invocation's units:
//                                                      shared[unit] = f16(p[unit])
//                                                  %a = OpCooperativeMatrixLoadKHR %halves %shared
#pragma once

#include <functional>

#include "lowering/context.hpp"
#include "lowering/number.hpp"
#include "lowering/staging.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/staging_arrays.hpp"
#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

struct HalvesContext : SmallFloatContext {
    HalvesContext(TypeTable& theTypes, const PlannedTarget& theTarget, uint32_t subgroups)
        : SmallFloatContext(theTypes, theTarget), staging(*this, subgroups) {}

    Staging staging;
    std::set<Id> sharedHalves;  // pointers to elements of arrays that have f16 in their place

    // The type of the driver's matrices that hold those of a type; the type itself if it has no
    // 8-bit floats.
    Id held(Id matrix) {
        if (!isMatrix(matrix)) return matrix;
        Operands operands = module.def(matrix).operands;
        operands[0] = idOperand(types.floatType(16));
        return types.matrixType(std::move(operands));
    }
    // The type of the elements of a matrix type, as they are held.
    Id elementOf(Id matrix) { return heldType(types, module.def(matrix).word(0)); }
};

struct HalvesFunction : FunctionLowering<HalvesContext> {
    using FunctionLowering::FunctionLowering;
};

// How a matrix lies in shared memory: its lines one after the other. An invocation accesses units
// of neighbours in a line at once.
struct StagedShape {
    uint32_t lines = 0, length = 0;  // elements in a line
    uint32_t unit = 1;               // elements
    uint32_t item = 1;               // elements in an element of the shared array
    uint32_t stride = 0;             // items from a line to the next

    // Each element alone.
    static StagedShape byElements(const MatrixDimensions& matrix);
    // f16 elements in units of whole pointees, `pointee` elements each. nullopt if a line does not
    // consist of pointees.
    static std::optional<StagedShape> byUnits(const MatrixDimensions& matrix, bool columnMajor,
                                              uint32_t pointee, uint32_t subgroupSize);
};

// A matrix in shared memory. Barriers follow all accesses.
class StagedElements {
 public:
    StagedElements(HalvesFunction& f, Id matrixType, bool columnMajor, const StagedShape& shape);

    Id element() const { return element_; }
    // The type of the shared array's elements.
    static Id itemType(TypeTable& types, Id element, uint32_t item);

    void writeAll(Id value);
    void readAll(Id result);

    struct Unit {
        Id line, place;  // u32: the line, and how many units precede this one there
    };
    // Visits this invocation's units.
    void eachUnit(const std::function<void(const Unit&)>& visit);
    // A unit's elements.
    void write(const Unit& unit, std::span<const Slot> elements);
    std::vector<Slot> read(const Unit& unit);

    void barrier();

 private:
    // A pointer to an item of a unit.
    Id at(const Unit& unit, uint32_t item);
    Operands access();

    HalvesFunction& f_;
    Emitter& emit_;
    Id type_, element_, item_;
    bool columnMajor_;
    StagedShape shape_;
};

// Elements must be held as f16 already (unify/small_floats). `subgroups`: the most that a workgroup
// may have. kUnsupported where the driver's matrices do not suffice.
std::optional<Error> holdInDriverMatrices(TypeTable& types, const PlannedTarget& target,
                                          uint32_t subgroups);

// Shared memory from which a shader only loads matrices of 8-bit floats, all of one format, has f16
// in their place. Then each element is converted once, when the shader writes it, and the driver
// loads its f16 matrices from there directly. The memory takes twice as many bytes.

// The arrays of which this may be true.
std::vector<RetypedArray> arraysForHalves(HalvesContext& context);

}  // namespace coopvk::rewrite
