// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/segments.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "ir/opcodes.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

namespace {

// Functions of malicious modules may call themselves. Shaders need fewer steps and calls.
constexpr uint32_t kMaxSteps = 1u << 16;
constexpr uint32_t kMaxCalls = 16;

constexpr uint64_t low32(uint64_t value) { return value & 0xFFFFFFFF; }
// False for integers of other widths, whose values are not followed.
bool is32Bits(const Instruction& type) { return type.opcode != OpTypeInt || type.word(0) == 32; }

// Whether a path leads into what a shorter one leads to.
template <typename Path>
bool isBelow(const Path& path, const Path& above) {
    return path.size() > above.size() && std::equal(above.begin(), above.end(), path.begin());
}

// Executes a segment's instructions as far as values are known, such as the counters of its loops,
// and checks that:
//   - each multiply-add takes an A and a B that the segment has loaded, of types in `sliced`, and
//     a C from the variable to which its result is stored;
//   - the segment stores the same values to other variables in each iteration: it stores to each
//     of these before it loads from it.
// Then the sum of the products of all slices is the whole product.
class Repetition {
 public:
    Repetition(const Module& module, const FunctionFacts& facts, const std::set<Id>& sliced)
        : module_(module), facts_(facts), sliced_(sliced) {}

    bool holds(const Function& function, const Segment& segment) {
        return run(function, {&function, segment.begin.block, segment.begin.at}, &segment.end,
                   nullptr);
    }
    // The loads of matrices, multiply-adds and calls.
    const std::set<const Instruction*>& executed() const { return executed_; }

 private:
    enum class Kind { kUnknown, kNumber, kPointer, kFactor, kSum };
    // A variable of the invocation, and constant indices into it.
    using Path = std::vector<uint64_t>;
    struct Value {
        Kind kind = Kind::kUnknown;
        uint64_t number = 0;     // of a sum: how many stores to its path there were at its load
        Path path;               // of a pointer: what it points to; of a sum: where it was loaded
        bool isInexact = false;  // points to an unknown part of what `path` leads to
    };
    struct Next {  // the instruction that is executed next
        const Function* function;
        size_t block, at;
    };

    // What follows returns false where the segment may not be repeated, or a value is not known
    // that matters.

    bool enter(Next& at, Id label) {
        const auto& blocks = at.function->blocks;
        const Id from = blocks[at.block]->id();
        const std::optional<size_t> found = facts_.graph(*at.function).number(label);
        if (!found) return false;
        at.block = *found;
        at.at = 0;
        // All phis of a block read values from before the block.
        std::vector<std::pair<Id, Value>> phis;
        for (const InstructionPtr& i : blocks[*found]->body) {
            if (i->opcode != OpPhi) break;
            for (size_t p = 0; p + 1 < i->operands.size(); p += 2) {
                if (i->word(p + 1) == from) phis.emplace_back(i->result, valueOf(i->word(p)));
            }
            ++at.at;
        }
        for (auto& [id, value] : phis) values_[id] = std::move(value);
        return true;
    }

    bool branch(Next& at, const Instruction& i) {
        if (i.opcode == OpBranch) return enter(at, i.word(0));
        if (i.opcode != OpBranchConditional) return false;
        const Value condition = valueOf(i.word(0));
        return condition.kind == Kind::kNumber && enter(at, i.word(condition.number != 0 ? 1 : 2));
    }

    bool run(const Function& function, Next at, const Position* end, Value* returned) {
        while (++steps_ < kMaxSteps) {
            if (end != nullptr && at.block == end->block && at.at == end->at) return true;
            const InstructionList& body = function.blocks[at.block]->body;
            const Instruction& i = *body[at.at];
            if (isTerminator(i.opcode)) {
                const bool returns = i.opcode == OpReturn || i.opcode == OpReturnValue;
                if (returns && returned != nullptr) {
                    if (i.opcode == OpReturnValue) *returned = valueOf(i.word(0));
                    return true;
                }
                if (!branch(at, i)) return false;
                continue;
            }
            if (!execute(i)) return false;
            ++at.at;
        }
        return false;
    }

