// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.talos.server.storage.AsciiDigits;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/**
 * The paths under the store's directory. Immutable.
 *
 * <pre>
 * FORMAT  GENERATION  IDENTITY  JOURNAL  LOCK  REFUSED  RUN  SYNCED  UNSYNCED
 * segments/&lt;topic id&gt;/&lt;partition&gt;/&lt;base offset, 20 digits&gt;-&lt;epoch&gt;.log and .index
 * journal/&lt;number, 20 digits&gt;.journal and .spare
 * kept/&lt;topic id&gt;-&lt;partition&gt;-&lt;base offset, 20 digits&gt;-&lt;epoch&gt;.journal
 * </pre>
 *
 * @param root the store's directory
 */
record DiskPaths(Path root) {
    private static final Pattern SEGMENT = Pattern.compile("(\\d{20})-(\\d{1,19})\\.log");

    private static final Pattern INDEX = Pattern.compile("\\d{20}-\\d{1,19}\\.index");

    private static final Pattern KEPT = Pattern.compile("([0-9a-f]{32})-([0-9]{1,9})-(\\d{20})-(\\d{1,19})\\.journal");

    private static final Pattern PARTITION = Pattern.compile("[0-9]{1,9}");

    private static final Pattern TOPIC = Pattern.compile("[0-9a-f]{32}");

    private static final Pattern JOURNAL = Pattern.compile("(\\d{20})\\.journal");

    static Path parent(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("path: " + path + " (expected: one with a parent)");
        }
        return parent;
    }

    /**
     * Returns the path that a file should have: its own, unless an earlier version named it with digits that are not
     * ASCII. The name's UTF-8 bytes count, whatever encoding this process uses for file names.
     */
    static Path named(Path file) {
        if (AsciiDigits.isAscii(String.valueOf(file.getFileName()))) {
            return file;
        }
        String path = file.toUri().getPath();
        return AsciiDigits.of(path.substring(path.lastIndexOf('/') + 1))
                .filter(DiskPaths::isKnown)
                .map(file::resolveSibling)
                .orElse(file);
    }

    private static boolean isKnown(String name) {
        return Stream.of(SEGMENT, INDEX, KEPT, JOURNAL)
                .anyMatch(each -> each.matcher(name).matches());
    }

    Path journal() {
        return root.resolve("journal");
    }

    Path journal(long number) {
        return journal().resolve(String.format(Locale.ROOT, "%020d.journal", number));
    }

    /** Returns a journal file that is not needed now. */
    Path spareJournal(long number) {
        return journal().resolve(String.format(Locale.ROOT, "%020d.spare", number));
    }

    static boolean isSpareJournal(Path file) {
        return String.valueOf(file.getFileName()).endsWith(".spare");
    }

    /** Returns the number in a journal file's name; empty for any other file. */
    static OptionalLong journalNumber(Path file) {
        Matcher matcher = JOURNAL.matcher(String.valueOf(file.getFileName()));
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }

    /** Which journal files must be there. */
    Path journalList() {
        return root.resolve("JOURNAL");
    }

    /** Returns the file by which an earlier copy is recognized. */
    Path generation() {
        return root.resolve("GENERATION");
    }

    /** Which rows the logs belong to. */
    Path identity() {
        return root.resolve("IDENTITY");
    }

    /** The same before the rows have it. */
    Path begunIdentity() {
        return root.resolve("IDENTITY.begun");
    }

    /** Names the segments that may have holes since the power failed. */
    Path unsynced() {
        return root.resolve("UNSYNCED");
    }

    /** Returns the file that names segments whose damage no power failure explains. */
    Path synced() {
        return root.resolve("SYNCED");
    }

    /** Identifies the time for which the system keeps a run's unsynced writes. */
    Path systemRun() {
        return root.resolve("RUN");
    }

    /** Returns the file that makes the refusal of a journal lasting. */
    Path refusal() {
        return root.resolve("REFUSED");
    }

    /** Locked by the server that uses the directory. */
    Path lock() {
        return root.resolve("LOCK");
    }

    Path segments() {
        return root.resolve("segments");
    }

    /** Returns the log with this directory; empty for any other. */
    static Optional<LogId> log(Path directory) {
        String topic = String.valueOf(parent(directory).getFileName());
        String partition = String.valueOf(directory.getFileName());
        return TOPIC.matcher(topic).matches() && PARTITION.matcher(partition).matches()
                ? Optional.of(new LogId(topic, Integer.parseInt(partition)))
                : Optional.empty();
    }

    Path log(LogId log) {
        return segments().resolve(log.topicId()).resolve(Integer.toString(log.partition()));
    }

    Path segment(SegmentName name) {
        return log(name.log()).resolve(stem(name) + ".log");
    }

    /** Returns the path at which a segment is written again before it replaces the other. */
    Path segmentBeside(SegmentName name) {
        return log(name.log()).resolve(stem(name) + ".log.new");
    }

    /** Returns the directory for journals' parts of missing segments. */
    Path kept() {
        return root.resolve("kept");
    }

    Path kept(SegmentName name) {
        return kept().resolve(name.log().topicId() + "-" + name.log().partition() + "-" + stem(name) + ".journal");
    }

    /** The same before it is whole. */
    Path keptBeside(SegmentName name) {
        Path whole = kept(name);
        return whole.resolveSibling(whole.getFileName() + ".new");
    }

    /** Returns the segment whose kept bytes are in a file; empty for any other file. */
    static Optional<SegmentName> keptSegment(Path file) {
        Matcher matcher = KEPT.matcher(String.valueOf(file.getFileName()));
        return matcher.matches()
                ? Optional.of(new SegmentName(
                        new LogId(matcher.group(1), Integer.parseInt(matcher.group(2))),
                        Long.parseLong(matcher.group(3)),
                        Long.parseLong(matcher.group(4))))
                : Optional.empty();
    }

    Path index(SegmentName name) {
        return log(name.log()).resolve(stem(name) + ".index");
    }

    private static String stem(SegmentName name) {
        return String.format(Locale.ROOT, "%020d-%d", name.baseOffset(), name.epoch());
    }

    /** Returns the segment in a file of the log's directory; empty for any other file. */
    static Optional<SegmentName> segment(LogId log, Path file) {
        Matcher matcher = SEGMENT.matcher(String.valueOf(file.getFileName()));
        return matcher.matches()
                ? Optional.of(new SegmentName(log, Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }
}
