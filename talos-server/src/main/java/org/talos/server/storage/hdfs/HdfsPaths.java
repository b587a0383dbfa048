// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.talos.server.storage.AsciiDigits;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/**
 * The paths under the store's directory. Immutable.
 *
 * <pre>
 * segments/&lt;topic id&gt;/&lt;partition&gt;/&lt;base offset, 20 digits&gt;-&lt;epoch&gt;.log          a segment from its beginning on
 *                                 &lt;base offset&gt;-&lt;epoch&gt;.&lt;position, 20 digits&gt;.log  the same from a position on
 *                                 &lt;base offset&gt;-&lt;epoch&gt;.&lt;position&gt;-&lt;end&gt;.recovered  what a journal held of it
 *                                 &lt;base offset&gt;-&lt;epoch&gt;.index
 * journals/&lt;session, 16 hex digits&gt;/&lt;lane, 3 digits&gt;-&lt;number, 20 digits&gt;.journal
 *                                  &lt;lane&gt;-&lt;number&gt;.journal.&lt;16 zeros&gt;.new          one that is not needed yet
 * journals/&lt;session&gt;/owner                                                    open while its owner lives
 * journals/&lt;session&gt;.fenced                                                   a session that is being replayed
 * journals/&lt;session&gt;.fenced/replayer                                          touched by the replaying server
 * identity                                                                     which rows the logs belong to
 * </pre>
 *
 * @param root the store's directory
 */
record HdfsPaths(Path root) {
    private static final Pattern PART =
            Pattern.compile("(\\d{20})-(\\d{1,19})(?:\\.(\\d{20}))?(?:-\\d{20})?\\.(?:log|recovered)");
    private static final Pattern INDEX = Pattern.compile("(\\d{20})-(\\d{1,19})\\.index");
    private static final String RECOVERED = ".recovered";
    private static final String FENCED = ".fenced";
    private static final String BESIDE = ".new";
    private static final Pattern SESSION = Pattern.compile("([0-9a-f]{16})(?:\\.fenced)?");
    private static final Pattern JOURNAL = Pattern.compile("(\\d{3})-(\\d{20})\\.journal");
    private static final String OWNER = "owner";
    private static final String REPLAYER = "replayer";

    /**
     * Lists a directory of a log or a fenced session, and renames files that an earlier version named with the digits
     * of the default locale. Another server may do so at the same time: then one of the two fails and may try again.
     */
    static List<FileStatus> listNamed(Hdfs hdfs, Path directory) throws IOException {
        List<FileStatus> files = hdfs.list(directory);
        boolean renamed = false;
        for (FileStatus file : files) {
            Path path = file.getPath();
            Optional<String> name = AsciiDigits.of(path.getName()).filter(each -> !each.endsWith(BESIDE));
            if (name.isPresent()) {
                Path named = new Path(directory, name.get());
                if (!hdfs.rename(path, named)) {
                    throw new IOException(path + " cannot have the name " + named + ": another file has it");
                }
                renamed = true;
            }
        }
        return renamed ? hdfs.list(directory) : files;
    }

    Path log(LogId log) {
        return new Path(root, "segments/" + log.topicId() + "/" + log.partition());
    }

    /** Returns the first part: the server that creates it owns the segment's name. */
    Path first(SegmentName name) {
        return new Path(log(name.log()), stem(name) + ".log");
    }

    /** Returns the part that continues behind a failed write. */
    Path rolled(SegmentName name, long position) {
        return new Path(log(name.log()), String.format(Locale.ROOT, "%s.%020d.log", stem(name), position));
    }

    /** Returns the path of a journal's bytes between two positions: all files of that name have the same bytes. */
    Path recovered(SegmentName name, long position, long end) {
        return new Path(
                log(name.log()), String.format(Locale.ROOT, "%s.%020d-%020d%s", stem(name), position, end, RECOVERED));
    }

    Path index(SegmentName name) {
        return new Path(log(name.log()), stem(name) + ".index");
    }

