// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageSources;
import dev.redoma.ledger.Ledger;
import dev.redoma.pool.Pool;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Assembles the engine, keeps its rounds going, and takes it out of service in order: no new calls, what was begun ends, warm members
/// go, channels close; sandboxes stay.
final class EngineHouse implements Engine {
    private static final Duration LOG_FLUSH = Duration.ofSeconds(1);
    private static final Duration CARRIERS = Duration.ofSeconds(1);
    private static final Duration EXPOSED = Duration.ofMillis(500);
    private static final Duration UNFINISHED = Duration.ofSeconds(10);
    private static final Duration WARM_ROUND = Duration.ofSeconds(15);
    private static final Duration HOURLY = Duration.ofHours(1);

    private final Core core;
    private final WarmPool warm;
    private final Sandboxes sandboxes;
    private final Commands commands;
    private final Templates templates;
    private final Volumes volumes;
    private final Builds builds;
    private final BuildQueue building;
    private final Files volumeFiles;
    private final Caches caches;
    private final Retention retention;
    private final Policies policies;
    private final ExposureService exposures;
    private final Approvals approvals;
    private final AttachService attachments;
    private final Reviews reviews;
    private final Evidence evidence;

    private EngineHouse(Core core, Commands commands, LiveLookup lookup, ImageSources sources, Ledger ledger) {
        this.core = core;
        var warmSize = new AtomicLong();
        var admission = new Admission(core.config().reserve(), core.pool(), warmSize::get);
        var exits = new ExitWatch(core);
        var side = new LiveSide(core, exits);
        var snapshots = new Snapshots(core);
        var copies = new CacheCopies(core.pool().volumes(), core.config());
        var reading = new ReviewReading(core);
        var reviewHome = new ReviewHome(core.config().dataDir());
        var reviewRecords = new ReviewRecords(ledger);
        var artifacts = new ArtifactKeeping(core, reviewHome, reviewRecords);
        var closing = new ReviewClosing(core, reading, reviewHome, reviewRecords, artifacts);
        this.reviews = new ReviewService(core, reading, reviewHome, closing, artifacts, reviewRecords, new ApplyService(core, reviewRecords));
        var ending = new Ending(core, side, snapshots::collect, copies, closing);
        var pausing = new Pausing(core);
        lookup.onUse((box, caller) -> core.background().call(() -> core.boxes().locked(box, () -> pausing.wake(box, caller.key()))));
        var starting = new Starting(core, admission, side);
        var creation = new Creation(core, admission, side, copies);
        this.warm = new WarmPool(core, admission, exits, warmSize);
        exits.warmMembers(warm::dropped);
        core.timers().onDue(new Expiry(core, ending, pausing)::due);
        var limits = new LimitRules(core.config().bounds());
        var workspaces = new Workspaces(core, commands.execs(), ending, closing);
        var planner = new Planner(core.store(), core.tiers(), limits, core.config().defaultTemplate(), core.policies(), core.config().bounds().defaults(), core.redactions());
        var claim = new Claim(core, admission, creation, side, ending, warm);
        this.sandboxes = new SandboxService(core, new Idempotency(core.store(), ledger::digest),
                new GetOrCreate(core, planner, claim, creation, warm, pausing, starting, workspaces), new Forks(core, planner, snapshots, creation),
                ending, pausing, starting, new SnapshotService(core, snapshots), new Brakes(core, ending, limits, warm), new Inspection(core));
        this.commands = commands;
        var collector = new LayerCollector(core, warm);
        var versions = new TemplateVersions(core, warm);
        var images = new TemplateImages(core, versions, sources);
        this.templates = new TemplateService(core, warm, versions, images, collector);
        var places = new BuildPlaces(core.config().dataDir(), core.config().building());
        var stepBoxes = new StepBoxes(core, commands, creation, ending, limits);
        this.building = new BuildQueue(core, places,
                order -> order.image() == null ? new Building(core, stepBoxes, versions, images, order)::run : new ImageBuild(core, images, order)::run);
        this.builds = new BuildService(core, building, places, images);
        var volumeEffects = new VolumeEffects(core);
        this.volumes = new VolumeService(core, admission, volumeEffects);
        var buildRecovery = new BuildRecovery(core, places, ending, collector);
        this.volumeFiles = new VolumeFiles(core);
        this.caches = new CacheService(core, volumeEffects);
        this.retention = new Retention(core);
        this.exposures = new ExposureService(core);
        this.evidence = new EvidenceService(core, commands.execs(), ledger, reviews);
        this.approvals = new ApprovalService(core.approvals().desk());
        this.attachments = new AttachService(core, commands.execs(), ledger);
        this.policies = new PolicyService(core, core.policies(), ledger, (live, row) -> core.uplink().change(core.handover(), live, row), row -> {
            core.approvals().policyChanged(row);
            exposures.policyChanged(row);
        });
        var recovery = new Recovery(core, side, creation, ending, pausing, starting, snapshots);
        var reaper = new Reaper(core, warm, collector, reviewHome);
        recovery.run();
        exposures.recover();
        core.approvals().desk().recover();
        attachments.recover();
        volumeEffects.sweep();
        buildRecovery.run();
        core.background().run("ending what was being filled", workspaces::interrupted);
        reaper.leftovers();
        rounds(recovery, volumeEffects, reaper, exits, new SnapshotKeeping(core, snapshots));
        core.background().every(HOURLY, "forgetting old builds", buildRecovery::sweep);
        core.background().run("reading what ended sandboxes changed", closing::sweep);
        core.background().every(core.config().times().sweep(), "forgetting what was kept of ended sandboxes", closing::sweep);
        core.background().every(EXPOSED, "ending what was exposed for a time", exposures::sweep);
        core.background().every(EXPOSED, "ending what people were attached to for a time", attachments::sweep);
        core.background().every(EXPOSED, "denying what nobody approved in time", core.approvals().desk()::sweep);
        core.background().every(HOURLY, "forgetting old requests for approval", core.approvals().desk()::forgetOld);
    }

