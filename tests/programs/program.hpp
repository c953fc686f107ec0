// SPDX-License-Identifier: Apache-2.0
//
// Random compute shaders in SPIR-V text. Numbers are integers so small that their formats hold them
// exactly, but for roundings whose results are only stored: every right execution writes the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "module.hpp"

namespace coopvk::programs {

struct Program {
    std::string text;
    uint32_t lanes = 0;          // subgroup size for which it is
    std::vector<uint32_t> push;  // push constants
    std::vector<check::SpecializationValue> specialization;
    uint32_t buffers = 0;     // storage buffers of set 0; their bindings are from 0 on
    uint64_t bufferSize = 0;  // bytes of each
    // SPIRV-Tools does not know which pointers SPV_INTEL_2d_block_io takes.
    bool canBeValidated = true;
};

// Push constants: number n has the value n, so that compilers do not know it.
inline constexpr uint32_t kNumbers = 8;
// One more: an array of variables has no such length, and none of its type an explicit layout.
inline constexpr uint32_t kPushed = kNumbers + 1;
enum class Features {
    kAll,
    // What drivers of today have without further extensions: no untyped pointers, 64-bit indices,
    // addresses, nor roundings to f16; and no selection between matrices, which SPIRV-Tools
    // refuses. Nor is there a division or another function whose result is rounded.
    kOfDrivers,
};

// Small ones have few statements on small matrices and vectors, mostly of one subgroup.
enum class Size { kLarge, kSmall };

Program matrixProgram(uint64_t seed, uint32_t lanes, Features features, Size size);
Program vectorProgram(uint64_t seed, uint32_t lanes, Features features, Size size);
Program longProgram(uint64_t seed, uint32_t lanes, Features features, Size size);

// What a program is about; the names are those of random_programs' option --kind.
struct Kind {
    std::string_view name;
    Program (*make)(uint64_t seed, uint32_t lanes, Features features, Size size);
};
inline constexpr Kind kKinds[] = {
    {"matrices", matrixProgram}, {"vectors", vectorProgram}, {"long-vectors", longProgram}};

}  // namespace coopvk::programs
