// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.mutation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Loads the server's classes again, and the tests' with them; one class and what is in it come from changed source.
 *
 * <p>Thread-safe.
 */
final class MutantLoader extends ClassLoader {
    private static final String LOADED_ANEW = "org.talos.server.";

    private final Map<String, byte[]> changed;

    MutantLoader(String type, String source) throws IOException {
        super(MutantLoader.class.getClassLoader());
        changed = compile(type, source);
    }

    private static Map<String, byte[]> compile(String type, String source) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        try (InMemory classes = new InMemory(compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8))) {
            List<String> options =
                    List.of("-proc:none", "-nowarn", "-classpath", System.getProperty("java.class.path"));
            if (!compiler.getTask(messages, classes, null, options, null, List.of(new Source(type, source)))
                    .call()) {
                throw new IllegalStateException("not compiled: " + messages);
            }
            return classes.bytes();
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(LOADED_ANEW)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte @Nullable [] bytes = changed.get(name);
        try (InputStream stored = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (stored == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] found = bytes == null ? stored.readAllBytes() : bytes;
            return defineClass(name, found, 0, found.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** A source in memory. Immutable. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String type, String text) {
            super(URI.create("string:///" + type.replace('.', '/') + ".java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** Keeps what is compiled. Confined: the thread that compiles. */
    private static final class InMemory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        InMemory(JavaFileManager below) {
            super(below);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            classes.put(name, bytes);
            return new SimpleJavaFileObject(URI.create("bytes:///" + name.replace('.', '/') + ".class"), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }

        Map<String, byte[]> bytes() {
            Map<String, byte[]> found = new HashMap<>();
            classes.forEach((name, bytes) -> found.put(name, bytes.toByteArray()));
            return found;
        }
    }
}
