// SPDX-License-Identifier: Apache-2.0
//
// Runs compute shaders: bytes in, bytes out. Every buffer is between guard zones of random bytes; a
// run fails if the shader changes them.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "bindings.hpp"
#include "context.hpp"
#include "matrix.hpp"
#include "shader.hpp"

namespace coopvk::test {

struct SpecConstant {
    uint32_t id;
    uint32_t value;
    uint32_t size = 4;  // bytes, from the low end
};

// VkSpecializationInfo and its memory. Constant 0 is the subgroup size, from which every shader of
// the tests derives its workgroup size.
class Specialization {
 public:
    Specialization(const Context& context, std::vector<SpecConstant> constants);
    Specialization(const Specialization&) = delete;
    Specialization& operator=(const Specialization&) = delete;
    VkSpecializationInfo info{};

 private:
    std::vector<uint32_t> values_;
    std::vector<VkSpecializationMapEntry> entries_;
};

struct PipelineOptions {
    std::vector<SpecConstant> specialization;
    std::string entryPoint = "main";
    std::optional<uint32_t> requiredSubgroupSize;
    VkPipelineShaderStageCreateFlags stageFlags = 0;
    VkPipelineCreateFlags flags = 0;
    VkPipelineCache cache = VK_NULL_HANDLE;
    const void* next = nullptr;  // chained to VkComputePipelineCreateInfo
    bool inlined = false;        // no VkShaderModule: VkShaderModuleCreateInfo in the stage's pNext
};

inline constexpr uint32_t kMaxBuffers = 6;
inline constexpr uint32_t kArrayBinding = 4;
inline constexpr uint32_t kUniformBinding = 5;
inline constexpr uint32_t kPushBytes = 128;

// Layout shared by every shader of the tests: storage buffers at set 0, bindings 0 to 3, an array
// of two at binding 4 (buffers 4 and 5 of a dispatch), buffer 0 once more as a uniform buffer at
// binding 5, and 128 bytes of push constants.
struct Layout : vulkan::Layout {
    explicit Layout(const Context& context);
};

// A set of this layout.
struct Bindings : vulkan::Bindings {
    Bindings(const Context& context, const Layout& layout)
        : vulkan::Bindings(context.device, context.vk, layout) {}
    // By the number of the buffer in a dispatch.
    void bindBuffer(uint32_t number, const VkDescriptorBufferInfo& buffer) const;
};

// The result of the driver's (or layer's) vkCreateComputePipelines, which tests may want to fail.
VkResult createPipeline(Context& context, VkPipelineLayout layout, const Words& words,
                        const PipelineOptions& options, VkPipeline* pipeline);

// Something that can be bound for a dispatch: a pipeline or a shader object.
using Binder = std::function<void(VkCommandBuffer)>;

struct Dispatch {
    std::vector<Bytes> buffers;  // by binding; contents before
    std::vector<std::byte> push;
    // Buffers whose device addresses come first in the push constants, 8 bytes each.
    std::vector<uint32_t> addresses;
    // The addresses go to the start of this buffer instead, and its own address into the constants.
    std::optional<uint32_t> addressTable = {};
    std::array<uint32_t, 3> groups = {1, 1, 1};
};

// The buffers' contents afterwards. Thread safe.
std::vector<Bytes> submit(Context& context, const Layout& layout, const Dispatch& dispatch,
                          const Binder& bind);

// The usual way: a pipeline from words, one dispatch, everything destroyed again.
std::vector<Bytes> run(const Words& words, const Dispatch& dispatch,
                       const PipelineOptions& options = {});

template <typename T>
std::vector<std::byte> toBytes(std::initializer_list<T> values) {
    const auto bytes = std::as_bytes(std::span(values.begin(), values.size()));
    return {bytes.begin(), bytes.end()};
}
inline std::vector<std::byte> pushWords(std::initializer_list<uint32_t> values) {
    return toBytes(values);
}

}  // namespace coopvk::test
