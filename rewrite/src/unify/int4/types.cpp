// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/types.hpp"

#include <algorithm>

#include "ir/replace_types.hpp"

namespace coopvk::rewrite {

void findInt4Types(Int4Context& context) {
    Module& module = context.module;
    for (const InstructionPtr& global : module.section(Section::kGlobals)) {
        const Instruction& i = *global;
        if (i.opcode == spv::Op::OpTypeInt && i.word(0) == 4) {
            const bool isSigned = i.word(1) != 0;
            context.int4[i.result] = {i.result, isSigned, 1};
        } else if (i.opcode == spv::Op::OpTypeVector) {
            const Int4Type* scalar = context.type(i.word(0));
            if (scalar == nullptr) {
                if (i.word(1) <= 4) continue;
                context.fail(ErrorCode::kUnsupported, i,
                             "vectors of more than four components are for 4-bit integers only");
                return;
            }
            constexpr uint32_t kCounts[] = {2, 3, 4, 8, 16};
            if (std::ranges::find(kCounts, i.word(1)) == std::end(kCounts)) {
                context.fail(ErrorCode::kInvalidModule, i,
                             "a vector has 2, 3, 4, 8 or 16 components");
                return;
            }
            context.int4[i.result] = {i.result, scalar->isSigned, i.word(1)};
        } else if (context.isMatrix(i.result) &&
                   !module.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL)) {
            context.fail(ErrorCode::kInvalidModule, i,
                         "matrices of 4-bit components need the capability "
                         "Int4CooperativeMatrixINTEL");
            return;
        }
    }
}

void renameInt4Types(Int4Context& context) {
    TypeNames names;
    for (const auto& [id, type] : context.int4) names[id] = type.replacement;
    replaceTypes(context.types, names, [](const Instruction& i) {
        return i.opcode == spv::Op::OpTypeCooperativeMatrixKHR;
    });
}

}  // namespace coopvk::rewrite
