// SPDX-License-Identifier: Apache-2.0
#include "vector/assembly.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/slots.hpp"
#include "vector/consecutive.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

// Pointer to the array that an access chain leads into an element of; 0 where that is no plain
// array of `component` in a buffer or in shared memory.
Id arrayPointer(VectorContext& context, Emitter& emit, const Instruction& chain, Id component) {
    const Module& module = context.module;
    const Instruction& base = module.def(module.def(chain.word(0)).type);
    const auto storage = static_cast<spv::StorageClass>(base.word(0));
    const PointerPath path = pathTo(module, chain.result);
    if (module.def(path.root).opcode != spv::Op::OpVariable || path.nonUniform ||
        (storage != spv::StorageClass::StorageBuffer && storage != spv::StorageClass::Workgroup)) {
        return 0;
    }
    const Id type = typeBehind(module, chainStep(module, chain), 1);
    const Instruction& array = module.def(type);
    const auto stride = module.decoration(type, spv::Decoration::ArrayStride);
    if (!isArrayType(array.opcode) || array.word(0) != component ||
        (stride && *stride != context.types.width(component) / 8)) {
        return 0;
    }
    if (chain.operands.size() == 2) return chain.word(0);
    Operands operands(chain.operands.begin(), chain.operands.end() - 1);
    return emit.op(chain.opcode, context.types.pointerType(storage, type), std::move(operands));
}

Id gather(VectorContext& context, const VectorType& type, const Location& location,
          const MemoryOperands& access) {
    TypeTable& types = context.types;
    std::vector<uint32_t> key = {static_cast<uint32_t>(HelperKind::kGather), type.id};
    location.appendKey(key);
    access.appendKey(key);
    return context.helper(key, [&] {
        VectorFunction f(context, "coopvk_vector_gather", type.id, location.argumentTypes);
        VectorMemory memory(f, location, 0, access);
        Emitter& emit = f.emit();
        const Id u32 = types.uint32();
        const uint32_t bytes = types.width(type.component) / 8;
        const Id result = f.variable(type.id);
        const auto pack = [&](Id p, uint32_t components) {
            const Id skipped = emit.mulInt(u32, p, types.constantU32(bytes * type.packWidth));
            auto line = memory.line(emit.addInt(u32, memory.start(), skipped));
            Id word = 0;
            for (uint32_t c = 0; c < components; ++c) {
                word = withPart(emit, word, line.load(c * bytes, bytes)[0], 8 * bytes * c);
            }
            f.store(f.element(result, p), emit.bitcast(type.pack, word));
        };
        const uint32_t whole = type.count / type.packWidth;
        f.loop(whole, [&](Id p) { pack(p, type.packWidth); });
        if (type.count % type.packWidth != 0) {
            pack(types.constantU32(whole), type.count % type.packWidth);
        }
        return f.finish(f.load(result));
    });
}

// Makes a construction a call, with what the call needs ahead of it; false if it is not of elements
// of an array.
bool readInLoop(VectorContext& context, Emitter& emit, const Block& block, size_t at) {
    TypeTable& types = context.types;
    Instruction& construct = *block.body[at];
    const VectorType& type = *context.vector(construct.type);
    const uint32_t bytes = types.width(type.component) / 8;
    const auto loads = consecutiveLoads(context, block, at);
    if (!loads || bytes > 4 || construct.operands.size() != type.count) return false;
    const Id array = arrayPointer(context, emit, *loads->chain, type.component);
    if (array == 0) return false;
    const Id u32 = types.uint32();
    const Id index = loads->index == 0 ? types.constantU32(0) : emit.toU32(loads->index);
    const Id element = emit.addInt(u32, index, types.constantU32(loads->constant));
    const Id offset = emit.mulInt(u32, element, types.constantU32(bytes));
    const Location location = locate(context, emit, array, offset, construct);
    if (!location.valid()) {
        context.error.reset();  // the loads stay as they are
        return false;
    }
    construct.opcode = spv::Op::OpFunctionCall;
    construct.operands = {
        idOperand(gather(context, type, location, MemoryOperands(loads->access).withAlignment(0)))};
    for (Id argument : location.arguments) construct.operands.push_back(idOperand(argument));
    return true;
}

}  // namespace

void lowerLargeConstructs(VectorContext& context, Function& function) {
    if (std::ranges::none_of(context.vectors,
                             [](const auto& entry) { return isLarge(entry.second); })) {
        return;
    }
    for (const auto& block : function.blocks) {
        bool changed = false;
        for (size_t at = 0; at < block->body.size(); ++at) {
            const Instruction& i = *block->body[at];
            if (i.opcode != spv::Op::OpCompositeConstruct ||
                context.largeVector(i.type) == nullptr) {
                continue;
            }
            InstructionList ahead;
            Emitter emit(context.types, ahead);
            changed |= readInLoop(context, emit, *block, at);
            const auto place = block->body.begin() + static_cast<std::ptrdiff_t>(at);
            at += ahead.size();
            block->body.insert(place, std::make_move_iterator(ahead.begin()),
                               std::make_move_iterator(ahead.end()));
        }
        if (changed) dropUnused(context, function, *block);
    }
}

}  // namespace coopvk::rewrite
