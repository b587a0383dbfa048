// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.http.fairness.UserTurn;
import org.talos.server.http.fairness.UserTurns;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.thread.EventLoopIteration;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceRequest;

/** Tests the work that requests leave to the end of their selector's turn. */
@Timeout(30)
class SelectorTurnTest {
    @TempDir
    private Path directory;

    private FrontEndFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new FrontEndFixture(directory);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static Continuation turn(ServiceRequest request) {
        return Objects.requireNonNull(request.continuation());
    }

    private int status() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            return connection.send(fixture.put("block").bytes()).reply().status();
        }
    }

    @Test
    void whatARequestPutsOffRunsOnItsThreadOnceItHasReturned() throws Exception {
        List<String> steps = new CopyOnWriteArrayList<>();
        List<Thread> threads = new CopyOnWriteArrayList<>();
        fixture.services = request -> {
            CompletableFuture<ServiceAnswer> answer = new CompletableFuture<>();
            EventLoopIteration.atEnd(() -> {
                steps.add("end");
                threads.add(Thread.currentThread());
                turn(request).execute(() -> {
                    steps.add("after");
                    threads.add(Thread.currentThread());
                    answer.complete(fixture.answer("done"));
                });
                steps.add("end returns");
            });
            steps.add("returns");
            threads.add(Thread.currentThread());
            return answer;
        };

        assertThat(status()).isEqualTo(200);
        assertThat(steps).containsExactly("returns", "end", "end returns", "after");
        assertThat(threads.stream().distinct()).hasSize(1);
    }

    @Test
    void tasksWithoutAnEndKeepNoRequestFromTheSelector() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger runs = new AtomicInteger();
        fixture.services = request -> {
            Executor turn = turn(request);
            if (runs.get() == 0) {
                turn.execute(new Runnable() {
                    @Override
                    public void run() {
                        runs.incrementAndGet();
                        if (!stopped.get()) {
                            turn.execute(this);
                        }
                    }
                });
            }
            return CompletableFuture.completedFuture(fixture.answer("done"));
        };
        try {
            for (int call = 0; call < 4; call++) { // more connections than selectors
                assertThat(status()).isEqualTo(200);
            }
            assertThat(runs).hasPositiveValue();
        } finally {
            stopped.set(true);
        }
    }

    @Test
    void tasksThatMayBeVeryManyRunAFewAtATimeBehindAllOthers() throws Exception {
        List<String> steps = new CopyOnWriteArrayList<>();
        fixture.services = request -> {
            CompletableFuture<ServiceAnswer> answer = new CompletableFuture<>();
            Continuation turn = turn(request);
            for (int task = 0; task < 1_000; task++) {
                turn.executeLast(() -> {
                    steps.add("last");
                    turn.execute(() -> steps.add("other"));
                });
            }
            turn.execute(() -> steps.add("first"));
            turn.executeLast(() -> answer.complete(fixture.answer("done")));
            return answer;
        };

        assertThat(status()).isEqualTo(200);
        assertThat(steps.get(0)).isEqualTo("first");
        assertThat(steps.indexOf("other")).isLessThan(100);
    }

    @Test
    void userWithManyPutsHasATurnAndThenAnotherUserHasOne() throws Exception {
        List<String> steps = new CopyOnWriteArrayList<>();
        fixture.services = request -> {
            CompletableFuture<ServiceAnswer> answer = new CompletableFuture<>();
            SelectorTurn turn = (SelectorTurn) turn(request);
            for (int connection = 0; connection < 50; connection++) { // of one user
                turn.of("bulk").execute(new Puts(turn.of("bulk"), steps, 1_000));
            }
            turn.of("other").execute(() -> steps.add("other"));
            turn.of("bulk").execute(() -> answer.complete(fixture.answer("done")));
            return answer;
        };

        assertThat(status()).isEqualTo(200);
        assertThat(steps.indexOf("other")).isBetween(1, UserTurns.MOST_PUTS);
        assertThat(steps.stream().filter("bulk"::equals).count()).isLessThan(50 * 1_000);
    }

    /** The puts that are readable on a connection. Confined: the selector. */
    private static final class Puts implements Runnable {
        private final UserTurn turn;
        private final List<String> steps;
        private int left;

        Puts(UserTurn turn, List<String> steps, int left) {
            this.turn = turn;
            this.steps = steps;
            this.left = left;
        }

        @Override
        public void run() {
            do {
                steps.add("bulk");
                left--;
            } while (left > 0 && turn.tryContinue());
            if (left > 0) {
                turn.execute(this);
            }
        }
    }

    @Test
    void requestsAreTakenBetweenTheTurnsOfAUserWhosePutsHaveNoEnd() throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        fixture.services = request -> {
            SelectorTurn turn = (SelectorTurn) turn(request);
            turn.of("bulk").execute(new Runnable() {
                @Override
                public void run() {
                    if (!stopped.get()) {
                        turn.of("bulk").execute(this);
                    }
                }
            });
            return CompletableFuture.completedFuture(fixture.answer("done"));
        };
        try {
            for (int call = 0; call < 4; call++) { // more connections than selectors
                assertThat(status()).isEqualTo(200);
            }
        } finally {
            stopped.set(true);
        }
    }

    @Test
    void taskThatThrowsKeepsNoOtherFromRunning() throws Exception {
        fixture.services = request -> {
            CompletableFuture<ServiceAnswer> answer = new CompletableFuture<>();
            EventLoopIteration.atEnd(() -> {
                throw new IllegalStateException("on purpose");
            });
            EventLoopIteration.atEnd(() -> answer.complete(fixture.answer("done")));
            return answer;
        };

        assertThat(status()).isEqualTo(200);
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void taskThatComesAfterTheServerHasStoppedRunsAllTheSame() throws Exception {
        CompletableFuture<Executor> turn = new CompletableFuture<>();
        fixture.services = request -> {
            turn.complete(turn(request));
            return CompletableFuture.completedFuture(fixture.answer("done"));
        };
        assertThat(status()).isEqualTo(200);
        fixture.frontEnd.close();

        CompletableFuture<Void> ran = new CompletableFuture<>();
        turn.get().execute(() -> ran.complete(null));

        ran.get(20, TimeUnit.SECONDS);
        assertThat(fixture.frontEnd.failure()).isEmpty();
    }

    /** Jetty continues without it, and takes further connections that nobody serves. */
    @Test
    void selectorThatFailsIsAFailureOfTheServer() throws Exception {
        CompletableFuture<SelectorTurn> turn = new CompletableFuture<>();
        fixture.services = request -> {
            turn.complete((SelectorTurn) turn(request));
            return CompletableFuture.completedFuture(fixture.answer("done"));
        };
        assertThat(status()).isEqualTo(200);
        assertThat(fixture.frontEnd.failure()).isEmpty();

        turn.get().submit(selector -> {
            try {
                selector.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });

        await().until(() -> fixture.frontEnd.failure().isPresent());
    }
}
