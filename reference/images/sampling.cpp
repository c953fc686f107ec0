// SPDX-License-Identifier: Apache-2.0
//
// Samples of images (Vulkan, "Texel Input Operations" and "Image Operations"): levels of detail,
// filters, and coordinates outside of the image.
#include <cmath>
#include <utility>

#include "images/image_access.hpp"

namespace coopvk::reference::images {
namespace {

using Point = std::array<double, 3>;
using Cell = std::array<int64_t, 3>;

// A face of a cube, and coordinates there ("Cube Map Face Selection").
struct Face {
    uint32_t number = 0;
    double s = 0, t = 0;
};
struct FaceRow {
    uint32_t major, s, t;  // axes
    double signS, signT;
};
constexpr FaceRow kFaces[] = {{0, 2, 1, -1, -1}, {0, 2, 1, 1, -1}, {1, 0, 2, 1, 1},
                              {1, 0, 2, 1, -1},  {2, 0, 1, 1, -1}, {2, 0, 1, -1, -1}};

uint32_t faceOf(const Point& r) {
    const double x = std::abs(r[0]), y = std::abs(r[1]), z = std::abs(r[2]);
    const uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return axis * 2 + (r[axis] < 0 ? 1 : 0);
}

Face project(const Point& r, uint32_t number) {
    const FaceRow& row = kFaces[number];
    const double major = std::abs(r[row.major]);
    return {number, (row.signS * r[row.s] / major + 1) / 2, (row.signT * r[row.t] / major + 1) / 2};
}

// The direction of a point of a face's plane, which may be outside of the face.
Point directionOf(uint32_t number, double s, double t) {
    const FaceRow& row = kFaces[number];
    Point r;
    r[row.major] = number % 2 == 0 ? 1 : -1;
    r[row.s] = row.signS * (2 * s - 1);
    r[row.t] = row.signT * (2 * t - 1);
    return r;
}

constexpr int64_t kBorder = -1;

// "Wrapping Operation".
int64_t wrapped(Wrap wrap, int64_t i, int64_t size) {
    const auto mirror = [](int64_t n) { return n >= 0 ? n : -(1 + n); };
    const auto modulo = [](int64_t n, int64_t m) { return (n % m + m) % m; };
    switch (wrap) {
        case Wrap::kRepeat:
            return modulo(i, size);
        case Wrap::kMirror:
            return size - 1 - mirror(modulo(i, 2 * size) - size);
        case Wrap::kEdge:
            return std::clamp<int64_t>(i, 0, size - 1);
        case Wrap::kMirrorOnce:
            return std::clamp<int64_t>(mirror(i), 0, size - 1);
        default:
            return i >= 0 && i < size ? i : kBorder;
    }
}

bool holds(Compare compare, double reference, double depth) {
    switch (compare) {
        case Compare::kLess:
            return reference < depth;
        case Compare::kEqual:
            return reference == depth;
        case Compare::kLessEqual:
            return reference <= depth;
        case Compare::kGreater:
            return reference > depth;
        case Compare::kNotEqual:
            return reference != depth;
        case Compare::kGreaterEqual:
            return reference >= depth;
        default:
            return compare == Compare::kAlways;
    }
}

// One sample. Coordinates of a cube are those of its face.
class Sampling {
 public:
    Sampling(const ImageAccess& image, const SamplerState& sampler, const SampleOperands& operands,
             bool& defined)
        : image_(image),
          type_(*image.s.plan<ImagePlan>().image),
          sampler_(sampler),
          operands_(operands),
          at_(operands.at),
          isCube_(type_.dim == spv::Dim::Cube),
          dimensions_(isCube_ ? 2 : dimensionsOf(type_, true)),
          defined_(defined) {
        if (isCube_) {
            const Face face = project(operands.at, faceOf(operands.at));
            face_ = face.number;
            at_ = {face.s, face.t, 0};
        }
        const auto layers = int64_t{image.view.layers} / (isCube_ ? 6 : 1);
        if (type_.arrayed)
            layer_ = std::clamp<int64_t>(int64_t(std::nearbyint(operands.layer)), 0,
                                         std::max<int64_t>(layers - 1, 0));
    }

    Texel result() {
        const double lod = levelOfDetail(), level = levelAt(lod);
        const bool isLinear = lod <= 0 ? sampler_.magnifiesLinearly : sampler_.minifiesLinearly;
        const auto high = uint32_t(level);
        const double part = level - high;
        const Texel first = ofLevel(high, isLinear);
        if (part == 0) return first;
        const Texel second = ofLevel(high + 1, isLinear);
        Texel mixed{};
        reduce(mixed, first, 1 - part, true);
        reduce(mixed, second, part, false);
        return mixed;
    }

