// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The decorations that say how an arithmetic instruction computes, such as NoContraction of what is
// `precise` in GLSL. They go to each instruction that computes a part of its result, and not to
// what puts the parts together, which computes nothing.
class ArithmeticDecorations {
 public:
    ArithmeticDecorations(Module& module, Id result);

    void addTo(Id part) const;
    void removeFrom(Id result) const;

    // Appends words that are equal for equal decorations.
    void appendTo(std::vector<uint32_t>& words) const;

    static bool contain(spv::Decoration decoration);

 private:
    Module& module_;
    std::vector<std::pair<spv::Decoration, uint32_t>> found_;  // with the literal, if it has one
};

}  // namespace coopvk::rewrite
