// SPDX-License-Identifier: Apache-2.0
//
// What the layer reports to `coopvk run` about the program that it started. At each event the layer
// appends a line to the file that the environment names. It does so at once, so that nothing is
// lost if the program crashes; several processes may share the file. A line has fields with tabs
// between them:
//
//   EVENT  PROCESS  PROGRAM  ...
//
// and then, by the event:
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "system/files.hpp"

namespace coopvk::layer {

inline constexpr const char* kRunReportVariable = "COOPVK_RUN_REPORT";

namespace run_event {
inline constexpr std::string_view kInstance = "instance";
// EXE WINE: as sections of coopvk.conf match it; follows the one above
inline constexpr std::string_view kProgram = "program";
// DEVICE EXTENSION native|emulated|unavailable REASON
inline constexpr std::string_view kDecision = "decision";
// DEVICE EMULATED-EXTENSIONS NATIVE-EXTENSIONS: enabled by the program, separated by commas
inline constexpr std::string_view kDevice = "device";
// DEVICE MESSAGE: vkCreateDevice asked for something that does not exist
inline constexpr std::string_view kNoDevice = "no-device";
// DEVICE EXTENSIONS: shaders or commands used these for the first time
inline constexpr std::string_view kEmulated = "emulated";
// DEVICE MESSAGE: a shader that cannot be rewritten
inline constexpr std::string_view kRefused = "refused";
// DEVICE MESSAGE: the device was lost, after shaders were rewritten
inline constexpr std::string_view kLost = "lost";
}  // namespace run_event

class RunReport {
 public:
    explicit RunReport(const std::string& path);  // empty: reports nothing
    RunReport(const RunReport&) = delete;
    RunReport& operator=(const RunReport&) = delete;

    bool isOn() const { return file_.isOpen(); }
    void write(std::string_view event, std::initializer_list<std::string_view> fields);

 private:
    FileDescriptor file_;
};

// The path that the environment names, or an empty one.
std::string runReportPath();

}  // namespace coopvk::layer
