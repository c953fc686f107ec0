// SPDX-License-Identifier: Apache-2.0

#include "blockio/lower.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite {

namespace {

// A pointer to the first number of the arrays and vectors that a pointer leads to; 0 if there is
// none.
Id firstScalar(Emitter& emit, Id pointer) {
    const Module& module = emit.module();
    std::vector<Id> chain = {pointer};
    Id type = module.pointee(pointer);
    for (; memberCount(module, type).value_or(0) != 0; type = memberType(module, type, 0)) {
        if (!isOneOf(module.def(type).opcode, {OpTypeVector, OpTypeArray})) return 0;
        chain.push_back(emit.constant(0));
    }
    if (!isOneOf(module.def(type).opcode, {OpTypeInt, OpTypeFloat})) return 0;
    return chain.size() == 1 ? pointer : emit.chain(type, chain);
}

}  // namespace

PrivateMemory::PrivateMemory(LoweringContext& context, Emitter& emit, Id pointer,
                             const Instruction& at, std::string_view operand)
    : context_(context) {
    const Instruction& type = context.module.def(emit.typeOf(pointer));
    if (!isPointerType(type.opcode) || storageOf(type) != spv::StorageClass::Function) {
        context.invalid(at,
                        std::format("{} must be a pointer to the Function storage class", operand));
    } else if (type.opcode == OpTypeUntypedPointerKHR) {
        context.fail(
            ErrorCode::kUnsupported, at,
            std::format("{} is untyped: Vulkan allows that only for storage classes with explicit "
                        "layouts (VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417)",
                        operand));
    } else if (const Id first = firstScalar(emit, pointer); first != 0) {
        memory_.emplace(context, ElementPointer(context, emit, first, at, 0));
    } else {
        context.invalid(
            at, std::format("{} must point to numbers, or vectors or arrays of them", operand));
    }
}

bool PrivateMemory::declare(const Instruction& at) {
    const Id integer = context_.types.intType(scalarBytes() * 8, false);
    const Number* number = numberOf(context_.types, integer);
    if (number == nullptr || !number->isSupportedBy(context_.target.device)) {
        return context_.fail(
            ErrorCode::kUnsupported, at,
            std::format("private elements of {0} bits need shaderInt{0}", scalarBytes() * 8));
    }
    context_.types.declareArithmetic(integer);
    return true;
}

std::vector<Slot> PrivateMemory::read(Emitter& emit, Id start, uint32_t bytes, Id unit) {
    return regroupFilled(emit, load(emit, start, divideUp(bytes, scalarBytes())), scalar(), unit);
}

void PrivateMemory::write(Emitter& emit, Id start, std::vector<Slot> units, Id unit) {
    const uint32_t unitBytes = context_.types.width(unit) / 8;
    const size_t bytes = units.size() * unitBytes;
    if (const size_t beyond = bytes % scalarBytes(); beyond != 0) {
        const Id last = emit.plus(start, static_cast<uint32_t>(bytes / scalarBytes()));
        const std::vector<Slot> rest = regroup(emit, load(emit, last, 1), scalar(), unit);
        const auto kept = static_cast<std::ptrdiff_t>(beyond / unitBytes);
        units.insert(units.end(), rest.begin() + kept, rest.end());
    }
    memory_->storeScalars(emit, memory_->elements().origin(), {0, start},
                          regroup(emit, units, unit, scalar()));
}

}  // namespace coopvk::rewrite
