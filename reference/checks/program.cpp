// SPDX-License-Identifier: Apache-2.0
//
// What the program itself says. (What it says by Restrict, the check of races finds in its
// history.)
#include <spirv/unified1/spirv.hpp11>

#include "checks/checks.hpp"

namespace coopvk::reference::checks {
namespace {

class ProgramCheck final : public Observer {
 public:
    uint32_t events() const override { return kEventAssumption | kEventCall; }
    void use(const Moment& at, const Use& use) override {
        const auto condition = at.operand(use.operand);
        at.active().forEach([&](uint32_t lane) {
            if (condition->at(0, lane) == 0)
                at.report(kCheckProgram, lane, "an assumption does not hold");
        });
    }
    void call(const Moment& at, CallKind) override {
        if (spv::Op(at.opcode()) == spv::Op::OpUnreachable)
            at.report(kCheckProgram, at.active().first(),
                      "a lane reached what must not be reached");
    }
};

}  // namespace

std::unique_ptr<Observer> program(const Settings&, bool) {
    return std::make_unique<ProgramCheck>();
}

}  // namespace coopvk::reference::checks
