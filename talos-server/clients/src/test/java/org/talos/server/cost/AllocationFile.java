// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The committed figures: bytes that each request allocates, and why each figure is what it is. Lines of "request |
 * bytes | why" under comments.
 *
 * <p>Immutable.
 */
final class AllocationFile {
    /** A figure may be off by a tenth, either way. */
    private static final double LEEWAY = 0.1;

    /** Figures that are off by more than this are renewed with the others: the next run could find them off. */
    private static final double RENEWED = LEEWAY / 2;

    private static final String COMMENT = "#";
    private static final String WHERE = "this test's output says on which threads it is, a profiler in which calls";

    private static final String WRITE =
            "mvn test -pl talos-server -am -Dtest=RequestAllocationTest -Dtalos.allocation.why='…'";

    private final List<String> comments;
    private final Map<String, Figure> figures;

    /** Bytes of a request, and what the commit that wrote them says. Immutable. */
    record Figure(long bytes, String why) {}

    private AllocationFile(List<String> comments, Map<String, Figure> figures) {
        this.comments = List.copyOf(comments);
        this.figures = new LinkedHashMap<>(figures);
    }

    static AllocationFile read(Path file) throws IOException {
        return of(Files.readAllLines(file));
    }

    static AllocationFile of(List<String> lines) {
        List<String> comments = new ArrayList<>();
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (String line : lines) {
            if (line.startsWith(COMMENT) || line.isBlank()) {
                comments.add(line);
                continue;
            }
            String[] cells = line.split("\\|", 3);
            if (cells.length < 3 || cells[2].isBlank()) {
                throw new IllegalArgumentException("'" + line
                        + "' (expected: request | bytes | why it is so many; a figure without a reason is none)");
            }
            String request = cells[0].strip();
            if (figures.put(request, new Figure(Long.parseLong(cells[1].strip()), cells[2].strip())) != null) {
                throw new IllegalArgumentException("two figures of '" + request + "'");
            }
        }
        return new AllocationFile(comments, figures);
    }

    /**
     * Returns the complaint about today's figures: a line for each request that is off, and the remedy; empty if there
     * is none.
     */
    String complaint(Map<String, Long> measured) {
        List<String> lines = new ArrayList<>();
        measured.forEach((request, now) -> {
            Figure before = figures.get(request);
            if (before == null) {
                lines.add(String.format(Locale.ROOT, "%s: %,d bytes, and no figure to compare with", request, now));
            } else if (now > before.bytes * (1 + LEEWAY)) {
                lines.add(off(request, before.bytes, now) + " more. Look for what allocates it: " + WHERE);
            } else if (now < before.bytes * (1 - LEEWAY)) {
                lines.add(off(request, before.bytes, now)
                        + " less: well done, but as long as the file does not say so it may grow again unseen");
            }
        });
        figures.keySet().stream()
                .filter(request -> !measured.containsKey(request))
                .forEach(request -> lines.add(request + ": is measured no more; its line has to go"));
        if (!lines.isEmpty()) {
            lines.add("If it has to be so, write the figure with its reason, in the same commit: " + WRITE);
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String off(String request, long before, long now) {
        return String.format(
                Locale.ROOT,
                "%s: %,d bytes a request, before %,d: %.1f %%",
                request,
                now,
                before,
                100.0 * Math.abs(now - before) / before);
    }

    /**
     * Returns the file with new figures where today's are new, off, or half way to it; all others stay as they are, so
     * that they do not follow one small growth after another.
     */
    List<String> rewritten(Map<String, Long> measured, String why) {
        if (why.isBlank()) {
            throw new IllegalArgumentException("a new figure needs a reason: -Dtalos.allocation.why='…'");
        }
        Map<String, Figure> all = new LinkedHashMap<>();
        measured.forEach((request, now) -> {
            Figure before = figures.get(request);
            boolean stays = before != null && Math.abs(now - before.bytes) <= before.bytes * RENEWED;
            all.put(
                    request,
                    stays ? before : new Figure(now, before == null ? why : "was " + before.bytes + ": " + why));
        });
        return lines(all);
    }

    private List<String> lines(Map<String, Figure> all) {
        int names = width(all.keySet());
        int numbers = width(
                all.values().stream().map(each -> Long.toString(each.bytes)).toList());
        List<String> lines = new ArrayList<>(comments);
        all.forEach((request, figure) -> lines.add(String.format(
                Locale.ROOT, "%-" + names + "s | %" + numbers + "d | %s", request, figure.bytes, figure.why)));
        return lines;
    }

    private static int width(Collection<String> cells) {
        return cells.stream().mapToInt(String::length).max().orElse(1);
    }
}
