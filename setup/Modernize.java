// SPDX-License-Identifier: Apache-2.0

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/// Gives the classes of a jar, in place, a class file version that the ahead-of-time cache takes: it leaves out those of Java 5,
/// which is what picocli is compiled for. What the classes do stays as it is; they get the stack maps that newer versions ask for.
class Modernize {
    private static final int OLDEST = ClassFile.JAVA_11_VERSION;

    public static void main(String[] arguments) throws Exception {
        var jar = Path.of(arguments[0]).toAbsolutePath();
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                var inside = FileSystems.newFileSystem(URI.create("jar:" + jar.toUri()), java.util.Map.of());
                var all = Files.walk(inside.getPath("/"))) {
            var tool = ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS,
                    ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(loader)));
            for (var file : all.filter(f -> f.toString().endsWith(".class") && !f.toString().startsWith("/META-INF")).toList()) {
                var model = tool.parse(Files.readAllBytes(file));
                if (model.majorVersion() < OLDEST) {
                    var newer = ClassTransform.endHandler(out -> out.with(ClassFileVersion.of(OLDEST, 0)));
                    Files.write(file, tool.transformClass(model, ClassTransform.transformingMethodBodies((code, element) -> code.with(element)).andThen(newer)));
                }
            }
        }
    }
}