    bool execute(const Instruction& i) {
        if (!facts_.mayRepeat(i)) return false;
        switch (i.opcode) {
            case OpFunctionCall:
                return call(i);
            case OpLoad:
                return load(i);
            case OpStore:
                return store(i);
            case OpVariable: {
                // A variable of a called function is new in each call.
                std::erase_if(stored_, [&](const auto& e) { return e.first.front() == i.result; });
                values_[i.result] = {Kind::kPointer, 0, {i.result}};
                return i.operands.size() < 2;  // without an initializer
            }
            case OpAccessChain:
            case OpInBoundsAccessChain:
                followChain(i);
                return true;
            case OpCooperativeMatrixLoadKHR:
                executed_.insert(&i);
                values_[i.result] = {sliced_.contains(i.type) ? Kind::kFactor : Kind::kUnknown};
                return sliced_.contains(i.type);
            case OpCooperativeMatrixMulAddKHR:
                return multiply(i);
            default:
                return (facts_.of(i) & (kReads | kWrites)) == 0 && compute(i);
        }
    }

    bool call(const Instruction& i) {
        const Function* function = facts_.function(i.word(0));
        if (function == nullptr || function->blocks.empty() || calls_ == kMaxCalls) return false;
        executed_.insert(&i);
        for (size_t p = 0; p < function->parameters.size(); ++p) {
            values_[function->parameters[p]->result] = valueOf(i.word(p + 1));
        }
        Value returned;
        ++calls_;
        if (!run(*function, {function, 0, 0}, nullptr, &returned)) return false;
        --calls_;
        values_[i.result] = std::move(returned);
        return true;
    }

    Value valueOf(Id id) const {
        if (const auto found = values_.find(id); found != values_.end()) return found->second;
        const Instruction& def = module_.def(id);
        if (def.opcode == OpVariable) {
            return isLocal(module_, id) ? Value{Kind::kPointer, 0, {id}} : Value{};
        }
        if (const auto known = module_.constantBool(id)) return {Kind::kNumber, *known ? 1u : 0u};
        const Instruction& type = module_.def(def.type);
        const bool is32 = type.opcode == OpTypeInt && type.word(0) == 32;
        const std::optional<uint64_t> number = is32 ? module_.constantValue(id) : std::nullopt;
        return number ? Value{Kind::kNumber, low32(*number)} : Value{};
    }

    void followChain(const Instruction& i) {
        Value pointer = valueOf(i.word(0));
        for (size_t o = 1; o < i.operands.size() && pointer.kind == Kind::kPointer; ++o) {
            const Value index = valueOf(i.word(o));
            if (index.kind != Kind::kNumber) pointer.isInexact = true;
            if (!pointer.isInexact) pointer.path.push_back(index.number);
        }
        values_[i.result] = std::move(pointer);
    }

    // Whether there were stores to parts of what the path leads to.
    bool storedParts(const Path& path) const {
        return std::ranges::any_of(stored_, [&](const auto& e) { return isBelow(e.first, path); });
    }

    bool hasSums(const Path& path) const {
        return std::ranges::any_of(sums_, [&](const auto& e) {
            return e.first == path || isBelow(e.first, path) || isBelow(path, e.first);
        });
    }

    bool load(const Instruction& i) {
        const Value pointer = valueOf(i.word(0));
        values_[i.result] = {};
        if (!isLocal(module_, i.word(0))) return true;
        if (pointer.kind != Kind::kPointer || storedParts(pointer.path)) return false;
        if (const auto found = stored_.find(pointer.path);
            found != stored_.end() && !pointer.isInexact) {
            values_[i.result] = found->second;
            return true;
        }
        const bool isPart = std::ranges::any_of(
            stored_, [&](const auto& e) { return isBelow(pointer.path, e.first); });
        if (isPart || stored_.contains(pointer.path)) return !hasSums(pointer.path);
        if (module_.def(i.type).opcode == OpTypeCooperativeMatrixKHR) {
            if (pointer.isInexact || sliced_.contains(i.type)) return false;
            values_[i.result] = {Kind::kSum, sums_[pointer.path], pointer.path};
            return true;
        }
        loadedBefore_.insert(pointer.path.front());
        return !hasSums(pointer.path);
    }

