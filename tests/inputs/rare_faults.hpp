// SPDX-License-Identifier: Apache-2.0
//
// Shaders with faults that act with one pattern of bits, or at one element of many.
#pragma once

#include <cstdint>
#include <string>

namespace coopvk::test {

struct RareFault {
    std::string name;           // what it changes, and when
    std::string right, faulty;  // GLSL
    uint64_t bufferSize = 4096;
    bool hasMatrices = false;
    bool isAlways = false;  // whatever the data are: at one place
};
RareFault rareFault(uint64_t seed);

}  // namespace coopvk::test
