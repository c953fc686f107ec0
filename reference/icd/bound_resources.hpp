// SPDX-License-Identifier: Apache-2.0
//
// The resources of a program with descriptor sets.
#pragma once

#include <format>

#include "dependencies/followed.hpp"
#include "descriptor_buffers.hpp"
#include "held_resources.hpp"

namespace coopvk::reference::icd {

class BoundResources final : public HeldResources {
 public:
    explicit BoundResources(Execution& execution) : HeldResources(execution) {
        const std::lock_guard lock(device_.mutex);
        for (uint32_t set = 0; set < kMaxSets; ++set) {
            const auto& bound = execution.sets[set];
            if (!bound) continue;
            Held& held = sets_[set];
            held.bindings = bound->bindings;
            held.address = bound->address;
            held.set = bound->pushed != nullptr ? bound->pushed : setOf(bound->set);
            if (held.set == nullptr) continue;
            held.descriptors = held.set->descriptors;
            addDynamic(held, bound->offsets);
        }
    }

    // Null, too, where what a descriptor names is gone: the dispatch then loses the device.
    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        const Descriptor* found = find(set, binding, element);
        if (found == nullptr) return nullptr;
        const auto moved = dynamic_.find(found);
        const Range& range = moved == dynamic_.end() ? found->range : moved->second;
        if (range.address == 0 && range.data != nullptr) return &range;  // an inline uniform block
        const bool isGone =
            found->isSet && (found->buffer.expired() || !addresses_.live(found->range));
        if (isGone) noteGone(set, binding);
        return (range.data == nullptr && !range.isNull) || isGone ? nullptr : &range;
    }

    const TexelView* texels(uint32_t set, uint32_t binding, uint32_t element) override {
        const Descriptor* found = find(set, binding, element);
        const BoundTexels* bound = found == nullptr ? nullptr : found->texels.get();
        if (bound == nullptr || bound->isNull) return bound;
        const bool isOfView = sets_[set].bindings == nullptr;
        const bool isGone = (isOfView && bound->view.expired()) || !addresses_.live(bound->range);
        if (isGone) noteGone(set, binding);
        return isGone ? nullptr : bound;
    }

    const SamplerState* sampler(uint32_t set, uint32_t binding, uint32_t element) override {
        const Descriptor* found = find(set, binding, element);
        return found == nullptr ? nullptr : found->sampler.get();
    }

 private:
    struct Held {
        std::shared_ptr<const DescriptorSet> set;
        std::shared_ptr<const Descriptors> descriptors;
        SharedBindings bindings;      // of descriptors in memory
        VkDeviceAddress address = 0;  // of these
    };

    // Null: the sets have none.
    const Descriptor* find(uint32_t set, uint32_t binding, uint32_t element) {
        if (set >= kMaxSets) return nullptr;
        if (sets_[set].bindings != nullptr) return findInMemory(set, binding, element);
        if (sets_[set].set == nullptr) return nullptr;
        const auto index = sets_[set].set->find(binding, element);
        return index ? &(*sets_[set].descriptors)[*index] : nullptr;
    }

    static std::shared_ptr<const DescriptorSet> setOf(const std::weak_ptr<const Object>& weak) {
        auto object = weak.lock();
        const auto* set = reinterpret_cast<const DescriptorSet*>(object.get());
        return {std::move(object), set};
    }

    // Reads a descriptor once in a dispatch.
    const Descriptor* findInMemory(uint32_t set, uint32_t binding, uint32_t element) {
        const Held& held = sets_[set];
        const auto found = held.bindings->find(binding);
        if (found == held.bindings->end() || element >= found->second.descriptors()) return nullptr;
        const std::lock_guard lock(mutex_);
        const auto [read, isNew] = read_.try_emplace({set, binding, element});
        if (!isNew) return &read->second;
        try {
            read->second = readFrom(held, binding, found->second, element);
        } catch (const InvalidUse& use) {
            lose(std::format("set {}, binding {}: {}", set, binding, use.message));
        }
        return &read->second;
    }

    Descriptor readFrom(const Held& held, uint32_t number, const Binding& binding,
                        uint32_t element) {
        const bool hasSampler = element < binding.samplers.size();
        Descriptor made;
        if (held.address != 0) {
            const VkDeviceSize size = binding.isInline() ? binding.count : kDescriptorSize;
            const VkDeviceAddress address =
                held.address + placeOf(*held.bindings, number) + element * kDescriptorSize;
            const Range* buffer = addresses_.buffer(address);
            require(buffer != nullptr, "no buffer has the descriptor");
            Range bytes = part(*buffer, address - buffer->address, size);
            require(bytes.size == size, "the descriptor goes beyond the end of its buffer");
            bytes.isUniform = true;
            if (binding.isInline()) return {bytes, size};
            std::vector<std::byte> stale;
            made = readDescriptor(binding,
                                  followedBytes(execution_, Use::kDescriptorRead, bytes, stale),
                                  execution_.device.hasNullDescriptors, addresses_);
        }
        if (hasSampler) made.sampler = binding.samplers[element];
        return made;
    }

    void noteGone(uint32_t set, uint32_t binding) {
        const std::lock_guard lock(mutex_);
        lose(std::format(
            "set {}, binding {} has a buffer or a view that was destroyed, or whose memory "
            "was freed",
            set, binding));
    }

    // Dynamic offsets are in the order of bindings and elements.
    void addDynamic(const Held& held, const std::vector<uint32_t>& offsets) {
        size_t next = 0;
        for (const auto& [number, binding] : *held.set->bindings) {
            for (uint32_t i = 0; binding.isDynamic() && i < binding.count; ++i) {
                if (next == offsets.size()) return;
                const Descriptor& descriptor = (*held.descriptors)[binding.first + i];
                Range rest = descriptor.range;
                if (rest.isNull) {
                    ++next;
                    continue;
                }
                rest.size = descriptor.rest;
                dynamic_[&descriptor] = part(rest, offsets[next++], descriptor.range.size);
            }
        }
    }

    std::array<Held, kMaxSets> sets_;
    std::map<const Descriptor*, Range> dynamic_;
    std::map<std::array<uint32_t, 3>, Descriptor> read_;  // by set, binding and element
};

}  // namespace coopvk::reference::icd
