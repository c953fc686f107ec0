// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixLoadTensorNV and OpCooperativeMatrixStoreTensorNV.
#include <array>

#include "lowering/number.hpp"
#include "matrix/instructions.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

namespace {

TensorAccess accessOf(const MatrixContext& context, const Instruction& at, const MatrixType& matrix,
                      const TensorOperands& operands) {
    TensorAccess access;
    access.layout = context.tensors.layoutOf(context.module, operands.layout);
    if (operands.view) access.view = context.tensors.viewOf(context.module, *operands.view);
    access.rows = matrix.rows;
    access.columns = matrix.columns;
    access.isStore = at.opcode == OpCooperativeMatrixStoreTensorNV;
    access.isDecoded = operands.decode.has_value();
    return access;
}

const MatrixType* tensorMatrix(MatrixContext& context, const Instruction& at, Id object) {
    const MatrixType* matrix = context.matrixOfValue(object);
    if (matrix == nullptr) {
        context.invalid(at, "Object is not a cooperative matrix");
    } else if (matrix->hasFourBits()) {
        context.unsupported(at, "tensors of 4-bit components are not emulated");
        matrix = nullptr;
    }
    return matrix;
}

class TensorTransfer : protected MatrixCode {
 public:
    TensorTransfer(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                   const MatrixType& matrix, const TensorOperands& operands)
        : MatrixCode(context, writer),
          at_(at),
          matrix_(matrix),
          address_(context, writer.emit(), accessOf(context, at, matrix, operands), operands.layout,
                   operands.view) {}

 protected:
    // Emits code that runs one of the three, by the layout's numbers at run time. `runs` is used
    // only where run_ is longer than one element.
    void byAddress(const std::function<void()>& runs, const std::function<void()>& separable,
                   const std::function<void()>& any) {
        if (device().prefersShortCode) {
            const Condition isFastest = condition();
            if (isFastest.isNever()) return any();
            return writer_.choose(
                isFastest, [&] { run_.length == 1 ? separable() : inRuns(runs); }, any);
        }
        const Condition isSeparable = address_.isSeparable();
        if (isSeparable.isNever()) return any();
        const auto parts = [&] {
            if (run_.length == 1) return separable();
            writer_.choose(
                emit_.both(runsFit_, address_.hasRuns(run_.length)), [&] { inRuns(runs); },
                separable);
        };
        writer_.choose(isSeparable, parts, any);
    }

    // Whether `runs` is right, or `separable` where run_ is one element long. The layout's numbers
    // tell.
    Condition condition() {
        Condition condition = address_.isSeparable();
        if (run_.length != 1) {
            condition = emit_.both(emit_.both(condition, runsFit_), address_.hasRuns(run_.length));
        }
        return emit_.known(condition);
    }

    // Runs emitRuns() while addresses are those of runs.
    void inRuns(const std::function<void()>& emitRuns) {
        address_.setRuns(run_.length);
        emitRuns();
        address_.setRuns(1);
    }

    // The longest run of at most `max` elements (a power of two) in a lane; one element: none.
    TensorRun longestRun(uint32_t max) const {
        const std::optional<bool> alongRow = address_.runsAlongRows();
        if (!alongRow) return {};
        const Axis& axis = *alongRow ? matrix_.fragment.columns : matrix_.fragment.rows;
        uint32_t length = max;
        while (axis.neighbours() % length != 0) length /= 2;
        return {length, *alongRow};
    }

    // Sets run_ and runsFit_ for accesses of memory by `elements`.
    void chooseRuns(TensorElements& elements) {
        if (elements.valid()) run_ = longestRun(kTensorRunBytes * 8 / matrix_.number->bits);
        if (run_.length > 1) runsFit_ = elements.hasRuns(emit_, run_.length);
        if (runsFit_.isNever()) run_ = {};
    }

    // Visits the lane's elements, or the first ones of its runs, with their places.
    using Visit = std::function<void(const TensorPart& place, Id element)>;

