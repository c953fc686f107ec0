// SPDX-License-Identifier: Apache-2.0
//
// Runs one case of coopvk compare on a Vulkan device and tells which elements of the result are
// not what the specification allows. case.h holds the case: shader, buffers, expectations.
//
//     cc -std=c11 -O1 repro.c -o repro -lvulkan -lm && ./repro [DEVICE [SHADER [RESULT]]]
//
// DEVICE is the index of the device. SHADER is a file of SPIR-V to run in place of the case's, such
// as what a compiler made of shader.comp; "-" is the case's. RESULT is a file to write: the bits
// of each element of the result, row by row.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "case.h"

static void check(VkResult result, const char* what) {
    if (result == VK_SUCCESS) return;
    fprintf(stderr, "%s gave %d\n", what, (int)result);
    exit(2);
}
#define CHECK(call) check(call, #call)

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandPool pool;
static FEATURES_STRUCT extensionFeatures = {FEATURES_TYPE};
static const char* const extensions[] = {EXTENSIONS};
#ifdef RESTS_ON
static VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrixFeatures = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
#endif
#ifdef BFLOAT16
static VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16Features = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR};
#endif
#ifdef FLOAT8
static VkPhysicalDeviceShaderFloat8FeaturesEXT float8Features = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT};
#endif
static VkPhysicalDeviceVulkan13Features features13 = {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};

struct Memory {
    VkBuffer buffer;
    size_t size;
    void* map;
    VkDeviceAddress address;
};

static void createDevice(uint32_t index) {
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo instanceInfo = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instanceInfo.pApplicationInfo = &app;
    VkInstance instance;
    CHECK(vkCreateInstance(&instanceInfo, NULL, &instance));
    VkPhysicalDevice all[16];
    uint32_t count = 16;
    vkEnumeratePhysicalDevices(instance, &count, all);
    if (index >= count) check(VK_ERROR_INITIALIZATION_FAILED, "looking for the device");
    physical = all[index];
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(physical, &properties);
    printf("%s on %s\n", CASE_NAME, properties.deviceName);

    VkPhysicalDeviceVulkan12Features features12 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
    VkPhysicalDeviceVulkan11Features features11 = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          &features11};
    features13.pNext = &extensionFeatures;
#ifdef RESTS_ON
    extensionFeatures.pNext = &matrixFeatures;
#endif
#ifdef BFLOAT16
    bfloat16Features.pNext = features13.pNext;
    features13.pNext = &bfloat16Features;
#endif
#ifdef FLOAT8
    float8Features.pNext = features13.pNext;
    features13.pNext = &float8Features;
#endif
    vkGetPhysicalDeviceFeatures2(physical, &features);
    float priority = 1;
    VkDeviceQueueCreateInfo queueInfo = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queueInfo.queueCount = 1;  // of the first family, which computes on all common devices
    queueInfo.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queueInfo;
    info.enabledExtensionCount = sizeof(extensions) / sizeof(extensions[0]);
    info.ppEnabledExtensionNames = extensions;
    CHECK(vkCreateDevice(physical, &info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkCommandPoolCreateInfo poolInfo = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    CHECK(vkCreateCommandPool(device, &poolInfo, NULL, &pool));
}

static struct Memory createMemory(const void* contents, size_t size) {
    struct Memory m = {VK_NULL_HANDLE, size, NULL, 0};
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    CHECK(vkCreateBuffer(device, &info, NULL, &m.buffer));
    VkMemoryRequirements needed;
    vkGetBufferMemoryRequirements(device, m.buffer, &needed);
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(physical, &types);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(needed.memoryTypeBits >> type & 1) ||
           (types.memoryTypes[type].propertyFlags & wanted) != wanted)
        ++type;
    VkMemoryAllocateFlagsInfo flags = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, NULL,
                                       VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needed.size,
                                       type};
    VkDeviceMemory memory;
    CHECK(vkAllocateMemory(device, &allocation, NULL, &memory));
    CHECK(vkBindBufferMemory(device, m.buffer, memory, 0));
    CHECK(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &m.map));
    if (contents) memcpy(m.map, contents, size);
    VkBufferDeviceAddressInfo where = {VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL,
                                       m.buffer};
    m.address = vkGetBufferDeviceAddress(device, &where);
    return m;
}

