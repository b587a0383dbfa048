// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.util.Locale;
import java.util.Map;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Image;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.html.HtmlRenderer;

/** Pages as HTML: the text, the list of all pages before it and the list of its headings behind it. Immutable. */
final class Layout {
    private static final int DEEPEST = 3; // level of a heading that the page's list has

    private final Contents contents;
    private final Links links;

    Layout(Contents contents, Links links) {
        this.contents = contents;
        this.links = links;
    }

    String page(Page page) {
        String title = page.path().equals(Sources.README) ? "Talos" : page.title() + " · Talos";
        return whole(Links.place(page.path()), title, text(page), headings(page));
    }

    /** The page of a folder: the list of its contents. */
    String folder(Contents.Item item) {
        String place = Links.place(item.path());
        StringBuilder list = new StringBuilder("<h1>" + escaped(item.name()) + "</h1>\n<ul>\n");
        item.pages().forEach(each -> list.append(entry(place, each.path(), each.title(), place)));
        return whole(place, item.name() + " · Talos", list.append("</ul>\n").toString(), "");
    }

    private String whole(String place, String title, String text, String headings) {
        String root =
                "../".repeat((int) place.chars().filter(each -> each == '/').count());
        return head(root, escaped(title)) + text + """
                </main>
                <nav id="here" aria-label="On this page">
                """ + headings + """
                </nav>
                <nav id="pages" aria-label="All pages">
                """ + pages(place) + """
                </nav>
                </body>
                </html>
                """;
    }

    private static String head(String root, String title) {
        return String.format(Locale.ROOT, """
                <!doctype html>
                <html lang="en" data-root="%1$s">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <link rel="icon" href="data:,">
                <title>%2$s</title>
                <link rel="stylesheet" href="%1$ssite.css">
                <script src="%1$ssearch.js" defer></script>
                </head>
                <body>
                <a class="skip" href="#text">Skip to the text</a>
                <header>
                <a class="name" href="%1$sindex.html">Talos</a>
                <form role="search" hidden>
                <label for="words">Search</label>
                <input id="words" type="search" autocomplete="off" spellcheck="false" aria-describedby="hits">
                <p id="hits" role="status"></p>
                <ol id="found" aria-label="Found" hidden></ol>
                </form>
                <a class="narrow" href="#pages">All pages</a>
                </header>
                <main id="text" tabindex="-1">
                """, root, title);
    }

    private String text(Page page) {
        Map<Node, String> anchors = page.anchorsByNode();
        HtmlRenderer renderer = HtmlRenderer.builder()
                .extensions(Page.TABLES)
                .escapeHtml(true)
                .attributeProviderFactory(context -> (node, tag, attributes) -> {
                    if (node instanceof Link link) {
                        attributes.put("href", links.inSite(page.path(), link.getDestination()));
                    } else if (node instanceof Image picture) {
                        attributes.put("src", links.inSite(page.path(), picture.getDestination()));
                        attributes.put("loading", "lazy");
                    } else if (anchors.containsKey(node)) {
                        attributes.put("id", anchors.get(node));
                    } else if (tag.equals("pre")
                            && (node instanceof FencedCodeBlock || node instanceof IndentedCodeBlock)) {
                        attributes.put("tabindex", "0"); // wide content is scrolled by keys
                    }
                })
                .build();
        StringBuilder text = new StringBuilder();
        for (Node next = page.document().getFirstChild(); next != null; next = next.getNext()) {
            String html = renderer.render(next);
            text.append(next instanceof TableBlock ? table(html) : html);
        }
        return text.toString();
    }

    /** Makes a wide table scroll by keys; an empty cell of the head is a plain cell. */
    private static String table(String html) {
        return "<div class=\"wide\" tabindex=\"0\">\n" + html.replace("<th></th>", "<td></td>") + "</div>\n";
    }

    private static String headings(Page page) {
        StringBuilder list = new StringBuilder("<ul>\n");
        for (Page.PageHeading each : page.headings()) {
            if (each.level() > 1 && each.level() <= DEEPEST) {
                list.append(String.format(
                        Locale.ROOT,
                        "<li class=\"level-%d\"><a href=\"#%s\">%s</a></li>\n",
                        each.level(),
                        each.anchor(),
                        escaped(each.text())));
            }
        }
        return list.append("</ul>\n").toString();
    }

    private String pages(String place) {
        StringBuilder list = new StringBuilder();
        for (Contents.Group group : contents.groups()) {
            list.append("<h2>To ").append(escaped(group.purpose())).append("</h2>\n<ul>\n");
            for (Contents.Item item : group.items()) {
                list.append(entry(place, item.path(), item.name(), place));
                item.pages()
                        .forEach(each -> list.append(entry(place, each.path(), each.title(), place)
                                .replaceFirst("<li>", "<li class=\"inner\">")));
            }
            list.append("</ul>\n");
        }
        return list.toString();
    }

    private static String entry(String from, String path, String name, String current) {
        String place = Links.place(path);
        return String.format(
                Locale.ROOT,
                "<li><a href=\"%s\"%s>%s</a></li>\n",
                Links.relative(from, place),
                place.equals(current) ? " aria-current=\"page\"" : "",
                escaped(name));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
