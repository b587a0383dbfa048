// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;
import org.eclipse.jetty.websocket.core.CloseStatus;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;
import org.eclipse.jetty.websocket.core.OutgoingEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.HttpConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.http.HttpPort;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.http.rest.Upgrade;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.stream.OpenStreams;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.runtime.thread.Continuation;

/**
 * A stream whose connection is a test's: what has come, what has been read of it, and the time come by hand. No call of
 * the server is begun.
 */
class StreamSocketTest extends HandDrivenSession {
    private static final int NOWHERE = 9; // a partition that there is not
    private static final int MOST_UNANSWERED = 4_096;
    private static final int LARGE_WINDOW = 1 << 20;
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Client client = new Client();
    private final Deque<Runnable> turns = new ArrayDeque<>();
    private long nanos;
    private StreamSocket socket;

    @BeforeEach
    void connect() throws Exception {
        socket = socket(null);
    }

    /** @param continuation of the connection's selector; null where any thread may continue */
    @SuppressWarnings("NullAway") // nobody is authenticated, and no call is begun
    private StreamSocket socket(@Nullable Continuation continuation) throws Exception {
        return socket(continuation, UserTurn.ALONE);
    }

    @SuppressWarnings("NullAway") // likewise
    private StreamSocket socket(@Nullable Continuation continuation, UserTurn turnsOfUser) throws Exception {
        HttpConfig config = ConfigLoader.load(Map.of(
                        "TALOS_HTTP_MINBODYBYTESPERSECOND", "1000", "TALOS_HTTP_BODYGRACE", GRACE.toSeconds() + "s"))
                .http();
        HttpPort.Parts parts = new HttpPort.Parts(config, null, null, budget, null, () -> nanos, () -> Instant.EPOCH);
        Upgrade.Ground ground = new Upgrade.Ground(
                parts,
                () -> null,
                thrown -> Problem.refused(500, "failed", thrown.toString()),
                new LentBuffers(1 << 20),
                continuation,
                turnsOfUser);
        return new StreamSocket(
                session,
                decoder,
                new StreamCalls(
                        null,
                        ground.contexts(),
                        "topic",
                        "127.0.0.1",
                        "",
                        new Reading.Blocks(new RequestMemory(budget.of("user")))),
                ground,
                null,
                new StoppedScheduler(),
                Runnable::run);
    }

    private void open() {
        socket.onOpen(client, Callback.NOOP);
    }

    private void come(byte opcode, boolean last, byte[] bytes) {
        socket.onFrame(new Frame(opcode, last, ByteBuffer.wrap(bytes)), Callback.NOOP);
    }

