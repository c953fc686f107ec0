// SPDX-License-Identifier: Apache-2.0
//
// Large vectors (context.hpp: isLarge). As values, a few vectors of 1,024 components are more than
// some drivers' compilers take. So they are in variables, loops read and copy them, and helper
// functions take pointers to them.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// ---------------------------------------------------------------------------------------------
// Ahead of the lowering of a function's blocks

// A construction of consecutive elements of an array, each loaded by itself, becomes the call of a
// helper with a loop.
void lowerLargeConstructs(VectorContext& context, Function& function);
// (a + b)[i] takes one component of each operand instead of the whole sum, where nothing else wants
// that; so do differences, products and the like.
void readComponentsAlone(VectorContext& context, Function& function);

// ---------------------------------------------------------------------------------------------
// When all else is lowered

// Moves private variables of large vectors that only the entry point uses into it.
void makePrivateVectorsLocal(VectorContext& context);

// Which parameters of a helper function have become pointers; its result is the first parameter.
struct PointerHelper {
    std::vector<bool> isPointer;
    bool isResultPointer = false;
};
using PointerHelpers = std::map<Id, PointerHelper>;

// Of context.newFunctions: those that copy a parameter to a variable and only read that, or return
// a variable, have a pointer in its place.
PointerHelpers takeVectorsByPointer(VectorContext& context);
// Calls of these pass the variables that hold the values. Copies between variables and of constants
// with equal components are loops, or go where a variable is but written and copied on.
void passVectorsByPointer(VectorContext& context, Function& function,
                          const PointerHelpers& helpers);

// ---------------------------------------------------------------------------------------------
// Parts of these

// Loads of large vectors that nothing names.
void dropUnusedLoads(VectorContext& context, Function& function);
void forwardCopies(VectorContext& context, Function& function, const PointerHelpers& helpers);
// coopvk_vector_copy(to, from): from one variable to another.
Id copyFunction(VectorContext& context, const VectorType& type);
// coopvk_vector_fill(to, pack): all packs of a variable.
Id fillFunction(VectorContext& context, const VectorType& type);
// The constituent, of a type, that a constant composite repeats; 0 if it has several.
Id repeatedConstituent(VectorContext& context, Id composite, Id type);

// The instructions of a function's blocks that name an id.
using Users = std::unordered_map<Id, std::vector<const Instruction*>>;
Users usersIn(const Function& function);
// Whether a pointer is but loaded from, stored to and indexed; adds the chains that index it.
bool isPlainlyUsed(const Module& module, const Users& users, Id pointer, std::vector<Id>& chains);

}  // namespace coopvk::rewrite
