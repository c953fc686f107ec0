// SPDX-License-Identifier: Apache-2.0
#include "compare/probe/sum_inputs.hpp"

#include <cmath>
#include <format>

namespace coopvk::compare {
namespace {

double normal(Rng& rng) {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += rng.unit();
    return sum;
}

// Of this exponent, as far as the type has it, else the nearest; any sign and mantissa.
uint64_t withExponent(Rng& rng, Component type, int64_t exponent) {
    const ComponentInfo& f = info(type);
    const int64_t highest = (int64_t{1} << f.exponentBits) - 2 - f.bias;
    const int64_t field = std::clamp<int64_t>(exponent, -f.bias, highest) + f.bias;
    const uint64_t mantissa = rng.next() & ((uint64_t{1} << f.mantissaBits) - 1);
    return uint64_t{rng.coin()} << (f.bits - 1) | uint64_t(field) << f.mantissaBits | mantissa;
}

uint64_t zeroOf(Rng& rng, Component type) { return uint64_t{rng.coin()} << (info(type).bits - 1); }

template <typename Value>
void fillAll(Products& p, Value&& value) {
    for (uint64_t& bits : p.a) bits = value(p.row.a);
    for (uint64_t& bits : p.b) bits = value(p.row.b);
    for (uint64_t& bits : p.c) bits = value(p.row.c);
}

void fillNormal(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) { return encode(type, normal(rng)); });
}

void fillAnyBits(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) { return maskBits(rng.next(), info(type).bits); });
}

// Exponents of a product's matrices spread over 1 to all that the type has.
void fillExponents(Rng& rng, Products& p) {
    const size_t inA = p.a.size() / p.count, inB = p.b.size() / p.count, inC = p.c.size() / p.count;
    for (uint32_t i = 0; i < p.count; ++i) {
        const int64_t spread = int64_t{1} << rng.range(0, 5);
        const auto fill = [&](std::vector<uint64_t>& matrix, size_t size, Component type,
                              int64_t range) {
            for (size_t e = i * size; e < (i + 1) * size; ++e)
                matrix[e] = withExponent(rng, type, rng.range(-range, range));
        };
        fill(p.a, inA, p.row.a, spread);
        fill(p.b, inB, p.row.b, spread);
        fill(p.c, inC, p.row.c, 2 * spread);
    }
}

// Each second column of A is the one before with the other sign and a last bit that may differ, and
// rows of B are alike in pairs: sums nearly vanish.
void fillCancelling(Rng& rng, Products& p) {
    fillNormal(rng, p);
    for (size_t e = 1; e < p.a.size(); e += 2)
        p.a[e] = (p.a[e - 1] ^ uint64_t{1} << (info(p.row.a).bits - 1)) ^ (rng.next() & 1);
    const size_t n = p.row.n;
    for (size_t e = 0; e < p.b.size(); ++e)
        if (e / n % 2 == 1) p.b[e] = p.b[e - n];
    for (uint64_t& bits : p.c) bits = withExponent(rng, p.row.c, rng.range(-30, 0));
}

void fillDenormals(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) {
        const int64_t smallest = -int64_t{info(type).bias};
        return withExponent(rng, type, smallest + (rng.next() % 4 == 0 ? rng.range(0, 24) : 0));
    });
}

// Few terms, far from each other: what is left of the smaller ones.
void fillSparse(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) {
        if (type == p.row.c && rng.coin()) return withExponent(rng, type, rng.range(-24, 16));
        return rng.next() % 4 != 0 ? zeroOf(rng, type) : withExponent(rng, type, rng.range(-8, 8));
    });
}

// Numbers with few bits, so that many sums lie between two numbers.
void fillTies(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) {
        if (rng.next() % 8 == 0) return zeroOf(rng, type);
        const double magnitude = std::ldexp(double(rng.range(1, 3)), int(rng.range(-6, 6)));
        return encode(type, rng.coin() ? magnitude : -magnitude);
    });
}

void fillSpecials(Rng& rng, Products& p) {
    fillAll(p, [&](Component type) {
        const ComponentInfo& f = info(type);
        const uint64_t infinity = ((uint64_t{1} << f.exponentBits) - 1) << f.mantissaBits;
        const uint64_t which = rng.next() % 128;
        if (which == 0) return infinity | uint64_t{rng.coin()} << (f.bits - 1);
        if (which == 1) return maskBits(infinity | rng.next(), f.bits);
        if (which == 2) return zeroOf(rng, type);
        if (which == 3) return withExponent(rng, type, 1 << f.exponentBits);
        return encode(type, normal(rng));
    });
}

constexpr SumInputs kInputs[] = {
    {"normal", fillNormal},    {"exponents", fillExponents},         {"sparse", fillSparse},
    {"ties", fillTies},        {"cancelling", fillCancelling},       {"denormals", fillDenormals},
    {"any bits", fillAnyBits}, {"infinities and NaN", fillSpecials},
};

}  // namespace

std::span<const SumInputs> allSumInputs() { return kInputs; }

Products makeProducts(const SumInputs& inputs, const MatrixRow& row, uint32_t count,
                      uint64_t seed) {
    Products products{.row = row, .count = count, .a = {}, .b = {}, .c = {}};
    products.a.resize(size_t{count} * row.m * row.k);
    products.b.resize(size_t{count} * row.k * row.n);
    products.c.resize(size_t{count} * row.m * row.n);
    Rng rng(seed, std::format("{} {}", inputs.name, nameOf(row)));
    inputs.fill(rng, products);
    return products;
}

Bytes memoryOf(Component type, const std::vector<uint64_t>& elements) {
    const uint32_t size = info(type).bytes();
    Bytes memory(elements.size() * size);
    for (size_t i = 0; i < elements.size(); ++i) writeBits(memory, i * size, type, elements[i]);
    return memory;
}

}  // namespace coopvk::compare