static VkCommandBuffer begin(void) {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, NULL, pool,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands;
    CHECK(vkAllocateCommandBuffers(device, &info, &commands));
    VkCommandBufferBeginInfo beginInfo = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(vkBeginCommandBuffer(commands, &beginInfo));
    return commands;
}

static void run(VkCommandBuffer commands) {
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_MEMORY_WRITE_BIT,
                               VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                         0, 1, &barrier, 0, NULL, 0, NULL);
    CHECK(vkEndCommandBuffer(commands));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkQueueWaitIdle(queue));
}

#ifdef CONVERSIONS
// A new buffer with the matrix in another layout; `target` is what lies there before, or NULL for
// layouts that have a size of the driver's own.
static struct Memory convert(const struct Conversion* c, struct Memory source, const void* target,
                             size_t targetSize) {
    PFN_vkConvertCooperativeVectorMatrixNV onHost =
        (PFN_vkConvertCooperativeVectorMatrixNV)(void*)vkGetDeviceProcAddr(
            device, "vkConvertCooperativeVectorMatrixNV");
    PFN_vkCmdConvertCooperativeVectorMatrixNV onDevice =
        (PFN_vkCmdConvertCooperativeVectorMatrixNV)(void*)vkGetDeviceProcAddr(
            device, "vkCmdConvertCooperativeVectorMatrixNV");
    size_t size = 0;
    VkConvertCooperativeVectorMatrixInfoNV info = {
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.srcSize = source.size;
    info.pDstSize = &size;
    info.srcComponentType = c->from;
    info.dstComponentType = c->to;
    info.numRows = c->rows;
    info.numColumns = c->columns;
    info.srcLayout = c->fromLayout;
    info.srcStride = c->fromStride;
    info.dstLayout = c->toLayout;
    info.dstStride = c->toStride;
    CHECK(onHost(device, &info));
    if (target) size = targetSize;
    struct Memory made = createMemory(target, size);
    info.srcData.hostAddress = source.map;
    info.dstData.hostAddress = made.map;
    if (!c->onDevice) {
        CHECK(onHost(device, &info));
        return made;
    }
    info.srcData.deviceAddress = source.address;
    info.dstData.deviceAddress = made.address;
    VkCommandBuffer commands = begin();
    onDevice(commands, 1, &info);
    run(commands);
    return made;
}
#endif

#ifdef SHADER
// What runs: the case's shader, unless a file takes its place.
static const uint32_t* words = shader;
static size_t wordBytes = sizeof(shader);

static void readShader(const char* name) {
    FILE* file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END)) check(VK_ERROR_UNKNOWN, name);
    wordBytes = (size_t)ftell(file);
    rewind(file);
    uint32_t* read = malloc(wordBytes);
    if (!read || fread(read, 1, wordBytes, file) != wordBytes) check(VK_ERROR_UNKNOWN, name);
    fclose(file);
    words = read;
}

static void dispatch(struct Memory* memories) {
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; ++i)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo setInfo = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                               NULL, 0, BUFFERS, bindings};
    VkDescriptorSetLayout setLayout;
    CHECK(vkCreateDescriptorSetLayout(device, &setInfo, NULL, &setLayout));
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 32};
    VkPipelineLayoutCreateInfo layoutInfo = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &setLayout, 1, &range};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &layoutInfo, NULL, &layout));
    VkShaderModuleCreateInfo moduleInfo = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
                                           wordBytes, words};
    VkShaderModule module;
    CHECK(vkCreateShaderModule(device, &moduleInfo, NULL, &module));
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    if (features13.computeFullSubgroups)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout;
    VkPipeline pipeline;
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));

    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
    VkDescriptorPoolCreateInfo poolInfo = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, NULL, 0, 1, 1, &size};
    VkDescriptorPool sets;
    CHECK(vkCreateDescriptorPool(device, &poolInfo, NULL, &sets));
    VkDescriptorSetAllocateInfo setAllocation = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                 NULL, sets, 1, &setLayout};
    VkDescriptorSet set;
    CHECK(vkAllocateDescriptorSets(device, &setAllocation, &set));
    VkDeviceAddress addresses[4] = {0};
    for (uint32_t i = 0; i < BUFFERS; ++i) {
        VkDescriptorBufferInfo buffer = {memories[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
        if (addressOfBuffer[i] >= 0) addresses[addressOfBuffer[i]] = memories[i].address;
    }
    VkCommandBuffer commands = begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 32, addresses);
    vkCmdDispatch(commands, GROUPS, 1, 1);
    run(commands);
}
#endif

