// SPDX-License-Identifier: Apache-2.0
#include "matrices/vector_product.hpp"

namespace coopvk::reference::matrices {
namespace {

using numbers::format;

}  // namespace

std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to) {
    std::vector<Element> result;
    if (from >= to) {
        for (const Element& element : elements) {
            for (uint32_t bit = 0; bit < from; bit += to) {
                const uint64_t mask = to >= 64 ? ~uint64_t(0) : (uint64_t(1) << to) - 1;
                result.push_back({element.bits >> bit & mask, element.defined});
            }
        }
        return result;
    }
    const size_t count = to / from;
    for (size_t first = 0; first + count <= elements.size(); first += count) {
        Element joined;
        for (size_t i = 0; i < count; ++i) {
            joined.bits |= elements[first + i].bits << (i * from);
            joined.defined &= elements[first + i].defined;
        }
        result.push_back(joined);
    }
    return result;
}

std::vector<Element> interpretInput(std::span<const Element> input, const VectorFormats& formats,
                                    uint32_t k) {
    std::vector<Element> result;
    if (formats.packed) {
        result = regroup(input, format(formats.input).bits, format(formats.interpretation).bits);
    } else {
        const numbers::ConversionRule rule = numbers::inputRule();
        for (const Element& element : input) {
            const auto converted =
                numbers::convert(formats.input, formats.interpretation, element.bits, rule);
            result.push_back({converted.bits, element.defined});
        }
    }
    result.resize(k, Element{0, false});
    return result;
}

Element rowProduct(std::span<const Element> row, std::span<const Element> input,
                   std::optional<Element> bias, const VectorFormats& formats, const SumRule& rule) {
    bool defined = !bias || bias->defined;
    for (size_t k = 0; k < row.size(); ++k) defined &= row[k].defined && input[k].defined;
    const uint64_t biasBits = bias ? bias->bits : 0;
    if (format(rule.result).floating()) {
        std::vector<double> a, b;
        for (size_t k = 0; k < row.size(); ++k) {
            a.push_back(numbers::decodeDouble(formats.matrix, row[k].bits));
            b.push_back(numbers::decodeDouble(formats.interpretation, input[k].bits));
        }
        const double addend = bias ? numbers::decodeDouble(formats.bias, biasBits) : 0;
        return {floatSum(a, b, addend, rule), defined};
    }
    std::vector<Integer> a, b;
    for (size_t k = 0; k < row.size(); ++k) {
        a.push_back(extend(formats.matrix, row[k].bits));
        b.push_back(extend(formats.interpretation, input[k].bits));
    }
    Element result = integerSum(a, b, extend(formats.bias, biasBits), rule);
    result.defined &= defined;
    return result;
}

uint64_t outerProduct(Number components, uint64_t a, uint64_t b, Number accumulated) {
    const double product =
        numbers::decodeDouble(components, a) * numbers::decodeDouble(components, b);
    return numbers::encodeDouble(accumulated, product);
}

}  // namespace coopvk::reference::matrices
