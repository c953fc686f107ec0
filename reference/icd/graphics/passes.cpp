// SPDX-License-Identifier: Apache-2.0
//
// Render passes: nothing is drawn in them, but attachments are cleared, where they begin and by
// vkCmdClearAttachments. What orders these clears is not followed.
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

// What becomes of a view's aspect, in these of its layers.
struct AttachmentClear {
    ImageView* view = nullptr;
    VkImageAspectFlags aspect = 0;
    TexelBytes texel = {};
    uint32_t layer = 0, layers = VK_REMAINING_ARRAY_LAYERS;
};

// Nothing, if there is no view or it has no such aspect.
void addClear(ImageView* view, VkImageAspectFlags aspect, const VkClearValue& value,
              std::vector<AttachmentClear>& clears) {
    if (view == nullptr || (aspectsOf(view->format) & aspect) == 0) return;
    const bool isColor = aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    clears.push_back({view, aspect,
                      isColor ? texelOf(texelFormat(view->format), value.color)
                              : texelOf(view->format, aspect, value.depthStencil)});
}

void addClears(ImageView& view, const PassAttachment& attachment, const VkClearValue& value,
               std::vector<AttachmentClear>& clears) {
    if (attachment.load == VK_ATTACHMENT_LOAD_OP_CLEAR)
        for (const VkImageAspectFlags aspect :
             {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT})
            addClear(&view, aspect, value, clears);
    if (attachment.stencilLoad == VK_ATTACHMENT_LOAD_OP_CLEAR)
        addClear(&view, VK_IMAGE_ASPECT_STENCIL_BIT, value, clears);
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
    uint32_t layer = 0;
    std::tie(layer, region.slices) =
        part(int32_t(clear.layer), clear.layers, clear.view->texels.layers);
    const bool isDeep = image.info.imageType == VK_IMAGE_TYPE_3D;
    (isDeep ? region.z : region.layer) = range.baseArrayLayer + layer;
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
    commands.rendered = {};
    if (info->viewMask != 0) return;
    const auto viewOf = [&](const VkRenderingAttachmentInfo* of) {
        return of == nullptr ? nullptr : objectOf(of->imageView);
    };
    RenderedViews& views = commands.rendered;
    views.areKnown = true;
    for (const auto& each : listOf(info->pColorAttachments, info->colorAttachmentCount))
        views.colors.push_back(viewOf(&each));
    views.depth = viewOf(info->pDepthAttachment);
    views.stencil = viewOf(info->pStencilAttachment);
}

void CmdEndRendering(CommandBuffer& commands) {
    require(commands.device.settings().graphics, "the device does not execute this command");
    commands.rendered = {};
}

// In passes of other kinds, which views an attachment has is not known here.
void CmdClearAttachments(CommandBuffer& commands, uint32_t count, const VkClearAttachment* clears,
                         uint32_t rectCount, const VkClearRect* rects) {
    if (!commands.rendered.areKnown) return recordUnexecuted(commands, "vkCmdClearAttachments");
    const RenderedViews& views = commands.rendered;
    std::vector<AttachmentClear> all;
    for (const auto& [aspects, number, value] : listOf(clears, count)) {
        if ((aspects & VK_IMAGE_ASPECT_COLOR_BIT) && number != VK_ATTACHMENT_UNUSED) {
            require(number < views.colors.size(), "there is no such attachment");
            addClear(views.colors[number], VK_IMAGE_ASPECT_COLOR_BIT, value, all);
        }
        if (aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
            addClear(views.depth, VK_IMAGE_ASPECT_DEPTH_BIT, value, all);
        if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
            addClear(views.stencil, VK_IMAGE_ASPECT_STENCIL_BIT, value, all);
    }
    for (const VkClearRect& rect : listOf(rects, rectCount)) {
        for (AttachmentClear& each : all) {
            each.layer = rect.baseArrayLayer;
            each.layers = rect.layerCount;
        }
        recordClears(commands, all, rect.rect);
    }
}

}  // namespace coopvk::reference::icd
