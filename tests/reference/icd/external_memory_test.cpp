// SPDX-License-Identifier: Apache-2.0
//
// Memory that others have, too: of file descriptors, in this process and in another one, and of the
// program.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <span>
#include <thread>

#include "bad_use.hpp"
#include "dependencies.hpp"

namespace coopvk::reference::test::external_memory_test {
namespace {

using Commands = VkCommandBuffer;
constexpr auto kFile = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr auto kProgram = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
constexpr VkDeviceSize kSize = 4096;
constexpr char kDescriptor[] = "COOPVK_TEST_DESCRIPTOR";

int descriptorOf(VkDevice device, VkDeviceMemory memory) {
    const VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                                    kFile};
    int descriptor = -1;
    EXPECT_VK(vkGetMemoryFdKHR(device, &info, &descriptor));
    return descriptor;
}
bool isOpen(int descriptor) { return fcntl(descriptor, F_GETFD) != -1; }

VkImportMemoryFdInfoKHR importOf(int descriptor) {
    return {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kFile, descriptor};
}
constexpr VkExportMemoryAllocateInfo kExport = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                                nullptr, kFile};

class ExternalMemory : public Dependent {
 protected:
    void SetUp() override {
        deviceExtensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                            VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                            VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
        Dependent::SetUp();
    }
    std::unique_ptr<Words> exported() {
        auto made = std::make_unique<Words>(device, 2, kSize, &kExport, kFile);
        (*made)[0] = 1, (*made)[1] = 2;
        return made;
    }
    std::unique_ptr<Words> imported(int descriptor) {
        const VkImportMemoryFdInfoKHR import = importOf(descriptor);
        return std::make_unique<Words>(device, 2, kSize, &import, kFile);
    }
};

TEST_F(ExternalMemory, WhatTheDeviceShares) {
    const struct {
        VkExternalMemoryHandleTypeFlagBits type;
        VkExternalMemoryFeatureFlags features;
    } kRows[] = {
        {kFile,
         VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT},
        {kProgram, VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT},
        {VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, 0},
    };
    for (const auto& row : kRows) {
        VkPhysicalDeviceExternalBufferInfo info{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
        info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
        info.handleType = row.type;
        VkExternalBufferProperties found{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        vkGetPhysicalDeviceExternalBufferProperties(physical, &info, &found);
        EXPECT_EQ(found.externalMemoryProperties.externalMemoryFeatures, row.features);
        EXPECT_TRUE(found.externalMemoryProperties.compatibleHandleTypes & row.type);
    }
}

// The bytes are there once, whatever the descriptor's memory is called.
TEST_F(ExternalMemory, DescriptorsNameTheSameBytes) {
    replace(0, exported());
    const int descriptor = descriptorOf(device, words(0).memory());
    auto other = imported(descriptor);
    EXPECT_FALSE(isOpen(descriptor));  // it is the driver's since the import
    EXPECT_NE(other->address(), words(0).address());
    EXPECT_EQ(other->values(), (std::vector<uint32_t>{1, 2}));
    EXPECT_VK(run([&](Commands to) { fill(to, 0, 9); }));
    EXPECT_EQ(other->values(), (std::vector<uint32_t>{9, 9}));
}

// "The file descriptor ... keeps the underlying memory": after the memory was freed, too.
TEST_F(ExternalMemory, BytesOutliveTheirMemory) {
    replace(0, exported());
    EXPECT_VK(run([&](Commands to) { fill(to, 0, 6); }));
    const int descriptor = descriptorOf(device, words(0).memory());
    replace(0, std::make_unique<Words>(device, std::vector<uint32_t>{1, 2}));
    replace(0, imported(descriptor));
    EXPECT_VK(run([&](Commands to) { dispatch(to, 0, 1); }));
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{7, 7}));
}

// Two accesses to a byte conflict by whatever memory they are.
TEST_F(ExternalMemory, DependenciesAreOfBytes) {
    replace(0, exported());
    replace(2, imported(descriptorOf(device, words(0).memory())));
    check("vkCmdDispatch", [&](Commands to, bool isRight) {
        fill(to, 0, 3);
        if (isRight) barrier(to, kFill, kShaderRead);
        dispatch(to, 2, 1);
    });
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{4, 4}));
}

