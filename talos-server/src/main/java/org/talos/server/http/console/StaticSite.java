// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pages of one folder of resources, under one path, with the libraries that they use under {@code lib/}. A file has a
 * second path, with a digest of the whole site in it, under which it never changes: browsers keep it forever and need
 * no request for it later. In HTML the text {@code @build@} stands for that digest.
 *
 * <p>Paths are taken as written: nothing in them is decoded, and a name with anything but letters, digits, and a few
 * signs does not exist.
 *
 * <p>Thread-safe. Files that were read stay in memory: at most the whole site.
 */
final class StaticSite {
    private static final String START = "index.html";
    private static final String BUILD = "@build@";
    private static final String LIBRARIES = "org/talos/console/libraries.properties";
    /** Most libraries have it. */
    private static final String MANIFEST = "package.json";

    private static final Pattern OF_BUILD = Pattern.compile("([0-9a-f]{24})/(.*)");
    private static final Pattern LIBRARY = Pattern.compile(
            "lib/([a-z0-9-]{1,50})/((?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,80}/){0,5}[A-Za-z0-9_-][A-Za-z0-9._-]{0,80})");

    /** By folder: a JVM in which servers come and go, as in tests, reads and digests the files once. */
    private static final Map<String, Content> CONTENTS = new ConcurrentHashMap<>();

    private final String prefix;
    private final String policy;
    private final Content content;
    private final Map<String, Page> pages = new ConcurrentHashMap<>(); // by resource

    /**
     * A file of the site.
     *
     * @param resource on the class path
     * @param immutable whether the path is one whose file never changes
     */
    record File(String resource, boolean immutable) {}

    /**
     * What the site consists of. Immutable.
     *
     * @param files resource by name
     * @param libraries folder of resources by name
     * @param libraryFiles resources in these folders: no other name is looked for on the class path
     * @param digest of all files, and of which libraries there are
     */
    private record Content(
            Map<String, String> files, Map<String, String> libraries, Set<String> libraryFiles, String digest) {
        Content {
            files = Map.copyOf(files);
            libraries = Map.copyOf(libraries);
            libraryFiles = Set.copyOf(libraryFiles);
        }
    }

    private StaticSite(String prefix, String policy, Content content) {
        this.prefix = prefix;
        this.policy = policy;
        this.content = content;
    }

    /**
     * Reads all files of the site, and the names of the libraries' files, unless this JVM has already done so.
     *
     * @param prefix of its paths, with a slash at both ends
     * @param folder of resources, with a slash at the end, in which is {@code index.html}
     * @param policy the content security policy of its pages
     * @throws IllegalStateException there are no such resources
     */
    static StaticSite open(String prefix, String folder, String policy) {
        return new StaticSite(prefix, policy, CONTENTS.computeIfAbsent(folder, any -> content(prefix, folder)));
    }

    private static Content content(String prefix, String folder) {
        Map<String, String> files = new TreeMap<>();
        Resources.below(folder, START).stream()
                .filter(name -> Page.typeOf(name).isPresent())
                .forEach(name -> files.put(name, folder + name));
        Map<String, String> libraries = libraries();
        if (!files.containsKey(START)) {
            throw new IllegalStateException("the pages of " + prefix + " are not on the class path: " + folder);
        }
        StringBuilder all = new StringBuilder(new TreeMap<>(libraries).toString());
        for (Map.Entry<String, String> each : files.entrySet()) {
            byte[] bytes = Resources.read(each.getValue()).orElseThrow();
            all.append('\n').append(each.getKey()).append(' ').append(Page.digest(bytes));
        }
        String digest = Page.digest(all.toString().getBytes(StandardCharsets.UTF_8));
        return new Content(files, libraries, filesIn(libraries.values()), digest);
    }

    private static Set<String> filesIn(Collection<String> folders) {
        Set<String> files = new HashSet<>();
        for (String folder : folders) {
            List<String> below = Resources.below(folder, MANIFEST);
            (below.isEmpty() ? Resources.below(folder, "") : below).forEach(name -> files.add(folder + name));
        }
        return files;
    }

    private static Map<String, String> libraries() {
        byte[] text = Resources.read(LIBRARIES)
                .orElseThrow(() -> new IllegalStateException(LIBRARIES + " is not on the class path"));
        Properties folders = new Properties();
        try {
            folders.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, String> libraries = new HashMap<>();
        folders.stringPropertyNames().forEach(name -> libraries.put(name, folders.getProperty(name)));
        return libraries;
    }

    String prefix() {
        return prefix;
    }

    String policy() {
        return policy;
    }

    /**
     * The file of a path.
     *
     * @param path as it was sent, from behind the prefix on
     */
    Optional<File> find(String path) {
        Matcher ofBuild = OF_BUILD.matcher(path);
        if (ofBuild.matches()) {
            // Another digest belongs to another server's build, which a browser behind a balancer requests while
            // servers are upgraded.
            return resource(ofBuild.group(2))
                    .map(found -> new File(found, ofBuild.group(1).equals(content.digest())));
        }
        return resource(path.isEmpty() ? START : path).map(found -> new File(found, false));
    }

    private Optional<String> resource(String name) {
        Matcher library = LIBRARY.matcher(name);
        if (!library.matches()) {
            return Optional.ofNullable(content.files().get(name));
        }
        return Page.typeOf(name)
                // Of a library its code alone: its own pages refer to elsewhere.
                .filter(type -> !type.startsWith("text/html") && !type.startsWith("text/plain"))
                .flatMap(type -> Optional.ofNullable(content.libraries().get(library.group(1))))
                .map(folder -> folder + library.group(2))
                .filter(content.libraryFiles()::contains);
    }

    /** The page of a file, if it is in memory. */
    Optional<Page> known(File file) {
        return Optional.ofNullable(pages.get(file.resource));
    }

    /** The page of a file; empty if the resource is missing. Blocks. */
    Optional<Page> read(File file) {
        return Optional.ofNullable(pages.computeIfAbsent(file.resource, this::load));
    }

    @SuppressWarnings("NullAway") // null leaves it out of the map
    private Page load(String resource) {
        return Resources.read(resource)
                .map(bytes -> Page.of(
                        Page.typeOf(resource).orElseThrow(), resource.endsWith(".html") ? withBuild(bytes) : bytes))
                .orElse(null);
    }

    private byte[] withBuild(byte[] html) {
        String text = new String(html, StandardCharsets.UTF_8);
        return text.replace(BUILD, content.digest()).getBytes(StandardCharsets.UTF_8);
    }
}