    Texel levels() const { return {levelAt(levelOfDetail()), unclampedLod(), 0, 0}; }

    // Of level 0: where the linear filter begins.
    Cell corner() const { return cellOf(0, 0.5); }
    Texel texelAt(uint32_t level, Cell cell) {
        const TexelLevel& of = image_.view.levels[level];
        if (isCube_) return ofCube(level, cell);
        const int64_t sizes[] = {of.width, of.height, of.depth};
        for (uint32_t d = 0; d < dimensions_; ++d) {
            cell[d] = wrapped(sampler_.wraps[d], cell[d], sizes[d]);
            if (cell[d] == kBorder) return compared(image_.border(sampler_.border));
        }
        return compared(image_.read({level, cell, layer_, 0}, defined_));
    }

 private:
    std::array<double, 3> sizesOf(uint32_t level) const {
        const TexelLevel& of = image_.view.levels[level];
        return {double(of.width), double(of.height), double(of.depth)};
    }

    double unclampedLod() const {
        constexpr double kMostBias = 15;  // maxSamplerLodBias
        double lod = operands_.lod;
        if (operands_.gradients)
            lod = std::log2(
                std::max(scale((*operands_.gradients)[0]), scale((*operands_.gradients)[1])));
        return lod + std::clamp(sampler_.bias + operands_.bias, -kMostBias, kMostBias);
    }
    double levelOfDetail() const {
        if (sampler_.isUnnormalized) return 0;
        const double lod = unclampedLod();
        // A level of detail that is NaN is any.
        const double least = std::max(sampler_.least, operands_.minLod);
        return std::isnan(lod) ? least : std::max(std::min(lod, sampler_.most), least);
    }

    // "d'", or "nearest(d')", as the text prefers.
    double levelAt(double lod) const {
        const double level = std::clamp(lod, 0.0, double(image_.view.levels.size() - 1));
        if (sampler_.mixesLevels && !sampler_.isUnnormalized) return level;
        return std::max(std::ceil(level + 0.5) - 1, 0.0);
    }

    // Texels of level 0 for a derivative of the coordinates.
    double scale(const Point& derivative) const {
        Point d = derivative;
        if (isCube_) {  // "Cube Map Derivative Transformation"
            const FaceRow& row = kFaces[face_];
            const double major = operands_.at[row.major], sign = major < 0 ? -1 : 1;
            const auto along = [&](double direction, uint32_t axis) {
                return direction *
                       (std::abs(major) * derivative[axis] -
                        operands_.at[axis] * sign * derivative[row.major]) /
                       (2 * major * major);
            };
            d = {along(row.signS, row.s), along(row.signT, row.t), 0};
        }
        const auto sizes = sizesOf(0);
        double sum = 0;
        for (uint32_t i = 0; i < dimensions_; ++i) sum += d[i] * sizes[i] * d[i] * sizes[i];
        return std::sqrt(sum);
    }

    // Where a coordinate, moved by a part of a texel, is; and how far behind its cell's start. A
    // linear filter has subTexelPrecisionBits behind the point, as Direct3D demands of it.
    Cell cellOf(uint32_t level, double shift, Point* rest = nullptr) const {
        const auto sizes = sizesOf(level);
        Cell cell{};
        for (uint32_t d = 0; d < dimensions_; ++d) {
            constexpr double kParts = 256;
            double u = at_[d] * (sampler_.isUnnormalized ? 1 : sizes[d]) - shift;
            if (shift != 0) u = std::floor(u * kParts + 0.5) / kParts;
            // What no image reaches, and NaN, must become an integer, too.
            constexpr double kMost = 1 << 30;
            const double start = std::isnan(u) ? 0 : std::clamp(std::floor(u), -kMost, kMost);
            cell[d] = int64_t(start) + operands_.offset[d];
            if (rest != nullptr) (*rest)[d] = std::isnan(u) ? 0 : std::min(u - start, 1.0);
        }
        return cell;
    }

    // A weighted mean, or the least or the most "of the values of the set of texels".
    void reduce(Texel& to, const Texel& texel, double weight, bool isFirst) const {
        for (size_t c = 0; c < to.size(); ++c) {
            if (sampler_.reduction == Reduction::kMean)
                to[c] += weight * texel[c];
            else if (isFirst)
                to[c] = texel[c];
            else
                to[c] = sampler_.reduction == Reduction::kLeast ? std::min(to[c], texel[c])
                                                                : std::max(to[c], texel[c]);
        }
    }

