// SPDX-License-Identifier: Apache-2.0
//
// Starts of a program, each of which is an instance here, with a folder for what is remembered.
#pragma once

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

namespace coopvk::test {

namespace fs = std::filesystem;

inline constexpr const char* kRemembered = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;

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
            return std::string_view(extension.extensionName) == kRemembered;
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

}  // namespace coopvk::test
