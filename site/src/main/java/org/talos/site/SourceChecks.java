// SPDX-License-Identifier: Apache-2.0
package org.talos.site;

import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.IndentedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.node.Paragraph;
import org.commonmark.node.SourceSpan;

/**
 * Checks how pages are written: each table has a header, and no line is too long for an editor or a diff.
 *
 * <p>Thread-safe.
 */
final class SourceChecks {
    private static final int COLUMNS = 120;
    private static final Pattern MARKERS = Pattern.compile("^\\s*(?:(?:[-*+>]|#{1,6}|\\d+\\.)\\s+)*+");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");

    private final Sources sources;

    SourceChecks(Sources sources) {
        this.sources = sources;
    }

    /**
     * Returns the first line of each group of rows that has no header. Markdown shows such rows as text: an empty line
     * inside a table is enough.
     */
    List<String> rowsWithoutHeader() {
        return places(page -> {
            BitSet starts = new BitSet();
            page.document().accept(new AbstractVisitor() {
                @Override
                public void visit(Paragraph paragraph) {
                    IntStream rows =
                            lines(paragraph).filter(line -> isRow(page.lines().get(line)));
                    rows.limit(1).forEach(starts::set);
                }
            });
            return starts;
        });
    }

    /** Returns each line that is too long, unless it is in a table or in code, or has no space to break it at. */
    List<String> longLines() {
        return places(page -> {
            BitSet found = new BitSet();
            for (int line = 0; line < page.lines().size(); line++) {
                found.set(line, isTooLong(page.lines().get(line)));
            }
            found.andNot(code(page));
            return found;
        });
    }

    private List<String> places(Function<Page, BitSet> check) {
        return sources.pages().values().stream()
                .flatMap(page -> check.apply(page).stream().mapToObj(line -> page.path() + ":" + (line + 1)))
                .toList();
    }

    private static BitSet code(Page page) {
        BitSet code = new BitSet();
        page.document().accept(new AbstractVisitor() {
            @Override
            public void visit(FencedCodeBlock block) {
                lines(block).forEach(code::set);
            }

            @Override
            public void visit(IndentedCodeBlock block) {
                lines(block).forEach(code::set);
            }
        });
        return code;
    }

    private static IntStream lines(Node block) {
        return block.getSourceSpans().stream().mapToInt(SourceSpan::getLineIndex);
    }

    private static boolean isRow(String line) {
        return line.strip().startsWith("|");
    }

    private static boolean isTooLong(String line) {
        if (line.codePointCount(0, line.length()) <= COLUMNS || isRow(line)) {
            return false;
        }
        String text = MARKERS.matcher(line.stripTrailing()).replaceFirst("");
        return CODE.matcher(text).replaceAll("").indexOf(' ') >= 0;
    }
}
