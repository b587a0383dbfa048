// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.fairness.UserTurns;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.service.call.CallContext;

/**
 * A request of lines that is answered line by line while it still comes: lines that came together are taken together,
 * and nothing further is read until they are answered. So a client that does not read its answers is held back, and no
 * thread waits. Many lines at once, or long ones, are taken and answered where no connection waits for it.
 *
 * <p>Confined: one round of {@link #process} at a time. {@link #stop} is thread-safe.
 */
public final class LineStream extends IteratingCallback implements OpenStreams.Stream {
    /** Lines of JSON, one value each. */
    public static final String CONTENT_TYPE = "application/x-ndjson";

    /** The most lines that are read before other connections of the selector have their turn. */
    static final int READ_BYTES_AT_ONCE = 128 << 10;

    /** The most lines that are taken together: nothing is read until they are stored and answered. */
    static final int TAKEN_BYTES_AT_ONCE = 1 << 20;

    /** The bytes of lines that a selector reads in less than a millisecond. */
    static final int HEAVY_BYTES = 64 << 10;

    /** However short they are, more than a turn of the user may have. */
    static final int HEAVY_LINES = UserTurns.MOST_PUTS;

    /** The bytes of a line's answer until the client has read it: a short line has a longer answer. */
    private static final int ANSWER_BYTES = 200;

    private final Parts parts;
    private final LineBuffer buffer;
    private final CompletableFuture<@Nullable Void> stopped = new CompletableFuture<>();
    private State state = State.READ;
    private boolean inputEnded;
    private long line; // lines that have been read as whole lines, empty ones included
    private long firstUnanswered = 1; // the line that a problem names: the first one without a result
    private @Nullable Problem problem; // why nothing further is taken
    private CompletableFuture<LineSink.Results> results = new CompletableFuture<>();
    private List<Long> numbers = List.of();
    private boolean heavy; // the accepted lines
    private ByteBuffer answers = ByteBuffer.allocate(0); // to it
    private long reserved; // for the answers to the lines

    private enum State {
        /** Lines are read. */
        READ,
        /** Lines are with the sink. */
        TAKEN,
        /** The results of lines are being written. */
        WRITTEN,
        /** The end of the answer is being written. */
        ENDED
    }

    /**
     * The parts that a stream works with. Immutable.
     *
     * @param callback of the request
     * @param contexts a context for work that begins now
     * @param selector the user's turns on the selector; null: no other connection waits for the stream's threads
     * @param heavy runs long work, outside of the threads with connections
     * @param longestLine bytes
     * @param problems the problem that a client gets of a failure
     */
    public record Parts(
            Request request,
            Response response,
            Callback callback,
            LineSink sink,
            Supplier<CallContext> contexts,
            @Nullable UserTurn selector,
            Executor heavy,
            OpenStreams streams,
            MemoryBudget.Share memory,
            long longestLine,
            Function<Throwable, Problem> problems) {}

    public LineStream(Parts parts) {
        this.parts = parts;
        buffer = new LineBuffer(parts.memory, parts.longestLine);
    }

    @Override
    protected Action process() {
        return switch (state) {
            case READ -> read();
            case TAKEN -> write();
            case WRITTEN -> readOn();
            case ENDED -> Action.SUCCEEDED;
        };
    }

    private Action read() {
        boolean continues = false;
        try {
            continues = gather() && !stopped.isDone();
        } catch (ProblemException e) {
            problem = e.problem(); // whole lines before it are taken all the same
        }
        if (continues && parts.selector != null) {
            parts.selector.execute(this::succeeded); // with the lines that are whole: more may be there
        } else if (buffer.wholeBytes() > 0) {
            take();
        } else if (inputEnded || problem != null || stopped.isDone()) {
            end();
        } else {
            await();
        }
        return Action.SCHEDULED;
    }

    /** Reads the available lines; true if there may be more, for which other connections would have to wait. */
    private boolean gather() {
        long gathered = 0;
        while (!inputEnded && buffer.wholeBytes() < TAKEN_BYTES_AT_ONCE) {
            if (gathered >= READ_BYTES_AT_ONCE && parts.selector != null) {
                return true;
            }
            Content.Chunk chunk = parts.request.read();
            if (chunk == null) {
                return false;
            }
            if (Content.Chunk.isFailure(chunk)) {
                // Quiet, or Jetty warns of each client that leaves.
                throw new QuietException.RuntimeException("the connection of the request failed", chunk.getFailure());
            }
            gathered += chunk.remaining();
            add(chunk);
        }
        return false;
    }

    private void add(Content.Chunk chunk) {
        try {
            buffer.add(chunk.getByteBuffer());
            if (chunk.isLast()) {
                inputEnded = true;
                buffer.end();
            }
        } finally {
            chunk.release();
        }
    }

    /** Continues when bytes come or the server stops, whichever is first. */
    private void await() {
        CompletableFuture<@Nullable Void> more = new CompletableFuture<>();
        var unused = CompletableFuture.anyOf(more, stopped).thenRun(this::succeeded);
        parts.request.demand(inTurn(() -> more.complete(null)));
    }

