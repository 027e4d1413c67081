// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.kernel.Stat;
import dev.redoma.model.wire.ChangeSet;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// What acts by itself is flagged by its kind, wherever in a tree it lies and however it is capitalised.
class FlagsTest {
    private static List<String> of(String path, Stat.Type type, @Nullable String repository) {
        var none = new Stat.Device(0, 0);
        return Flags.of(path, new Stat(type, 0644, 0, 0, 0, 1, 1, Instant.EPOCH, Instant.EPOCH, Instant.EPOCH, none, none), null, repository);
    }

    private static void all(String flag, String... paths) {
        for (var path : paths) {
            for (var at : List.of("/" + path, "/sub/dir/" + path)) {
                assertThat(of(at, Stat.Type.FILE, null)).as(at).contains(flag);
            }
        }
    }

    @Test
    void whatBuildsTestsEditorsShellsServicesAndAgentsReadIsFlagged() {
        all("build-script", "BUILD", "Pipfile", "wrangler.toml", "Cargo.toml", "eslint.config.js", ".eslintrc.js", ".eslintrc.cjs", "jest.config.ts", "babel.config.json", "next.config.mjs", "rollup.config.mjs", "postcss.config.cjs", "tailwind.config.js", "vite.config.mjs",
                "webpack.config.ts", "flake.nix", "Vagrantfile", "docker-compose.yml", "compose.override.yaml", "Package.swift", "build.zig", "SConstruct", "tasks.py", "hatch_build.py", "Setup.hs", "mix.exs", ".pylintrc",
                ".yarn/releases/yarn-4.cjs", "init.gradle", "x.gradle.kts", "Makefile", "package.json", "Directory.Build.props", "app.csproj", "x.gemspec", "Dockerfile.dev", "config/runtime.exs");
        all("git-hook", ".git/hooks/pre-commit", ".git/worktrees/w/hooks/x", ".husky/pre-push", "lefthook.yml", ".lefthook-local.yaml");
        all("git-config", ".git/config", ".git/modules/a/b/config", ".git/worktrees/w/config.worktree", ".git/commondir", ".gitmodules", ".gitattributes", ".gitconfig", ".git");
        all("shell-start", ".hg/hgrc", ".jj/repo/config.toml", ".envrc", ".env", ".env.local", "mise.local.toml", ".mise/config.toml", ".tmux.conf");
        all("editor-task", ".vim/vimrc", ".vimrc", ".vscode/tasks.json", ".helix/languages.toml", ".run/x.run.xml");
        all("agent-instructions", ".roo/rules.md", ".junie/guidelines.md", ".amazonq/rules/x.md", "opencode.json", "CONVENTIONS.md", "AGENTS.md", ".github/prompts/x.prompt.md");
        all("ci", ".github/workflows/x.yml", "action.yml", ".gitlab-ci.yml", ".tekton/x.yaml");
        all("apply-journal", ".redoma-apply", ".redoma-apply/steps", ".Redoma-Apply-0123/old/0");
        for (var plain : List.of("/src/main.rs", "/README.md", "/docs/config.md", "/app/config.json", "/data/HEAD.txt", "/Cargo.lock")) {
            assertThat(of(plain, Stat.Type.FILE, null)).as(plain).isEmpty();
        }
    }

    @Test
    void whatGitBelievesInARepositoryOfAnyNameIsFlaggedAndWhatItStoresThereIsNot() {
        for (var path : List.of("/bare/HEAD", "/bare/config", "/bare/commondir", "/bare/info/attributes", "/bare/objects/info/alternates")) {
            assertThat(of(path, Stat.Type.FILE, "/bare")).as(path).contains("git-config");
        }
        assertThat(of("/bare/hooks/pre-commit", Stat.Type.FILE, "/bare")).contains("git-hook");
        for (var path : List.of("/bare/objects/ab/cdef", "/bare/refs/heads/main", "/bare/packed-refs")) {
            assertThat(of(path, Stat.Type.FILE, "/bare")).as(path).isEmpty();
        }
        assertThat(of("/sub/.git", Stat.Type.DIRECTORY, null)).isEmpty();
    }

    @Test
    void eachFlagHasAReasonAndIsOneThatClientsKnow() {
        assertThat(Flags.REASONS.keySet()).containsExactlyInAnyOrderElementsOf(ChangeSet.FLAGS);
    }

    /// The texts that a rule needs are in all that its expression matches: paths made at random of the words of the expressions themselves.
    @Test
    void theShortLookOfARulePassesOverNothingThatItsExpressionMatches() {
        var random = new Random(7);
        for (var rule : Flags.RULES) {
            var words = Arrays.stream(rule.pattern().pattern().replace("\\.", ".").replace("?", "").split("[^a-z0-9._-]+")).filter(w -> !w.isEmpty()).toList();
            int matched = 0;
            for (int i = 0; i < 8_000; i++) {
                var path = new StringBuilder();
                for (int n = random.nextInt(5); n >= 0; n--) {
                    path.append(random.nextInt(3) > 0 || path.isEmpty() ? "/" : random.nextBoolean() ? "." : "").append(random.nextInt(6) == 0 ? "." : "").append(words.get(random.nextInt(words.size())));
                }
                if (rule.pattern().matcher(path).matches()) {
                    matched++;
                    assertThat(rule.of(path.toString())).as(path.toString()).isTrue();
                }
            }
            assertThat(matched).as(rule.pattern().pattern()).isPositive();
        }
    }

    @Test
    void noCharacterInTheNameOfAFolderHidesWhatLiesInIt() {
        for (var odd : List.of("\n", "\r", "\u0085", "\u2028", "\u2029")) {
            assertThat(of("/a" + odd + "b/.vscode/tasks.json", Stat.Type.FILE, null)).contains("editor-task");
            assertThat(of("/a" + odd + "b/.git/hooks/pre-commit", Stat.Type.FILE, null)).contains("git-hook");
            assertThat(of("/.github/workflows/" + odd + "/x.yml", Stat.Type.FILE, null)).contains("ci");
        }
    }
}
