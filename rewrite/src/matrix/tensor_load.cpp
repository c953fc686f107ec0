// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadTensorNV.
#include <array>

#include "lowering/number.hpp"
#include "matrix/instructions.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

namespace {

class TensorLoad : TensorTransfer {
 public:
    TensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load,
               const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, load, matrix, operands),
          operands_(operands),
          result_(writer.variable(matrix.id)) {
        if (operands.decode) {
            const TensorLayoutType& layout =
                *context.tensors.layoutOf(context.module, operands.layout);
            decode_.emplace(context, emit_, load, matrix, layout, TensorDecode::Kind::kElement,
                            *operands.decode, operands.pointer);
            prepareVectors(layout);
        } else {
            elements_.emplace(context, emit_, load, matrix, operands.pointer, operands.memory);
            chooseRuns(*elements_);
        }
    }

    bool valid() const {
        if (vectors_ && !vectors_->valid()) return false;
        return decode_ ? decode_->valid() : elements_->valid();
    }

    bool isDecoded() const { return decode_.has_value(); }

    // Emits what all ways need, ahead of their branches.
    void begin() { clampValue_ = clampValue(); }

    // Emits the load, between begin() and end(): the layout's numbers choose the way at run time.
    void byLayout() {
        if (callsFunction(LoadWay::kByLayout)) return;
        // Where vectors are decoded, layouts without runs are rare: one call in a loop suffices.
        byAddress([&] { runs(); }, [&] { elements(vectors_ ? 1 : maxDecodeCalls()); },
                  [&] { any(); });
    }

    // The same in two parts, where one branch is for several loads: fastest() suits layouts for
    // which allowsFastest() is true, others() suits any layout.
    Condition allowsFastest() { return condition(); }
    void fastest() {
        if (callsFunction(LoadWay::kFastest)) return;
        if (run_.length == 1) return elements(maxDecodeCalls());
        inRuns([&] { runs(); });
    }
    void others() {
        if (callsFunction(LoadWay::kOthers)) return;
        if (device().prefersShortCode) return any();
        writer_.choose(address_.isSeparable(), [&] { elements(1); }, [&] { any(); });
    }

    void inWay(LoadWay way) {
        if (way == LoadWay::kFastest) return fastest();
        way == LoadWay::kOthers ? others() : byLayout();
    }

    void end() { emit_.add(makeInstruction(OpLoad, matrix_.id, at_.result, {idOperand(result_)})); }

 private:
    static constexpr auto kShared = ElementArray::Variable::kShared;

    bool callsFunction(LoadWay way) {
        const std::optional<Id> loaded = callSharedLoad(context_, emit_, at_, way);
        if (loaded) emit_.store(result_, *loaded);
        return loaded.has_value();
    }

    uint32_t maxDecodeCalls() const { return device().maxDecodeCalls; }

    void runs() {
        if (vectors_) {
            return separable(walkRuns(maxDecodeCalls()),
                             [&](const TensorPart& place) { return decodeRunInside(place); });
        }
        load(
            walkRuns(maxLoads(run_.length)),
            [&](const TensorPart& place) { return readRun(place); },
            [&](TensorWalk& walk, const Visit& visit) { visitRuns(walk, *elements_, visit); });
    }

    // One element after the other. `maxCalls`: of DecodeFunc without a loop.
    void elements(uint32_t maxCalls) {
        separable(walkSeparable(decode_ ? maxCalls : maxLoads(1)), [&](const TensorPart& place) {
            return std::vector<Slot>{{readClamped(place), 0}};
        });
    }

    Id read(const TensorPart& place) {
        return decode_ ? decode_->call(emit_, place) : elements_->load(emit_, place.index);
    }

