// Before each program: extensions, memory, short names.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_rotate : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_subgroup_uniform_control_flow : require
#extension GL_EXT_maximal_reconvergence : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require

layout(binding = 0) buffer Inputs { uint inputs[16]; uint more[16]; };   // 0 to 31
layout(binding = 1) buffer Outputs { uint outputs[64]; };                // nothing wrote it
layout(binding = 2) buffer Data { uint data[64]; };                      // 0
layout(binding = 3) buffer Addresses { uint64_t address; };              // of 256 bytes, 0
layout(binding = 9) buffer Many { uint many[4]; } descriptors[4];        // 0
shared uint words[16];

#define Dev gl_ScopeDevice
#define Fam gl_ScopeQueueFamily
#define Wg gl_ScopeWorkgroup
#define Sg gl_ScopeSubgroup
#define Sh gl_StorageSemanticsShared
#define Buf gl_StorageSemanticsBuffer
#define Relaxed 0, gl_SemanticsRelaxed
#define Acq gl_SemanticsAcquire
#define Rel gl_SemanticsRelease
#define AcqRel gl_SemanticsAcquireRelease
#define Avail gl_SemanticsMakeAvailable
#define Vis gl_SemanticsMakeVisible
// The invocation and the workgroup. A word that programs use as flag or counter.
#define i gl_LocalInvocationIndex
#define g gl_WorkGroupID.x
#define flag data[32]
