// SPDX-License-Identifier: Apache-2.0
//
// Errors as values.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace coopvk::reference {

enum class ErrorCode {
    kInvalidModule,    // not valid by the SPIR-V, Vulkan or extension's specification
    kInvalidArgument,  // no such entry point, specialization data of a wrong size, ...
    kUnsupported,      // valid, but this device does not execute it
    kOutOfMemory,
    kDeviceLost,  // execution stopped (settings say so, or it could not go on)
};

struct Error {
    ErrorCode code = ErrorCode::kInvalidModule;
    std::string message;  // one line
};

// A value or an Error. Callers test which one it has before they access it.
template <typename T>
class [[nodiscard]] Result {
 public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}
    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return *std::get_if<0>(&state_); }
    const T& operator*() const { return *std::get_if<0>(&state_); }
    T* operator->() { return std::get_if<0>(&state_); }
    const T* operator->() const { return std::get_if<0>(&state_); }
    Error& error() { return *std::get_if<1>(&state_); }
    const Error& error() const { return *std::get_if<1>(&state_); }

 private:
    std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace coopvk::reference