    // Prepares calls of DecodeVectorFunc, where a lane holds as many neighbours as it returns.
    // DecodeFunc decodes the elements of long vectors.
    void prepareVectors(const TensorLayoutType& layout) {
        if (!operands_.decodeVector) return;
        const Id function = *operands_.decodeVector;
        const uint32_t length = types_.components(context_.module.def(function).type);
        if (length != 2 && length != 4) return;
        const auto run = longestRun(length);
        if (run.length != length) return;
        run_ = run;
        vectors_.emplace(context_, emit_, at_, matrix_, layout, TensorDecode::Kind::kVector,
                         function, operands_.pointer);
    }

    // Selects the run as a whole, or each component where there are tiles: whole runs were not
    // measured there.
    std::vector<Slot> readRun(const TensorPart& place) {
        const bool asWhole = !context_.tiles.hasTiles();
        std::vector<Slot> run =
            elements_->loadRun(emit_, place.index, asWhole ? place.inside : Condition::always(),
                               address_.clampValue());
        if (asWhole || place.inside.isAlways()) return run;
        const Id inside = emit_.boolean(place.inside);
        for (Slot& slot : run) {
            const Id component = scalarOf(emit_, matrix_.component, slot);
            slot = {emit_.select(inside, component, clampValue_), 0};
        }
        return run;
    }

    // A run is inside or outside of the tensor as a whole.
    std::vector<Slot> decodeRunInside(const TensorPart& place) {
        const auto decode = [&] { return vectors_->call(emit_, place); };
        if (place.inside.isAlways()) return slotsOf(emit_, std::array{decode()});
        const Id inside = emit_.boolean(place.inside);
        const Id outside =
            emit_.splat(types_.vectorType(matrix_.component, run_.length), clampValue_);
        const Id run = vectors_->mayRepeat() ? emit_.select(inside, decode(), outside)
                                             : writer_.chooseValue(emit_.typeOf(outside), inside,
                                                                   decode, [&] { return outside; });
        return slotsOf(emit_, std::array{run});
    }

    using Read = std::function<std::vector<Slot>(const TensorPart& place)>;

    void separable(const TensorWalk& walk, const Read& read) {
        load(walk, read, [&](TensorWalk& w, const Visit& visit) { visitSeparable(w, visit); });
    }

    // Stores the matrix to the variable. read(place) gives the components of a run.
    void load(TensorWalk walk, const Read& read,
              const std::function<void(TensorWalk&, const Visit&)>& visitAll) {
        HeldElements held(matrix_);
        std::optional<ElementArray> array;
        if (walk.isRolled()) array.emplace(context_, writer_, matrix_, kShared);
        visitAll(walk, [&](const TensorPart& place, Id element) {
            const std::vector<Slot> components = read(place);
            if (array && array->storePacks(element, stepInRun(), components)) return;
            for (uint32_t i = 0; i < components.size(); ++i) {
                const Id at = inRun(element, i);
                if (array) {
                    array->store(at, scalarOf(emit_, matrix_.component, components[i]));
                } else {
                    slotOf(held, at) = components[i];
                }
            }
        });
        emit_.store(result_, array ? array->whole() : held.construct(matrix_, emit_));
    }

    // Reads only where the element is inside of the tensor.
    Id readInside(const TensorPart& place) {
        if (place.inside.isAlways()) return read(place);
        return writer_.chooseValue(
            matrix_.component, emit_.boolean(place.inside), [&] { return read(place); },
            [&] { return clampValue_; });
    }

    // Reads in any case, where it can: an element outside of the tensor has the address of one
    // inside. In a branch, a GPU would wait for each element before it reads the next one.
    Id readClamped(const TensorPart& place) {
        const bool reads = !decode_ || decode_->mayRepeat();
        if (!reads || place.inside.isAlways()) return readInside(place);
        return emit_.select(emit_.boolean(place.inside), read(place), clampValue_);
    }

    void any() {
        TensorWalk walk = walkAny();
        ElementArray array(context_, writer_, matrix_, kShared);
        if (address_.clips()) array.fill(operands_.object);
        visitAny(walk, [&](const TensorPart& place, Id element) {
            writer_.when(place.isKept, [&] { array.store(element, readInside(place)); });
        });
        emit_.store(result_, array.whole());
    }

