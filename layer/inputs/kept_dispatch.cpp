// SPDX-License-Identifier: Apache-2.0
#include "inputs/kept_dispatch.hpp"

#include <cstring>

#include "report/dump.hpp"

namespace coopvk::layer::inputs {
namespace {

constexpr uint64_t kCountBytes = sizeof(VkDispatchIndirectCommand);
constexpr VkAccessFlags kAnyAccess = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

}  // namespace

KeptDispatch::KeptDispatch(const Driver& driver, std::shared_ptr<KeptShader> shader_,
                           RecordedDispatch record, Staging staging, const Ranges& ranges,
                           const std::optional<IndirectCount>& indirect)
    : shader(std::move(shader_)),
      driver_(driver),
      record_(std::move(record)),
      staging_(std::move(staging)),
      copies_(ranges.copies()),
      indirect_(indirect),
      half_(ranges.size()) {}

std::shared_ptr<KeptDispatch> KeptDispatch::make(const Driver& driver,
                                                 std::shared_ptr<KeptShader> shader,
                                                 RecordedDispatch record, const Ranges& ranges,
                                                 const std::optional<IndirectCount>& indirect) {
    auto staging = Staging::make(driver, 2 * ranges.size() + kCountBytes);
    if (!staging) return nullptr;
    return std::shared_ptr<KeptDispatch>(new KeptDispatch(
        driver, std::move(shader), std::move(record), std::move(*staging), ranges, indirect));
}

void KeptDispatch::barrier(VkCommandBuffer commands, VkAccessFlags from, VkAccessFlags to) const {
    VkMemoryBarrier all = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    all.srcAccessMask = from;
    all.dstAccessMask = to;
    constexpr VkPipelineStageFlags kStages =
        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT;
    driver_.next.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, kStages, 0, 1,
                                    &all, 0, nullptr, 0, nullptr);
}

void KeptDispatch::recordCopies(VkCommandBuffer commands, uint64_t shift) const {
    for (const Copy& copy : copies_) {
        const VkBufferCopy region = {copy.from, copy.to + shift, copy.size};
        driver_.next.CmdCopyBuffer(commands, copy.buffer, staging_.buffer(), 1, &region);
    }
}

void KeptDispatch::recordBefore(VkCommandBuffer commands) const {
    barrier(commands, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    recordCopies(commands, 0);
    if (indirect_) {
        const VkBufferCopy region = {indirect_->offset, 2 * half_, kCountBytes};
        driver_.next.CmdCopyBuffer(commands, indirect_->buffer, staging_.buffer(), 1, &region);
    }
    barrier(commands, VK_ACCESS_TRANSFER_WRITE_BIT, kAnyAccess);
}

void KeptDispatch::recordAfter(VkCommandBuffer commands) const {
    barrier(commands, VK_ACCESS_MEMORY_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    recordCopies(commands, half_);
    barrier(commands, VK_ACCESS_TRANSFER_WRITE_BIT, kAnyAccess | VK_ACCESS_HOST_READ_BIT);
}

// Without VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT a set must stay as it was.
void KeptDispatch::submit() {
    progress = Progress::kSubmitted;
    for (const SetUse& use : sets) {
        if (use.set->updates != use.updates)
            record_.missing.push_back("set " + std::to_string(use.number) +
                                      ": its descriptors changed after the dispatch was recorded");
    }
    sets.clear();
}

bool KeptDispatch::read(VkResult executed) noexcept {
    const bool lost = executed != VK_SUCCESS;
    try {
        staging_.invalidate();
        const auto bytes = staging_.bytes().first(static_cast<size_t>(lost ? half_ : 2 * half_));
        read_.assign(bytes.begin(), bytes.end());
        if (indirect_) {
            std::memcpy(record_.groups.data(), staging_.bytes().data() + 2 * half_, kCountBytes);
            record_.notes.emplace_back("an indirect dispatch");
        }
        if (lost) record_.notes.emplace_back("the device was lost");
        for (KeptRegion& region : record_.regions)
            region.after = lost ? std::nullopt : std::optional(region.before + half_);
        return true;
    } catch (...) {
        return false;
    }
}

void KeptDispatch::write(ShaderDumps& dumps) noexcept {
    try {
        const std::string stem = shader->name + ".dispatch" + std::to_string(number);
        record_.file = stem + ".bin";
        // The request is an object: the dispatch becomes its last member.
        std::string json = shader->request.substr(0, shader->request.rfind('}'));
        json.append(", \"dispatch\": ").append(jsonTextOf(record_)).append("}\n");
        dumps.writeDispatch(stem, json,
                            {reinterpret_cast<const char*>(read_.data()), read_.size()});
    } catch (...) {
        dumps.log().warn("dump_inputs: no memory to write a dispatch");
    }
    read_ = {};
}

}  // namespace coopvk::layer::inputs
