// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views of random programs.
#pragma once

#include "matrices.hpp"

namespace coopvk::programs {

struct TensorChoice {
    uint32_t clampMode = 0;
    bool isStore = false;
    // Elements of a block.
    uint32_t blockRows = 1, blockColumns = 1;
};

struct Tensor {
    std::string layout, view;
    // Tensor addressing operands of the instruction; further ones by name and id.
    std::string operands(const std::string& names = {}, const std::string& ids = {}) const;
};

// A slice of two dimensions for the matrix, at a place that clamping allows to be partly outside.
Tensor makeTensor(MatrixWriter& w, const MatrixType& type, const TensorChoice& choice);

}  // namespace coopvk::programs
