// SPDX-License-Identifier: Apache-2.0
//
// Memory that others have, too: of file descriptors (VK_KHR_external_memory_fd), in this process or
// in another, and of the program (VK_EXT_external_memory_host).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "memory.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kFile = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkExternalMemoryHandleTypeFlagBits kProgram =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;

// The last page of a file: what was allocated. So that no other file is taken for one.
struct Label {
    char name[32] = "coopvk reference device, memory";
    uint64_t size = 0;
    uint32_t memoryType = 0;
    uint32_t unused = 0;
};

size_t fileBytes(VkDeviceSize size) { return (size + kPage - 1) / kPage * kPage + kPage; }

Label& labelOf(const SharedFile& file) {
    return *reinterpret_cast<Label*>(static_cast<std::byte*>(file.mapped) + file.bytes - kPage);
}

// A file that others cannot shorten.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

std::shared_ptr<SharedFile> mapFile(int descriptor, size_t bytes) {
    auto file = std::make_shared<SharedFile>();
    file->descriptor = descriptor;
    constexpr int kFlags = MAP_SHARED | MAP_NORESERVE;
    void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, descriptor, 0);
    if (mapped == MAP_FAILED) return nullptr;
    file->mapped = mapped;
    file->bytes = bytes;
    return file;
}

std::shared_ptr<SharedFile> newFile(const VkMemoryAllocateInfo& info) {
    const size_t bytes = fileBytes(info.allocationSize);
    const int descriptor = memfd_create("coopvk-reference", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return nullptr;
    const bool isReady =
        ftruncate(descriptor, off_t(bytes)) == 0 && fcntl(descriptor, F_ADD_SEALS, kSeals) == 0;
    auto file = isReady ? mapFile(descriptor, bytes) : nullptr;
    if (file == nullptr) {
        close(descriptor);
        return nullptr;
    }
    labelOf(*file) = Label{.size = info.allocationSize, .memoryType = info.memoryTypeIndex};
    return file;
}

// Files of this process, by device and number: what two descriptors name has the same bytes, and
// dependencies between commands know them by their place.
using FileId = std::pair<dev_t, ino_t>;
std::mutex filesMutex;
std::map<FileId, std::weak_ptr<SharedFile>> files;

FileId idOf(int descriptor) {
    struct stat status{};
    return fstat(descriptor, &status) == 0 ? FileId{status.st_dev, status.st_ino} : FileId{};
}

// Under the mutex, as the next one.
void remember(const std::shared_ptr<SharedFile>& file) {
    std::erase_if(files, [](const auto& each) { return each.second.expired(); });
    files[idOf(file->descriptor)] = file;
}

// Null: nothing that this device made.
std::shared_ptr<SharedFile> openFile(int given) {
    const auto found = files.find(idOf(given));
    if (found != files.end())
        if (auto file = found->second.lock()) return file;
    struct stat status{};
    if (fstat(given, &status) != 0 || size_t(status.st_size) < 2 * kPage) return nullptr;
    if (const int seals = fcntl(given, F_GET_SEALS); seals < 0 || (seals & kSeals) != kSeals)
        return nullptr;
    const int descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return nullptr;
    auto file = mapFile(descriptor, size_t(status.st_size));
    if (file == nullptr) {
        close(descriptor);
        return nullptr;
    }
    const Label label = labelOf(*file);  // others may change it
    if (std::memcmp(label.name, Label{}.name, sizeof(label.name)) != 0 ||
        fileBytes(label.size) != file->bytes)
        return nullptr;
    remember(file);
    return file;
}

const VkImportMemoryFdInfoKHR* importOf(const VkMemoryAllocateInfo& info) {
    const auto* import = find<VkImportMemoryFdInfoKHR>(info.pNext);
    return import != nullptr && import->handleType != 0 ? import : nullptr;
}

void requireProgramMemory(VkExternalMemoryHandleTypeFlagBits type, const void* pointer) {
    require(type == kProgram, "the device imports no such memory of the host");
    require(pointer != nullptr && reinterpret_cast<uintptr_t>(pointer) % kPage == 0,
            "the pointer is no multiple of minImportedHostPointerAlignment");
}

}  // namespace