    bool store(const Instruction& i) {
        const Value pointer = valueOf(i.word(0));
        Value value = valueOf(i.word(1));
        if (pointer.kind != Kind::kPointer || pointer.isInexact) return false;
        if (loadedBefore_.contains(pointer.path.front())) return false;
        if (value.kind == Kind::kSum) {
            uint64_t& written = sums_[pointer.path];
            if (value.path != pointer.path || value.number != written) return false;
            value = {Kind::kSum, ++written, pointer.path};
        } else if (hasSums(pointer.path)) {
            return false;
        }
        std::erase_if(stored_, [&](const auto& e) { return isBelow(e.first, pointer.path); });
        stored_[pointer.path] = std::move(value);
        return true;
    }

    bool multiply(const Instruction& i) {
        executed_.insert(&i);
        Value sum = valueOf(i.word(2));
        if (valueOf(i.word(0)).kind != Kind::kFactor || valueOf(i.word(1)).kind != Kind::kFactor ||
            sum.kind != Kind::kSum) {
            return false;
        }
        if (saturates(i)) return false;
        values_[i.result] = std::move(sum);
        return true;
    }

    bool compute(const Instruction& i) {
        if (i.result == 0) return true;
        std::vector<uint64_t> numbers;
        for (const Operand& o : i.operands) {
            const Value value = o.isId ? valueOf(o.word) : Value{};
            if (value.kind != Kind::kUnknown && value.kind != Kind::kNumber) return false;
            if (value.kind == Kind::kNumber) numbers.push_back(value.number);
        }
        values_[i.result] = {};
        if (numbers.empty() || numbers.size() != i.operands.size()) return true;
        const bool isCopy = i.opcode == OpBitcast || i.opcode == OpCopyObject;
        const auto number = isCopy ? std::optional(numbers[0])
                                   : evaluate(i.opcode, {numbers[0]}, Scalar{numbers.back()});
        if (number && is32Bits(module_.def(i.type)))
            values_[i.result] = {Kind::kNumber, low32(*number)};
        return true;
    }

    const Module& module_;
    const FunctionFacts& facts_;
    const std::set<Id>& sliced_;
    std::map<Id, Value> values_;
    std::map<Path, Value> stored_;
    std::map<Path, uint64_t> sums_;    // stores to each
    std::set<uint64_t> loadedBefore_;  // variables that were loaded before any store
    std::set<const Instruction*> executed_;
    uint32_t steps_ = 0;
    uint32_t calls_ = 0;  // depth of calls
};

}  // namespace

std::optional<std::set<const Instruction*>> executedInSlices(const Module& module,
                                                             const FunctionFacts& facts,
                                                             const std::set<Id>& sliced,
                                                             const Function& function,
                                                             const Segment& segment) {
    Repetition repetition(module, facts, sliced);
    if (!repetition.holds(function, segment)) return std::nullopt;
    return repetition.executed();
}

bool isLocal(const Module& module, Id pointer) {
    return module.pointee(pointer) != 0 && isPrivate(module.storage(pointer));
}

namespace {

class SegmentFinder {
 public:
    SegmentFinder(const FunctionFacts& facts, const Function& function)
        : facts_(facts), function_(function), graph_(facts.graph(function)) {}

    std::vector<Segment> run() {
        // Inner loops first.
        for (const Loop& loop : std::views::reverse(graph_.loops())) searchLoop(loop);
        search(0, nullptr);
        return std::move(segments_);
    }

