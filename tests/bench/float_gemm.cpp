// SPDX-License-Identifier: Apache-2.0
//
// Compares products of square matrices of bfloat16 and 8-bit floats with f32 sums
// (shaders/word_gemm.comp) with the driver's own f16 matrices. Inputs are integers from -4 to 4,
// which every format can represent, so sums are exact in any order.
#include <bit>
#include <cstdio>
#include <cstring>
#include <random>

#include "comparison.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

constexpr uint32_t kFloatTile = 128;
constexpr uint32_t kFloatSubgroups = 8;   // of a workgroup
constexpr uint32_t kCheckedFloats = 500;  // elements of the result

struct Format {
    const char* name;
    uint32_t bits, exponentBits;
    bool (*isIn)(const Gpu& gpu);  // whether the device has matrices of it
};
constexpr Format kF16 = {"f16", 16, 5, [](const Gpu& gpu) {
                             return gpu.features.cooperativeMatrix.cooperativeMatrix != VK_FALSE;
                         }};
constexpr Format kBf16 = {"bf16", 16, 8, [](const Gpu& gpu) {
                              return gpu.features.bfloat16.shaderBFloat16CooperativeMatrix !=
                                     VK_FALSE;
                          }};
constexpr bool hasFloat8(const Gpu& gpu) {
    return gpu.features.float8.shaderFloat8CooperativeMatrix != VK_FALSE;
}
constexpr Format kE4M3 = {"e4m3", 8, 4, hasFloat8};
constexpr Format kE5M2 = {"e5m2", 8, 5, hasFloat8};

struct FloatWay {
    const char* name;
    const Format& format;
    Layer layer;
    LayerSettings settings;
};
constexpr LayerSettings kCore = {"all", "core"};
constexpr LayerSettings kFloat8OnF16 = {"VK_EXT_shader_float8", "native"};
// The others are compared with the first way that the device has.
constexpr FloatWay kFloatWays[] = {{"f16, native", kF16, Layer::kAbsent, {}},
                                   {"bf16, native", kBf16, Layer::kAbsent, {}},
                                   {"e4m3, native", kE4M3, Layer::kAbsent, {}},
                                   {"e5m2, native", kE5M2, Layer::kAbsent, {}},
                                   {"e4m3, on native f16", kE4M3, Layer::kPresent, kFloat8OnF16},
                                   {"e5m2, on native f16", kE5M2, Layer::kPresent, kFloat8OnF16},
                                   {"f16, core", kF16, Layer::kPresent, kCore},
                                   {"bf16, core", kBf16, Layer::kPresent, kCore},
                                   {"e4m3, core", kE4M3, Layer::kPresent, kCore},
                                   {"e5m2, core", kE5M2, Layer::kPresent, kCore}};

// An integer from -15 to 15 as a float of the format.
uint32_t bitsOf(int value, const Format& format) {
    const uint32_t mantissaBits = format.bits - 1 - format.exponentBits;
    const uint32_t sign = value < 0 ? 1u << (format.bits - 1) : 0;
    const auto magnitude = static_cast<uint32_t>(value < 0 ? -value : value);
    if (magnitude == 0) return sign;
    const auto exponent = static_cast<uint32_t>(std::bit_width(magnitude)) - 1;
    const uint32_t bias = (1u << (format.exponentBits - 1)) - 1;
    const uint32_t mantissa = mantissaBits >= exponent ? magnitude << (mantissaBits - exponent)
                                                       : magnitude >> (exponent - mantissaBits);
    return sign | (exponent + bias) << mantissaBits | (mantissa & ((1u << mantissaBits) - 1));
}