SharedFile::~SharedFile() {
    if (mapped == nullptr) return;
    munmap(mapped, bytes);
    close(descriptor);
}

VkResult findShared(DeviceMemory& memory, const VkMemoryAllocateInfo& info, std::byte*& data) {
    const auto* program = find<VkImportMemoryHostPointerInfoEXT>(info.pNext);
    const auto* exported = find<VkExportMemoryAllocateInfo>(info.pNext);
    if (program != nullptr && program->handleType != 0) {
        requireProgramMemory(program->handleType, program->pHostPointer);
        require(info.allocationSize % kPage == 0,
                "the size is no multiple of minImportedHostPointerAlignment");
        require(memory.isHostVisible, "the host does not see memory of this type");
        memory.isOfProgram = memory.isImported = true;
        data = static_cast<std::byte*>(program->pHostPointer);
        return VK_SUCCESS;
    }
    memory.isExported = exported != nullptr && exported->handleTypes != 0;
    require(!memory.isExported || exported->handleTypes == kFile,
            "the device exports no such memory");
    if (const auto* import = importOf(info)) {
        require(import->handleType == kFile, "the device imports no such file descriptors");
        const std::lock_guard lock(filesMutex);  // two threads map it once
        memory.file = openFile(import->fd);
        if (memory.file == nullptr) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
        memory.isImported = true;
        const Label label = labelOf(*memory.file);
        require(fileBytes(info.allocationSize) == memory.file->bytes &&
                    label.size == info.allocationSize,
                "the size is not that of the imported memory");
        require(label.memoryType == info.memoryTypeIndex,
                "the type is not that of the imported memory");
    } else if (memory.isExported) {
        memory.file = newFile(info);
        if (memory.file == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const std::lock_guard lock(filesMutex);
        remember(memory.file);
    }
    if (memory.file != nullptr) data = static_cast<std::byte*>(memory.file->mapped);
    return VK_SUCCESS;
}

void closeImported(const VkMemoryAllocateInfo& info) {
    if (const auto* import = importOf(info)) close(import->fd);
}

// Others may write it from now on.
VkResult GetMemoryFdKHR(Device& device, const VkMemoryGetFdInfoKHR* info, int* out) {
    const DeviceMemory& memory = theObject(info->memory, device);
    require(info->handleType == kFile && memory.isExported,
            "the memory was not allocated to be exported so");
    *out = fcntl(memory.file->descriptor, F_DUPFD_CLOEXEC, 0);
    if (*out < 0) return VK_ERROR_TOO_MANY_OBJECTS;
    markWritten(memory.range);
    return VK_SUCCESS;
}

// "handleType must not be VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT", and there is no other.
VkResult GetMemoryFdPropertiesKHR(Device&, VkExternalMemoryHandleTypeFlagBits, int,
                                  VkMemoryFdPropertiesKHR*) {
    require(false, "there is nothing to ask of such file descriptors");
    return VK_SUCCESS;
}

VkResult GetMemoryHostPointerPropertiesEXT(Device&, VkExternalMemoryHandleTypeFlagBits type,
                                           const void* pointer,
                                           VkMemoryHostPointerPropertiesEXT* out) {
    requireProgramMemory(type, pointer);
    out->memoryTypeBits = 0;
    for (size_t i = 0; i < std::size(kMemoryTypes); ++i)
        if (kMemoryTypes[i] & kCoherent) out->memoryTypeBits |= 1u << i;
    return VK_SUCCESS;
}

VkExternalMemoryProperties sharingOf(VkExternalMemoryHandleTypeFlagBits type) {
    constexpr VkExternalMemoryFeatureFlags kImport = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    if (type == kFile) return {kImport | VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, kFile, kFile};
    if (type == kProgram) return {kImport, 0, kProgram};
    return {0, 0, VkExternalMemoryHandleTypeFlags(type)};
}

void GetPhysicalDeviceExternalBufferProperties(PhysicalDevice&,
                                               const VkPhysicalDeviceExternalBufferInfo* info,
                                               VkExternalBufferProperties* out) {
    out->externalMemoryProperties = sharingOf(info->handleType);
}

}  // namespace coopvk::reference::icd