TEST_F(ExternalMemory, OtherProcesses) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr) GTEST_SKIP() << "it takes a second more";
    replace(0, exported());
    const int descriptor = descriptorOf(device, words(0).memory());
    const int inherited = dup(descriptor);  // without FD_CLOEXEC
    setenv(kDescriptor, std::to_string(inherited).c_str(), 1);
    char self[4096] = {};
    ASSERT_GT(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
    const std::string command = std::string("'") + self +
                                "' --gtest_brief=1 --gtest_also_run_disabled_tests "
                                "--gtest_filter=ExternalMemory.DISABLED_AddsOneInAnotherProcess";
    EXPECT_EQ(std::system(command.c_str()), 0);
    unsetenv(kDescriptor);
    close(descriptor);
    close(inherited);
    EXPECT_EQ(words(0).values(), (std::vector<uint32_t>{2, 3}));
}

// What the test above starts.
TEST_F(ExternalMemory, DISABLED_AddsOneInAnotherProcess) {
    const char* descriptor = std::getenv(kDescriptor);
    if (descriptor == nullptr) GTEST_SKIP() << "nobody started it";
    replace(0, imported(std::atoi(descriptor)));
    ASSERT_EQ(words(0).values(), (std::vector<uint32_t>{1, 2}));
    EXPECT_VK(run([&](Commands to) {
        dispatch(to, 0, 1);
        barrier(to, kEverything, kEverything);
        copy(to, 1, 0);
    }));
}

