// SPDX-License-Identifier: Apache-2.0
//
// Which invocation holds which element of a driver's matrix, read by a shader.
#pragma once

#include "compare/run/side.hpp"
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

struct ReadMap {
    MatrixType type;
    std::string why;  // it could not be read; empty: it was
    uint32_t length = 0;
    std::vector<std::pair<uint32_t, uint32_t>> positions;  // by lane, then by number
};
ReadMap readMap(Side& side, const MatrixType& type, uint32_t lanes);

// Names of the layouts that coopvk knows (element_layout) and that are like this map.
std::vector<std::string_view> layoutsLike(const ReadMap& map, uint32_t lanes);

}  // namespace coopvk::compare
