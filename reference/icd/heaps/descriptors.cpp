// SPDX-License-Identifier: Apache-2.0
//
// Descriptors in heaps. There are no views and no samplers behind them: what these are made of fits
// into the descriptor.
#include "images/descriptors.hpp"

#include <bit>
#include <cstring>

#include "heaps/heaps.hpp"
#include "images/image.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kHeapMark = 0x50414548;  // "HEAP"
// In place of VK_REMAINING_*, which all fields of counts have in all their bits.
constexpr uint32_t kRemaining = VK_REMAINING_MIP_LEVELS;
static_assert(kRemaining == VK_REMAINING_ARRAY_LAYERS);

// Numbers become fields of a word, from its lowest bit on, or fields numbers.
class Fields {
 public:
    // Nothing: numbers become fields.
    explicit Fields(std::optional<uint64_t> from = {}) : word_(from.value_or(0)), reads_(from) {}
    uint64_t word() const { return word_; }

    template <typename T>
    void operator()(T& number, uint32_t width, bool isCount = false) {
        const uint64_t all = (uint64_t{1} << width) - 1;
        if (reads_) {
            const uint64_t field = word_ >> at_ & all;
            number = T(isCount && field == all ? kRemaining : field);
        } else {
            const bool isRest = isCount && uint32_t(number) == kRemaining;
            const uint64_t field = isRest ? all : uint64_t(number);
            require(field <= all, "what the descriptor is made of has a number that is too large");
            word_ |= field << at_;
        }
        at_ += width;
    }

 private:
    uint64_t word_;
    bool reads_;
    uint32_t at_ = 0;
};

void visitView(VkImageViewCreateInfo& info, Fields& field) {
    field(info.viewType, 3);
    for (VkComponentSwizzle* each :
         {&info.components.r, &info.components.g, &info.components.b, &info.components.a})
        field(*each, 3);
    field(info.subresourceRange.aspectMask, 7);
    field(info.subresourceRange.baseMipLevel, 5);
    field(info.subresourceRange.levelCount, 5, true);
    field(info.subresourceRange.baseArrayLayer, 11);
    field(info.subresourceRange.layerCount, 12, true);
}

// `border`: one of those that are no custom ones, or behind these a custom one of floats or
// integers.
void visitSampler(VkSamplerCreateInfo& info, uint32_t& border, Fields& field) {
    field(info.magFilter, 1);
    field(info.minFilter, 1);
    field(info.mipmapMode, 1);
    for (VkSamplerAddressMode* each : {&info.addressModeU, &info.addressModeV, &info.addressModeW})
        field(*each, 3);
    field(info.unnormalizedCoordinates, 1);
    field(info.compareEnable, 1);
    field(info.compareOp, 3);
    field(border, 3);
}
constexpr uint32_t kCustomFloat = 6, kCustomInteger = 7;

// Those of bytes that hold a conversion of colors; others there are indices of borders, which such
// a sampler has not.
constexpr uint32_t kConverts = 1u << 31;

void visitConversion(ColorConversion& conversion, Fields& field) {
    field(conversion.model, 3);
    field(conversion.isNarrow, 1);
    for (uint8_t& each : conversion.shows) field(each, 3);
    for (bool& each : conversion.isMidpoint) field(each, 1);
    field(conversion.filtersLinearly, 1);
}

VkImageViewCreateInfo viewIn(const DescriptorBytes& written) {
    VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    info.image = reinterpret_cast<VkImage>(written.first);
    info.format = written.format;
    Fields fields(written.second);
    visitView(info, fields);
    return info;
}

bool isSampledType(VkDescriptorType type) { return type != VK_DESCRIPTOR_TYPE_STORAGE_IMAGE; }

}  // namespace

