// SPDX-License-Identifier: Apache-2.0
//
// What observers are told: each event once, in the program's order, with the values that the
// program's text gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk_reference/observer.hpp"
#include "planted.hpp"

namespace coopvk::reference::test::observers_test {
namespace {

using Texts = std::vector<std::string>;

// Writes down what it is told of the events that it wants.
class Scribe final : public Observer {
 public:
    explicit Scribe(uint32_t events) : events_(events) {}
    uint32_t events() const override { return events_; }
    void begin(const Group& group) override { groups.push_back(group.number); }
    void load(const Moment&, const MemoryAccess& access, std::byte* seen) override {
        note("load", access);
        if (replaced != 0) *seen = std::byte{replaced};
    }
    void store(const Moment&, const MemoryAccess& access) override { note("store", access); }
    void atomic(const Moment&, const MemoryAccess& access,
                const AtomicOperation& operation) override {
        note(operation.writes ? "changes" : "reads", access);
        before.push_back(uint32_t(*operation.before));
    }
    void use(const Moment& at, const Use& use) override {
        texts.push_back(std::format("operand {} of {}", use.operand, at.opcode()));
        undefined.push_back(at.undefined(use.operand));
    }
    void barrier(const Moment& at, const Barrier& barrier) override {
        texts.push_back(std::format("stage {} in {}", int(barrier.stage), at.subgroup()));
        if (barrier.stage == Barrier::kMet) met = barrier.subgroups.size();
    }
    void branch(const Moment&, std::span<const Branched> parts) override {
        std::string text = "branch";
        for (const Branched& part : parts) text += std::format(" {:x}", part.lanes.low());
        texts.push_back(text);
    }
    void call(const Moment& at, CallKind kind) override {
        texts.push_back(std::format("call {} {:x}", int(kind), at.active().low()));
    }
    void value(const Moment& at) override {
        if (spv::Op(at.opcode()) != spv::Op::OpIAdd) return;
        const ValueView result = *at.result();
        for (uint32_t lane = 0; lane < result.lanes; ++lane)
            texts.push_back(std::to_string(result.at(0, lane)));
    }

    Texts texts;
    std::vector<uint32_t> groups, before;
    std::vector<LaneMask> undefined;
    size_t met = 0;
    uint8_t replaced = 0;

