// SPDX-License-Identifier: Apache-2.0
#include "prove.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "assertions.hpp"
#include "assumptions.hpp"
#include "coopvk_reference/symbols.hpp"
#include "counterexamples.hpp"
#include "declarations.hpp"
#include "rewriting.hpp"
#include "side.hpp"
#include "stages.hpp"
#include "symbolic_memory.hpp"

namespace coopvk::check {
namespace {

using Clock = std::chrono::steady_clock;
using reference::Reconvergence;

struct NameRow {
    ProofVerdict verdict;
    std::string_view name;
};
constexpr NameRow kNames[] = {
    {ProofVerdict::kProved, "proved"},
    {ProofVerdict::kProvedFor, "proved for these parameters"},
    {ProofVerdict::kDiffers, "differs"},
    {ProofVerdict::kNotProvable, "not provable"},
    {ProofVerdict::kRefused, "refused"},
    {ProofVerdict::kNotApplicable, "not applicable"},
    {ProofVerdict::kNotExecutable, "not executable"},
};

constexpr size_t kMostBits = 6, kMostCases = 64;

// A bit of memory.
struct MemoryBit {
    size_t buffer;
    uint64_t offset;
    uint8_t bit;
    reference::Deviation symbol;
};

// Contents of memory: some bits have a value in each, and together the cases have all values.
struct Case {
    Memory memory;
    std::vector<std::vector<reference::Deviation>> deviations;
    uint64_t number = 0;
    Execution native = {};
};

// An access to a matrix or a vector that is not aligned, or is outside of memory.
bool isOfLines(const reference::Report& report) {
    return report.check == reference::kCheckBounds &&
           (report.instruction.starts_with("OpCooperativeMatrix") ||
            report.instruction.starts_with("OpCooperativeVector"));
}

// Of one subgroup size.
class Prover {
 public:
    // `placement`: the layout of elements; nothing: the one for which the module is.
    Prover(const Subject& subject, const ProofOptions& options, uint32_t lanes,
           std::optional<reference::Choice> placement = {})
        : subject_(subject),
          options_(options),
          lanes_(lanes),
          module_(subject.words, subject.specialization),
          entryPoint_(subject.entryPoint),
          memory_(makeMemory(module_, options.check.memory)),
          symbolic_(module_, memory_, symbols_),
          stored_(module_, memory_.interface),
          relies_(assumedOf(module_, options.check.memory.stage) | madeUp(options.check.memory)),
          placement_(placement) {}

    std::vector<ProofOutcome> run() {
        ProofOutcome outcome{.lanes = lanes_};
        const auto start = Clock::now();
        outcome.verdict = executeNative(outcome.message);
        outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (outcome.verdict != ProofVerdict::kProved) return {outcome};
        nativeSeconds_ = outcome.seconds;
        std::vector<ProofOutcome> outcomes;
        if (options_.hasDevice || !subject_.rewritten.empty()) {
            for (const auto backEnd : options_.check.backEnds)
                outcomes.push_back(proveFor(subject_, "", backEnd));
            return outcomes;
        }
        for (const DeviceClass& each : deviceClasses()) {
            if (lanes_ > each.maxLanes) continue;
            Subject subject = subject_;
            subject.target.device = referenceTraits(each);
            for (const auto backEnd : options_.check.backEnds)
                outcomes.push_back(proveFor(subject, std::string(each.name), backEnd));
        }
        return outcomes;
    }

 private:
    ProofVerdict executeNative(std::string& message);
    void executeCase(Case& one, std::string& message);
    std::vector<MemoryBit> decidingPlaces();
    bool split(const Case& of, std::vector<Case>& to);
    bool take(std::span<const MemoryBit> places, const Case& of, std::vector<Case>& to);
    std::vector<ProofParameters> parameters() const;
    uint32_t madeUp(const MemoryChoice& choice) const;
    reference::Settings settings(Reconvergence reconvergence);
    Side sideOf(std::span<const uint32_t> words,
                std::span<const SpecializationValue> specialization, bool validates) const;
    Execution executeWithSymbols(const Side& side, const Case& one, std::string& obstacle,
                                 Reconvergence reconvergence = Reconvergence::kMaximal);
    bool reliesOnReconvergence();
    uint32_t assumedOfOther(const Module& module, const Side& side) const;
    ProofOutcome proveFor(const Subject& subject, std::string deviceClass,
                          rewrite::BackEnd backEnd);
    void proveTogether(const Side& side, const ProofOutcome& meeting, ProofOutcome& outcome);
    bool proveWords(std::span<const uint32_t> words, Reconvergence reconvergence,
                    ProofOutcome& outcome);
    void proveCases(const Side& side, Reconvergence reconvergence, ProofOutcome& outcome);
    bool proveCase(const Side& side, const Case& one, Reconvergence reconvergence,
                   std::vector<Case>& more, ProofOutcome& outcome);
    std::string otherAccess(const Case& one, const Execution& rewritten, size_t b,
                            uint32_t& assumptions) const;
    bool compare(const Case& one, const Execution& rewritten, ProofOutcome& outcome);
    void show(const Subject& subject, ProofOutcome& outcome) const;

