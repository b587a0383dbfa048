// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The stack traces in a server's log. Immutable. */
final class ServerLog {
    private static final Pattern BEGIN = Pattern.compile("(\\d{4}-\\d\\d-\\d\\dT[0-9:.]+(?:Z|[+-]\\d\\d:\\d\\d)) .*");
    /** Lines of WARN and ERROR. A line of INFO may quote an error of HDFS with the NameNode's own stack trace. */
    private static final Pattern COMPLAINT = Pattern.compile("\\S+ (?:WARN|ERROR) .*");

    private static final Pattern FRAME = Pattern.compile("\\s+at [\\w.$/@<>]+\\(.*");
    private static final int MOST_LINES = 60;

    private ServerLog() {}

    /**
     * A line and the stack trace below it. Immutable.
     *
     * @param wall when it was logged, milliseconds since 1970
     * @param topicId the deleted topic that it names
     */
    record Trace(long wall, String topicId, List<String> lines) {
        Trace {
            lines = List.copyOf(lines);
        }
    }

    /** All stack traces of warnings and errors that name one of these topics by its id. */
    static List<Trace> traces(Path log, Set<String> topicIds) throws IOException {
        List<Trace> found = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        try (BufferedReader all = Files.newBufferedReader(log)) {
            for (String line = all.readLine(); line != null; line = all.readLine()) {
                if (BEGIN.matcher(line).matches()) {
                    add(lines, topicIds, found);
                    lines.clear();
                }
                if (lines.size() < MOST_LINES) {
                    lines.add(line);
                }
            }
        }
        add(lines, topicIds, found);
        return found;
    }

    private static void add(List<String> lines, Set<String> topicIds, List<Trace> found) {
        Matcher begin = lines.isEmpty() ? BEGIN.matcher("") : BEGIN.matcher(lines.get(0));
        if (!begin.matches()
                || !COMPLAINT.matcher(lines.get(0)).matches()
                || lines.stream().noneMatch(each -> FRAME.matcher(each).matches())) {
            return;
        }
        long wall = OffsetDateTime.parse(begin.group(1)).toInstant().toEpochMilli();
        topicIds.stream()
                .filter(id -> lines.stream().anyMatch(line -> line.contains(id)))
                .findFirst()
                .ifPresent(id -> found.add(new Trace(
                        wall, id, lines.stream().filter(ServerLog::says).toList())));
    }

    /** Frames are in the log itself. */
    private static boolean says(String line) {
        return !FRAME.matcher(line).matches() && !line.strip().startsWith("...");
    }
}
