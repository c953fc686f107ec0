// SPDX-License-Identifier: Apache-2.0
#include "loop_module.hpp"

namespace coopvk::test {

namespace {

constexpr LoopForm kForms[] = {
    {"OneBlock", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %h
%x0 = OpPhi %C %zeros %entry %y0 %h
OP0
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpLoopMerge %end %h None
OpBranchConditional %more %h %end
%end = OpLabel
%last = OpPhi %C %y0 %h
OpCooperativeMatrixStoreKHR %p %last %c0 %c16
)"},
    {"OneBlockThatEndsIfTrue", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %h
%x0 = OpPhi %C %zeros %entry %y0 %h
OP0
%next = OpIAdd %u32 %i %c1
%done = OpUGreaterThan %bool %next %c3
OpLoopMerge %end %h DontUnroll
OpBranchConditional %done %end %h
%end = OpLabel
)"},
    {"HeaderWithLatch", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %latch
%x0 = OpPhi %C %zeros %entry %y1 %latch
OP0
%more = OpULessThan %bool %i %c3
OpLoopMerge %end %h None
OpBranchConditional %more %latch %end
%latch = OpLabel
%x1 = OpFNegate %C %y0
OP1
%next = OpIAdd %u32 %i %c1
OpBranch %h
%end = OpLabel
)",
     true},
    {"ConditionInLatch", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %latch
%x0 = OpPhi %C %zeros %entry %y0 %latch
OpLoopMerge %end %h None
OpBranch %latch
%latch = OpLabel
OP0
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %h %end
%end = OpLabel
)",
     true},
    {"ContinueTarget", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y0 %c
%more = OpULessThan %bool %i %c3
OpLoopMerge %end %c None
OpBranchConditional %more %c %end
%c = OpLabel
OP0
%next = OpIAdd %u32 %i %c1
OpBranch %h
%end = OpLabel
)"},
    {"MergeAheadOfBody", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y0 %c
%more = OpULessThan %bool %i %c3
OpLoopMerge %end %c None
OpBranchConditional %more %inside %end
%end = OpLabel
OpBranch %behind
%inside = OpLabel
OP0
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
OpBranch %h
%behind = OpLabel
)"},
    {"NestedLoops", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y1 %c
OP0
OpLoopMerge %end %c None
OpBranch %inner
%inner = OpLabel
%j = OpPhi %u32 %c0 %h %after %inner
%x1 = OpPhi %C %y0 %h %y1 %inner
OP1
%after = OpIAdd %u32 %j %c1
%again = OpULessThan %bool %after %c3
OpLoopMerge %behind %inner None
OpBranchConditional %again %inner %behind
%behind = OpLabel
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %h %end
%end = OpLabel
)"},
    {"ContinueConstructOfManyBlocks", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c2nd
%x0 = OpPhi %C %zeros %entry %y2 %c2nd
OP0
%more = OpULessThan %bool %i %c3
OpLoopMerge %end %c None
OpBranchConditional %more %c %end
%c = OpLabel
%x1 = OpFNegate %C %y0
OP1
%isOne = OpIEqual %bool %i %c1
OpSelectionMerge %c2nd None
OpBranchConditional %isOne %inside %c2nd
%inside = OpLabel
%z = OpFNegate %C %y1
OpBranch %c2nd
%c2nd = OpLabel
%x2 = OpPhi %C %y1 %c %z %inside
OP2
%next = OpIAdd %u32 %i %c1
OpBranch %h
%end = OpLabel
)"},
    {"DoWhile", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y0 %c
OpLoopMerge %end %c None
OpBranch %body
%body = OpLabel
OP0
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %h %end
%end = OpLabel
)"},
    {"NestedBlocks", R"(
OpBranch %outer
%outer = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y2 %c
OP0
OpLoopMerge %end %c None
OpBranch %inner
%inner = OpLabel
%k = OpPhi %u32 %c0 %outer %next_k %inner
%x1 = OpPhi %C %y0 %outer %y1 %inner
OP1
%next_k = OpIAdd %u32 %k %c1
%more_k = OpULessThan %bool %next_k %c3
OpLoopMerge %behind %inner None
OpBranchConditional %more_k %inner %behind
%behind = OpLabel
%x2 = OpPhi %C %y1 %inner
OP2
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %outer %end
%end = OpLabel
)"},
    {"Switch", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y %c
OpLoopMerge %end %c None
OpBranch %body
%body = OpLabel
OpSelectionMerge %meet None
OpSwitch %i %other 0 %first 1 %second 5 %leave
%first = OpLabel
OP0
OpBranch %second
%second = OpLabel
%x1 = OpPhi %C %x0 %body %y0 %first
OP1
OpBranch %c
%leave = OpLabel
OpBranch %end
%other = OpLabel
%x2 = OpFNegate %C %x0
OP2
OpBranch %meet
%meet = OpLabel
OpBranch %c
%c = OpLabel
%y = OpPhi %C %y1 %second %y2 %meet
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %h %end
%end = OpLabel
)"},
    {"ReturnInside", R"(
OpBranch %h
%h = OpLabel
%i = OpPhi %u32 %c0 %entry %next %c
%x0 = OpPhi %C %zeros %entry %y1 %c
OP0
OpLoopMerge %end %c None
OpBranch %body
%body = OpLabel
%isTwo = OpIEqual %bool %i %c2
OpSelectionMerge %stay None
OpBranchConditional %isTwo %leave %stay
%leave = OpLabel
OpCooperativeMatrixStoreKHR %p %y0 %c0 %c16
OpReturn
%stay = OpLabel
%x1 = OpFNegate %C %y0
OP1
OpBranch %c
%c = OpLabel
%next = OpIAdd %u32 %i %c1
%more = OpULessThan %bool %next %c3
OpBranchConditional %more %h %end
%end = OpLabel
)"},
};

}  // namespace

std::span<const LoopForm> loopForms() { return kForms; }

}  // namespace coopvk::test
