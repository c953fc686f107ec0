// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

// A choice is a number or one of two words.
struct TuningRow {
    TuningInfo info;
    std::optional<uint32_t> MatrixTuning::* number = nullptr;
    uint32_t least = 0, most = ~0u;
    bool isPowerOfTwo = false;
    std::optional<bool> MatrixTuning::* flag = nullptr;
    std::string_view words[2] = {};  // of false and true
};

std::span<const TuningRow> tuningRows();  // report.cpp

}  // namespace coopvk::rewrite