// The program's own memory, at its pointer.
TEST_F(ExternalMemory, MemoryOfTheProgram) {
    alignas(kSize) static uint32_t memory[kSize / 4];
    memory[0] = 20, memory[1] = 30;
    VkMemoryHostPointerPropertiesEXT types{VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    ASSERT_VK(vkGetMemoryHostPointerPropertiesEXT(device, kProgram, memory, &types));
    EXPECT_TRUE(types.memoryTypeBits & 1u << 1);
    EXPECT_FALSE(types.memoryTypeBits & 1u << 0);  // which the host does not see
    const VkImportMemoryHostPointerInfoEXT import{
        VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kProgram, memory};
    replace(0, std::make_unique<Words>(device, 2, kSize, &import, kProgram));
    EXPECT_VK(run([&](Commands to) {
        dispatch(to, 0, 1);
        barrier(to, kEverything, kEverything);
        fill(to, 0, 5);
    }));
    EXPECT_EQ(words(1).values(), (std::vector<uint32_t>{21, 31}));
    EXPECT_EQ(memory[0], 5u);
    EXPECT_EQ(&words(0)[0], memory);
    replace(0, std::make_unique<Words>(device, std::vector<uint32_t>{1, 2}));
    EXPECT_EQ(memory[1], 5u);
}

// Two threads that import the descriptors of a file map it once.
TEST_F(ExternalMemory, ImportsAtTheSameTime) {
    for (int round = 0; round < 20; ++round) {
        auto from = exported();
        const int descriptors[] = {descriptorOf(device, from->memory()),
                                   descriptorOf(device, from->memory())};
        from.reset();
        std::unique_ptr<Words> made[2];
        std::atomic<int> ready = 0;
        const auto import = [&](size_t i) {
            for (++ready; ready < 2;) {
            }
            made[i] = imported(descriptors[i]);
        };
        std::thread other(import, 1);
        import(0);
        other.join();
        EXPECT_EQ(&(*made[0])[0], &(*made[1])[0]);
    }
}

// That nobody has exported yet.
TEST_F(ExternalMemory, UnwrittenUntilItIsExported) {
    for (const bool isExported : {false, true}) {
        replace(0, std::make_unique<Words>(device, 2, kSize, &kExport, kFile, 0));
        if (isExported) close(descriptorOf(device, words(0).memory()));
        EXPECT_VK(run([&](Commands to) { dispatch(to, 0, 1); }));
        const auto messages = takeMessages();
        ASSERT_EQ(messages.empty(), isExported);
        if (!isExported) {
            EXPECT_EQ(messages[0].find("coopvk-reference-unwritten"), 0u) << messages[0];
        }
    }
}

class BadExternalMemory : public BadUse {
 protected:
    void SetUp() override {
        deviceExtensions = {VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
                            VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                            VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
        BadUse::SetUp();
    }
    VkResult allocate(const void* next, VkDeviceSize size = kSize, uint32_t type = 1) {
        const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, size, type};
        VkDeviceMemory memory = VK_NULL_HANDLE;
        const VkResult result = vkAllocateMemory(device, &info, nullptr, &memory);
        EXPECT_EQ(memory != VK_NULL_HANDLE, result == VK_SUCCESS);
        vkFreeMemory(device, memory, nullptr);
        return result;
    }
    void expectInvalid(VkResult result) {
        EXPECT_EQ(result, VK_ERROR_VALIDATION_FAILED_EXT);
        expectMessages("coopvk-reference-usage: vk");
    }
};

// The descriptor remains the program's.
TEST_F(BadExternalMemory, FilesOfOthers) {
    const int other = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    for (const bool isSealed : {false, true}) {
        ASSERT_EQ(ftruncate(other, 2 * kSize), 0);
        if (isSealed) {
            ASSERT_EQ(fcntl(other, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
        }
        const VkImportMemoryFdInfoKHR import = importOf(other);
        EXPECT_EQ(allocate(&import), VK_ERROR_INVALID_EXTERNAL_HANDLE);
        EXPECT_TRUE(isOpen(other));
    }
    close(other);
    const VkImportMemoryFdInfoKHR closed = importOf(other);
    EXPECT_EQ(allocate(&closed), VK_ERROR_INVALID_EXTERNAL_HANDLE);
}

// The label says what it is, and other processes may change it.
TEST_F(BadExternalMemory, ForgedSizes) {
    const Words words(device, 2, kSize, &kExport, kFile);
    const int descriptor = descriptorOf(device, words.memory());
    void* const mapped =
        mmap(nullptr, 2 * kSize, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    constexpr VkDeviceSize kForged = 256 * kSize;
    std::span label(static_cast<VkDeviceSize*>(mapped) + kSize / 8, kSize / 8);
    ASSERT_EQ(std::ranges::count(label, kSize), 1);
    std::ranges::replace(label, kSize, kForged);
    const VkImportMemoryFdInfoKHR import = importOf(descriptor);
    expectInvalid(allocate(&import, kForged));
    expectInvalid(allocate(&import, kSize));
    munmap(mapped, 2 * kSize);
    close(descriptor);
}

// VUID-VkMemoryGetFdInfoKHR-handleType-00671: of VkExportMemoryAllocateInfo.
TEST_F(BadExternalMemory, ImportedIsNotExported) {
    const Words words(device, 2, kSize, &kExport, kFile);
    VkImportMemoryFdInfoKHR import = importOf(descriptorOf(device, words.memory()));
    const Words other(device, 2, kSize, &import, kFile);
    const VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr,
                                    other.memory(), kFile};
    int descriptor = -1;
    expectInvalid(vkGetMemoryFdKHR(device, &info, &descriptor));
    EXPECT_EQ(descriptor, -1);
    import = importOf(descriptorOf(device, words.memory()));
    import.pNext = &kExport;
    const Words both(device, 2, kSize, &import, kFile);
    descriptor = descriptorOf(device, both.memory());
    EXPECT_TRUE(isOpen(descriptor));
    close(descriptor);
}

// VUID-VkMemoryAllocateInfo-allocationSize-01742: size and type are the exported ones'.
TEST_F(BadExternalMemory, OtherSizesAndTypes) {
    Words words(device, 2, kSize, &kExport, kFile);
    const int descriptor = descriptorOf(device, words.memory());
    const VkImportMemoryFdInfoKHR import = importOf(descriptor);
    expectInvalid(allocate(&import, kSize / 2));
    expectInvalid(allocate(&import, kSize, 2));
    EXPECT_TRUE(isOpen(descriptor));
    EXPECT_VK(allocate(&import));
    EXPECT_FALSE(isOpen(descriptor));
}

TEST_F(BadExternalMemory, NotToBeExported) {
    const Words words(device, {1, 2});
    const VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr,
                                    words.memory(), kFile};
    int descriptor = -1;
    expectInvalid(vkGetMemoryFdKHR(device, &info, &descriptor));
    EXPECT_EQ(descriptor, -1);
    VkExportMemoryAllocateInfo other = kExport;
    other.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    expectInvalid(allocate(&other));
}

TEST_F(BadExternalMemory, PointersOfTheProgram) {
    alignas(kSize) static std::byte memory[2 * kSize];
    VkImportMemoryHostPointerInfoEXT import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                            nullptr, kProgram, memory};
    EXPECT_VK(allocate(&import));
    expectInvalid(allocate(&import, kSize - 4));
    expectInvalid(allocate(&import, kSize, 0));  // the host does not see this type
    import.pHostPointer = memory + 64;
    expectInvalid(allocate(&import));
    import.pHostPointer = nullptr;
    expectInvalid(allocate(&import));
}

}  // namespace
}  // namespace coopvk::reference::test::external_memory_test
