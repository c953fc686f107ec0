// SPDX-License-Identifier: Apache-2.0
#include "lowering/memory.hpp"

#include "ir/entry_point.hpp"
#include "lowering/context.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

Id atomicScope(Emitter& emit, Id pointer) {
    const bool isShared = emit.module().storage(pointer) == spv::StorageClass::Workgroup;
    return emit.scope(isShared ? spv::Scope::Workgroup : widestScope(emit.module()));
}

// Clears the bits, then sets those that are one.
void storeBits(Emitter& emit, Id pointer, Id bits, Id first, uint32_t count) {
    const Id none = emit.constant(0), typed = emit.module().pointee(pointer);
    const Id type = typed != 0 ? typed : emit.types().uint32();
    const auto apply = [&](spv::Op opcode, Id word) {
        emit.op(opcode, type,
                {pointer, atomicScope(emit, pointer), none, emit.bitcast(type, word)});
    };
    apply(OpAtomicAnd, U32(emit, emit.constant(~0u)).withField(none, first, count));
    apply(OpAtomicOr, U32(emit, none).withField(bits, first, count));
}

Id changeWord(ControlFlow& flow, const AtomicWord& word, const std::function<Id(Id)>& change,
              bool mayBeHelper) {
    Emitter& emit = flow.emit();
    const Id u32 = emit.types().uint32(), seen = flow.variable(u32);
    emit.store(seen, emit.op(OpAtomicLoad, u32, {word.pointer, word.scope, word.relaxed}));
    flow.loopUntil([&] {
        const Id old = emit.load(u32, seen);
        const Id now =
            emit.op(OpAtomicCompareExchange, u32,
                    {word.pointer, word.scope, word.semantics, word.relaxed, change(old), old});
        emit.store(seen, now);
        const Id isDone = emit.compare(OpIEqual, now, old);
        if (!mayBeHelper) return isDone;
        return emit.op(OpLogicalOr, emit.types().boolType(), {isDone, readIsHelper(emit)});
    });
    return seen;
}

}  // namespace coopvk::rewrite
