// With the Vulkan memory model accesses are private, if their variable does not say otherwise.
layout(binding = 4) nonprivate buffer NonPrivate { uint nonprivates[64]; };
layout(binding = 5) workgroupcoherent buffer OfWorkgroup { uint ofWorkgroup[64]; };
layout(binding = 6) devicecoherent buffer OfDevice { uint ofDevice[64]; };
layout(binding = 7) subgroupcoherent buffer OfSubgroup { uint ofSubgroup[64]; };
