// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Where links between files of the source tree lead, there and in the site.
 *
 * <p>Thread-safe.
 */
final class Links {
    private static final Pattern ELSEWHERE = Pattern.compile("https?://.+");
    private static final String FOLDER_PAGE = "index.html";

    private final Sources sources;

    Links(Sources sources) {
        this.sources = sources;
    }

    /**
     * A link's ends in the source tree. Immutable.
     *
     * @param path of a file, or of a folder with a slash at its end
     * @param anchor empty if there is none
     */
    private record Target(String path, String anchor) {
        static Target of(String from, String link) {
            int hash = link.indexOf('#');
            String path = hash < 0 ? link : link.substring(0, hash);
            String anchor = hash < 0 ? "" : link.substring(hash + 1);
            if (path.isEmpty()) {
                return new Target(from, anchor);
            }
            String resolved =
                    Path.of(from).resolveSibling(path).normalize().toString().replace('\\', '/');
            return new Target(path.endsWith("/") ? resolved + "/" : resolved, anchor);
        }
    }

    /** The links of all pages that lead nowhere, each with its page. */
    List<String> dead() {
        List<String> dead = new ArrayList<>();
        for (Page page : sources.pages().values()) {
            for (String link : page.links()) {
                if (!isElsewhere(link) && isDead(Target.of(page.path(), link))) {
                    dead.add(page.path() + ": " + link);
                }
            }
        }
        return dead;
    }

    private boolean isDead(Target target) {
        if (target.path.endsWith("/")) {
            return sources.in(target.path).isEmpty() || !target.anchor.isEmpty();
        }
        Page page = sources.pages().get(target.path);
        if (page == null) {
            return target.path.startsWith("..")
                    || !Files.isRegularFile(sources.root().resolve(target.path))
                    || !target.anchor.isEmpty();
        }
        return !target.anchor.isEmpty() && !page.anchors().contains(target.anchor);
    }

    /** Files that are no pages and that a page links to: they go with the site as they are. */
    Set<String> files() {
        Set<String> files = new TreeSet<>();
        for (Page page : sources.pages().values()) {
            for (String link : page.links()) {
                if (!isElsewhere(link)) {
                    String path = Target.of(page.path(), link).path;
                    if (!path.endsWith("/") && !sources.pages().containsKey(path)) {
                        files.add(path);
                    }
                }
            }
        }
        return files;
    }

    static boolean isElsewhere(String link) {
        return ELSEWHERE.matcher(link).matches();
    }

    /** A page's link, from where that page is in the site. */
    String inSite(String from, String link) {
        if (isElsewhere(link)) {
            return link;
        }
        Target target = Target.of(from, link);
        String place = relative(place(from), place(target.path));
        return target.anchor.isEmpty() ? place : place + "#" + target.anchor;
    }

    /**
     * Returns where a file of the source tree is in the site: README is the first page, docs is not a folder of its
     * own.
     */
    static String place(String path) {
        if (path.equals(Sources.README)) {
            return FOLDER_PAGE;
        }
        String inside = path.startsWith("docs/") ? path.substring("docs/".length()) : path;
        if (inside.endsWith("/")) {
            return inside + FOLDER_PAGE;
        }
        if (inside.endsWith(".md")) {
            return inside.substring(0, inside.length() - ".md".length()) + ".html";
        }
        return "files/" + path;
    }

    /** The way from a page of the site to a file of it. */
    static String relative(String from, String to) {
        Path folder = Path.of(from).getParent();
        Path way = folder == null ? Path.of(to) : folder.relativize(Path.of(to));
        return way.toString().replace('\\', '/');
    }
}
