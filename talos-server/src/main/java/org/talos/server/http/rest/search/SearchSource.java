// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
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
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.MessageOperations;
import org.talos.thrift.ErrorCode;

/**
 * The lines of one search, slice after slice, in the order of its walk, until everything is searched or a limit is
 * reached. Searching pauses while the client does not read.
 *
 * <p>Confined: one piece after another, signs in between. {@link #close} is thread-safe.
 */
final class SearchSource implements StreamSource {
    private static final long PROGRESS_NANOS = Duration.ofMillis(250).toNanos();

    private final MessageOperations operations;
    private final Supplier<CallContext> contexts;
    private final Executor heavy;
    private final RequestMemory memory;
    private final Searches searches;
    private final Asked asked;
    private final SearchWalk walk;
    private final Place place;
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

    /** The part of a partition that is searched: from an offset up to another, which is not searched. Immutable. */
    record Range(PartitionName partition, long from, long to) {}

    /** How far the search has come. Immutable. */
    private record Progress(int partition, long offset, long scanned, long bytes, long matches, long skipped) {
        Progress plusMatches(int more) {
            return new Progress(partition, offset, scanned, bytes, matches + more, skipped);
        }

        Progress plus(SearchWalk.Looked looked, long moreBytes) {
            return new Progress(
                    looked.partition(),
                    looked.offset(),
                    scanned + looked.scanned(),
                    bytes + moreBytes,
                    matches + looked.lines().count(),
                    skipped + looked.skipped());
        }
    }

    /** @param walk of the same search; is closed with the source */
    SearchSource(RestRequest request, Searches searches, Asked asked, SearchWalk walk) {
        operations = request.operations().messages();
        contexts = request.later();
        heavy = request.heavy();
        memory = request.memory();
        this.searches = searches;
        this.asked = asked;
        this.walk = walk;
        place = new Place(request.context().principal().userId());
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
        } catch (RuntimeException | Error e) { // nothing else would end the answer
            piece.completeExceptionally(e);
        }
    }

    private static @Nullable Throwable failure(CompletableFuture<?> done) {
        return done.handle((value, thrown) -> thrown).join();
    }

    private @Nullable String reasonToEnd() {
        if (walk.isDone()) {
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
        CallContext context = contexts.get().with(presence); // fails if the key was removed since
        nowNanos = context.arrivedNanos();
        return operations.fetch(context, walk.nextRead()).thenCompose(this::look);
    }

    /** The bytes of the slice are counted here until it has been searched. */
    private CompletionStage<SearchLines> look(Fetched found) {
        RequestMemory waiting = memory.part();
        try {
            if (!waiting.tryReserve(found.bytes())) {
                walk.tryFree();
                waiting.reserve(found.bytes());
            }
            return searches.run(heavy, () -> look(found, waiting)).whenComplete((lines, thrown) -> waiting.close());
        } catch (RuntimeException | Error e) {
            waiting.close();
            throw e;
        }
    }

    private SearchLines look(Fetched found, RequestMemory waiting) {
        long bytes = found.bytes();
        SearchWalk.Looked looked = walk.look(found, waiting, asked.limit - progress.matches);
        progress = progress.plus(looked, bytes);
        return looked.lines();
    }

    /** Creates a piece of a slice's lines, if there are enough. */
    private boolean isTaken(@Nullable SearchLines lines, @Nullable Throwable thrown, CompletableFuture<Piece> piece) {
        if (thrown != null || lines == null) {
            return isEndedBy(thrown, piece);
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

    /** A search over the caller's rate ends in order. */
    private boolean isEndedBy(@Nullable Throwable thrown, CompletableFuture<Piece> piece) {
        @Nullable Throwable cause = thrown == null ? null : Exceptions.unwrap(thrown);
        if (cause instanceof TalosException known && walk.continuesAfter(known)) {
            return false;
        }
        ended = cause instanceof TalosException known && known.code() == ErrorCode.THROTTLE_REJECT_ERROR;
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
        SearchLines rest = walk.takeRest(asked.limit - progress.matches);
        Progress now = progress.plusMatches(rest.count());
        Optional<String> next = walk.isDone() ? Optional.empty() : Optional.of(walk.position());
        String told = walk.isDone() ? "end" : reason;
        End end = new End(told, now.scanned, now.bytes, now.matches, now.skipped, next);
        return rest.with(Json.tree(new EndLine(end)));
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
        walk.close();
        searches.leave(place);
    }

    @Override
    public ByteBuffer last(Problem problem) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.set("problem", problem.toJson(null));
        return SearchLines.line(json);
    }
}