    /** Runs a task in a turn of the user. All streams of the user on the selector share the turns. */
    private Runnable inTurn(Runnable task) {
        UserTurn selector = parts.selector;
        return selector == null ? task : Invocable.from(InvocationType.NON_BLOCKING, () -> selector.execute(task));
    }

    private void take() {
        state = State.TAKEN;
        UserTurn selector = parts.selector;
        heavy = selector != null && (buffer.wholeBytes() > HEAVY_BYTES || buffer.hasMoreThan(HEAVY_LINES));
        if (heavy) {
            parts.heavy.execute(this::takeHeavy);
            return;
        }
        takeLines(Runnable::run);
        if (selector != null) {
            selector.count(numbers.size());
        }
        if (selector != null && results.isDone()) {
            selector.execute(this::answer); // behind other connections: a stream may never pause
        } else {
            var unused = results.whenComplete((all, thrown) -> answer());
        }
    }

    private void takeHeavy() {
        try {
            takeLines(parts.heavy);
        } catch (RuntimeException | Error e) { // nothing else would end the stream
            failed(e);
            return;
        }
        var unused = results.whenComplete((all, thrown) -> answer());
    }

    /**
     * Hands the lines to the sink.
     *
     * @param after as for {@link LineSink#take}
     */
    private void takeLines(Executor after) {
        List<ByteBuffer> lines = new ArrayList<>();
        List<Long> lineNumbers = new ArrayList<>();
        for (ByteBuffer each : buffer.lines()) {
            line++;
            if (each.hasRemaining()) { // an empty line only shows that the client is there
                lines.add(each);
                lineNumbers.add(line);
            }
        }
        numbers = lineNumbers;
        try {
            reserveAnswers(lines.size());
            CallContext context = parts.contexts.get();
            results = parts.sink.take(context, lines, after).toCompletableFuture();
        } catch (RuntimeException e) {
            results = CompletableFuture.failedFuture(e);
        }
    }

    private void reserveAnswers(int lines) {
        long bytes = (long) lines * ANSWER_BYTES;
        if (!parts.memory.tryReserve(bytes)) {
            throw ProblemException.refused(503, "no-memory", "the server has no memory for the answers now");
        }
        reserved = bytes;
    }

    private void releaseAnswers() {
        parts.memory.release(reserved);
        reserved = 0;
    }

    /** Makes the answers to the lines that have their results, and continues. */
    private void answer() {
        try {
            answers = ByteBuffer.wrap(toAnswers());
        } catch (RuntimeException | Error e) {
            failed(e);
            return;
        }
        succeeded();
    }

    private byte[] toAnswers() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        @Nullable Throwable thrown = results.handle((all, failure) -> failure).join();
        if (thrown == null) {
            LineSink.Results all = results.join();
            for (int i = 0; i < all.all().size(); i++) {
                write(out, all.all().get(i), numbers.get(i));
            }
            firstUnanswered = line + 1;
            if (!all.continues()) { // the last result says why, and no line behind it has been begun
                inputEnded = true;
                problem = null;
            }
        } else {
            firstUnanswered = numbers.isEmpty() ? line + 1 : numbers.get(0);
            problem = parts.problems.apply(thrown);
        }
        return out.toByteArray();
    }

    private Action write() {
        ByteBuffer written = answers;
        answers = ByteBuffer.allocate(0);
        buffer.dropLines();
        state = State.WRITTEN;
        parts.response.write(false, written, heavy ? onSelector() : this);
        return Action.SCHEDULED;
    }

    /** Continues where the connection is. */
    private Callback onSelector() {
        Executor selector = parts.selector;
        return selector == null
                ? this
                : Callback.from(InvocationType.NON_BLOCKING, () -> selector.execute(this::succeeded), this::failed);
    }

    private static void write(ByteArrayOutputStream out, ObjectNode result, long number) {
        ObjectNode numbered = JsonNodeFactory.instance.objectNode().put("line", number);
        numbered.setAll(result);
        out.writeBytes(Json.write(numbered));
        out.write('\n');
    }

    private Action readOn() {
        releaseAnswers();
        if (inputEnded || problem != null || stopped.isDone()) {
            end();
            return Action.SCHEDULED;
        }
        state = State.READ;
        return read();
    }

    /** Ends the answer; its last line has the reason, unless the client ended it. */
    private void end() {
        state = State.ENDED;
        if (problem == null && !inputEnded) {
            problem = new Problem(
                    503, "partition-not-serving", "the server is stopping; use another server", Effect.NONE);
        }
        ByteArrayOutputStream last = new ByteArrayOutputStream();
        if (problem != null) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.set("problem", problem.toJson(null));
            write(last, json, firstUnanswered);
        }
        parts.response.write(true, ByteBuffer.wrap(last.toByteArray()), this);
    }

    @Override
    public void stop(int withinMillis) {
        stopped.complete(null);
    }

    @Override
    protected void onCompleteSuccess() {
        buffer.release();
        releaseAnswers();
        parts.streams.remove(this);
        parts.callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        buffer.release();
        releaseAnswers();
        parts.streams.remove(this);
        parts.callback.failed(cause);
    }
}
