// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.TenantId;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.Mount;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/// Brings up an instance on a disk: root file system, channel, processes, until the guest has dialled. On failure nothing of the
/// instance is left; the disk stays for its caller to decide about. Thread-safe.
final class Starter {
    private final Pool pool;
    private final Places places;
    private final Background background;
    private final Duration ready;
    private final Uplink uplink;

    Starter(Pool pool, Places places, Background background, Duration ready, Uplink uplink) {
        this.uplink = uplink;
        this.pool = pool;
        this.places = places;
        this.background = background;
        this.ready = ready;
    }

    /// On a new disk.
    LiveBox fresh(SandboxRow row, TemplateConfig config, Tier tier) {
        return start(row, config, tier, background.beside(
                () -> pool.createDisk(row.id(), new Bytes(LimitRules.disk(row.limits())), row.range().base())));
    }

    /// On the disk that the sandbox has.
    LiveBox again(SandboxRow row, TemplateConfig config, Tier tier) {
        Pool.Disk disk = pool.disk(row.id()).orElseThrow(() -> Problem.of(Code.HOST_FAILED, "The disk of " + row.id() + " is gone.", "Kill this sandbox and make a new one.")
                .raise());
        return start(row, config, tier, java.util.concurrent.CompletableFuture.completedFuture(disk));
    }

    private LiveBox start(SandboxRow row, TemplateConfig config, Tier tier, Future<Pool.Disk> disk) {
        try {
            Path channel = places.make(row.id(), row.range());
            return start(row, config, tier, disk, channel, GuestLink.listen(channel, row.range().base()));
        } catch (RuntimeException | Error failed) {
            settled(disk);
            places.remove(row.id());
            throw failed;
        }
    }

    private LiveBox start(SandboxRow row, TemplateConfig config, Tier tier, Future<Pool.Disk> disk, Path channel, GuestLink link) {
        try {
            List<InstanceSpec.Lower> lowers = distinct(row).map(l -> lower(l, row)).toList();
            Pool.Disk made = Background.joined(disk);
            pool.requireRealDirectories(made.upper(), lowers.stream().map(InstanceSpec.Lower::dir).toList());
            Instance instance = tier.create(new InstanceSpec(
                    row.id().value(), lowers, made.upper(), made.work(), row.range(), row.hostname(), UUID.randomUUID().toString(),
                    LimitRules.enforced(row.limits()), channel, row.sudo(),
                    row.untrusted() ? row.id().value() : row.tenant().value(), row.mounts().stream().map(this::volume).toList()));
            Faults.at("start.created");
            return connected(new LiveBox(row, config, instance, link));
        } catch (RuntimeException | Error failed) {
            link.close();
            throw failed;
        }
    }

    /// Whoever removes the disk now finds it whole or absent, not on its way.
    private static void settled(Future<Pool.Disk> disk) {
        try {
            Background.joined(disk);
        } catch (RuntimeException failedToo) {
            // the first failure tells
        }
    }

    private LiveBox connected(LiveBox live) {
        try {
            live.guest().bind(live.instance());
            live.guest().awaitReady(ready);
            return live;
        } catch (RuntimeException | Error failed) {
            live.instance().kill();
            throw failed;
        }
    }

    /// The channel of an instance that an earlier server started: listens again, the guest dials by itself.
    LiveBox found(SandboxRow row, TemplateConfig config, Instance instance) {
        GuestLink link = GuestLink.listen(places.of(row.id()), row.range().base());
        try {
            link.bind(instance);
            return new LiveBox(row, config, instance, link);
        } catch (RuntimeException | Error failed) {
            link.close();
            throw failed;
        }
    }

    /// Ends every process and the channel; returns when nothing of the instance is left.
    void end(LiveBox live) {
        end(live, live.instance()::kill);
    }

    /// The same where its disk goes too.
    void discard(LiveBox live) {
        end(live, live.instance()::discard);
    }

    private void end(LiveBox live, Runnable kill) {
        live.expectEnd();
        uplink.cut(live.id());
        kill.run();
        live.close();
        places.remove(live.id());
    }

    private InstanceSpec.Volume volume(Mount mount) {
        Path dir = pool.volumes().find(new VolumeId(mount.volume())).orElseThrow(() -> Problem.of(
                        Code.HOST_FAILED, "The disk of the volume '" + mount.name() + "' is gone.", "Make a sandbox without it.").raise());
        return new InstanceSpec.Volume(dir, mount.path(), mount.readOnly());
    }

    /// A layer may be there more than once (an image that copies the same twice): the topmost has all that the others have, and overlayfs
    /// refuses to stack one twice.
    private static Stream<LayerRef> distinct(SandboxRow row) {
        return row.layers().stream().distinct();
    }

    private InstanceSpec.Lower lower(LayerRef ref, SandboxRow row) {
        if (ref.snapshot() != null) {
            Path saved = pool.snapshotUpper(new SnapshotId(ref.snapshot()))
                    .orElseThrow(() -> Problem.of(Code.HOST_FAILED, "The saved disk " + ref.snapshot() + " is gone.", "Make a sandbox from another template.").raise());
            return new InstanceSpec.Lower(saved, ref.uidBase());
        }
        Path dir = pool.layerFor(layer(ref), row.tenant().value(), row.untrusted() ? row.id() : null);
        return new InstanceSpec.Lower(dir, ref.uidBase());
    }

    private static LayerId layer(LayerRef ref) {
        if (ref.layer() == null) {
            throw new IllegalStateException("a layer names nothing");
        }
        return new LayerId(ref.layer());
    }

    /// A template's layer, as a tenant reads it.
    Path layer(LayerRef ref, TenantId tenant) {
        return pool.layerFor(layer(ref), tenant.value(), null);
    }

    /// Lower directories for reading the change set.
    List<Path> lowers(SandboxRow row) {
        return distinct(row).map(l -> lower(l, row).dir()).toList();
    }
}