// `size` lines of `size` integers.
struct Integers {
    Integers(uint32_t n, uint32_t seed) : size(n), values(size_t{n} * n) {
        std::mt19937 random(seed);
        for (int8_t& value : values) {
            value = static_cast<int8_t>(static_cast<int>(random() % 9) - 4);
        }
    }
    int at(uint32_t line, uint32_t index) const { return values[size_t{line} * size + index]; }
    // As floats of the format, the first in the lowest bits of a word.
    std::vector<uint32_t> words(const Format& format) const {
        const uint32_t perWord = 32 / format.bits;
        std::vector<uint32_t> result(values.size() / perWord);
        for (size_t i = 0; i < values.size(); ++i) {
            result[i / perWord] |= bitsOf(values[i], format) << format.bits * (i % perWord);
        }
        return result;
    }
    uint32_t size;
    std::vector<int8_t> values;
};

uint32_t wrongSums(const Integers& a, const Integers& b, const std::vector<std::byte>& result) {
    std::mt19937 random(3);
    uint32_t count = 0;
    for (uint32_t i = 0; i < kCheckedFloats; ++i) {
        const uint32_t row = static_cast<uint32_t>(random()) % a.size;
        const uint32_t column = static_cast<uint32_t>(random()) % a.size;
        int expected = 0;
        for (uint32_t k = 0; k < a.size; ++k) expected += a.at(row, k) * b.at(column, k);
        float sum = 0;
        std::memcpy(&sum, &result[(size_t{row} * a.size + column) * 4], 4);
        count += sum != static_cast<float>(expected);
    }
    return count;
}

// A way that the device has, with its operands.
struct FloatContestant {
    FloatContestant(const FloatWay& way, std::unique_ptr<Gpu> itsGpu, const Integers& left,
                    const Integers& right)
        : gpu(std::move(itsGpu)),
          a(*gpu, left.values.size() * way.format.bits / 8),
          b(*gpu, right.values.size() * way.format.bits / 8),
          c(*gpu, left.values.size() * 4) {
        a.write(std::as_bytes(std::span<const uint32_t>(left.words(way.format))));
        b.write(std::as_bytes(std::span<const uint32_t>(right.words(way.format))));
        c.fill(0x7fffffff);
    }
    std::array<Buffer*, 3> list() { return {&a, &b, &c}; }
    std::unique_ptr<Gpu> gpu;
    Buffer a, b, c;
};

std::unique_ptr<Gpu> gpuFor(const FloatWay& way, const Options& options) {
    auto gpu = std::make_unique<Gpu>(way.layer, options.device, way.settings);
    return way.format.isIn(*gpu) ? std::move(gpu) : nullptr;
}

}  // namespace

void benchFloats(const Options& options) {
    const bool isCpu = Gpu(Layer::kAbsent, options.device).isCpu();
    const uint32_t size = options.size ? options.size : isCpu ? 512 : 4096;
    if (size % kFloatTile) throw std::runtime_error("floats: the size must be k * 128");
    const Integers a(size, 1), b(size, 2);
    Dispatch dispatch;
    dispatch.groups = {size / kFloatTile, size / kFloatTile, 1};
    dispatch.pushConstants = {size, size, size};
    std::vector<std::unique_ptr<FloatContestant>> contestants;
    Comparison table("matrices", dispatch);  // uses the contestants' devices
    for (const FloatWay& way : kFloatWays) {
        std::unique_ptr<Gpu> gpu = gpuFor(way, options);
        if (!gpu) continue;
        contestants.push_back(std::make_unique<FloatContestant>(way, std::move(gpu), a, b));
        FloatContestant& one = *contestants.back();
        const uint32_t threads = kFloatSubgroups * one.gpu->properties11.subgroupSize;
        table.add(way.name, *one.gpu, builtInShader(std::string("float_gemm_") + way.format.name),
                  std::span(&threads, 1), one.list(), dispatch,
                  [&] { return verdict(wrongSums(a, b, one.c.read()), kCheckedFloats); });
    }
    if (contestants.empty()) throw std::runtime_error("floats: the device has no such matrices");
    const Gpu& first = *contestants.front()->gpu;
    std::printf("## floats: f32 sums, %u x %u x %u\n\n%s, subgroup size %u\n\n", size, size, size,
                first.name().c_str(), first.properties11.subgroupSize);
    table.print(options, 2.0 * size * size * size, flops);
}

}  // namespace coopvk::bench
