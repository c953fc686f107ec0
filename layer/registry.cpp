// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

namespace coopvk::layer {

Registry<InstanceContext>& instances() {
    static auto* registry = new Registry<InstanceContext>;
    return *registry;
}

Registry<DeviceContext>& devices() {
    static auto* registry = new Registry<DeviceContext>;
    return *registry;
}

}  // namespace coopvk::layer
