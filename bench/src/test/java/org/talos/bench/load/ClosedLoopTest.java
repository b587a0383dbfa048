// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ClosedLoopTest {
    private static final int CONNECTIONS = 4;
    private static final Duration SHORT = Duration.ofMillis(200);

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger windows = new AtomicInteger();
    private final ExecutorService workers = Executors.newFixedThreadPool(CONNECTIONS);
    private HttpServer server;

    /** The server's answer to the n-th request. */
    private interface Behavior {
        void answer(HttpExchange exchange, int number) throws IOException;
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(workers);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        workers.shutdownNow();
    }

    private LoadResult run(Behavior behavior) throws IOException {
        return run(behavior, SHORT, 0);
    }

    private LoadResult run(Behavior behavior, Duration measured, int least) throws IOException {
        return run(behavior, measured, least, RequestSource.Outcome.DONE);
    }

    private void serve(Behavior behavior) {
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            behavior.answer(exchange, asked.incrementAndGet());
        });
    }

    private static RequestSource source(RequestSource.Outcome outcome) {
        byte[] request =
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc".getBytes(StandardCharsets.US_ASCII);
        return new RequestSource() {
            @Override
            public ByteBuffer next() {
                return ByteBuffer.wrap(request);
            }

            @Override
            public Outcome answered(ByteBuffer body) {
                return outcome;
            }
        };
    }

    private LoadResult run(Behavior behavior, Duration measured, int least, RequestSource.Outcome outcome)
            throws IOException {
        serve(behavior);
        Window window = new Window() {
            @Override
            public void opened() {
                windows.addAndGet(1);
            }

            @Override
            public void closed() {
                windows.addAndGet(10);
            }
        };
        return ClosedLoop.run(
                server.getAddress(),
                Collections.nCopies(CONNECTIONS, source(outcome)),
                AnswerCheck.ANY,
                SHORT,
                measured,
                least,
                window);
    }

    private static void answer(HttpExchange exchange, int status) throws IOException {
        byte[] body = "hello".getBytes(StandardCharsets.US_ASCII);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Test
    void everyRequestThatWasSentIsAccountedFor() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, 200));

        assertThat(result.succeeded()).isEqualTo(asked.get());
        assertThat(result.failed()).isZero();
        assertThat(result.latency().getTotalCount()).isPositive().isLessThan(result.succeeded());
        assertThat(result.perSecond()).isPositive();
        assertThat(windows).as("the window opens and closes once").hasValue(11);
    }

    @Test
    void requestsOfTheWarmUpAndOfTheWindowAreInTheTimeline() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, 200), Duration.ofSeconds(1), 0);

        assertThat(result.timeline().seconds()).isPositive();
        assertThat(result.timeline().perSecond(0, 1)).isPositive().isLessThanOrEqualTo((double) result.succeeded());
    }

    @Test
    void windowStaysOpenUntilEnoughHasEndedInIt() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, 200), Duration.ofNanos(1), 50);

        assertThat(result.latency().getTotalCount()).isGreaterThanOrEqualTo(50);
    }

    @Test
    void refusalsCountAsFailuresWithTheirText() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, number == 3 ? 503 : 200));

        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.succeeded()).isEqualTo(asked.get() - 1);
        assertThat(result.firstFailure())
                .hasValueSatisfying(text -> assertThat(text).contains("503", "hello"));
    }

    @Test
    void answerWithNothingIsNeitherSuccessNorFailureAndHasNoLatency() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, 200), SHORT, 0, RequestSource.Outcome.NOTHING);

        assertThat(asked.get()).isPositive();
        assertThat(result.succeeded()).isZero();
        assertThat(result.failed()).isZero();
        assertThat(result.latency().getTotalCount()).isZero();
    }

    @Test
    void answerThatIsNotWhatWasAskedForIsAFailureWithItsText() throws IOException {
        LoadResult result = run((exchange, number) -> answer(exchange, 200), SHORT, 0, RequestSource.Outcome.WRONG);

        assertThat(result.succeeded()).isZero();
        assertThat(result.failed()).isEqualTo(asked.get());
        assertThat(result.firstFailure())
                .hasValueSatisfying(text -> assertThat(text).contains("hello"));
    }

    @Test
    void warmUpLastsUntilItIsSaidToBeOver() throws IOException {
        serve((exchange, number) -> answer(exchange, 200));

        LoadResult result = ClosedLoop.run(
                server.getAddress(),
                Collections.nCopies(CONNECTIONS, source(RequestSource.Outcome.DONE)),
                AnswerCheck.ANY,
                nanos -> asked.get() >= 100,
                Duration.ZERO,
                Window.NOBODY,
                0);

        assertThat(result.succeeded()).isGreaterThanOrEqualTo(100 - CONNECTIONS);
        assertThat(result.latency().getTotalCount()).isZero();
    }

    /** A source that ends after some requests. */
    private static RequestSource few(int requests) {
        RequestSource endless = source(RequestSource.Outcome.DONE);
        AtomicInteger left = new AtomicInteger(requests);
        return new RequestSource() {
            @Override
            public boolean hasNext() {
                return left.get() != 0;
            }

            @Override
            public ByteBuffer next() {
                left.decrementAndGet();
                return endless.next();
            }
        };
    }

    @Test
    void loopEndsBeforeItsTimeWhenNoSourceHasAnotherRequest() throws IOException {
        serve((exchange, number) -> answer(exchange, 200));

        LoadResult result = ClosedLoop.run(
                server.getAddress(),
                List.of(few(3), few(0), few(5)),
                AnswerCheck.ANY,
                WarmUp.lasting(Duration.ZERO),
                Duration.ofMinutes(10),
                Window.NOBODY,
                0);

        assertThat(asked).hasValue(8);
        assertThat(result.succeeded()).isEqualTo(8);
        assertThat(result.failed()).isZero();
        assertThat(result.latency().getTotalCount()).isEqualTo(8);
    }

    private LoadResult sparing(Behavior behavior, int connections, double perSecond) throws IOException {
        serve(behavior);
        return ClosedLoop.run(
                server.getAddress(),
                Collections.nCopies(connections, source(RequestSource.Outcome.DONE)),
                AnswerCheck.ANY,
                WarmUp.lasting(Duration.ZERO),
                Duration.ofSeconds(2),
                Window.NOBODY,
                new ClosedLoop.Pace(perSecond, true));
    }

    @Test
    void sparingLoopSendsNoMoreThanItsRate() throws IOException {
        LoadResult result = sparing((exchange, number) -> answer(exchange, 200), 2, 100);

        assertThat(result.succeeded())
                .isPositive()
                .isLessThanOrEqualTo((long) Math.ceil(100 * result.measuredNanos() / 1e9) + 2);
    }

    @Test
    void requestsThatWereDueWhileTheirConnectionWasBusyCountFromThenInASparingLoopToo() throws IOException {
        CountDownLatch otherConnection = new CountDownLatch(20);

        LoadResult result = sparing(
                (exchange, number) -> {
                    if (number == 1) {
                        await(otherConnection); // 20 requests of 50 a second
                    } else {
                        otherConnection.countDown();
                    }
                    answer(exchange, 200);
                },
                2,
                100);

        Histogram latency = result.latency();
        assertThat(result.failed()).isZero();
        assertThat(latency.getTotalCount() - latency.getCountBetweenValues(0, 100_000_000))
                .as("the one that was held, and those that were due until 0.1 s before its answer")
                .isGreaterThanOrEqualTo(5);
    }

    @Test
    void lateAnswerDelaysTheRequestsBehindItOfClientsThatDoNotCatchUp() throws IOException {
        CountDownLatch otherConnection = new CountDownLatch(20);
        serve((exchange, number) -> {
            if (number == 1) {
                await(otherConnection); // 20 requests of 50 a second
            } else {
                otherConnection.countDown();
            }
            answer(exchange, 200);
        });

        LoadResult result = ClosedLoop.run(
                server.getAddress(),
                Collections.nCopies(2, source(RequestSource.Outcome.DONE)),
                AnswerCheck.ANY,
                WarmUp.lasting(Duration.ZERO),
                Duration.ofSeconds(2),
                Window.NOBODY,
                ClosedLoop.Pace.atMost(100));

        assertThat(result.failed()).isZero();
        assertThat(result.succeeded())
                .as("without what the connection that was held would have sent in 0.4 s")
                .isLessThanOrEqualTo((long) Math.ceil(100 * result.measuredNanos() / 1e9) + 2 - 18);
        assertThat(result.latency().getValueAtPercentile(50))
                .as("counts from the sending")
                .isLessThan(100_000_000);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(20, TimeUnit.SECONDS)) {
                throw new IOException("the other connection has sent too little");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @Test
    void connectionThatBreaksCountsOnceAndTheOthersContinue() throws IOException {
        LoadResult result = run((exchange, number) -> {
            if (number == 2) {
                exchange.close();
            } else {
                answer(exchange, 200);
            }
        });

        assertThat(result.failed()).isEqualTo(1);
        assertThat(result.succeeded()).isEqualTo(asked.get() - 1);
    }

    @Test
    void exceptionInAnAnswerIsNoSuccess() {
        byte[] result = {(byte) 0x82, 0x41, 1, 3, 'p', 'u', 't', 0x0c, 0, 0, 0};
        byte[] error = {(byte) 0x82, 0x41, 1, 3, 'p', 'u', 't', 0x1c, 0, 0};
        byte[] envelope = {(byte) 0x82, 0x61, 1, 3, 'p', 'u', 't', 0x0c, 0, 0};

        assertThat(List.of(result, error, envelope))
                .map(bytes -> AnswerCheck.THRIFT_RESULT.good(ByteBuffer.wrap(bytes)))
                .containsExactly(true, false, false);
    }
}
