// SPDX-License-Identifier: Apache-2.0
//
// Matrices of a subgroup and of a workgroup, of the extensions that depend on
// VK_KHR_cooperative_matrix, with one shader text for both scopes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "component.hpp"
#include "compute.hpp"
#include "matrix.hpp"

namespace coopvk::test {

// The invocations that hold a matrix: a subgroup, which is then the whole workgroup, or a
// workgroup.
struct MatrixGroup {
    bool isWorkgroup = false;
    std::array<uint32_t, 3> size = {};  // of the workgroup; for a subgroup it is one subgroup wide
    uint32_t invocations() const { return size[0] * size[1] * size[2]; }
};
std::string nameOf(const MatrixGroup& group);
// A subgroup, and workgroups of 64 to 512 invocations, the width of some of which is no multiple of
// any subgroup's.
const std::vector<MatrixGroup>& matrixGroups();
// Tests of one program each. The runs with 4, 8 and 16 lanes share the groups of each.
enum class GroupTest { kChain, kSoftmax, kPlace, kCoordinates, kLoop, kManyWorkgroups };
std::vector<MatrixGroup> matrixGroupsOf(GroupTest test);
// Why tests of such matrices cannot run; empty if they can.
std::string missing(const MatrixGroup& group);

// The text that glsl:: makes for one subgroup, adapted to that group.
std::string inGroup(std::string source, const MatrixGroup& group);
// glsl::header() with the extensions; NV's or EXT's names of their functions: see nvOrExt().
std::string matrix2Header();
// Replaces "NV" by "EXT" at the end of every function and constant of cooperative matrices.
std::string asExt(std::string source);

// A buffer for an array of `element`s with random contents, so that elements that a shader does not
// write show.
Bytes poison(Rng& rng, const Matrix& like);
// An element as a number: exact for all types but 64-bit integers.
double numberAt(const Matrix& matrix, uint32_t row, uint32_t column);
void setNumber(Matrix& matrix, uint32_t row, uint32_t column, double value);

// Runs the shader here and on the reference device. Compares buffer 3 as numbers, the others as
// bytes.
void expectMatrix(const std::string& source, const MatrixGroup& group, const Dispatch& dispatch,
                  Component numbers);

}  // namespace coopvk::test
