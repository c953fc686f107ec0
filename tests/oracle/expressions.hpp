// SPDX-License-Identifier: Apache-2.0
//
// Random expressions of floats, executed by the device with intervals, and evaluated by MPFR as
// other devices may: with sums in other orders and precisions. Each value must be in its interval.
#pragma once

#include <string>

#include "arithmetic.hpp"

namespace coopvk::oracle {

struct Judged {
    uint64_t expressions = 0, values = 0, outside = 0;
    std::string first;           // of those outside
    std::vector<double> widths;  // of intervals of products, by what many orders gave
};

// Executes and judges a module of random expressions: of scalars, or of matrices.
void judgeExpressions(uint64_t seed, Judged& judged);

// An instruction of a module, in the order of execution. An element is an invocation's number, or
// one of a matrix.
struct Node {
    Operation operation = Operation::kLoad;
    const Format* format = nullptr;
    std::vector<size_t> operands;
    Id id;
    uint32_t use = 2;          // of a matrix
    std::vector<Real> values;  // the device's, by elements
    std::vector<reference::Interval> intervals;
    std::vector<bool> isFree;  // the device says that it may be another number
};

class Expressions {
 public:
    explicit Expressions(uint64_t seed) : random_(seed) {}
    virtual ~Expressions() = default;
    void judge(Judged& judged);

 protected:
    // Makes the module and its nodes; the number of expressions.
    virtual uint32_t make() = 0;
    virtual uint32_t elements() const = 0;
    // Which values an element of a node is computed from: pairs of a node and an element.
    virtual std::vector<std::pair<size_t, uint32_t>> sources(const Node& node,
                                                             uint32_t element) const = 0;

    uint64_t below(uint64_t count) { return random_() % count; }
    const Format& chosen(std::initializer_list<const Format*> formats) {
        return *formats.begin()[below(formats.size())];
    }
    size_t add(Node node) {
        nodes_.push_back(std::move(node));
        return nodes_.size() - 1;
    }
    // Where the values of a format lie: a buffer of inputs and one of results for each.
    static uint32_t inputOf(const Format& format);
    static uint32_t resultOf(const Format& format) { return inputOf(format) + 1; }
    Id place(uint32_t binding, const Format& format, uint32_t first, const Id& index);

    Random random_;
    Module module_{kInvocations};
    std::vector<Node> nodes_;
    static constexpr uint32_t kInvocations = 8;
    // By buffers: how many elements inputs and results have so far.
    std::map<uint32_t, uint32_t> counts_;
    std::map<size_t, uint32_t> firstResult_;  // of a node, in its buffer

 private:
    void execute();
    void read(const reference::test::Execution& execution);
    void evaluate(Judged& judged);
    Real evaluated(size_t node, uint32_t element, const std::vector<std::vector<Real>>& values);
    bool isFree(const Node& node, uint32_t element) const;
    void judgeFixed(const Node& node, uint32_t element, Judged& judged);
    void measure(const Node& node, uint32_t element, Judged& judged);
    std::vector<Real> operandsOf(const Node& node, uint32_t element,
                                 const std::vector<std::vector<Real>>& values) const;
    void note(const Node& node, uint32_t element, std::span<const Real> operands, const Real& value,
              Judged& judged) const;

    std::vector<std::vector<Real>> device_;  // values by nodes and elements
};

std::unique_ptr<Expressions> scalarExpressions(uint64_t seed);
std::unique_ptr<Expressions> matrixExpressions(uint64_t seed);

}  // namespace coopvk::oracle
