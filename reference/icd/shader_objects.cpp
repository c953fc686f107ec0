// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_object. A binary holds what the shader was made of.
#include <cstring>
#include <span>

#include "commands.hpp"
#include "programs.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr uint32_t kMagic = 0x52564f43;  // "COVR"

// Arrays with their lengths, one after the other.
class Writer {
 public:
    template <typename T>
    void put(std::span<const T> values) {
        const uint64_t count = values.size();
        append(&count, sizeof(count));
        append(values.data(), values.size_bytes());
    }
    std::vector<std::byte> bytes;

 private:
    void append(const void* data, size_t size) {
        const auto* begin = static_cast<const std::byte*>(data);
        bytes.insert(bytes.end(), begin, begin + size);
    }
};

class Reader {
 public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
    template <typename T>
    bool get(std::vector<T>& values) {
        uint64_t count = 0;
        if (!take(&count, sizeof(count)) || count > rest_.size() / sizeof(T)) return false;
        values.resize(count);
        return take(values.data(), count * sizeof(T));
    }

 private:
    bool take(void* to, size_t size) {
        if (rest_.size() < size) return false;
        if (size != 0) std::memcpy(to, rest_.data(), size);
        rest_ = rest_.subspan(size);
        return true;
    }
    std::span<const std::byte> rest_;
};

std::vector<std::byte> binaryOf(const Source& source) {
    Writer writer;
    const uint32_t head[] = {kMagic, source.subgroupSize};
    writer.put<uint32_t>(head);
    writer.put<uint32_t>(source.words);
    writer.put<char>(source.entryPoint);
    writer.put<SpecializationValue>(source.specialization);
    return writer.bytes;
}

bool parseBinary(std::span<const std::byte> bytes, Source& source) {
    Reader reader(bytes);
    std::vector<uint32_t> head;
    std::vector<char> name;
    const bool whole = reader.get(head) && reader.get(source.words) && reader.get(name) &&
                       reader.get(source.specialization);
    if (!whole || head.size() != 2 || head[0] != kMagic) return false;
    source.subgroupSize = head[1];
    source.entryPoint.assign(name.begin(), name.end());
    return true;
}

VkResult sourceOf(const Device& device, const VkShaderCreateInfoEXT& info, Source& source) {
    if (info.stage != VK_SHADER_STAGE_COMPUTE_BIT) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (info.codeType == VK_SHADER_CODE_TYPE_BINARY_EXT) {
        const auto* begin = static_cast<const std::byte*>(info.pCode);
        return parseBinary({begin, info.codeSize}, source) ? VK_SUCCESS
                                                           : VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    }
    source.words.resize(info.codeSize / sizeof(uint32_t));
    std::memcpy(source.words.data(), info.pCode, source.words.size() * sizeof(uint32_t));
    source.entryPoint = info.pName;
    source.specialization = specializationOf(info.pSpecializationInfo);
    source.subgroupSize = subgroupSizeOf(
        device, info.pNext, VK_STRUCTURE_TYPE_SHADER_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT);
    return VK_SUCCESS;
}

VkResult createShader(Device& device, const VkShaderCreateInfoEXT& info, VkShaderEXT* out) {
    Source source;
    VkResult result = sourceOf(device, info, source);
    if (result != VK_SUCCESS) return result;
    std::shared_ptr<const Program> program;
    result = makeProgram(device, source, program);
    if (result != VK_SUCCESS) return result;
    return make<ShaderObject>(out, std::move(program), binaryOf(source));
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

void DestroyShaderEXT(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks* allocator) {
    destroy<ShaderObject>(device, shader, allocator);
}

VkResult GetShaderBinaryDataEXT(VkDevice, VkShaderEXT shader, size_t* size, void* data) {
    const std::vector<std::byte>& binary = from<ShaderObject>(shader)->binary;
    const bool fits = data == nullptr || *size >= binary.size();
    if (data != nullptr && fits) std::memcpy(data, binary.data(), binary.size());
    *size = fits ? binary.size() : 0;
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

}  // namespace coopvk::reference::icd