    const TensorOperands operands_;
    const Id result_;  // variable
    std::optional<TensorElements> elements_;
    std::optional<TensorDecode> decode_, vectors_;
    Id clampValue_ = 0;
};

// The load, ready for begin(); nullptr with an error.
std::unique_ptr<TensorLoad> prepare(MatrixContext& context, MatrixWriter& writer,
                                    const Instruction& load) {
    const MatrixType* matrix = tensorMatrix(context, load, load.word(1));
    if (matrix == nullptr) return nullptr;
    if (matrix->id != load.type) {
        context.invalid(load, "the type of Object must be Result Type");
        return nullptr;
    }
    const std::optional<TensorOperands> operands = tensorOperands(context, load);
    if (!operands) return nullptr;
    auto prepared = std::make_unique<TensorLoad>(context, writer, load, *matrix, *operands);
    return prepared->valid() ? std::move(prepared) : nullptr;
}

using Loads = std::vector<std::unique_ptr<TensorLoad>>;

// What is only loaded is under way while other loads are decoded.
void emitFastest(const Loads& loads) {
    for (const bool isDecoded : {false, true}) {
        for (const auto& load : loads) {
            if (load->isDecoded() == isDecoded) load->fastest();
        }
    }
}

// Emits one branch for all loads, if the layout of each may allow the fastest way.
void emitTogether(MatrixWriter& writer, const Loads& loads) {
    Condition allowFastest = loads.size() > 1 ? Condition::always() : Condition::never();
    for (const auto& load : loads) {
        if (allowFastest.isNever()) break;
        allowFastest = writer.emit().both(allowFastest, load->allowsFastest());
    }
    if (!allowFastest.isNever()) {
        writer.choose(
            allowFastest, [&] { emitFastest(loads); },
            [&] {
                for (const auto& load : loads) load->others();
            });
    } else {
        for (const auto& load : loads) load->byLayout();
    }
}

// Emits what one version of the code around the loads has (tensor/load_order.hpp).
void emitVersion(const Loads& loads, bool isFastest) {
    const bool isPossible = std::ranges::all_of(
        loads, [](const auto& load) { return !load->allowsFastest().isNever(); });
    if (isFastest && isPossible) return emitFastest(loads);
    for (const auto& load : loads) isPossible ? load->others() : load->byLayout();
}

}  // namespace

// A load is lowered together with the next one, if that follows directly (tensor/load_order.hpp).
void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load) {
    context.waitingLoads.push_back(&load);
    if (context.followedLoads.contains(load.result)) return;
    Loads loads;
    for (const Instruction* waiting : std::exchange(context.waitingLoads, {})) {
        loads.push_back(prepare(context, writer, *waiting));
        if (loads.back() == nullptr) return;
    }
    for (const auto& one : loads) one->begin();
    const bool isFastest = context.loadVersions.fastest.contains(load.result);
    const auto inFunction = context.sharedLoads.ways.find(load.result);
    if (inFunction != context.sharedLoads.ways.end()) {
        loads.front()->inWay(inFunction->second);
    } else if (isFastest || context.loadVersions.others.contains(load.result)) {
        emitVersion(loads, isFastest);
    } else {
        emitTogether(writer, loads);
    }
    for (const auto& one : loads) one->end();
}

// Computes the boolean that selects a version of loads.
bool lowerLoadCondition(MatrixContext& context, MatrixWriter& writer, const Instruction& i) {
    const auto found = context.loadVersions.loads.find(i.result);
    if (found == context.loadVersions.loads.end()) return false;
    Emitter& emit = writer.emit();
    Condition condition = Condition::always();
    for (const Instruction* load : found->second) {
        const std::unique_ptr<TensorLoad> prepared = prepare(context, writer, *load);
        if (prepared == nullptr) return true;
        condition = emit.both(condition, prepared->allowsFastest());
        if (condition.isNever()) break;
    }
    emit.op(OpCopyObject, i.type, {emit.boolean(condition)}, i.result);
    return true;
}

}  // namespace coopvk::rewrite
