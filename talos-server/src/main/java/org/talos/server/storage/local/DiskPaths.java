// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/**
 * Where things are under the store's directory. Immutable.
 *
 * <pre>
 * FORMAT  LOCK
 * segments/&lt;topic id&gt;/&lt;partition&gt;/&lt;base offset, 20 digits&gt;-&lt;epoch&gt;.log and .index
 * journal/&lt;number, 20 digits&gt;.journal and .spare
 * </pre>
 *
 * @param root the store's directory
 */
record DiskPaths(Path root) {
    private static final Pattern SEGMENT = Pattern.compile("(\\d{20})-(\\d{1,19})\\.log");

    private static final Pattern JOURNAL = Pattern.compile("(\\d{20})\\.journal");

    static Path parent(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("path: " + path + " (expected: one with a parent)");
        }
        return parent;
    }

    Path journal() {
        return root.resolve("journal");
    }

    Path journal(long number) {
        return journal().resolve(String.format("%020d.journal", number));
    }

    /** A journal file that is not needed now. */
    Path spareJournal(long number) {
        return journal().resolve(String.format("%020d.spare", number));
    }

    static boolean isSpareJournal(Path file) {
        return String.valueOf(file.getFileName()).endsWith(".spare");
    }

    /** The number in a journal file's name; empty for any other file. */
    static OptionalLong journalNumber(Path file) {
        Matcher matcher = JOURNAL.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    Path log(LogId log) {
        return root.resolve("segments").resolve(log.topicId()).resolve(Integer.toString(log.partition()));
    }

    Path segment(SegmentName name) {
        return log(name.log()).resolve(stem(name) + ".log");
    }

    Path index(SegmentName name) {
        return log(name.log()).resolve(stem(name) + ".index");
    }

    private static String stem(SegmentName name) {
        return String.format("%020d-%d", name.baseOffset(), name.epoch());
    }

    /** The segment that a file of the log's directory holds; empty for any other file. */
    static Optional<SegmentName> segment(LogId log, Path file) {
        Matcher matcher = SEGMENT.matcher(String.valueOf(file.getFileName()));
        return matcher.matches()
                ? Optional.of(new SegmentName(log, Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }
}
