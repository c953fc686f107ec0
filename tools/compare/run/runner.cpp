// SPDX-License-Identifier: Apache-2.0
#include "compare/run/runner.hpp"

#include <array>

#include "compare/numbers/conversion.hpp"
#include "compare/run/memory.hpp"

namespace coopvk::compare {
namespace {

constexpr uint32_t kBindings = 4;
constexpr uint32_t kPushBytes = 8 * kBindings;

}  // namespace

Runner::Runner(Gpu& gpu)
    : gpu_(gpu),
      layout_(gpu.device, gpu.vk, kBindings, kPushBytes),
      bindings_(gpu.device, gpu.vk, layout_) {}

Runner::~Runner() { forget(); }

Outcome Runner::run(const Plan& plan) {
    if (lost_) return {std::nullopt, "the device was lost in an earlier case"};
    try {
        const Bytes after = execute(plan);
        return {gather(plan.result, after), {}};
    } catch (const vulkan::Error& error) {
        lost_ = error.result == VK_ERROR_DEVICE_LOST;
        return {std::nullopt, error.what()};
    } catch (const std::exception& error) {
        return {std::nullopt, error.what()};
    }
}

Bytes Runner::execute(const Plan& plan) {
    if (plan.assembly.empty()) return convertInTurn(gpu_, plan.conversions, plan.buffers);
    std::vector<Bytes> buffers = plan.buffers;
    for (const Relayout& relayout : plan.relayouts)
        buffers[relayout.buffer] = intoLayout(gpu_, relayout, plan.buffers[relayout.buffer]);
    Bytes after = dispatch(plan, buffers);
    for (const Relayout& relayout : plan.relayouts)
        if (relayout.back) return outOfLayout(gpu_, relayout, after);
    checkSurroundings(plan, after);
    return after;
}

Bytes Runner::dispatch(const Plan& plan, const std::vector<Bytes>& buffers) {
    const VkPipeline pipeline = pipelineFor(plan);
    const Memory memory(gpu_, buffers);
    for (uint32_t i = 0; i < buffers.size(); ++i) bindings_.bind(i, memory.descriptor(i));
    std::array<VkDeviceAddress, kBindings> addresses{};
    for (size_t i = 0; i < plan.addresses.size(); ++i)
        addresses[i] = memory.address(plan.addresses[i]);
    gpu_.submit([&](VkCommandBuffer commands) {
        gpu_.vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        gpu_.vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.pipeline,
                                        0, 1, &bindings_.set, 0, nullptr);
        gpu_.vk.vkCmdPushConstants(commands, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   kPushBytes, addresses.data());
        gpu_.vk.vkCmdDispatch(commands, plan.groups, 1, 1);
    });
    const std::string stray = memory.strayWrite(plan.output);
    if (!stray.empty()) throw std::runtime_error("wrote outside of the result's buffer: " + stray);
    return memory.read(plan.output);
}

void Runner::prepare(const Plan& plan) {
    if (plan.assembly.empty()) return;
    Prepared* place = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto [entry, isNew] = prepared_.try_emplace(plan.assembly);
        if (!isNew) return;
        place = &entry->second;  // stays where it is, and is this thread's until all have joined
    }
    try {
        place->pipeline = createPipeline(plan.assembly);
    } catch (const vulkan::Error& error) {
        place->failed = error;
    } catch (const std::exception& error) {
        place->error = error.what();
    }
}

VkPipeline Runner::pipelineFor(const Plan& plan) {
    prepare(plan);
    const Prepared& prepared = prepared_.at(plan.assembly);
    if (prepared.failed) throw *prepared.failed;
    if (!prepared.error.empty()) throw std::runtime_error(prepared.error);
    return prepared.pipeline;
}

void Runner::forget() {
    for (const auto& [assembly, prepared] : prepared_)
        gpu_.vk.vkDestroyPipeline(gpu_.device, prepared.pipeline, nullptr);
    prepared_.clear();
}

VkPipeline Runner::createPipeline(const std::string& assembly) {
    const std::vector<uint32_t> words = assemble(assembly);
    return gpu_.createPipeline(
        {.words = words, .layout = layout_.pipeline, .lanes = gpu_.properties11.subgroupSize});
}

}  // namespace coopvk::compare
