// SPDX-License-Identifier: Apache-2.0
//
// What the layer remembers of a program's earlier starts.
#include "report/posix_fault_memory.hpp"

#include <chrono>
#include <format>
#include <functional>

#include "report/fault_memory.hpp"
#include "system/system.hpp"

namespace coopvk::test::posix_fault_memory_test {
namespace {

TEST_F(FaultMemory, RefusedShaders) {
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(useShader(matrix), VK_SUCCESS);
    EXPECT_EQ(files(), 0u) << "nothing is left where nothing failed";
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    EXPECT_NE(log_.find(std::string("not offered ") + kRemembered +
                        ", since in an earlier start shader "),
              std::string::npos)
        << log_;
    EXPECT_NE(log_.find("takes more than 1000 steps"), std::string::npos) << log_;
    const auto faults = layer::allFaults();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, layer::FaultKind::kRefused);

    // Who asks for it gets it, and who wants nothing remembered.
    setenv("COOPVK_EMULATE", (std::string("auto,") + kRemembered).c_str(), 1);
    EXPECT_TRUE(isOffered());
    setenv("COOPVK_EMULATE", "all", 1);
    EXPECT_TRUE(isOffered());
    setenv("COOPVK_EMULATE", "auto", 1);
    setenv("COOPVK_REMEMBER", "off", 1);
    EXPECT_TRUE(isOffered());
    setenv("COOPVK_REMEMBER", "on", 1);
    EXPECT_FALSE(isOffered());
    EXPECT_EQ(layer::forgetFaults("another").programs, 0u);
    EXPECT_EQ(layer::forgetFaults().programs, 1u);
    EXPECT_TRUE(isOffered());
}

// What the user asked for by name is not taken away later, either.
TEST_F(FaultMemory, RefusedOfWhatWasAskedFor) {
    for (const std::string& asked : {std::string("all"), std::string("auto,") + kRemembered}) {
        setenv("COOPVK_EMULATE", asked.c_str(), 1);
        EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    }
    setenv("COOPVK_EMULATE", "auto", 1);
    EXPECT_TRUE(isOffered());
}

// Programs that never start again leave no more than this.
TEST_F(FaultMemory, FilesOfManyPrograms) {
    const fs::path folder = cache_ / "coopvk" / "programs";
    fs::create_directories(folder);
    const auto now = fs::file_time_type::clock::now();
    const auto add = [&](size_t age, const std::string& kind) {
        const fs::path path = folder / std::format("p{}-0123456789abcdef{}", age, kind);
        std::ofstream(path) << "text\n";
        fs::last_write_time(path, now - std::chrono::hours(age + 1));
        return path;
    };
    std::ofstream(folder / "a file of somebody");
    for (size_t age = 0; age < layer::kMostRemembered; ++age) add(age, "");
    const fs::path oldest = add(1000, ""), abandoned = add(2000, ".running-0123456789abcdef");
    EXPECT_EQ(useShader(matrix), VK_SUCCESS);
    EXPECT_FALSE(fs::exists(oldest));
    EXPECT_FALSE(fs::exists(abandoned));
    EXPECT_TRUE(fs::exists(folder / "p0-0123456789abcdef"));
    EXPECT_LE(files(), layer::kMostRemembered + 1);
}

// A faulty shader says nothing of coopvk.
TEST_F(FaultMemory, InvalidShaders) {
    Words invalid = matrix;
    invalid.resize(invalid.size() - 1);  // OpFunctionEnd
    EXPECT_LT(useShader(invalid), 0);
    EXPECT_TRUE(isOffered());
}

TEST_F(FaultMemory, RefusedByTheDriver) {
    driver.pipelineResult = VK_ERROR_INITIALIZATION_FAILED;
    EXPECT_EQ(useShader(plain), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_TRUE(isOffered()) << "not a shader of coopvk's";
    driver.pipelineResult = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    EXPECT_EQ(useShader(matrix), VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_TRUE(isOffered());
    driver.pipelineResult = VK_ERROR_INITIALIZATION_FAILED;
    EXPECT_EQ(useShader(matrix), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_FALSE(isOffered());
    EXPECT_NE(log_.find("VK_ERROR_INITIALIZATION_FAILED"), std::string::npos) << log_;
}

TEST_F(FaultMemory, LostDevices) {
    const auto wait = [&] {
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkDeviceWaitIdle)(device),
                  driver.waitResult);
    };
    driver.waitResult = VK_ERROR_DEVICE_LOST;
    start();
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    wait();
    stop();
    EXPECT_TRUE(isOffered()) << "nothing was rewritten";
    start();
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    driver.waitResult = VK_SUCCESS;
    wait();
    driver.waitResult = VK_ERROR_DEVICE_LOST;
    wait();
    stop();
    EXPECT_FALSE(isOffered());
    EXPECT_NE(log_.find("the device was lost: 1 shaders"), std::string::npos) << log_;
}

// Each command that may be the first to say so.
TEST_F(FaultMemory, DevicesThatAreLostInAnyCommand) {
    const std::function<VkResult()> commands[] = {
        [&] {
            const auto call = COOPVK_DEVICE_COMMAND(driver, device, vkQueueSubmit);
            return call(reinterpret_cast<VkQueue>(device), 0, nullptr, VK_NULL_HANDLE);
        },
        [&] {
            const auto call = COOPVK_DEVICE_COMMAND(driver, device, vkQueueWaitIdle);
            return call(reinterpret_cast<VkQueue>(device));  // which has its dispatch key
        },
        [&] { return COOPVK_DEVICE_COMMAND(driver, device, vkDeviceWaitIdle)(device); },
        [&] {
            const auto call = COOPVK_DEVICE_COMMAND(driver, device, vkWaitForFences);
            return call(device, 0, nullptr, VK_TRUE, 0);
        },
        [&] {
            const auto call = COOPVK_DEVICE_COMMAND(driver, device, vkGetFenceStatus);
            return call(device, VK_NULL_HANDLE);
        },
        [&] {
            const auto call = COOPVK_DEVICE_COMMAND(driver, device, vkWaitSemaphores);
            return call(device, nullptr, 0);
        }};
    for (const auto& command : commands)
        for (const VkResult result : {VK_NOT_READY, VK_ERROR_DEVICE_LOST}) {
            start();
            EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
            driver.waitResult = result;
            EXPECT_EQ(command(), result);
            driver.waitResult = VK_SUCCESS;
            stop();
            EXPECT_EQ(isOffered(), result != VK_ERROR_DEVICE_LOST) << &command - commands;
            layer::forgetFaults();
        }
}

// Once, somebody may have ended the program.
TEST_F(FaultMemory, UnfinishedShaders) {
    endInDriver();
    EXPECT_EQ(files(), 1u);
    EXPECT_TRUE(isOffered());
    EXPECT_NE(log_.find("was not finished when the program ended; if that happens again"),
              std::string::npos)
        << log_;
    endInDriver();
    EXPECT_FALSE(isOffered());
    EXPECT_EQ(layer::allFaults().size(), 2u);
}

// Of two threads that work on one shader, too.
TEST_F(FaultMemory, UnfinishedOnceInTwoThreads) {
    const pid_t child = fork();
    if (child == 0) {
        driver.during["vkCreateComputePipelines"] = [&] {
            driver.during["vkCreateComputePipelines"] = [] { _exit(7); };
            makeCompute(stageOf(made.back()));
        };
        useShader(matrix);
        _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(layer::allFaults().size(), 1u);
}

// An application's messenger is told what is remembered, and may ask for the device meanwhile.
TEST_F(FaultMemory, MessengersMayAskForTheDevice) {
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    VkResult asked = VK_NOT_READY;
    driver.during["vkSubmitDebugUtilsMessageEXT"] = [&] {
        uint32_t count = 0;
        asked = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties)(
            driver.physical(), nullptr, &count, nullptr);
    };
    EXPECT_FALSE(isOffered());
    EXPECT_EQ(asked, VK_SUCCESS);
}

// A program that still runs has not failed.
TEST_F(FaultMemory, RunningPrograms) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        driver.during["vkCreateComputePipelines"] = [&] {
            EXPECT_EQ(write(ends[1], "x", 1), 1);
            pause();
        };
        useShader(matrix);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ends[0], &byte, 1), 1);
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(log_, "");
    EXPECT_EQ(files(), 1u);
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(isOffered());
    EXPECT_NE(log_.find("was not finished"), std::string::npos) << log_;
}

