// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_object. A binary holds what the shader was made of.
#include <cstring>

#include "commands.hpp"
#include "programs.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kMagic = 0x52564f43;  // "COVR"

// Arrays with their lengths, one after the other.
template <typename T>
void append(std::vector<std::byte>& bytes, std::span<const T> values) {
    const uint64_t count = values.size();
    const auto head = std::as_bytes(std::span(&count, 1)), all = std::as_bytes(values);
    bytes.insert(bytes.end(), head.begin(), head.end());
    bytes.insert(bytes.end(), all.begin(), all.end());
}

template <typename T>
bool take(std::span<const std::byte>& rest, std::vector<T>& values) {
    uint64_t count = 0;
    if (rest.size() < sizeof(count)) return false;
    std::memcpy(&count, rest.data(), sizeof(count));
    rest = rest.subspan(sizeof(count));
    if (count > rest.size() / sizeof(T)) return false;
    values.resize(count);
    if (count != 0) std::memcpy(values.data(), rest.data(), count * sizeof(T));
    rest = rest.subspan(count * sizeof(T));
    return true;
}

std::vector<std::byte> binaryOf(const Source& source) {
    std::vector<std::byte> bytes;
    const uint32_t head[] = {kMagic, source.subgroupSize};
    append<uint32_t>(bytes, head);
    append<uint32_t>(bytes, source.words);
    append<char>(bytes, source.entryPoint);
    append<SpecializationValue>(bytes, source.specialization);
    return bytes;
}

bool parseBinary(std::span<const std::byte> bytes, Source& source) {
    std::vector<uint32_t> head;
    std::vector<char> name;
    const bool whole = take(bytes, head) && take(bytes, source.words) && take(bytes, name) &&
                       take(bytes, source.specialization);
    if (!whole || head.size() != 2 || head[0] != kMagic) return false;
    source.subgroupSize = head[1];
    source.entryPoint.assign(name.begin(), name.end());
    return true;
}

VkResult createShader(Device& device, const VkShaderCreateInfoEXT& info, VkShaderEXT* out) {
    if (info.stage != VK_SHADER_STAGE_COMPUTE_BIT) return VK_ERROR_FEATURE_NOT_PRESENT;
    const std::span code(static_cast<const std::byte*>(info.pCode), info.codeSize);
    Source source;
    if (info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT) {
        if (!parseBinary(code, source)) return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    } else {
        source = sourceOf(device, info);
        source.words.resize(code.size() / sizeof(uint32_t));
        std::memcpy(source.words.data(), code.data(), source.words.size() * sizeof(uint32_t));
    }
    SharedProgram program;
    const VkResult result = makeProgram(device, source, program);
    if (result == VK_SUCCESS)
        *out = handleOf(new ShaderObject(std::move(program), binaryOf(source)));
    return result;
}

}  // namespace

VkResult CreateShadersEXT(VkDevice device, uint32_t count, const VkShaderCreateInfoEXT* infos,
                          const VkAllocationCallbacks*, VkShaderEXT* out) {
    std::fill_n(out, count, VK_NULL_HANDLE);
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result = createShader(*from<Device>(device), infos[i], &out[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}

void DestroyShaderEXT(VkDevice, VkShaderEXT shader, const VkAllocationCallbacks*) {
    delete from<ShaderObject>(shader);
}

VkResult GetShaderBinaryDataEXT(VkDevice, VkShaderEXT shader, size_t* size, void* data) {
    return writeBytes(from<ShaderObject>(shader)->binary, size, data);
}

}  // namespace coopvk::reference::icd
