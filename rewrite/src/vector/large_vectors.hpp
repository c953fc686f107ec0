// SPDX-License-Identifier: Apache-2.0
//
// Large vectors (context.hpp: isLarge). Some drivers' compilers fail on a few values with 1,024
// components. So variables hold such vectors, loops read and copy them, and helper functions take
// pointers.
#pragma once

#include "ir/users.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

// ---------------------------------------------------------------------------------------------
// Before the lowering of a function's blocks

// Replaces a construction from consecutive elements of an array, each with its own load, by the
// call of a helper with a loop.
void lowerLargeConstructs(VectorContext& context, Function& function);
// If only few components of an arithmetic result are used, computes those components alone:
// (a + b)[i] becomes a[i] + b[i].
void readComponentsAlone(VectorContext& context, Function& function);

// ---------------------------------------------------------------------------------------------
// After all other lowering

// Makes Private variables with large vectors that only the entry point uses Function variables.
void makePrivateVectorsLocal(VectorContext& context);

// Which parameters of a helper function are pointers now. The result, if it is one, is the first.
struct PointerHelper {
    std::vector<bool> isPointer;
    bool isResultPointer = false;
};
using PointerHelpers = std::map<Id, PointerHelper>;

// Changes helper functions in context.newFunctions: a parameter that is copied to a variable, which
// is only read then, becomes a pointer; so does a result that is loaded from a variable.
PointerHelpers takeVectorsByPointer(VectorContext& context);
// Passes the variables that hold the values to these helpers. Replaces stores of the value of a
// variable, or of a constant with equal components, by loops.
void passVectorsByPointer(VectorContext& context, Function& function,
                          const PointerHelpers& helpers);

// ---------------------------------------------------------------------------------------------
// Parts of these

// If the only uses of a variable are a helper's result and a copy of it to another variable, the
// helper writes to that other variable.
void forwardCopies(VectorContext& context, Function& function, const PointerHelpers& helpers);
// coopvk_vector_copy(target, source): copies a variable. For pointers of these types, which may
// have different storage classes.
Id copyFunction(VectorContext& context, const VectorType& type, Id target, Id source);
// coopvk_vector_fill(target, pack): sets all packs of a variable.
Id fillFunction(VectorContext& context, const VectorType& type);
// The constituent of type `type` to which all constituents of a constant composite are equal; 0 if
// they differ.
Id repeatedConstituent(VectorContext& context, Id composite, Id type);

// Whether all uses of a pointer are loads, stores and access chains, and so on for these; adds the
// access chains to `chains`.
bool isPlainlyUsed(const Module& module, const Users& users, Id pointer, std::vector<Id>& chains);

}  // namespace coopvk::rewrite
