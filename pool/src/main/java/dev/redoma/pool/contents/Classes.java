// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import java.util.Set;

/// Sorts paths into classes, by names alone. A directory's class is that of all below it, unless that is told apart itself.
final class Classes {
    private static final Set<String> TEMPORARY = Set.of("/tmp", "/var/tmp");
    private static final Set<String> CACHES = Set.of("/var/cache", "/var/lib/apt/lists");
    private static final Set<String> CACHE_NAMES = Set.of(".cache", "__pycache__", "_cacache", ".pnpm-store", ".ccache", ".npm");
    private static final Set<String> CACHE_ENDS = Set.of("/.cargo/registry", "/.gradle/caches", "/.m2/repository", "/.yarn/cache", "/go/pkg/mod");
    private static final Set<String> BROWSER_NAMES = Set.of(".mozilla", "google-chrome", "google-chrome-beta", "chromium", "BraveSoftware", "microsoft-edge",
            "vivaldi", "mozilla", ".librewolf", "librewolf", ".thunderbird");
    private static final Set<String> PACKAGE_NAMES = Set.of("site-packages", "dist-packages", "node_modules");
    private static final Set<String> PACKAGES = Set.of("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64",
            "/usr/libexec", "/usr/share", "/usr/include", "/var/lib/dpkg", "/var/lib/apt", "/etc/apt", "/etc/alternatives", "/var/lib/rpm", "/lib/apk", "/etc/apk");
    private static final Set<String> HISTORIES = Set.of(".lesshst", ".viminfo", ".wget-hsts", "fish_history", "history.sqlite", ".dbshell", ".mysql_history");

    private Classes() {}

    static ContentClass directory(String path, String name, ContentClass above) {
        if (BROWSER_NAMES.contains(name) && (name.startsWith(".") || path.contains("/.config/") || path.contains("/.cache/") || path.contains("/snap/"))) {
            return ContentClass.BROWSER;
        }
        if (above == ContentClass.BROWSER || above == ContentClass.TEMPORARY || above == ContentClass.LOGS) {
            return above;
        }
        if (path.equals("/var/log") || name.equals("_logs")) {
            return ContentClass.LOGS;
        }
        if (TEMPORARY.contains(path)) {
            return ContentClass.TEMPORARY;
        }
        if (CACHES.contains(path) || CACHE_NAMES.contains(name) || CACHE_ENDS.stream().anyMatch(path::endsWith)) {
            return ContentClass.CACHES;
        }
        return PACKAGES.contains(path) || PACKAGE_NAMES.contains(name) ? ContentClass.PACKAGES : above;
    }

    static ContentClass file(String name, ContentClass directory) {
        if (HISTORIES.contains(name) || name.startsWith(".") && (name.endsWith("_history") || name.endsWith("-history"))) {
            return ContentClass.HISTORY;
        }
        if (directory != ContentClass.OTHER) {
            return directory;
        }
        if (name.startsWith(".") && (name.endsWith(".swp") || name.endsWith(".swo"))) {
            return ContentClass.TEMPORARY;
        }
        return name.endsWith(".log") ? ContentClass.LOGS : ContentClass.OTHER;
    }
}
