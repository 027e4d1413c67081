// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.jgit.lib.Config;

/// Whose the commit is.
public record Author(String name, String mail) {
    private static final Pattern FORM = Pattern.compile("\\s*([^<>]+?)\\s*<([^<>\\s]+)>\\s*");

    public Author {
        if (name.isBlank() || (name + mail).length() > 1000 || (name + mail).chars().anyMatch(c -> c < ' ' || c == 0x7f || c == '<' || c == '>') || mail.isBlank()) {
            throw new NotApplied("'" + name + " <" + mail + ">' is no author: a name, and an address in angle brackets");
        }
    }

    /// `Name <mail>`.
    public static Optional<Author> parse(String text) {
        var match = FORM.matcher(text);
        return match.matches() && text.chars().noneMatch(c -> c < ' ' || c == 0x7f) ? Optional.of(new Author(match.group(1), match.group(2))) : Optional.empty();
    }

    /// As the repository's configuration says, else the user's own; neither's `include` is read.
    static Author configured(Config repository, List<Path> users) throws IOException {
        var name = value(repository, "name");
        var mail = value(repository, "email");
        for (var file : users) {
            if ((name.isEmpty() || mail.isEmpty()) && Files.isRegularFile(file)) {
                var config = GitFiles.config(file.toRealPath());
                name = name.or(() -> value(config, "name"));
                mail = mail.or(() -> value(config, "email"));
            }
        }
        if (name.isEmpty() || mail.isEmpty()) {
            throw new NotApplied("it is not known whose the commit is to be: neither the repository's configuration nor yours says user.name and user.email (--author 'Name <mail>' does)");
        }
        return new Author(name.get(), mail.get());
    }

    private static Optional<String> value(Config config, String key) {
        return Optional.ofNullable(config.getString("user", null, key)).map(String::strip).filter(v -> !v.isEmpty());
    }

    /// `~/.gitconfig`, then that of XDG.
    static List<Path> users() {
        var home = System.getenv().getOrDefault("HOME", System.getProperty("user.home"));
        var xdg = System.getenv("XDG_CONFIG_HOME");
        return List.of(Path.of(home, ".gitconfig"), (xdg == null || !Path.of(xdg).isAbsolute() ? Path.of(home, ".config") : Path.of(xdg)).resolve("git/config"));
    }

    @Override
    public String toString() {
        return name + " <" + mail + ">";
    }
}
