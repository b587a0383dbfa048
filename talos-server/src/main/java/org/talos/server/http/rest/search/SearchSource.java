// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.records.SearchRecords;
import org.talos.server.http.rest.records.SearchRecords.End;
import org.talos.server.http.rest.records.SearchRecords.EndLine;
import org.talos.server.http.rest.records.SearchRecords.ProgressLine;
import org.talos.server.http.rest.search.Searches.Place;
import org.talos.server.http.rest.stream.StreamSource;
import org.talos.server.http.rest.stream.StreamSource.Piece;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.client.SeenPresence;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.MessageOperations;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageAndOffset;

/**
 * The lines of one search: a slice of one partition after another, the partitions taking turns, until all of them are
 * searched or a bound is reached. A client that does not read is asked for nothing further meanwhile.
 *
 * <p>Confined: one piece after another, signs in between. {@link #close} is thread-safe.
 */
final class SearchSource implements StreamSource {
    /** Stored bytes of a slice, beside the block that is always allowed. */
    static final long SLICE_BYTES = 256 << 10;

    /** A piece with more lines than this is written before the rest of its block is looked at. */
    private static final int PIECE_BYTES = 256 << 10;

    private static final long PROGRESS_NANOS = Duration.ofMillis(250).toNanos();

    private final MessageOperations operations;
    private final Supplier<CallContext> contexts;
    private final Executor heavy;
    private final RequestMemory memory;
    private final BlockMessages blocks;
    private final Searches searches;
    private final Asked asked;
    private final Place place;
    private final Deque<Cursor> open = new ArrayDeque<>(); // whose turn it is first
    private final SeenPresence presence = new SeenPresence();
    private volatile Progress progress;
    private volatile boolean closed;
    private boolean begun;
    private boolean ended;
    private long untilNanos;
    private long nowNanos;
    private long progressNanos; // when progress was written last

    /** A search and its bounds. Immutable. */
    record Asked(
            String topic,
            SearchFilter filter,
            Form form,
            int limit,
            long maxBytes,
            Duration longest,
            int maxValueBytes) {}

    /** The part of a partition that is searched. Immutable. */
    record Range(PartitionName partition, long from, long to) {}

    /** How far a partition has been searched. Confined: as the source. */
    private static final class Cursor {
        private final Range range;
        private long next;
        private long floor; // messages before are not looked at

        Cursor(Range range) {
            this.range = range;
            next = range.from();
            floor = next;
        }

        /** Continues at the oldest message that there is: retention has taken those from the next one on. */
        void skipExpired() {
            floor = next;
            next = Fetch.EARLIEST;
        }

        boolean isDone() {
            return next >= range.to();
        }
    }

    /** How far the search has come. Immutable. */
    private record Progress(int partition, long offset, long scanned, long bytes, long matches, long skipped) {
        Progress plus(Cursor cursor, long moreScanned, long moreBytes, long moreMatches, long moreSkipped) {
            return new Progress(
                    cursor.range.partition().number(),
                    cursor.next,
                    scanned + moreScanned,
                    bytes + moreBytes,
                    matches + moreMatches,
                    skipped + moreSkipped);
        }
    }

    SearchSource(RestRequest request, BlockMessages blocks, Searches searches, Asked asked, List<Range> ranges) {
        operations = request.operations().messages();
        contexts = request.later();
        heavy = request.heavy();
        memory = request.memory();
        this.blocks = blocks;
        this.searches = searches;
        this.asked = asked;
        place = new Place(request.context().principal().userId());
        ranges.forEach(range -> open.add(new Cursor(range)));
        progress = new Progress(0, 0, 0, 0, 0, 0);
        var unused = request.context().presence().onGone(presence::leave);
    }

