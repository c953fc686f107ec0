// SPDX-License-Identifier: Apache-2.0
#include "vector/load_store.hpp"

#include "vector/composite.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

std::string helperName(const VectorContext& context, const VectorType& type, bool isLoad) {
    const char* kind = context.types.isFloat(type.component)    ? "f"
                       : context.types.isSigned(type.component) ? "s"
                                                                : "u";
    return std::format("coopvk_vector_{}_{}{}x{}", isLoad ? "load" : "store", kind,
                       context.types.width(type.component), type.count);
}

uint32_t bytesOf(const VectorContext& context, const VectorType& type) {
    return context.types.width(type.component) / 8 * type.count;
}

// Packs from words: one each, or one of two words for 64-bit components.
std::vector<Id> packsOf(Emitter& emit, const VectorType& type, std::span<const Id> words) {
    TypeTable& types = emit.types();
    std::vector<Id> packs;
    if (types.width(type.component) < 64) {
        for (Id word : words) packs.push_back(emit.bitcast(type.pack, word));
        return packs;
    }
    const Id pair = types.vectorType(types.uint32(), 2);
    for (size_t w = 0; w + 1 < words.size(); w += 2) {
        packs.push_back(emit.bitcast(type.pack, emit.construct(pair, words.subspan(w, 2))));
    }
    return packs;
}

std::vector<Id> wordsOf(Emitter& emit, const VectorType& type, std::span<const Id> packs) {
    TypeTable& types = emit.types();
    std::vector<Id> words;
    const Id pair = types.vectorType(types.uint32(), 2);
    for (Id pack : packs) {
        if (types.width(type.component) < 64) {
            words.push_back(emit.bitcast(types.uint32(), pack));
            continue;
        }
        const Id both = emit.bitcast(pair, pack);
        words.push_back(emit.extract(types.uint32(), both, {0}));
        words.push_back(emit.extract(types.uint32(), both, {1}));
    }
    return words;
}

// Large vectors: quads in a loop, then what does not fill one.
struct Split {
    uint32_t quads = 0;         // in the loop
    uint32_t packsPerQuad = 0;  // of the vector
    uint32_t restBytes = 0;     // behind it
};

Split splitOf(const VectorContext& context, const VectorType& type) {
    Split split;
    const uint32_t bytes = bytesOf(context, type);
    split.quads = bytes / 16;
    split.packsPerQuad = context.types.width(type.component) == 64 ? 2 : 4;
    split.restBytes = bytes % 16;
    return split;
}

Id loadInLoop(VectorFunction& f, VectorMemory& memory, const VectorType& type) {
    Emitter& emit = f.emit();
    TypeTable& types = f.types();
    const Id u32 = types.uint32();
    const Split split = splitOf(f.context(), type);
    const Id result = f.variable(type.id);
    const auto place = [&](Id first, std::span<const Id> packs) {
        for (uint32_t p = 0; p < packs.size(); ++p) {
            f.store(f.element(result, emit.addInt(u32, first, types.constantU32(p))), packs[p]);
        }
    };
    f.loop(split.quads, [&](Id q) {
        const Id offset = emit.mulInt(u32, q, types.constantU32(16));
        auto line = memory.line(emit.addInt(u32, memory.start(), offset));
        place(emit.mulInt(u32, q, types.constantU32(split.packsPerQuad)),
              packsOf(emit, type, line.quad(0)));
    });
    if (split.restBytes != 0) {
        auto line =
            memory.line(emit.addInt(u32, memory.start(), types.constantU32(16 * split.quads)));
        place(types.constantU32(split.quads * split.packsPerQuad),
              packsOf(emit, type, line.words(split.restBytes)));
    }
    return f.load(result);
}

