// SPDX-License-Identifier: Apache-2.0
//
// Vectors of more than kUnrolledPacks packs lie in variables, and helper functions take pointers to
// them: as values, a few of 1,024 components are more than some drivers' compilers take. Three
// steps, when all else is lowered:
//
//   private variables of such vectors that only the entry point uses become its own;
//   helper functions that copy a parameter to a variable and only read that, or return a variable,
//   have a pointer in its place;
//   calls of these pass the variables that the values lie in, and copies between variables and
//   of constants with equal components are loops, or go where a variable is but written and copied
//   on.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// Which parameters of a helper function have become pointers; its result is the first parameter.
struct PointerHelper {
    std::vector<bool> isPointer;
    bool isResultPointer = false;
};
using PointerHelpers = std::map<Id, PointerHelper>;

void makePrivateVectorsLocal(VectorContext& context);
// Of context.newFunctions.
PointerHelpers takeVectorsByPointer(VectorContext& context);
void passVectorsByPointer(VectorContext& context, Function& function,
                          const PointerHelpers& helpers);

// Loads of large vectors that nothing names.
void dropUnusedLoads(VectorContext& context, Function& function);
void forwardCopies(VectorContext& context, Function& function, const PointerHelpers& helpers);
// coopvk_vector_copy(to, from): from one variable to another.
Id copyFunction(VectorContext& context, const VectorType& type);
// coopvk_vector_fill(to, pack): all packs of a variable.
Id fillFunction(VectorContext& context, const VectorType& type);
// The constituent, of a type, that a constant composite repeats; 0 if it has several.
Id repeatedConstituent(VectorContext& context, Id composite, Id type);

// What names each id in a function's blocks.
using Users = std::unordered_map<Id, std::vector<const Instruction*>>;
Users usersIn(const Function& function);
// Whether a pointer is but loaded from, stored to and indexed; adds the chains that index it.
bool isPlainlyUsed(const Module& module, const Users& users, Id pointer, std::vector<Id>& chains);

}  // namespace coopvk::rewrite
