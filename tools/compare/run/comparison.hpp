// SPDX-License-Identifier: Apache-2.0
//
// A whole comparison: the sides, the cases, and the results.
#pragma once

#include <memory>
#include <span>

#include "compare/report/judge.hpp"
#include "compare/report/saved.hpp"
#include "compare/run/reference_device.hpp"
#include "compare/run/runner.hpp"

namespace coopvk::compare {

// The reference device is in place of the native side, and needs no Vulkan device.
enum class Sides { kBoth, kNative, kEmulated, kReference };

struct Options {
    std::string extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    uint32_t device = 0;
    Sides sides = Sides::kBoth;
    std::string backEnd = "core";
    uint64_t seed = 1;
    std::string filter;  // a regular expression over the names of cases
    std::optional<size_t> onlyCase;
    bool quick = false;    // a sample of the grid
    bool allRows = false;  // also those that only one side lists
    Tolerance tolerance;
    std::string against;  // results in place of the native side's
    bool quiet = false;
    uint32_t jobs = 0;  // threads that create pipelines; 0: as many as there are processors
};

// A side of the comparison, for reports.
struct SideDescription {
    bool present = false;
    std::string name;    // device and driver, and where the results come from
    std::string absent;  // why it does not take part
};

class Comparison {
 public:
    // Throws where neither side can run the extension.
    explicit Comparison(const Options& options);
    ~Comparison();

    // The chosen cases, with their numbers among all cases.
    const std::vector<Case>& grid() const { return grid_; }
    const std::vector<size_t>& chosen() const { return chosen_; }
    const std::vector<std::string>& notes() const { return notes_; }
    const Options& options() const { return options_; }
    const SideDescription& native() const { return native_; }
    const SideDescription& emulated() const { return emulated_; }

    Plan planOf(size_t number) const;
    // Results of one case, null for sides that do not take part.
    struct Outcomes {
        std::optional<Outcome> native, emulated;
    };
    Outcomes runSides(size_t number, const Plan& plan);
    Verdict verdictOf(size_t number, const Plan& plan, const Outcomes& outcomes) const;
    Verdict run(size_t number, const Plan& plan);
    std::vector<Verdict> runAll();
    // All results of a run are kept for saving.
    void keepResults(SideKind side, SavedResults& into) {
        kept_ = &into;
        keptSide_ = side;
    }

 private:
    void openSides();
    void openDevices();
    void openSaved();
    void makeGrid();
    void choose();
    void noteBits();
    std::vector<Plan> prepare(std::span<const size_t> numbers);

    Options options_;
    DeviceShape shape_;
    std::unique_ptr<Gpu> nativeGpu_, emulatedGpu_;
    std::unique_ptr<Side> nativeRunner_, emulatedRunner_;
    std::unique_ptr<ReferenceDevice> reference_;
    std::optional<SavedResults> saved_;
    SideDescription native_, emulated_;
    std::vector<Case> grid_;
    std::vector<size_t> chosen_;
    std::vector<std::string> notes_;
    SavedResults* kept_ = nullptr;
    SideKind keptSide_ = SideKind::kNative;
};

}  // namespace coopvk::compare
