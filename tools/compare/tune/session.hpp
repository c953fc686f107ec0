// SPDX-License-Identifier: Apache-2.0
//
// A run of `coopvk tune` on a device: what is to be measured, in processes of their own, what was
// measured before, and the profile that comes of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compare/tune/search.hpp"
#include "device/device_facts.hpp"

namespace coopvk::tune {

struct TuneOptions {
    uint32_t device = 0;
    double seconds = 600;  // for all
    bool resume = false;
    std::vector<std::string> only;  // names of choices; empty: all
    bool list = false;
    std::string measure;  // what this process measures for the command: a MeasureRequest
};

class TuneSession {
 public:
    // Throws std::runtime_error where the device cannot be tuned.
    explicit TuneSession(const TuneOptions& options);

    bool areAlike(const std::string& base, const std::string& candidate);
    std::optional<Measured> measure(const Trial& trial);
    void add(const Trial& trial);  // to the profile's list

    // False if the file cannot be written. Else the search is over: nothing is left to resume.
    bool writeProfile(const Found& found);
    const std::filesystem::path& path() const { return path_; }
    double seconds() const;  // since the start
    std::string deviceName() const { return facts_.traits.name; }

 private:
    using Words = std::vector<uint32_t>;
    using WordsOfWorks = std::vector<std::optional<Words>>;

    const WordsOfWorks& wordsFor(const std::string& tuning);
    std::vector<uint32_t> changedWorks(const std::string& base, const std::string& candidate);
    std::optional<Measured> start(const Trial& trial, double left);
    void readPart();
    bool write(const std::filesystem::path& path, const nlohmann::ordered_json& json) const;

    const TuneOptions options_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    layer::DeviceFacts facts_;
    std::string driver_;
    std::filesystem::path path_, part_;
    std::map<std::string, WordsOfWorks> words_;
    nlohmann::ordered_json key_, measured_ = nlohmann::ordered_json::object();
    nlohmann::ordered_json tried_ = nlohmann::ordered_json::array();
};

}  // namespace coopvk::tune
