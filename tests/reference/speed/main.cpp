// SPDX-License-Identifier: Apache-2.0
//
// usage: reference_speed [LANES [ROUNDS]]
// Lane instructions in a second of processor time, without checks, with all of them, and with
// intervals, too: the best of three executions of each loop, of ROUNDS iterations.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "coopvk_reference/intervals.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::reference::test {
namespace {

// The body of a loop, from %x (u32) and %f (f32) to %y and %g; %k counts the rounds.
struct Subject {
    const char* name;
    uint32_t instructions;
    const char* body;
};
constexpr Subject kSubjects[] = {
    {"arithmetic", 8,
     "%a = OpIMul %u32 %x %u_3\n%b = OpIAdd %u32 %a %k\n%c = OpBitwiseXor %u32 %b %u_5\n"
     "%y = OpShiftRightLogical %u32 %c %u_1\n%d = OpFMul %f32 %f %f_1\n%e = OpFAdd %f32 %d %f_1\n"
     "%h = OpFSub %f32 %e %d\n%g = OpFNegate %f32 %h\n"},
    {"buffers: a load and a store", 8,
     "%p = OpAccessChain %p_word %in %u_0 %i\n%a = OpLoad %u32 %p\n%b = OpIAdd %u32 %a %x\n"
     "%y = OpBitwiseXor %u32 %b %k\n%d = OpFMul %f32 %f %f_1\n%g = OpFAdd %f32 %d %f_1\n"
     "%q = OpAccessChain %p_word %out %u_0 %i\nOpStore %q %y\n"},
    {"variables: a load and a store", 8,
     "%o = OpBitwiseAnd %u32 %k %u_7\n%p = OpAccessChain %p_function_u32 %array %o\n"
     "%a = OpLoad %u32 %p\n%b = OpIAdd %u32 %a %x\n%y = OpBitwiseXor %u32 %b %k\n"
     "%d = OpFMul %f32 %f %f_1\n%g = OpFAdd %f32 %d %f_1\nOpStore %p %y\n"},
};
constexpr uint32_t kOfLoop = 3;

std::string textOf(const Subject& subject, uint32_t rounds) {
    ShaderText text;
    text.localSize = kMaxLanes;
    text.declarations = "%rounds = OpConstant %u32 " + std::to_string(rounds) +
                        "\n%array8 = OpTypeArray %u32 %u_8\n"
                        "%p_array8 = OpTypePointer Function %array8\n"
                        "%zeros = OpConstantNull %array8\n";
    text.body =
        "%array = OpVariable %p_array8 Function %zeros\nOpBranch %loop\n%loop = OpLabel\n"
        "%k = OpPhi %u32 %u_0 %start %next %loop\n%x = OpPhi %u32 %i %start %y %loop\n"
        "%f = OpPhi %f32 %f_1 %start %g %loop\n" +
        std::string(subject.body) +
        "%next = OpIAdd %u32 %k %u_1\n%goes = OpULessThan %bool %next %rounds\n"
        "OpLoopMerge %end %loop None\nOpBranchConditional %goes %loop %end\n"
        "%end = OpLabel\n%bits = OpBitcast %u32 %g\n" +
        storeWord("%i", "%y") + storeWord("%i", "%bits");
    return shader(text);
}

struct How {
    uint32_t checks = 0;
    bool hasIntervals = false;
};

// Millions a second; 0: it did not run.
double rateOf(const Subject& subject, uint32_t lanes, uint32_t rounds, const How& how) {
    const std::string text = textOf(subject, rounds);
    double best = 0;
    for (int turn = 0; turn < 3; ++turn) {
        Execution run;
        run.lanes = lanes;
        run.settings.checks = how.checks;
        Intervals intervals;
        if (how.hasIntervals) run.settings.intervals = &intervals;
        for (const uint32_t binding : {0u, 1u}) {
            run.buffers[binding].resize(kMaxLanes);
            if (how.hasIntervals) run.deviations[binding].resize(size_t{kMaxLanes} * 4);
        }
        const std::clock_t begin = std::clock();
        execute(run, text);
        const double took = double(std::clock() - begin) / CLOCKS_PER_SEC;
        if (!run.error.empty() || !run.reports.empty()) {
            std::fprintf(stderr, "%s: %s\n", subject.name, run.error.c_str());
            return 0;
        }
        const double count = double(rounds) * kMaxLanes * (subject.instructions + kOfLoop);
        best = std::max(best, count / took / 1e6);
    }
    return best;
}

}  // namespace
}  // namespace coopvk::reference::test

int main(int count, char** arguments) {
    using namespace coopvk::reference;
    const auto lanes = uint32_t(count > 1 ? std::atoi(arguments[1]) : 32);
    const auto rounds = uint32_t(count > 2 ? std::atoi(arguments[2]) : 100000);
    bool ran = true;
    for (const test::Subject& subject : test::kSubjects) {
        const double off = test::rateOf(subject, lanes, rounds, {});
        const double on = test::rateOf(subject, lanes, rounds, {kAllChecks});
        const double both = test::rateOf(subject, lanes, rounds, {kAllChecks, true});
        std::printf(
            "%-30s %8.0f million a second without checks, %8.0f with all, %8.0f with intervals\n",
            subject.name, off, on, both);
        ran &= off > 0 && on > 0 && both > 0;
    }
    return ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
