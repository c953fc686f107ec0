// SPDX-License-Identifier: Apache-2.0
//
// Keeps the inputs of dispatches of rewritten shaders (the setting dump_inputs): copies of the
// buffers that a dispatch can reach are recorded before and after it, and written to the dump
// folder once the device has executed it. Stands between the rest of the layer and the driver, on
// devices for which it is on.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

#include "inputs/kept_dispatch.hpp"
#include "objects/guard.hpp"
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

    // Calls f(State&) under the lock, and then, without it, does what f has left to do: to log, to
    // write files and to destroy objects may call the application, which may wait for a thread that
    // waits for the lock. What does not succeed for lack of memory is logged: the application's
    // command has already been called.
    template <typename F>
    void track(const F& f) noexcept {
        Due due;
        bool hasMemory = true;
        try {
            const std::lock_guard lock(mutex_);
            const OnExit take([&] { std::swap(due, due_); });
            f(state_);
        } catch (...) {
            hasMemory = false;
        }
        if (!hasMemory) reportNoMemory();
        finish(due);
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
    // Under the lock. The device has executed the command buffer, or will never do so.
    void retire(Recording& state);

 private:
    using KeptRef = std::shared_ptr<KeptDispatch>;

    struct Pending {
        VkFence fence = VK_NULL_HANDLE;  // null if there was no memory for one
        std::vector<KeptRef> kept;
    };
    struct Retired {
        KeptRef kept;
        std::optional<VkResult> executed;  // nothing: it is not written
    };
    // What is left to do once the lock is released.
    struct Due {
        std::vector<std::string> warnings;
        std::vector<Retired> retired;
    };
    // What a dispatch needs, found under the lock.
    struct Needed {
        RecordedDispatch record;
        Ranges ranges;
        std::vector<SetUse> sets;
        std::shared_ptr<KeptShader> shader;
    };

    // Under the lock.
    std::optional<Needed> find(Recording& commands, const Asked& asked);
    void retire(const KeptRef& kept, VkResult executed);
    void warn(const KeptShader& shader, std::string_view what);
    // Without it.
    void finish(const Due& due) noexcept;
    void write(KeptDispatch& kept, VkResult executed) noexcept;
    VkFence fenceBehind(VkQueue queue) const noexcept;
    void reportNoMemory() noexcept;

    const DumpedInputs limits_;
    ShaderDumps& dumps_;
    std::mutex mutex_;
    State state_;
    std::list<Pending> pending_;
    Due due_;
};

}  // namespace coopvk::layer::inputs
