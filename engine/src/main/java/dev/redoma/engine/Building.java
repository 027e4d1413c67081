// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.recipe.Instruction;
import dev.redoma.engine.recipe.Step;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// One build at work: step by step, each that changes files in a sandbox of its own and kept as a layer, or taken from an earlier build
/// of the same inputs. One thread.
final class Building {
    /// What overlay stacks, less some for snapshots of what is made of the template.
    static final int MOST_LAYERS = 120;

    private final Core core;
    private final StepBoxes boxes;
    private final TemplateVersions versions;
    private final BuildBase base;
    private final BuildOrder order;
    private final BuildState state;
    private final BuildLog log;
    private List<LayerRef> layers = List.of();
    /// Working directories that the next step, or the last, makes.
    private final List<String> wanted = new ArrayList<>();
    private int step;
    private int cached;

    Building(Core core, StepBoxes boxes, TemplateVersions versions, TemplateImages images, BuildOrder order) {
        this.core = core;
        this.boxes = boxes;
        this.versions = versions;
        this.base = new BuildBase(core, images, order);
        this.order = order;
        this.state = new BuildState(order.recipe(), order.args());
        this.log = order.log();
    }

    /// The finished version; its row is written and the name points at it.
    void run() {
        var recipe = order.recipe();
        recipe.before().forEach(s -> state.globalArg((Instruction.Arg) s.what()));
        one(recipe.from(), () -> from((Instruction.From) recipe.from().what()));
        for (Step s : recipe.steps()) {
            one(s, () -> apply(s.what()));
        }
        if (!wanted.isEmpty()) {
            directories();
        }
        state.start(recipe.start());
        unusedArgs();
        finish();
    }

    private void one(Step s, Runnable work) {
        mayGoOn();
        step++;
        core.store().write(tx -> {
            BuildRows.step(tx, order.id(), step);
            return true;
        });
        log.say("step " + step + "/" + order.recipe().count() + " " + s.text());
        log.beginStep();
        try {
            work.run();
        } catch (RedomaException e) {
            throw placed(e, s);
        }
    }

    /// Says of any problem at which step it came up.
    private RedomaException placed(RedomaException e, Step s) {
        var p = e.problem();
        if (p.code() == Code.STEP_FAILED) {
            return e;
        }
        return new Problem(p.code(), p.layer(), "Step " + step + " of " + order.recipe().count() + ", line " + s.line() + " (" + s.text() + "): " + p.message(),
                p.remedy(), p.details()).with("step", step).with("line", s.line()).raise(e);
    }

    private void mayGoOn() {
        if (order.cancelled()) {
            throw Problem.of(Code.BUILD_INTERRUPTED, "The build was cancelled.", "Build again.").raise();
        }
        if (order.unwanted()) {
            throw Problem.of(Code.BUILD_INTERRUPTED, "The server stopped while the build was under way.", "Build again.").raise();
        }
    }

    private void from(Instruction.From from) {
        String wanted = state.from(from);
        if (wanted.equals("scratch")) {
            throw BuildState.refused("FROM scratch is not taken; import a tar and build on that");
        }
        try {
            BuildBase.Base found = base.find(wanted);
            layers = found.layers();
            state.base(found.config());
        } catch (RedomaException e) {
            mayGoOn(); // what broke off a pull is what is told
            throw e;
        }
    }

    private void apply(Instruction what) {
        switch (what) {
            case Instruction.Run run -> run(run.shell() ? state.shelled(run.command().getFirst()) : run.command());
            case Instruction.Copy copy -> copy(CopyPlan.of(copy, state, order.files()));
            case Instruction.Env env -> state.apply(env);
            case Instruction.Labels some -> state.apply(some);
            case Instruction.Arg arg -> state.apply(arg);
            case Instruction.Workdir to -> wanted.add(state.apply(to));
            case Instruction.User to -> state.apply(to);
            case Instruction.Expose some -> state.apply(some);
            case Instruction.Entrypoint to -> state.apply(to);
            case Instruction.Cmd to -> state.apply(to);
            case Instruction.Shell to -> state.apply(to);
            case Instruction.StopSignal to -> state.apply(to);
            case Instruction.From again -> throw new IllegalStateException("a second FROM: " + again);
        }
    }

