// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace coopvk::compare {

// While it lives, a crash of this thread (in a driver's compiler, mostly) says in which case it
// happened.
class CrashNote {
 public:
    explicit CrashNote(const std::string& name);
    ~CrashNote();
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;
};

}  // namespace coopvk::compare
