// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The pages of a source tree: README, which is the first, CHANGELOG, CONTRIBUTING, all of docs, those of examples, and
 * the results of measurements.
 *
 * <p>Immutable.
 *
 * @param pages by their path in the source tree
 */
record Sources(Path root, TreeMap<String, Page> pages) {
    static final String README = "README.md";
    private static final int FLAT = 1;
    private static final int PROJECTS = 2; // levels: a folder for each, and its files
    private static final int DEEP = Integer.MAX_VALUE;
    private static final List<String> BESIDE = List.of(README, "CHANGELOG.md", "CONTRIBUTING.md");

    static Sources of(Path root) throws IOException {
        TreeMap<String, Page> pages = new TreeMap<>();
        for (String name : BESIDE) {
            pages.put(name, Page.of(name, Files.readString(root.resolve(name))));
        }
        add(root, root.resolve("docs"), DEEP, pages);
        add(root, root.resolve("examples"), PROJECTS, pages); // not of generated files in them
        add(root, root.resolve("bench/results"), FLAT, pages);
        return new Sources(root, pages);
    }

    private static void add(Path root, Path folder, int depth, TreeMap<String, Page> pages) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder, depth)) {
            for (Path file : all.filter(each -> each.toString().endsWith(".md")).toList()) {
                String path = root.relativize(file).toString().replace('\\', '/');
                pages.put(path, Page.of(path, Files.readString(file)));
            }
        }
    }

    Page readme() {
        return Objects.requireNonNull(pages.get(README));
    }

    /** The pages of a folder, without those of folders in it. */
    List<Page> in(String folder) {
        return pages.values().stream()
                .filter(each -> each.path().startsWith(folder) && each.path().indexOf('/', folder.length()) < 0)
                .toList();
    }
}
