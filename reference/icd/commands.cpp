// SPDX-License-Identifier: Apache-2.0
//
// The entry points, and how the loader and programs find them. The loader's interface to drivers
// (LoaderDriverInterface.md): the three symbols at the end alone are exported.
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>

#include "command_buffer.hpp"
#include "graphics/unexecuted.hpp"

namespace coopvk::reference::icd {
namespace {

enum class Level { kGlobal, kInstance, kPhysicalDevice, kDevice };

struct Command {
    Level level = Level::kGlobal;
    std::string_view extension;  // that adds it, or ""
    PFN_vkVoidFunction function = nullptr;
};

enum class CommandId {
#define COOPVK_COMMAND(name, target, level, extension, needed) name,
#include "commands.inc"
#undef COOPVK_COMMAND
};

struct CommandText {
    std::string_view name, target;  // target: the same without "vk" and without an alias's suffix
    // For each argument: "!" if it must not be null, "-" if it may be, or the number of the
    // argument that must be 0 if this one is null.
    std::string_view needed;
};
constexpr CommandText kTexts[] = {
#define COOPVK_COMMAND(name, target, level, extension, needed) {#name, #target, needed},
#include "commands.inc"
#undef COOPVK_COMMAND
};

void requireArguments(std::string_view needed, std::span<const bool> isNull) {
    for (size_t i = 0; i < needed.size(); ++i) {
        if (needed[i] == '-' || !isNull[i]) continue;
        require(needed[i] != '!' && isNull[needed[i] - '0'], "an argument is null");
    }
}

// Of the object of a command.
const Device* deviceOf(const Object& object) {
    switch (object.type) {
        case VK_OBJECT_TYPE_DEVICE:
            return static_cast<const Device*>(&object);
        case VK_OBJECT_TYPE_QUEUE:
            return static_cast<const Queue&>(object).device;
        case VK_OBJECT_TYPE_COMMAND_BUFFER:
            return &static_cast<const CommandBuffer&>(object).device;
        default:
            return nullptr;
    }
}
const Instance* instanceOf(const Object& object) {
    if (const Device* device = deviceOf(object)) return device->physical->instance;
    return object.type == VK_OBJECT_TYPE_PHYSICAL_DEVICE
               ? static_cast<const PhysicalDevice&>(object).instance
               : static_cast<const Instance*>(&object);
}

// A call of an entry point, whatever its arguments are.
struct Call {
    const CommandText& text;
    std::shared_ptr<Object> object = {};  // of the first argument; lives as long as the call
    const void* owner = nullptr;          // with what the other arguments must go; null: anything
    VkResult failure = VK_SUCCESS;

    void begin(std::span<const bool> isNull) {
        requireArguments(text.needed, isNull);
        if (object == nullptr) return;
        const Device* device = deviceOf(*object);
        owner = device != nullptr ? static_cast<const void*>(device) : instanceOf(*object);
        if (object->type == VK_OBJECT_TYPE_COMMAND_BUFFER)
            static_cast<CommandBuffer&>(*object).call(text.name.data());
    }

    // For the exception that is being handled.
    void fail() noexcept {
        try {
            throw;
        } catch (const InvalidUse& use) {
            failure = VK_ERROR_VALIDATION_FAILED_EXT;
            report(use);
        } catch (...) {  // nothing throws here for want of anything but memory and threads
            failure = VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        if (object != nullptr && object->type == VK_OBJECT_TYPE_COMMAND_BUFFER)
            static_cast<CommandBuffer&>(*object).result = failure;
    }

 private:
    void report(const InvalidUse& use) const noexcept {
        try {
            const auto* instance = object != nullptr ? instanceOf(*object) : nullptr;
            sendUsage(const_cast<Instance*>(instance), object.get(),
                      std::string(text.name) + ": " + use.message);
        } catch (...) {  // no memory for the message
        }
    }
};

// The parameter for an argument of a command.
template <typename T>
typename Parameter<T>::Type parameterOf(const Call& call, T argument) {
    if constexpr (!std::is_same_v<typename Parameter<T>::Type, T>) {
        if (argument != T{} && call.owner != nullptr)
            requireOwner(*findHandle(reinterpret_cast<uint64_t>(argument), Parameter<T>::kObject),
                         call.owner);
    }
    return parameter(argument);
}

// Entry<command, type, direct, executed>::call is the entry point: it calls the function `direct`,
// or records that the queue calls `executed`, or that there is no such function. No exception
// leaves it.
template <CommandId kId, typename Command, auto kDirect, auto kExecuted>
struct Entry;

template <CommandId kId, typename R, typename First, typename... Rest, auto kDirect, auto kExecuted>
struct Entry<kId, R (*)(First, Rest...), kDirect, kExecuted> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        Call call{kTexts[size_t(kId)]};
        try {
            if constexpr (requires { sharedOf(first); })
                if (first != First{})
                    call.object =
                        findHandle(reinterpret_cast<uint64_t>(first), Parameter<First>::kObject);
            const bool isNull[] = {first == First{}, rest == Rest{}...};
            call.begin(isNull);
            return run(call, parameter(first), parameterOf(call, rest)...);
        } catch (...) {
            call.fail();
        }
        if constexpr (std::is_same_v<R, VkResult>)
            return call.failure;
        else if constexpr (!std::is_void_v<R>)
            return R{};
    }

