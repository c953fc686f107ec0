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
    kInvalidModule,    // the input is not valid SPIR-V, or contradicts the extension's text
    kInvalidArgument,  // the request contradicts itself (specialization data, subgroup size)
    kUnsupported,      // valid, but coopvk cannot carry it on this target
    kOutOfMemory,
};

struct Error {
    ErrorCode code = ErrorCode::kInvalidModule;
    // One line that names what is wrong and, where there is one, the instruction (opcode name and
    // result id).
    std::string message;
};

// A value or an Error. Never throws on access of the side that is present.
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
