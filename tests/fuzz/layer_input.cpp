// SPDX-License-Identifier: Apache-2.0
#include "layer_input.hpp"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <string_view>

#include "coopvk/vulkan_coopvk.h"

namespace coopvk::fuzz {

uint32_t Reader::number() {
    constexpr uint32_t kEdges[] = {0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x10000, 0x8000,
                                   256,        128,        64,         32,      16};
    const uint8_t kind = byte();
    if (kind < 192) return kind % 40;
    if (kind < 240) return from(kEdges);
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value = value << 8 | byte();
    return value;
}

uint64_t Reader::wide() {
    const uint64_t low = number();
    return byte() < 224 ? low : uint64_t{number()} << 32 | low;
}

std::string Reader::text(size_t most) {
    std::string read;
    for (size_t count = below(static_cast<uint32_t>(most + 1)); count > 0 && !atEnd(); --count) {
        const char letter = static_cast<char>(byte());
        if (letter == 0) break;
        read += letter;
    }
    return read;
}

std::byte* Blocks::addBytes(size_t size, const void* from) {
    Block block = {std::make_unique<std::byte[]>(size), size, {}};
    if (from != nullptr) std::memcpy(block.memory.get(), from, size);
    blocks_.push_back(std::move(block));
    return blocks_.back().memory.get();
}

void Blocks::seal() {
    for (Block& block : blocks_) {
        block.sealed.assign(block.memory.get(), block.memory.get() + block.size);
    }
}

bool Blocks::intact() const {
    return std::ranges::all_of(blocks_, [](const Block& block) {
        return std::equal(block.sealed.begin(), block.sealed.end(), block.memory.get());
    });
}

std::span<const KnownStructure> knownStructures() {
    static const KnownStructure table[] = {
#define COOPVK_STRUCT(name, value) \
    {value, sizeof(name), std::string_view(#name).find("Features") != std::string_view::npos},
#include "chain/known_structs.inc"
#undef COOPVK_STRUCT
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
         sizeof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK), true},
        {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
         sizeof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK), true},
    };
    return table;
}

namespace {

// Structures that matter to emulation are more likely than others.
constexpr VkStructureType kFavourites[] = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
};

const KnownStructure& readKind(Reader& reader) {
    const std::span<const KnownStructure> known = knownStructures();
    if (reader.flag()) {
        const VkStructureType type = reader.from(kFavourites);
        const auto found = std::ranges::find(known, type, &KnownStructure::type);
        if (found != known.end()) return *found;
    }
    const uint32_t index = uint32_t{reader.byte()} << 8 | reader.byte();
    return known[index % known.size()];
}

}  // namespace

void* readChain(Reader& reader, Blocks& blocks, uint32_t most, void* tail) {
    constexpr size_t kUnknownSize = 64;
    for (uint32_t count = reader.below(most + 1); count > 0; --count) {
        const bool isUnknown = reader.below(16) == 15;
        KnownStructure kind = {static_cast<VkStructureType>(0x3B9FFF00u + reader.below(4)),
                               kUnknownSize, false};
        if (!isUnknown) kind = readKind(reader);
        std::byte* memory = blocks.addBytes(kind.size);
        if (kind.isFeatures) {
            const uint8_t pattern = reader.byte();
            auto* bits = reinterpret_cast<VkBool32*>(memory + sizeof(VkBaseOutStructure));
            const size_t number = (kind.size - sizeof(VkBaseOutStructure)) / sizeof(VkBool32);
            for (size_t i = 0; i < number; ++i) bits[i] = pattern >> i % 8 & 1;
        }
        auto* node = reinterpret_cast<VkBaseOutStructure*>(memory);
        node->sType = kind.type;
        node->pNext = static_cast<VkBaseOutStructure*>(tail);
        tail = node;
    }
    return tail;
}

}  // namespace coopvk::fuzz
