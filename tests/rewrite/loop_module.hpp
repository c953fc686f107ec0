// SPDX-License-Identifier: Apache-2.0
//
// Modules with loops of many forms, for tests.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace coopvk::test {

// An operation in a loop computes the matrix %y@ of %x@, where @ is the number of its copy.
struct LoopOperation {
    std::string_view name, text;
    bool isOfSubgroups = false;  // no workgroup may compute it
};
std::span<const LoopOperation> loopOperations();

// The code of a function from %entry on. OP0 to OP2 stand for the operation.
struct LoopForm {
    std::string_view name, text;
    // Until SPIR-V 1.6 revision 2, a header of several blocks could be its own continue target.
    bool isOfOlderRules = false;
};
std::span<const LoopForm> loopForms();

// The code of a form, with an operation in its places.
std::string loopCode(const LoopForm& form, std::string_view operation);

// A module with an operation on 16x16 matrices of a scope in a loop.
std::string loopModule(const LoopOperation& operation, const LoopForm& form, uint32_t scope);

}  // namespace coopvk::test
