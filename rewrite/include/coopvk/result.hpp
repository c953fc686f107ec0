// SPDX-License-Identifier: Apache-2.0
//
// Errors as values.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace coopvk::rewrite {

enum class ErrorCode {
    kInvalidModule,    // the module is not valid by the SPIR-V or the extension's specification
    kInvalidArgument,  // the request is not valid (specialization data, subgroup size)
    kUnsupported,      // the module is valid, but coopvk cannot rewrite it for this target
    kTooManySteps,     // the rewrite takes more than Request::maxSteps
    kOutOfMemory,
};

struct Error {
    ErrorCode code = ErrorCode::kInvalidModule;
    // One line that says what is wrong. Names the instruction, if there is one, by opcode and
    // result id.
    std::string message;
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

}  // namespace coopvk::rewrite
