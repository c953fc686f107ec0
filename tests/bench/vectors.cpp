// SPDX-License-Identifier: Apache-2.0
//
// A small neural network with cooperative vectors (shaders/mlp.comp): compares the driver's own
// with coopvk's and with loops. Weights and inputs are small fractions, so one pass through the
// network is exact in any order of summation.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
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
constexpr uint32_t kCheckedVectors = 200;  // vectors of the result
constexpr uint32_t kMostCopies = 32;

// A shader of mlp.comp, and how many copies of the weights a subgroup reads.
struct Kind {
    const char* name;
    const char* shader;
    uint32_t copies = 1;
};
constexpr Kind kKinds[] = {{"row-major", "mlp_row_major"},
                           {"diverging", "mlp_diverging", 2},
                           {"diverging in 4", "mlp_diverging", 4},
                           {"diverging in 8", "mlp_diverging", 8},
                           {"diverging in 32", "mlp_diverging", kMostCopies},
                           {"optimal", "mlp_optimal"}};

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
        for (uint32_t i = 0; i < kCheckedVectors; ++i) {
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
        : weights(gpu, kMostCopies * kLayers * kLayerBytes),
          optimal(gpu, 4 * kLayers * kLayerBytes),
          inputs(gpu, VkDeviceSize{kVectors} * kSize * 2),
          outputs(gpu, VkDeviceSize{groups} * kGroup * kSize * 2) {
        std::vector<uint16_t> copies;
        for (uint32_t copy = 0; copy < kMostCopies; ++copy) {
            copies.insert(copies.end(), network.weights.begin(), network.weights.end());
        }
        weights.write(std::as_bytes(std::span<const uint16_t>(copies)));
        inputs.write(std::as_bytes(std::span<const uint16_t>(network.inputs)));
    }
    Buffer weights, optimal, inputs, outputs;
};

struct VectorWay {
    const char* name;
    Layer layer;
    LayerSettings settings;
};
constexpr const char* kVectorsOnly = VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME;
// The driver's own come first: the others are compared with it.
constexpr VectorWay kVectorWays[] = {{"native", Layer::kAbsent, {}},
                                     {"on KHR matrices", Layer::kPresent, {kVectorsOnly, "native"}},
                                     {"on core SPIR-V", Layer::kPresent, {"all", "core"}}};

struct VectorContestant {
    VectorContestant(const VectorWay& way, const Network& network, const Options& options)
        : gpu(way.layer, options.device, way.settings),
          groups(gpu.isCpu() ? kGroupsOnCpu : kGroups),
          buffers(gpu, network, groups) {}
    Gpu gpu;
    uint32_t groups;
    DeviceBuffers buffers;
};

class Vectors {
 public:
    explicit Vectors(const Options& options) : options_(options) {
        for (size_t i = 0; i < std::size(kVectorWays); ++i) {
            contestants_.push_back(
                std::make_unique<VectorContestant>(kVectorWays[i], network_, options));
        }
    }

    void run() {
        VectorContestant& native = *contestants_.front();
        std::printf("## vectors: 3 layers of 64 x 64, f16\n\n%s\n\n", native.gpu.name().c_str());
        Comparison table("weights", {{native.groups, 1, 1}, {kRepetitions, kVectors - 1}});
        add(table, 0);
        addShader(table, "plain loops", native, {"plain loops", "mlp_plain"}, nullptr);
        if (native.gpu.has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) add(table, 1);
        add(table, 2);
        const double products = 1.0 * kLayers * kRepetitions * kGroup * native.groups;
        table.print(options_, products * 2 * kSize * kSize, flops);
    }

 private:
    void add(Comparison& table, size_t way) {
        VectorContestant& contestant = *contestants_[way];
        if (!contestant.gpu.features.cooperativeVector.cooperativeVector) return;
        for (const Kind& kind : kKinds) {
            std::optional<Optimal> optimal;
            if (kind.name == std::string_view("optimal")) optimal.emplace(contestant.gpu, network_);
            addShader(table, std::string(kVectorWays[way].name) + " " + kind.name, contestant, kind,
                      optimal ? &*optimal : nullptr);
        }
    }

    void addShader(Comparison& table, const std::string& name, VectorContestant& contestant,
                   const Kind& kind, const Optimal* optimal) {
        DeviceBuffers& buffers = contestant.buffers;
        if (optimal) buffers.optimal.write(optimal->bytes);
        Buffer* const list[] = {optimal ? &buffers.optimal : &buffers.weights, &buffers.inputs,
                                &buffers.outputs};
        const uint32_t constants[] = {optimal ? optimal->layerBytes : kLayerBytes, kind.copies};
        buffers.outputs.fill(0x7fff7fff);  // not a number
        table.add(name, contestant.gpu, builtInShader(kind.shader), constants, list,
                  {{contestant.groups, 1, 1}, {1, kVectors - 1}},
                  [&] { return verdict(network_.wrong(buffers.outputs.read()), kCheckedVectors); });
    }

    const Options& options_;
    Network network_;
    std::vector<std::unique_ptr<VectorContestant>> contestants_;
};

}  // namespace

void benchVectors(const Options& options) { Vectors(options).run(); }

}  // namespace coopvk::bench
