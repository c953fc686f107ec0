// SPDX-License-Identifier: Apache-2.0
//
// A product of square matrices of signed integers with 32-bit sums (shaders/word_gemm.comp):
// compares 4-bit components with 8-bit ones, both emulated. Inputs are in the 4-bit range, so both
// compute the same.
#include <cstdio>
#include <cstring>
#include <random>

#include "comparison.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

constexpr uint32_t kIntTile = 128;
constexpr uint32_t kIntSubgroups = 8;   // of a workgroup
constexpr uint32_t kCheckedInts = 500;  // elements of the result

// `size` lines of `size` components from -8 to 7.
struct Components {
    Components(uint32_t n, uint32_t seed) : size(n), values(size_t{n} * n) {
        std::mt19937 random(seed);
        for (int8_t& value : values)
            value = static_cast<int8_t>(static_cast<int>(random() % 16) - 8);
    }
    int at(uint32_t line, uint32_t index) const { return values[size_t{line} * size + index]; }
    // Components of this number of bits, the first in the lowest bits.
    std::vector<uint32_t> packed(uint32_t bits) const {
        const uint32_t perWord = 32 / bits;
        std::vector<uint32_t> words(values.size() / perWord);
        for (size_t i = 0; i < values.size(); ++i) {
            const uint32_t low = static_cast<uint32_t>(values[i]) & ((1u << bits) - 1);
            words[i / perWord] |= low << bits * (i % perWord);
        }
        return words;
    }
    uint32_t size;
    std::vector<int8_t> values;
};

struct Operands {
    Operands(Gpu& gpu, const Components& a, const Components& b, uint32_t bits)
        : aBuffer(gpu, a.values.size() * bits / 8),
          bBuffer(gpu, b.values.size() * bits / 8),
          c(gpu, a.values.size() * 4) {
        aBuffer.write(std::as_bytes(std::span<const uint32_t>(a.packed(bits))));
        bBuffer.write(std::as_bytes(std::span<const uint32_t>(b.packed(bits))));
        c.fill(0x55555555);
    }
    std::array<Buffer*, 3> list() { return {&aBuffer, &bBuffer, &c}; }
    Buffer aBuffer, bBuffer, c;
};

uint32_t wrongSums(const Components& a, const Components& b, const std::vector<std::byte>& result) {
    std::mt19937 random(3);
    uint32_t count = 0;
    for (uint32_t i = 0; i < kCheckedInts; ++i) {
        const uint32_t row = static_cast<uint32_t>(random()) % a.size;
        const uint32_t column = static_cast<uint32_t>(random()) % a.size;
        int expected = 0;
        for (uint32_t k = 0; k < a.size; ++k) expected += a.at(row, k) * b.at(column, k);
        int sum = 0;
        std::memcpy(&sum, &result[(size_t{row} * a.size + column) * 4], 4);
        count += sum != expected;
    }
    return count;
}

}  // namespace

void benchInt4(const Options& options) {
    Gpu gpu(Layer::kPresent, options.device);
    const uint32_t size = options.size ? options.size : gpu.isCpu() ? 512 : 4096;
    if (size % kIntTile) throw std::runtime_error("int4: the size must be k * 128");
    const uint32_t threads = kIntSubgroups * gpu.properties11.subgroupSize;
    const Components a(size, 1), b(size, 2);
    Operands bytes(gpu, a, b, 8), nibbles(gpu, a, b, 4);
    std::printf("## int4: integers, %u x %u x %u\n\n%s, subgroup size %u\n\n", size, size, size,
                gpu.name().c_str(), gpu.properties11.subgroupSize);
    Dispatch dispatch;
    dispatch.groups = {size / kIntTile, size / kIntTile, 1};
    dispatch.pushConstants = {size, size, size};
    Comparison table("components", dispatch);
    const auto add = [&](const char* name, Operands& operands, const char* shader) {
        table.add(name, gpu, builtInShader(shader), std::span(&threads, 1), operands.list(),
                  dispatch,
                  [&] { return verdict(wrongSums(a, b, operands.c.read()), kCheckedInts); });
    };
    add("8-bit", bytes, "int_gemm_bytes");
    add("4-bit", nibbles, "int_gemm_nibbles");
    table.print(options, 2.0 * size * size * size, flops);
}

}  // namespace coopvk::bench
