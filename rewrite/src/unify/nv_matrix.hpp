// SPDX-License-Identifier: Apache-2.0
//
// Turns SPV_NV_cooperative_matrix into SPV_KHR_cooperative_matrix, which later passes expect. Types
// get the role in which products use their values:
//
//   %M = OpTypeCooperativeMatrixNV %f16 %subgroup %c16 %c16
//   %a = OpCooperativeMatrixLoadNV %M %p %stride %rowMajor
//   %d = OpCooperativeMatrixMulAddNV %M %a %b %c
//
//   %MA = OpTypeCooperativeMatrixKHR %f16 %subgroup %c16 %c16 %A, and so on
//   %a = OpCooperativeMatrixLoadKHR %MA %p %layout %stride
//   %d = OpCooperativeMatrixMulAddKHR %MC %a %b %c
#pragma once

#include <map>

#include "ir/calls.hpp"
#include "ir/module.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// Finds VK_NV_cooperative_matrix types inside other types. The leaves of a type are its matrices,
// in order: one for a matrix or an array of matrices, those of all members for a structure, those
// of the pointee for a pointer.

class MatrixLeaves {
 public:
    // Copies what it needs: later changes to the module's types do not matter.
    explicit MatrixLeaves(const Module& module);

    // Set if a type has too many leaves.
    const std::optional<Error>& error() const { return error_; }

    // The matrix type of each leaf.
    std::span<const Id> of(Id type) const;

    // What indices of OpCompositeExtract, OpAccessChain and so on select from a composite.
    struct Selected {
        Id type = 0;
        uint32_t firstLeaf = 0;
        bool isElement = false;  // inside the matrix that is leaf `firstLeaf`
    };
    Selected follow(Id composite, std::span<const Operand> indices) const;

    // The original declaration of a type with leaves; nullptr for other types.
    const Instruction* declaration(Id type) const;
    Id pointee(Id pointerType) const;

 private:
    struct Type {
        Instruction declaration;
        std::vector<Id> leaves;
    };
    std::vector<Id> find(const Instruction& declaration) const;

    const Module& module_;
    std::map<Id, Type> types_;
    std::optional<Error> error_;
};

// Finds the role (A, B or accumulator) of each VK_NV_cooperative_matrix value, which its type does
// not tell. Values that must have the same type (copies, phis, variables, parameters, operands of
// element-wise instructions) form a class with one role. The class gets the role in which most
// multiply-adds use it; other uses convert.

using Roles = std::vector<Use>;

class RoleInference {
 public:
    RoleInference(const Module& module, const MatrixLeaves& leaves);

    // The roles of the matrices in a value, one for each leaf; for a function, in its result. Empty
    // if there are no matrices.
    Roles ofValue(Id value) const;
    // The roles that an operand needs which is a constant or OpUndef: each use has its own.
    Roles ofConstantUse(const Instruction& instruction, size_t operand) const;
    // The role of all matrices of this type's size whose elements are accessed.
    Use ofElements(Id matrixType) const;

    static bool isConstant(const Instruction& definition);

 private:
    struct Range {
        uint32_t first = 0;
        uint32_t count = 0;
        Range part(uint32_t offset, uint32_t size) const;
    };
    struct Class {
        uint32_t parent = 0;
        uint32_t wanted[3] = {0, 0, 0};  // by role: how many multiply-adds use it so
        bool isResult = false;           // has the result of a multiply-add
        Use role = Use::kAccumulator;
    };
    using Size = std::pair<uint64_t, uint64_t>;

    Range make(Id type);
    Range value(Id id);
    Range operand(const Instruction& instruction, size_t index);
    uint32_t root(uint32_t variable) const;
    void link(uint32_t a, uint32_t b);
    void link(Range a, Range b);
    void want(Range range, Use role, bool isResult = false);
    Roles roles(Range range) const;

    // `function`: the one that the instruction is in.
    void visit(const Instruction& instruction, std::optional<Id> function);
    void visitChain(const Instruction& chain, size_t firstIndex);
    void visitExtract(const Instruction& extract);
    void visitInsert(const Instruction& insert);
    void visitConstruct(const Instruction& construct);
    void visitCall(const Instruction& call);
    void linkWithAll(const Instruction& instruction);
    // The part of `whole` that indices select. Notes accesses to elements of matrices.
    Range at(Range whole, const MatrixLeaves::Selected& selected);
    void linkElementAccesses();
    void decide();
    Size sizeOf(Id matrixType) const;

    const Module& module_;
    const MatrixLeaves& leaves_;
    mutable std::vector<Class> classes_;
    std::map<Id, Range> values_;
    std::map<std::pair<const Instruction*, size_t>, Range> constantUses_;
    const FunctionsById functions_;
    std::vector<std::pair<uint32_t, Id>> elementAccesses_;  // variable and matrix type
    std::map<Size, uint32_t> elementClasses_;
};

// VK_NV_cooperative_matrix types, and types and constants that contain them, as variants with roles
// for their matrices. The first variant keeps the original's id; further ones are copies with its
// names and decorations.

class TypeVariants {
 public:
    TypeVariants(TypeTable& types, const MatrixLeaves& leaves) : types_(types), leaves_(leaves) {}

    // The variant of a type with these roles; the type itself if it has no matrices.
    Id type(Id original, std::span<const Use> roles);
    // The original of a variant that type() returned.
    Id original(Id variant) const;
    // The variant of a constant or OpUndef with these roles.
    Id constant(Id original, std::span<const Use> roles);
    // Makes variants of types and constants that no function uses: the module may name them.
    void finish();

 private:
    using Key = std::pair<Id, Roles>;

    bool hasVariant(Id original) const;
    // Adds a variant of key.first.
    Id define(const Key& key, spv::Op opcode, Id type, Operands operands);
    Operands typeOperands(const Instruction& declaration, std::span<const Use> roles);
    Operands constantOperands(const Instruction& declaration, std::span<const Use> roles);

    TypeTable& types_;
    const MatrixLeaves& leaves_;
    std::map<Key, Id> variants_;
    std::map<Id, Id> originals_;           // by variant, for copies
    std::map<Id, Instruction> constants_;  // the original declarations
};

// Specialization constants must be frozen. If an operand of a multiply-add has another role,
// OpCooperativeMatrixConvertNV converts it, which is lowered later.
std::optional<Error> unifyNvMatrices(TypeTable& types);

// OpCooperativeMatrixTransposeNV may also change the component type (SPV_NV_cooperative_matrix2).
// An instruction that does is split, so that no other pass sees one:
//
//   %b = OpCooperativeMatrixTransposeNV %B16 %c32
//
//   %c = OpFConvert %C16 %c32
//   %b = OpCooperativeMatrixTransposeNV %B16 %c

// Specialization constants must be frozen.
std::optional<Error> splitTranspositions(LoweringContext& context);

}  // namespace coopvk::rewrite
