// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/value.hpp"
#include "matrices/tensor.hpp"

namespace coopvk::reference::matrices {

// Tensor layouts and views as values: the members' components follow each other, see the .cpp.
TensorLayout layoutAt(const Value& value, uint32_t lane);
TensorView viewAt(const Value& value, uint32_t lane);
void setLayout(const Value& value, uint32_t lane, const TensorLayout& layout);
void setView(const Value& value, uint32_t lane, const TensorView& view);

}  // namespace coopvk::reference::matrices
