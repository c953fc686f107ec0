// SPDX-License-Identifier: Apache-2.0
//
// Components of long vectors, vectors made of others, structures and arrays.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

bool extract(LongWriter& w) {
    const LongType of = w.anyTypeOrBool(), scalar{of.component, 0};
    const LongValue x = w.take(of);
    if (w.chance(2))
        return w.add(
            w.op("OpCompositeExtract", w.type(scalar), {x.id, std::to_string(w.pick(of.count))}),
            scalar, x.bound);
    return w.add(w.op("OpVectorExtractDynamic", w.type(scalar), {x.id, w.index(of.count)}), scalar,
                 x.bound);
}

bool insert(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    const LongValue x = w.take(of), part = w.takeScalar(of.component);
    const double bound = std::max(x.bound, part.bound);
    if (w.chance(2))
        return w.add(w.op("OpCompositeInsert", w.type(of),
                          {part.id, x.id, std::to_string(w.pick(of.count))}),
                     of, bound);
    return w.add(w.op("OpVectorInsertDynamic", w.type(of), {x.id, part.id, w.index(of.count)}), of,
                 bound);
}

// Components are those of two vectors, which may have other lengths.
bool shuffle(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    const LongType second{of.component, w.chance(2) ? of.count : w.anyCount()};
    const LongType to{of.component, w.chance(2) ? w.anyCount() : 2 + w.pick(3)};
    if (of.count < 2 || second.count < 2 || to.count < 2) return false;
    const LongValue x = w.take(of), y = w.take(second);
    std::string indices;
    const uint32_t all = of.count + second.count, from = w.pick(all), step = w.pick(3);
    const bool isRandom = w.chance(2);
    // Nothing reads a component that is undefined.
    const uint32_t undefined = w.chance(4) ? w.pick(to.count) : to.count;
    for (uint32_t c = 0; c < to.count; ++c) {
        const uint32_t number = isRandom ? w.pick(all) : (from + step * c) % all;
        indices += c == undefined ? " 0xFFFFFFFF" : " " + std::to_string(number);
    }
    const double bound = std::max(x.bound, y.bound);
    // SPIRV-Tools takes the id of the count of OpTypeVectorIdEXT for the count.
    w.canBeValidated = false;
    const std::string id = w.op("OpVectorShuffle", w.type(to), {x.id, y.id, indices});
    if (undefined == to.count) return w.add(id, to, bound);
    const LongValue part = w.takeScalar(of.component);
    return w.add(w.op("OpCompositeInsert", w.type(to), {part.id, id, std::to_string(undefined)}),
                 to, std::max(bound, part.bound));
}

// Of scalars and shorter vectors.
bool construct(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    if (of.count > 33 || w.text.isSpecialised(of.count)) return false;
    std::string parts;
    double bound = 0;
    for (uint32_t made = 0; made < of.count;) {
        const LongType part{of.component, w.chance(2) ? 0 : w.anyCount()};
        const bool isWhole = part.count == of.count && of.count > 1;  // at least two constituents
        if (isWhole || made + part.count > of.count ||
            w.text.isSpecialised(std::max(part.count, 1u))) {
            const LongValue one = w.takeScalar(of.component);
            parts += " " + one.id;
            bound = std::max(bound, one.bound);
            ++made;
            continue;
        }
        const LongValue x = w.take(part);
        // SPIRV-Tools takes only scalars for OpTypeVectorIdEXT.
        if (part.count != 0) w.canBeValidated = false;
        parts += " " + x.id;
        bound = std::max(bound, x.bound);
        made += std::max(part.count, 1u);
    }
    return w.add(w.op("OpCompositeConstruct", w.type(of), {parts}), of, bound);
}

bool replicate(LongWriter& w) {
    const LongType of = w.anyTypeOrBool();
    const LongValue x = w.takeScalar(of.component);
    w.text.need("ReplicatedCompositesEXT", "SPV_EXT_replicated_composites");
    return w.add(w.op("OpCompositeConstructReplicateEXT", w.type(of), {x.id}), of, x.bound);
}

bool copy(LongWriter& w) {
    const LongValue x = w.take(w.anyTypeOrBool());
    return w.add(w.op("OpCopyObject", w.type(x.type), {x.id}), x);
}

// struct { first; second[2]; } as a value, whose parts are replaced and taken.
bool composite(LongWriter& w) {
    const LongValue a = w.take(w.anyTypeOrBool());
    const LongType of = w.anyTypeOrBool();
    const LongValue b = w.take(of), c = w.take(of), d = w.take(of);
    const std::string second = w.type(of);
    const std::string array =
        w.text.global(std::format("OpTypeArray {} {}", second, w.text.size(2)));
    const std::string structure =
        w.text.global(std::format("OpTypeStruct {} {}", w.type(a.type), array));
    const std::string both = w.op("OpCompositeConstruct", array, {b.id, c.id});
    std::string whole = w.op("OpCompositeConstruct", structure, {a.id, both});
    if (w.chance(2))
        whole = w.op("OpCompositeInsert", structure, {d.id, whole, w.chance(2) ? "1 0" : "1 1"});
    if (w.chance(3)) whole = w.op("OpCopyObject", structure, {whole});
    if (w.chance(3)) {
        const LongValue part = w.takeScalar(of.component);
        if (part.bound <= b.bound)
            whole = w.op("OpCompositeInsert", structure, {part.id, whole, "1 1 0"});
    }
    w.add(w.op("OpCompositeExtract", w.type(a.type), {whole, "0"}), a);
    const double bound = std::max({b.bound, c.bound, d.bound});
    if (w.chance(3))
        w.add(w.op("OpCompositeExtract", w.type({of.component, 0}),
                   {whole, "1 1", std::to_string(w.pick(of.count))}),
              {of.component, 0}, bound);
    return w.add(w.op("OpCompositeExtract", second, {whole, w.chance(2) ? "1 0" : "1 1"}), of,
                 bound);
}

constexpr LongStatement kParts[] = {extract,   extract,   insert, insert,   shuffle,
                                    construct, replicate, copy,   composite};

}  // namespace

std::span<const LongStatement> longParts() { return kParts; }

}  // namespace coopvk::programs
