// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeanLoadTest {
    private static final int SIZE = 100_000; // more than comes at once, and than a connection buffers first
    private static final int PARTITIONS = 3;
    private static final Duration SILENCE = Duration.ofSeconds(5);
    private static final SynchronousSettings SETTINGS = new SynchronousSettings(
            "nowhere", 1, "nothing", PARTITIONS, PARTITIONS, PARTITIONS, SIZE, 0, Duration.ofSeconds(1));

    private final Recording recording = new Recording();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch manyPuts = new CountDownLatch(100);

    @AfterEach
    void endServer() {
        threads.shutdownNow();
    }

    /** A server in memory, and its protocol: a put is the message, its answer one byte; a getter gets all messages. */
    private final class Memory implements LeanClient {
        private static final byte STORED = 1;

        private final ServerSocketChannel listener;
        private final List<BlockingQueue<byte[]>> partitions = new ArrayList<>();
        private final AtomicLong stored = new AtomicLong();
        private final long refused;
        private final long changed;
        private final CountDownLatch unansweredCame = new CountDownLatch(1);
        private volatile long unanswered = -1; // number of the message for which the first partition has no answer
        private volatile long lostFrom = Long.MAX_VALUE; // number from which on nobody gets its messages

        /**
         * A server that listens.
         *
         * @param refused number of the message that the first partition refuses, or -1
         * @param changed number of the message that the first partition changes, or -1
         */
        Memory(long refused, long changed) throws IOException {
            this.refused = refused;
            this.changed = changed;
            listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < PARTITIONS; i++) {
                partitions.add(new LinkedBlockingQueue<>());
            }
        }

        private SocketChannel connect(Service service) throws IOException {
            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
            SocketChannel server = listener.accept();
            threads.execute(() -> {
                try (server) {
                    service.serve(server);
                } catch (IOException e) {
                    return; // the client has ended
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            return client;
        }

        private void store(int partition, SocketChannel from) throws IOException {
            for (long number = 0; ; number++) {
                byte[] message = new byte[SIZE];
                ByteBuffer reading = ByteBuffer.wrap(message);
                while (reading.hasRemaining()) {
                    if (from.read(reading) < 0) {
                        return;
                    }
                }
                if (partition == 0 && number == unanswered) {
                    unansweredCame.countDown();
                } else {
                    byte answer = partition == 0 && number == refused ? 0 : stored(partition, number, message);
                    var unused = from.write(ByteBuffer.wrap(new byte[] {answer}));
                }
            }
        }

        private byte stored(int partition, long number, byte[] message) {
            if (partition == 0 && number == changed) {
                message[SIZE - 1] = (byte) ~message[SIZE - 1];
            }
            stored.incrementAndGet();
            if (partition != 0 || number < lostFrom) {
                partitions.get(partition).add(message);
            }
            manyPuts.countDown();
            return STORED;
        }

        private void send(int partition, SocketChannel to) throws IOException, InterruptedException {
            while (true) {
                ByteBuffer message = ByteBuffer.wrap(partitions.get(partition).take());
                while (message.hasRemaining()) {
                    var unused = to.write(message);
                }
            }
        }

        @Override
        public Connected<Putter> putter(int partition, byte[] message) throws IOException {
            SocketChannel channel = connect(from -> store(partition, from));
            return new Connected<>(channel, new Putter() {
                @Override
                public ByteBuffer put(long number, long nanos) {
                    return ByteBuffer.wrap(message).putLong(0, number).putLong(Long.BYTES, nanos);
                }

                @Override
                public boolean acknowledged(ByteBuffer in) throws IOException {
                    if (!in.hasRemaining()) {
                        return false;
                    }
                    if (in.get() != STORED) {
                        throw new IOException("refused");
                    }
                    return true;
                }
            });
        }

        @Override
        public Connected<Getter> getter(int partition, byte[] message) throws IOException {
            SocketChannel channel = connect(to -> send(partition, to));
            return new Connected<>(channel, new Getter() {
                @Override
                public ByteBuffer request() {
                    return ByteBuffer.allocate(0);
                }

                @Override
                public void read(ByteBuffer in, Consumer<ByteBuffer> messages) {
                    while (in.remaining() >= SIZE) {
                        messages.accept(in.slice(in.position(), SIZE));
                        in.position(in.position() + SIZE);
                    }
                }
            });
        }

        @Override
        public long stored() {
            return stored.get();
        }

        @Override
        public void close() {
            try {
                listener.close();
            } catch (IOException e) {
                throw new IllegalStateException("not closed", e);
            }
        }
    }

    /** Serves one connection. */
    private interface Service {
        void serve(SocketChannel channel) throws IOException, InterruptedException;
    }

    private LoadCounts counts(Memory server) throws Exception {
        try (LeanLoad load = new LeanLoad(server, SETTINGS, recording, SILENCE)) {
            recording.measure(true);
            load.start();
            assertThat(manyPuts.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(load.end(30)).isTrue();
            return recording.counts(load.stored());
        }
    }

    @Test
    void everythingThatIsPutIsGotOnceAndMeasured() throws Exception {
        LoadCounts counts = counts(new Memory(-1, -1));

        assertThat(counts.failed()).as(counts.firstFailure().orElse("")).isZero();
        assertThat(counts.acknowledged()).isGreaterThanOrEqualTo(100);
        assertThat(counts.stored()).isEqualTo(counts.acknowledged());
        assertThat(counts.received()).isEqualTo(counts.acknowledged());
        assertThat(recording.puts().getTotalCount()).isEqualTo(counts.acknowledged());
        assertThat(recording.gets().getTotalCount()).isEqualTo(counts.acknowledged());
        assertThat(recording.gets().getMaxValue()).isLessThan(TimeUnit.SECONDS.toNanos(60));
    }

    @Test
    void refusedPutIsTheLastOfItsPutter() throws Exception {
        LoadCounts counts = counts(new Memory(2, -1));

        assertThat(counts.failed()).isEqualTo(1);
        assertThat(counts.firstFailure().orElse("")).contains("put: ").contains("refused");
        assertThat(counts.received()).isEqualTo(counts.acknowledged());
    }

    @Test
    void changedMessageIsAFailureOfItsGetter() throws Exception {
        LoadCounts counts = counts(new Memory(-1, 1));

        assertThat(counts.failed()).isEqualTo(1);
        assertThat(counts.firstFailure().orElse(""))
                .contains("get: ")
                .contains("partition 0: another message of " + SIZE + " bytes than number 1");
    }

    @Test
    void putWithoutAnAnswerFailsInTime() throws Exception {
        Memory server = new Memory(-1, -1);
        server.unanswered = 2;
        try (LeanLoad load = new LeanLoad(server, SETTINGS, recording, SILENCE)) {
            load.start();
            assertThat(server.unansweredCame.await(30, TimeUnit.SECONDS)).isTrue();

            assertThat(load.end(30)).isTrue();
            LoadCounts counts = recording.counts(load.stored());
            assertThat(counts.failed()).isEqualTo(1);
            assertThat(counts.firstFailure().orElse("")).contains("partition 0: no answer to put 2 within 5 s");
        }
    }

    @Test
    void acknowledgedMessageThatIsNotReceivedFailsInTime() throws Exception {
        Memory server = new Memory(-1, -1);
        server.lostFrom = 1;

        LoadCounts counts = counts(server);

        assertThat(counts.failed()).isEqualTo(1);
        assertThat(counts.firstFailure().orElse(""))
                .contains("get: ")
                .contains("partition 0: message 1 of ")
                .contains(" was not received within 5 s");
    }

    @Test
    void putsThatAreNotDueYetDoNotDelayTheEnd() throws Exception {
        try (LeanLoad load = new LeanLoad(new Memory(-1, -1), SETTINGS, recording, SILENCE)) {
            load.start();
            load.pace(0.001);

            assertThat(load.end(30)).isTrue();
            LoadCounts counts = recording.counts(load.stored());
            assertThat(counts.failed()).isZero();
            assertThat(counts.received()).isEqualTo(counts.acknowledged()).isEqualTo(counts.stored());
        }
    }
}
