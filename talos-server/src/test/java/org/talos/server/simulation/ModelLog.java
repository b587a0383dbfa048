// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Deletion;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.storage.LogId;

/**
 * The expected contents of a log, by the acknowledgements of its producers and what its readers have seen. Confined:
 * the simulation's thread.
 */
public final class ModelLog {
    /** The promise that a server does not answer readers once another serves the partition. */
    public static final String FRESH = "the end that readers are shown never goes back";

    private static final String READABLE = "acknowledged puts can be read";
    private static final BlockLimits PAGE = new BlockLimits(1_000, 1 << 20);
    private static final byte[] FILLING = "x".repeat(1 << 19).getBytes(StandardCharsets.UTF_8);

    private final LogId id;
    private final boolean ordered;
    private boolean mayBeTwice;
    private boolean appending;
    private String lastError = "";
    private final NavigableMap<Long, String> acknowledged = new TreeMap<>(); // first block of a put, by offset
    private long shownEnd; // largest end of the log that a client knows
    private final Scheduler.Observer observer;
    private final List<ModelPut> puts = new ArrayList<>();
    private final Map<String, ModelPut> byText = new HashMap<>();
    private final TreeMap<Long, Seen> seen = new TreeMap<>(); // by offset; an entry is never removed
    private final Set<String> seenTexts = new HashSet<>();
    private final Map<Long, String> jumps =
            new TreeMap<>(); // where offsets were not dense: behind gaps, if all is right
    private @Nullable PartitionLog checked;
    private long checkedEnd;
    private int checkedAttempts;
    private long deletedTo; // a deletion of all before it has succeeded
    private final List<Attempt> attempts = new ArrayList<>();

    /**
     * A log that holds nothing yet.
     *
     * @param ordered puts reach it in the order in which they are sent
     */
    public ModelLog(LogId id, boolean ordered, Scheduler.Observer observer) {
        this.ordered = ordered;
        this.id = id;
        this.observer = observer;
    }

    /** Has a put that was sent again stand there twice without complaint. */
    public void mayBeTwice() {
        mayBeTwice = true;
    }

    /** Sends a put to where the log is served. */
    @FunctionalInterface
    public interface Sender {
        /** Completes with its first offset once it is acknowledged. */
        CompletionStage<Long> send(Put put);
    }

    public LogId id() {
        return id;
    }

    /** Returns whether a put is just being handed over: the log takes one at a time. */
    public boolean isAppending() {
        return appending;
    }

    /** The last error that was logged about it. */
    public String lastError() {
        return lastError;
    }

    /** Notes an error that was logged about it. */
    public void lastError(String message) {
        lastError = message;
    }

    /** A put, and each time that it was sent. */
    private record ModelPut(int number, Put put, List<String> texts, List<Attempt> attempts) {
        /** Returns whether the put may be stored: unless each attempt certainly did nothing. */
        boolean mayBeSeen() {
            return attempts.stream().anyMatch(Attempt::mayHaveEffect);
        }

        boolean isSentOnce() {
            return attempts.size() == 1;
        }

        int messages() {
            return put.blocks().stream().mapToInt(Block::messages).sum();
        }
    }

    /** A put that was sent. Confined: the simulation's thread. */
    private static final class Attempt {
        private final ModelPut put;
        private boolean ended;
        private long offset = -1;
        private @Nullable Throwable error;

        Attempt(ModelPut put) {
            this.put = put;
        }

        boolean mayHaveEffect() {
            return !(error instanceof TalosException e && e.effect() == Effect.NONE);
        }
    }

    private record Seen(String text, long end) {}

