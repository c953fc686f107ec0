// SPDX-License-Identifier: Apache-2.0
#include "check_layer.hpp"

#include <memory>

#include "layer_subjects.hpp"

namespace coopvk::fuzz {
namespace {

// The rewriter's cache of a device only grows, and a leak shows only when a device is destroyed.
constexpr uint32_t kInputsOfAWorld = 5000;

World& world() {
    static auto* made = new std::unique_ptr<World>;
    static uint32_t uses = 0;
    if (*made == nullptr || ++uses % kInputsOfAWorld == 0) {
        made->reset();
        *made = std::make_unique<World>();
    }
    return **made;
}

constexpr Complaint (*kSubjects[])(Reader&, World&) = {
    checkSettings,  checkQueries,    checkDevice,   checkPipelines, checkPipelines, checkPipelines,
    checkPipelines, checkConversion, checkCommands, checkSettings,  checkQueries,   checkPipelines,
};

}  // namespace

Complaint checkLayer(std::span<const uint8_t> bytes) {
    Reader reader(bytes);
    World& here = world();
    const Complaint complaint = reader.from(kSubjects)(reader, here);
    here.forget();
    return complaint;
}

}  // namespace coopvk::fuzz
