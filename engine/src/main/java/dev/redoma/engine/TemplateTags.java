// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TemplateReference;
import dev.redoma.store.Sql;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The `template_tag` table: what the tags of a name point at. Stateless; a call runs in its caller's transaction.
final class TemplateTags {
    private TemplateTags() {}

    static void move(Handle tx, String name, String tag, String digest, Instant now) {
        Sql.update(tx, """
                INSERT INTO template_tag (name, tag, digest, moved_at) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (name, tag) DO UPDATE SET digest = excluded.digest, moved_at = excluded.moved_at""", name, tag, digest, Columns.micros(now));
    }

    static Optional<String> digest(Handle tx, String name, String tag) {
        return Optional.ofNullable(Sql.first(tx, rs -> rs.getString(1), "SELECT digest FROM template_tag WHERE name = ? AND tag = ?", name, tag));
    }

    /// Of one version, in order.
    static List<String> of(Handle tx, String name, String digest) {
        return Sql.list(tx, rs -> rs.getString(1), "SELECT tag FROM template_tag WHERE name = ? AND digest = ? ORDER BY tag", name, digest);
    }

    static boolean remove(Handle tx, String name, String tag) {
        return Sql.update(tx, "DELETE FROM template_tag WHERE name = ? AND tag = ?", name, tag) > 0;
    }

    /// After a version went: its tags go, and the bare name means the newest version that is left.
    static void versionGone(Handle tx, String name, String digest, Instant now) {
        Sql.update(tx, "DELETE FROM template_tag WHERE name = ? AND digest = ?", name, digest);
        if (digest(tx, name, TemplateReference.LATEST).isEmpty()) {
            String newest = Sql.first(tx, rs -> rs.getString(1),
                    "SELECT digest FROM template WHERE name = ? ORDER BY created_at DESC, digest LIMIT 1", name);
            if (newest != null) {
                move(tx, name, TemplateReference.LATEST, newest, now);
            }
        }
    }
}
