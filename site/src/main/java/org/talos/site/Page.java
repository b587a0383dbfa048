// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.CustomNode;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;

/**
 * A parsed page of Markdown. Immutable, provided that its nodes are not changed.
 *
 * @param path in the source tree: {@code docs/rest.md}
 * @param lines of the source
 * @param headings in their order
 */
record Page(String path, List<String> lines, Node document, List<PageHeading> headings) {
    static final List<TablesExtension> TABLES = List.of((TablesExtension) TablesExtension.create());
    private static final Parser PARSER = Parser.builder()
            .extensions(TABLES)
            .includeSourceSpans(IncludeSourceSpans.BLOCKS)
            .build();

    /**
     * A heading with its anchor. Immutable.
     *
     * @param level from 1
     */
    record PageHeading(Node node, int level, String text, String anchor) {}

    /**
     * A section: the text below one heading, up to the next. Immutable.
     *
     * @param text without marks
     */
    record Section(PageHeading heading, String text) {}

    static Page of(String path, String markdown) {
        Node document = PARSER.parse(markdown);
        List<PageHeading> headings = new ArrayList<>();
        Slugs slugs = new Slugs();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Heading heading) {
                String text = words(heading);
                headings.add(new PageHeading(heading, heading.getLevel(), text, slugs.next(text)));
            }
        });
        if (headings.isEmpty() || headings.get(0).level() != 1) {
            throw new IllegalArgumentException(path + " does not begin with a heading");
        }
        return new Page(path, markdown.lines().toList(), document, List.copyOf(headings));
    }

    /** Returns the words of a piece of text, without its marks, and without the targets of its links. */
    static String words(Node node) {
        StringBuilder words = new StringBuilder();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Text text) {
                words.append(text.getLiteral());
            }

            @Override
            public void visit(Code code) {
                words.append(code.getLiteral());
            }

            @Override
            public void visit(SoftLineBreak none) {
                words.append(' ');
            }

            @Override
            public void visit(HardLineBreak none) {
                words.append(' ');
            }

            @Override
            public void visit(FencedCodeBlock code) {
                words.append(code.getLiteral());
            }

            @Override
            public void visit(IndentedCodeBlock code) {
                words.append(code.getLiteral());
            }

            @Override
            public void visit(Paragraph paragraph) {
                visitChildren(paragraph);
                words.append('\n');
            }

            @Override
            public void visit(CustomNode cell) {
                visitChildren(cell);
                words.append('\n');
            }
        });
        return words.toString().strip();
    }

    String title() {
        return headings.get(0).text();
    }

    Set<String> anchors() {
        return headings.stream().map(PageHeading::anchor).collect(Collectors.toSet());
    }

    /** The anchor of each heading's node. */
    Map<Node, String> anchorsByNode() {
        return headings.stream().collect(Collectors.toMap(PageHeading::node, PageHeading::anchor));
    }

    /** Returns where the links of the page lead and its pictures are, as it is written. */
    List<String> links() {
        List<String> destinations = new ArrayList<>();
        document.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                destinations.add(link.getDestination());
                visitChildren(link);
            }

            @Override
            public void visit(Image picture) {
                destinations.add(picture.getDestination());
            }
        });
        return destinations;
    }

    static List<Link> links(Node node) {
        List<Link> links = new ArrayList<>();
        node.accept(new AbstractVisitor() {
            @Override
            public void visit(Link link) {
                links.add(link);
            }
        });
        return links;
    }

    List<Section> sections() {
        List<Section> sections = new ArrayList<>();
        for (PageHeading heading : headings) {
            StringBuilder text = new StringBuilder();
            Node next = heading.node().getNext();
            while (next != null && !(next instanceof Heading)) {
                text.append(words(next)).append('\n');
                next = next.getNext();
            }
            sections.add(
                    new Section(heading, text.toString().replaceAll("\\s+", " ").strip()));
        }
        return sections;
    }
}