    Texel ofLevel(uint32_t level, bool isLinear) {
        if (!isLinear) return texelAt(level, cellOf(level, 0));
        Point rest{};
        const Cell first = cellOf(level, 0.5, &rest);
        Texel sum{};
        bool isFirst = true;
        for (uint32_t corner = 0; corner < 1u << dimensions_; ++corner) {
            double weight = 1;
            Cell cell = first;
            for (uint32_t d = 0; d < dimensions_; ++d) {
                const bool isSecond = corner >> d & 1;
                weight *= isSecond ? rest[d] : 1 - rest[d];
                cell[d] += isSecond;
            }
            if (weight == 0) continue;
            reduce(sum, texelAt(level, cell), weight, std::exchange(isFirst, false));
        }
        return sum;
    }

    // Texels beyond an edge are those of the neighbor, and one beyond a corner has the mean of the
    // three that meet there.
    Texel ofCube(uint32_t level, const Cell& cell) {
        const auto size = int64_t{image_.view.levels[level].width};
        const auto inside = [&](int64_t i) { return i >= 0 && i < size; };
        const auto read = [&](uint32_t face, int64_t x, int64_t y) {
            return image_.read({level, {x, y, 0}, layer_ * 6 + face, 0}, defined_);
        };
        const auto [x, y, unused] = cell;
        if (inside(x) && inside(y)) return compared(read(face_, x, y));
        const auto across = [&](int64_t i, int64_t j) {
            const auto full = double(size);
            const Point r = directionOf(face_, (double(i) + 0.5) / full, (double(j) + 0.5) / full);
            const Face face = project(r, faceOf(r));
            const auto index = [&](double s) {
                return std::clamp<int64_t>(int64_t(std::floor(s * full)), 0, size - 1);
            };
            return compared(read(face.number, index(face.s), index(face.t)));
        };
        if (inside(x) || inside(y)) return across(x, y);
        const int64_t nearX = std::clamp<int64_t>(x, 0, size - 1);
        const int64_t nearY = std::clamp<int64_t>(y, 0, size - 1);
        const Texel all[] = {across(x, nearY), across(nearX, y),
                             compared(read(face_, nearX, nearY))};
        Texel mean;
        for (size_t c = 0; c < mean.size(); ++c) mean[c] = (all[0][c] + all[1][c] + all[2][c]) / 3;
        return mean;
    }

    // "Depth Compare Operation".
    Texel compared(const Texel& texel) const {
        if (!operands_.reference) return texel;
        double reference = *operands_.reference;
        if (image_.view.format.components[0].kind == TexelKind::kUnorm)
            reference = std::clamp(reference, 0.0, 1.0);
        return {holds(sampler_.compare, reference, texel[0]) ? 1.0 : 0.0, 0, 0, 1};
    }

    const ImageAccess& image_;
    const Type& type_;
    const SamplerState& sampler_;
    const SampleOperands& operands_;
    Point at_;
    const bool isCube_;
    const uint32_t dimensions_;
    uint32_t face_ = 0;
    int64_t layer_ = 0;
    bool& defined_;
};

}  // namespace

Texel sample(const ImageAccess& image, const SamplerState& sampler, const SampleOperands& operands,
             bool& defined) {
    if (!image.view.planes.empty()) return sampleOfPlanes(image, sampler, operands, defined);
    return Sampling(image, sampler, operands, defined).result();
}

Texel levelsOf(const ImageAccess& image, const SamplerState& sampler,
               const SampleOperands& operands) {
    bool defined = true;
    return Sampling(image, sampler, operands, defined).levels();
}

Texel gather(const ImageAccess& image, const SamplerState& sampler, const SampleOperands& operands,
             uint32_t component, const std::array<std::array<int64_t, 2>, 4>* offsets,
             bool& defined) {
    Sampling sampling(image, sampler, operands, defined);
    const Cell first = sampling.corner();
    constexpr std::array<std::array<int64_t, 2>, 4> kOrder = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    Texel result;
    for (size_t n = 0; n < result.size(); ++n) {
        const auto& [x, y] = offsets != nullptr ? (*offsets)[n] : kOrder[n];
        result[n] = sampling.texelAt(0, {first[0] + x, first[1] + y, 0})[component % 4];
    }
    return result;
}

}  // namespace coopvk::reference::images