    @Override
    public CompletionStage<Piece> next() {
        if (ended) {
            return CompletableFuture.completedFuture(Piece.end());
        }
        if (!begun) {
            begun = true;
            nowNanos = contexts.get().arrivedNanos();
            progressNanos = nowNanos;
            untilNanos = nowNanos + asked.longest.toNanos();
            searches.enter(place, nowNanos, untilNanos);
        }
        CompletableFuture<Piece> piece = new CompletableFuture<>();
        resume(piece);
        return piece;
    }

    /** Looks through slices until there is something to write. */
    private void resume(CompletableFuture<Piece> piece) {
        try {
            while (true) {
                String reason = reasonToEnd();
                if (reason != null || closed) {
                    ended = true;
                    piece.complete(closed ? Piece.end() : end(String.valueOf(reason)));
                    return;
                }
                CompletableFuture<SearchLines> slice = begunSlice();
                if (!slice.isDone()) {
                    var unused = slice.whenComplete((lines, thrown) -> take(lines, thrown, piece));
                    return;
                }
                if (isTaken(slice.handle((lines, thrown) -> lines).join(), failure(slice), piece)) {
                    return;
                }
            }
        } catch (RuntimeException | Error e) {
            piece.completeExceptionally(e);
        }
    }

    private void take(@Nullable SearchLines lines, @Nullable Throwable thrown, CompletableFuture<Piece> piece) {
        try {
            if (!isTaken(lines, thrown, piece)) {
                resume(piece);
            }
        } catch (RuntimeException | Error e) { // nobody else would end the answer
            piece.completeExceptionally(e);
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<?> done) {
        return done.handle((value, thrown) -> thrown).join();
    }

    private @Nullable String reasonToEnd() {
        if (open.isEmpty()) {
            return "end";
        }
        Progress now = progress;
        if (now.matches >= asked.limit) {
            return "limit";
        }
        if (now.bytes >= asked.maxBytes) {
            return "bytes";
        }
        return nowNanos - untilNanos >= 0 || !searches.has(place) ? "time" : null;
    }

    private CompletableFuture<SearchLines> begunSlice() {
        try {
            return slice().toCompletableFuture();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletionStage<SearchLines> slice() {
        Cursor cursor = open.getFirst();
        CallContext context = contexts.get().with(presence); // fails if the key has been removed meanwhile
        nowNanos = context.arrivedNanos();
        Fetch fetch =
                new Fetch(cursor.range.partition(), cursor.next, Integer.MAX_VALUE, SLICE_BYTES, Duration.ZERO, 1);
        return operations.fetch(context, fetch).thenCompose(found -> look(cursor, found));
    }

    /** The bytes of the slice are counted here until it has been searched. */
    private CompletionStage<SearchLines> look(Cursor cursor, Fetched found) {
        long bytes = found.bytes();
        RequestMemory waiting = memory.part();
        try {
            waiting.reserve(bytes);
            return searches.run(heavy, () -> look(cursor, found, bytes, waiting))
                    .whenComplete((lines, thrown) -> waiting.close());
        } catch (RuntimeException | Error e) {
            waiting.close();
            throw e;
        }
    }

    private SearchLines look(Cursor cursor, Fetched found, long bytes, RequestMemory waiting) {
        SearchLines lines = new SearchLines(memory.part());
        try (RequestMemory opened = memory.part()) {
            BlockMessages.Reading reading = blocks.read(found, cursor.next, Integer.MAX_VALUE, waiting, opened);
            look(cursor, reading, bytes, lines);
            return lines;
        } catch (RuntimeException | Error e) {
            lines.close();
            throw e;
        }
    }

    private void look(Cursor cursor, BlockMessages.Reading reading, long bytes, SearchLines lines) {
        long scanned = 0;
        if (reading.unreadable().isPresent()) {
            cursor.next = reading.unreadable().get().last() + 1;
        } else if (reading.messages().isEmpty()) {
            cursor.next = cursor.range.to(); // there are fewer messages than the search began with
        }
        for (MessageAndOffset each : reading.messages()) {
            if (each.getMessageOffset() >= cursor.range.to()) {
                cursor.next = cursor.range.to(); // also where retention has taken all that was left of the range
                break;
            }
            if (isEnough(lines) || !isLookedAt(cursor, each, lines)) {
                break;
            }
            scanned++;
            cursor.next = each.getMessageOffset() + 1;
        }
        progress = progress.plus(
                cursor, scanned, bytes, lines.count(), reading.unreadable().isPresent() ? 1 : 0);
    }

    private boolean isEnough(SearchLines lines) {
        return lines.bytes() >= PIECE_BYTES || progress.matches + lines.count() >= asked.limit;
    }

    /** Adds a message that matches; false if there is no memory for it beside those that are there. */
    private boolean isLookedAt(Cursor cursor, MessageAndOffset each, SearchLines lines) {
        if (each.getMessageOffset() < cursor.floor || !asked.filter.matches(each.getMessage())) {
            return true;
        }
        try {
            lines.add(cursor.range.partition().number(), each, asked.form, asked.maxValueBytes);
            return true;
        } catch (RequestMemory.ExhaustedException e) {
            if (lines.count() == 0) {
                throw e;
            }
            return false;
        }
    }

    /** Makes a piece of what a slice has given, if it is worth one. */
    private boolean isTaken(@Nullable SearchLines lines, @Nullable Throwable thrown, CompletableFuture<Piece> piece) {
        if (thrown != null || lines == null) {
            return isEndedBy(thrown, piece);
        }
        Cursor cursor = open.removeFirst();
        if (!cursor.isDone()) {
            open.addLast(cursor);
        }
        boolean due = nowNanos - progressNanos >= PROGRESS_NANOS;
        if (lines.count() == 0 && !due) {
            lines.close();
            return false;
        }
        progressNanos = due ? nowNanos : progressNanos;
        piece.complete(lines.with(due ? progress() : null));
        return true;
    }

    /**
     * A search over the caller's rate ends in order; of messages that retention has taken meanwhile nothing is said.
     */
    private boolean isEndedBy(@Nullable Throwable thrown, CompletableFuture<Piece> piece) {
        @Nullable Throwable cause = thrown == null ? null : Exceptions.unwrap(thrown);
        ErrorCode code = cause instanceof TalosException known ? known.code() : null;
        if (code == ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE && open.getFirst().next != Fetch.EARLIEST) {
            open.getFirst().skipExpired();
            return false;
        }
        ended = code == ErrorCode.THROTTLE_REJECT_ERROR;
        if (ended) {
            piece.complete(end("quota"));
        } else {
            piece.completeExceptionally(cause == null ? new IllegalStateException("a slice without lines") : cause);
        }
        return true;
    }

    private ObjectNode progress() {
        Progress now = progress;
        return Json.tree(new ProgressLine(
                new SearchRecords.Progress(now.partition, now.offset, now.scanned, now.bytes, now.matches)));
    }

    private Piece end(String reason) {
        Progress now = progress;
        Optional<String> next = open.isEmpty()
                ? Optional.empty()
                : Optional.of(open.stream()
                        .map(each -> each.range.partition().number() + ":" + Math.max(0, each.next))
                        .collect(Collectors.joining(",")));
        End end = new End(reason, now.scanned, now.bytes, now.matches, now.skipped, next);
        return Piece.of(SearchLines.line(Json.tree(new EndLine(end))));
    }

    @Override
    public ByteBuffer sign() {
        try {
            operations.requireRightToGet(contexts.get(), asked.topic);
        } catch (TalosException e) {
            if (e.code() != ErrorCode.THROTTLE_REJECT_ERROR) { // there are too many requests, and this is none
                throw e;
            }
        }
        return SearchLines.line(progress());
    }

    @Override
    public void close() {
        closed = true;
        presence.leave();
        searches.leave(place);
    }

    @Override
    public ByteBuffer last(Problem problem) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("problem", problem.toJson(null));
        return SearchLines.line(json);
    }
}
