// SPDX-License-Identifier: Apache-2.0
//
// Executions with symbols: each byte of memory that nothing wrote has a symbol, and what programs
// compute of them are terms. Two executions that use the same symbols can be compared for all
// contents of these bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coopvk_reference/formats.hpp"
#include "coopvk_reference/intervals.hpp"

namespace coopvk::reference {

namespace symbols {
struct Computation;
class Comparison;
}  // namespace symbols

// Some bits of a byte's symbol.
struct SymbolBits {
    Deviation byte = 0;
    uint8_t bits = 0;  // a bit for each
};
struct KnownBits {
    SymbolBits of;
    uint8_t values = 0;
};

// The caller's, for several executions, one after the other, of programs that live as long.
struct LanesParted {
    bool areApart = false;  // at some instruction
    bool returned =
        false;  // together behind a call from which they returned apart: no text says so
};

class Symbols {
 public:
    Symbols();
    ~Symbols();
    Symbols(const Symbols&) = delete;
    Symbols& operator=(const Symbols&) = delete;

    // Symbols for bytes of memory, which have these values in the executions. Returns the first
    // one's deviation; those of the others follow.
    Deviation addBytes(const std::byte* sample, uint64_t size);
    // Before executions of both modules with the same contents of memory: a number for these.
    void setContents(uint64_t number);
    // Why the last execution stopped; empty: nothing was in its way.
    std::string takeObstacle();
    // The bits of symbols that decide what stopped it; empty: too many do, or others.
    std::vector<SymbolBits> takeDecidingBits();
    // What lanes did, since it was asked last.
    LanesParted takeLanesParted();
    // Whether what stopped it is where a physical pointer points.
    bool decidesAddress() const;
    // A byte with these bits in place of its own. Its other bits are as in the sample.
    Deviation withBits(const SymbolBits& known, uint8_t bits);
    // Contents of memory, in which all other bits are as in the sample: with each, a condition in
    // what stopped the last execution, or in what the last comparison did not show to be the same,
    // is not as it is there.
    std::vector<std::vector<KnownBits>> otherContents(size_t most) const;
    size_t terms() const;

    // Whether lines of matrices, and places of cooperative vectors, are reported that are not
    // aligned as Vulkan says: where the native side keeps this rule, the other one has to.
    bool checksLines = true;

    symbols::Computation& computation() { return *computation_; }

 private:
    std::unique_ptr<symbols::Computation> computation_;
};

// What of the texts' freedom a comparison used.
enum Assumption : uint32_t {
    kOpenSums = 1,        // a sum that only products read keeps its precision from one to the next
    kZeroSigns = 2,       // of sums of products
    kNanBits = 4,         // a NaN may be each NaN
    kContractions = 8,    // of a product and a sum
    kSameFunctions = 16,  // an instruction gives equal results of equal operands, on both sides
    kNanSigns = 32,       // an instruction gives a NaN of the sign that the device's own has
    kInRange = 64,        // floats that become integers are in the range of these
};

// Whether what one execution leaves in memory is right for all contents of memory, if another one's
// is.
class Proof {
 public:
    explicit Proof(Symbols& symbols);
    ~Proof();
    Proof(const Proof&) = delete;
    Proof& operator=(const Proof&) = delete;

    // Of at most 8 bytes: their deviations, and the bytes where these are 0. `number`: they are a
    // float, of which all NaN are one.
    bool allows(const Deviation* native, const std::byte* nativeBytes, const Deviation* rewritten,
                const std::byte* rewrittenBytes, uint32_t size,
                std::optional<numbers::Number> number);
    uint32_t assumptions() const;
    // Of a pair of terms that could not be shown to be the same: the innermost one, in words.
    std::string reason() const;

 private:
    Deviation termOf(const Deviation* deviations, const std::byte* bytes, uint32_t size);

    Symbols& symbols_;
    std::unique_ptr<symbols::Comparison> comparison_;
};

}  // namespace coopvk::reference
