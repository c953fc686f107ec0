// SPDX-License-Identifier: Apache-2.0
//
// Words that have the bytes of several numbers: bits of floats as integers, numbers packed into
// words, and the integer instructions with which programs put bytes together and take them apart.
#include "intervals/memory.hpp"
#include "intervals/transfer.hpp"

namespace coopvk::reference::intervals {
namespace {

using numbers::Number;

uint32_t bytesIn(const Value& value) { return scalarOf(*value.type).width / 8; }

// As bits, NaN may be each NaN.
Deviation asBits(const Value& from, uint32_t c, uint32_t lane) {
    const Type& scalar = scalarOf(*from.type);
    const Deviation deviation = from.deviationAt(c, lane);
    const bool isNan = deviation == 0 && scalar.kind == Kind::kFloat &&
                       std::isnan(numbers::decodeDouble(scalar.number, from.at(c, lane)));
    return isNan ? anyNan(scalar.number) : deviation;
}

void casts(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    const uint32_t fromBytes = bytesIn(from), bytes = bytesIn(result);
    if (fromBytes == 0 || bytes == 0) return;
    t.mask.forEach([&](uint32_t lane) {
        std::vector<Deviation> all;
        for (uint32_t c = 0; c < from.components(); ++c) {
            const ByteDeviations each = bytesOf(*t.s.intervals, asBits(from, c, lane), fromBytes);
            all.insert(all.end(), each.begin(), each.begin() + fromBytes);
        }
        all.resize(std::max<size_t>(all.size(), size_t{result.components()} * bytes));
        for (uint32_t c = 0; c < result.components(); ++c)
            result.setDeviation(
                c, lane, joined(*t.s.intervals, std::span(all).subspan(size_t{c} * bytes, bytes)));
    });
}

void packsHalves(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    t.mask.forEach([&](uint32_t lane) {
        Deviation all[4] = {};
        for (uint32_t c = 0; c < 2; ++c) {
            const uint64_t half = result.at(0, lane) >> c * 16 & 0xFFFF;
            const Deviation deviation = asBits(from, c, lane);
            all[c * 2] = deviation == anyNan(Number::f32)
                             ? anyNan(Number::f16)
                             : converted(from.get(c, lane), Number::f32, Number::f16, half);
            if (all[c * 2] != 0) all[c * 2 + 1] = kContinues;
        }
        result.setDeviation(0, lane, joined(*t.s.intervals, all));
    });
}

void unpacksHalves(const Transferred& t) {
    const Value &result = t.result(), &from = t.operand(0);
    t.mask.forEach([&](uint32_t lane) {
        const ByteDeviations all = bytesOf(*t.s.intervals, from.deviationAt(0, lane), 4);
        for (uint32_t c = 0; c < 2; ++c) {
            const Deviation half = joined(*t.s.intervals, std::span(all).subspan(c * 2, 2));
            const Element element{from.at(0, lane) >> c * 16 & 0xFFFF, true, half};
            result.setDeviation(c, lane,
                                converted(element, Number::f16, Number::f32, result.at(c, lane)));
        }
    });
}

// An integer and its bytes.
struct Word {
    uint64_t bits = 0;
    ByteDeviations deviations = {};

