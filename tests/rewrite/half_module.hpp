// SPDX-License-Identifier: Apache-2.0
//
// Modules with half floats, rewritten for a device without shaderFloat16.
#pragma once

#include <string>

#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

struct HalfParts {
    std::string capabilities, modes, decorations, globals, body;
    std::string interface = {};  // further ids
};

// The body can use x and y of f16, v and w of four f16, a matrix m, an integer i and f of f32, with
// pointers at0 to at5.
std::string halfModule(const HalfParts& parts);

// A device whose half floats are emulated.
Target withoutHalves();

// Expects that scan() finds the extension.
Result<Rewritten> rewriteHalves(const HalfParts& parts);
// The disassembled output, which must be valid and without half floats, as must the input be.
std::string rewrittenHalves(const HalfParts& parts);

// How often a text contains a part.
size_t countIn(std::string_view text, std::string_view part);

}  // namespace coopvk::rewrite
