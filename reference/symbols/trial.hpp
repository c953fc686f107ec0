// SPDX-License-Identifier: Apache-2.0
//
// Terms for all values of one or two bytes, by the handlers that execute the instructions.
#pragma once

#include "symbols/comparison.hpp"

namespace coopvk::reference::symbols {

inline constexpr uint32_t kAtOnce = kMaxLanes;

struct Values {
    std::array<uint64_t, kAtOnce> bits = {};
    LaneMask undefined;  // results that no text defines, and what is made of them
    LaneMask any;        // those where any bits are right
};

// Terms in the order of their operands.
struct Order {
    std::vector<TermId> terms;
    std::unordered_map<TermId, uint32_t> numbers;
};

// False: too many.
bool addTo(const Terms& terms, TermId id, Order& order);

// Executes an instruction on scalars.
class Machine {
 public:
    Machine() {
        settings_.checks = kAllChecks;
        group_.settings = &settings_;
        s_.group = &group_;
        s_.lanes = kAtOnce;
        s_.all = s_.mask = LaneMask::firstLanes(kAtOnce);
    }
    void apply(const Function& f, std::span<const Values* const> operands, Values& result) {
        Instruction at = f.at;
        std::vector<LaneMask> defined(operands.size() + 1, s_.all);
        s_.values.clear();
        uint32_t next = 0;
        for (Operand& operand : at.operands) {
            if (operand.slot == kNone) continue;
            auto* bits = const_cast<uint64_t*>(operands[next]->bits.data());
            s_.values.push_back({bits, &defined[next], f.types[next], kAtOnce});
            result.undefined |= operands[next]->undefined;
            operand.slot = next++;
        }
        at.result = next;
        s_.values.push_back({result.bits.data(), &defined[next], at.type, kAtOnce});
        s_.program = f.program;
        s_.at = &at;
        s_.outside.clear();
        (void)at.handler(s_);
        for (const auto& [component, lane] : s_.outside) result.undefined.set(lane);
    }
    // The other result of an instruction that may have two.
    void applyOtherwise(const Function& f, std::span<const Values* const> operands, Values& result);

 private:
    Settings settings_;
    Workgroup group_;
    Subgroup s_;
};

// All values of the leaves, a part at a time.
class Trial {
 public:
    // `rewritten`: these must have one value on every device.
    Trial(const Terms& terms, const Order& order, const Order& rewritten,
          std::span<const TermId> leaves)
        : terms_(terms),
          order_(order),
          rewritten_(rewritten),
          leaves_(leaves),
          values_(order.terms.size()) {}

    // Terms of the rewritten side that have two results; which of them: a bit for each.
    std::span<const TermId> open() const { return open_; }
    void choose(uint32_t choices) { choices_ = choices; }
    // Instructions of the rewritten side give NaN of any payload, and may not quiet them: in each
    // payload but the first, which is the device's own, each gives another one. The last ones have
    // other signs, too.
    static constexpr uint32_t kPayloads = 9, kPayloadsWithSigns = 5;
    void setPayload(uint32_t payload) { payload_ = payload; }
    // Of any values, and of those from `first` on.
    bool hasNan() const { return !withNan_.empty(); }
    bool hasNan(uint32_t first) const { return withNan_.contains(first); }

    const Values& of(TermId id) const { return values_[order_.numbers.find(id)->second]; }
    void run(uint32_t first) {
        first_ = first;
        for (size_t n = 0; n < order_.terms.size(); ++n)
            compute(order_.terms[n], first, values_[n]);
    }

 private:
    void compute(TermId id, uint32_t first, Values& to);
    void apply(TermId id, Values& to);
    void changeNans(TermId id, Values& to);

    const Terms& terms_;
    const Order &order_, &rewritten_;
    std::span<const TermId> leaves_;
    std::vector<Values> values_;
    Machine machine_;
    std::vector<TermId> open_;
    uint32_t choices_ = 0, payload_ = 0, first_ = 0;
    std::unordered_set<uint32_t> withNan_;
};

// fma() is "inherited from OpFMul followed by OpFAdd", and of zeros of both signs either is a
// minimum or maximum.
bool hasTwoResults(const Function& f);

}  // namespace coopvk::reference::symbols