    const Subject& subject_;
    const ProofOptions& options_;
    uint32_t lanes_;
    Module module_;
    std::string entryPoint_;
    Memory memory_;
    reference::Symbols symbols_;
    SymbolicMemory symbolic_;
    StoredFloats stored_;
    uint32_t relies_;  // on these assumptions; the same
    std::optional<reference::Choice> placement_;
    Side native_;
    std::vector<Side> rewritten_;  // whose instructions terms name
    std::vector<Case> cases_;
    Memory failed_;     // of the case that could not be proved
    size_t count_ = 1;  // of cases, with those that are still to be executed
    // Of buffers, bytes; true: it is of an address, as which the execution used it.
    using Parameters = std::map<std::pair<size_t, uint64_t>, bool>;
    Parameters parameters_, nativeParameters_;
    double nativeSeconds_ = 0;
    uint64_t lastCase_ = 0;
    bool areLanesApart_ = false;                 // of the rewritten module, at some time
    bool isStoppedByData_ = false;               // the last execution
    std::optional<bool> reliesOnReconvergence_;  // the native module
    // By rewritten words.
    std::map<std::pair<Reconvergence, std::vector<uint32_t>>, ProofOutcome> known_;
};

reference::Settings Prover::settings(Reconvergence reconvergence) {
    reference::Settings settings;
    settings.subgroupSize = lanes_;
    settings.seed = options_.check.memory.seed;
    settings.placement = placement_.value_or(reference::Choice::kPlain);
    settings.steps = options_.check.steps;
    settings.threads = 1;
    settings.reconvergence = reconvergence;
    settings.symbols = &symbols_;
    return settings;
}

Side Prover::sideOf(std::span<const uint32_t> words,
                    std::span<const SpecializationValue> specialization, bool validates) const {
    return makeSide({.words = words,
                     .entryPoint = entryPoint_,
                     .specialization = specialization,
                     .lanes = lanes_,
                     .validate = validates,
                     .stage = options_.check.memory.stage,
                     .placement = placement_,
                     .optimalLayout = optimalLayoutOf(subject_)});
}

Execution Prover::executeWithSymbols(const Side& side, const Case& one, std::string& obstacle,
                                     Reconvergence reconvergence) {
    (void)symbols_.takeObstacle();
    (void)symbols_.takeDecidingBits();
    symbols_.setContents(one.number);
    Execution result = execute(side, one.memory, options_.check.groups, settings(reconvergence),
                               true, one.deviations);
    obstacle = symbols_.takeObstacle();
    isStoppedByData_ = !obstacle.empty();
    if (obstacle.empty()) obstacle = result.error;
    if (obstacle.empty() && !result.reports.empty())
        obstacle = reference::describe(result.reports.front());
    return result;
}

void Prover::executeCase(Case& one, std::string& message) {
    one.number = ++lastCase_;
    one.native = executeWithSymbols(native_, one, message);
    if (symbols_.checksLines && std::ranges::any_of(one.native.reports, isOfLines)) {
        symbols_.checksLines = false;
        one.native = executeWithSymbols(native_, one, message);
    }
    if (one.native.padding.empty()) return;
    (void)clearPadding(one.native.padding, one.memory);
    for (const auto& [buffer, offset] : one.native.padding) one.deviations[buffer][offset] = 0;
    one.native = executeWithSymbols(native_, one, message);
}

// What decided what stopped the last execution; empty: other things, or too much.
std::vector<MemoryBit> Prover::decidingPlaces() {
    std::vector<MemoryBit> places;
    for (const auto& [symbol, bits] : symbols_.takeDecidingBits()) {
        const size_t before = places.size();
        for (size_t b = 0; b < symbolic_.deviations().size(); ++b) {
            const auto& all = symbolic_.deviations()[b];
            const auto found = std::ranges::find(all, symbol);
            for (uint8_t bit = 0; bit < 8 && found != all.end(); ++bit)
                if ((bits >> bit & 1) != 0)
                    places.push_back({b, uint64_t(found - all.begin()), bit, symbol});
        }
        if (places.size() == before) return {};
    }
    return places;
}

// A case for each value of these bits. False: they are none, or too many.
bool Prover::split(const Case& of, std::vector<Case>& to) {
    const std::vector<MemoryBit> places = decidingPlaces();
    const size_t count = size_t{1} << std::min(places.size(), kMostBits + 1);
    if (places.empty()) return false;
    if (places.size() > kMostBits || count_ - 1 + count > kMostCases) return take(places, of, to);
    count_ += count - 1;
    for (size_t values = 0; values < count; ++values) {
        Case one{of.memory, of.deviations};
        for (size_t n = 0; n < places.size(); ++n) {
            const auto& [buffer, offset, bit, symbol] = places[n];
            const auto mask = uint8_t(1u << bit), value = uint8_t((values >> n & 1) << bit);
            const std::byte byte = one.memory.buffers[buffer].bytes[offset];
            setByte(one.memory, buffer, offset, (byte & std::byte(~mask)) | std::byte(value));
            reference::Deviation& deviation = one.deviations[buffer][offset];
            deviation = symbols_.withBits({deviation, mask}, value);
        }
        to.push_back(std::move(one));
    }
    return true;
}

// One case: the bytes with these bits are parameters. Addresses always may be.
bool Prover::take(std::span<const MemoryBit> places, const Case& of, std::vector<Case>& to) {
    Parameters parameters = parameters_;
    for (const auto& [buffer, offset, bit, symbol] : places)
        parameters.emplace(std::pair(buffer, offset),
                           symbols_.decidesAddress() && symbolic_.mayBeAddress(buffer, offset));
    const auto others = std::ranges::count(parameters, false, &Parameters::value_type::second);
    if (others > std::ptrdiff_t(options_.parameters)) return false;
    Case one{of.memory, of.deviations};
    bool isFewer = false;
    for (const auto& [place, isAddress] : parameters)
        isFewer |= std::exchange(one.deviations[place.first][place.second], 0) != 0;
    if (!isFewer) return false;
    parameters_ = std::move(parameters);
    to.push_back(std::move(one));
    return true;
}

std::vector<ProofParameters> Prover::parameters() const {
    std::vector<ProofParameters> ranges;
    for (auto at = parameters_.begin(); at != parameters_.end();) {
        const auto [buffer, first] = at->first;
        const Buffer& of = memory_.buffers[buffer];
        ProofParameters& range = ranges.emplace_back();
        range.isMadeUp = memory_.given == nullptr;
        uint64_t end = first;
        for (; at != parameters_.end() && at->first == std::pair{buffer, end}; ++at)
            range.values.push_back(of.bytes[end++]);
        range.range = end == first + 1 ? std::format("{}, byte {}", of.name, first)
                                       : std::format("{}, bytes {} to {}", of.name, first, end - 1);
    }
    return ranges;
}

uint32_t Prover::madeUp(const MemoryChoice& choice) const {
    const bool hasPush = memory_.interface.pushConstants != 0 && choice.pushConstants.empty();
    const auto isUniform = [](const Buffer& buffer) { return buffer.use.isUniform; };
    const bool hasUniforms = std::ranges::any_of(memory_.buffers, isUniform);
    const bool isMadeUp = memory_.given == nullptr && (hasPush || hasUniforms);
    return isMadeUp ? kMadeUpValues : 0;
}

ProofVerdict Prover::executeNative(std::string& message) {
    if (!placement_) placement_ = placementAt(subject_, entryPoint_, lanes_);
    // What a dispatch is of, a device has taken, perhaps against the validator's opinion.
    const bool validates = options_.check.validate && memory_.given == nullptr;
    native_ = sideOf(subject_.words, subject_.specialization, validates);
    message = native_.error;
    if (native_.program == nullptr) return ProofVerdict::kNotExecutable;
    message = lackedSubgroups(subject_, *native_.program, lanes_);
    if (!message.empty()) return ProofVerdict::kNotApplicable;
    std::vector<Case> open = {{memory_, symbolic_.deviations()}};
    while (!open.empty()) {
        Case one = std::move(open.back());
        open.pop_back();
        executeCase(one, message);
        if (message.empty())
            cases_.push_back(std::move(one));
        else if (!split(one, open))
            break;
    }
    nativeParameters_ = parameters_;
    if (message.empty()) return ProofVerdict::kProved;
    message = "natively: " + message;
    return ProofVerdict::kNotProvable;
}

ProofOutcome Prover::proveFor(const Subject& subject, std::string deviceClass,
                              rewrite::BackEnd backEnd) {
    ProofOutcome outcome{
        .lanes = lanes_, .deviceClass = std::move(deviceClass), .backEnd = backEnd};
    std::vector<uint32_t> words(subject.rewritten.begin(), subject.rewritten.end());
    if (words.empty()) {
        auto result = rewriteFor(subject, entryPoint_, lanes_, backEnd);
        const bool isNative = backEnd == rewrite::BackEnd::kNative;
        if (!result) {
            const bool isNone = isNative && result.error().code == rewrite::ErrorCode::kUnsupported;
            outcome.message = result.error().message;
            outcome.verdict = isNone ? ProofVerdict::kNotApplicable : ProofVerdict::kRefused;
            return outcome;
        }
        words = std::move(result->words);
    }
    // Code that coopvk adds declares that lanes meet, where the device has the mode; else they do.
    const bool mayPart =
        !subject_.rewritten.empty() || subject.target.device.shaderSubgroupUniformControlFlow;
    const auto reconvergence = mayPart ? Reconvergence::kMinimal : Reconvergence::kMaximal;
    const std::pair key(reconvergence, words);
    if (const auto found = known_.find(key); found != known_.end()) {
        ProofOutcome same = found->second;
        same.deviceClass = outcome.deviceClass;
        same.backEnd = backEnd;
        return same;
    }
    const auto start = Clock::now();
    const bool mayDiffer = proveWords(words, reconvergence, outcome);
    outcome.terms = symbols_.terms();
    outcome.seconds = nativeSeconds_ + std::chrono::duration<double>(Clock::now() - start).count();
    if (mayDiffer && outcome.verdict == ProofVerdict::kNotProvable && options_.tries)
        show(subject, outcome);
    known_.emplace(key, outcome);
    return outcome;
}

// Whether other contents of memory may show more.
bool Prover::proveWords(std::span<const uint32_t> words, Reconvergence reconvergence,
                        ProofOutcome& outcome) {
    failed_ = memory_;
    std::span<const SpecializationValue> specialization;
    if (!subject_.rewritten.empty()) specialization = subject_.specialization;
    Side& side = rewritten_.emplace_back(sideOf(words, specialization, options_.check.validate));
    if (side.program == nullptr) {
        outcome.message = side.error;
        outcome.verdict = ProofVerdict::kNotProvable;
        return true;
    }
    const Module module(words, specialization);
    outcome.assumptions |= relies_ | assumedOf(module, options_.check.memory.stage);
    if (symbolic_.hasAddresses()) outcome.assumptions |= kKnownAddresses;
    if (!subject_.rewritten.empty()) outcome.assumptions |= assumedOfOther(module, side);
    outcome.message = newPromise(module_, module);
    if (outcome.message.empty()) outcome.message = otherDeclaration(module_, module);
    if (!outcome.message.empty()) {
        outcome.verdict = ProofVerdict::kNotProvable;
        return false;
    }
    ProofOutcome meeting = outcome;
    areLanesApart_ = false;
    proveCases(side, reconvergence, outcome);
    if (outcome.isProved() && (usesLanes(module_) || usesLanes(module))) {
        proveTogether(side, meeting, outcome);
        return true;
    }
    if (outcome.isProved() || reconvergence == Reconvergence::kMaximal) return true;
    // Ways of one lane, of which data choose, must meet to be executed one after the other.
    if (!isStoppedByData_ && !reliesOnReconvergence()) return true;
    meeting.assumptions |= kLanesMeet;
    proveCases(side, Reconvergence::kMaximal, meeting);
    outcome = std::move(meeting);
    return true;
}

// Where lanes were apart, devices may as well let them meet, or some of them.
void Prover::proveTogether(const Side& side, const ProofOutcome& meeting, ProofOutcome& outcome) {
    for (const auto reconvergence : {Reconvergence::kMaximal, Reconvergence::kRandom}) {
        if (!areLanesApart_ || !outcome.isProved()) return;
        ProofOutcome one = meeting;
        proveCases(side, reconvergence, one);
        if (!one.isProved()) outcome = std::move(one);
    }
}

// Of a module of another compiler, which is for no class of devices.
uint32_t Prover::assumedOfOther(const Module& module, const Side& side) const {
    const bool usesLayouts = reference::usesOptimalLayouts(*native_.program) ||
                             reference::usesOptimalLayouts(*side.program);
    // Vulkan, "Subgroups" (scopes): without full subgroups lanes may have no invocation.
    return (usesLanes(module_) || usesLanes(module) ? kLanesInOrder : 0) |
           (hasMatrices(module) || largestAlignment(module) != 0 ? kAlignedDescriptors : 0) |
           kDeviceNeeds | (usesLayouts ? kOptimalLayouts : 0);
}

// Whether the original computes other things where lanes that part meet only as its text and modes
// promise.
bool Prover::reliesOnReconvergence() {
    if (reliesOnReconvergence_) return *reliesOnReconvergence_;
    const auto isOther = [&](const Case& one) {
        std::string obstacle;
        const Execution apart = executeWithSymbols(native_, one, obstacle, Reconvergence::kMinimal);
        if (!obstacle.empty() || apart.contents != one.native.contents) return true;
        for (size_t b = 0; b < apart.accessed.size(); ++b)
            if (apart.accessed[b].deviations != one.native.accessed[b].deviations) return true;
        return false;
    };
    reliesOnReconvergence_ = std::ranges::any_of(cases_, isOther);
    return *reliesOnReconvergence_;
}

void Prover::proveCases(const Side& side, Reconvergence reconvergence, ProofOutcome& outcome) {
    parameters_ = nativeParameters_;
    std::vector<Case> more;
    count_ = cases_.size();
    for (const Case& one : cases_)
        if (!proveCase(side, one, reconvergence, more, outcome)) return;
    while (!more.empty()) {
        Case one = std::move(more.back());
        more.pop_back();
        executeCase(one, outcome.message);
        if (!outcome.message.empty()) {
            outcome.message = "natively: " + outcome.message;
            outcome.verdict = ProofVerdict::kNotProvable;
            return;
        }
        if (!proveCase(side, one, reconvergence, more, outcome)) return;
    }
    outcome.parameters = parameters();
    if (!outcome.parameters.empty()) outcome.verdict = ProofVerdict::kProvedFor;
    if (outcome.numbers != 0) return;
    outcome.verdict = ProofVerdict::kNotProvable;
    outcome.message = "the dispatch changes no memory";
}

// Whether it is proved, or cases of it are to be.
bool Prover::proveCase(const Side& side, const Case& one, Reconvergence reconvergence,
                       std::vector<Case>& more, ProofOutcome& outcome) {
    (void)symbols_.takeLanesParted();
    const Execution result = executeWithSymbols(side, one, outcome.message, reconvergence);
    const reference::LanesParted parted = symbols_.takeLanesParted();
    areLanesApart_ |= parted.areApart;
    if (parted.returned) outcome.assumptions |= kLanesMeet;
    if (outcome.message.empty()) return compare(one, result, outcome);
    if (split(one, more)) {
        outcome.message.clear();
        return true;
    }
    failed_ = one.memory;
    outcome.message = "rewritten: " + outcome.message;
    outcome.verdict = ProofVerdict::kNotProvable;
    return false;
}

// What the rewritten module accesses of a buffer, and the original does not; empty: nothing.
std::string Prover::otherAccess(const Case& one, const Execution& rewritten, size_t b,
                                uint32_t& assumptions) const {
    const Buffer& buffer = memory_.buffers[b];
    const Accessed &before = one.native.accessed[b], &now = rewritten.accessed[b];
    // What no invocation writes of an output is undefined.
    const bool isOutput = buffer.use.place == Place::kList;
    if (!isOutput && isAccessed(now) && !isAccessed(before))
        return std::format("rewritten: it accesses {}, which the original does not", buffer.name);
    for (size_t i = 0; i < before.writers.size(); ++i) {
        const bool isNew = now.writers[i] != 0;
        if (isNew == (before.writers[i] != 0) || (!isNew && !isOutput)) continue;
        const bool isKept = now.deviations[i] == before.deviations[i] &&
                            rewritten.contents[b][i] == one.native.contents[b][i];
        if (isNew && !isOutput && isKept && isInStoredWord(before, i)) {
            assumptions |= kRestsOfWords;
            continue;
        }
        return std::format("rewritten: it {} {}, byte {}, which the original does{}",
                           isNew ? "stores" : "does not store", buffer.name, i,
                           isNew ? " not" : "");
    }
    return {};
}

bool Prover::compare(const Case& one, const Execution& rewritten, ProofOutcome& outcome) {
    uint64_t numbers = 0;
    reference::Proof proof(symbols_);
    const auto refuse = [&](std::string message) {
        failed_ = one.memory;
        outcome.verdict = ProofVerdict::kNotProvable;
        outcome.message = std::move(message);
        return false;
    };
    for (size_t b = 0; b < memory_.buffers.size(); ++b) {
        const auto& before = one.deviations[b];
        const auto &n = one.native.accessed[b].deviations, &r = rewritten.accessed[b].deviations;
        const auto &nativeBytes = one.native.contents[b], &bytes = rewritten.contents[b];
        const auto isUntouched = [&](const WrittenNumber& number) {
            for (uint64_t i = number.offset; i < number.offset + number.size; ++i)
                if (n[i] != r[i] || n[i] != before[i] || nativeBytes[i] != bytes[i]) return false;
            return true;
        };
        if (auto other = otherAccess(one, rewritten, b, outcome.assumptions); !other.empty())
            return refuse(std::move(other));
        for (const WrittenNumber& number : numbersOf(module_, one.memory, b, one.native, stored_)) {
            if (isUntouched(number)) continue;
            ++numbers;
            const uint64_t at = number.offset;
            if (!proof.allows(n.data() + at, nativeBytes.data() + at, r.data() + at,
                              bytes.data() + at, number.size, number.format))
                return refuse(std::format("{}, byte {}: not shown to be the same: {}",
                                          memory_.buffers[b].name, at, proof.reason()));
        }
    }
    outcome.assumptions |= proof.assumptions();
    outcome.numbers = std::max(outcome.numbers, numbers);
    ++outcome.cases;
    return true;
}

// Where executions with other contents of memory show a difference.
void Prover::show(const Subject& subject, ProofOutcome& outcome) const {
    Options check = options_.check;
    check.lanes = {lanes_};
    check.backEnds = {outcome.backEnd};
    if (!subject.rewritten.empty()) check.functions = reference::Functions::kAsAnywhere;
    const Counterexamples examples(subject, std::move(check), failed_, symbolic_, symbols_);
    if (auto found = examples.find()) {
        outcome.verdict = ProofVerdict::kDiffers;
        outcome.shown = std::move(found->outcome);
        if (!found->contents.empty()) outcome.message = "with " + found->contents;
    }
}

// Of a proof that another one belongs to: what either needs, both do.
void addParameters(const std::vector<ProofParameters>& more, ProofOutcome& outcome) {
    for (const ProofParameters& one : more)
        if (std::ranges::find(outcome.parameters, one) == outcome.parameters.end())
            outcome.parameters.push_back(one);
    if (!outcome.parameters.empty()) outcome.verdict = ProofVerdict::kProvedFor;
}

// A module of another compiler is for each device: what relies on the layout of elements is proved
// with those of GPUs, too. They differ between uses and types, and one holds elements twice.
void proveInOthers(const Subject& subject, const ProofOptions& options, ProofOutcome& outcome) {
    using enum reference::Choice;
    if ((outcome.assumptions & kElementLayout) == 0) return;
    for (const auto placement : {kAdversarial, kNvidia, kRdna3, kRdna4}) {
        if (!outcome.isProved()) return;
        const ProofOutcome other = Prover(subject, options, outcome.lanes, placement).run().front();
        outcome.seconds += other.seconds;
        outcome.assumptions |= other.assumptions;
        if (other.isProved()) addParameters(other.parameters, outcome);
        if (other.isProved() || other.verdict == ProofVerdict::kNotApplicable) continue;
        outcome.verdict = ProofVerdict::kNotProvable;
        outcome.message = "with another layout of elements: " + other.message;
    }
}

}  // namespace

std::string_view nameOf(ProofVerdict verdict) {
    return std::ranges::find(kNames, verdict, &NameRow::verdict)->name;
}

std::vector<ProofOutcome> prove(const Subject& of, const ProofOptions& with) {
    const Subject subject = withStage(of);
    ProofOptions options = with;
    options.check = forStage(options.check, subject);
    std::vector<ProofOutcome> outcomes;
    for (const uint32_t lanes : options.check.lanes)
        for (ProofOutcome& outcome : Prover(subject, options, lanes).run()) {
            if (!subject.rewritten.empty()) proveInOthers(subject, options, outcome);
            outcomes.push_back(std::move(outcome));
        }
    return outcomes;
}

}  // namespace coopvk::check
