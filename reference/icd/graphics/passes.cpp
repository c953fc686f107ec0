// SPDX-License-Identifier: Apache-2.0
//
// Render passes: nothing is drawn in them, but attachments are cleared where they begin. What
// orders these clears is not followed.
#include "graphics/unexecuted.hpp"
#include "images/regions.hpp"

namespace coopvk::reference::icd {

struct PassAttachment {
    VkFormat format;
    VkAttachmentLoadOp load, stencilLoad;
};

struct RenderPass : ObjectOf<VkRenderPass> {
    RenderPass(Device&, const auto& info) {
        for (const auto& each : listOf(info.pAttachments, info.attachmentCount))
            attachments.push_back({each.format, each.loadOp, each.stencilLoadOp});
    }
    std::vector<PassAttachment> attachments;
};

struct Framebuffer : ObjectOf<VkFramebuffer> {
    Framebuffer(Device&, const VkFramebufferCreateInfo& info) {
        if (info.flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT) return;
        const auto all = listOf(info.pAttachments, info.attachmentCount);
        views.assign(all.begin(), all.end());
    }
    std::vector<VkImageView> views;
};

namespace {

// What becomes of a view's aspect where the pass begins.
struct AttachmentClear {
    ImageView* view = nullptr;
    VkImageAspectFlags aspect = 0;
    TexelBytes texel = {};
};

void addClears(ImageView& view, const PassAttachment& attachment, const VkClearValue& value,
               std::vector<AttachmentClear>& clears) {
    const VkImageAspectFlags aspects = aspectsOf(view.format);
    const bool isCleared = attachment.load == VK_ATTACHMENT_LOAD_OP_CLEAR;
    if (aspects == VK_IMAGE_ASPECT_COLOR_BIT) {
        if (isCleared)
            clears.push_back({&view, aspects, texelOf(texelFormat(view.format), value.color)});
        return;
    }
    const auto add = [&](VkImageAspectFlags aspect) {
        if (aspects & aspect)
            clears.push_back({&view, aspect, texelOf(view.format, aspect, value.depthStencil)});
    };
    if (isCleared) add(VK_IMAGE_ASPECT_DEPTH_BIT);
    if (attachment.stencilLoad == VK_ATTACHMENT_LOAD_OP_CLEAR) add(VK_IMAGE_ASPECT_STENCIL_BIT);
}

void clearView(Execution& execution, const AttachmentClear& clear, const VkRect2D& area) {
    const std::shared_ptr<const Object> object = clear.view->image.lock();
    require(object != nullptr, "the image of an attachment was destroyed");
    auto& image = const_cast<Image&>(reinterpret_cast<const Image&>(*object));
    const auto held = image.hold();
    const VkImageSubresourceRange& range = clear.view->range;
    const TexelLevel& level = image.level(range.baseMipLevel);
    Region region{.image = &image,
                  .bytes = bytesOf(image.info.format, clear.aspect),
                  .level = range.baseMipLevel};
    const auto part = [](int32_t first, uint32_t length, uint32_t all) {
        const uint32_t begin = std::min(uint32_t(std::max(first, 0)), all);
        return std::pair(begin, std::min(length, all - begin));
    };
    std::tie(region.x, region.blocks) = part(area.offset.x, area.extent.width, level.width);
    std::tie(region.y, region.rows) = part(area.offset.y, area.extent.height, level.height);
    region.slices = clear.view->texels.layers;
    const bool isDeep = image.info.imageType == VK_IMAGE_TYPE_3D;
    (isDeep ? region.z : region.layer) = range.baseArrayLayer;
    fill(execution, region, clear.texel, false);
}

void recordClears(CommandBuffer& commands, std::vector<AttachmentClear> clears,
                  const VkRect2D& area) {
    require(commands.device.settings().graphics, "the device does not execute this command");
    for (const AttachmentClear& each : clears)
        record(
            commands, [each, area](Execution& execution) { clearView(execution, each, area); },
            each.view);
}

void beginPass(CommandBuffer& commands, const VkRenderPassBeginInfo& info) {
    const auto& attachments = theObject(info.renderPass, commands.device).attachments;
    std::vector<VkImageView> views = theObject(info.framebuffer, commands.device).views;
    if (const auto* given = find<VkRenderPassAttachmentBeginInfo>(info.pNext)) {
        const auto all = listOf(given->pAttachments, given->attachmentCount);
        views.assign(all.begin(), all.end());
    }
    const auto values = listOf(info.pClearValues, info.clearValueCount);
    std::vector<AttachmentClear> clears;
    for (size_t i = 0; i < std::min(attachments.size(), views.size()); ++i)
        addClears(theObject(views[i], commands.device), attachments[i],
                  i < values.size() ? values[i] : VkClearValue{}, clears);
    recordClears(commands, std::move(clears), info.renderArea);
}

}  // namespace

COOPVK_OBJECT(RenderPass)
VkResult CreateRenderPass2(Device& device, const VkRenderPassCreateInfo2* info, Allocator,
                           VkRenderPass* out) {
    *out = give(std::make_shared<RenderPass>(device, *info), &device);
    return VK_SUCCESS;
}

COOPVK_DESTROY(Framebuffer)
VkResult CreateFramebuffer(Device& device, const VkFramebufferCreateInfo* info, Allocator,
                           VkFramebuffer* out) {
    if (!device.settings().graphics) return VK_ERROR_FEATURE_NOT_PRESENT;
    *out = give(std::make_shared<Framebuffer>(device, *info), &device);
    return VK_SUCCESS;
}

void CmdBeginRenderPass(CommandBuffer& commands, const VkRenderPassBeginInfo* info,
                        VkSubpassContents) {
    beginPass(commands, *info);
}
void CmdBeginRenderPass2(CommandBuffer& commands, const VkRenderPassBeginInfo* info,
                         const VkSubpassBeginInfo*) {
    beginPass(commands, *info);
}

void CmdBeginRendering(CommandBuffer& commands, const VkRenderingInfo* info) {
    std::vector<AttachmentClear> clears;
    const auto add = [&](const VkRenderingAttachmentInfo* of, VkImageAspectFlags aspect) {
        if (of == nullptr || of->imageView == VK_NULL_HANDLE) return;
        const bool isStencil = aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
        constexpr auto kNothing = VK_ATTACHMENT_LOAD_OP_LOAD;
        addClears(theObject(of->imageView, commands.device),
                  {VK_FORMAT_UNDEFINED, isStencil ? kNothing : of->loadOp,
                   isStencil ? of->loadOp : kNothing},
                  of->clearValue, clears);
        if (of->resolveMode != VK_RESOLVE_MODE_NONE)
            recordUnexecuted(commands, "the resolve of vkCmdBeginRendering");
    };
    const bool isResumed = info->flags & VK_RENDERING_RESUMING_BIT;
    for (const auto& each : listOf(info->pColorAttachments, info->colorAttachmentCount))
        if (!isResumed) add(&each, VK_IMAGE_ASPECT_COLOR_BIT);
    if (!isResumed) add(info->pDepthAttachment, VK_IMAGE_ASPECT_DEPTH_BIT);
    if (!isResumed) add(info->pStencilAttachment, VK_IMAGE_ASPECT_STENCIL_BIT);
    recordClears(commands, std::move(clears), info->renderArea);
}

}  // namespace coopvk::reference::icd
