// SPDX-License-Identifier: Apache-2.0
//
// Keeps the inputs of dispatches of rewritten shaders (the setting dump_inputs): copies of the
// buffers that a dispatch can reach are recorded before and after it, and written to the dump
// folder once the device has executed it. Stands between the rest of the layer and the driver, on
// devices for which it is on.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>

#include "inputs/kept_dispatch.hpp"
#include "report/dump.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer::inputs {

struct BoundSet {
    std::shared_ptr<DescriptorSet> set;
    std::vector<uint32_t> dynamicOffsets;
};

// What is bound in a command buffer during recording.
struct Recording {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    bool simultaneous = false;  // may be submitted again while the device executes it
    bool conditional = false;   // a condition applies
    std::shared_ptr<KeptShader> shader;
    std::map<uint32_t, BoundSet> sets;
    std::string opaque;  // why descriptors are not known: "descriptor buffers"
    std::vector<std::byte> pushConstants;
    std::vector<std::shared_ptr<KeptDispatch>> kept;      // of its own dispatches
    std::vector<std::shared_ptr<KeptDispatch>> executed;  // of secondary command buffers

    void forget();  // as at the start of recording, but what is kept stays
};

// Handed out with the lock that they need.
struct State {
    Objects objects;
    std::unordered_map<VkCommandBuffer, Recording> commands;
    std::unordered_map<VkCommandPool, bool> pools;  // whether they are protected
    std::map<std::string, std::shared_ptr<KeptShader>> shadersByName;
    // By pipeline or shader object.
    std::unordered_map<uint64_t, std::shared_ptr<KeptShader>> shaders;
};

class DispatchInputs {
 public:
    DispatchInputs(const DumpedInputs& limits, ShaderDumps& dumps, const Driver& below)
        : driver(below), limits_(limits), dumps_(dumps) {}
    DispatchInputs(const DispatchInputs&) = delete;
    DispatchInputs& operator=(const DispatchInputs&) = delete;
    ~DispatchInputs();  // the device has executed everything

    const Driver driver;

    // The pipeline or shader object has a compute shader that was rewritten, as its dump says.
    void add(uint64_t shader, const DumpedShader& dumped) noexcept;

    // Calls f(State&) under the lock. What does not succeed for lack of memory is logged: the
    // application's command has already been called.
    template <typename F>
    void track(const F& f) noexcept {
        try {
            const std::lock_guard lock(mutex_);
            f(state_);
        } catch (...) {
            reportNoMemory();
        }
    }
    // The same for a command buffer; nothing if it is not known.
    template <typename F>
    void trackCommands(VkCommandBuffer commands, const F& f) noexcept {
        track([&](State& state) {
            const auto found = state.commands.find(commands);
            if (found != state.commands.end()) f(found->second, state);
        });
    }

    // A dispatch that is about to be recorded.
    struct Asked {
        std::array<uint32_t, 3> base = {0, 0, 0}, groups = {0, 0, 0};
        std::optional<IndirectCount> indirect = {};
    };
    // Null if nothing is kept of it.
    std::shared_ptr<KeptDispatch> keep(VkCommandBuffer commands, const Asked& asked) noexcept;

    // Around a submission to a queue.
    void beforeSubmit(std::span<const VkCommandBuffer> commands) noexcept;
    void afterSubmit(VkQueue queue, std::span<const VkCommandBuffer> commands) noexcept;
    // Writes what the device has executed by now.
    void poll() noexcept;
    // The device has executed the command buffer, or will never do so.
    void retire(Recording& state) noexcept;

 private:
    struct Pending {
        VkFence fence = VK_NULL_HANDLE;  // null if there was no memory for one
        std::vector<std::shared_ptr<KeptDispatch>> kept;
    };

    std::shared_ptr<KeptDispatch> keepLocked(Recording& commands, const Asked& asked);
    void finish(KeptDispatch& kept) noexcept;
    // False while the device has not executed it.
    bool settle(const Pending& pending) noexcept;
    void reportNoMemory() noexcept;

    const DumpedInputs limits_;
    ShaderDumps& dumps_;
    std::mutex mutex_;
    State state_;
    std::vector<Pending> pending_;
};

}  // namespace coopvk::layer::inputs
