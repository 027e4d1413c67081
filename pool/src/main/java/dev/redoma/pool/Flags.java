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
    /// Whatever the expression matches has one of `needs` in it, which is found out in a tenth of the time. No name stops it, whatever characters are in it.
    record Rule(List<String> needs, Pattern pattern) {
        Rule(List<String> needs, String expression) {
            this(needs, Pattern.compile(expression, Pattern.DOTALL));
        }

        boolean of(String path) {
            for (var need : needs) {
                if (path.contains(need)) {
                    return pattern.matcher(path).matches();
                }
            }
            return false;
        }
    }

    private static final Rule GIT_HOOK = new Rule(List.of("/.", "lefthook"),
            ".*/\\.git(/(modules|worktrees)/.*)?/hooks/[^/]+|.*/\\.(husky|githooks|lefthook)/.*|.*/\\.?lefthook(-local)?\\.(ya?ml|toml|json)|.*/\\.overcommit\\.yml");
    private static final Rule GIT_CONFIG = new Rule(List.of("/.git"),
            ".*/\\.git(/(modules|worktrees)/.*)?/(config(\\.worktree)?|commondir|gitdir|info/attributes|objects/info/.*)|.*/\\.git(modules|attributes|config)");
    /// What git only stores there.
    private static final Pattern GIT_STORE = Pattern.compile("/(objects/(?!info/).*|refs/.*|objects|refs|logs(/.*)?|packed-refs|description|index)");
    private static final Rule JOURNAL = new Rule(List.of("/.redoma-apply"),
            ".*/\\.redoma-apply[^/]*(/.*)?");
    private static final Rule EDITOR = new Rule(List.of("/.", ".code-workspace", ".sublime-project"),
            ".*/\\.vscode/[^/]+\\.json|.*\\.code-workspace|.*/\\.idea/.*\\.(xml|iml)|.*/\\.run/.*\\.xml|.*/\\.fleet/.*\\.json|.*/\\.vs/.*|.*/\\.externaltoolbuilders/.*|.*/\\.helix/.*\\.toml"
                    + "|.*/\\.(exrc|nvim\\.lua|nvimrc|vimrc|gvimrc|lvimrc|vimrc\\.local|dir-locals(-2)?\\.el|emacs|kakrc|neoconf\\.json)|.*/\\.(vim|nvim|emacs\\.d)/.*|.*/\\.devcontainer(/.*|\\.json)|.*\\.sublime-project"
                    + "|.*/\\.zed/.*\\.json");
    private static final Rule CI = new Rule(List.of("/.", "/action.y", "/jenkinsfile", "-pipelines.y", "appveyor.y", "cirrus.y", "buildspec.y", "cloudbuild.y", "/netlify.toml", "/vercel.json"),
            ".*/\\.(github|gitea|forgejo)/(workflows|actions)/.*|.*/action\\.ya?ml|.*/\\.gitlab-ci\\.ya?ml|.*/\\.gitlab/.*\\.ya?ml|.*/\\.circleci/.*|.*/\\.travis\\.ya?ml|.*/jenkinsfile"
                    + "|.*/azure-pipelines\\.ya?ml|.*/bitbucket-pipelines\\.ya?ml|.*/\\.drone\\.ya?ml|.*/\\.woodpecker(/.*|\\.ya?ml)|.*/\\.(buildkite|semaphore|tekton|teamcity)/.*|.*/\\.ci/.*"
                    + "|.*/\\.?(appveyor|cirrus|buildspec|cloudbuild)\\.ya?ml|.*/(netlify\\.toml|vercel\\.json)");
    private static final Rule AGENT = new Rule(List.of("/.", ".md", ".json"),
            ".*/(agents|claude|gemini|qwen|warp|copilot-instructions|conventions|skill)(\\.local)?\\.md|.*/\\.github/(instructions|prompts|chatmodes|agents)/.*"
                    + "|.*/\\.(cursorrules|windsurfrules|clinerules|roorules|goosehints|mcp\\.json|aider[^/]*)|.*/(opencode\\.jsonc?|crush\\.json|mcp\\.json)"
                    + "|.*/\\.(cursor|claude|codex|gemini|qwen|windsurf|continue|openhands|roo|clinerules|junie|amazonq|opencode|kiro|trae|augment|crush|agents|factory)/.*");
    private static final Set<String> BUILD = Set.of(
            "makefile", "gnumakefile", "cmakelists.txt", "cmakepresets.json", "cmakeuserpresets.json", "setup.py", "setup.cfg", "pyproject.toml", "hatch_build.py", "conftest.py", "pytest.ini", ".pytest.ini", "noxfile.py", "tox.ini",
            "tasks.py", "fabfile.py", "dodo.py", "wscript", "sconstruct", "sconscript", ".pylintrc", "pylintrc", "mypy.ini", ".mypy.ini", ".coveragerc", "sitecustomize.py", "usercustomize.py", ".pdbrc",
            "package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml", "deno.json", "deno.jsonc", "nx.json", "turbo.json", "lerna.json", ".babelrc", "babel.config.json", ".eslintrc",
            ".eslintrc.json", ".eslintrc.yml", ".eslintrc.yaml", ".postcssrc", ".prettierrc", ".stylelintrc", ".mocharc.json", ".mocharc.yml", ".swcrc", ".lintstagedrc", "gruntfile.js", "gulpfile.js", "gulpfile.ts",
            "gradle.properties", "gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "pom.xml", "build.xml", "build.sbt", "build.sc", "build.mill", "project.clj", "deps.edn", "cargo.toml", "build.rs", "rust-toolchain", "rust-toolchain.toml",
            "rakefile", "gemfile", "guardfile", "capfile", ".rspec", "justfile", ".justfile", "dockerfile", "containerfile", "vagrantfile", "procfile", "tiltfile", "brewfile", "skaffold.yaml", "configure", "configure.ac", "meson.build",
            "composer.json", "pipfile", "wrangler.toml", "package.swift", "build.zig", "build.zig.zon", "setup.hs", "stack.yaml", "cabal.project", "mix.exs", "rebar.config", "flake.nix", "default.nix", "shell.nix", "workspace", "module.bazel", "build", "build.bazel", ".bazelrc",
            "go.work", "magefile.go", "nuget.config", "directory.build.props", "directory.build.targets", "global.json", "taskfile.yml", "taskfile.yaml", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml");
    private static final Rule BUILD_PATH = new Rule(List.of(".", "/gradle/wrapper/", "/config/"),
            ".*/\\.cargo/config(\\.toml)?|.*/\\.mvn/.*|.*/gradle/wrapper/.*|.*\\.(pth|mk|cmake|gradle|gradle\\.kts|sbt|gemspec|cabal|podspec|bzl|[cfv][sb]?proj|vcxproj|targets)"
            + "|.*/[^/]+\\.config\\.[cm]?[jt]s|.*/\\.[^/]+rc\\.[cm]?[jt]s|.*/(gulp|grunt)file\\.[^/]*[jt]s|.*/\\.yarn/(releases|plugins|sdks)/.*|.*/(docker-)?compose(\\.[^/]+)?\\.ya?ml|.*/dockerfile\\.[^/]+|.*/[^/]+\\.dockerfile"
            + "|.*/config/(initializers|runtime|config)(/.*|\\.exs)");
    private static final Set<String> SHELL = Set.of(
            ".envrc", ".direnvrc", ".env", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", "config.fish",
            ".tool-versions", ".mise.toml", "mise.toml", ".mise.local.toml", "mise.local.toml", ".autoenv", ".autoenv.zsh", ".inputrc", ".tmux.conf", ".screenrc", ".gdbinit", ".lldbinit", ".irbrc", ".pryrc", ".pythonrc",
            ".rprofile", ".octaverc", ".python-version", ".ruby-version", ".node-version", ".nvmrc", ".java-version", ".sdkmanrc", "devbox.json", "devenv.nix");
    private static final Rule SHELL_PATH = new Rule(List.of("/.", "mise/config"),
            ".*/\\.?mise/config(\\.[^/]+)?\\.toml|.*/\\.config/(mise|fish)(/.*|\\.toml)|.*/\\.env\\.[^/]+|.*/\\.hg/hgrc[^/]*|.*/\\.jj/(repo/)?config\\.toml");

    /// Why each is one.
    static final java.util.Map<String, String> REASONS = java.util.Map.ofEntries(
            java.util.Map.entry("git-hook", "git runs it by itself, on a commit, a checkout or a push"),
            java.util.Map.entry("git-config", "git reads it whenever it runs there, and it, or what it leads to, can name programs to run"),
            java.util.Map.entry("shell-start", "a shell, a debugger, another version control or a tool for environments reads it when it is started or enters the folder"),
            java.util.Map.entry("editor-task", "an editor runs what it names when the folder is opened"),
            java.util.Map.entry("ci", "a CI service runs it, with that service's secrets, once it is pushed"),
            java.util.Map.entry("agent-instructions", "a coding agent takes it for its instructions"),
            java.util.Map.entry("build-script", "a build, an installation or a test run executes it"),
            java.util.Map.entry("set-uid", "it runs with the rights of its owner, not of who starts it"),
            java.util.Map.entry("link-leaves-tree", "it is a link to what lies outside"),
            java.util.Map.entry("special-file", "it is no file: a device, FIFO or socket"),
            java.util.Map.entry("apply-journal", "it has the name of what `redoma apply` keeps while it works; it is never brought"),
            java.util.Map.entry("deceptive-name", "its name has characters that hide, turn or break what is shown"));

    /// For their test.
    static final List<Rule> RULES = List.of(GIT_HOOK, GIT_CONFIG, JOURNAL, EDITOR, CI, AGENT, BUILD_PATH, SHELL_PATH);
    private static final Set<Stat.Type> SPECIAL = Set.of(Stat.Type.FIFO, Stat.Type.SOCKET, Stat.Type.CHAR, Stat.Type.BLOCK);

    private Flags() {}

    /// `repository`: the directory above it that git would take for one, though it is not called `.git`.
    static List<String> of(String path, Stat stat, @Nullable String target, @Nullable String repository) {
        var lower = path.toLowerCase(Locale.ROOT);
        var name = lower.substring(lower.lastIndexOf('/') + 1);
        var out = new ArrayList<String>();
        flag(out, "git-hook", GIT_HOOK.of(lower) || repository != null && path.startsWith(repository + "/hooks/"));
        flag(out, "git-config", GIT_CONFIG.of(lower) || name.equals(".git") && stat.type() != Stat.Type.DIRECTORY || repository != null && !GIT_STORE.matcher(path.substring(repository.length())).matches());
        flag(out, "shell-start", SHELL.contains(name) || SHELL_PATH.of(lower));
        flag(out, "editor-task", EDITOR.of(lower));
        flag(out, "ci", CI.of(lower));
        flag(out, "agent-instructions", AGENT.of(lower));
        flag(out, "build-script", stat.type() == Stat.Type.FILE && (BUILD.contains(name) || BUILD_PATH.of(lower)));
        flag(out, "set-uid", stat.type() == Stat.Type.FILE && (stat.mode() & 06000) != 0);
        flag(out, "link-leaves-tree", target != null && leaves(path, target));
        flag(out, "special-file", SPECIAL.contains(stat.type()));
        flag(out, "apply-journal", JOURNAL.of(lower));
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