    private void run(List<String> argv) {
        layer(StepKey.run(layers, wanted, argv, state), box -> {
            Exec exec = box.run(argv, state, core.config().building().step());
            if (exec.exitCode() == null || exec.exitCode() != 0) {
                mayGoOn();
                throw StepFailure.of(step, order.recipe().count(), argv, exec, log.lastLines());
            }
        });
    }

    private void copy(CopyPlan plan) {
        layer(StepKey.copy(layers, wanted, state.user(), plan), box -> box.copy(plan));
    }

    private void directories() {
        layer(StepKey.directories(layers, wanted, state.user()), box -> {});
    }

    /// Of the same inputs before, or made now.
    private void layer(String key, Consumer<StepBox> work) {
        Optional<String> known = order.noCache() ? Optional.empty() : core.store().read(tx -> BuildRows.cached(tx, key));
        if (known.isPresent() && taken(key, known.get())) {
            log.say("      cached");
            wanted.clear();
            return;
        }
        if (layers.size() >= MOST_LAYERS) {
            throw BuildState.refused("the template would stand on more than " + MOST_LAYERS + " layers; join steps");
        }
        try (LayerHolds.Hold hold = core.holds().open()) {
            String made = made(work, hold);
            Faults.at("build.layer");
            List<LayerRef> now = with(made);
            core.store().write(tx -> {
                BuildRows.made(tx, key, made, core.now());
                BuildRows.layers(tx, order.id(), now, cached);
                return true;
            });
            layers = now;
        }
        wanted.clear();
    }

    private String made(Consumer<StepBox> work, LayerHolds.Hold hold) {
        try (StepBox box = boxes.open(order, layers)) {
            wanted.forEach(path -> box.directory(path, state.user()));
            work.accept(box);
            mayGoOn();
            return box.layer(hold);
        } catch (RedomaException e) {
            mayGoOn(); // what broke off the step is what is told
            throw e;
        }
    }

    /// False where it went away in this very moment.
    private boolean taken(String key, String layer) {
        List<LayerRef> now = with(layer);
        boolean there = core.store().write(tx -> {
            if (!BuildRows.cached(tx, key).filter(layer::equals).isPresent()) {
                return false;
            }
            BuildRows.used(tx, key, core.now());
            BuildRows.layers(tx, order.id(), now, cached + 1);
            return true;
        });
        if (there) {
            cached++;
            layers = now;
        }
        return there;
    }

    /// The same layer further down adds nothing (and overlayfs takes none twice): two steps of one outcome, mostly none at all.
    private List<LayerRef> with(String top) {
        var all = new ArrayList<LayerRef>();
        all.add(LayerRef.template(top));
        layers.stream().filter(l -> !top.equals(l.layer())).forEach(all::add);
        return List.copyOf(all);
    }

    private void unusedArgs() {
        var declared = new ArrayList<String>();
        for (var list : List.of(order.recipe().before(), order.recipe().steps())) {
            list.forEach(s -> {
                if (s.what() instanceof Instruction.Arg arg) {
                    declared.add(arg.name());
                }
            });
        }
        order.args().keySet().stream().filter(name -> !declared.contains(name)).sorted()
                .forEach(name -> log.say("note: the argument " + name + " is declared nowhere in the recipe"));
    }

    private void finish() {
        mayGoOn();
        BuildRow build = order.row();
        TemplateRow made = versions.publish(order.caller(), build.template(), build.tag(), build.source(), layers, state.config(), Map.of("build", build.id().value()),
                (tx, row) -> {
                    if (!BuildRows.end(tx, build.id(), BuildRow.READY, row.digest(), null, core.now())) {
                        throw new IllegalStateException("the build had ended before");
                    }
                    core.records().build(tx, build, order.caller().key(), "build.ready", Map.of("digest", row.digest(), "cached", cached));
                });
        log.say("ready: " + made.name() + " " + made.digest());
    }
}
