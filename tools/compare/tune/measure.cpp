// SPDX-License-Identifier: Apache-2.0
#include "compare/tune/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>

#include "bindings.hpp"
#include "compare/selftest/shader_device.hpp"
#include "compare/tune/works.hpp"
#include "system/system.hpp"

namespace coopvk::tune {
namespace {

using nlohmann::ordered_json;

constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                      VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// Drivers of CPUs compute in this process: other programs do not disturb the time of the processor.
double now(bool isCpu) {
    if (isCpu) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

// For works that are made later: the layer reads its settings when an instance is made.
void useTuning(const std::string& tuning) {
    using layer::system::setVariable;
    setVariable("COOPVK_TUNING", tuning.empty() ? "off" : tuning);
    setVariable("COOPVK_NUMERICS", "fast");
    setVariable("COOPVK_AS", "own");
    setVariable("COOPVK_ELEMENT_LAYOUT", "auto");
}

size_t widthOf(Element type) { return type == Element::kHalf ? 2 : 4; }

// A work on a device of its own.
class TunedWork {
 public:
    TunedWork(const MeasureRequest& request, const TuneWork& work, const Problem& problem)
        : isCpu_(request.isCpu),
          work_(work),
          problem_(problem),
          gpu_(request.device, std::span(&work.extension, 1), kBackEnd),
          layout_(gpu_.device, gpu_.vk, 3u, 4),
          bindings_(gpu_.device, gpu_.vk, layout_),
          host_(gpu_.ref(), std::max({bytes(0), bytes(1), bytes(2)}), kUsage),
          buffers_{{gpu_.ref(), bytes(0), kUsage, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
                   {gpu_.ref(), bytes(1), kUsage, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
                   {gpu_.ref(), bytes(2), kUsage, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT}} {
        for (uint32_t i = 0; i < 3; ++i) bindings_.bind(i, {buffers_[i].handle, 0, VK_WHOLE_SIZE});
        write(0, problem.a);
        write(1, problem.b);
        write(2, std::vector<std::byte>(bytes(2), std::byte{0xff}));
        createPipeline();
    }
    ~TunedWork() { gpu_.vk.vkDestroyPipeline(gpu_.device, pipeline_, nullptr); }
    TunedWork(const TunedWork&) = delete;
    TunedWork& operator=(const TunedWork&) = delete;

    double seconds(uint32_t dispatches) {
        const double start = now(isCpu_);
        gpu_.submit([&](VkCommandBuffer commands) { record(commands, dispatches); });
        return now(isCpu_) - start;
    }
    bool isRight() {
        gpu_.submit(
            [&](VkCommandBuffer commands) { copy(commands, buffers_[2], host_, bytes(2)); });
        return numbersOf({host_.map, bytes(2)}, work_.result) == problem_.expected;
    }

 private:
    inline static const std::string kBackEnd = "auto";

    size_t bytes(size_t buffer) const {
        return buffer == 0   ? problem_.a.size()
               : buffer == 1 ? problem_.b.size()
                             : problem_.expected.size() * widthOf(work_.result);
    }
    void copy(VkCommandBuffer commands, const vulkan::Buffer& from, const vulkan::Buffer& to,
              size_t size) const {
        const VkBufferCopy region = {0, 0, size};
        gpu_.vk.vkCmdCopyBuffer(commands, from.handle, to.handle, 1, &region);
    }
    void write(size_t buffer, std::span<const std::byte> from) {
        std::memcpy(host_.map, from.data(), from.size());
        gpu_.submit([&](VkCommandBuffer commands) {
            copy(commands, host_, buffers_[buffer], from.size());
        });
    }
    void createPipeline() {
        const uint32_t lanes = gpu_.lanes(), threads = 4 * lanes;
        const VkSpecializationMapEntry entry = {0, 0, sizeof(threads)};
        const VkSpecializationInfo special = {1, &entry, sizeof(threads), &threads};
        pipeline_ =
            gpu_.createPipeline({.words = work_.words,
                                 .layout = layout_.pipeline,
                                 .lanes = lanes,
                                 .specialization = work_.isOfSubgroups ? &special : nullptr});
    }
    void record(VkCommandBuffer commands, uint32_t dispatches) const {
        const VolkDeviceTable& vk = gpu_.vk;
        vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
        vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.pipeline, 0, 1,
                                   &bindings_.set, 0, nullptr);
        vk.vkCmdPushConstants(commands, layout_.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4,
                              &problem_.size);
        VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
        for (uint32_t i = 0; i < dispatches; ++i) {
            vk.vkCmdDispatch(commands, problem_.groups[0], problem_.groups[1], 1);
            vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                                    nullptr, 0, nullptr);
        }
    }

    const bool isCpu_;
    const TuneWork& work_;
    const Problem& problem_;
    compare::ShaderDevice gpu_;
    vulkan::Layout layout_;
    vulkan::Bindings bindings_;
    vulkan::Buffer host_;
    vulkan::Buffer buffers_[3];
    VkPipeline pipeline_ = VK_NULL_HANDLE;
};

// Dispatches that take long enough to be timed.
uint32_t dispatchesOf(TunedWork& work, double sample) {
    constexpr uint32_t kMost = 1u << 14;
    uint32_t dispatches = 1;
    work.seconds(dispatches);  // which also compiles what drivers compile late
    while (work.seconds(dispatches) < sample && dispatches < kMost) dispatches *= 2;
    return dispatches;
}

ordered_json measureWork(const MeasureRequest& request, const TuneWork& work) {
    ordered_json json = {{"name", work.name}};
    const Problem problem = work.problem(request.isCpu);
    useTuning(request.base);
    TunedWork base(request, work, problem);
    useTuning(request.candidate);
    TunedWork candidate(request, work, problem);
    const uint32_t dispatches = dispatchesOf(base, request.sample);
    candidate.seconds(1);
    json["baseIsRight"] = base.isRight();
    json["isRight"] = candidate.isRight();
    std::vector<double> times[2];
    for (int round = 0; round < 2 * request.rounds; ++round) {
        // base, candidate, candidate, base, ...: slow changes of the machine affect both equally.
        const bool isCandidate = round % 4 == 1 || round % 4 == 2;
        times[isCandidate].push_back((isCandidate ? candidate : base).seconds(dispatches) /
                                     dispatches);
    }
    // The last results count, too.
    json["isRight"] = json["isRight"] == true && candidate.isRight();
    json["base"] = times[0];
    json["candidate"] = times[1];
    json["operations"] = problem.operations;
    return json;
}

}  // namespace

ordered_json jsonOf(const MeasureRequest& request) {
    return {{"device", request.device},       {"isCpu", request.isCpu}, {"base", request.base},
            {"candidate", request.candidate}, {"works", request.works}, {"sample", request.sample},
            {"rounds", request.rounds}};
}

MeasureRequest requestFrom(std::string_view text) {
    const auto json = nlohmann::json::parse(text);
    return {json.at("device"), json.at("isCpu"),  json.at("base"),  json.at("candidate"),
            json.at("works"),  json.at("sample"), json.at("rounds")};
}

ordered_json measureTunings(const MeasureRequest& request) {
    ordered_json json;
    json["works"] = ordered_json::array();
    for (const uint32_t number : request.works)
        if (number < tuneWorks().size())
            json["works"].push_back(measureWork(request, tuneWorks()[number]));
    return json;
}

}  // namespace coopvk::tune
