// SPDX-License-Identifier: Apache-2.0
#include "matrices/matrix.hpp"

#include "execution/shadow.hpp"

namespace coopvk::reference::matrices {
namespace {

using numbers::decodeDouble;
using numbers::encodeDouble;
using numbers::Wide;

// c + the sum of a[k] * b[k], the addends rounded one after the other.
template <typename Round>
double plainSum(std::span<const double> a, std::span<const double> b, double c, Round round) {
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum = round(sum + a[k] * b[k]);
    return round(sum + c);
}

// The same in an order of the addends' numbers: the products, then c.
template <typename Round>
double orderedSum(std::span<const double> a, std::span<const double> b, double c,
                  const Permutation& order, Round round) {
    const auto addend = [&](uint64_t k) { return k < a.size() ? round(a[k] * b[k]) : c; };
    double sum = addend(order(0));
    for (uint64_t i = 1; i <= a.size(); ++i) sum = round(sum + addend(order(i)));
    return sum;
}

uint64_t exactSum(std::span<const double> a, std::span<const double> b, double c, Number result) {
    numbers::ExactSum sum;
    for (size_t k = 0; k < a.size(); ++k)
        sum.addProduct(numbers::fromDouble(a[k]), numbers::fromDouble(b[k]));
    sum.add(numbers::fromDouble(c));
    return numbers::encode(result, sum.value());
}

Element sumOf(std::span<const double> a, std::span<const double> b, double c, const SumRule& rule) {
    const auto single = [](double v) { return double(float(v)); };
    const auto wide = [](double v) { return v; };
    const auto narrow = [&](double v) {
        return decodeDouble(rule.result, encodeDouble(rule.result, v));
    };
    const bool isWide = rule.result == Number::f64;
    const uint64_t count = a.size() + 1;
    const auto rounded = [&](double sum) { return Element{encodeDouble(rule.result, sum)}; };
    if (rule.order == Choice::kExact) return {exactSum(a, b, c, rule.result)};
    if (rule.order == Choice::kAdversarial)
        return rounded(orderedSum(a, b, c, {count, count - 1, count - 1}, narrow));
    if (rule.order == Choice::kShuffled) {
        const Permutation order = Permutation::bySeed(count, rule.seed);
        return rounded(isWide ? orderedSum(a, b, c, order, wide)
                              : orderedSum(a, b, c, order, single));
    }
    return rounded(isWide ? plainSum(a, b, c, wide) : plainSum(a, b, c, single));
}

// An integer, extended from its format to 64 bits.
struct Integer {
    uint64_t bits;
    bool isSigned;
    Wide value() const { return isSigned ? Wide(int64_t(bits)) : Wide(bits); }
};

Element sumOf(std::span<const Integer> a, std::span<const Integer> b, const Integer& c,
              const SumRule& rule) {
    const numbers::Format& f = numbers::format(rule.result);
    if (!rule.saturate) {
        uint64_t sum = c.bits;
        for (size_t k = 0; k < a.size(); ++k) sum += a[k].bits * b[k].bits;
        return {sum & f.mask()};
    }
    Wide sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += a[k].value() * b[k].value();
    const Wide highest = f.isSigned() ? f.mask() >> 1 : f.mask();
    const Wide lowest = f.isSigned() ? -highest - 1 : 0;
    const bool defined = sum >= lowest && sum <= highest;
    return {uint64_t(std::clamp(sum + c.value(), lowest, highest)) & f.mask(), defined};
}

Element sumOf(std::span<const Factor> a, std::span<const Factor> b, uint64_t c,
              const SumRule& rule) {
    return {addProducts(*rule.unit, a, b, c, rule.result)};
}

void setValue(double& value, Number number, uint64_t bits) { value = decodeDouble(number, bits); }
void setValue(Integer& value, Number number, uint64_t bits) {
    const numbers::Format& f = numbers::format(number);
    value = {numbers::extend(f, bits), f.isSigned()};
}
void setValue(Factor& value, Number number, uint64_t bits) { value = factorOf(number, bits); }
void setValue(uint64_t& value, Number, uint64_t bits) { value = bits; }

// The numbers of a matrix, row by row, and which rows are defined as a whole.
template <typename T>
struct Values {
    explicit Values(const Matrix& matrix)
        : values(matrix.elements.size()), defined(matrix.rows, true), length(matrix.columns) {
        for (size_t i = 0; i < values.size(); ++i) {
            setValue(values[i], matrix.number, matrix.elements[i].bits);
            if (!matrix.elements[i].defined) defined[i / length] = false;
        }
    }
    std::span<const T> row(uint32_t r) const {
        return std::span(values).subspan(size_t(r) * length, length);
    }

