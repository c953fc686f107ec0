// SPDX-License-Identifier: Apache-2.0
//
// What the layer remembers of a program's earlier starts, each of which is an instance here.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fakes/shader_routes.hpp"
#include "settings/remembered.hpp"

namespace coopvk::test::posix_fault_memory_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;

class FaultMemory : public ShaderRoutes {
 protected:
    FaultMemory()
        : cache_(fs::temp_directory_path() / ("coopvk-memory-test-" + std::to_string(getpid()))) {
        stop();
        setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
        setenv("COOPVK_REMEMBER", "on", 1);
    }
    ~FaultMemory() override {
        stop();
        for (const char* name : {"XDG_CACHE_HOME", "COOPVK_REMEMBER", "COOPVK_REWRITE_LIMIT"})
            unsetenv(name);
        fs::remove_all(cache_);
    }
    // Whether the next start offers matrices; its log is in log_.
    bool isOffered() {
        testing::internal::CaptureStderr();
        driver.makeInstance();
        const auto command = COOPVK_INSTANCE_COMMAND(driver, vkEnumerateDeviceExtensionProperties);
        uint32_t count = 0;
        command(driver.physical(), nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        command(driver.physical(), nullptr, &count, all.data());
        driver.destroyInstance();
        log_ = testing::internal::GetCapturedStderr();
        return std::ranges::any_of(all, [](const VkExtensionProperties& extension) {
            return std::string_view(extension.extensionName) == kName;
        });
    }
    // A start with a shader, which the rewriter refuses if `limit` is its limit.
    VkResult useShader(const Words& words, const char* limit = "") {
        setenv("COOPVK_REWRITE_LIMIT", limit, 1);
        testing::internal::CaptureStderr();
        start();
        const VkResult result = makeCompute(stageOf(makeModule(words)));
        stop();
        testing::internal::GetCapturedStderr();
        return result;
    }
    // A start that ends while the driver compiles.
    void endInDriver() {
        const pid_t child = fork();
        if (child == 0) {
            driver.during["vkCreateComputePipelines"] = [] { _exit(7); };
            useShader(matrix);
            _exit(0);
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_EQ(WEXITSTATUS(status), 7);
    }
    size_t files() const {
        std::error_code error;
        return static_cast<size_t>(std::distance(
            fs::directory_iterator(cache_ / "coopvk/programs", error), fs::directory_iterator()));
    }

    const fs::path cache_;
    std::string log_;
};

TEST_F(FaultMemory, RefusedShaders) {
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(useShader(matrix), VK_SUCCESS);
    EXPECT_EQ(files(), 0u) << "nothing is left where nothing failed";
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    EXPECT_NE(
        log_.find(std::string("not offered ") + kName + ", since in an earlier start shader "),
        std::string::npos)
        << log_;
    EXPECT_NE(log_.find("takes more than 1000 steps"), std::string::npos) << log_;
    const auto faults = layer::allFaults();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].kind, layer::FaultKind::kRefused);

    // Who asks for it gets it, and who wants nothing remembered.
    setenv("COOPVK_EMULATE", (std::string("auto,") + kName).c_str(), 1);
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
    for (const std::string& asked : {std::string("all"), std::string("auto,") + kName}) {
        setenv("COOPVK_EMULATE", asked.c_str(), 1);
        EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    }
    setenv("COOPVK_EMULATE", "auto", 1);
    EXPECT_TRUE(isOffered());
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

// Somebody empties the cache while the program runs.
TEST_F(FaultMemory, FoldersThatAreRemoved) {
    setenv("COOPVK_REWRITE_LIMIT", "1K", 1);
    testing::internal::CaptureStderr();
    start();
    fs::remove_all(cache_);
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_ERROR_UNKNOWN);
    stop();
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(isOffered());
}

// What others keep in the folder stays, and what cannot be removed is named.
TEST_F(FaultMemory, ForgettingRemovesNothingElse) {
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    const fs::path folder = cache_ / "coopvk/programs";
    for (const char* name : {"notes-of-mine", "a.running-0123456789abcde", "-0123456789abcdef"})
        std::ofstream(folder / name) << name;
    EXPECT_EQ(layer::forgetFaults().programs, 1u);
    EXPECT_EQ(files(), 3u);
    fs::create_directories(folder / "my_app-0123456789abcdef/full");
    const layer::Forgotten forgotten = layer::forgetFaults("my app");
    EXPECT_EQ(forgotten.programs, 0u);
    ASSERT_EQ(forgotten.failures.size(), 1u);
    EXPECT_TRUE(forgotten.failures[0].starts_with((folder / "my_app-").string()))
        << forgotten.failures[0];
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

// Lines of other versions, of other drivers, and nonsense.
TEST_F(FaultMemory, OtherLines) {
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    const fs::path file = fs::directory_iterator(cache_ / "coopvk/programs")->path();
    struct stat info = {};
    ASSERT_EQ(stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::string line;
    std::getline(std::ifstream(file), line);
    const auto fault = layer::faultFrom(line);
    ASSERT_TRUE(fault);
    auto other = *fault;
    other.driver += 1;
    for (const std::string& text :
         {"0.0.1+0" + line.substr(line.find('\t')) + "\n", layer::lineOf(other),
          std::string("nonsense\n\n\t\t\t\t\n"), line.substr(0, 40), std::string(1 << 20, 'x')}) {
        std::ofstream(file, std::ios::trunc) << text;
        EXPECT_TRUE(isOffered()) << text.substr(0, 100);
    }
    std::ofstream(file, std::ios::trunc) << "nonsense\n" << line << "\n";
    EXPECT_FALSE(isOffered());
    // Many versions filled it.
    {
        std::ofstream full(file, std::ios::trunc);
        for (int i = 0; i < 4000; ++i) full << "0.0.1+0" << line.substr(line.find('\t')) << '\n';
    }
    EXPECT_TRUE(isOffered());
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_FALSE(isOffered());
    // Others may write to it.
    ASSERT_EQ(link(file.c_str(), (cache_ / "second").c_str()), 0);
    EXPECT_TRUE(isOffered()) << "the file of another folder";
    const auto shown = layer::faultFrom(
        layer::lineOf({.device = "a\tb\n\x1b[c", .program = "\xc2\x9b\u202e\xff"}));
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->device, "a\\x09b\\x0a\\x1b[c");
    EXPECT_EQ(shown->program, "\\xc2\\x9b\\xe2\\x80\\xae\\xff");
    EXPECT_TRUE(layer::isOfDevice(*shown, "a\tb\n\x1b[c", 0));
}

// Where nothing can be written, all else works.
TEST_F(FaultMemory, NoFolder) {
    setenv("XDG_CACHE_HOME", "/dev/null/nowhere", 1);
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_EQ(useShader(matrix), VK_SUCCESS);
    EXPECT_TRUE(isOffered());
    setenv("XDG_CACHE_HOME", cache_.c_str(), 1);
    fs::create_directories(cache_ / "coopvk");
    fs::permissions(cache_ / "coopvk", fs::perms(0777));
    fs::create_directories(cache_ / "coopvk/programs");
    fs::permissions(cache_ / "coopvk/programs", fs::perms(0777));
    EXPECT_EQ(useShader(matrix, "1K"), VK_ERROR_UNKNOWN);
    EXPECT_TRUE(isOffered()) << "others can write there";
}

}  // namespace
}  // namespace coopvk::test::posix_fault_memory_test
