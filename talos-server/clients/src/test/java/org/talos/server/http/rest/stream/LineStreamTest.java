// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.auth.Principal;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.runtime.client.Presence;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.KnownCaller;
import org.talos.server.testing.AmpleMemory;

/** A stream of lines whose pieces, and the turns of whose threads, a test gives. */
class LineStreamTest {
    private static final String LINE = "x".repeat(1_023) + "\n";
    private static final int LONGEST_LINE = 24 << 20;

    private final MemoryBudget budget = new MemoryBudget(128 << 20);
    private final OpenStreams streams =
            new OpenStreams(new OpenStreams.Bounds(4, 2), Duration.ofSeconds(40), (delay, task) -> {}, () -> 0);
    private final Queue<Content.Chunk> pieces = new ArrayDeque<>();
    private final Queue<Runnable> selector = new ArrayDeque<>();
    private final Queue<Runnable> heavy = new ArrayDeque<>();
    private final List<String> events = new ArrayList<>();
    private final StringBuilder answer = new StringBuilder();
    private Runnable demand = () -> {};
    private String thread = "selector";
    private boolean clientIsGone;
    private LineSink sink = new Sink();

    /** Has a result for each line, once what follows has run. Confined: the test. */
    private final class Sink implements LineSink {
        @Override
        public CompletionStage<Results> take(CallContext context, List<ByteBuffer> lines, Executor after) {
            events.add(thread + " takes " + lines.size());
            List<ObjectNode> all = Stream.generate(JsonNodeFactory.instance::objectNode)
                    .limit(lines.size())
                    .toList();
            return CompletableFuture.completedFuture(new Results(all, true)).thenApplyAsync(Function.identity(), after);
        }
    }

    /** Turns without an end, whose tasks wait for the test. Confined: the test. */
    private final class Turns implements UserTurn {
        @Override
        public void execute(Runnable task) {
            selector.add(task);
        }

        @Override
        public boolean isUnderWay() {
            return true;
        }

        @Override
        public boolean tryContinue() {
            return true;
        }

        @Override
        public void count(int puts) {
            events.add("turn counts " + puts);
        }
    }

    private Request request() {
        return (Request) Proxy.newProxyInstance(
                Request.class.getClassLoader(), new Class<?>[] {Request.class}, (self, method, arguments) -> {
                    if (method.getName().equals("demand")) {
                        demand = (Runnable) arguments[0];
                    }
                    return method.getName().equals("read") ? pieces.poll() : null;
                });
    }

    private Response response() {
        return (Response) Proxy.newProxyInstance(
                Response.class.getClassLoader(), new Class<?>[] {Response.class}, (self, method, arguments) -> {
                    if (method.getName().equals("write")) {
                        write((ByteBuffer) arguments[1], (Callback) arguments[2]);
                    }
                    return null;
                });
    }

    private void write(ByteBuffer bytes, Callback callback) {
        String text = UTF_8.decode(bytes).toString();
        events.add(thread + " answers " + text.lines().count());
        answer.append(text);
        if (clientIsGone) {
            callback.failed(new EofException());
        } else {
            callback.succeeded();
        }
    }

    private LineStream begin() {
        LineStream stream = new LineStream(new LineStream.Parts(
                request(),
                response(),
                Callback.from(() -> events.add("ended"), cause -> events.add("failed " + cause.getClass())),
                (context, lines, after) -> sink.take(context, lines, after),
                LineStreamTest::context,
                new Turns(),
                heavy::add,
                streams,
                budget.of("ada"),
                LONGEST_LINE,
                thrown -> new Problem(500, "failed", thrown.toString(), Effect.UNKNOWN)));
        streams.add(stream, "ada");
        stream.iterate();
        return stream;
    }

    private static CallContext context() {
        ClientInfo client = new ClientInfo("", OptionalLong.empty(), "1");
        KnownCaller caller = new KnownCaller(Principal.NOBODY, () -> Principal.NOBODY, client);
        return new CallContext(caller, 0, 0, null, Presence.UNSEEN, AmpleMemory.ofRequest());
    }

