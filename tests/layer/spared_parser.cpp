// SPDX-License-Identifier: Apache-2.0
//
// SPIRV-Tools is built without exceptions: where its own allocations fail, it loses what it had
// allocated, and nobody outside can help it. So that everything else can be looked at for leaks,
// these calls of it (wrapped by the linker) have all the memory that they want, the callbacks that
// they make have not.
#include <spirv-tools/libspirv.h>

#include "allocations.hpp"

namespace coopvk::test {
namespace {

struct Callbacks {
    void* user;
    spv_parsed_header_fn_t header;
    spv_parsed_instruction_fn_t instruction;
};

spv_result_t onHeader(void* user, spv_endianness_t endian, uint32_t magic, uint32_t version,
                      uint32_t generator, uint32_t bound, uint32_t schema) {
    const auto& callbacks = *static_cast<const Callbacks*>(user);
    const SwitchedAllocations limited(true);
    return callbacks.header(callbacks.user, endian, magic, version, generator, bound, schema);
}

spv_result_t onInstruction(void* user, const spv_parsed_instruction_t* instruction) {
    const auto& callbacks = *static_cast<const Callbacks*>(user);
    const SwitchedAllocations limited(true);
    return callbacks.instruction(callbacks.user, instruction);
}

}  // namespace
}  // namespace coopvk::test

extern "C" {

spv_context __real_spvContextCreate(spv_target_env environment);
spv_result_t __real_spvBinaryParse(spv_const_context context, void* user, const uint32_t* words,
                                   size_t count, spv_parsed_header_fn_t header,
                                   spv_parsed_instruction_fn_t instruction,
                                   spv_diagnostic* diagnostic);

spv_context __wrap_spvContextCreate(spv_target_env environment) {
    using namespace coopvk::test;
    const SwitchedAllocations unlimited(limitsAllocations() && !sparesParser());
    return __real_spvContextCreate(environment);
}

spv_result_t __wrap_spvBinaryParse(spv_const_context context, void* user, const uint32_t* words,
                                   size_t count, spv_parsed_header_fn_t header,
                                   spv_parsed_instruction_fn_t instruction,
                                   spv_diagnostic* diagnostic) {
    using namespace coopvk::test;
    if (!sparesParser() || !limitsAllocations()) {
        return __real_spvBinaryParse(context, user, words, count, header, instruction, diagnostic);
    }
    const SwitchedAllocations unlimited(false);
    Callbacks callbacks = {user, header, instruction};
    return __real_spvBinaryParse(context, &callbacks, words, count, onHeader, onInstruction,
                                 diagnostic);
}
}
