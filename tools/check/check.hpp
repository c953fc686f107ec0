// SPDX-License-Identifier: Apache-2.0
//
// Translation validation: executes a module natively and rewritten on the reference device, with
// the same memory, and says where they part.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "freedom.hpp"

namespace coopvk::check {

// A shader, and for what it is rewritten. The target's subgroup size, emulated extensions
// and back-end are those of the options, unless `asRecorded`.
struct Subject {
    std::span<const uint32_t> words;
    std::string entryPoint;                    // empty: the first one of the stage
    std::optional<rewrite::Stage> stage = {};  // empty: compute, if the module has that
    std::vector<SpecializationValue> specialization;
    rewrite::Target target;
    bool asRecorded = false;
    uint64_t maxSteps = rewrite::kMaxSteps;  // of the rewriter
    // If there is one, it is executed in place of what the rewriter makes.
    std::span<const uint32_t> rewritten = {};
};

// An execution of the module on another device than the reference device.
struct DeviceRequest {
    std::span<const uint32_t> words;
    const std::string& entryPoint;
    std::span<const SpecializationValue> specialization;
    uint32_t lanes;
    const Module& module;
    const Memory& memory;
    std::array<uint32_t, 3> groups, workgroup;
};
struct OnDevice {
    std::string whyNot = {};  // the device has not what it needs; empty: it was executed
    Execution execution = {};
    // The widths of floats whose denormals it cannot preserve, as reference::Settings::flushed.
    uint32_t flushes = 0;
};
inline constexpr uint32_t kAnyWidth = 16 + 32 + 64;
struct Replay;
using ExecuteOnDevice = std::function<OnDevice(const DeviceRequest&)>;

struct Options {
    std::vector<uint32_t> lanes = {4, 8, 16, 32, 64, 128};
    std::vector<rewrite::BackEnd> backEnds = {rewrite::BackEnd::kCore, rewrite::BackEnd::kNative};
    // Each also chooses placement, sums and reconvergence on the rewritten side.
    std::vector<reference::Choice> schedules = {
        reference::Choice::kPlain, reference::Choice::kShuffled, reference::Choice::kAdversarial};
    std::array<uint32_t, 3> groups = {1, 1, 1};
    MemoryChoice memory;
    uint32_t checks = reference::kAllChecks;
    uint32_t threads = 0;  // of the host; 0: all
    uint64_t steps = 0;    // blocks that a subgroup may execute; 0: no limit
    bool validate = true;  // false: both modules count as valid, which takes half of the time
    // What further executions change, to find what the first ones hide: numbers with fractions,
    // parameters of which matrices are not whole multiples, several workgroups.
    bool moreValues = false, moreParameters = false, moreGroups = false;
    bool moreSpecials = false;  // NaN, infinities, denormal numbers, extremes
    // If there is one, it executes the module, in place of the rewritten one here.
    ExecuteOnDevice device = {};
    // What functions of open precision may give, natively. Other compilers may compute them by
    // other functions, as a device may.
    reference::Functions functions = reference::Functions::kAsHere;
    // A GPU whose matrix units add the products, on both sides; nothing: exact sums, and on the
    // rewritten side what the schedule chooses.
    std::optional<reference::Choice> unit = {};
    // If there is one, it gets the executions behind each outcome (replay.hpp).
    std::function<void(const Replay&)> replays = {};
};

enum class Verdict {
    kAgrees,
    kDiffers,
    kReports,    // the rewritten module alone gives reports
    kInvalid,    // the rewritten module is invalid, or did not run to its end
    kRefused,    // by the rewriter
    kUndefined,  // any result would be right: reports of the native execution; or races there, and
                 // differences
    kNotExecutable,  // the reference device does not run the module natively
    kNotApplicable,  // matrices without whole subgroups, or the device has not what it needs
    kNotComparable,  // a branch or an address depends on a float that may be another; or no number
                     // has an interval
    kLayout,  // each number depends on the invocation that holds an element: none is compared
};
std::string_view nameOf(Verdict verdict);
// A fault of the rewriter: kDiffers, kReports, kInvalid.
bool isFault(Verdict verdict);

// Of one subgroup size and back-end.
struct Outcome {
    uint32_t lanes = 0;
    bool isDevice = false;  // not of the rewritten module, but of what the device computed
    rewrite::BackEnd backEnd = rewrite::BackEnd::kCore;
    reference::Choice schedule = reference::Choice::kPlain;  // with which it became the verdict
    Verdict verdict = Verdict::kAgrees;
    bool isRacy = false;  // the module itself: one schedule, without the check of races
    bool reliesOnReconvergence = false;  // the same: lanes that part meet at merge blocks
    std::string message;
    std::string pass;  // of the further executions that became the verdict: what they change
    WrittenCount written;
    Comparison comparison;
    std::vector<reference::Report> native, rewritten;
};

// Traits of the reference device, with its own matrices.
rewrite::DeviceTraits referenceTraits();

// The reference device as one of a class that the rewriter knows (`coopvk info`, "class").
struct DeviceClass {
    std::string_view name;
    uint32_t maxLanes = reference::kMaxLanes;
    void (*change)(rewrite::DeviceTraits& traits);
};
std::span<const DeviceClass> deviceClasses();
rewrite::DeviceTraits referenceTraits(const DeviceClass& deviceClass);

// Throws std::bad_alloc.
std::vector<Outcome> check(const Subject& subject, const Options& options);

}  // namespace coopvk::check
