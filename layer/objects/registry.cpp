// SPDX-License-Identifier: Apache-2.0
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

// At the end of the process, writes summaries of instances that were not destroyed. Not in a forked
// child that made no instance: there, threads that no longer exist may hold locks.
struct LastSummaries {
    ~LastSummaries() {
        if (!instances().isOfThisProcess()) return;
        try {
            instances().forEach([](InstanceContext& instance) {
                if (instance.statistics != nullptr) instance.statistics->writeSummary();
            });
        } catch (...) {
        }
    }
};
const LastSummaries lastSummaries;

}  // namespace

Registry<InstanceContext>& instances() {
    static auto* registry = new Registry<InstanceContext>;
    return *registry;
}

Registry<DeviceContext>& devices() {
    static auto* registry = new Registry<DeviceContext>;
    return *registry;
}

}  // namespace coopvk::layer
