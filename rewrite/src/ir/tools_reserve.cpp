// SPDX-License-Identifier: Apache-2.0
#include "ir/tools_reserve.hpp"

#include <mutex>
#include <new>

namespace coopvk::rewrite {

namespace {

// For each Work. Parsing: SPIRV-Tools' table has a node of 32 bytes and up to three buckets for
// each result, which takes at least two words; its buffers take 24 bytes for each word of a long
// instruction, and double when they grow. The others took up to 71 and up to 139 bytes in
// measurements with 285 large shaders.
constexpr size_t kBytesPerWord[] = {128, 256, 512};
// For diagnostics, and for what does not depend on the module.
constexpr size_t kBytes = size_t{64} << 10;

// All reserves are in one list, since the handler must not allocate, which a thread-local variable
// of a shared library may do.
std::mutex mutex;
ToolsReserve* firstReserve = nullptr;
std::new_handler handlerBefore = nullptr;

}  // namespace

// If the C++ runtime is shared, so is the handler, and the program may set another one at any time.
// resetHandler() keeps such a handler, and setHandler() never takes coopvk's for the program's.
void ToolsReserve::setHandler() {
    const std::new_handler before = std::set_new_handler(onOutOfMemory);
    if (before != onOutOfMemory) handlerBefore = before;
}

void ToolsReserve::resetHandler() {
    if (std::get_new_handler() == onOutOfMemory) std::set_new_handler(handlerBefore);
}

ToolsReserve::ToolsReserve(Work work, size_t words)
    : memory_(::operator new(kBytes + words * kBytesPerWord[static_cast<size_t>(work)])) {
    const std::lock_guard lock(mutex);
    if (firstReserve == nullptr) setHandler();
    next_ = firstReserve;
    firstReserve = this;
}

ToolsReserve::~ToolsReserve() {
    {
        const std::lock_guard lock(mutex);
        ToolsReserve** link = &firstReserve;
        while (*link != this) link = &(*link)->next_;
        *link = next_;
        if (firstReserve == nullptr) resetHandler();
    }
    ::operator delete(memory_);
}

bool ToolsReserve::release() {
    // Other members belong to the reserve's thread alone: check the thread first.
    if (thread_ != std::this_thread::get_id() || kept_ || memory_ == nullptr) return false;
    ::operator delete(memory_);
    memory_ = nullptr;
    return true;
}

void ToolsReserve::onOutOfMemory() {
    std::new_handler before = nullptr;
    {
        const std::lock_guard lock(mutex);
        for (ToolsReserve* r = firstReserve; r != nullptr; r = r->next_) {
            if (r->release()) return;
        }
        before = handlerBefore;
    }
    if (before == nullptr) throw std::bad_alloc();
    before();
}

}  // namespace coopvk::rewrite
