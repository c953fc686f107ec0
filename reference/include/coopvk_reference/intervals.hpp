// SPDX-License-Identifier: Apache-2.0
//
// What the specifications permit in place of a float that the device computes: sums of products may
// be in any order, and each partial sum may be rounded in any direction.
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "coopvk_reference/formats.hpp"

namespace coopvk::reference {

// A set of floats: the finite ones from low to high, and others.
struct Interval {
    double low = INFINITY, high = -INFINITY;  // low > high: no finite number
    bool positiveInfinity = false, negativeInfinity = false, nan = false;

    static Interval of(double value) {
        Interval interval;
        interval.add(value);
        return interval;
    }
    static Interval between(double low, double high) {
        Interval interval = of(low);
        interval.add(high);
        return interval;
    }
    static Interval all() { return {-HUGE_VAL, HUGE_VAL, true, true, true}; }
    bool hasFinite() const { return low <= high; }
    void add(double value);
    void unite(const Interval& other);
    bool contains(double value) const;
};

// Bounds of a sum whose addends may be added in any order, where each product and each partial sum
// may be rounded in any direction, but has the precision of the result at least. Vulkan, "Precision
// of Individual Operations": OpCooperativeMatrixMulAddKHR "performs its operations in an
// implementation-dependent order and internal precision"; less than the result's would be none.
class SumBounds {
 public:
    // `bits`: of the significand of partial sums; 0: those of the format.
    explicit SumBounds(numbers::Number number, uint32_t bits = 0);
    void add(const Interval& addend);
    void addProduct(const Interval& a, const Interval& b);
    void addProduct(double a, double b);  // the same of two numbers
    // Only one number if all partial sums are exact in any order.
    Interval result() const;

 private:
    struct Addend {
        double low, high;
        int32_t lastBit = 0;  // its exponent; the addend is a multiple of 2 to this
    };
    void addFinite(const Addend& addend);
    Addend rounded(double product) const;
    double unitInLastPlace(double value) const;
    int32_t unitBit(double value) const;              // the exponent of its unit in the last place
    double errorAt(double magnitude) const;           // of a sum that is at most so large
    double errorOf(int32_t unitBit) const;            // of a rounding to multiples of this
    std::vector<double> largestPartsByCount() const;  // magnitudes of sums of so many addends
    std::vector<int32_t> sortedLastBits() const;      // of the addends
    double errorOf(const std::vector<double>& parts, const std::vector<int32_t>& lastBits,
                   double earlier) const;
    double error() const;  // of all roundings

    int32_t bits_, smallest_;  // exponent of the smallest number
    double largest_;
    Interval special_;       // what is not finite
    bool hasFinite_ = true;  // of each addend
    bool isNan_ = false;     // an addend is, whatever the others are
    double low_ = 0, high_ = 0, positive_ = 0, negative_ = 0;
    int32_t lowestBit_ = 1 << 20;  // all addends are multiples of 2 to this
    bool exact_ = true;            // no addend is an interval
    uint64_t count_ = 0;           // of addends other than zero
    std::vector<Addend> addends_;  // all of them, or none if there are many
};

// How far a value may be from the one that the device computed, in 32 bits: 0 is no freedom. Else
// an interval about the value, whose format it names; or bits that are parts of several numbers; or
// a value of which nothing is known, and why.
using Deviation = uint32_t;

// The interval united with the value of the bits, a little wider. Intervals are exact for values
// that are not finite.
Deviation deviationOf(numbers::Number number, uint64_t bits, const Interval& interval);
// Of a deviation that is 0 or names this format; else Interval::all(). Its ends are numbers of the
// format.
Interval intervalOf(Deviation deviation, numbers::Number number, uint64_t bits);
// The same, with what is not rounded yet: products that a sum may take so.
Interval unroundedOf(Deviation deviation, numbers::Number number, uint64_t bits);

// NaN, of any bits.
Deviation anyNan(numbers::Number number);

constexpr uint32_t kindOf(Deviation deviation) { return deviation >> 30; }
constexpr bool isUnknown(Deviation deviation) { return kindOf(deviation) == 1; }
constexpr bool isInParts(Deviation deviation) { return kindOf(deviation) == 2; }
// Of a byte in memory, or of parts: of the number that begins at a byte before it.
inline constexpr Deviation kContinues = 0xC0000000;
// It depends on a float that may be another: an integer, a choice, bits of parts of numbers.
inline constexpr Deviation kUndecided = 1u << 30;
constexpr bool isNumber(Deviation deviation) { return deviation != 0 && kindOf(deviation) == 0; }
constexpr numbers::Number numberOfDeviation(Deviation deviation) {
    return numbers::Number(deviation >> 26 & 15);
}

// Of the bytes of a word: each number's at its first byte, then kContinues.
using ByteDeviations = std::array<Deviation, 8>;

// Whether a function of open precision gives, of numbers that are no intervals, what this device
// computes, as both sides of one device do; or all that the specifications permit of any device.
enum class Functions { kAsHere, kAsAnywhere };

// What an execution with intervals finds. The caller's; several threads may use it at once.
class Intervals {
 public:
    explicit Intervals(Functions functions = Functions::kAsHere) : functions_(functions) {}
    Functions functions() const { return functions_; }

    // Why nothing is known of a value. The same text gives the same deviation.
    Deviation unknown(const std::string& why);
    std::string reason(Deviation deviation) const;
    Deviation parts(const ByteDeviations& parts);
    ByteDeviations partsOf(Deviation deviation) const;

    // Memory is written otherwise.
    void forget(const void* memory) {
        if (hasSums_) forgetSum(memory);
    }

    // A branch or an address depends on a value that may be another one: then all that follows may.
    void noteDecision(const std::string& where);
    std::string decision() const;  // the first one; empty: there is none

    // Of numbers in memory to which invocations add atomically: all that was added, in any order.
    // `before` and `after`: the bits around this addition. Returns the deviation of `after`.
    Deviation add(const void* memory, numbers::Number number, const Interval& before,
                  const Interval& addend, uint64_t after);

 private:
    void forgetSum(const void* memory);

    Functions functions_;
    mutable std::mutex mutex_;
    std::atomic<bool> hasSums_ = false;
    std::vector<std::string> reasons_ = {"an integer or a choice depends on a float"};
    std::map<std::string, Deviation> byReason_;
    std::vector<ByteDeviations> parts_;
    std::map<ByteDeviations, Deviation> byParts_;
    std::string decision_;
    std::map<const void*, SumBounds> sums_;
};

}  // namespace coopvk::reference
