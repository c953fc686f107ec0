// SPDX-License-Identifier: Apache-2.0
#include "report/recorded_dispatch.hpp"

#include "report/hex.hpp"

namespace coopvk::layer {
namespace {

using nlohmann::ordered_json;
using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

// Appends members and elements, with commas where they must be.
class Writer {
 public:
    Writer& open(char bracket) {
        next();
        text_ += bracket;
        first_ = true;
        return *this;
    }
    Writer& close(char bracket) {
        text_ += bracket;
        first_ = false;
        return *this;
    }
    Writer& key(std::string_view name) {
        value(name);
        text_ += ": ";
        first_ = true;
        return *this;
    }
    Writer& value(uint64_t number) {
        next();
        text_ += std::to_string(number);
        return *this;
    }
    Writer& value(std::string_view string) {
        next();
        text_ += '"';
        for (const char c : string) {
            if (c == '"' || c == '\\') text_ += '\\';
            text_ += c;
        }
        text_ += '"';
        return *this;
    }
    Writer& range(const KeptRange& range) {
        key("region").value(range.region);
        key("offset").value(range.offset);
        return key("size").value(range.size);
    }
    // An array: `write` writes an element.
    template <typename List, typename F>
    void list(std::string_view name, const List& elements, const F& write) {
        key(name).open('[');
        for (const auto& element : elements) write(element);
        close(']');
    }
    std::string take() { return std::move(text_); }

 private:
    void next() {
        if (!first_) text_ += ", ";
        first_ = false;
    }

    std::string text_;
    bool first_ = true;
};

// Reads members, and remembers whether all had the right type.
class DispatchReader {
 public:
    bool ok() const { return ok_; }

    uint64_t number(const ordered_json& json, const char* key) {
        const ordered_json* found = member(json, key);
        if (found != nullptr && found->is_number_unsigned()) return found->get<uint64_t>();
        ok_ = false;
        return 0;
    }
    uint32_t word(const ordered_json& json, const char* key) {
        const uint64_t value = number(json, key);
        ok_ = ok_ && value <= UINT32_MAX;
        return static_cast<uint32_t>(value);
    }
    std::string text(const ordered_json& json, const char* key) {
        const ordered_json* found = member(json, key);
        if (found != nullptr && found->is_string()) return found->get<std::string>();
        ok_ = false;
        return {};
    }
    std::vector<std::byte> bytes(const ordered_json& json, const char* key) {
        std::vector<std::byte> bytes;
        ok_ = readHex(text(json, key), bytes) && ok_;
        return bytes;
    }
    std::array<uint32_t, 3> groups(const ordered_json& json, const char* key) {
        std::array<uint32_t, 3> counts = {};
        const ordered_json* found = member(json, key);
        ok_ = ok_ && found != nullptr && found->is_array() && found->size() == counts.size();
        for (size_t i = 0; ok_ && i < counts.size(); ++i) {
            const ordered_json& count = (*found)[i];
            ok_ = count.is_number_unsigned() && count.get<uint64_t>() <= UINT32_MAX;
            if (ok_) counts[i] = count.get<uint32_t>();
        }
        return counts;
    }
    // Of an array.
    template <typename F>
    void each(const ordered_json& json, const char* key, const F& read) {
        const ordered_json* found = member(json, key);
        ok_ = ok_ && found != nullptr && found->is_array();
        for (size_t i = 0; ok_ && i < found->size(); ++i) read((*found)[i]);
    }
    std::vector<std::string> lines(const ordered_json& json, const char* key) {
        std::vector<std::string> lines;
        each(json, key, [&](const ordered_json& line) {
            if (line.is_string()) lines.push_back(line.get<std::string>());
        });
        return lines;
    }
    KeptRange range(const ordered_json& json, const RecordedDispatch& dispatch) {
        const KeptRange range = {word(json, "region"), number(json, "offset"),
                                 number(json, "size")};
        ok_ = ok_ && range.region < dispatch.regions.size();
        if (!ok_) return {};
        const uint64_t whole = dispatch.regions[range.region].size;
        ok_ = range.offset <= whole && range.size <= whole - range.offset;
        return range;
    }

 private:
    const ordered_json* member(const ordered_json& json, const char* key) const {
        if (!json.is_object()) return nullptr;
        const auto found = json.find(key);
        return found == json.end() ? nullptr : &*found;
    }

    bool ok_ = true;
};

}  // namespace

std::string jsonTextOf(const RecordedDispatch& dispatch) {
    Writer out;
    const auto value = [&](const auto& element) { out.value(element); };
    out.open('{');
    out.list("groups", dispatch.groups, value);
    out.list("base", dispatch.base, value);
    out.key("pushConstants").value(hexText(dispatch.pushConstants));
    out.key("file").value(dispatch.file);
    out.list("regions", dispatch.regions, [&](const KeptRegion& region) {
        out.open('{').key("size").value(region.size).key("before").value(region.before);
        if (region.after) out.key("after").value(*region.after);
        out.close('}');
    });
    out.list("descriptors", dispatch.descriptors, [&](const KeptDescriptor& kept) {
        out.open('{').key("set").value(kept.set).key("binding").value(kept.binding);
        out.key("element").value(kept.element).range(kept.range).close('}');
    });
    out.list("addresses", dispatch.addresses, [&](const KeptAddress& kept) {
        out.open('{').key("address").value(kept.address).range(kept.range).close('}');
    });
    out.list("blocks", dispatch.blocks, [&](const KeptBlock& block) {
        out.open('{').key("set").value(block.set).key("binding").value(block.binding);
        out.key("bytes").value(hexText(block.bytes)).close('}');
    });
    out.list("missing", dispatch.missing, value);
    out.list("notes", dispatch.notes, value);
    return out.close('}').take();
}

Result<RecordedDispatch> dispatchFromJson(const ordered_json& json) {
    RecordedDispatch dispatch;
    DispatchReader reader;
    dispatch.groups = reader.groups(json, "groups");
    dispatch.base = reader.groups(json, "base");
    dispatch.pushConstants = reader.bytes(json, "pushConstants");
    dispatch.file = reader.text(json, "file");
    reader.each(json, "regions", [&](const ordered_json& row) {
        KeptRegion region = {reader.number(row, "size"), reader.number(row, "before")};
        if (row.is_object() && row.contains("after")) region.after = reader.number(row, "after");
        dispatch.regions.push_back(region);
    });
    reader.each(json, "descriptors", [&](const ordered_json& row) {
        dispatch.descriptors.push_back({reader.word(row, "set"), reader.word(row, "binding"),
                                        reader.word(row, "element"), reader.range(row, dispatch)});
    });
    reader.each(json, "addresses", [&](const ordered_json& row) {
        dispatch.addresses.push_back({reader.number(row, "address"), reader.range(row, dispatch)});
    });
    reader.each(json, "blocks", [&](const ordered_json& row) {
        dispatch.blocks.push_back(
            {reader.word(row, "set"), reader.word(row, "binding"), reader.bytes(row, "bytes")});
    });
    dispatch.missing = reader.lines(json, "missing");
    dispatch.notes = reader.lines(json, "notes");
    if (reader.ok()) return dispatch;
    return Error{ErrorCode::kInvalidArgument, "the dispatch's inputs are not as the layer writes"};
}

}  // namespace coopvk::layer
