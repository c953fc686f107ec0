// SPDX-License-Identifier: Apache-2.0
//
// An instance and some devices through the layer, above the fake driver. Many inputs use the same
// ones; they are created again now and then.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "fakes/fake_driver.hpp"

namespace coopvk::fuzz {

struct FuzzDevice {
    VkDevice handle = VK_NULL_HANDLE;
    rewrite::ExtensionSet emulated;  // at least
};

class World {
 public:
    World();
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    test::FakeDriver& driver() { return driver_; }
    const FuzzDevice& device(uint32_t which) const { return devices_[which % devices_.size()]; }
    // Forgets what the driver saw.
    void forget();
    // Calls that the driver should not have got.
    std::optional<std::string> complaint(const FuzzDevice& device) const;

 private:
    test::FakeDriver driver_;
    std::array<FuzzDevice, 4> devices_;
};

// Modules: plain ones, ones that are rewritten, refused, or no SPIR-V.
const std::vector<test::Words>& shaders();

// A setting's environment variable, short name; null: not set.
void setSetting(const char* name, const char* value);
void clearSettings();

}  // namespace coopvk::fuzz
