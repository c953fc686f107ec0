// SPDX-License-Identifier: Apache-2.0
#include "ir/tools_reserve.hpp"

#include <mutex>
#include <new>

namespace coopvk::rewrite {

namespace {

// By Work. Parsing: a result takes two words at least, and a node of 32 bytes and up to three
// buckets in a table of SPIRV-Tools'; a word of a long instruction takes 24 bytes in tables that
// double. The others, measured of 285 large shaders: up to 71 and up to 139.
constexpr size_t kBytesPerWord[] = {128, 256, 512};
// Diagnostics, and what does not depend on the module.
constexpr size_t kBytes = size_t{64} << 10;

// Whether the thread of a reserve has one is asked where nothing may be allocated, as a
// thread-local variable of a loaded library may do: so all are in a list.
std::mutex mutex;
ToolsReserve* first = nullptr;
std::new_handler handlerBefore = nullptr;

}  // namespace

// Where the C++ runtime is shared, the handler is the whole program's, which may exchange it at any
// time: one that came meanwhile stays, and ours, where it was put back late, is no other's.
void ToolsReserve::setHandler() {
    const std::new_handler before = std::set_new_handler(onMemoryEnds);
    if (before != onMemoryEnds) handlerBefore = before;
}

void ToolsReserve::resetHandler() {
    if (std::get_new_handler() == onMemoryEnds) std::set_new_handler(handlerBefore);
}

ToolsReserve::ToolsReserve(Work work, size_t words)
    : memory_(::operator new(kBytes + words * kBytesPerWord[static_cast<size_t>(work)])) {
    const std::lock_guard lock(mutex);
    if (first == nullptr) setHandler();
    next_ = first;
    first = this;
}

ToolsReserve::~ToolsReserve() {
    {
        const std::lock_guard lock(mutex);
        ToolsReserve** link = &first;
        while (*link != this) link = &(*link)->next_;
        *link = next_;
        if (first == nullptr) resetHandler();
    }
    ::operator delete(memory_);
}

bool ToolsReserve::give() {
    // The rest of another thread's reserve is that thread's alone.
    if (thread_ != std::this_thread::get_id() || kept_ || memory_ == nullptr) return false;
    ::operator delete(memory_);
    memory_ = nullptr;
    return true;
}

void ToolsReserve::onMemoryEnds() {
    std::new_handler before = nullptr;
    {
        const std::lock_guard lock(mutex);
        for (ToolsReserve* r = first; r != nullptr; r = r->next_) {
            if (r->give()) return;
        }
        before = handlerBefore;
    }
    if (before == nullptr) throw std::bad_alloc();
    before();
}

}  // namespace coopvk::rewrite