    /** Returns a name beside a file's, for its creator alone, until the file is whole. */
    static Path beside(Path file, long session) {
        return new Path(file.getParent(), file.getName() + "." + hex(session) + BESIDE);
    }

    /** Returns whether a name is such a one: only its creator touches the file. */
    static boolean isBeside(Path file) {
        return file.getName().endsWith(BESIDE);
    }

    private static String stem(SegmentName name) {
        return String.format(Locale.ROOT, "%020d-%d", name.baseOffset(), name.epoch());
    }

    /** Returns the segment of a part in the log's directory; empty for any other file. */
    static Optional<SegmentName> segment(LogId log, Path file) {
        return segment(log, PART.matcher(file.getName()));
    }

    /** Returns the segment of an index in the log's directory; empty for any other file. */
    static Optional<SegmentName> indexed(LogId log, Path file) {
        return segment(log, INDEX.matcher(file.getName()));
    }

    private static Optional<SegmentName> segment(LogId log, Matcher name) {
        return name.matches()
                ? Optional.of(new SegmentName(log, Long.parseLong(name.group(1)), Long.parseLong(name.group(2))))
                : Optional.empty();
    }

    /** Returns the prefix of the names of a segment's files, and of no other's. */
    static String beginning(SegmentName name) {
        return stem(name) + ".";
    }

    /** Returns whether a part has the contents of a journal: it gets its name only when it is complete. */
    static boolean isRecovered(Path part) {
        return part.getName().endsWith(RECOVERED);
    }

    /** Returns the position in its segment at which a part begins. */
    static long position(Path part) {
        Matcher matcher = PART.matcher(part.getName());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("part: " + part + " (expected: a part's name)");
        }
        String position = matcher.group(3);
        return position == null ? 0 : Long.parseLong(position);
    }

    /** Which rows the logs belong to. */
    Path identity() {
        return new Path(root, "identity");
    }

    /** The same before the rows have it. */
    Path begunIdentity() {
        return new Path(root, "identity.begun");
    }

    Path journals() {
        return new Path(root, "journals");
    }

    Path session(long session) {
        return new Path(journals(), hex(session));
    }

    Path fenced(long session) {
        return new Path(journals(), hex(session) + FENCED);
    }

    static Path journal(Path session, int lane, long number) {
        return new Path(session, String.format(Locale.ROOT, "%03d-%020d.journal", lane, number));
    }

    /** Returns the lane of a journal file; empty for any other file. */
    static Optional<Integer> lane(Path file) {
        Matcher matcher = JOURNAL.matcher(file.getName());
        return matcher.matches() ? Optional.of(Integer.valueOf(matcher.group(1))) : Optional.empty();
    }

    /** Returns the number of a journal file; empty for any other file. */
    static OptionalLong number(Path file) {
        Matcher matcher = JOURNAL.matcher(file.getName());
        return matcher.matches() ? OptionalLong.of(Long.parseLong(matcher.group(2))) : OptionalLong.empty();
    }

    /** Returns the session with this directory, fenced or not; empty for any other. */
    static OptionalLong session(Path directory) {
        Matcher matcher = SESSION.matcher(directory.getName());
        return matcher.matches() ? OptionalLong.of(Long.parseUnsignedLong(matcher.group(1), 16)) : OptionalLong.empty();
    }

    /** Returns whether a file of a session's directory has one of the names that servers use there. */
    static boolean isOfSession(Path file) {
        String name = file.getName();
        return name.equals(OWNER)
                || name.equals(REPLAYER)
                || isBeside(file)
                || JOURNAL.matcher(name).matches();
    }

    /** Returns whether a session's directory has the name of one that was fenced. */
    static boolean isFenced(Path directory) {
        return directory.getName().endsWith(FENCED);
    }

    /** Open as long as the session's owner lives. */
    static Path owner(Path session) {
        return new Path(session, OWNER);
    }

    /** Created and touched by the server that replays a fenced session. */
    static Path replayer(Path fenced) {
        return new Path(fenced, REPLAYER);
    }

    static String hex(long session) {
        return String.format(Locale.ROOT, "%016x", session);
    }
}