    void visitSeparable(TensorWalk& walk, const Visit& visit) {
        walk.run([&](Id row) { return address_.ofRow(row); },
                 [&](Id column) { return address_.ofColumn(column); },
                 [&](const TensorPart& row, const TensorPart& column, Id element) {
                     visit(TensorAddress::join(emit_, row, column), element);
                 });
    }

    // The same with places whose index is the number of a run of `elements` in memory.
    void visitRuns(TensorWalk& walk, TensorElements& elements, const Visit& visit) {
        const Id ahead = elements.runsAhead(emit_);
        visitSeparable(walk, [&](TensorPart place, Id element) {
            place.index = emit_.sum(ahead, emit_.over(place.index, run_.length));
            visit(place, element);
        });
    }

    // The number (u32) of element `i` of a run whose first element has the number `first`.
    Id inRun(Id first, uint32_t i) const { return emit_.plus(first, i * stepInRun()); }
    uint32_t stepInRun() const { return run_.alongRow ? 1 : matrix_.fragment.columns.count(); }

    void visitAny(TensorWalk& walk, const Visit& visit) {
        const auto coordinate = [](Id value) {
            TensorPart part;
            part.coordinate = value;
            return part;
        };
        walk.run(coordinate, coordinate,
                 [&](const TensorPart& row, const TensorPart& column, Id element) {
                     visit(address_.ofElement(row.coordinate, column.coordinate), element);
                 });
    }

    // The low bits of the layout's clamp value, as a component.
    Id clampValue() {
        std::vector<Slot> words = {{address_.clampValue(), 0}};
        if (types_.width(matrix_.component) == 64) words.push_back({emit_.constant(0), 0});
        const std::vector<Slot> components =
            unpackComponents(emit_, *matrix_.number, words, types_.uint32(), matrix_.component);
        return scalarOf(emit_, matrix_.component, components[0]);
    }

    const DevicePlan& device() const { return context_.target.device; }
    // Loops of rare ways are not unrolled. With tiles of the driver's matrices they are: there
    // duplicateLoads() duplicates the code around loads, and the rare ways are in one copy alone.
    spv::LoopControlMask loops(bool isRare) const {
        return device().prefersShortCode || (isRare && !context_.tiles.hasTiles())
                   ? spv::LoopControlMask::DontUnroll
                   : spv::LoopControlMask::MaskNone;
    }

    // How many runs of `length` elements are loaded without a loop. A loop stores elements to an
    // array, which each lane of a CPU does alone, and loads and stores a pack for each component of
    // it. So an iteration there has no more of these accesses than there may be runs without a
    // loop.
    uint32_t maxLoads(uint32_t length) const {
        const uint32_t most = device().maxTensorLoads;
        if (!device().prefersShortCode || matrix_.length() / length <= most) return most;
        const uint32_t width = matrix_.packWidth;
        const bool areWhole = length > 1 && stepInRun() == matrix_.packStep && length % width == 0;
        return std::max(1u, most / (areWhole ? length / width : length * width));
    }

    // How runs are visited, single elements by separable addresses, and elements by any address.
    // `most`: how many without a loop. Of what is rare, GPUs access a row at once.
    TensorWalk walkRuns(uint32_t most) { return {writer_, matrix_, most, run_, loops(false)}; }

    TensorWalk walkSeparable(uint32_t most) {
        const bool isRare = run_.length != 1 && !context_.tiles.hasTiles();
        const uint32_t unrolled = isRare ? std::min(most, device().maxRareAccesses) : most;
        // Loops of loads may be unrolled: RADV indexes the array by a ladder of branches in a loop.
        const bool isStore = at_.opcode == OpCooperativeMatrixStoreTensorNV;
        return {writer_, matrix_, unrolled, {}, loops(isRare && isStore)};
    }

