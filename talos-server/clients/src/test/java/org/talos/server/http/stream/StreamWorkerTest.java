// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.memory.RequestMemory;

/**
 * Calls of the server that throw an Error when they are begun: the client gets an answer, and nothing stays reserved.
 */
class StreamWorkerTest extends HandDrivenSession {
    private final List<Throwable> failures = new ArrayList<>();

    @SuppressWarnings("NullAway") // no call gets as far as the operations
    private StreamWorker worker() {
        StreamCalls calls = new StreamCalls(
                null,
                () -> {
                    throw new StackOverflowError("of a test");
                },
                "topic",
                "127.0.0.1",
                "",
                new Reading.Blocks(new RequestMemory(budget.of("user"))));
        return new StreamWorker(
                session,
                calls,
                thrown -> {
                    failures.add(thrown);
                    return FAILED;
                },
                new StreamWorker.Ways(Runnable::run, Runnable::run, (millis, event) -> {}, () -> {}, problem -> {}));
    }

    @Test
    void readThatThrowsAnErrorEndsItsSubscription() throws Exception {
        session.received(new ClientMessage.Subscribe(0, 0));
        assertThat(budget.used()).as("of the subscription").isPositive();

        worker().begin(Objects.requireNonNull(session.nextWork()));

        assertThat(failures).hasExactlyElementsOfTypes(StackOverflowError.class);
        assertThat(writtenNames()).containsExactly("OPENED", "ENDED");
        assertThat(budget.used()).isZero();
    }

    @Test
    void putThatThrowsAnErrorIsRefused() throws Exception {
        put(0, 0, 1);

        worker().begin(Objects.requireNonNull(session.nextWork()));

        assertThat(failures).hasExactlyElementsOfTypes(StackOverflowError.class);
        assertThat(written()).extracting(Received::name).contains("REFUSED");
        assertThat(budget.used()).isZero();
    }
}
