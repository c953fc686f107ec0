// SPDX-License-Identifier: Apache-2.0
//
// Arrays of the invocation that helper functions keep values in, and the components of a vector as
// loops take them: one after the other, or by an index.
#pragma once

#include "lowering/registers.hpp"
#include "vector/context.hpp"

namespace coopvk::rewrite {

// How an array's elements are chosen: by constants only, or by any index.
enum class Chosen { kByConstants, kByIndex };

// The pointer to a new array. Where registers are few, those of an array that is indexed are taken
// from the shader's start on: then functions share one, and none may call another meanwhile.
inline Id arrayVariable(VectorFunction& f, Id element, uint32_t count, Chosen chosen) {
    constexpr uint32_t kIndexedKey = 0x1DE;
    VectorContext& context = f.context();
    const Id type = context.types.arrayType(element, count);
    if (chosen == Chosen::kByConstants || !hasFewRegisters(context.target.device)) {
        return f.variable(type);
    }
    const auto [entry, isNew] = context.variables.try_emplace({kIndexedKey, type}, 0);
    if (!isNew) return entry->second;
    return entry->second =
               globalVariable(context.types, spv::StorageClass::Private, type, "coopvk_indexed");
}

// An array whose elements of several components in 32 bits lie there as words: some GPUs have fewer
// registers of 16 bits than pairs in registers of 32 bits, or none that an index can choose.
class LocalArray {
 public:
    LocalArray(VectorFunction& f, Id element, uint32_t count, Chosen chosen)
        : f_(f), element_(element) {
        TypeTable& types = f.types();
        const DeviceTraits& device = f.context().target.device;
        const uint32_t components = types.components(element);
        const bool isWord = components > 1 && components * types.width(element) == 32;
        held_ = isWord && !device.isCpu && !device.scalarRegisters ? types.uint32() : element;
        array_ = arrayVariable(f, held_, count, chosen);
    }

    Id load(Id index) { return f_.emit().bitcast(element_, f_.load(f_.element(array_, index))); }
    void store(Id index, Id value) {
        f_.store(f_.element(array_, index), f_.emit().bitcast(held_, value));
    }

 private:
    VectorFunction& f_;
    Id element_, held_ = 0, array_ = 0;
};

inline constexpr uint32_t kShiftedPacks = 32;

// Whether loops take a vector's components from the front of an array of at most kShiftedPacks that
// moves on each time: an array that is indexed keeps its registers as long as the shader runs.
inline bool areShifted(const VectorContext& context, const VectorType& type) {
    return hasFewRegisters(context.target.device) && !isLarge(type);
}

// Packs of a vector, as f32 numbers. Halves lie in pairs as long as they can: an array of f32 takes
// twice the registers.
class Numbers : private VectorCode {
 public:
    Numbers(VectorFunction& f, const VectorType& type, Id value, uint32_t firstPack, uint32_t packs,
            Chosen chosen)
        : VectorCode(f),
          type_(type),
          arePairs_(type.packWidth == 2 && !f.context().target.device.isCpu),
          packs_(packs) {
        const uint32_t perPack = arePairs_ ? 1 : type.packWidth;
        array_ = arrayVariable(f, arePairs_ ? u32() : f32(), packs * perPack, chosen);
        if (!isLarge(type)) {
            for (uint32_t p = 0; p < packs; ++p) {
                put(c(p), emit_.extract(type.pack, value, {firstPack + p}));
            }
            return;
        }
        const Id source = f.variable(type.id);
        f.store(source, value);
        f.loop(packs, [&](Id p) { put(p, f.load(f.element(source, p))); });
    }

    // The number of an index (u32).
    Id at(Id index) {
        if (!arePairs_) return f_.load(f_.element(array_, index));
        const Id word = f_.load(f_.element(array_, over(index, 2)));
        return half(word, modulo(index, 2));
    }

    // Runs body(index, number) for the first `count`, in order; once.
    template <typename Body>
    void each(uint32_t count, Body body) {
        if (!arePairs_ || !areShifted(f_.context(), type_)) {
            return f_.loop(count, [&](Id index) { body(index, at(index)); });
        }
        shift(count / 2, [&](Id pair, Id word) {
            const Id first = times(pair, 2);
            f_.loop(2, [&](Id h) { body(addU32(first, h), half(word, h)); });
        });
        if (count % 2 != 0) body(c(count - 1), half(slot(0), c(0)));
    }

    // Runs body(pack, its numbers) for the first `count` numbers, in order; once.
    template <typename Body>
    void eachPack(uint32_t count, Body body) {
        const uint32_t width = arePairs_ ? 2 : 1;
        shift(count / width, [&](Id pack, Id content) {
            std::vector<Id> numbers = {content};
            if (arePairs_) numbers = {half(content, c(0)), half(content, c(1))};
            body(pack, numbers);
        });
        if (count % width != 0) body(c(count / width), std::vector{half(slot(0), c(0))});
    }

 private:
    void put(Id index, Id pack) {
        if (arePairs_) return f_.store(f_.element(array_, index), emit_.bitcast(u32(), pack));
        const uint32_t width = type_.packWidth;
        const Id first = times(index, width);
        for (uint32_t i = 0; i < width; ++i) {
            const Id number = width == 1 ? pack : emit_.extract(type_.component, pack, {i});
            f_.store(f_.element(array_, plus(first, i)), asFloat(number));
        }
    }

    // Runs body(index, content) for the first `count` of the array, which moves on each time.
    template <typename Body>
    void shift(uint32_t count, Body body) {
        if (count == 0) return;
        f_.loop(count, [&](Id index) {
            const Id first = slot(0);
            for (uint32_t p = 0; p + 1 < packs_; ++p) {
                f_.store(f_.element(array_, c(p)), slot(p + 1));
            }
            body(index, first);
        });
    }

    Id slot(uint32_t pack) { return f_.load(f_.element(array_, c(pack))); }

    Id half(Id word, Id which) {
        const Id shifted = Bits(emit_).rightBy(word, times(which, 16));
        return asFloat(emit_.extract(type_.component, emit_.bitcast(type_.pack, shifted), {0}));
    }

    Id asFloat(Id number) {
        if (type_.component == f32()) return number;
        return emit_.op(spv::Op::OpFConvert, f32(), {number});
    }

    const VectorType& type_;
    bool arePairs_;
    uint32_t packs_;
    Id array_ = 0;
};

}  // namespace coopvk::rewrite
