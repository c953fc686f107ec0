// SPDX-License-Identifier: Apache-2.0
//
// A product of square matrices with cooperative matrices (shaders/gemm.comp): the driver's own
// against coopvk's. Inputs are multiples of a half, small enough that sums are exact in any order,
// so a result is right or wrong.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

#include "comparison.hpp"
#include "half.hpp"
#include "shaders.hpp"
#include "subjects.hpp"
#include "table.hpp"

namespace coopvk::bench {
namespace {

constexpr uint32_t kGroupTile = 128;
constexpr uint32_t kSubgroups = 8;  // of a workgroup
constexpr uint32_t kChecked = 500;  // elements of the result

struct Tile {
    uint32_t m, n, k;
    std::string name() const {
        return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
    }
};
constexpr Tile kTiles[] = {{16, 16, 16}, {8, 8, 8}};

struct Sum {
    const char* name;
    VkComponentTypeKHR type;
    uint32_t bytes;
};
constexpr Sum kSums[] = {{"f32", VK_COMPONENT_TYPE_FLOAT32_KHR, 4},
                         {"f16", VK_COMPONENT_TYPE_FLOAT16_KHR, 2}};

// A square matrix of multiples of a half.
class Input {
 public:
    Input(uint32_t size, uint32_t seed) : size_(size), halves_(size_t{size} * size) {
        std::mt19937 random(seed);
        for (int8_t& value : halves_) value = static_cast<int8_t>(random() % 5) - 2;
    }
    int at(uint32_t row, uint32_t column) const { return halves_[size_t{row} * size_ + column]; }
    std::vector<uint16_t> bits() const {
        std::vector<uint16_t> result(halves_.size());
        std::transform(halves_.begin(), halves_.end(), result.begin(),
                       [](int8_t value) { return halfBitsOfHalves(value); });
        return result;
    }

 private:
    uint32_t size_;
    std::vector<int8_t> halves_;
};

struct Problem {
    explicit Problem(uint32_t n) : size(n), a(n, 1), b(n, 2) {}

    // Wrong elements of kChecked.
    uint32_t wrong(const std::vector<std::byte>& result, const Sum& sum) const {
        std::mt19937 random(3);
        uint32_t count = 0;
        for (uint32_t i = 0; i < kChecked; ++i) {
            const uint32_t row = static_cast<uint32_t>(random()) % size;
            const uint32_t column = static_cast<uint32_t>(random()) % size;
            int expected = 0;
            for (uint32_t k = 0; k < size; ++k) expected += a.at(row, k) * b.at(k, column);
            count += element(result, size_t{row} * size + column, sum) * 4 != expected;
        }
        return count;
    }

    uint32_t size;
    Input a, b;

 private:
    static double element(const std::vector<std::byte>& result, size_t index, const Sum& sum) {
        if (sum.bytes == 2) {
            uint16_t bits;
            std::memcpy(&bits, &result[index * 2], 2);
            return halfValue(bits);
        }
        float value;
        std::memcpy(&value, &result[index * 4], 4);
        return static_cast<double>(value);
    }
};

struct DeviceBuffers {
    DeviceBuffers(Gpu& gpu, const Problem& problem)
        : a(gpu, bytes(problem, 2)), b(gpu, bytes(problem, 2)), c(gpu, bytes(problem, 4)) {
        a.write(std::as_bytes(std::span<const uint16_t>(problem.a.bits())));
        b.write(std::as_bytes(std::span<const uint16_t>(problem.b.bits())));
    }
    static VkDeviceSize bytes(const Problem& problem, uint32_t element) {
        return VkDeviceSize{problem.size} * problem.size * element;
    }
    std::array<Buffer*, 3> list() { return {&a, &b, &c}; }
    Buffer a, b, c;
};

class Gemm {
 public:
    explicit Gemm(const Options& options)
        : options_(options),
          pair_(options.device),
          problem_(chooseSize(options, pair_.native)),
          nativeBuffers_(pair_.native, problem_),
          emulatedBuffers_(pair_.emulated, problem_) {
        dispatch_.groups = {problem_.size / kGroupTile, problem_.size / kGroupTile, 1};
        dispatch_.pushConstants = {problem_.size, problem_.size, problem_.size};
    }

    void run() {
        std::printf("## gemm: f16, %u x %u x %u\n\n%s, subgroup size %u\n\n", problem_.size,
                    problem_.size, problem_.size, pair_.native.name().c_str(),
                    pair_.native.properties11.subgroupSize);
        for (const Sum& sum : kSums) {
            const auto& wanted = options_.sums;
            if (std::find(wanted.begin(), wanted.end(), sum.name) != wanted.end()) compare(sum);
        }
    }

 private:
    static uint32_t chooseSize(const Options& options, const Gpu& gpu) {
        const uint32_t size = options.size ? options.size : gpu.isCpu() ? 512 : 4096;
        if (size % kGroupTile) throw std::runtime_error("gemm: the size must be k * 128");
        return size;
    }

    // The driver's own come first: the others are compared with it.
    void compare(const Sum& sum) {
        Comparison table(std::string(sum.name) + " sums", dispatch_);
        for (const Tile& tile : kTiles) {
            if (!pair_.native.multiplies(tile.m, tile.n, tile.k, sum.type)) continue;
            add(table, "native " + tile.name(), pair_.native, builtIn(sum, tile), sum);
            break;
        }
        for (const Tile& tile : kTiles)
            if (pair_.emulated.multiplies(tile.m, tile.n, tile.k, sum.type))
                add(table, "emulated " + tile.name(), pair_.emulated, builtIn(sum, tile), sum);
        for (const std::string& file : options_.spirv)
            add(table, file.substr(file.rfind('/') + 1), pair_.native, readShader(file), sum);
        if (table.empty()) return;
        table.print(options_, 2.0 * problem_.size * problem_.size * problem_.size, flops);
    }

    static Words builtIn(const Sum& sum, const Tile& tile) {
        return builtInShader("gemm_" + std::string(sum.name) + "_" + tile.name());
    }

    void add(Comparison& table, std::string name, Gpu& gpu, Words words, const Sum& sum) {
        DeviceBuffers& buffers = &gpu == &pair_.native ? nativeBuffers_ : emulatedBuffers_;
        buffers.c.fill(0x7fff7fff);  // not a number, whether read as f16 or f32
        const uint32_t threads = kSubgroups * gpu.properties11.subgroupSize;
        table.add(std::move(name), gpu, words, std::span(&threads, 1), buffers.list(), dispatch_,
                  [&] { return verdict(problem_.wrong(buffers.c.read(), sum), kChecked); });
    }

    const Options& options_;
    Pair pair_;
    Problem problem_;
    DeviceBuffers nativeBuffers_, emulatedBuffers_;
    Dispatch dispatch_;
};

}  // namespace

void benchGemm(const Options& options) { Gemm(options).run(); }

}  // namespace coopvk::bench
