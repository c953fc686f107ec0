// SPDX-License-Identifier: Apache-2.0
//
// Allocations of memory. Others may have the bytes of one, too: a process with its file descriptor,
// or the program, whose memory it is.
#pragma once

#include <cstdlib>

#include "device.hpp"

namespace coopvk::reference::icd {

inline constexpr size_t kPage = 4096;

struct Free {
    void operator()(void* block) const { std::free(block); }
};
template <typename T>
using Zeroed = std::unique_ptr<T[], Free>;  // of calloc: pages cost nothing until they are used
template <typename T>
Zeroed<T> zeroed(size_t count) {
    return Zeroed<T>(static_cast<T*>(std::calloc(count, sizeof(T))));
}

// A file in memory, mapped once in a process.
struct SharedFile {
    SharedFile() = default;
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    ~SharedFile();
    int descriptor = -1;
    void* mapped = nullptr;
    size_t bytes = 0;  // that are mapped
};

struct DeviceMemory : ObjectOf<VkDeviceMemory> {
    explicit DeviceMemory(VkDeviceSize size);
    ~DeviceMemory();
    Zeroed<std::byte> block;           // null: one of the next two
    std::shared_ptr<SharedFile> file;  // null: none
    bool isOfProgram = false;          // which keeps it
    bool isImported = false;           // others may have written it
    bool isExported = false;           // may be
    Zeroed<uint8_t> written;           // a byte for each; null if nobody checks
    Range range;                       // all of it
    std::byte* host = nullptr;         // the host's copy; null: it sees the block
    bool isHostVisible = false;
    bool isMapped = false;
};

// Memory of an allocation that others may have: of the program, of a file that somebody else made,
// or of a new one. Null: the allocation asks for none of these. Sets what keeps it.
VkResult findShared(DeviceMemory& memory, const VkMemoryAllocateInfo& info, std::byte*& data);
// The allocation exists: the driver closes the descriptor that the program gave.
void closeImported(const VkMemoryAllocateInfo& info);

// Of buffers and images.
VkExternalMemoryProperties sharingOf(VkExternalMemoryHandleTypeFlagBits type);

}  // namespace coopvk::reference::icd