    uint32_t byteAt(uint32_t at) const { return uint32_t(bits >> at * 8 & 0xFF); }
};

// What an instruction makes of words, of this many bytes; nullopt: it does not move whole bytes.
using Combined = std::optional<ByteDeviations>;
using Combine = Combined (*)(std::span<const Word> words, uint32_t bytes);

// The words that tell how far bits move, or how many, must be what they are.
std::optional<uint32_t> bytesOfCount(const Word& count) {
    if (count.deviations != ByteDeviations{} || count.bits % 8 != 0 || count.bits > 64)
        return std::nullopt;
    return uint32_t(count.bits / 8);
}

Combined shiftedLeft(std::span<const Word> words, uint32_t bytes) {
    const auto by = bytesOfCount(words[1]);
    if (!by) return std::nullopt;
    ByteDeviations result{};
    for (uint32_t at = *by; at < bytes; ++at) result[at] = words[0].deviations[at - *by];
    return result;
}

Combined shiftedRight(std::span<const Word> words, uint32_t bytes) {
    const auto by = bytesOfCount(words[1]);
    if (!by) return std::nullopt;
    ByteDeviations result{};
    for (uint32_t at = *by; at < bytes; ++at) result[at - *by] = words[0].deviations[at];
    return result;
}

// A byte of one word is kept where that of the other one is `kept`, and gone where it is `gone`.
Combined masked(std::span<const Word> words, uint32_t bytes, uint32_t kept, uint32_t gone) {
    ByteDeviations result{};
    for (uint32_t at = 0; at < bytes; ++at) {
        const Deviation a = words[0].deviations[at], b = words[1].deviations[at];
        if (a == 0 && b == 0) continue;
        const Word& other = words[a != 0 ? 1 : 0];
        if (other.deviations[at] != 0) return std::nullopt;
        if (other.byteAt(at) == gone) continue;
        if (other.byteAt(at) != kept) return std::nullopt;
        result[at] = a != 0 ? a : b;
    }
    return result;
}
constexpr uint32_t kNothing = 0, kAll = 0xFF, kNever = 0x100;

Combined either(std::span<const Word> words, uint32_t bytes) {
    return masked(words, bytes, kNothing, kAll);
}
Combined one(std::span<const Word> words, uint32_t bytes) {
    return masked(words, bytes, kNothing, kNever);
}
Combined both(std::span<const Word> words, uint32_t bytes) {
    return masked(words, bytes, kAll, kNothing);
}

Combined extended(std::span<const Word> words, uint32_t bytes) {
    ByteDeviations result{};
    std::copy_n(words[0].deviations.begin(), bytes, result.begin());
    return result;
}

// Base, inserted, offset, count.
Combined inserted(std::span<const Word> words, uint32_t bytes) {
    const auto offset = bytesOfCount(words[2]), count = bytesOfCount(words[3]);
    if (!offset || !count || *offset + *count > bytes) return std::nullopt;
    ByteDeviations result = words[0].deviations;
    for (uint32_t at = 0; at < *count; ++at) result[*offset + at] = words[1].deviations[at];
    return result;
}

// Base, offset, count.
Combined extracted(std::span<const Word> words, uint32_t bytes) {
    const auto offset = bytesOfCount(words[1]), count = bytesOfCount(words[2]);
    if (!offset || !count || *offset + *count > bytes) return std::nullopt;
    ByteDeviations result{};
    for (uint32_t at = 0; at < *count; ++at) result[at] = words[0].deviations[*offset + at];
    return result;
}

template <Combine kCombine>
void combines(const Transferred& t) {
    const Value& result = t.result();
    const uint32_t bytes = bytesIn(result);
    for (uint32_t c = 0; c < result.components(); ++c)
        t.mask.forEach([&](uint32_t lane) {
            Deviation unknown = 0;
            std::vector<Word> words;
            for (uint32_t n = 0; n < t.at.operands.size(); ++n) {
                const Value& from = t.operand(n);
                const uint32_t of = from.components() > 1 ? c : 0;
                const Deviation deviation = from.deviationAt(of, lane);
                if (isUnknown(deviation)) unknown = deviation;
                words.push_back(
                    {from.at(of, lane), bytesOf(*t.s.intervals, deviation, bytesIn(from))});
            }
            if (unknown != 0) return result.setDeviation(c, lane, unknown);
            const Combined all = kCombine(words, bytes);
            result.setDeviation(
                c, lane,
                all ? joined(*t.s.intervals, std::span(*all).first(bytes)) : unknownHere(t));
        });
}

constexpr TransferRow kBitRows[] = {
    row(casts, OpBitcast),
    row(packsHalves, GLSLstd450PackHalf2x16),
    row(unpacksHalves, GLSLstd450UnpackHalf2x16),
    row(combines<shiftedLeft>, OpShiftLeftLogical),
    row(combines<shiftedRight>, OpShiftRightLogical),
    row(combines<either>, OpBitwiseOr),
    row(combines<one>, OpBitwiseXor),
    row(combines<both>, OpBitwiseAnd),
    row(combines<extended>, OpUConvert),
    row(combines<inserted>, OpBitFieldInsert),
    row(combines<extracted>, OpBitFieldUExtract),
};

// Instructions that show the bits of floats.
constexpr uint32_t kShowsBits[] = {numberIn(OpBitcast), numberIn(GLSLstd450PackHalf2x16)};

}  // namespace

bool showsNan(const Subgroup& s, const Instruction& at, LaneMask mask) {
    if (std::ranges::find(kShowsBits, at.row->opcode) == std::end(kShowsBits)) return false;
    const Value& from = s.values[at[0].slot];
    if (scalarOf(*at.type).kind == Kind::kFloat || from.deviations == nullptr) return false;
    bool shows = false;
    for (uint32_t c = 0; c < from.components(); ++c)
        mask.forEach(
            [&](uint32_t lane) { shows |= asBits(from, c, lane) != from.deviationAt(c, lane); });
    return shows;
}

std::span<const TransferRow> bitTransfers() { return kBitRows; }

}  // namespace coopvk::reference::intervals
