// SPDX-License-Identifier: Apache-2.0
//
// Something for rays to hit: one triangle, or one box for intersection shaders, around the z axis
// at z = 1.
#pragma once

#include <memory>

#include "memory.hpp"

namespace coopvk::test {

enum class Shape { kTriangle, kBox };

class Scene {
 public:
    explicit Scene(Shape shape);
    ~Scene();
    Scene(const Scene&) = delete;
    Scene& operator=(const Scene&) = delete;

    // Of the top-level acceleration structure; shaders make one from it.
    VkDeviceAddress address() const { return top_.address; }

 private:
    struct Structure {
        VkAccelerationStructureKHR handle = VK_NULL_HANDLE;
        VkDeviceAddress address = 0;
    };
    Structure build(VkAccelerationStructureTypeKHR type,
                    const VkAccelerationStructureGeometryKHR& geometry);

    std::vector<std::unique_ptr<Memory>> memory_;
    Structure bottom_, top_;
};

}  // namespace coopvk::test
