// SPDX-License-Identifier: Apache-2.0
//
// A small neural network with cooperative vectors (shaders/mlp.comp): compares the driver's own
// with coopvk's and with loops. Weights and inputs are small fractions, so one pass through the
// network is exact in any order of summation.
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

constexpr uint32_t kLayers = 3, kSize = 64, kGroup = 128;
constexpr uint32_t kLayerBytes = kSize * kSize * 2;
constexpr uint32_t kVectors = 4096;   // different inputs
constexpr uint32_t kRepetitions = 8;  // passes through the network, when timed
constexpr uint32_t kGroups = 8192, kGroupsOnCpu = 32;
constexpr uint32_t kChecked = 200;  // vectors of the result

// Bits of the f16 numbers n / 8 with n from -1 to 1, and n / 2 with n from 0 to 2.
constexpr uint16_t kWeightBits[] = {0xb000, 0x0000, 0x3000};
constexpr uint16_t kInputBits[] = {0x0000, 0x3800, 0x3c00};

struct Network {
    Network() : weights(kLayers * kSize * kSize), inputs(kVectors * kSize) {
        std::mt19937 random(1);
        for (uint16_t& bits : weights) bits = kWeightBits[random() % 3];
        for (uint16_t& bits : inputs) bits = kInputBits[random() % 3];
    }

    std::vector<double> apply(uint32_t vector) const {
        std::vector<double> v(kSize), result(kSize);
        for (uint32_t i = 0; i < kSize; ++i) v[i] = halfValue(inputs[vector * kSize + i]);
        for (uint32_t layer = 0; layer < kLayers; ++layer) {
            for (uint32_t row = 0; row < kSize; ++row) {
                double sum = 0;
                for (uint32_t k = 0; k < kSize; ++k)
                    sum += halfValue(weights[(layer * kSize + row) * kSize + k]) * v[k];
                result[row] = std::max(sum, 0.0);
            }
            v.swap(result);
        }
        return v;
    }

    // Wrong vectors of kChecked.
    uint32_t wrong(const std::vector<std::byte>& result) const {
        std::mt19937 random(2);
        const auto vectors = static_cast<uint32_t>(result.size() / (kSize * 2));
        uint32_t count = 0;
        for (uint32_t i = 0; i < kChecked; ++i) {
            const uint32_t index = static_cast<uint32_t>(random()) % vectors;
            const std::vector<double> expected = apply(index % kVectors);
            const auto equal = [&](uint32_t element) {
                uint16_t bits;
                std::memcpy(&bits, &result[(size_t{index} * kSize + element) * 2], 2);
                return halfValue(bits) == expected[element];
            };
            bool right = true;
            for (uint32_t element = 0; element < kSize; ++element) right &= equal(element);
            count += !right;
        }
        return count;
    }

    std::vector<uint16_t> weights;  // layer, row, column
    std::vector<uint16_t> inputs;
};

// The weights in the device's inferencing-optimal layout, every layer at a multiple of 64 bytes.
struct Optimal {
    Optimal(Gpu& gpu, const Network& network) {
        for (uint32_t layer = 0; layer < kLayers; ++layer) {
            size_t size = 0;
            VkConvertCooperativeVectorMatrixInfoNV info{
                VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
            info.srcSize = kLayerBytes;
            info.srcData.hostAddress = &network.weights[size_t{layer} * kSize * kSize];
            info.pDstSize = &size;
            info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_FLOAT16_KHR;
            info.numRows = info.numColumns = kSize;
            info.srcLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
            info.srcStride = kSize * 2;
            info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
            COOPVK_CHECK(gpu.vk.vkConvertCooperativeVectorMatrixNV(gpu.device, &info));
            layerBytes = static_cast<uint32_t>((size + 63) / 64 * 64);
            bytes.resize(size_t{kLayers} * layerBytes);
            info.dstData.hostAddress = &bytes[size_t{layer} * layerBytes];
            COOPVK_CHECK(gpu.vk.vkConvertCooperativeVectorMatrixNV(gpu.device, &info));
        }
    }
    uint32_t layerBytes = 0;
    std::vector<std::byte> bytes;
};

struct DeviceBuffers {
    DeviceBuffers(Gpu& gpu, const Network& network, uint32_t groups)
        : weights(gpu, 2 * kLayers * kLayerBytes),
          optimal(gpu, 4 * kLayers * kLayerBytes),
          inputs(gpu, VkDeviceSize{kVectors} * kSize * 2),
          outputs(gpu, VkDeviceSize{groups} * kGroup * kSize * 2) {
        std::vector<uint16_t> copies = network.weights;
        copies.insert(copies.end(), network.weights.begin(), network.weights.end());
        weights.write(std::as_bytes(std::span<const uint16_t>(copies)));
        inputs.write(std::as_bytes(std::span<const uint16_t>(network.inputs)));
    }
    Buffer weights, optimal, inputs, outputs;
};

class Vectors {
 public:
    explicit Vectors(const Options& options)
        : options_(options),
          pair_(options.device),
          groups_(pair_.native.isCpu() ? kGroupsOnCpu : kGroups),
          nativeBuffers_(pair_.native, network_, groups_),
          emulatedBuffers_(pair_.emulated, network_, groups_) {}

    void run() {
        std::printf("## vectors: 3 layers of 64 x 64, f16\n\n%s\n\n", pair_.native.name().c_str());
        Comparison table("weights", {{groups_, 1, 1}, {kRepetitions, kVectors - 1}});
        for (const char* kind : {"row_major", "diverging", "optimal"})
            add(table, "native", kind, pair_.native);
        addShader(table, "plain loops", pair_.native, "mlp_plain", nullptr);
        for (const char* kind : {"row_major", "diverging", "optimal"})
            add(table, "emulated", kind, pair_.emulated);
        const double products = 1.0 * kLayers * kRepetitions * kGroup * groups_;
        table.print(options_, products * 2 * kSize * kSize, flops);
    }

 private:
    void add(Comparison& table, std::string_view who, std::string_view kind, Gpu& gpu) {
        if (!gpu.features.cooperativeVector.cooperativeVector) return;
        std::string name = std::string(who) + " " + std::string(kind);
        std::replace(name.begin(), name.end(), '_', '-');
        const std::string shader = "mlp_" + std::string(kind);
        if (kind != "optimal") return addShader(table, name, gpu, shader, nullptr);
        const Optimal optimal(gpu, network_);
        addShader(table, name, gpu, shader, &optimal);
    }

    void addShader(Comparison& table, const std::string& name, Gpu& gpu, const std::string& shader,
                   const Optimal* optimal) {
        DeviceBuffers& buffers = &gpu == &pair_.native ? nativeBuffers_ : emulatedBuffers_;
        if (optimal) buffers.optimal.write(optimal->bytes);
        Buffer* const list[] = {optimal ? &buffers.optimal : &buffers.weights, &buffers.inputs,
                                &buffers.outputs};
        const uint32_t layerBytes = optimal ? optimal->layerBytes : kLayerBytes;
        buffers.outputs.fill(0x7fff7fff);  // not a number
        table.add(name, gpu, builtInShader(shader), std::span(&layerBytes, 1), list,
                  {{groups_, 1, 1}, {1, kVectors - 1}},
                  [&] { return verdict(network_.wrong(buffers.outputs.read()), kChecked); });
    }

    const Options& options_;
    Network network_;
    Pair pair_;
    uint32_t groups_;
    DeviceBuffers nativeBuffers_, emulatedBuffers_;
};

}  // namespace

void benchVectors(const Options& options) { Vectors(options).run(); }

}  // namespace coopvk::bench