    // A loop for few elements takes more registers than the same without one
    // (docs/developers/lab/2026-11-benchmarks.md, "Code size").
    TensorWalk walkAny() {
        const uint32_t most = device().maxTensorPlaces;
        const bool isRare = !address_.isSeparable().isNever() && !context_.tiles.hasTiles() &&
                            matrix_.length() > 2 * most;
        return {writer_, matrix_, isRare ? 1 : most, {}, loops(isRare)};
    }

    Slot& slotOf(HeldElements& held, Id element) {
        return held.slots[static_cast<size_t>(context_.module.constantValue(element).value_or(0))];
    }

    const Instruction& at_;
    const MatrixType& matrix_;
    TensorAddress address_;
    // What a lane accesses at once, and whether memory allows that.
    TensorRun run_;
    Condition runsFit_ = Condition::always();
};

}  // namespace

// OpCooperativeMatrixStoreTensorNV.

namespace {

class TensorStore : TensorTransfer {
 public:
    TensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store,
                const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, store, matrix, operands),
          elements_(context, emit_, store, matrix, operands.pointer, operands.memory) {
        chooseRuns(elements_);
        const auto converted = context.storedConversions.find(object_);
        if (converted == context.storedConversions.end()) return;
        object_ = converted->second;
        held_ = context.matrixOfValue(object_);
    }

    bool valid() const { return elements_.valid(); }

    void run() {
        const uint32_t most =
            context_.tiles.hasTiles() ? device().maxTensorStoresOfTiles : device().maxTensorStores;
        constexpr auto kSeparable = &TensorStore::visitSeparable, kAny = &TensorStore::visitAny;
        writer_.when(writer_.isNoDuplicate(matrix_), [&] {
            byAddress([&] { store(walkRuns(most), &TensorStore::visitMemoryRuns, run_.length); },
                      [&] { store(walkSeparable(most), kSeparable, 1); },
                      [&] { store(walkAny(), kAny, 1); });
        });
    }

 private:
    void visitMemoryRuns(TensorWalk& walk, const Visit& visit) {
        visitRuns(walk, elements_, visit);
    }

    // Stores runs of `length` elements.
    void store(TensorWalk walk, void (TensorStore::*visitAll)(TensorWalk&, const Visit&),
               uint32_t length) {
        std::optional<ElementArray> array;
        HeldElements held(matrix_);
        if (walk.isRolled()) {
            array.emplace(context_, writer_, *held_, ElementArray::Variable::kShared);
            array->fill(object_);
        } else {
            held = HeldElements(*held_, emit_, object_);
        }
        (this->*visitAll)(walk, [&](const TensorPart& place, Id element) {
            writer_.when(emit_.both(place.isKept, place.inside), [&] {
                std::vector<Slot> packs, components;
                if (array) packs = array->loadPacks(element, stepInRun(), length);
                const auto heldAt = [&](uint32_t i) -> Slot {
                    if (!packs.empty()) return packs[i];
                    const Id at = inRun(element, i);
                    return array ? Slot{array->load(at), 0} : slotOf(held, at);
                };
                for (uint32_t i = 0; i < length; ++i) components.push_back(component(heldAt(i)));
                if (length > 1) return elements_.storeRun(emit_, place.index, components);
                elements_.store(emit_, place.index, gather(emit_, matrix_.component, components));
            });
        });
    }

    // Of the matrix that is stored, from one of what is held.
    Slot component(Slot held) {
        if (held_ == &matrix_) return held;
        return {emit_.converted(matrix_.component, scalarOf(emit_, held_->component, held)), 0};
    }

    TensorElements elements_;
    // What the lanes hold: the object, or what is converted to it.
    Id object_ = at_.word(1);
    const MatrixType* held_ = &matrix_;
};

}  // namespace

void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = tensorMatrix(context, store, store.word(1));
    if (matrix == nullptr) return;
    const std::optional<TensorOperands> operands = tensorOperands(context, store);
    if (!operands) return;
    if (operands->decode || operands->decodeVector) {
        return context.invalid(store, "a store takes no DecodeFunc");
    }
    TensorStore lowering(context, writer, store, *matrix, *operands);
    if (lowering.valid()) lowering.run();
}

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
