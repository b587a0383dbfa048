// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.commonmark.ext.gfm.tables.TableBody;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.ext.gfm.tables.TableRow;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.CustomBlock;
import org.commonmark.node.CustomNode;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/**
 * The list of all pages, in groups: the table of README's section "Documentation". What links to a folder there has its
 * pages below it.
 *
 * <p>Immutable.
 */
record Contents(List<Group> groups) {
    private static final String SECTION = "Documentation";

    /**
     * The pages for one purpose. Immutable.
     *
     * @param purpose as README names it: "use it"
     */
    record Group(String purpose, List<Item> items) {}

    /**
     * A link of the list. Immutable.
     *
     * @param path in the source tree; of a folder, with a slash at its end
     * @param pages of that folder; empty for a page
     */
    record Item(String path, String name, List<Page> pages) {}

    /** @throws IllegalStateException a page is in no group: readers would not find it */
    static Contents of(Sources sources) {
        Node heading = sources.readme().headings().stream()
                .filter(each -> each.text().equals(SECTION))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("README has no section " + SECTION))
                .node();
        List<Group> groups = new ArrayList<>();
        AbstractVisitor rows = new AbstractVisitor() {
            @Override
            public void visit(CustomBlock block) {
                visitChildren(block);
            }

            @Override
            public void visit(CustomNode node) {
                if (node instanceof TableRow && node.getParent() instanceof TableBody) {
                    groups.add(group(sources, node));
                } else {
                    visitChildren(node);
                }
            }
        };
        for (Node next = heading.getNext(); next != null && !(next instanceof Heading); next = next.getNext()) {
            next.accept(rows);
        }
        requireAll(sources, groups);
        return new Contents(List.copyOf(groups));
    }

    private static Group group(Sources sources, Node row) {
        TableCell purpose = (TableCell) row.getFirstChild();
        List<Item> items = new ArrayList<>();
        for (Link link : Page.links(row)) {
            String path = link.getDestination();
            items.add(new Item(path, Page.words(link), path.endsWith("/") ? sources.in(path) : List.of()));
        }
        return new Group(Page.words(purpose), List.copyOf(items));
    }

    private static void requireAll(Sources sources, List<Group> groups) {
        Set<String> missing = new TreeSet<>(sources.pages().keySet());
        missing.remove(Sources.README);
        for (Group group : groups) {
            for (Item item : group.items) {
                missing.remove(item.path);
                item.pages.forEach(each -> missing.remove(each.path()));
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("README's section " + SECTION + " does not name " + missing);
        }
    }
}
