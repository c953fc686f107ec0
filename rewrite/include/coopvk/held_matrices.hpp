// SPDX-License-Identifier: Apache-2.0
//
// For debuggers: which invocation holds which element of a matrix in a rewritten module. The module
// says so itself, in strings, if it was asked to before it was rewritten.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace coopvk::rewrite {

struct HeldElement {
    uint32_t row = 0, column = 0;
    bool isCopy = false;  // an invocation of a lower number holds the same element
};

// A type of the rewritten module: an array of what an invocation holds of a matrix.
struct HeldMatrix {
    uint32_t type = 0;  // id
    uint32_t rows = 0, columns = 0;
    uint32_t use = 0;         // Cooperative Matrix Use
    std::string number = {};  // the format of elements in memory: "f16", "bf16", "u8"
    bool ofWorkgroup = false;
    bool inHalves = false;     // an invocation holds each element as two f16, whose sum it is
    uint32_t invocations = 0;  // of the scope
    // Of element e of an invocation, in the order of what it holds: [e * invocations + invocation].
    std::vector<HeldElement> elements = {};
};

// The module with a string that asks rewrite() for this. May throw std::bad_alloc.
std::vector<uint32_t> askForElements(std::span<const uint32_t> words);
// What a rewritten module says. Reads any words. May throw std::bad_alloc.
std::vector<HeldMatrix> heldMatrices(std::span<const uint32_t> words);

}  // namespace coopvk::rewrite
