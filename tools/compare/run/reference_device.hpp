// SPDX-License-Identifier: Apache-2.0
//
// The reference device, in this process and without a GPU: it executes a case's shader as the
// specifications say. It gives the results that are expected of each side, and is a side itself.
#pragma once

#include "compare/run/side.hpp"
#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/intervals.hpp"

namespace coopvk::compare {

class ReferenceDevice final : public Side {
 public:
    // Throws if no device has subgroups of this size.
    explicit ReferenceDevice(const reference::Settings& settings);

    Outcome run(const Plan& plan) override;
    // Fills plan.expected, whatever the settings leave open. Plans without a shader have it
    // already. Throws if the shader is not valid, or the device reports something.
    void expect(Plan& plan) const;

 private:
    // `deviations`, where not null: becomes those of the bytes of the output.
    Matrix compute(const Plan& plan, const reference::Settings& settings,
                   std::vector<reference::Deviation>* deviations = nullptr) const;
    void expectIntervals(Plan& plan, reference::Settings settings) const;

    reference::Settings settings_;
};

}  // namespace coopvk::compare
