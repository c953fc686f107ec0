// SPDX-License-Identifier: Apache-2.0
#include "gemm_problem.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "half.hpp"

namespace coopvk::bench {
namespace {

constexpr uint32_t kCheckedElements = 500;  // elements of the result

double element(const std::vector<std::byte>& result, size_t index, const GemmSum& sum) {
    if (sum.bytes == 2) {
        uint16_t bits;
        std::memcpy(&bits, &result[index * 2], 2);
        return halfValue(bits);
    }
    float value;
    std::memcpy(&value, &result[index * 4], 4);
    return static_cast<double>(value);
}

VkDeviceSize bytesOf(const GemmProblem& problem, uint32_t element) {
    return VkDeviceSize{problem.size} * problem.size * element;
}

}  // namespace

std::vector<GemmSum> wantedSums(const Options& options) {
    std::vector<GemmSum> sums;
    for (const GemmSum& sum : kGemmSums) {
        const auto& wanted = options.sums;
        if (std::find(wanted.begin(), wanted.end(), sum.name) != wanted.end()) sums.push_back(sum);
    }
    return sums;
}

uint32_t gemmSize(const Options& options, const Gpu& gpu) {
    const uint32_t size = options.size ? options.size : gpu.isCpu() ? 512 : 4096;
    if (size % kGemmGroupTile) throw std::runtime_error("the size must be k * 128");
    return size;
}

GemmInput::GemmInput(uint32_t size, uint32_t seed) : size_(size), halves_(size_t{size} * size) {
    std::mt19937 random(seed);
    for (int8_t& value : halves_) value = static_cast<int8_t>(random() % 5) - 2;
}

std::vector<uint16_t> GemmInput::bits() const {
    std::vector<uint16_t> result(halves_.size());
    std::transform(halves_.begin(), halves_.end(), result.begin(),
                   [](int8_t value) { return halfBitsOfHalves(value); });
    return result;
}

std::string GemmProblem::verdictOn(const std::vector<std::byte>& result, const GemmSum& sum) const {
    std::mt19937 random(3);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kCheckedElements; ++i) {
        const uint32_t row = static_cast<uint32_t>(random()) % size;
        const uint32_t column = static_cast<uint32_t>(random()) % size;
        int expected = 0;
        for (uint32_t k = 0; k < size; ++k) expected += a.at(row, k) * b.at(k, column);
        wrong += element(result, size_t{row} * size + column, sum) * 4 != expected;
    }
    return verdict(wrong, kCheckedElements);
}

Dispatch GemmProblem::dispatch() const {
    Dispatch dispatch;
    dispatch.groups = {size / kGemmGroupTile, size / kGemmGroupTile, 1};
    dispatch.pushConstants = {size, size, size};
    return dispatch;
}

GemmBuffers::GemmBuffers(Gpu& gpu, const GemmProblem& problem)
    : a(gpu, bytesOf(problem, 2)), b(gpu, bytesOf(problem, 2)), c(gpu, bytesOf(problem, 4)) {
    a.write(std::as_bytes(std::span<const uint16_t>(problem.a.bits())));
    b.write(std::as_bytes(std::span<const uint16_t>(problem.b.bits())));
}

}  // namespace coopvk::bench
