// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redoma.model.Code;
import dev.redoma.model.Layer;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.FileEvent;
import dev.redoma.model.wire.FileInfo;
import dev.redoma.store.SqliteStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Files in and out of a sandbox.
@Timeout(60)
class FileTest {
    static GuestRig rig;

    @TempDir Path dir;
    String base;

    @BeforeAll
    static void open() throws IOException {
        rig = new GuestRig();
    }

    @AfterAll
    static void close() throws IOException {
        rig.close();
    }

    @BeforeEach
    void place() {
        base = dir.toString();
    }

    private static FileInfo write(String path, byte[] data, String mode) throws IOException {
        return rig.files.write(GuestRig.CALLER, rig.id.value(), path, null, mode, new ByteArrayInputStream(data));
    }

    private static byte[] read(String path, long offset, long length) throws IOException {
        var out = new ByteArrayOutputStream();
        rig.files.read(GuestRig.CALLER, rig.id.value(), path, null, offset, length, info -> Channels.newChannel(out));
        return out.toByteArray();
    }

    private static FileInfo stat(String path) {
        return rig.files.stat(GuestRig.CALLER, rig.id.value(), path, null, false);
    }

    private static RedomaException refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return catchThrowableOfType(RedomaException.class, call);
    }

    private static byte[] random(int size) {
        var data = new byte[size];
        new Random(size).nextBytes(data);
        return data;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 18_433, 65_537, (1 << 20) + 1, 30 << 20})
    void fi01_fi02_what_was_written_is_there_byte_for_byte(int size) throws Exception {
        var path = base + "/f";
        var data = random(size);
        assertThat(write(path, data, null).size()).isEqualTo(size);
        assertThat(rig.run(GuestRig.spec("sha256sum", path)).text()).startsWith(ExecTest.sha256(data));
        assertThat(read(path, 0, 0)).isEqualTo(data);
    }

    @Test
    void fi03_all_byte_values_survive() throws Exception {
        var data = new byte[256 * 4096];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) i;
        }
        write(base + "/all", data, null);
        assertThat(ExecTest.sha256(read(base + "/all", 0, 0))).isEqualTo("fbbab289f7f94b25736c58be46a994c441fd02552cc6022352e3d86d2fab7c83");
    }

    /// Who makes a program set-uid root is not on record as having changed "attributes of a path".
    @Test
    void what_is_done_to_a_file_is_on_record_as_it_was_asked_for() throws Exception {
        var at = base + "/f";
        var how = new Files.NewFile("4755", Map.of("user.a", "of nobody else's business"), null);
        rig.files.writeWith(GuestRig.CALLER, rig.id.value(), at, null, how, new ByteArrayInputStream(new byte[] {1}));
        rig.files.attributes(GuestRig.CALLER, rig.id.value(), at, null, "750", null, true);
        rig.files.mkdir(GuestRig.CALLER, rig.id.value(), base + "/d", null, "0700");
        assertThatThrownBy(() -> rig.files.attributes(GuestRig.CALLER, rig.id.value(), at, "nobody-such", null, "root", false)).isInstanceOf(RedomaException.class);
        rig.files.remove(GuestRig.CALLER, rig.id.value(), base + "/d", null, true);
        var told = rig.ledger.newest("default", rig.id.value(), "file", 100).stream().map(r -> new java.util.TreeMap<>(r.fields())).filter(f -> String.valueOf(f.get("path")).startsWith(base)).toList();
        var user = told.getFirst().get("user");
        assertThat(user).isInstanceOf(String.class);
        assertThat(told.get(0)).containsEntry("mode", "4755").containsEntry("attributes", List.of("user.a")).containsEntry("bytes", 1L);
        assertThat(told.toString()).doesNotContain("of nobody else's business");
        assertThat(told.get(1)).containsEntry("mode", "0750").containsEntry("recursive", true).containsEntry("user", user).doesNotContainKey("owner");
        assertThat(told.get(2)).containsEntry("mode", "0700");
        assertThat(told.get(3)).containsEntry("user", "nobody-such").containsEntry("owner", "root").containsEntry("recursive", false).doesNotContainKey("mode");
        assertThat(told.get(4)).as("that was refused").containsEntry("owner", "root").containsKey("code");
        assertThat(told.get(5)).containsEntry("recursive", true);
    }

    @Test
    void fi05_names_of_any_script_are_kept() throws Exception {
        var path = base + "/Übergröße 数据 ☕.txt";
        write(path, new byte[] {1}, null);
        assertThat(rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 1)).extracting(FileInfo::path).containsExactly(path);
        assertThat(rig.run(GuestRig.spec("ls", base)).text()).isEqualTo("Übergröße 数据 ☕.txt\n");
    }

    @Test
    void fi06_files_belong_to_the_user_of_the_commands() throws Exception {
        rig.run(GuestRig.spec("chmod", "777", base));
        var info = rig.files.write(GuestRig.CALLER, rig.id.value(), base + "/mine", "nobody", null, new ByteArrayInputStream(new byte[3]));
        assertThat(info.owner()).isEqualTo("nobody");
        assertThat(rig.run(GuestRig.spec("stat", "-c", "%U %a", base + "/mine")).text()).isEqualTo("nobody 644\n");
    }

    @Test
    void a_range_is_read() throws Exception {
        write(base + "/r", "0123456789".getBytes(StandardCharsets.US_ASCII), null);
        assertThat(read(base + "/r", 3, 4)).asString().isEqualTo("3456");
        assertThat(read(base + "/r", 8, 0)).asString().isEqualTo("89");
        assertThat(read(base + "/r", 20, 0)).isEmpty();
    }

    @Test
    void facts_come_before_the_bytes() throws Exception {
        write(base + "/x", random(1000), "0755");
        rig.files.read(GuestRig.CALLER, rig.id.value(), base + "/x", null, 0, 0, info -> {
            assertThat(info.size()).isEqualTo(1000);
            assertThat(info.mode()).isEqualTo("0755");
            assertThat(info.type()).isEqualTo("file");
            return Channels.newChannel(new ByteArrayOutputStream());
        });
    }

    @Test
    void a_stream_that_breaks_leaves_the_old_file() throws Exception {
        write(base + "/old", "old".getBytes(StandardCharsets.US_ASCII), null);
        var broken = new InputStream() {
            private int n;

            @Override
            public int read() throws IOException {
                if (n++ > 300_000) {
                    throw new IOException("client went");
                }
                return 'x';
            }
        };
        assertThatThrownBy(() -> rig.files.write(GuestRig.CALLER, rig.id.value(), base + "/old", null, null, broken))
                .isInstanceOf(IOException.class);
        Thread.sleep(200);
        assertThat(read(base + "/old", 0, 0)).asString().isEqualTo("old");
        assertThat(rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 1)).hasSize(1);
    }

    @Test
    void an_overwritten_file_keeps_its_mode() throws Exception {
        write(base + "/m", new byte[1], "0750");
        write(base + "/m", new byte[2], null);
        assertThat(stat(base + "/m").mode()).isEqualTo("0750");
    }

    @Test
    void missing_paths_are_named() {
        var e = refused(() -> stat(base + "/nothing"));
        assertThat(e.code()).isEqualTo(Code.FILE_NOT_FOUND);
        assertThat(e.problem().message()).contains(base + "/nothing");
        assertThat(refused(() -> read(base + "/nothing", 0, 0)).code()).isEqualTo(Code.FILE_NOT_FOUND);
    }

    @Test
    void what_is_no_regular_file_is_not_read_and_does_not_block() throws Exception {
        rig.run(GuestRig.spec("mkfifo", base + "/pipe"));
        assertThat(refused(() -> read(base + "/pipe", 0, 0)).code()).isEqualTo(Code.FILE_REFUSED);
        assertThat(refused(() -> read(base, 0, 0)).code()).isEqualTo(Code.FILE_REFUSED);
        assertThat(refused(() -> read("/dev/zero", 0, 0)).code()).isEqualTo(Code.FILE_REFUSED);
    }

    @Test
    void rights_are_those_of_the_user() throws Exception {
        write(base + "/secret", new byte[1], "0600");
        rig.run(GuestRig.spec("chmod", "755", base));
        var e = refused(() -> rig.files.read(GuestRig.CALLER, rig.id.value(), base + "/secret", "nobody", 0, 0,
                i -> Channels.newChannel(new ByteArrayOutputStream())));
        assertThat(e.code()).isEqualTo(Code.FORBIDDEN);
        assertThat(e.problem().layer()).isEqualTo(Layer.COMMAND);
        assertThat(refused(() -> rig.files.stat(GuestRig.CALLER, rig.id.value(), base, "no-such-user", true)).code())
                .isEqualTo(Code.NO_SUCH_USER);
    }

    @Test
    void bad_paths_and_modes_are_refused_by_field() {
        assertThat(refused(() -> stat("")).problem().details()).containsEntry("field", "path");
        assertThat(refused(() -> stat("a\0b")).problem().details()).containsEntry("field", "path");
        assertThat(refused(() -> stat("\udc00")).problem().details()).containsEntry("field", "path");
        assertThat(refused(() -> stat("/" + "x".repeat(5000))).problem().details()).containsEntry("field", "path");
        assertThat(refused(() -> write(base + "/f", new byte[0], "9")).problem().details()).containsEntry("field", "mode");
        assertThat(refused(() -> rig.files.attributes(GuestRig.CALLER, rig.id.value(), base, null, null, null, false)).code())
                .isEqualTo(Code.INVALID_FIELD);
    }

    @Test
    void directories_are_made_moved_and_removed() throws Exception {
        var info = rig.files.mkdir(GuestRig.CALLER, rig.id.value(), base + "/a/b", null, "0700");
        assertThat(info.type()).isEqualTo("directory");
        assertThat(info.mode()).isEqualTo("0700");
        write(base + "/a/b/f", new byte[1], null);
        rig.files.move(GuestRig.CALLER, rig.id.value(), base + "/a/b", base + "/c", null);
        assertThat(stat(base + "/c/f").size()).isEqualTo(1);
        assertThat(refused(() -> rig.files.remove(GuestRig.CALLER, rig.id.value(), base + "/c", null, false)).code())
                .isEqualTo(Code.FILE_REFUSED);
        rig.files.remove(GuestRig.CALLER, rig.id.value(), base + "/c", null, true);
        assertThat(refused(() -> stat(base + "/c")).code()).isEqualTo(Code.FILE_NOT_FOUND);
    }

    @Test
    void attributes_are_changed_and_shown() throws Exception {
        write(base + "/at", new byte[1], null);
        var info = rig.files.attributes(GuestRig.CALLER, rig.id.value(), base + "/at", null, "4711", "nobody", false);
        assertThat(info.mode()).isEqualTo("4711");
        assertThat(info.owner()).isEqualTo("nobody");
    }

    @Test
    void a_list_goes_as_deep_as_asked() throws Exception {
        rig.sh("mkdir -p " + base + "/1/2/3; ln -s /etc/passwd " + base + "/l");
        var flat = rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 1);
        assertThat(flat).extracting(FileInfo::path).containsExactlyInAnyOrder(base + "/1", base + "/l");
        assertThat(flat).filteredOn(f -> f.type().equals("symlink")).extracting(FileInfo::target).containsExactly("/etc/passwd");
        assertThat(rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 3)).hasSize(4);
        assertThat(refused(() -> rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 0)).code()).isEqualTo(Code.INVALID_FIELD);
    }

    @Test
    void fi17_a_tree_survives_as_an_archive() throws Exception {
        rig.sh("cd " + base + "; mkdir -p src/empty; for m in 755 644 600 444; do echo $m > src/$m; chmod $m src/$m; done;"
                + " ln -s 755 src/link; touch -d '2001-02-03 04:05:06 UTC' src/644");
        var tar = new ByteArrayOutputStream();
        rig.files.archiveOut(GuestRig.CALLER, rig.id.value(), base + "/src", null, dev.redoma.pool.Outgoing.of(dev.redoma.pool.Outgoing.Format.TAR, List.of()), tar);
        rig.files.archiveIn(GuestRig.CALLER, rig.id.value(), base + "/dst", null, new ByteArrayInputStream(tar.toByteArray()));
        var look = "cd " + base + "/%s; find . -mindepth 1 -printf '%%P %%y %%m %%l %%s ' -exec stat -c %%Y {} \\; | grep -v '^[^ ]* d' | sort";
        assertThat(rig.sh(look.formatted("dst")).text()).isEqualTo(rig.sh(look.formatted("src")).text()).isNotEmpty();
        assertThat(stat(base + "/dst/empty").type()).isEqualTo("directory");
    }

    @Test
    void fi13_an_archive_that_leads_out_is_refused_and_writes_nothing_outside() throws Exception {
        rig.sh("cd " + base + "; mkdir in; echo x > in/f; tar -C in --transform 's,^,../,' -cPf up.tar f; tar -C in -cPf ok.tar f");
        var e = refused(() -> rig.files.archiveIn(GuestRig.CALLER, rig.id.value(), base + "/out", null,
                new ByteArrayInputStream(read(base + "/up.tar", 0, 0))));
        assertThat(e.code()).isEqualTo(Code.ARCHIVE_REFUSED);
        assertThat(e.problem().message()).contains("../f");
        assertThat(refused(() -> stat(base + "/f")).code()).isEqualTo(Code.FILE_NOT_FOUND);
    }

    @Test
    void fi18_a_watch_sees_what_happens_and_the_end_of_its_root() throws Exception {
        var events = new ArrayList<FileEvent>();
        rig.sh("mkdir -p " + base + "/w");
        try (var watch = rig.files.watch(GuestRig.CALLER, rig.id.value(), base + "/w", null, true)) {
            rig.sh("cd " + base + "/w; mkdir -p a/b/c; echo 1 > a/b/c/f; mv a/b a/B; echo 2 >> a/B/c/f; cd /; rm -r " + base + "/w");
            for (FileEvent e; (e = watch.next(Duration.ofSeconds(5))) != null; ) {
                events.add(e);
                if (e.kind().equals("root-removed")) {
                    break;
                }
            }
        }
        assertThat(events).extracting(FileEvent::path).contains("a", "a/B");
        assertThat(events.getLast().kind()).isEqualTo("root-removed");
    }

    @Test
    void what_the_api_changes_is_on_record() throws Exception {
        var data = random(5000);
        write(base + "/recorded", data, null);
        read(base + "/recorded", 0, Long.MAX_VALUE);
        read(base + "/recorded", 7, 10);
        rig.files.archiveOut(GuestRig.CALLER, rig.id.value(), base + "/recorded", null, dev.redoma.pool.Outgoing.of(dev.redoma.pool.Outgoing.Format.ZIP, List.of()), new ByteArrayOutputStream());
        rig.files.remove(GuestRig.CALLER, rig.id.value(), base + "/recorded", null, false);
        var records = rig.ledger.read("default", rig.id.value(), "file", 0, 1000).stream()
                .filter(r -> (base + "/recorded").equals(r.fields().get("path"))).toList();
        assertThat(records).extracting(r -> r.action()).isEqualTo(List.of("write", "read", "read", "export", "remove"));
        assertThat(records.get(1).fields()).doesNotContainKeys("offset", "length");
        assertThat(records.get(2).fields()).containsEntry("offset", 7L).containsEntry("length", 10L);
        assertThat(records.get(3).fields()).containsEntry("format", "zip");
        assertThat(records.getFirst().fields()).containsEntry("sha256", ExecTest.sha256(data));
    }

    @Test
    void what_was_recorded_and_then_refused_is_on_record_as_failed() {
        refused(() -> rig.files.remove(GuestRig.CALLER, rig.id.value(), base + "/absent", null, false));
        var records = rig.ledger.read("default", rig.id.value(), "file", 0, 1000).stream()
                .filter(r -> (base + "/absent").equals(r.fields().get("path"))).toList();
        assertThat(records).extracting(r -> r.action()).isEqualTo(List.of("remove", "remove.failed"));
        assertThat(records.getLast().fields()).containsEntry("code", "file-not-found");
    }

    @Test
    void what_cannot_be_recorded_is_not_done() throws Exception {
        write(base + "/old", "old".getBytes(StandardCharsets.US_ASCII), null);
        var tar = new ByteArrayOutputStream();
        rig.files.archiveOut(GuestRig.CALLER, rig.id.value(), base, null, dev.redoma.pool.Outgoing.of(dev.redoma.pool.Outgoing.Format.TAR, List.of()), tar);
        try (var full = SqliteStore.open(dir.resolve("other.db"))) {
            var mute = new FileService(rig, full, rig.ledger, dir);
            full.close();
            var id = rig.id.value();
            assertThatThrownBy(() -> mute.write(GuestRig.CALLER, id, base + "/old", null, null, new ByteArrayInputStream(random(300_000)))).isInstanceOf(RedomaException.class);
            assertThatThrownBy(() -> mute.remove(GuestRig.CALLER, id, base + "/old", null, false)).isInstanceOf(RedomaException.class);
            assertThatThrownBy(() -> mute.move(GuestRig.CALLER, id, base + "/old", base + "/new", null)).isInstanceOf(RedomaException.class);
            assertThatThrownBy(() -> mute.mkdir(GuestRig.CALLER, id, base + "/made", null, null)).isInstanceOf(RedomaException.class);
            assertThatThrownBy(() -> mute.attributes(GuestRig.CALLER, id, base + "/old", null, "0700", null, false)).isInstanceOf(RedomaException.class);
            var out = new ByteArrayOutputStream();
            assertThatThrownBy(() -> mute.read(GuestRig.CALLER, id, base + "/old", null, 0, 3, info -> Channels.newChannel(out))).isInstanceOf(RedomaException.class);
            assertThatThrownBy(() -> mute.archiveOut(GuestRig.CALLER, id, base, null, dev.redoma.pool.Outgoing.of(dev.redoma.pool.Outgoing.Format.TAR, List.of()), out)).isInstanceOf(RedomaException.class);
            assertThat(out.size()).as("nothing left").isZero();
            assertThatThrownBy(() -> mute.archiveIn(GuestRig.CALLER, id, base + "/made", null, new ByteArrayInputStream(tar.toByteArray()))).isInstanceOf(RedomaException.class);
        }
        Thread.sleep(200);
        assertThat(read(base + "/old", 0, 0)).asString().isEqualTo("old");
        assertThat(stat(base + "/old").mode()).isEqualTo("0644");
        assertThat(rig.files.list(GuestRig.CALLER, rig.id.value(), base, null, 1)).extracting(FileInfo::path).noneMatch(p -> p.endsWith("/made") || p.endsWith("/new") || p.contains(".redoma"));
    }

    @Test
    void watches_of_a_sandbox_are_bounded() {
        var open = new ArrayList<Files.Watch>();
        try {
            var e = refused(() -> {
                for (int i = 0; i < 40; i++) {
                    open.add(rig.files.watch(GuestRig.CALLER, rig.id.value(), base, null, false));
                }
            });
            assertThat(e.code()).isEqualTo(Code.QUOTA_EXCEEDED);
            assertThat(open).hasSize(32);
            open.removeFirst().close();
            open.add(rig.files.watch(GuestRig.CALLER, rig.id.value(), base, null, false));
        } finally {
            open.forEach(Files.Watch::close);
        }
    }

    @Test
    void operations_on_files_of_a_sandbox_are_bounded() throws Exception {
        var slots = new FileSlots("file operations", 2);
        var first = slots.take(rig.id);
        var second = slots.take(rig.id);
        assertThat(refused(() -> slots.take(rig.id)).code()).isEqualTo(Code.QUOTA_EXCEEDED);
        first.close();
        first.close();
        slots.take(rig.id).close();
        second.close();
    }

    @Test
    void a_full_disk_is_told_as_such() throws Exception {
        rig.sh("mkdir " + base + "/tiny && mount -t tmpfs -o size=64k rd-exec-tiny " + base + "/tiny");
        try {
            var e = refused(() -> write(base + "/tiny/big", random(4 << 20), null));
            assertThat(e.code()).isEqualTo(Code.DISK_FULL);
            write(base + "/tiny/small", random(100), null);
        } finally {
            rig.sh("umount " + base + "/tiny");
        }
    }

    @Test
    void a_transfer_keeps_the_sandbox_busy_only_while_it_lasts() throws Exception {
        write(base + "/b", random(10), null);
        assertThat(rig.busy.get()).isZero();
        assertThat(rig.touched.get()).isPositive();
    }
}
