// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/// Rewrites a jar whose classes are so old (before Java 6) that an AOT cache cannot take them: same code, with stack maps and version 52. The build
/// does it to picocli, which halves the start of the command line. Arguments: the jar, and where the new one goes.
public final class ModernJar {
    private static final int OLD = 50;

    private ModernJar() {}

    public static void main(String[] args) throws IOException {
        var jar = Path.of(args[0]);
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                var in = new JarFile(jar.toFile());
                var out = new JarOutputStream(Files.newOutputStream(Path.of(args[1])))) {
            var tool = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                    ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(loader)));
            for (JarEntry entry : (Iterable<JarEntry>) in.stream()::iterator) {
                if (!entry.isDirectory() && !isSignature(entry.getName())) {
                    copy(in, entry, out, tool);
                }
            }
        }
    }

    private static boolean isSignature(String name) {
        return name.startsWith("META-INF/") && (name.endsWith(".SF") || name.endsWith(".RSA") || name.endsWith(".DSA"));
    }

    /// Entries keep their time, so that the same jar gives the same bytes.
    private static void copy(JarFile in, JarEntry entry, JarOutputStream out, ClassFile tool) throws IOException {
        byte[] bytes;
        try (var data = in.getInputStream(entry)) {
            bytes = data.readAllBytes();
        }
        var fresh = new JarEntry(entry.getName());
        fresh.setTime(entry.getTime());
        out.putNextEntry(fresh);
        out.write(entry.getName().endsWith(".class") ? modern(bytes, tool) : bytes);
        out.closeEntry();
    }

    private static byte[] modern(byte[] bytes, ClassFile tool) {
        var model = tool.parse(bytes);
        if (model.majorVersion() >= OLD) {
            return bytes;
        }
        return tool.transformClass(model, (out, element) -> {
            switch (element) {
                case ClassFileVersion old -> out.withVersion(52, 0);
                case MethodModel method -> out.transformMethod(method, MethodTransform.transformingCode((code, instruction) -> code.with(instruction)));
                default -> out.with(element);
            }
        });
    }
}
