// SPDX-License-Identifier: Apache-2.0
//
// Settings, physical devices, devices, matrix conversions.
#include "layer_subjects.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "coopvk/vulkan_coopvk.h"
#include "fakes/allocations.hpp"
#include "settings/settings.hpp"

namespace coopvk::fuzz {
namespace {

// --- Settings

constexpr const char* kNames[] = {"emulate",  "back_end", "log_level",
                                  "log_file", "dump_dir", "validate_output"};
constexpr const char* kTexts[] = {
    "auto",
    "all",
    "off",
    "none",
    "VK_KHR_cooperative_matrix",
    "VK_NV_cooperative_vector,",
    "true",
    "1",
    "",
    "core",
    "native",
    "debug",
};

std::string settingText(Reader& reader) {
    std::string text;
    for (uint32_t count = reader.below(3); count > 0; --count) {
        if (!text.empty()) text += reader.flag() ? ',' : ';';
        text += reader.flag() ? std::string(reader.from(kTexts)) : reader.text(40);
    }
    return text;
}

// In memory, and one for each process.
const std::filesystem::path& settingsFile() {
    static const auto* path = new std::filesystem::path([] {
        std::error_code error;
        const char* root = std::filesystem::is_directory("/dev/shm", error) ? "/dev/shm" : "/tmp";
        const auto folder =
            std::filesystem::path(root) / ("coopvk-fuzz-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder, error);
        std::atexit([] {
            std::error_code ignored;
            std::filesystem::remove_all(settingsFile().parent_path(), ignored);
        });
        return folder / "vk_layer_settings.txt";
    }());
    return *path;
}

void writeFile(Reader& reader) {
    std::ofstream file(settingsFile(), std::ios::trunc);
    for (uint32_t lines = reader.below(5); lines > 0; --lines) {
        if (reader.flag()) file << "coopvk_emulation." << reader.from(kNames) << " = ";
        file << settingText(reader) << '\n';
    }
    file.close();
    setenv("VK_LAYER_SETTINGS_PATH", settingsFile().parent_path().c_str(), 1);
}

// Values of any type under any of the names.
void* readSettings(Reader& reader, Blocks& blocks, std::vector<std::string>& texts) {
    std::vector<VkLayerSettingEXT> list;
    texts.reserve(32);
    for (uint32_t count = reader.below(5); count > 0; --count) {
        const auto type = static_cast<VkLayerSettingTypeEXT>(reader.below(9));
        const uint32_t values = reader.below(3);
        const void* data = nullptr;
        if (type == VK_LAYER_SETTING_TYPE_STRING_EXT) {
            std::vector<const char*> pointers;
            for (uint32_t i = 0; i < values; ++i) {
                texts.push_back(settingText(reader));
                pointers.push_back(texts.back().c_str());
            }
            data = blocks.addArray(pointers);
        } else {
            std::vector<uint64_t> numbers;
            for (uint32_t i = 0; i < values; ++i) {
                const bool isBool = type == VK_LAYER_SETTING_TYPE_BOOL32_EXT;
                numbers.push_back(isBool ? reader.below(2) : reader.wide());
            }
            data = blocks.addArray(numbers);
        }
        list.push_back({reader.flag() ? layer::kLayerName : "VK_LAYER_OTHER", reader.from(kNames),
                        type, values, data});
    }
    VkLayerSettingsCreateInfoEXT info = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    info.settingCount = static_cast<uint32_t>(list.size());
    info.pSettings = blocks.addArray(list);
    return blocks.add(info);
}

// --- Arrays of answers

// Calls a query in all ways: for the count, with an array that is too small, with one for all.
template <typename Element, typename Query>
Complaint checkArray(Reader& reader, Element empty, const Query& query) {
    uint32_t all = 0;
    if (query(&all, static_cast<Element*>(nullptr)) != VK_SUCCESS) return std::nullopt;
    const uint32_t room = reader.below(16);
    const auto elements = std::make_unique<Element[]>(room);
    std::fill_n(elements.get(), room, empty);
    uint32_t count = room;
    const VkResult result = query(&count, elements.get());
    if (result < 0) return std::nullopt;
    if (count != std::min(room, all)) return "a query gives another number than it promised";
    if ((result == VK_INCOMPLETE) != (room < all)) return "a query is incomplete, or should be";
    return std::nullopt;
}

// Writes to the nodes of a chain must not change their types and links.
bool isSameChain(const void* chain, const std::vector<VkBaseOutStructure>& before) {
    const auto* node = static_cast<const VkBaseOutStructure*>(chain);
    for (const VkBaseOutStructure& expected : before) {
        if (node == nullptr || node->sType != expected.sType || node->pNext != expected.pNext)
            return false;
        node = node->pNext;
    }
    return node == nullptr;
}

std::vector<VkBaseOutStructure> nodesOf(const void* chain) {
    std::vector<VkBaseOutStructure> nodes;
    for (const auto* node = static_cast<const VkBaseOutStructure*>(chain); node != nullptr;
         node = node->pNext)
        nodes.push_back(*node);
    return nodes;
}

}  // namespace

Complaint checkSettings(Reader& reader, World&) {
    clearSettings();
    if (reader.flag()) writeFile(reader);
    for (const char* name : {"EMULATE", "BACK_END", "LOG_LEVEL", "VALIDATE_OUTPUT"}) {
        if (reader.flag()) setSetting(name, settingText(reader).c_str());
    }
    Blocks blocks;
    std::vector<std::string> texts, complaints;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    if (reader.flag()) info.pNext = readSettings(reader, blocks, texts);
    info.pNext = readChain(reader, blocks, 3, const_cast<void*>(info.pNext));
    blocks.seal();
    const layer::Settings settings = layer::loadSettings(&info, complaints);
    clearSettings();
    if (!blocks.intact()) return "settings were written to the application's memory";
    for (const std::string& complaint : complaints) {
        if (complaint.empty()) return "a complaint without words";
    }
    return std::nullopt;
}

Complaint checkQueries(Reader& reader, World& world) {
    test::FakeDriver& driver = world.driver();
    const VkPhysicalDevice device = driver.physical();
    Blocks blocks;
    void* chain = readChain(reader, blocks, 6);
    const std::vector<VkBaseOutStructure> nodes = nodesOf(chain);
    switch (reader.below(8)) {
        case 0: {
            VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                                  chain};
            COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceFeatures2)(device, &features);
            break;
        }
        case 1: {
            VkPhysicalDeviceProperties2 properties = {
                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, chain};
            COOPVK_INSTANCE_COMMAND(driver, vkGetPhysicalDeviceProperties2)(device, &properties);
            break;
        }
        case 2:
            return checkArray(reader, VkExtensionProperties{}, [&](uint32_t* count, auto* out) {
                return COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties)(
                    device, nullptr, count, out);
            });
        case 3:
            return checkArray(reader,
                              VkCooperativeMatrixPropertiesKHR{
                                  VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR, chain},
                              [&](uint32_t* count, auto* out) {
                                  return COOPVK_INSTANCE_COMMAND(
                                      driver, vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)(
                                      device, count, out);
                              });
        case 4:
            return checkArray(reader,
                              VkCooperativeVectorPropertiesNV{
                                  VK_STRUCTURE_TYPE_COOPERATIVE_VECTOR_PROPERTIES_NV, chain},
                              [&](uint32_t* count, auto* out) {
                                  return COOPVK_INSTANCE_COMMAND(
                                      driver, vkGetPhysicalDeviceCooperativeVectorPropertiesNV)(
                                      device, count, out);
                              });
        case 5:
            return checkArray(reader,
                              VkPhysicalDeviceToolProperties{
                                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES, chain},
                              [&](uint32_t* count, auto* out) {
                                  return COOPVK_INSTANCE_COMMAND(
                                      driver, vkGetPhysicalDeviceToolProperties)(device, count,
                                                                                 out);
                              });
        case 6:
            return checkArray(
                reader, VkShader2DBlockSizesCOOPVK{VK_STRUCTURE_TYPE_SHADER_2D_BLOCK_SIZES_COOPVK},
                [&](uint32_t* count, auto* out) {
                    return COOPVK_INSTANCE_COMMAND(
                        driver, vkGetPhysicalDeviceShader2DBlockSizesCOOPVK)(device, count, out);
                });
        default: {
            const std::string name = "vk" + reader.text(40);
            driver.instanceCommand(name.c_str());
            driver.deviceCommand(world.device(reader.byte()).handle, name.c_str());
        }
    }
    if (!isSameChain(chain, nodes)) return "a query changed its chain";
    return std::nullopt;
}

