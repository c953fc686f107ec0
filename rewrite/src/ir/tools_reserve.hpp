// SPDX-License-Identifier: Apache-2.0
//
// Memory that is reserved for SPIRV-Tools, which leaks memory when an allocation throws, since it
// is built without exceptions. While a ToolsReserve exists, an allocation of its thread that would
// fail gets the reserve's memory, through the new-handler (C++20, [new.handler]). The handler is
// set while any thread has a reserve.
#pragma once

#include <cstddef>
#include <thread>

namespace coopvk::rewrite {

class ToolsReserve {
 public:
    enum class Work { kParse, kDisassemble, kValidate };
    // Reserves what the work takes for a module of so many words. Throws std::bad_alloc.
    ToolsReserve(Work work, size_t words);
    ~ToolsReserve();
    ToolsReserve(const ToolsReserve&) = delete;
    ToolsReserve& operator=(const ToolsReserve&) = delete;

    // While it exists, allocations do not get the reserve's memory: for coopvk's callbacks, which
    // handle std::bad_alloc.
    class Kept {
     public:
        explicit Kept(ToolsReserve& reserve) : reserve_(reserve) { reserve_.kept_ = true; }
        ~Kept() { reserve_.kept_ = false; }
        Kept(const Kept&) = delete;
        Kept& operator=(const Kept&) = delete;

     private:
        ToolsReserve& reserve_;
    };

 private:
    static void onOutOfMemory();
    static void setHandler();
    static void resetHandler();
    bool release();

    void* memory_;
    bool kept_ = false;
    std::thread::id thread_ = std::this_thread::get_id();
    ToolsReserve* next_ = nullptr;
};

}  // namespace coopvk::rewrite