    /** Makes a put of blocks of that size. */
    private ModelPut make(int blocks, int messages, int bytes) {
        int number = puts.size();
        List<Block> made = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < blocks; i++) {
            String text = id.topicId().substring(24) + " put " + number + " block " + i + " of " + bytes + "|";
            byte[] head = text.getBytes(StandardCharsets.UTF_8);
            ByteBuffer all = ByteBuffer.allocate(head.length + bytes);
            all.put(head).put(FILLING, 0, bytes).flip();
            made.add(new Block(messages, 0, 7, ByteBuffer.allocate(0), all));
            texts.add(text);
        }
        ModelPut put = new ModelPut(number, new Put("p#" + number, Put.Origin.UNIQUE, made), texts, new ArrayList<>());
        puts.add(put);
        texts.forEach(text -> byText.put(text, put));
        return put;
    }

    /** Returns the way in which a log takes puts itself. */
    public static Sender sender(PartitionLog log) {
        return put -> log.append(List.of(put)).get(0).firstOffset();
    }

    /** Sends a new put. */
    public void put(Sender to, int blocks, int messages, int bytes) {
        send(to, make(blocks, messages, bytes));
    }

    /** Sends a put again, as a client does that had no answer. */
    public void putAgain(Sender to, int back) {
        if (!puts.isEmpty()) {
            send(to, puts.get(Math.max(0, puts.size() - 1 - back)));
        }
    }

    private void send(Sender to, ModelPut put) {
        Attempt attempt = new Attempt(put);
        attempts.add(attempt);
        put.attempts.add(attempt);
        appending = true;
        try {
            var unused = to.send(put.put).whenComplete((offset, error) -> {
                attempt.ended = true;
                attempt.error = error;
                attempt.offset = error == null ? offset : -1;
                if (error == null) {
                    observer.acknowledged(put.texts.get(0) + " at " + offset);
                    checkAlone(put.texts.get(0), offset);
                    shownEnd = Math.max(shownEnd, offset + put.messages());
                }
            });
        } finally {
            appending = false;
        }
    }

    /** No two writers acknowledge an offset. */
    private void checkAlone(String text, long offset) {
        String other = acknowledged.putIfAbsent(offset, text);
        if (other != null && !other.equals(text)) {
            throw observer.violated(
                    "one writer acknowledges an offset", id + " at " + offset + ": " + text + ", and before " + other);
        }
    }

    /** Returns the number of puts without an answer. */
    public long unanswered() {
        return attempts.stream().filter(attempt -> !attempt.ended).count();
    }

    /** Forgets attempts that nobody will answer any more. */
    public void forgetUnanswered() {
        attempts.forEach(attempt -> attempt.ended = true);
    }

    /**
     * Deletes messages, which no reader finds from then on. If it fails they may be deleted all the same.
     *
     * @param before the first offset that stays, or {@link Deletion#ALL}
     * @throws TalosException the deletion's failure
     */
    public void delete(PartitionLog log, long before) {
        long from = log.startOffset();
        Deletion.Result deleted = log.delete(new Deletion(before, false));
        deletedTo = Math.max(deletedTo, deleted.to());
        long expected = before == Deletion.ALL ? deleted.to() : Math.max(from, before);
        if (deleted.to() != expected || log.startOffset() != expected) {
            throw observer.violated(
                    "a deletion keeps what is behind it",
                    id + " begins at " + log.startOffset() + " after a deletion before " + before + ": " + deleted);
        }
    }

    /** Reads what is new, or all of it after the log was opened again, and compares. */
    public void check(PartitionLog log) {
        long end = log.durableEnd();
        if (log != checked) {
            checkedEnd = log.startOffset();
            checkedAttempts = 0;
            checked = log;
        }
        if (log.startOffset() < deletedTo) {
            throw observer.violated(
                    "what was deleted stays deleted", id + " begins at " + log.startOffset() + ", not at " + deletedTo);
        }
        Map<Long, Seen> expired = seen.headMap(log.startOffset());
        expired.values().forEach(each -> seenTexts.remove(each.text)); // there is nothing to compare a repetition with
        expired.clear();
        long next = Math.max(checkedEnd, log.startOffset());
        while (next < end) {
            Slice slice = log.read(next, PAGE);
            if (slice.blocks().isEmpty()) {
                throw observer.violated(READABLE, id + " has nothing at " + next + " of " + end);
            }
            for (StoredBlock block : slice.blocks()) {
                boolean isFirst = next == log.startOffset(); // which may be within a block
                see(block, isFirst ? Math.min(next, block.baseOffset()) : next);
                next = block.endOffset();
            }
        }
        if (!seen.isEmpty() && seen.lastEntry().getValue().end > end) {
            throw observer.violated("acknowledged puts stay", id + " ends at " + end + ", had " + seen.lastEntry());
        }
        checkedEnd = Math.max(next, log.startOffset());
        checkJumps(log);
        checkAnswers(log);
    }

    /** Returns the largest end of the log that a client knows. No later request may be answered with a smaller one. */
    public long shownEnd() {
        return shownEnd;
    }

    /**
     * Compares what a reader was answered.
     *
     * @param offset asked for; negative for one of the special offsets
     * @param leastEnd {@link #shownEnd} when the request arrived
     */
    public void answered(long offset, long leastEnd, Slice slice) {
        checkEnd(leastEnd, slice.durableEnd());
        List<StoredBlock> blocks = slice.blocks();
        if (blocks.isEmpty()) {
            boolean misses =
                    offset >= 0 && !acknowledgedFrom(offset, slice.durableEnd()).isEmpty();
            if (misses) {
                throw observer.violated(READABLE, id + " has nothing at " + offset + " of " + slice.durableEnd());
            }
            return;
        }
        StoredBlock first = blocks.get(0);
        boolean isInside = offset > first.baseOffset() && offset < first.endOffset(); // a block is answered whole
        long next = isInside || offset < 0 ? first.baseOffset() : offset;
        long from = next;
        for (StoredBlock block : blocks) {
            see(block, next);
            next = block.endOffset();
        }
        acknowledgedFrom(from, next).forEach((at, text) -> {
            Seen there = seen.get(at);
            if (there == null || !there.text.equals(text)) {
                throw observer.violated(
                        READABLE, id + ": " + text + " was acknowledged at " + at + ", a reader is shown " + there);
            }
        });
    }

    /** Compares the end of the log that a reader was answered. */
    public void checkEnd(long leastEnd, long end) {
        if (end < leastEnd) {
            throw observer.violated(FRESH, id + " ends at " + end + ", a client knew " + leastEnd + " before it asked");
        }
        shownEnd = Math.max(shownEnd, end);
    }

    private Map<Long, String> acknowledgedFrom(long offset, long end) {
        return offset < end ? acknowledged.subMap(offset, end) : Map.of();
    }

    private void see(StoredBlock block, long expected) {
        ByteBuffer bytes = block.bytes();
        int length = bytes.remaining();
        byte[] head = new byte[Math.min(length, 100)];
        bytes.get(bytes.position(), head);
        String text = new String(head, StandardCharsets.UTF_8);
        text = text.substring(0, text.indexOf('|') + 1);
        ModelPut put = byText.get(text);
        Seen before = seen.put(block.baseOffset(), new Seen(text, block.endOffset()));
        noteJump(block.baseOffset(), expected);
        if (put == null
                || !put.put.blocks().get(put.texts.indexOf(text)).bytes().equals(bytes)) {
            throw observer.violated("what is read was put", id + " at " + expected + ": " + text);
        }
        boolean isAllowedTwice = mayBeTwice && !put.isSentOnce();
        if (before == null ? !seenTexts.add(text) && !isAllowedTwice : !before.text.equals(text)) {
            throw observer.violated(
                    "once, and at its place", id + " at " + expected + ": " + text + ", before: " + before);
        }
        if (!put.mayBeSeen()) {
            throw observer.violated("what certainly failed is missing", id + " at " + expected + ": " + text);
        }
        if (ordered) {
            checkOrder(put, expected);
        }
    }

    private void noteJump(long offset, long expected) {
        if (offset != expected) {
            jumps.put(offset, id + " has " + offset + " for " + expected);
        }
    }

    /** Offsets are dense but for gaps, behind messages that a power failure may have taken. */
    private void checkJumps(PartitionLog log) {
        log.gaps().forEach(gap -> jumps.remove(gap.end()));
        jumps.values().stream().findFirst().ifPresent(jump -> {
            throw observer.violated("offsets are dense", jump);
        });
    }

    /** Checks that a put that was sent once stands behind all that was sent before it. */
    private void checkOrder(ModelPut put, long offset) {
        Map.Entry<Long, Seen> before = seen.lowerEntry(offset);
        ModelPut earlier = before == null ? null : byText.get(before.getValue().text);
        if (earlier != null && earlier.number > put.number && earlier.isSentOnce() && put.isSentOnce()) {
            throw observer.violated("in the order of the puts", id + " at " + offset + ": behind " + before);
        }
    }

    /** Each put that was acknowledged stands where its acknowledgement says. */
    private void checkAnswers(PartitionLog log) {
        boolean all = true;
        for (int i = checkedAttempts; i < attempts.size(); i++) {
            Attempt attempt = attempts.get(i);
            all &= attempt.ended;
            checkedAttempts = all ? i : checkedAttempts;
            if (attempt.offset >= log.startOffset()) {
                Seen there = seen.get(attempt.offset);
                String text = attempt.put.texts.get(0);
                if (there == null || !there.text.equals(text)) {
                    throw observer.violated(
                            READABLE,
                            id + ": " + text + " was acknowledged at " + attempt.offset + ", there is " + there);
                }
            }
        }
    }

    @Override
    public String toString() {
        return id.topicId().substring(24);
    }
}