Complaint checkDevice(Reader& reader, World& world) {
    constexpr const char* kExtensions[] = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                           VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                           VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME,
                                           "VK_QCOM_cooperative_matrix_conversion",
                                           "VK_EXT_shader_replicated_composites",
                                           "VK_EXT_shader_atomic_float",
                                           "VK_COOPVK_shader_int4",
                                           "VK_COOPVK_shader_2d_block_io",
                                           "VK_KHR_shader_bfloat16",
                                           "VK_EXT_shader_float8",
                                           "VK_EXT_subgroup_size_control",
                                           "VK_KHR_vulkan_memory_model",
                                           "VK_KHR_shader_float16_int8",
                                           "VK_KHR_nonsense"};
    test::FakeDriver& driver = world.driver();
    Blocks blocks;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    std::vector<const char*> names;
    for (uint32_t count = reader.below(6); count > 0; --count)
        names.push_back(reader.from(kExtensions));
    info.enabledExtensionCount = static_cast<uint32_t>(names.size());
    info.ppEnabledExtensionNames = blocks.addArray(names);
    info.pNext = readChain(reader, blocks, 6);
    VkPhysicalDeviceFeatures core = {};
    core.shaderInt16 = core.robustBufferAccess = reader.below(2);
    if (reader.flag()) info.pEnabledFeatures = blocks.add(core);
    blocks.seal();
    const uint32_t made = driver.createdDevices, gone = driver.destroyedDevices;
    VkDevice device = VK_NULL_HANDLE;
    VkResult result = VK_SUCCESS;
    const uint32_t allowed = reader.below(4) == 0 ? reader.byte() : ~0u;
    {
        const test::FailingAllocations limited(allowed);
        result = driver.makeDevice(info, &device);
    }
    if (result == VK_SUCCESS) driver.destroyDevice(device);
    if (!blocks.intact()) return "vkCreateDevice wrote to the application's memory";
    if (driver.createdDevices - made != driver.destroyedDevices - gone)
        return "a device of the driver's is left";
    return std::nullopt;
}