void storeInLoop(VectorFunction& f, VectorMemory& memory, const VectorType& type, Id value) {
    Emitter& emit = f.emit();
    TypeTable& types = f.types();
    const Id u32 = types.uint32();
    const Split split = splitOf(f.context(), type);
    const Id source = f.variable(type.id);
    f.store(source, value);
    const auto take = [&](Id first, uint32_t count) {
        std::vector<Id> packs;
        for (uint32_t p = 0; p < count; ++p) {
            packs.push_back(
                f.load(f.element(source, emit.addInt(u32, first, types.constantU32(p)))));
        }
        return wordsOf(emit, type, packs);
    };
    f.loop(split.quads, [&](Id q) {
        const Id offset = emit.mulInt(u32, q, types.constantU32(16));
        auto line = memory.line(emit.addInt(u32, memory.start(), offset));
        line.storeQuad(0, take(emit.mulInt(u32, q, types.constantU32(split.packsPerQuad)),
                               split.packsPerQuad));
    });
    if (split.restBytes == 0) return;
    auto line = memory.line(emit.addInt(u32, memory.start(), types.constantU32(16 * split.quads)));
    const uint32_t done = split.quads * split.packsPerQuad;
    line.storeWords(split.restBytes, take(types.constantU32(done), type.packs() - done));
}

Id helperFor(VectorContext& context, const VectorType& type, const Location& location,
             const MemoryOperands& access, bool isLoad) {
    std::vector<uint32_t> key = {
        static_cast<uint32_t>(isLoad ? HelperKind::kLoad : HelperKind::kStore), type.id};
    location.appendKey(key);
    access.appendKey(key);
    return context.helper(key, [&] {
        std::vector<Id> parameters = location.argumentTypes;
        if (!isLoad) parameters.push_back(type.id);
        VectorFunction f(context, helperName(context, type, isLoad), isLoad ? type.id : 0,
                         parameters);
        Emitter& emit = f.emit();
        VectorMemory memory(f, location, 0, access);
        const bool loops = type.packs() > kUnrolledPacks;
        const Id value = isLoad ? 0 : f.parameter(location.arguments.size());
        if (loops && isLoad) return f.finish(loadInLoop(f, memory, type));
        if (loops) {
            storeInLoop(f, memory, type, value);
            return f.finish();
        }
        auto line = memory.line(memory.start());
        if (!isLoad) {
            line.storeWords(bytesOf(context, type),
                            wordsOf(emit, type, vectorPacks(emit, type, value)));
            return f.finish();
        }
        const std::vector<Id> packs = packsOf(emit, type, line.words(bytesOf(context, type)));
        return f.finish(emit.construct(type.id, packs));
    });
}

}  // namespace

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* type = context.vector(i.type);
    if (type == nullptr) {
        context.fail(ErrorCode::kInvalidModule, i, "Result Type is not a cooperative vector");
        return;
    }
    const Location location = locate(context, emit, i.word(0), i.word(1), i);
    if (!location.valid()) return;
    const auto access = MemoryOperands(operandsBehind(i, 2)).withAlignment(0);
    Operands call = {idOperand(helperFor(context, *type, location, access, true))};
    for (Id argument : location.arguments) call.push_back(idOperand(argument));
    emit.add(makeInstruction(spv::Op::OpFunctionCall, i.type, i.result, std::move(call)));
}

void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& i) {
    const VectorType* type = context.vectorOfValue(i.word(2));
    if (type == nullptr) {
        context.fail(ErrorCode::kInvalidModule, i, "Object is not a cooperative vector");
        return;
    }
    const Location location = locate(context, emit, i.word(0), i.word(1), i);
    if (!location.valid()) return;
    const auto access = MemoryOperands(operandsBehind(i, 3)).withAlignment(0);
    Operands call = {idOperand(helperFor(context, *type, location, access, false))};
    for (Id argument : location.arguments) call.push_back(idOperand(argument));
    call.push_back(i.operands[2]);
    emit.op(spv::Op::OpFunctionCall, context.types.voidType(), std::move(call));
}

}  // namespace coopvk::rewrite
