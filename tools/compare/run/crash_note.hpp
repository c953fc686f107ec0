// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coopvk::compare {

// While this object exists, a crash of this thread (mostly in a driver's compiler) prints the case
// in which it happened.
class CrashNote {
 public:
    explicit CrashNote(const std::string& name);
    ~CrashNote();
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;
};

}  // namespace coopvk::compare