    private void comes(String text, boolean last) {
        pieces.add(Content.Chunk.from(ByteBuffer.wrap(text.getBytes(UTF_8)), last));
    }

    private void run(String name, Queue<Runnable> tasks) {
        thread = name;
        for (Runnable each = tasks.poll(); each != null; each = tasks.poll()) {
            each.run();
        }
        thread = "selector";
    }

    private void assertNothingIsHeld() {
        assertThat(budget.used()).isZero();
        assertThat(streams.count()).isZero();
    }

    @Test
    void fewLinesAreTakenAndAnsweredWhereTheyCome() {
        comes("{}\n\n{}\n", true);

        begin();
        run("selector", selector);

        assertThat(events)
                .containsExactly(
                        "selector takes 2", "turn counts 2", "selector answers 2", "selector answers 0", "ended");
        assertThat(answer.toString()).isEqualTo("{\"line\":1}\n{\"line\":3}\n");
        assertThat(heavy).isEmpty();
        assertNothingIsHeld();
    }

    @Test
    void longLinesAreTakenAndAnsweredWhereNoConnectionWaits() {
        comes(LINE.repeat(65), true);

        begin();
        assertThat(events).isEmpty();
        run("heavy", heavy);
        assertThat(events).containsExactly("heavy takes 65", "heavy answers 65");
        run("selector", selector);

        assertThat(events).endsWith("selector answers 0", "ended");
        assertThat(answer.toString()).startsWith("{\"line\":1}\n").endsWith("{\"line\":65}\n");
        assertNothingIsHeld();
    }

    @Test
    void manyShortLinesAreTakenAndAnsweredWhereNoConnectionWaits() {
        comes("{}\n".repeat(LineStream.HEAVY_LINES + 1), true);

        begin();
        run("heavy", heavy);

        assertThat(events).containsExactly("heavy takes 33", "heavy answers 33");
    }

    /** Runs what the selector has to do until something is left to the threads for what is heavy; its turns. */
    private int turnsOfSelector() {
        int turns = 0;
        for (Runnable each = selector.poll(); each != null; each = selector.poll()) {
            assertThat(heavy).isEmpty();
            turns++;
            each.run();
        }
        return turns;
    }

    @Test
    void mebibyteOfLinesIsReadInSeveralTurnsAndTakenAtOnce() {
        for (int i = 0; i < 80; i++) {
            comes(LINE.repeat(16), i == 79);
        }

        begin();
        assertThat(pieces).as("not read yet").hasSize(72);
        assertThat(turnsOfSelector()).isGreaterThanOrEqualTo(7);
        assertThat(pieces).as("beyond the most that is taken").hasSize(16);
        run("heavy", heavy);
        assertThat(events).containsExactly("heavy takes 1024", "heavy answers 1024");
        while (!selector.isEmpty() || !heavy.isEmpty()) {
            run("selector", selector);
            run("heavy", heavy);
        }

        assertThat(events).filteredOn(each -> each.contains("takes")).hasSize(2).endsWith("heavy takes 256");
        assertThat(answer.toString().lines()).hasSize(1_280).endsWith("{\"line\":1279}", "{\"line\":1280}");
        assertNothingIsHeld();
    }

    @Test
    void linesBehindWhichNothingIsThereAreTakenAfterTheTurnOfOthers() {
        for (int i = 0; i < 12; i++) {
            comes(LINE.repeat(16), false);
        }

        begin();
        assertThat(heavy).isEmpty();
        assertThat(turnsOfSelector()).isEqualTo(1);
        run("heavy", heavy);

        assertThat(events).containsExactly("heavy takes 192", "heavy answers 192");
    }

