// SPDX-License-Identifier: Apache-2.0
//
// Memory that is reserved for SPIRV-Tools. That library is built without exceptions: where one of
// its allocations fails, it loses what it had allocated. While a reserve lives, such an allocation
// of its thread gets the reserve's memory, by way of the new-handler (C++20, [new.handler]), which
// is set as long as there is a reserve in any thread.
#pragma once

#include <cstddef>
#include <thread>

namespace coopvk::rewrite {

class ToolsReserve {
 public:
    enum class Work { kParse, kDisassemble, kValidate };
    // As much as the work takes with a module of so many words. Throws std::bad_alloc.
    ToolsReserve(Work work, size_t words);
    ~ToolsReserve();
    ToolsReserve(const ToolsReserve&) = delete;
    ToolsReserve& operator=(const ToolsReserve&) = delete;

    // While it lives, the reserve is kept: for code of ours that SPIRV-Tools calls, which may
    // run out of memory as anywhere.
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
    static void onMemoryEnds();
    static void setHandler();
    static void resetHandler();
    bool give();

    void* memory_;
    bool kept_ = false;
    std::thread::id thread_ = std::this_thread::get_id();
    ToolsReserve* next_ = nullptr;
};

}  // namespace coopvk::rewrite
