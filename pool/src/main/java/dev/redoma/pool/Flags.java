// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import dev.redoma.kernel.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Marks what acts by itself, or deceives, when a human opens the result: names are compared without case, as some file systems do.
final class Flags {
    private static final Pattern GIT_HOOK = Pattern.compile(".*/\\.git(/modules/.*)?/hooks/[^/]+|.*/\\.(husky|githooks)/.*");
    private static final Pattern GIT_CONFIG = Pattern.compile(".*/\\.git(/modules/.*)?/(config(\\.worktree)?|info/attributes)|.*/\\.git(modules|attributes)");
    private static final Pattern JOURNAL = Pattern.compile(".*/\\.redoma-apply[^/]*(/.*)?");
    private static final Pattern EDITOR = Pattern.compile(
            ".*/\\.vscode/(tasks|launch|settings|extensions|mcp)\\.json|.*/\\.code-workspace|.*\\.code-workspace|.*/\\.idea/.*\\.(xml|iml)"
                    + "|.*/\\.(exrc|nvim\\.lua|nvimrc|vimrc|dir-locals\\.el)|.*/\\.devcontainer(/.*|\\.json)|.*\\.sublime-project|.*/\\.zed/.*\\.json");
    private static final Pattern CI = Pattern.compile(
            ".*/\\.(github|gitea|forgejo)/(workflows|actions)/.*|.*/\\.gitlab-ci\\.ya?ml|.*/\\.circleci/.*|.*/\\.travis\\.ya?ml|.*/jenkinsfile"
                    + "|.*/azure-pipelines\\.ya?ml|.*/bitbucket-pipelines\\.ya?ml|.*/\\.drone\\.ya?ml|.*/\\.woodpecker(/.*|\\.ya?ml)|.*/\\.buildkite/.*|.*/\\.ci/.*");
    private static final Pattern AGENT = Pattern.compile(
            ".*/(agents|claude|gemini|copilot-instructions)(\\.local)?\\.md|.*/\\.(cursorrules|windsurfrules|clinerules|mcp\\.json|aider\\.conf\\.yml)"
                    + "|.*/\\.(cursor|claude|codex|gemini|windsurf|continue|openhands)/.*");
    private static final Set<String> BUILD = Set.of(
            "makefile", "gnumakefile", "cmakelists.txt", "setup.py", "setup.cfg", "pyproject.toml", "conftest.py", "noxfile.py", "tox.ini",
            "sitecustomize.py", "usercustomize.py", "package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "build.gradle",
            "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "pom.xml", "build.rs",
            "rakefile", "gemfile", "justfile", "dockerfile", "containerfile", "configure", "meson.build", "build.xml", "composer.json",
            "gruntfile.js", "gulpfile.js", "webpack.config.js", "vite.config.js", "vite.config.ts", "taskfile.yml", ".pre-commit-config.yaml");
    private static final Pattern BUILD_PATH = Pattern.compile(".*/\\.cargo/config(\\.toml)?|.*/\\.mvn/.*|.*/gradle/wrapper/.*|.*\\.pth|.*\\.mk|.*\\.csproj");
    private static final Set<String> SHELL = Set.of(
            ".envrc", ".env", ".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zshenv", ".zprofile", ".tool-versions", ".mise.toml",
            "mise.toml", ".autoenv", ".autoenv.zsh", ".inputrc", ".gdbinit", ".lldbinit", ".python-version");

    /// Why each is one.
    static final java.util.Map<String, String> REASONS = java.util.Map.ofEntries(
            java.util.Map.entry("git-hook", "git runs it by itself, on a commit, a checkout or a push"),
            java.util.Map.entry("git-config", "git reads it whenever it runs there, and it can name programs to run"),
            java.util.Map.entry("shell-start", "a shell, a debugger or a tool for environments reads it when it is started or enters the folder"),
            java.util.Map.entry("editor-task", "an editor runs what it names when the folder is opened"),
            java.util.Map.entry("ci", "a CI service runs it, with that service's secrets, once it is pushed"),
            java.util.Map.entry("agent-instructions", "a coding agent takes it for its instructions"),
            java.util.Map.entry("build-script", "a build, an installation or a test run executes it"),
            java.util.Map.entry("set-uid", "it runs with the rights of its owner, not of who starts it"),
            java.util.Map.entry("link-leaves-tree", "it is a link to what lies outside"),
            java.util.Map.entry("special-file", "it is no file: a device, FIFO or socket"),
            java.util.Map.entry("apply-journal", "it has the name of what `redoma apply` keeps while it works; it is never brought"),
            java.util.Map.entry("deceptive-name", "its name has characters that hide, turn or break what is shown"));

    private Flags() {}

    static List<String> of(String path, Stat stat, @Nullable String target) {
        var lower = path.toLowerCase(Locale.ROOT);
        var name = lower.substring(lower.lastIndexOf('/') + 1);
        var out = new ArrayList<String>();
        flag(out, "git-hook", GIT_HOOK.matcher(lower).matches());
        flag(out, "git-config", GIT_CONFIG.matcher(lower).matches());
        flag(out, "shell-start", SHELL.contains(name));
        flag(out, "editor-task", EDITOR.matcher(lower).matches());
        flag(out, "ci", CI.matcher(lower).matches());
        flag(out, "agent-instructions", AGENT.matcher(lower).matches());
        flag(out, "build-script", stat.type() == Stat.Type.FILE && (BUILD.contains(name) || BUILD_PATH.matcher(lower).matches()));
        flag(out, "set-uid", stat.type() == Stat.Type.FILE && (stat.mode() & 06000) != 0);
        flag(out, "link-leaves-tree", target != null && leaves(path, target));
        flag(out, "special-file", Set.of(Stat.Type.FIFO, Stat.Type.SOCKET, Stat.Type.CHAR, Stat.Type.BLOCK).contains(stat.type()));
        flag(out, "apply-journal", JOURNAL.matcher(lower).matches());
        flag(out, "deceptive-name", deceptive(path));
        return List.copyOf(out);
    }

    private static void flag(List<String> out, String name, boolean is) {
        if (is) {
            out.add(name);
        }
    }

    /// Absolute (it points elsewhere wherever the tree is put), or more steps up than the link lies deep.
    private static boolean leaves(String path, String target) {
        if (target.startsWith("/")) {
            return true;
        }
        int depth = (int) path.chars().filter(c -> c == '/').count() - 1;
        for (var part : target.split("/")) {
            if (part.equals("..")) {
                depth--;
            } else if (!part.isEmpty() && !part.equals(".")) {
                depth++;
            }
            if (depth < 0) {
                return true;
            }
        }
        return false;
    }

    /// Bytes that are no UTF-8, control characters, and those that turn or hide what is read.
    private static boolean deceptive(String path) {
        return !Names.valid(path) || path.codePoints().anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT);
    }
}
