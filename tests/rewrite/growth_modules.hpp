// SPDX-License-Identifier: Apache-2.0
//
// Modules with much of one kind, for tests of how the rewriter's work grows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::rewrite::growth_test {

using Words = std::vector<uint32_t>;

void replace(std::string& text, std::string_view from, std::string_view to);

// A shader with a long vector, with more declarations and code.
std::string longVectors(std::string_view types, std::string_view variables, std::string_view code);

// The scopes of matrices are as many constants.
Words manyMatrixTypes(size_t count);
// Each block of a loop may leave it.
Words manyBreaks(size_t count);
// Loops in each other, and a product in the innermost. `inContinue`: of each.
Words nestedLoops(size_t count, std::string_view inContinue = "");
// Loops in each other's continue constructs, which store to a variable, and a product in the
// innermost.
Words nestedContinues(size_t count);
// A function that decodes an element calls each of the others.
Words manyDecoders(size_t count);
// Functions with a loop, beside a product.
Words manyFunctionsWithLoops(size_t count);
Words manyCases(size_t count);
// Elements of a matrix are taken and put back, each from the matrix that the last one made.
Words manyElements(size_t count);
// Pointers to elements of matrices in an array.
Words manyChains(size_t count);
// Undefined values of a structure with as many members, two of them matrices, and copies of it.
Words manyUndefined(size_t count);
// Functions that ask for a matrix's length.
Words manyLengths(size_t count);
// All of them are needed until the end.
Words manyLongVectors(size_t count);
// All of them are read where they are.
Words manyLoads(size_t count);

}  // namespace coopvk::rewrite::growth_test
