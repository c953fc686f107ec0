// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorLoadNV and OpCooperativeVectorStoreNV: calls of functions that access 16 bytes
// at once, by views of the buffer.
//
//   %v = OpCooperativeVectorLoadNV %vector %p %offset
//
//   %v = OpFunctionCall %vector %coopvk_vector_load_f16x64 %offset
#include "vector/context.hpp"
#include "vector/memory.hpp"

namespace coopvk::rewrite {

namespace {

class VectorTransfer : private VectorCode {
 public:
    VectorTransfer(VectorFunction& f, const VectorType& type, const Location& location,
                   const MemoryOperands& access)
        : VectorCode(f),
          type_(type),
          memory_(f, location, 0, access),
          bytes_(types_.width(type.component) / 8 * type.count),
          wordsPerPack_(types_.width(type.component) == 64 ? 2 : 1) {}

    Id load() {
        if (!type_.isLarge) {
            auto line = memory_.line(memory_.start());
            return f_.finish(emit_.construct(type_.id, packsOf(line.load(0, bytes_))));
        }
        const Id result = f_.result();
        forEachQuad([&](Id first, VectorMemory::Line& line, uint32_t bytes) {
            const std::vector<Id> packs = packsOf(line.load(0, bytes));
            for (uint32_t p = 0; p < packs.size(); ++p) {
                storePack(type_, result, plus(first, p), packs[p]);
            }
        });
        return f_.finishResult();
    }

    Id store(Id value) {
        if (!type_.isLarge) {
            auto line = memory_.line(memory_.start());
            line.store(0, bytes_, wordsOf(f_.context().packsOf(emit_, type_, value)));
            return f_.finish();
        }
        forEachQuad([&](Id first, VectorMemory::Line& line, uint32_t bytes) {
            std::vector<Id> packs;
            for (uint32_t p = 0; p < divideUp(bytes, 4 * wordsPerPack_); ++p) {
                packs.push_back(loadPack(type_, value, plus(first, p)));
            }
            line.store(0, bytes, wordsOf(packs));
        });
        return f_.finish();
    }

 private:
    // Calls visit(index of the first pack (u32), line at its start, its bytes) for each quad, 16
    // bytes, in a loop, then for the rest.
    template <typename Visit>
    void forEachQuad(Visit visit) {
        const auto visitAt = [&](Id quad, uint32_t bytes) {
            auto line = memory_.fromStart(times(quad, 16));
            visit(times(quad, 4 / wordsPerPack_), line, bytes);
        };
        f_.loop(bytes_ / 16, [&](Id quad) { visitAt(quad, 16); });
        if (bytes_ % 16 != 0) visitAt(c(bytes_ / 16), bytes_ % 16);
    }

    std::vector<Id> packsOf(std::span<const Id> words) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> packs;
        for (size_t w = 0; w < words.size(); w += wordsPerPack_) {
            const Id whole = emit_.join(type, words.subspan(w, wordsPerPack_));
            packs.push_back(emit_.bitcast(type_.pack, whole));
        }
        return packs;
    }

    std::vector<Id> wordsOf(std::span<const Id> packs) {
        const Id type = types_.vectorType(u32(), wordsPerPack_);
        std::vector<Id> words;
        for (Id pack : packs) {
            for (Id word : emit_.parts(emit_.bitcast(type, pack))) words.push_back(word);
        }
        return words;
    }

    const VectorType& type_;
    VectorMemory memory_;
    uint32_t bytes_;  // of the vector
    uint32_t wordsPerPack_;
};

std::string helperName(const VectorContext& context, const VectorType& type, bool isLoad) {
    const Number& number = *numberOf(context.types, type.component);
    return std::format("coopvk_vector_{}_{}x{}", isLoad ? "load" : "store", name(number.type),
                       type.count);
}

// Calls the helper function of a load, or of the store of an object.
void transfer(VectorContext& context, Emitter& emit, const Instruction& i, const VectorType& type,
              std::optional<Id> object = {}) {
    Location location = locate(context, emit, i.word(0), i.word(1), i);
    if (!location.valid()) return;
    obeyAlignment(context, location, kVectorRule);
    const bool isLoad = !object;
    const auto access = MemoryOperands(operandsBehind(i, isLoad ? 2 : 3)).withAlignment(0);
    std::vector<uint32_t> key = {isLoad ? kLoadHelper : kStoreHelper, type.id};
    location.appendKey(context.module, key);
    access.appendKey(key);
    const Id helper = context.helper(key, [&] {
        std::vector<Id> parameters = location.argumentTypes;
        if (!isLoad) parameters.push_back(type.id);
        VectorFunction f(context, helperName(context, type, isLoad), isLoad ? type.id : 0,
                         parameters);
        VectorTransfer code(f, type, location, access);
        return isLoad ? code.load() : code.store(f.parameter(location.arguments.size()));
    });
    std::vector<Id> arguments = location.arguments;
    if (!isLoad) arguments.push_back(*object);
    emit.call(isLoad ? i.type : context.types.voidType(), helper, arguments,
              isLoad ? std::optional(i.result) : std::nullopt);
}

}  // namespace

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.vector(i.type)) {
        transfer(context, emit, i, *type);
    } else {
        context.invalid(i, "Result Type is not a cooperative vector");
    }
}

void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& i) {
    if (const VectorType* type = context.vectorOfValue(i.word(2))) {
        transfer(context, emit, i, *type, i.word(2));
    } else {
        context.invalid(i, "Object is not a cooperative vector");
    }
}

}  // namespace coopvk::rewrite