 private:
    // Searches the body of a loop, from the first block behind the test of its condition.
    void searchLoop(const Loop& loop) {
        std::optional<size_t> start = loop.header;
        const Instruction* last = function_.blocks[loop.header]->body.back().get();
        if (last->opcode == OpBranch) start = graph_.number(last->word(0));
        if (!start || *start <= loop.header) return;
        last = function_.blocks[*start]->body.back().get();
        if (last->opcode == OpBranchConditional && !mergeOf(*function_.blocks[*start])) {
            if (graph_.number(last->word(2)) == loop.merge)
                start = graph_.number(last->word(1));
            else if (graph_.number(last->word(1)) == loop.merge)
                start = graph_.number(last->word(2));
        }
        if (start && *start > loop.header) search(*start, &loop);
    }

    // The blocks that are executed whenever the first one is, in order, up to the end of the loop.
    std::vector<size_t> chainFrom(size_t first, const Loop* loop) const {
        std::vector<size_t> chain;
        for (std::optional<size_t> at = first; at && (chain.empty() || *at > chain.back());) {
            if (loop != nullptr && isOneOf(*at, {loop->merge, loop->continueTarget})) break;
            chain.push_back(*at);
            const Block& b = *function_.blocks[*at];
            const Instruction* merge = mergeOf(b);
            if (merge == nullptr && b.body.back()->opcode != OpBranch) break;
            at = graph_.number(merge != nullptr ? merge->word(0) : b.body.back()->word(0));
        }
        return chain;
    }

    void search(size_t first, const Loop* loop) {
        const std::vector<size_t> chain = chainFrom(first, loop);
        begin_ = {first, 0};
        end_.reset();
        for (size_t c = 0; c < chain.size(); ++c) {
            const bool last = c + 1 == chain.size();
            walk(chain[c]);
            if (last) break;
            if (mergeOf(*function_.blocks[chain[c]]) != nullptr) {
                construct(chain[c], chain[c + 1]);
            }
        }
        close();
    }

    // Visits the instructions of a block of the chain, up to its merge or terminator.
    void walk(size_t b) {
        const InstructionList& body = function_.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) {
            const Instruction& i = *body[at];
            const bool isAtStart = i.opcode == OpVariable || i.opcode == OpPhi;
            if (isTerminator(i.opcode) || &i == mergeOf(*function_.blocks[b])) return;
            const bool repeats = facts_.mayRepeat(i);
            if (!repeats) close();
            if (isAtStart || !repeats) begin_ = {b, at + 1};
            if (facts_.multiplies(i)) end_ = Position{b, endOfStores(b, at)};
        }
    }

    // The place behind the stores of a product's result in the block.
    size_t endOfStores(size_t b, size_t product) const {
        const InstructionList& body = function_.blocks[b]->body;
        size_t end = product + 1;
        for (size_t at = end; at < body.size(); ++at) {
            if (body[at]->opcode == OpStore && body[at]->word(1) == body[product]->result) {
                end = at + 1;
            }
        }
        return end;
    }

    // Visits the blocks of a construct between its header and its merge block.
    void construct(size_t header, size_t merge) {
        bool repeats = true, multiplies = false;
        for (size_t b = header + 1; b < merge; ++b) {
            for (const InstructionPtr& i : function_.blocks[b]->body) {
                repeats &= facts_.mayRepeat(*i);
                multiplies |= facts_.multiplies(*i);
            }
        }
        if (!repeats) {
            close();
            begin_ = {merge, 0};
        } else if (multiplies) {
            const InstructionList& body = function_.blocks[merge]->body;
            const auto phis = std::ranges::find_if(
                body, [](const InstructionPtr& i) { return i->opcode != OpPhi; });
            end_ = Position{merge, static_cast<size_t>(phis - body.begin())};
        }
    }

    // Ends the segment, if it has a multiply-add.
    void close() {
        if (end_) segments_.push_back({begin_, *end_});
        end_.reset();
    }

    const FunctionFacts& facts_;
    const Function& function_;
    const BlockGraph& graph_;
    std::vector<Segment> segments_;
    Position begin_;
    std::optional<Position> end_;  // behind the last multiply-add so far
};

}  // namespace

std::vector<Segment> findSegments(const FunctionFacts& facts, const Function& function) {
    if (function.blocks.empty()) return {};
    return SegmentFinder(facts, function).run();
}

}  // namespace coopvk::rewrite