    std::vector<T> values;
    std::vector<bool> defined;
    uint32_t length;
};

template <typename T, typename Addend = T>
Matrix multiplyAddAs(const Matrix& a, const Matrix& b, const Matrix& c, SumRule rule) {
    const Values<T> rows(a), columns(transpose(b));
    const Values<Addend> addends(c);
    return {rule.result, a.rows, b.columns, [&](uint32_t row, uint32_t column) {
                ++rule.seed;
                Element sum =
                    sumOf(rows.row(row), columns.row(column), addends.row(row)[column], rule);
                sum.defined &=
                    c.at(row, column).defined && rows.defined[row] && columns.defined[column];
                return sum;
            }};
}

Matrix sumsOfProducts(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule) {
    if (!numbers::format(rule.result).floating()) return multiplyAddAs<Integer>(a, b, c, rule);
    if (const auto unit = sumModel(rule.order, a.number, rule.result)) {
        SumRule byUnit = rule;
        byUnit.unit = &*unit;
        const numbers::Conversion widened(c.number, rule.result, numbers::conversionRule(false));
        return multiplyAddAs<Factor, uint64_t>(a, b, convert(c, widened), byUnit);
    }
    return multiplyAddAs<double>(a, b, c, rule);
}

}  // namespace

Matrix multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule) {
    Matrix result = sumsOfProducts(a, b, c, rule);
    if (rule.shadow != nullptr) rule.shadow->multiply(a, b, c, rule, result);
    return result;
}

Matrix convert(const Matrix& matrix, const numbers::Conversion& conversion, Shadow* shadow) {
    return {conversion.to(), matrix.rows, matrix.columns, [&](uint32_t row, uint32_t column) {
                const Element& element = matrix.at(row, column);
                const numbers::Converted converted = conversion(element.bits);
                const bool defined = element.defined && converted.defined;
                if (shadow == nullptr) return Element{converted.bits, defined};
                return Element{
                    converted.bits, defined,
                    shadow->converted(element, matrix.number, conversion, converted.bits)};
            }};
}

Matrix transpose(const Matrix& matrix) {
    return {matrix.number, matrix.columns, matrix.rows,
            [&](uint32_t row, uint32_t column) { return matrix.at(column, row); }};
}

Matrix reduce(const Matrix& matrix, uint32_t mode, uint32_t rows, uint32_t columns,
              const ReduceOrder& order, const Combine& combine) {
    // height x width elements become one.
    const uint32_t height = mode & kReduce2x2 ? 2 : mode & kReduceColumn ? matrix.rows : 1;
    const uint32_t width = mode & kReduce2x2 ? 2 : mode & kReduceRow ? matrix.columns : 1;
    const uint64_t count = uint64_t(height) * width;
    const Permutation permutation =
        order.shuffled ? Permutation::bySeed(count, order.seed) : Permutation{count};
    // Part i: one element of each group.
    std::vector<std::vector<Element>> parts(count);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t member = permutation(i);
        for (auto r = uint32_t(member / width); r < matrix.rows; r += height)
            for (auto c = uint32_t(member % width); c < matrix.columns; c += width)
                parts[i].push_back(matrix.at(r, c));
    }
    // Neighbours are combined, then the results, until one remains.
    for (uint64_t distance = 1; distance < count; distance *= 2) {
        std::vector<Element> left, right;
        for (uint64_t i = 0; i + distance < count; i += 2 * distance) {
            left.insert(left.end(), parts[i].begin(), parts[i].end());
            right.insert(right.end(), parts[i + distance].begin(), parts[i + distance].end());
        }
        combine(left, right);
        auto next = left.begin();
        for (uint64_t i = 0; i + distance < count; i += 2 * distance) {
            std::copy_n(next, parts[i].size(), parts[i].begin());
            next += std::ptrdiff_t(parts[i].size());
        }
    }
    return {matrix.number, rows, columns, [&](uint32_t row, uint32_t column) {
                const size_t fromRow = mode & kReduceColumn ? 0 : row;
                const size_t fromColumn = mode & kReduceRow ? 0 : column;
                return parts[0][fromRow * (matrix.columns / width) + fromColumn];
            }};
}

}  // namespace coopvk::reference::matrices
