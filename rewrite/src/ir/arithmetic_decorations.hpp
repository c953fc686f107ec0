// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The decorations of an arithmetic instruction that say how it computes, such as NoContraction (of
// GLSL's `precise`). Lowering moves them to the instructions that compute parts of the result; the
// instruction that combines the parts must not have them.
class ArithmeticDecorations {
 public:
    ArithmeticDecorations(Module& module, Id result);

    void addTo(Id part) const;
    void removeFrom(Id result) const;

    // Appends words that identify the decorations, for keys of helper functions.
    void appendTo(std::vector<uint32_t>& words) const;

    static bool contain(spv::Decoration decoration);

 private:
    Module& module_;
    std::vector<std::pair<spv::Decoration, uint32_t>> found_;  // with the literal, or 0
};

}  // namespace coopvk::rewrite