bool matches(VkDescriptorType type, const DeclaredAs& as) {
    switch (as.kind) {
        case ResourceKind::kSampler:
            return type == VK_DESCRIPTOR_TYPE_SAMPLER;
        case ResourceKind::kSampledImage:
        case ResourceKind::kCombined:
            return type == (as.isTexelBuffer ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
                                             : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE);
        case ResourceKind::kReadOnlyImage:
        case ResourceKind::kImage:
            // "Heap Image Operand Correspondence" has both types of texel buffers.
            return as.isTexelBuffer ? isTexelBuffer(type)
                                    : type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        case ResourceKind::kUniformBuffer:
            return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        default:
            return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

Descriptor readInHeap(Device& device, const DeclaredAs& as, const std::byte* bytes,
                      const Addresses& addresses) {
    DescriptorBytes written;
    std::memcpy(&written, bytes, sizeof(written));
    require(written.mark == kHeapMark, "there is no descriptor");
    require(matches(written.type, as), "the descriptor is of another type");
    if (written.type == VK_DESCRIPTOR_TYPE_SAMPLER) return {.sampler = samplerIn(device, written)};
    require(device.hasNullDescriptors || written.first != 0,
            "the descriptor is null, without the feature nullDescriptor");
    const bool isImage = written.type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
                         written.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (!isImage) return bufferIn(written, addresses);
    if (written.first == 0) return texelDescriptor(VkDescriptorImageInfo{}, written.type, true);
    const ImageView view(device, viewIn(written));
    return {.texels = view.shown(isSampledType(written.type))};
}

DescriptorBytes samplerBytes(const VkSamplerCreateInfo& info) {
    VkSamplerCreateInfo copy = info;
    uint32_t border = copy.borderColor;
    if (copy.borderColor == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT) border = kCustomFloat;
    if (copy.borderColor == VK_BORDER_COLOR_INT_CUSTOM_EXT) border = kCustomInteger;
    if (copy.compareEnable == VK_FALSE) copy.compareOp = VK_COMPARE_OP_NEVER;
    Fields fields;
    visitSampler(copy, border, fields);
    DescriptorBytes written{kHeapMark, VK_DESCRIPTOR_TYPE_SAMPLER, fields.word()};
    written.second = std::bit_cast<uint64_t>(std::array{copy.mipLodBias, copy.minLod});
    written.format = VkFormat(std::bit_cast<uint32_t>(copy.maxLod));
#ifdef VK_EXT_descriptor_heap
    if (border >= kCustomFloat) {
        const auto* index = find<VkSamplerCustomBorderColorIndexCreateInfoEXT>(info.pNext);
        require(index != nullptr, "a sampler with a border color of its own has no index of one");
        written.more = index->index;
    }
#endif
    if (const auto* converts = find<VkSamplerYcbcrConversionInfo>(info.pNext)) {
        require(border < kCustomFloat, "a sampler that converts has no border");
        ColorConversion conversion = theObject(converts->conversion).conversion;
        Fields more;
        visitConversion(conversion, more);
        written.more = uint32_t(more.word()) | kConverts;
    }
    return written;
}

std::shared_ptr<const SamplerState> samplerIn(Device& device, const DescriptorBytes& written) {
    VkSamplerCustomBorderColorCreateInfoEXT color{
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &color};
    uint32_t border = 0;
    Fields fields(written.first);
    visitSampler(info, border, fields);
    for (const VkSamplerAddressMode mode :
         {info.addressModeU, info.addressModeV, info.addressModeW})
        require(mode <= VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, "there is no descriptor");
    const auto levels = std::bit_cast<std::array<float, 2>>(written.second);
    info.mipLodBias = levels[0];
    info.minLod = levels[1];
    info.maxLod = std::bit_cast<float>(uint32_t(written.format));
    info.borderColor = VkBorderColor(border);
    if (border >= kCustomFloat) {
        info.borderColor = border == kCustomFloat ? VK_BORDER_COLOR_FLOAT_CUSTOM_EXT
                                                  : VK_BORDER_COLOR_INT_CUSTOM_EXT;
        const std::lock_guard lock(device.mutex);
        const auto registered = device.borderColors.find(written.more);
        require(registered != device.borderColors.end(),
                "a sampler has a border color that is not registered");
        color.customBorderColor = registered->second;
    }
    const bool converts = border < kCustomFloat && (written.more & kConverts) != 0;
    const std::shared_ptr<const SamplerState> plain = Sampler(device, info).state;
    if (!converts) return plain;
    auto state = std::make_shared<SamplerState>(*plain);
    Fields more(written.more & ~kConverts);
    visitConversion(state->conversion.emplace(), more);
    return state;
}

#ifdef VK_EXT_descriptor_heap
namespace {

DescriptorBytes nullOf(const Device& device, VkDescriptorType type) {
    require(device.hasNullDescriptors && type != VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
            "there is nothing of which the descriptor could be");
    return {kHeapMark, type};
}

DescriptorBytes imageBytes(Device& device, VkDescriptorType type,
                           const VkImageDescriptorInfoEXT& image) {
    require(image.pView != nullptr, "the descriptor of an image has no view");
    const VkImageViewCreateInfo& info = *image.pView;
    (void)ImageView(device, info).shown(isSampledType(type));
    theObject(info.image, device)
        .requireUsage(type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_USAGE_STORAGE_BIT
                      : type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                          ? VK_IMAGE_USAGE_SAMPLED_BIT
                          : VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
    VkImageViewCreateInfo copy = info;
    Fields fields;
    visitView(copy, fields);
    return {kHeapMark, type, reinterpret_cast<uint64_t>(info.image), fields.word(), info.format};
}

DescriptorBytes resourceBytes(Device& device, const VkResourceDescriptorInfoEXT& info,
                              const Addresses& addresses) {
    const VkResourceDescriptorDataEXT& data = info.data;
    const bool isNull = data.pImage == nullptr;  // whichever it is
    switch (info.type) {
        case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: {
            if (isNull) return nullOf(device, info.type);
            const VkDeviceAddressRangeEXT& range = *data.pAddressRange;
            require(range.size != 0, "the descriptor of a buffer is empty");
            require(range.address % kDescriptorAlignment == 0,
                    "the address of a descriptor is misaligned");
            (void)rangeAt(addresses, range.address, range.size);
            return {kHeapMark, info.type, range.address, range.size};
        }
        case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
            if (isNull) return nullOf(device, info.type);
            const VkDeviceAddressRangeEXT& range = data.pTexelBuffer->addressRange;
            const VkFormat format = data.pTexelBuffer->format;
            (void)texelsOf(rangeAt(addresses, range.address, range.size), format);
            return {kHeapMark, info.type, range.address, range.size, format};
        }
        case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
            return isNull ? nullOf(device, info.type) : imageBytes(device, info.type, *data.pImage);
        default:
            throw InvalidUse{"heaps have no descriptors of this type"};
    }
}

void putTo(const VkHostAddressRangeEXT& to, const DescriptorBytes& written) {
    require(to.address != nullptr && to.size >= kDescriptorSize,
            "there is no room for the descriptor");
    std::memcpy(to.address, &written, sizeof(written));
}

}  // namespace

VkResult WriteSamplerDescriptorsEXT(Device&, uint32_t count, const VkSamplerCreateInfo* samplers,
                                    const VkHostAddressRangeEXT* to) {
    const auto ranges = listOf(to, count);
    for (const VkSamplerCreateInfo& info : listOf(samplers, count)) {
        require(find<VkSamplerYcbcrConversionInfo>(info.pNext) == nullptr,
                "a sampler in a heap does not convert: an embedded one may");
        putTo(ranges[size_t(&info - samplers)], samplerBytes(info));
    }
    return VK_SUCCESS;
}

VkResult WriteResourceDescriptorsEXT(Device& device, uint32_t count,
                                     const VkResourceDescriptorInfoEXT* resources,
                                     const VkHostAddressRangeEXT* to) {
    const auto ranges = listOf(to, count);
    const Addresses addresses = device.addressesNow();
    for (const VkResourceDescriptorInfoEXT& info : listOf(resources, count))
        putTo(ranges[size_t(&info - resources)], resourceBytes(device, info, addresses));
    return VK_SUCCESS;
}

VkDeviceSize GetPhysicalDeviceDescriptorSizeEXT(PhysicalDevice&, VkDescriptorType) {
    return kDescriptorSize;
}

VkResult RegisterCustomBorderColorEXT(Device& device,
                                      const VkSamplerCustomBorderColorCreateInfoEXT* color,
                                      VkBool32 requestIndex, uint32_t* index) {
    constexpr uint32_t kMost = kMaxDescriptors;  // maxCustomBorderColorSamplers
    const std::lock_guard lock(device.mutex);
    auto& colors = device.borderColors;
    if (requestIndex) {
        require(*index < kMost, "there is no such index of a border color");
        const bool isNew = colors.emplace(*index, color->customBorderColor).second;
        return isNew ? VK_SUCCESS : VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
    }
    uint32_t free = 0;
    for (auto used = colors.begin(); used != colors.end() && used->first == free; ++used) ++free;
    if (free == kMost) return VK_ERROR_TOO_MANY_OBJECTS;
    colors.emplace(*index = free, color->customBorderColor);
    return VK_SUCCESS;
}

void UnregisterCustomBorderColorEXT(Device& device, uint32_t index) {
    const std::lock_guard lock(device.mutex);
    device.borderColors.erase(index);
}
#endif

}  // namespace coopvk::reference::icd
