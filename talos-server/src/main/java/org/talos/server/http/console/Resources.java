// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Resources on the class path. Thread-safe. Every call reads files. */
final class Resources {
    private Resources() {}

    /** The bytes of a resource; empty if there is none. */
    static Optional<byte[]> read(String name) {
        try (InputStream in = Resources.class.getClassLoader().getResourceAsStream(name)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The names of all files in the folder of a resource and below it, as they follow the folder's; none if there is no
     * such resource.
     *
     * @param folder ends with a slash
     * @param known a file in that folder; empty if the folder itself is a resource
     */
    static List<String> below(String folder, String known) {
        @Nullable URL url = Resources.class.getClassLoader().getResource(folder + known);
        if (url == null) {
            return List.of();
        }
        try {
            return url.openConnection() instanceof JarURLConnection jar
                    ? inJar(jar, folder)
                    : inFolder(
                            known.isEmpty()
                                    ? Path.of(url.toURI())
                                    : Path.of(url.toURI()).resolveSibling(""));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a class path that cannot be read: " + url, e);
        }
    }

    private static List<String> inJar(JarURLConnection connection, String folder) throws IOException {
        connection.setUseCaches(false); // or closing it would close the class loader's
        try (JarFile jar = connection.getJarFile()) {
            return jar.stream()
                    .filter(each -> !each.isDirectory() && each.getName().startsWith(folder))
                    .map(each -> each.getName().substring(folder.length()))
                    .toList();
        }
    }

    private static List<String> inFolder(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile)
                    .map(each -> folder.relativize(each).toString().replace('\\', '/'))
                    .toList();
        }
    }
}
