// SPDX-License-Identifier: Apache-2.0
//
// The entry points, and how the loader and programs find them. The loader's interface to drivers
// (LoaderDriverInterface.md): the three symbols at the end alone are exported.
#include <cstring>
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
    std::string_view name;
    // For each argument: "!" if it must not be null, "-" if it may be, or the number of the
    // argument that must be 0 if this one is null.
    std::string_view needed;
};
constexpr CommandText kTexts[] = {
#define COOPVK_COMMAND(name, target, level, extension, needed) {#name, needed},
#include "commands.inc"
#undef COOPVK_COMMAND
};

template <typename... Arguments>
void requireArguments(std::string_view needed, Arguments... arguments) {
    const bool isNull[] = {arguments == Arguments{}...};
    for (size_t i = 0; i < needed.size(); ++i) {
        if (needed[i] == '-' || !isNull[i]) continue;
        require(needed[i] != '!' && isNull[needed[i] - '0'], "an argument is null");
    }
}

Instance* instanceOf(const Instance& instance) { return const_cast<Instance*>(&instance); }
Instance* instanceOf(const PhysicalDevice& device) { return device.instance; }
Instance* instanceOf(const Device& device) { return device.physical->instance; }
Instance* instanceOf(const Queue& queue) { return instanceOf(*queue.device); }
Instance* instanceOf(const CommandBuffer& commands) { return instanceOf(commands.device); }

// With what the arguments of a command must go.
const void* ownerOf(const Instance& instance) { return &instance; }
const void* ownerOf(const PhysicalDevice& device) { return device.instance; }
const void* ownerOf(const Device& device) { return &device; }
const void* ownerOf(const Queue& queue) { return queue.device; }
const void* ownerOf(const CommandBuffer& commands) { return &commands.device; }

// The parameter for an argument of the command of an object.
template <typename T>
typename Parameter<T>::Type parameterOf(const auto& object, T argument) {
    using Type = typename Parameter<T>::Type;
    if constexpr (!std::is_same_v<Type, T> && requires { ownerOf(*object); }) {
        if (argument != T{})
            requireOwner(*findHandle(reinterpret_cast<uint64_t>(argument), Parameter<T>::kObject),
                         ownerOf(*object));
    }
    return parameter(argument);
}

// Entry<command, type, function>::call is the entry point: it calls the function, or records that
// the queue calls it. No exception leaves it.
template <CommandId kId, typename Command, auto kFunction>
struct Entry;

template <CommandId kId, typename R, typename First, typename... Rest, auto kFunction>
struct Entry<kId, R (*)(First, Rest...), kFunction> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        constexpr const CommandText& kText = kTexts[size_t(kId)];
        VkResult failure = VK_ERROR_OUT_OF_HOST_MEMORY;
        decltype(held(first)) object{};  // which lives as long as the call
        try {
            object = held(first);
            requireArguments(kText.needed, first, rest...);
            if constexpr (std::is_same_v<First, VkCommandBuffer>) object->call(kText.name.data());
            if constexpr (std::is_invocable_v<decltype(kFunction), Execution&,
                                              typename Parameter<Rest>::Type...>)
                return recordCall(parameter(first), parameterOf(object, rest)...);
            else
                return kFunction(parameter(first), parameterOf(object, rest)...);
        } catch (const InvalidUse& use) {
            failure = VK_ERROR_VALIDATION_FAILED_EXT;
            report(object, kText.name, use);
        } catch (...) {  // nothing throws here for want of anything but memory and threads
        }
        if constexpr (std::is_same_v<First, VkCommandBuffer>)
            if (object != nullptr) object->result = failure;
        if constexpr (std::is_same_v<R, VkResult>)
            return failure;
        else if constexpr (!std::is_void_v<R>)
            return R{};
    }

 private:
    static constexpr bool kHasObject = requires(First handle) { sharedOf(handle); };

    static auto held(First first) {
        if constexpr (kHasObject)
            return sharedOf(first);
        else
            return nullptr;
    }

    static R recordCall(auto&& commands, auto... arguments) {
        const auto execute = [=](Execution& execution) { kFunction(execution, arguments...); };
        if constexpr (std::is_same_v<First, VkCommandBuffer>)
            record(commands, execute, arguments...);
        return R();
    }

    static void report(const auto& object, std::string_view name, const InvalidUse& use) noexcept {
        try {
            const std::string text = std::string(name) + ": " + use.message;
            if constexpr (kHasObject) {
                if (object != nullptr) return sendUsage(instanceOf(*object), object.get(), text);
            }
            sendUsage(nullptr, nullptr, text);
        } catch (...) {  // no memory for the message
        }
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

template <CommandId kId, typename Function>
struct Unexecuted;
template <CommandId kId, typename R, typename First, typename... Arguments>
struct Unexecuted<kId, R(First, Arguments...)> {
    static R call([[maybe_unused]] First first, Arguments...) {
        if constexpr (std::is_same_v<First, CommandBuffer&>)
            recordUnexecuted(first, kTexts[size_t(kId)].name);
        return R();
    }
};

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

#define COOPVK_COMMAND(name, target, level, extension, needed)                             \
    {#name,                                                                                \
     {Level::level, extension,                                                             \
      icd::target != nullptr                                                               \
          ? pointer(&Entry<CommandId::name, PFN_vk##target, &icd::target>::call)           \
      : execution::target != nullptr                                                       \
          ? pointer(&Entry<CommandId::name, PFN_vk##target, &execution::target>::call)     \
      : isNotExecuted(#target)                                                             \
          ? pointer(&Entry<CommandId::name, PFN_vk##target,                                \
                           &Unexecuted<CommandId::name,                                    \
                                       Implementation<PFN_vk##target>::Type>::call>::call) \
          : pointer(&Absent<PFN_vk##target, resultOf(#target)>::call)}},
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
