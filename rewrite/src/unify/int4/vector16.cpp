// SPDX-License-Identifier: Apache-2.0
#include "unify/int4/vector16.hpp"

namespace coopvk::rewrite {

Vector16Memory::Vector16Memory(Int4Context& context)
    : MemoryTypes(context),
      int4_(context),
      any_(std::ranges::any_of(context.int4, [](const auto& i) { return i.second.laidOut != 0; })) {
    if (any_) make();
}

bool Vector16Memory::isPointer(Id type) const {
    const Instruction& def = module_.def(type);
    return any_ && isPointerType(def.opcode) && int4_.isLaidOut(storageOf(def));
}

Id Vector16Memory::scalarInMemory(Id type) const {
    const Int4Type* vector = int4_.type(type);
    return vector != nullptr && vector->laidOut != 0 ? vector->laidOut : type;
}

Id Vector16Memory::convertScalar(Emitter& emit, Id value, Id type) const {
    TypeTable& types = emit.types();
    const Id word = types.uint32(), bytes = types.vectorType(types.intType(8, false), 4);
    const bool toMemory = int4_.type(type) == nullptr;
    Id parts[2];
    for (uint32_t p = 0; p < 2; ++p) {
        parts[p] = emit.bitcast(toMemory ? bytes : word,
                                emit.extract(toMemory ? word : bytes, value, {p}));
    }
    return emit.construct(type, parts);
}

void Vector16Memory::checkPointers() {
    for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpTypePointer || isPointer(i->result)) continue;
        const Id type = i->word(1);
        if (int4_.type(type) != nullptr || inMemory(type) == type) continue;
        int4_.fail(ErrorCode::kUnsupported, *i,
                   "points to a type with vectors of sixteen 4-bit integers that has a layout, in "
                   "memory without one (VUID-StandaloneSpirv-None-10684)");
    }
}

void Vector16Memory::checkMatrix(const Instruction& access) {
    const Id pointer = access.word(0);
    const Id type = module_.pointee(pointer);
    if (!isPointer(module_.def(pointer).type) || inMemory(type) == type) return;
    int4_.fail(ErrorCode::kUnsupported, access,
               "matrices behind a pointer to sixteen 4-bit integers need all such vectors of the "
               "module at multiples of four bytes");
}

}  // namespace coopvk::rewrite
