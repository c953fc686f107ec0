// SPDX-License-Identifier: Apache-2.0
#include "matrices.hpp"

namespace coopvk::oracle {
namespace {

uint64_t integerOf(const Format& format, Data data, Random& random) {
    const uint64_t top = uint64_t{1} << (format.bits - 1);
    switch (data) {
        case Data::kSmall:
            return (random() % 9 - 4) & format.mask();
        case Data::kSpread:
        case Data::kCancels:
            return (random() & format.mask()) >> random() % uint64_t(format.bits);
        case Data::kPatterns:
            return random() & format.mask();
        case Data::kExtremes:
            break;
    }
    const uint64_t extremes[] = {0, 1, top, top - 1, format.mask(), top + 1};
    return extremes[random() % std::size(extremes)] & format.mask();
}

uint64_t finite(const Format& format, const Real& value) {
    return bitsOf(format, round(format, value, Direction::kNearest, Overflow::kSaturate));
}

uint64_t extremeOf(const Format& format, Random& random) {
    const Real least = unitAt(format, Real(0));
    const Real extremes[] = {format.largest(),
                             least,
                             Real(0),
                             Real(-0.0),
                             format.largest().scaled(-1),
                             least.scaled(format.precision - 1)};
    const Real& chosen = extremes[random() % std::size(extremes)];
    return finite(format, random() % 2 == 0 ? chosen : -chosen);
}

}  // namespace

uint64_t elementOf(const Format& format, Data data, Random& random) {
    if (!format.isFloat()) return integerOf(format, data, random);
    const Real sign(random() % 2 == 0 ? 1 : -1);
    const Real fraction = Real(1) + Real::natural(random() >> 11).scaled(-53);
    switch (data) {
        case Data::kSmall:
            return finite(format, Real(double(random() % 9) - 4));
        case Data::kSpread:
            return finite(format, sign * fraction.scaled(long(random() % 9) - 4));
        case Data::kCancels: {
            const long exponent = random() % 3 == 0 ? format.precision / 2 + 2 : 0;
            return finite(format, sign * (random() % 2 == 0 ? Real(1) : fraction).scaled(exponent));
        }
        case Data::kPatterns:
            return random() & format.mask();
        case Data::kExtremes:
            break;
    }
    return extremeOf(format, random);
}

std::vector<uint64_t> elements(const Format& format, Data data, size_t count, Random& random) {
    std::vector<uint64_t> result(count);
    for (uint64_t& element : result) element = elementOf(format, data, random);
    return result;
}

}  // namespace coopvk::oracle
