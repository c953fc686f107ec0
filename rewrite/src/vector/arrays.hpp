// SPDX-License-Identifier: Apache-2.0
//
// Local arrays of helper functions, and access to a vector's components in order or by index.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// Which indices access an array.
enum class Indices { kConstant, kDynamic };

// A pointer to an array variable. If a dynamically indexed array holds its registers as long as the
// shader runs, functions share one such variable of each type: no user of it may call another one.
inline Id arrayVariable(VectorFunction& f, Id element, uint32_t count, Indices indices) {
    VectorContext& context = f.context();
    const Id type = context.types.arrayType(element, count);
    if (indices == Indices::kConstant || !context.target.device.indexingHoldsRegisters) {
        return f.variable(type);
    }
    const auto [entry, isNew] = context.variables.try_emplace({kIndexedArray, type}, 0);
    if (!isNew) return entry->second;
    return entry->second =
               globalVariable(context.types, spv::StorageClass::Private, type, "coopvk_indexed");
}

// An array that may store elements of 32 bits with several components as words.
class LocalArray {
 public:
    LocalArray(VectorFunction& f, Id element, uint32_t count, Indices indices)
        : f_(f), element_(element) {
        TypeTable& types = f.types();
        const uint32_t components = types.components(element);
        const bool isWord = components > 1 && components * types.width(element) == 32;
        stored_ = isWord && f.context().target.device.storesPairsAsWords ? types.uint32() : element;
        array_ = arrayVariable(f, stored_, count, indices);
    }

    Id load(Id index) { return f_.emit().bitcast(element_, f_.load(f_.element(array_, index))); }
    void store(Id index, Id value) {
        f_.store(f_.element(array_, index), f_.emit().bitcast(stored_, value));
    }

 private:
    VectorFunction& f_;
    Id element_, stored_ = 0, array_ = 0;
};

inline constexpr uint32_t kShiftedPacks = 32;

// Whether loops shift a vector's components through an array of at most kShiftedPacks and read its
// first element.
inline bool areShifted(const VectorContext& context, const VectorType& type) {
    return context.target.device.indexingHoldsRegisters && !type.isLarge;
}

// Some packs of a vector, with their components as f32. f16 components are stored in pairs and
// converted when read: an f32 array takes twice the registers. Large vectors are read in place.
class FloatComponents : private VectorCode {
 public:
    FloatComponents(VectorFunction& f, const VectorType& type, Id value, uint32_t firstPack,
                    uint32_t packs, Indices indices)
        : VectorCode(f),
          type_(type),
          arePairs_(type.packWidth == 2 && !type.isLarge && f.context().target.device.readsPairs),
          packs_(packs) {
        if (type.isLarge) {
            array_ = value;
            return;
        }
        const uint32_t perPack = arePairs_ ? 1 : type.packWidth;
        array_ = arrayVariable(f, arePairs_ ? u32() : f32(), packs * perPack, indices);
        for (uint32_t p = 0; p < packs; ++p) {
            storePack(c(p), emit_.extract(type.pack, value, {firstPack + p}));
        }
    }

    // Component `index` (u32).
    Id at(Id index) {
        if (!arePairs_) {
            const Id component = f_.load(f_.element(array_, index));
            return type_.isLarge ? emit_.converted(f32(), component) : component;
        }
        const Id word = f_.load(f_.element(array_, over(index, 2)));
        return half(word, modulo(index, 2));
    }

    // Runs body(index, component) for the first `count` components, in order. Call it only once:
    // it may shift the array.
    template <typename Body>
    void each(uint32_t count, Body body) {
        if (!arePairs_ || !areShifted(f_.context(), type_)) {
            return f_.loop(count, [&](Id index) { body(index, at(index)); });
        }
        shift(count / 2, [&](Id pair, Id word) {
            const Id first = times(pair, 2);
            f_.loop(2, [&](Id h) { body(addU32(first, h), half(word, h)); });
        });
        if (count % 2 != 0) body(c(count - 1), half(element(0), c(0)));
    }

    // Runs body(index of the pack, its components) for the first `count` components, in order.
    // Call it only once.
    template <typename Body>
    void eachPack(uint32_t count, Body body) {
        const uint32_t width = arePairs_ ? 2 : 1;
        shift(count / width, [&](Id pack, Id content) {
            std::vector<Id> components = {content};
            if (arePairs_) components = {half(content, c(0)), half(content, c(1))};
            body(pack, components);
        });
        if (count % width != 0) body(c(count / width), std::vector{half(element(0), c(0))});
    }

 private:
    void storePack(Id index, Id pack) {
        if (arePairs_) return f_.store(f_.element(array_, index), emit_.bitcast(u32(), pack));
        const uint32_t width = type_.packWidth;
        const Id first = times(index, width);
        for (uint32_t i = 0; i < width; ++i) {
            const Id component = width == 1 ? pack : emit_.extract(type_.component, pack, {i});
            f_.store(f_.element(array_, plus(first, i)), emit_.converted(f32(), component));
        }
    }

    // Runs body(index, first element) `count` times, and shifts the array by one element each time.
    template <typename Body>
    void shift(uint32_t count, Body body) {
        if (count == 0) return;
        f_.loop(count, [&](Id index) {
            const Id first = element(0);
            for (uint32_t p = 0; p + 1 < packs_; ++p) {
                f_.store(f_.element(array_, c(p)), element(p + 1));
            }
            body(index, first);
        });
    }

    Id element(uint32_t index) { return f_.load(f_.element(array_, c(index))); }

    Id half(Id word, Id which) {
        const Id shifted = U32(emit_, word) >> U32(emit_, times(which, 16));
        return emit_.converted(
            f32(), emit_.extract(type_.component, emit_.bitcast(type_.pack, shifted), {0}));
    }

    const VectorType& type_;
    bool arePairs_;
    uint32_t packs_;
    Id array_ = 0;
};

}  // namespace coopvk::rewrite