    @Test
    void serverThatStopsBetweenTurnsAnswersWhatHasCome() {
        for (int i = 0; i < 24; i++) {
            comes(LINE.repeat(16), false);
        }

        begin().stop(0);
        run("selector", selector);
        run("heavy", heavy);
        run("selector", selector);

        assertThat(events).containsExactly("heavy takes 256", "heavy answers 256", "selector answers 1", "ended");
        assertNothingIsHeld();
    }

    @Test
    void otherConnectionsHaveTheirTurnWhileALongLineComes() {
        String piece = "x".repeat(LineStream.READ_BYTES_AT_ONCE / 2);
        comes(piece, false);
        comes(piece, false);
        comes(piece, true);

        begin();

        assertThat(pieces).as("not read yet").hasSize(1);
        assertThat(selector).hasSize(1);
        run("selector", selector);
        run("heavy", heavy);
        assertThat(events).startsWith("heavy takes 1");
    }

    @Test
    void errorWhereNoConnectionWaitsEndsTheStream() {
        sink = (context, lines, after) -> {
            throw new StackOverflowError("on purpose");
        };
        comes(LINE.repeat(65), false);

        begin();
        run("heavy", heavy);

        assertThat(events).containsExactly("failed " + StackOverflowError.class);
        assertNothingIsHeld();
    }

    @Test
    void clientWhoGoesMeanwhileEndsTheStream() {
        comes(LINE.repeat(65), false);

        begin();
        clientIsGone = true;
        run("heavy", heavy);

        assertThat(events).containsExactly("heavy takes 65", "heavy answers 65", "failed " + EofException.class);
        assertNothingIsHeld();
    }

    @Test
    void clientWhoLeavesBetweenLinesEndsTheStreamQuietly() {
        comes("{}\n", false);
        begin();
        run("selector", selector);
        events.clear();
        pieces.add(Content.Chunk.from(new EofException()));

        demand.run();
        run("selector", selector);

        assertThat(events).containsExactly("failed " + QuietException.RuntimeException.class);
        assertNothingIsHeld();
    }

    @Test
    void serverThatStopsMeanwhileAnswersFirst() {
        comes(LINE.repeat(65), false);

        LineStream stream = begin();
        comes(LINE, false); // is not read any more
        stream.stop(0);
        run("heavy", heavy);
        run("selector", selector);

        assertThat(events).containsExactly("heavy takes 65", "heavy answers 65", "selector answers 1", "ended");
        assertThat(answer.toString().lines().skip(65).findFirst().orElseThrow())
                .startsWith("{\"line\":66,")
                .contains("partition-not-serving");
        assertNothingIsHeld();
    }

    @Test
    void problemOfLinesThatWereNotTakenNamesTheFirstOfThem() {
        comes("{}\n{}\n", false);
        begin();
        run("selector", selector);
        sink = (context, lines, after) -> {
            throw ProblemException.refused(429, "quota-exceeded", "one request per second");
        };
        comes("\n{}\n{}\n{}\n", false);

        demand.run();
        run("selector", selector);

        assertThat(answer.toString().lines()).hasSize(3).startsWith("{\"line\":1}", "{\"line\":2}");
        assertThat(answer.toString().lines().toList().get(2)).startsWith("{\"line\":4,\"problem\":");
        assertNothingIsHeld();
    }

    @Test
    void streamThatALineHasEndedHasNoSecondProblemForALineBehindIt() {
        sink = (context, lines, after) -> CompletableFuture.completedFuture(new LineSink.Results(
                List.of(JsonNodeFactory.instance.objectNode().put("problem", "wrong")), false));
        comes("wrong\n{}\n", false);
        comes("x".repeat(LONGEST_LINE + 1), true);

        begin();
        while (!selector.isEmpty() || !heavy.isEmpty()) {
            run("selector", selector);
            run("heavy", heavy);
        }

        assertThat(answer.toString()).isEqualTo("{\"line\":1,\"problem\":\"wrong\"}\n");
        assertThat(events).endsWith("ended");
        assertNothingIsHeld();
    }
}