// A program that runs for days compiles many shaders: its file holds what is begun, and not much
// more.
TEST_F(FaultMemory, FilesOfRunningProgramsStaySmall) {
    const fs::path folder = cache_ / "coopvk/programs";
    layer::FaultMemory memory(layer::Settings{}, {.exe = "program"});
    memory.start();
    ASSERT_EQ(files(), 1u);
    const fs::path path = fs::directory_iterator(folder)->path();
    layer::RememberedFault work;
    work.kind = layer::FaultKind::kBegun;
    work.extensions.insert(rewrite::Extension::kKhrCooperativeMatrix);
    work.device = "device";
    const auto compile = [&](uint64_t first, uint64_t count) {
        for (work.shader = first; work.shader < first + count; ++work.shader) {
            memory.begin(work);
            memory.end(work.shader);
        }
    };
    compile(1, 2000);
    EXPECT_LT(fs::file_size(path), size_t{128} << 10);
    // What is still begun stays, whatever else is begun and ended meanwhile.
    work.shader = 1'000'000;
    const std::string begun = layer::lineOf(work).substr(0, 60);
    memory.begin(work);
    compile(2'000'000, 2000);
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find(begun), std::string::npos);
    memory.end(1'000'000);
    EXPECT_LT(fs::file_size(path), size_t{128} << 10);
}