Complaint checkConversion(Reader& reader, World& world) {
    constexpr VkComponentTypeKHR kTypes[] = {
        VK_COMPONENT_TYPE_FLOAT32_KHR,   VK_COMPONENT_TYPE_FLOAT16_KHR,
        VK_COMPONENT_TYPE_SINT8_KHR,     VK_COMPONENT_TYPE_FLOAT_E4M3_NV,
        VK_COMPONENT_TYPE_FLOAT_E5M2_NV, VK_COMPONENT_TYPE_SINT8_PACKED_NV,
        VK_COMPONENT_TYPE_MAX_ENUM_KHR};
    const FuzzDevice& device = world.device(reader.flag() ? 1 : 2);
    Blocks sources;
    VkConvertCooperativeVectorMatrixInfoNV info = {
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.srcComponentType = reader.from(kTypes);
    info.dstComponentType = reader.from(kTypes);
    info.srcLayout = static_cast<VkCooperativeVectorMatrixLayoutNV>(reader.below(5));
    info.dstLayout = static_cast<VkCooperativeVectorMatrixLayoutNV>(reader.below(5));
    info.numRows = reader.number();
    info.numColumns = reader.number();
    info.srcStride = reader.wide();
    info.dstStride = reader.wide();
    info.srcSize = reader.flag() ? reader.below(256) * 16u : reader.byte();
    size_t room = reader.flag() ? reader.below(256) * 16u : reader.byte();
    const size_t given = room;
    info.pDstSize = reader.below(16) == 0 ? nullptr : &room;
    std::byte* source = sources.addBytes(info.srcSize);
    for (size_t i = 0; i < info.srcSize && i < 16; ++i)
        source[i] = static_cast<std::byte>(reader.byte());
    info.srcData.hostAddress = source;
    const auto target = std::make_unique<std::byte[]>(given);
    if (reader.below(4) != 0) info.dstData.hostAddress = target.get();
    sources.seal();
    const VkResult result = COOPVK_DEVICE_COMMAND(
        world.driver(), device.handle, vkConvertCooperativeVectorMatrixNV)(device.handle, &info);
    if (!sources.intact()) return "a conversion wrote to its source";
    const bool converted = result == VK_SUCCESS && info.dstData.hostAddress != nullptr;
    if (converted && room > given) return "a conversion says that it wrote more than there is";
    return std::nullopt;
}

Complaint checkCommands(Reader& reader, World& world) {
    test::FakeDriver& driver = world.driver();
    const VkDevice device = world.device(reader.flag() ? 1 : 2).handle;
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    if (COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)(device, &allocate,
                                                                        &commands) != VK_SUCCESS)
        return std::nullopt;
    const VkCommandBufferBeginInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    for (uint32_t count = 1 + reader.below(8); count > 0; --count) {
        switch (reader.below(6)) {
            case 0:
                COOPVK_DEVICE_COMMAND(driver, device, vkBeginCommandBuffer)(commands, &how);
                break;
            case 1:
                COOPVK_DEVICE_COMMAND(driver, device, vkEndCommandBuffer)(commands);
                break;
            case 2:
                COOPVK_DEVICE_COMMAND(driver, device, vkCmdBindPipeline)
                (commands, static_cast<VkPipelineBindPoint>(reader.below(3)),
                 reinterpret_cast<VkPipeline>(uint64_t{1} + reader.below(4)));
                break;
            case 3: {
                const std::vector<uint32_t> bytes(64, reader.byte());
                const uint32_t offset = reader.below(32) * 4;
                COOPVK_DEVICE_COMMAND(driver, device, vkCmdPushConstants)
                (commands, reinterpret_cast<VkPipelineLayout>(uint64_t{1} + reader.below(4)),
                 VK_SHADER_STAGE_COMPUTE_BIT, offset, 4 * (1 + reader.below(32)), bytes.data());
                break;
            }
            default: {
                size_t size = reader.number();
                std::vector<VkConvertCooperativeVectorMatrixInfoNV> infos(1 + reader.below(3));
                for (auto& info : infos) {
                    info = {VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
                    info.srcSize = reader.number();
                    info.srcData.deviceAddress = reader.wide();
                    info.pDstSize = &size;
                    info.dstData.deviceAddress = reader.wide();
                    info.srcComponentType = info.dstComponentType =
                        reader.flag() ? VK_COMPONENT_TYPE_FLOAT16_KHR
                                      : VK_COMPONENT_TYPE_FLOAT32_KHR;
                    info.numRows = reader.number();
                    info.numColumns = reader.number();
                    info.srcLayout =
                        static_cast<VkCooperativeVectorMatrixLayoutNV>(reader.below(5));
                    info.dstLayout =
                        static_cast<VkCooperativeVectorMatrixLayoutNV>(reader.below(5));
                    info.srcStride = reader.wide();
                    info.dstStride = reader.wide();
                }
                COOPVK_DEVICE_COMMAND(driver, device, vkCmdConvertCooperativeVectorMatrixNV)
                (commands, static_cast<uint32_t>(infos.size()), infos.data());
            }
        }
    }
    COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)
    (device, allocate.commandPool, 1, &commands);
    return std::nullopt;
}

}  // namespace coopvk::fuzz
