// SPDX-License-Identifier: Apache-2.0
//
// Code that the subjects with products of f16 matrices share: square inputs of multiples of a half,
// so small that sums are exact in any order. So every result is either right or wrong.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "kernel.hpp"

namespace coopvk::bench {

inline constexpr uint32_t kGemmGroupTile = 128;  // rows and columns of a workgroup
inline constexpr uint32_t kGemmSubgroups = 8;    // of a workgroup

struct GemmSum {
    const char* name;
    VkComponentTypeKHR type;
    uint32_t bytes;
};
inline constexpr GemmSum kGemmSums[] = {{"f32", VK_COMPONENT_TYPE_FLOAT32_KHR, 4},
                                        {"f16", VK_COMPONENT_TYPE_FLOAT16_KHR, 2}};

// The sums that the options ask for.
std::vector<GemmSum> wantedSums(const Options& options);
// Rows and columns; throws if no multiple of a workgroup's.
uint32_t gemmSize(const Options& options, const Gpu& gpu);

// A square matrix of multiples of a half.
class GemmInput {
 public:
    GemmInput(uint32_t size, uint32_t seed);
    int at(uint32_t row, uint32_t column) const { return halves_[size_t{row} * size_ + column]; }
    std::vector<uint16_t> bits() const;

 private:
    uint32_t size_;
    std::vector<int8_t> halves_;
};

class GemmProblem {
 public:
    explicit GemmProblem(uint32_t n) : size(n), a(n, 1), b(n, 2) {}
    // "exact", or how many of the elements looked at are wrong.
    std::string verdictOn(const std::vector<std::byte>& result, const GemmSum& sum) const;
    double operations() const { return 2.0 * size * size * size; }
    Dispatch dispatch() const;

    uint32_t size;
    GemmInput a, b;
};

struct GemmBuffers {
    GemmBuffers(Gpu& gpu, const GemmProblem& problem);
    // Fills the result with bits that are NaN both as f16 and as f32.
    void poisonResult() { c.fill(0x7fff7fff); }
    std::array<Buffer*, 3> list() { return {&a, &b, &c}; }
    Buffer a, b, c;
};

}  // namespace coopvk::bench
