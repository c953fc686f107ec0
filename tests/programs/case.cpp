// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <spirv-tools/libspirv.hpp>

#include "../random_tuning.hpp"

namespace coopvk::programs {

using check::Verdict;

namespace {

// One in eight is on long vectors, two are on cooperative vectors.
constexpr size_t kKindOf[] = {1, 0, 0, 2, 1, 0, 0, 0};

// Of so many programs one is large: those take most of the time all the same.
constexpr uint64_t kLargeEvery = 10;

void chooseDevice(Case& made) {
    check::Random random(~made.seed);
    const std::span<const check::DeviceClass> classes = check::deviceClasses();
    const check::DeviceClass* chosen = nullptr;
    do {
        chosen = &classes[random.below(static_cast<uint32_t>(classes.size()))];
    } while (chosen->maxLanes < made.program.lanes);
    made.deviceClass = chosen->name;
    made.device = check::referenceTraits(*chosen);
    test::changeFeatures(made.device, random);
    made.device.emulatesFloat16 = random.below(8) == 0;
    made.device.shaderFloat16 = !made.device.emulatesFloat16;
    made.device.shaderSubgroupUniformControlFlow = random.below(4) != 0;
    test::changeMemory(made.device, random);
}

}  // namespace

Case caseOf(uint64_t seed, const Kind* kind, std::optional<Size> size) {
    check::Random random(seed);
    const uint32_t lanes = 4u << random.below(6);
    const Kind& chosen = kKinds[kKindOf[random.below(std::size(kKindOf))]];
    const Kind& used = kind != nullptr ? *kind : chosen;
    const uint64_t own = random.next();
    const Size chosenSize =
        check::Random(seed ^ 0x73697A65).below(kLargeEvery) == 0 ? Size::kLarge : Size::kSmall;
    Case made{seed, used.make(own, lanes, Features::kAll, size.value_or(chosenSize)),
              random.below(3) == 0 ? rewrite::BackEnd::kNative : rewrite::BackEnd::kCore,
              static_cast<reference::Choice>(random.below(3)), random.below(8) == 0};
    chooseDevice(made);
    made.tuning = test::randomTuning(made.seed ^ 0x74756E696E67, lanes);
    return made;
}

std::optional<std::vector<uint32_t>> assemble(const std::string& text, std::string& problem) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
            problem += "line " + std::to_string(at.line + 1) + ": " + message;
        });
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words)) return std::nullopt;
    return words;
}

rewrite::Target targetOf(const Case& made) {
    rewrite::Target target{.device = made.device};
    target.subgroupSize = made.program.lanes;
    target.backEnd = made.backEnd;
    target.tuning = made.tuning;
    return target;
}

std::string rewritten(const Case& made, std::span<const uint32_t> words,
                      const rewrite::Target& target) {
    std::vector<rewrite::SpecializationEntry> entries;
    for (const check::SpecializationValue& value : made.program.specialization)
        entries.push_back(
            {value.constantId, std::as_bytes(std::span(&value.bits, 1)).first(value.size)});
    const auto result =
        rewrite::rewrite({.words = words, .entryPoint = "main", .specialization = entries}, target);
    return result ? rewrite::disassemble(result->words) : "";
}

namespace {

std::string messageOf(const check::Outcome& outcome) {
    std::string text = outcome.message;
    if (!outcome.pass.empty()) text += " (with " + outcome.pass + ")";
    for (const check::Difference& difference : outcome.comparison.differences) {
        text += "\n  " + difference.buffer + ", byte " + std::to_string(difference.byte) + ": " +
                difference.rewritten + ", not " + difference.native;
        text += "\n    native: last written by " + difference.nativeWrite;
        text += "\n    rewritten: last written by " + difference.rewrittenWrite;
    }
    for (const reference::Report& report : outcome.native)
        text += "\n  native: " + reference::describe(report);
    for (const reference::Report& report : outcome.rewritten)
        text += "\n  rewritten: " + reference::describe(report);
    return text;
}

}  // namespace

check::MemoryChoice memoryOf(const Case& made) {
    check::MemoryChoice memory{.seed = made.seed, .bufferSize = made.program.bufferSize};
    const auto push = std::as_bytes(std::span(made.program.push));
    memory.pushConstants.assign(push.begin(), push.end());
    return memory;
}

Result execute(const Case& made, std::span<const uint32_t> words,
               std::span<const uint32_t> rewritten, More more, uint64_t steps) {
    check::Subject subject{.words = words, .rewritten = rewritten};
    subject.specialization = made.program.specialization;
    subject.target = targetOf(made);
    check::Options options;
    options.lanes = {made.program.lanes};
    options.backEnds = {made.backEnd};
    if (more == More::kSome) options.schedules = {made.schedule};
    options.threads = 1;
    options.moreValues = more == More::kAll || made.seed % 4 == 1;
    options.moreSpecials = more == More::kAll || made.seed % 4 == 3;
    options.moreGroups = more == More::kAll;
    options.steps = steps;
    options.validate = made.validate && made.program.canBeValidated;
    options.memory = memoryOf(made);
    const std::vector<check::Outcome> outcomes = check::check(subject, options);
    return {outcomes.front().verdict, messageOf(outcomes.front()),
            outcomes.front().reliesOnReconvergence};
}

bool isGood(Verdict verdict) {
    return verdict == Verdict::kAgrees || verdict == Verdict::kNotApplicable ||
           verdict == Verdict::kNotComparable || verdict == Verdict::kLayout;
}

}  // namespace coopvk::programs