    static Engine open(EngineConfig config, Store store, Ledger ledger, Pool pool, List<Tier> tiers, ImageSources images, Network network, Approvals.Settings approvals, Clock clock) {
        var records = new Records(ledger);
        var policies = new PolicyRules(config.policies(), network.enforces(), store, records);
        var uplink = new Uplink(network, policies::effective);
        var desk = new ApprovalDesk(store, new ApprovalRecords(ledger), ApprovalBinding.open(config.dataDir()), approvals, clock);
        var redactions = new Redactions(store, ledger, config.outputTokens());
        ledger.masks(redactions);
        var gate = new ApprovalGate(desk, store, row -> policies.standing(row).stack().approvals(), redactions);
        network.asking(gate::egress);
        var boxes = new Boxes(config.times().lock());
        var background = new Background();
        var places = new Places(config.runDir());
        var lookup = new LiveLookup(store, boxes);
        var commands = Commands.open(lookup, store, ledger, config.dataDir(), pool.root(), config.quota().outputBytes(), gate::exec, clock, redactions);
        var core = new Core(config, store, records, pool, clock, new TierChoice(tiers), boxes, places,
                new Starter(pool, places, background, config.times().ready(), uplink), new Handover(), background, new SystemLog(store, clock, redactions),
                new UidRanges(config.uids()), new Quotas(config), new Holding(new VolumeUse()), new Timers(clock, background), new LayerHolds(), commands.lifecycle(), policies,
                uplink, gate, redactions);
        return new EngineHouse(core, commands, lookup, images, ledger);
    }

    private void rounds(Recovery recovery, VolumeEffects volumeEffects, Reaper reaper, ExitWatch exits, SnapshotKeeping keeping) {
        Background b = core.background();
        EngineConfig.Times times = core.config().times();
        b.every(LOG_FLUSH, "writing the system log", core.log()::flush);
        b.every(times.liveness(), "looking after instances", exits::lookAll);
        b.every(CARRIERS, "looking at open connections", () -> core.boxes().all().forEach(EngineHouse::lookAtCarriers));
        b.every(UNFINISHED, "finishing what was begun", recovery::sweep);
        b.every(UNFINISHED, "finishing changes of volumes", volumeEffects::sweep);
        b.every(WARM_ROUND, "looking after warm members", warm::sweep);
        b.every(times.sweep(), "looking for orphans", reaper::sweep);
        b.every(times.sweep(), "deleting snapshots that are not kept any longer", keeping::sweep);
        b.every(HOURLY, "forgetting what ended long ago", retention::sweep);
        b.every(times.sweep(), "noting activity", retention::noteActivity);
    }

    private static void lookAtCarriers(Box box) {
        LiveBox live = box.live();
        if (live != null) {
            live.lookAtCarriers();
        }
    }

    Boxes boxes() {
        return core.boxes();
    }

    @Override
    public Sandboxes sandboxes() {
        return sandboxes;
    }

    @Override
    public Execs execs() {
        return commands.execs();
    }

    @Override
    public Ports ports() {
        return commands.ports();
    }

    @Override
    public Files files() {
        return commands.files();
    }

    @Override
    public Templates templates() {
        return templates;
    }

    @Override
    public Volumes volumes() {
        return volumes;
    }

    @Override
    public Builds builds() {
        return builds;
    }

    @Override
    public Caches caches() {
        return caches;
    }

    @Override
    public Policies policies() {
        return policies;
    }

    @Override
    public Exposures exposures() {
        return exposures;
    }

    @Override
    public Approvals approvals() {
        return approvals;
    }

    @Override
    public Attachments attachments() {
        return attachments;
    }

    @Override
    public Reviews reviews() {
        return reviews;
    }

    @Override
    public Evidence evidence() {
        return evidence;
    }

    @Override
    public Files volumeFiles() {
        return volumeFiles;
    }

    @Override
    public void close() {
        core.approvals().desk().close();
        building.close();
        warm.close();
        core.background().close();
        commands.closing().run();
        core.boxes().all().forEach(box -> {
            LiveBox live = box.live();
            if (live != null) {
                live.close();
            }
        });
        retention.noteActivity();
        core.log().flush();
    }
}
