// SPDX-License-Identifier: Apache-2.0
#include "compare/selftest/shader_groups.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>

#include "atomic_float.spv.h"
#include "bfloat16.spv.h"
#include "bindings.hpp"
#include "block_io.spv.h"
#include "compare/selftest/shader_device.hpp"
#include "coopvk_reference/buffers.hpp"
#include "decode_vector.spv.h"
#include "float8.spv.h"
#include "half_floats.spv.h"
#include "int4.spv.h"
#include "long_vector.spv.h"
#include "maintenance1.spv.h"
#include "mixed_dots.spv.h"
#include "qcom.spv.h"
#include "replicated.spv.h"
#include "speed_matrices.spv.h"
#include "speed_plain.spv.h"
#include "speed_vectors.spv.h"

namespace coopvk::compare {
namespace {

using Clock = std::chrono::steady_clock;
using rewrite::Extension;
using Numbers = std::vector<uint32_t>;

constexpr size_t kNumbers = 1024;  // of a buffer
constexpr uint32_t kGroupInvocations = 128;
constexpr uint32_t kMeasuredGroups = 64;

const std::vector<TestShader>& testShaders() {
    static const std::vector<TestShader> shaders = {
        {{Extension::kExtShaderAtomicFloat}, kAtomicFloat},
        {{Extension::kKhrShaderFloat16Int8}, kHalfFloats},
        {{Extension::kKhrShaderBfloat16}, kBfloat16},
        {{Extension::kExtShaderFloat8}, kFloat8},
        {{Extension::kExtShaderLongVector}, kLongVector},
        {{Extension::kExtShaderReplicatedComposites}, kReplicated},
        {{Extension::kIntelInt4}, kInt4},
        {{Extension::kIntel2dBlockIo}, kBlockIo, 4, true},
        {{Extension::kQcomCooperativeMatrixConversion, Extension::kKhrCooperativeMatrix},
         kQcom,
         8,
         true},
        {{Extension::kExtCooperativeMatrixMaintenance1, Extension::kKhrCooperativeMatrix},
         kMaintenance1,
         4,
         true},
        {{Extension::kNvCooperativeMatrixDecodeVector, Extension::kNvCooperativeMatrix2,
          Extension::kKhrCooperativeMatrix},
         kDecodeVector,
         4,
         true},
        {{Extension::kValveShaderMixedFloatDotProduct}, kMixedDots},
    };
    return shaders;
}

// Small integers, so that every result is exact.
Numbers input() {
    Numbers numbers(kNumbers);
    for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<uint32_t>(i * 5 + i / 7) % 8;
    return numbers;
}

VkPipeline createPipeline(ShaderDevice& gpu, const vulkan::Layout& layout,
                          const TestShader& shader) {
    const uint32_t lanes = gpu.lanes();
    const VkSpecializationMapEntry entry = {0, 0, sizeof(lanes)};
    const VkSpecializationInfo special = {1, &entry, sizeof(lanes), &lanes};
    return gpu.createPipeline({.words = shader.words,
                               .layout = layout.pipeline,
                               .lanes = lanes,
                               .specialization = shader.isOneSubgroup ? &special : nullptr});
}

// A shader that is ready to run.
class Prepared {
 public:
    Prepared(ShaderDevice& gpu, const TestShader& shader, const Numbers& read, size_t written)
        : gpu_(gpu),
          layout_(gpu.device, gpu.vk, 2u, 4),
          bindings_(gpu.device, gpu.vk, layout_),
          read_(gpu.ref(), read.size() * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
          written_(gpu.ref(), written * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
          count_(written) {
        if (gpu.lanes() < shader.minLanes)
            throw std::runtime_error("its subgroups are smaller than the test's matrices");
        pipeline_ = createPipeline(gpu, layout_, shader);
        std::memcpy(read_.map, read.data(), read.size() * 4);
        std::memset(written_.map, 0, written * 4);
        bindings_.bind(0, {read_.handle, 0, VK_WHOLE_SIZE});
        bindings_.bind(1, {written_.handle, 0, VK_WHOLE_SIZE});
    }
    ~Prepared() { gpu_.vk.vkDestroyPipeline(gpu_.device, pipeline_, nullptr); }
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;

    void run(uint32_t groups, uint32_t iterations) {
        gpu_.submit([&](VkCommandBuffer commands) {
            const VolkDeviceTable& vk = gpu_.vk;
            vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
            vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.pipeline,
                                       0, 1, &bindings_.set, 0, nullptr);
            vk.vkCmdPushConstants(commands, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4,
                                  &iterations);
            vk.vkCmdDispatch(commands, groups, 1, 1);
        });
    }
    Numbers result() const {
        Numbers numbers(count_);
        std::memcpy(numbers.data(), written_.map, count_ * 4);
        return numbers;
    }

 private:
    ShaderDevice& gpu_;
    vulkan::Layout layout_;
    vulkan::Bindings bindings_;
    vulkan::Buffer read_, written_;
    const size_t count_;
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

Numbers expected(const TestShader& shader, uint32_t lanes) {
    reference::ProgramRequest request;
    request.words = shader.words;
    request.subgroupSize = lanes;
    request.validate = false;  // SPIRV-Tools does not know all of these extensions
    if (shader.isOneSubgroup) request.specialization.push_back({0, lanes, 4});
    const auto program = reference::makeProgram(request);
    if (!program) throw std::runtime_error("the reference device: " + program.error().message);
    Numbers read = input(), written(kNumbers);
    reference::BufferList memory;
    memory.add(0, 0, 0, {reinterpret_cast<std::byte*>(read.data()), read.size() * 4});
    memory.add(0, 1, 0, {reinterpret_cast<std::byte*>(written.data()), written.size() * 4});
    reference::Settings settings;
    settings.subgroupSize = lanes;
    reference::ReportList reports;
    const auto status = reference::execute(**program, {}, memory, settings, reports);
    if (!status) throw std::runtime_error("the reference device: " + status.error().message);
    return written;
}

}  // namespace

const TestShader* testShader(std::string_view extension) {
    const auto& all = testShaders();
    const auto found = std::ranges::find_if(all, [&](const TestShader& shader) {
        return rewrite::info(shader.extensions.front()).vulkanName == extension;
    });
    return found == all.end() ? nullptr : &*found;
}

std::span<const SpeedTest> speedTests() {
    static const std::vector<SpeedTest> tests = {
        {"plain", {{}, kSpeedPlain, 4, false, 16, false}},
        {"matrices",
         {{Extension::kKhrCooperativeMatrix}, kSpeedMatrices, 4, false, 2.0 * 16 * 16 * 16, true}},
        {"vectors",
         {{Extension::kNvCooperativeVector}, kSpeedVectors, 4, false, 2.0 * 32 * 32, false}},
    };
    return tests;
}

bool agreesWithReference(const TestShader& shader, ShaderDevice& gpu) {
    Prepared prepared(gpu, shader, input(), kNumbers);
    prepared.run(1, 1);
    return prepared.result() == expected(shader, gpu.lanes());
}

double speedOf(const TestShader& shader, uint32_t device, const std::string& backEnd) {
    constexpr double kLongEnough = 0.05;  // seconds
    constexpr int kTries = 3;
    constexpr uint32_t kMostIterations = 1u << 22;
    ShaderDevice gpu(device, shader.extensions, backEnd);
    const uint32_t workers =
        shader.countsSubgroups ? kGroupInvocations / gpu.lanes() : kGroupInvocations;
    // A matrix of each subgroup is the most that is written.
    const size_t written = size_t{kMeasuredGroups} * (kGroupInvocations / gpu.lanes()) * 256;
    Prepared prepared(gpu, shader, Numbers(kNumbers, 0x34003400), written);  // 0.25 as f16
    const auto seconds = [&](uint32_t iterations) {
        const Clock::time_point start = Clock::now();
        prepared.run(kMeasuredGroups, iterations);
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    uint32_t iterations = 1;
    double best = seconds(iterations);  // which also compiles what drivers compile late
    best = seconds(iterations);
    while (best < kLongEnough && iterations < kMostIterations) best = seconds(iterations *= 2);
    for (int i = 1; i < kTries; ++i) best = std::min(best, seconds(iterations));
    return shader.operations * workers * kMeasuredGroups * iterations / best * 1e-9;
}

}  // namespace coopvk::compare