    private void comeWhole(byte[] message) {
        come(OpCode.BINARY, true, message);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private void runTurns() {
        for (Runnable next = turns.poll(); next != null; next = turns.poll()) {
            next.run();
        }
    }

    @Test
    void streamEndsOnceItIsKnownThatItWillNotOpen() {
        List<String> ended = new ArrayList<>();
        socket.onEnd(() -> ended.add("ended"));

        socket.endUnlessOpened();

        assertThat(ended).containsExactly("ended");
    }

    @Test
    void streamThatHasOpenedStaysWhenItsRequestIsAnswered() {
        List<String> ended = new ArrayList<>();
        socket.onEnd(() -> ended.add("ended"));
        open();

        socket.endUnlessOpened();

        assertThat(ended).isEmpty();
        socket.onClosed(CloseStatus.NO_CODE_STATUS, Callback.NOOP);
        assertThat(ended).containsExactly("ended");
    }

    @Test
    void clientThatReadsSlowlyIsThereThoughNothingIsReadFromIt() throws Exception {
        session = session(new StreamTerms(LARGE_WINDOW, LARGE_WINDOW, 4, true), new MemoryBudget(16 << 20));
        decoder = new MessageDecoder(session);
        session.received(new ClientMessage.Subscribe(0, 0));
        found(nextRead(), 1, block(0, 1, LARGE_WINDOW - BLOCK_HEAD)); // all the credit: nothing else is read
        socket = socket(null);
        open();
        client.reads(); // OPENED
        for (int number = 1; number <= MOST_UNANSWERED; number++) {
            comeWhole(Sent.putMessage(0, NOWHERE, number, "", "m"));
        }
        int demands = client.demands;
        assertThat(demands).as("frames asked for: no more behind the last").isEqualTo(MOST_UNANSWERED);

        for (int piece = 1; piece <= 3; piece++) { // of four, with its pongs behind what is not read
            socket.beat();
            socket.beat();
            client.reads();
        }

        assertThat(client.demands).as("nothing has been read meanwhile").isEqualTo(demands);
        assertThat(client.closed).isEmpty();

        for (int i = 0; i < 3; i++) {
            socket.beat();
        }
        assertThat(client.closed).as("now it reads nothing").containsExactly(CloseCode.SILENT.number());
        assertThat(client.demands).as("its answer to the close is read").isEqualTo(demands + 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void blockOfAClosedStreamKeepsItsMemoryWhileJettyWritesFromIt(boolean fails) throws Exception {
        MemoryBudget memory = new MemoryBudget(16 << 20);
        session = session(new StreamTerms(LARGE_WINDOW, LARGE_WINDOW, 4, true), memory);
        decoder = new MessageDecoder(session);
        session.received(new ClientMessage.Subscribe(0, 0));
        found(nextRead(), 1, block(0, 1, LARGE_WINDOW - BLOCK_HEAD));
        socket = socket(null);
        open();
        client.reads(); // OPENED

        come(OpCode.TEXT, true, new byte[1]);
        assertThat(client.closed).containsExactly(CloseCode.OTHER_KIND.number());
        assertThat(memory.used()).as("a frame is on its way").isGreaterThanOrEqualTo(LARGE_WINDOW - BLOCK_HEAD);

        if (fails) {
            client.breaks();
        } else {
            client.reads();
        }
        assertThat(memory.used()).as("nothing is").isZero();
        assertThat(client.unread).as("frames behind it").isEmpty();
    }

    /**
     * All heartbeats of the server as it is set up, each of which the client reads, until it is disconnected: the time.
     */
    private Duration untilAbandoned() {
        long from = nanos;
        Queue<Runnable> alarm = new ArrayDeque<>();
        OpenStreams streams = new OpenStreams(
                new OpenStreams.Bounds(1, 1),
                OpenStreams.interval(Duration.ofMinutes(2)),
                (delay, task) -> alarm.add(() -> {
                    pass(delay);
                    task.run();
                }),
                () -> nanos);
        streams.add(new Beaten(socket), "alice");
        while (client.closed.isEmpty() && nanos - from < TimeUnit.HOURS.toNanos(1)) {
            alarm.remove().run();
        }
        assertThat(client.closed).containsExactly(CloseCode.SILENT.number());
        return Duration.ofNanos(nanos - from);
    }

    @Test
    void clientThatOnlyWaitsAndIsGoneIsAbandonedWithinTwiceTheIdleTimeout() {
        open();
        comeWhole(Sent.subscribe(NOWHERE, 0));
        client.readAll();

        assertThat(untilAbandoned()).isBetween(Duration.ofSeconds(180), Duration.ofSeconds(245));
        assertThat(client.signs).containsExactly(OpCode.PONG, OpCode.PONG, OpCode.PING, OpCode.PING);
    }

    @Test
    void memberOfAGroupWhoIsGoneIsAbandonedSooner() throws Exception {
        open();
        client.readAll();
        session.received(new ClientMessage.Join("ship", "", 0, false));

        assertThat(untilAbandoned()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(147));
        assertThat(client.signs).containsExactly(OpCode.PING, OpCode.PING);
    }

    @Test
    void clientWhoHasNotReadWhatCameIsAbandonedSooner() {
        open();
        assertThat(client.unread).as("OPENED").hasSize(1);

        assertThat(untilAbandoned()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(147));
        assertThat(client.signs).as("the other one would wait behind it").containsExactly(OpCode.PING);
    }

    @Test
    void clientWhoAnswersIsAskedByEachThirdSignForEver() {
        open();
        client.readAll();
        for (int sign = 1; sign <= 30; sign++) {
            socket.beat();
            if (client.signs.get(client.signs.size() - 1) == OpCode.PING) {
                come(OpCode.PONG, true, new byte[0]);
            }
        }

        assertThat(client.closed).isEmpty();
        assertThat(client.signs)
                .hasSize(30)
                .filteredOn(each -> each == OpCode.PING)
                .hasSize(10);
    }

    @Test
    void putThatTheServerDidNotReadOnIsNotTooSlow() {
        open();
        comeWhole(Sent.putMessage(0, NOWHERE, 1, "", "m"));
        new RequestMemory(budget.of("other")).take(1 << 20);
        int demands = client.demands;
        byte[] put = Sent.putMessage(0, 0, 2, "", "m".repeat(10_000));
        come(OpCode.BINARY, false, Arrays.copyOf(put, 1_000));
        assertThat(client.demands).as("there is no memory").isEqualTo(demands);

        pass(Duration.ofMinutes(1));
        socket.beat();
        assertThat(client.closed).as("while it is not read").isEmpty();

        client.reads(); // OPENED, and an answer is on its way
        assertThat(client.demands).as("reads on").isEqualTo(demands + 1);
        socket.beat();
        assertThat(client.closed).as("as soon as it is").isEmpty();

        pass(GRACE.multipliedBy(3));
        socket.beat();
        assertThat(client.closed).as("when nothing comes").containsExactly(CloseCode.LATER.number());
    }

    @Test
    void whatComesBehindAnEndIsReadInTurns() throws Exception {
        OneTurn turn = new OneTurn();
        socket = socket(turns::add, turn);
        open();
        turn.left = 1;
        come(OpCode.TEXT, true, new byte[1]);
        assertThat(client.closed).containsExactly(CloseCode.OTHER_KIND.number());
        int demands = client.demands;

        turn.left = 1;
        come(OpCode.BINARY, true, new byte[64 << 10]);
        assertThat(client.demands).as("asked for at once").isEqualTo(demands + 1);
        come(OpCode.BINARY, true, new byte[64 << 10]);
        assertThat(client.demands).as("others have their turn").isEqualTo(demands + 1);

        runTurns();
        assertThat(client.demands).as("in the next turn").isEqualTo(demands + 2);
    }

    @Test
    void frameThatComesOutsideATurnOfTheUserWaitsForOne() throws Exception {
        OneTurn turn = new OneTurn();
        turn.isUnderWay = false;
        socket = socket(turns::add, turn);
        open();

        come(OpCode.TEXT, true, new byte[1]);
        assertThat(client.closed).as("not looked at").isEmpty();

        runTurns();
        assertThat(client.closed).containsExactly(CloseCode.OTHER_KIND.number());
    }

    /** A turn of so many puts, behind which tasks wait for the test. Confined: the test. */
    private final class OneTurn implements UserTurn {
        private int left;
        private boolean isUnderWay = true;

        @Override
        public void execute(Runnable task) {
            turns.add(task);
        }

        @Override
        public boolean isUnderWay() {
            return isUnderWay;
        }

        @Override
        public boolean tryContinue() {
            return isUnderWay && left-- > 0;
        }

        @Override
        public void count(int puts) {
            left -= puts;
        }
    }

    /** The other side: what is written waits until it reads. Confined: one test. */
    private static final class Client extends CoreSession.Empty {
        private final Deque<OutgoingEntry> unread = new ArrayDeque<>();
        private final List<Integer> closed = new ArrayList<>();
        private final List<Byte> signs = new ArrayList<>(); // each read as soon as all before it is
        private int demands;

        /** Reads one frame of a message, the oldest. */
        void reads() {
            unread.remove().getCallback().succeeded();
        }

        /** Is gone, as the frame on its way tells. */
        void breaks() {
            unread.remove().getCallback().failed(new EofException("gone"));
        }

        void readAll() {
            while (!unread.isEmpty()) {
                reads();
            }
        }

        @Override
        public void sendFrame(OutgoingEntry entry) {
            if (!entry.getFrame().isControlFrame()) {
                unread.add(entry);
                return;
            }
            signs.add(entry.getFrame().getOpCode());
            if (unread.isEmpty()) {
                entry.getCallback().succeeded();
            }
        }

        @Override
        public void demand() {
            demands++;
        }

        @Override
        public void close(int code, String reason, Callback callback) {
            closed.add(code);
        }
    }

    /** Shows that it is there, and no more. Immutable. */
    private record Beaten(StreamSocket socket) implements OpenStreams.Stream {
        @Override
        public void stop(int withinMillis) {
            throw new AssertionError("nothing stops");
        }

        @Override
        public void beat() {
            socket.beat();
        }
    }

    /** Nothing that is due later comes. Immutable. */
    private static final class StoppedScheduler extends AbstractLifeCycle implements Scheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            return () -> false;
        }
    }
}