static double floatValue(uint64_t bits) {
    const uint64_t hidden = 1ull << MANTISSA_BITS, mantissa = bits & (hidden - 1);
    const int top = (1 << EXPONENT_BITS) - 1, bias = top >> 1;
    const int exponent = (int)(bits >> MANTISSA_BITS) & top;
    const int isNan = HAS_INFINITY ? mantissa != 0 : mantissa == hidden - 1;
    double value = exponent == 0
                       ? ldexp((double)mantissa, 1 - bias - MANTISSA_BITS)
                       : ldexp((double)(mantissa + hidden), exponent - bias - MANTISSA_BITS);
    if (exponent == top && isNan) value = NAN;
    if (exponent == top && HAS_INFINITY && !isNan) value = INFINITY;
    return bits >> (8 * ELEMENT_BYTES - 1) & 1 ? -value : value;
}

static uint64_t element(const unsigned char* result, size_t row, size_t column) {
    const size_t outer = COLUMN_MAJOR ? column : row, inner = COLUMN_MAJOR ? row : column;
    uint64_t bits = 0;
    memcpy(&bits, result + OFFSET + outer * STRIDE + inner * ELEMENT_BYTES, ELEMENT_BYTES);
    return bits;
}

static void writeElements(const unsigned char* result, const char* name) {
    FILE* file = fopen(name, "w");
    if (!file) check(VK_ERROR_UNKNOWN, name);
    for (size_t i = 0; i < ROWS * COLUMNS; ++i)
        fprintf(file, "0x%llx\n", (unsigned long long)element(result, i / COLUMNS, i % COLUMNS));
    fclose(file);
}

static int judge(const unsigned char* result, const char* resultFile) {
    int off = 0;
    if (resultFile) writeElements(result, resultFile);
    for (size_t i = 0; i < ROWS * COLUMNS; ++i) {
        const size_t row = i / COLUMNS, column = i % COLUMNS;
        const uint64_t bits = element(result, row, column);
        const double value = IS_FLOAT ? floatValue(bits) : 0;
        if (IS_FLOAT ? value >= low[i] && value <= high[i] : bits == expected[i]) continue;
        if (IS_FLOAT && isnan(low[i]) && isnan(value)) continue;
        if (++off > 32) continue;
        if (IS_FLOAT)
            printf("[%zu,%zu] is %.9g, may be from %.9g to %.9g\n", row, column, value, low[i],
                   high[i]);
        else
            printf("[%zu,%zu] is 0x%llx, must be 0x%llx\n", row, column, (unsigned long long)bits,
                   (unsigned long long)expected[i]);
    }
    printf("%d of %d elements are off\n", off, (int)(ROWS * COLUMNS));
    return off != 0;
}

int main(int argc, char** argv) {
    createDevice(argc > 1 ? (uint32_t)atoi(argv[1]) : 0);
    const char* resultFile = argc > 3 ? argv[3] : NULL;
#ifdef SHADER
    if (argc > 2 && strcmp(argv[2], "-") != 0) readShader(argv[2]);
    struct Memory memories[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; ++i) memories[i] = createMemory(buffers[i], sizes[i]);
#ifdef CONVERSIONS
    for (size_t i = 0; i < CONVERSIONS; ++i)
        if (!conversions[i].after)
            memories[conversions[i].buffer] =
                convert(&conversions[i], memories[conversions[i].buffer], NULL, 0);
#endif
    dispatch(memories);
#ifdef CONVERSIONS
    for (size_t i = 0; i < CONVERSIONS; ++i)
        if (conversions[i].after)
            memories[conversions[i].buffer] =
                convert(&conversions[i], memories[conversions[i].buffer], NULL, 0);
#endif
    return judge(memories[OUTPUT].map, resultFile);
#else
    struct Memory current = createMemory(buffers[0], sizes[0]);
    for (size_t i = 0; i < CONVERSIONS; ++i)
        current = convert(&conversions[i], current,
                          conversions[i].toLayout < 2 ? buffers[i + 1] : NULL, sizes[i + 1]);
    return judge(current.map, resultFile);
#endif
}