// Of two shaders that a process had begun when it ended, the one that was done is no fault.
TEST_F(FaultMemory, WhatEndedIsNotUnfinished) {
    for (const uint64_t done : {1, 2}) {
        const pid_t child = fork();
        ASSERT_NE(child, -1);
        if (child == 0) {
            layer::FaultMemory memory(layer::Settings{}, {.exe = "program"});
            memory.start();
            layer::RememberedFault work;
            work.kind = layer::FaultKind::kBegun;
            work.extensions.insert(rewrite::Extension::kKhrCooperativeMatrix);
            work.device = "device";
            for (work.shader = 1; work.shader <= 2; ++work.shader) memory.begin(work);
            memory.end(done);
            _exit(0);
        }
        ASSERT_EQ(waitpid(child, nullptr, 0), child);
        const layer::FaultMemory memory(layer::Settings{}, {.exe = "program"});
        ASSERT_EQ(memory.faults().size(), 1u);
        EXPECT_EQ(memory.faults()[0].kind, layer::FaultKind::kUnfinished);
        EXPECT_EQ(memory.faults()[0].shader, 3 - done);
        layer::forgetFaults();
    }
}

TEST_F(FaultMemory, FaultsOfOneStart) {
    layer::FaultMemory memory(layer::Settings{}, {.exe = "program"});
    memory.start();
    layer::RememberedFault fault;
    fault.extensions.insert(rewrite::Extension::kKhrCooperativeMatrix);
    for (const uint64_t shader : {1, 1, 2}) {
        fault.shader = shader;
        memory.remember(fault);
    }
    EXPECT_EQ(layer::allFaults().size(), 2u) << "each once";
    // The same shader on another device, and for another reason.
    fault.device = "another";
    memory.remember(fault);
    fault.driver = 1;
    memory.remember(fault);
    fault.kind = layer::FaultKind::kLost;
    memory.remember(fault);
    EXPECT_EQ(layer::allFaults().size(), 5u);
    for (fault.shader = 3; fault.shader < 200; ++fault.shader) memory.remember(fault);
    EXPECT_EQ(layer::allFaults().size(), 64u) << "enough of a program";
}

// An AppImage is mounted in another folder at each start; its file's name stays.
TEST_F(FaultMemory, AppImages) {
    const fs::path program = layer::system::programFile();
    const fs::path folder = program.parent_path();
    const auto fileWith = [](const char* mount, const char* image) {
        setenv("APPDIR", mount, 1);
        setenv("APPIMAGE", image, 1);
        const std::string file = layer::memoryOf({.exe = "program"}).file;
        unsetenv("APPDIR");
        unsetenv("APPIMAGE");
        return file;
    };
    const std::string own = layer::memoryOf({.exe = "program"}).file;
    EXPECT_EQ(fileWith("", ""), own);
    EXPECT_EQ(fileWith("", "/one.AppImage"), own);
    EXPECT_EQ(fileWith(folder.c_str(), ""), own);
    EXPECT_EQ(fileWith("/elsewhere", "/one.AppImage"), own);
    EXPECT_EQ(fileWith(program.c_str(), "/one.AppImage"), own) << "not in it";
    const std::string part = folder.string().substr(0, folder.string().size() - 1);
    EXPECT_EQ(fileWith(part.c_str(), "/one.AppImage"), own) << "a part of a folder's name";
    const std::string image = fileWith(folder.c_str(), "/one.AppImage");
    EXPECT_NE(image, own);
    EXPECT_NE(fileWith(folder.c_str(), "/two.AppImage"), image);
    // Mounted one folder higher, with the rest of the way in the image: the same program.
    const fs::path higher = folder.parent_path();
    const std::string way = "/one.AppImage/" + folder.filename().string();
    EXPECT_EQ(fileWith(higher.c_str(), "/one.AppImage"), fileWith(folder.c_str(), way.c_str()));
}

}  // namespace
}  // namespace coopvk::test::posix_fault_memory_test
