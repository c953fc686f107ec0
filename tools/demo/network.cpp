// SPDX-License-Identifier: Apache-2.0
#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "adam.spv.h"
#include "infer.spv.h"
#include "train.spv.h"

namespace coopvk::demo {
namespace {

constexpr auto kFloat = VK_COMPONENT_TYPE_FLOAT32_KHR;
constexpr auto kHalf = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr auto kRows = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
constexpr auto kTraining = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;
constexpr auto kInferencing = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;

constexpr float kGradientScale = 256;  // keeps small gradients within the range of halves
constexpr float kRate = 0.01f;

constexpr uint32_t alignUp(size_t value) { return static_cast<uint32_t>((value + 63) / 64 * 64); }

VkConvertCooperativeVectorMatrixInfoNV conversion(uint32_t rows, uint32_t columns, size_t* size) {
    VkConvertCooperativeVectorMatrixInfoNV info{
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.numRows = rows;
    info.numColumns = columns;
    info.pDstSize = size;
    return info;
}

size_t matrixSize(Gpu& gpu, const Layer& layer, VkComponentTypeKHR type,
                  VkCooperativeVectorMatrixLayoutNV layout) {
    size_t size = 0;
    auto info = conversion(layer.outputs, layer.inputs, &size);
    info.srcComponentType = info.dstComponentType = type;
    info.srcLayout = kRows;
    info.srcStride = size_t{4} * layer.inputs;
    info.dstLayout = layout;
    COOPVK_CHECK(vkConvertCooperativeVectorMatrixNV(gpu.device, &info));
    return size;
}

struct TrainPush {
    uint32_t seed;
    float scale;
};

struct AdamPush {
    float rate;
    float gradientScale;
    float correction1;
    float correction2;
};

}  // namespace

Form::Form(Gpu& gpu, VkComponentTypeKHR componentType,
           VkCooperativeVectorMatrixLayoutNV matrixLayout)
    : type(componentType), layout(matrixLayout) {
    for (size_t i = 0; i < kLayers.size(); ++i) {
        matrices[i] = size;
        size = alignUp(size + matrixSize(gpu, kLayers[i], type, layout));
        biases[i] = size;
        size = alignUp(size + kLayers[i].outputs * elementBytes());
    }
}

Network::Network(Gpu& gpu, const Pixels& target, uint32_t width, uint32_t groups)
    : gpu_(gpu),
      width_(width),
      groups_(groups),
      master_(gpu, kFloat, kTraining),
      halves_(gpu, kHalf, kTraining),
      drawing_(gpu, kHalf, kInferencing),
      masterBuffer_(gpu, master_.size),
      gradients_(gpu, master_.size),
      moments_(gpu, size_t{2} * master_.size),
      halvesBuffer_(gpu, halves_.size),
      drawingBuffer_(gpu, drawing_.size),
      target_(gpu, target.size() * sizeof(float)),
      picture_(gpu, target.size() * sizeof(float)),
      loss_(gpu, 16),
      train_(gpu, k_train, {&halvesBuffer_, &gradients_, &target_, &loss_},
             constants(halves_, &master_)),
      adam_(gpu, k_adam, {&masterBuffer_, &gradients_, &moments_}, {}),
      infer_(gpu, k_infer, {&drawingBuffer_, nullptr, &picture_}, constants(drawing_, nullptr)) {
    std::ranges::copy(target, target_.as<float>().begin());
    initialise();
}

uint32_t Network::parameterCount() const {
    uint32_t count = 0;
    for (const Layer& layer : kLayers) count += (layer.inputs + 1) * layer.outputs;
    return count;
}

std::vector<uint32_t> Network::constants(const Form& parameters, const Form* gradients) const {
    std::vector<uint32_t> list = {width_};
    const auto add = [&](const Form& form) {
        list.insert(list.end(), form.matrices.begin(), form.matrices.end());
        list.insert(list.end(), form.biases.begin(), form.biases.end());
    };
    add(parameters);
    if (gradients != nullptr) add(*gradients);
    return list;
}

// Random weights, as rows of floats, which the host converts.
void Network::initialise() {
    std::mt19937 random(1);
    for (size_t i = 0; i < kLayers.size(); ++i) {
        const Layer& layer = kLayers[i];
        std::vector<float> weights(size_t{layer.inputs} * layer.outputs);
        const float scale = std::sqrt(6.0f / static_cast<float>(layer.inputs));
        for (float& weight : weights) {
            weight = (static_cast<float>(random()) * 0x1p-31f - 1) * scale;
        }
        size_t size = master_.size - master_.matrices[i];
        auto info = conversion(layer.outputs, layer.inputs, &size);
        info.srcComponentType = info.dstComponentType = kFloat;
        info.srcSize = weights.size() * sizeof(float);
        info.srcLayout = kRows;
        info.srcStride = layer.inputs * sizeof(float);
        info.dstLayout = kTraining;
        info.srcData.hostAddress = weights.data();
        info.dstData.hostAddress = masterBuffer_.at(master_.matrices[i]);
        COOPVK_CHECK(vkConvertCooperativeVectorMatrixNV(gpu_.device, &info));
    }
    gpu_.run([&](VkCommandBuffer commands) {
        convert(commands, master_, masterBuffer_, halves_, halvesBuffer_);
    });
}

// Converts all matrices, and biases as matrices of one row, with one command.
void Network::convert(VkCommandBuffer commands, const Form& fromForm, const Buffer& from,
                      const Form& toForm, const Buffer& to) {
    std::array<size_t, 2 * kLayers.size()> sizes;
    std::vector<VkConvertCooperativeVectorMatrixInfoNV> infos;
    for (size_t i = 0; i < kLayers.size(); ++i) {
        for (const bool isBias : {false, true}) {
            const uint32_t columns = isBias ? kLayers[i].outputs : kLayers[i].inputs;
            size_t& size = sizes[infos.size()];
            auto info = conversion(isBias ? 1 : kLayers[i].outputs, columns, &size);
            const uint32_t source = isBias ? fromForm.biases[i] : fromForm.matrices[i];
            const uint32_t target = isBias ? toForm.biases[i] : toForm.matrices[i];
            const uint32_t next = isBias && i + 1 < kLayers.size() ? toForm.matrices[i + 1]
                                  : isBias                         ? toForm.size
                                                                   : toForm.biases[i];
            info.srcComponentType = fromForm.type;
            info.srcLayout = isBias ? kRows : fromForm.layout;
            info.srcStride = columns * fromForm.elementBytes();
            info.srcSize = fromForm.size - source;
            info.srcData.deviceAddress = from.address() + source;
            info.dstComponentType = toForm.type;
            info.dstLayout = isBias ? kRows : toForm.layout;
            info.dstStride = columns * toForm.elementBytes();
            info.dstData.deviceAddress = to.address() + target;
            size = next - target;
            infos.push_back(info);
        }
    }
    vkCmdConvertCooperativeVectorMatrixNV(commands, static_cast<uint32_t>(infos.size()),
                                          infos.data());
}

void Network::recordStep(VkCommandBuffer commands, uint32_t step, uint32_t steps) {
    const TrainPush push = {step, kGradientScale};
    train_.dispatch(commands, groups_, push);
    barrier(commands, kCompute, kCompute);
    const float progress = static_cast<float>(step) / static_cast<float>(steps);
    const auto number = static_cast<float>(step + 1);
    AdamPush adam;
    adam.rate = kRate * (0.02f + 0.49f * (1 + std::cos(progress * 3.14159265f)));
    adam.gradientScale = 2 / (kGradientScale * static_cast<float>(groups_ * kGroupSize));
    adam.correction1 = 1 / (1 - std::pow(0.9f, number));
    adam.correction2 = 1 / (1 - std::pow(0.99f, number));
    adam_.dispatch(commands, (master_.size / 4 + kGroupSize - 1) / kGroupSize, adam);
    barrier(commands, kCompute, kConversion);
    convert(commands, master_, masterBuffer_, halves_, halvesBuffer_);
    barrier(commands, kConversion, kCompute);
}

double Network::train(uint32_t first, uint32_t count, uint32_t steps) {
    loss_.as<float>()[0] = 0;
    gpu_.run([&](VkCommandBuffer commands) {
        for (uint32_t i = 0; i < count; ++i) recordStep(commands, first + i, steps);
    });
    const double samples = static_cast<double>(count) * groups_ * kGroupSize * kOutputs;
    return static_cast<double>(loss_.as<float>()[0]) / samples;
}

Pixels Network::draw() {
    gpu_.run([&](VkCommandBuffer commands) {
        convert(commands, halves_, halvesBuffer_, drawing_, drawingBuffer_);
        barrier(commands, kConversion, kCompute);
        infer_.dispatch(commands, width_ * width_ / kGroupSize, uint32_t{0});
    });
    const auto pixels = picture_.as<float>();
    return {pixels.begin(), pixels.end()};
}

}  // namespace coopvk::demo