 private:
    void note(const char* what, const MemoryAccess& access) {
        texts.push_back(std::format("{} {} bytes at {} in lane {}{}", what, access.size,
                                    access.offset, access.lane, access.isDefined ? "" : "?"));
    }
    const uint32_t events_;
};

Execution observed(Scribe& scribe, const ShaderText& text, uint32_t groups = 1) {
    Execution run;
    run.lanes = 4;
    run.groups = {groups, 1, 1};
    run.settings.checks = 0;
    run.observers = {&scribe};
    run.buffers[0] = {10, 11, 12, 13};
    run.buffers[1].resize(4);
    execute(run, shader(text));
    EXPECT_EQ(run.error, "");
    return run;
}

Texts textsOf(uint32_t events, const ShaderText& text) {
    Scribe scribe(events);
    (void)observed(scribe, text);
    return scribe.texts;
}

const std::string kCopy = loadWord("%x", "%i") + storeWord("%i", "%x");

TEST(ReferenceObservers, SeeLoadsAndStores) {
    const ShaderText text = plainText(kCopy, 2);
    EXPECT_EQ(textsOf(kEventLoad, text),
              (Texts{"load 4 bytes at 0 in lane 0", "load 4 bytes at 4 in lane 1"}));
    EXPECT_EQ(textsOf(kEventStore, text),
              (Texts{"store 4 bytes at 0 in lane 0", "store 4 bytes at 4 in lane 1"}));
    EXPECT_EQ(textsOf(kEventUnwrittenLoad | kEventUndefinedStore, text), Texts{});
    EXPECT_EQ(textsOf(0, text), Texts{});
}

// Also of one who wants all of them: once.
TEST(ReferenceObservers, SeeWhatIsNotDefined) {
    const ShaderText text = plainText(
        "%p = OpAccessChain %p_shared %shared %i\n%x = OpLoad %u32 %p\n" + storeWord("%i", "%x"),
        1);
    const std::string load = "load 4 bytes at 0 in lane 0?",
                      store = "store 4 bytes at 0 in lane 0?";
    for (const uint32_t events :
         {uint32_t{kEventLoad}, kEventUnwrittenLoad | 0u, kEventLoad | kEventUnwrittenLoad}) {
        Scribe scribe(events);
        Execution run;
        run.lanes = 4;
        run.settings.checks = events == kEventLoad ? uint32_t{kCheckUnwritten} : 0;
        run.observers = {&scribe};
        run.buffers[1].resize(4);
        execute(run, shader(text));
        EXPECT_EQ(scribe.texts, Texts{load});
    }
    const ShaderText undefined = plainText(
        "%v = OpVariable %p_function_u32 Function\n%x = OpLoad %u32 %v\n" + storeWord("%i", "%x"),
        1);
    for (const uint32_t events :
         {kEventStore | 0u, kEventUndefinedStore | 0u, kEventStore | kEventUndefinedStore})
        EXPECT_EQ(textsOf(events, undefined), Texts{store});
}

// Of the lanes and components of a store.
TEST(ReferenceObservers, SeeWhichIsNotDefined) {
    ShaderText text = plainText(
        "%second = OpIEqual %bool %i %u_1\n%part = OpSelect %u32 %second %nothing %i\n"
        "%pair = OpCompositeConstruct %v2u32 %i %part\n"
        "%p = OpAccessChain %p_pair %pairs %i\nOpStore %p %pair\n",
        2);
    text.declarations +=
        "%nothing = OpUndef %u32\n%list = OpTypeArray %v2u32 %u_2\n"
        "%p_list = OpTypePointer Workgroup %list\n%p_pair = OpTypePointer Workgroup %v2u32\n"
        "%pairs = OpVariable %p_list Workgroup\n";
    Texts all;
    for (const uint32_t word : {0, 1, 2, 3})
        all.push_back(std::format("store 4 bytes at {} in lane {}{}", 4 * word, word / 2,
                                  word == 3 ? "?" : ""));
    EXPECT_EQ(textsOf(kEventStore, text), all);
    EXPECT_EQ(textsOf(kEventUndefinedStore, text), Texts{all.back()});
}

TEST(ReferenceObservers, MayShowWhatWasBefore) {
    Scribe scribe(kEventLoad);
    scribe.replaced = 7;
    EXPECT_EQ(observed(scribe, plainText(kCopy)).buffers[1], (std::vector<uint32_t>{7, 7, 7, 7}));
}

TEST(ReferenceObservers, SeeAtomics) {
    const std::string body =
        "%p = OpAccessChain %p_word %out %u_0 %u_1\n"
        "%old = OpAtomicIAdd %u32 %p %u_1 %relaxed %u_3\n"
        "%now = OpAtomicLoad %u32 %p %u_1 %relaxed\n";
    Scribe scribe(kEventAtomic);
    (void)observed(scribe, plainText(body, 2));
    EXPECT_EQ(scribe.texts,
              (Texts{"changes 4 bytes at 4 in lane 0", "changes 4 bytes at 4 in lane 1",
                     "reads 4 bytes at 4 in lane 0", "reads 4 bytes at 4 in lane 1"}));
    EXPECT_EQ(scribe.before, (std::vector<uint32_t>{0, 3, 6, 6}));
}

TEST(ReferenceObservers, SeeUses) {
    const auto of = [](uint32_t operand, spv::Op opcode) {
        return std::format("operand {} of {}", operand, uint32_t(opcode));
    };
    using enum spv::Op;
    const ShaderText text = plainText(loadWord("%x", "%i") + "%c = OpULessThan %bool %x %u_4\n" +
                                      "OpSelectionMerge %m None\nOpBranchConditional %c %t %m\n"
                                      "%t = OpLabel\nOpBranch %m\n%m = OpLabel\n");
    EXPECT_EQ(textsOf(kEventIndex, text), Texts{of(2, OpAccessChain)});
    // The first address is that of the variable with the invocation's index.
    EXPECT_EQ(textsOf(kEventAddress, text), (Texts{of(0, OpLoad), of(0, OpLoad)}));
    EXPECT_EQ(textsOf(kEventCondition, text), Texts{of(0, OpBranchConditional)});
    EXPECT_EQ(textsOf(kEventUniform, text), Texts{});
    const ShaderText uniform =
        plainText("%x = OpGroupNonUniformBroadcast %u32 %subgroup %i %u_1\n");
    EXPECT_EQ(textsOf(kEventUniform, uniform), Texts{of(2, OpGroupNonUniformBroadcast)});
}

TEST(ReferenceObservers, SeeBranchesAndCalls) {
    ShaderText text = plainText(
        "%c = OpULessThan %bool %i %u_1\nOpSelectionMerge %m None\n"
        "OpBranchConditional %c %t %m\n%t = OpLabel\n%r = OpFunctionCall %u32 %same %i\n"
        "OpBranch %m\n%m = OpLabel\n");
    text.declarations += "%of_word = OpTypeFunction %u32 %u32\n";
    text.functions =
        "%same = OpFunction %u32 None %of_word\n%of = OpFunctionParameter %u32\n"
        "%same_start = OpLabel\nOpReturnValue %of\nOpFunctionEnd\n";
    EXPECT_EQ(textsOf(kEventBranch, text), (Texts{"branch 1 e", "branch 1"}));
    EXPECT_EQ(textsOf(kEventCall, text), (Texts{"call 0 1", "call 1 1", "call 1 f"}));
}

// Two subgroups reach the barrier, then they meet.
TEST(ReferenceObservers, SeeBarriers) {
    Scribe scribe(kEventBarrier);
    (void)observed(scribe, plainText("OpControlBarrier %u_2 %u_2 %semantics\n"
                                     "OpMemoryBarrier %u_1 %buffers\n",
                                     8));
    const auto stage = [](Barrier::Stage which, uint32_t subgroup) {
        return std::format("stage {} in {}", int(which), subgroup);
    };
    EXPECT_EQ(scribe.texts.size(), 5u);
    EXPECT_EQ(
        Texts(scribe.texts.begin(), scribe.texts.begin() + 3),
        (Texts{stage(Barrier::kReached, 0), stage(Barrier::kReached, 1), stage(Barrier::kMet, 0)}));
    EXPECT_EQ(std::ranges::count(scribe.texts, stage(Barrier::kMemory, 0)), 1);
    EXPECT_EQ(std::ranges::count(scribe.texts, stage(Barrier::kMemory, 1)), 1);
    EXPECT_EQ(scribe.met, 2u);
}

TEST(ReferenceObservers, SeeValues) {
    EXPECT_EQ(textsOf(kEventValue, plainText("%x = OpIAdd %u32 %i %u_5\n")),
              (Texts{"5", "6", "7", "8"}));
}

TEST(ReferenceObservers, SeeWorkgroups) {
    Scribe scribe(0);
    (void)observed(scribe, plainText(""), 3);
    EXPECT_EQ(scribe.groups, (std::vector<uint32_t>{0, 1, 2}));
}

// One who wants to have his own for each thread.
TEST(ReferenceObservers, OfThreads) {
    struct Parent final : Observer {
        uint32_t events() const override { return kEventStore; }
        void store(const Moment&, const MemoryAccess&) override { ADD_FAILURE(); }
        std::unique_ptr<Observer> ofThread() override {
            ++threads;
            struct Child final : Observer {
                explicit Child(uint32_t& count) : count_(count) {}
                uint32_t events() const override { return kEventStore; }
                void store(const Moment&, const MemoryAccess&) override { ++count_; }
                uint32_t& count_;
            };
            return std::make_unique<Child>(count);
        }
        uint32_t count = 0, threads = 0;
    } parent;
    Execution run;
    run.lanes = 4;
    run.groups = {3, 1, 1};
    run.observers = {&parent};
    run.buffers[0].resize(4);
    run.buffers[1].resize(4);
    execute(run, shader(plainText(kCopy)));
    EXPECT_EQ(parent.count, 12u);
    EXPECT_EQ(parent.threads, 1u);  // as the runner wants
}

}  // namespace
}  // namespace coopvk::reference::test::observers_test
