// SPDX-License-Identifier: Apache-2.0
//
// A small network that learns a picture by cooperative-vector training.
//
// The parameters that Adam changes are floats in the training-optimal layout. Each step converts
// them, on the device, to the halves that the products take; gradients accumulate in floats of the
// same layout. For drawing, the halves are converted to the inferencing-optimal layout.
#pragma once

#include <array>
#include <memory>

#include "gpu.hpp"
#include "image.hpp"

namespace coopvk::demo {

// As in network.glsl.
inline constexpr uint32_t kInputs = 20;
inline constexpr uint32_t kHidden = 64;
inline constexpr uint32_t kOutputs = 3;
inline constexpr uint32_t kGroupSize = 64;

struct Layer {
    uint32_t inputs, outputs;
};
inline constexpr std::array<Layer, 3> kLayers = {
    {{kInputs, kHidden}, {kHidden, kHidden}, {kHidden, kOutputs}}};

// The layout of one copy of all parameters in a buffer.
struct Form {
    VkComponentTypeKHR type;
    VkCooperativeVectorMatrixLayoutNV layout;
    std::array<uint32_t, kLayers.size()> matrices = {};  // byte offsets
    std::array<uint32_t, kLayers.size()> biases = {};
    uint32_t size = 0;

    Form(Gpu& gpu, VkComponentTypeKHR componentType,
         VkCooperativeVectorMatrixLayoutNV matrixLayout);
    uint32_t elementBytes() const { return type == VK_COMPONENT_TYPE_FLOAT32_KHR ? 4 : 2; }
};

class Network {
 public:
    Network(Gpu& gpu, const Pixels& target, uint32_t width, uint32_t groups);

    uint32_t parameterCount() const;
    // Runs steps from `first` on; returns the mean squared error of the samples.
    double train(uint32_t first, uint32_t count, uint32_t steps);
    Pixels draw();

 private:
    void initialise();
    void convert(VkCommandBuffer commands, const Form& fromForm, const Buffer& from,
                 const Form& toForm, const Buffer& to);
    void recordStep(VkCommandBuffer commands, uint32_t step, uint32_t steps);
    std::vector<uint32_t> constants(const Form& parameters, const Form* gradients) const;

    Gpu& gpu_;
    uint32_t width_;
    uint32_t groups_;
    Form master_, halves_, drawing_;
    Buffer masterBuffer_, gradients_, moments_, halvesBuffer_, drawingBuffer_, target_, picture_,
        loss_;
    Kernel train_, adam_, infer_;
};

}  // namespace coopvk::demo
