// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Writes the site. All its links are relative, so that it can be read from a disk as well as from a server, at whatever
 * path; nothing is loaded from elsewhere, and no page has a script or a style in it.
 *
 * <p>Confined: main.
 */
final class Site {
    private static final String INDEX = "search-index.js";

    private final Sources sources;
    private final Links links;
    private final Contents contents;

    /**
     * Checks the pages.
     *
     * @throws IllegalStateException a link leads nowhere, a table has no header, a line is too long, or a page is in no
     *     list
     */
    Site(Sources sources) {
        this.sources = sources;
        links = new Links(sources);
        SourceChecks checks = new SourceChecks(sources);
        requireNone("links that lead nowhere", links.dead());
        requireNone("rows of a table without a header", checks.rowsWithoutHeader());
        requireNone("lines of more than 120 columns", checks.longLines());
        contents = Contents.of(sources);
    }

    private static void requireNone(String fault, List<String> places) {
        if (!places.isEmpty()) {
            throw new IllegalStateException(fault + ": " + String.join(", ", places));
        }
    }

    void write(Path target) throws IOException {
        Layout layout = new Layout(contents, links);
        for (Page page : sources.pages().values()) {
            write(target.resolve(Links.place(page.path())), layout.page(page));
        }
        for (Contents.Group group : contents.groups()) {
            for (Contents.Item item : group.items()) {
                if (!item.pages().isEmpty()) {
                    write(target.resolve(Links.place(item.path())), layout.folder(item));
                }
            }
        }
        for (String file : links.files()) {
            Path copy = target.resolve(Links.place(file));
            Files.createDirectories(copy.getParent());
            Files.copy(sources.root().resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
        }
        write(target.resolve(INDEX), index());
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /**
     * Returns the index of the search, as a script: a page that is read from a disk may load no other file. For each
     * section the page's place, its title, the anchor, the heading and the text.
     */
    private String index() throws IOException {
        List<List<String>> sections = sources.pages().values().stream()
                .flatMap(page -> page.sections().stream()
                        .map(each -> List.of(
                                Links.place(page.path()),
                                page.title(),
                                each.heading().anchor(),
                                each.heading().text(),
                                each.text())))
                .toList();
        return "window.talosDocs = " + new JsonMapper().writeValueAsString(sections) + ";\n";
    }
}