 private:
    static R run([[maybe_unused]] const Call& call, typename Parameter<First>::Type first,
                 typename Parameter<Rest>::Type... rest) {
        if constexpr (std::is_same_v<First, VkCommandBuffer>) {
            if (kExecuted != nullptr) {
                const auto execute = [=](Execution& execution) { kExecuted(execution, rest...); };
                return record(first, execute, rest...), R();
            }
            if (kDirect == nullptr) return recordUnexecuted(first, call.text.name), R();
        }
        return kDirect(first, rest...);
    }
};

// What a command returns that does nothing. All others are of sharing.
constexpr std::pair<std::string_view, VkResult> kResults[] = {
    {"EnumerateInstanceLayerProperties", VK_SUCCESS},
    {"EnumerateDeviceLayerProperties", VK_SUCCESS},
    {"GetPhysicalDeviceToolProperties", VK_SUCCESS},
    {"MergePipelineCaches", VK_SUCCESS},
    {"SetDebugUtilsObjectTagEXT", VK_SUCCESS},
};

constexpr VkResult resultOf(std::string_view name) {
    for (const auto& [known, result] : kResults)
        if (known == name) return result;
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

// Commands of command buffers that need do nothing. Others that have no function need what the
// device has not.
constexpr std::string_view kWithoutEffect[] = {
    "CmdSetDeviceMask",
    "CmdBeginDebugUtilsLabelEXT",
    "CmdEndDebugUtilsLabelEXT",
    "CmdInsertDebugUtilsLabelEXT",
};

constexpr bool isNotExecuted(std::string_view name) {
    return name.starts_with("Cmd") &&
           std::ranges::find(kWithoutEffect, name) == std::end(kWithoutEffect);
}

// What an argument points to, if the command may write it, becomes 0, but for the head of a chain.
template <typename T>
void clear(T argument) {
    using Out = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && !std::is_const_v<Out> && requires { sizeof(Out); }) {
        if (argument == nullptr) return;
        constexpr size_t kHead = requires { argument->pNext; } ? sizeof(VkBaseOutStructure) : 0;
        std::memset(reinterpret_cast<std::byte*>(argument) + kHead, 0, sizeof(Out) - kHead);
    }
}

template <typename Command, VkResult Result>
struct Absent;

template <typename R, typename... Arguments, VkResult Result>
struct Absent<R (*)(Arguments...), Result> {
    // An array that belongs to the count may have no element.
    static constexpr bool kLists = (std::is_same_v<Arguments, uint32_t*> || ...);

    static VKAPI_ATTR R VKAPI_CALL call(Arguments... arguments) noexcept {
        const auto each = [](auto argument) {
            if constexpr (!kLists || std::is_same_v<decltype(argument), uint32_t*>) clear(argument);
        };
        (each(arguments), ...);
        if constexpr (std::is_same_v<R, VkResult>)
            return Result;
        else if constexpr (!std::is_void_v<R>)
            return R{};
    }
};

template <typename Function>
PFN_vkVoidFunction pointer(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

// Whether there are functions is known when this is linked.
template <CommandId kId, typename Command, auto kDirect, auto kExecuted>
PFN_vkVoidFunction functionOf() {
    constexpr std::string_view kTarget = kTexts[size_t(kId)].target;
    if (isNotExecuted(kTarget) || kDirect != nullptr || kExecuted != nullptr)
        return pointer(&Entry<kId, Command, kDirect, kExecuted>::call);
    return pointer(&Absent<Command, resultOf(kTarget)>::call);
}

#define COOPVK_COMMAND(name, target, level, extension, needed) \
    {#name,                                                    \
     {Level::level, extension,                                 \
      functionOf<CommandId::name, PFN_vk##target, &icd::target, &execution::target>()}},
// Without a function: a command that the driver does not know.
const Command& findCommand(std::string_view name) {
    static const Command unknown{};
    static const std::unordered_map<std::string_view, Command> commands = {
#include "commands.inc"
    };
    const auto found = commands.find(name);
    return found != commands.end() ? found->second : unknown;
}
#undef COOPVK_COMMAND

}  // namespace

PFN_vkVoidFunction GetInstanceProcAddr(Instance* instance, const char* name) {
    const Command& command = findCommand(name);
    return instance != nullptr || command.level == Level::kGlobal ? command.function : nullptr;
}

PFN_vkVoidFunction GetDeviceProcAddr(Device& device, const char* name) {
    const Command& command = findCommand(name);
    // The instance's extension adds commands of devices, too.
    const bool has = command.extension.empty() || command.extension == "VK_EXT_debug_utils" ||
                     device.extensions.contains(command.extension);
    return has && command.level == Level::kDevice ? command.function : nullptr;
}

}  // namespace coopvk::reference::icd

#define COOPVK_EXPORT extern "C" __attribute__((visibility("default"))) VKAPI_ATTR

COOPVK_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    constexpr uint32_t kOldest = 5;  // the first in which drivers take any version of instances
    constexpr uint32_t kNewest = 7;
    if (*version < kOldest) return VK_ERROR_INCOMPATIBLE_DRIVER;
    *version = std::min(*version, kNewest);
    return VK_SUCCESS;
}

COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance,
                                                                            const char* name) {
    using namespace coopvk::reference::icd;
    const Command& command = findCommand(name);
    return command.level == Level::kPhysicalDevice ? command.function : nullptr;
}

COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                      const char* name) {
    const std::string_view wanted = name;
    if (wanted == "vk_icdNegotiateLoaderICDInterfaceVersion")
        return reinterpret_cast<PFN_vkVoidFunction>(&vk_icdNegotiateLoaderICDInterfaceVersion);
    if (wanted == "vk_icdGetPhysicalDeviceProcAddr")
        return reinterpret_cast<PFN_vkVoidFunction>(&vk_icdGetPhysicalDeviceProcAddr);
    using namespace coopvk::reference::icd;
    const Command& command = findCommand(wanted);
    const bool isKnown = instance != VK_NULL_HANDLE || command.level == Level::kGlobal;
    return isKnown ? command.function : nullptr;
}
