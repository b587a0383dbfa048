// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The body of a request that is refused, whose pieces a test gives. */
class BodyDiscardTest {
    private static final long SECOND = 1_000_000_000;
    private static final int LIMIT = 1_000;

    private final Queue<Content.Chunk> pieces = new ArrayDeque<>();
    private final Queue<Runnable> demands = new ArrayDeque<>();
    private final List<Object> ended = new ArrayList<>();
    private long now;

    /** A request that has the given pieces, and may be asked for further ones. */
    private Request request() {
        return (Request) Proxy.newProxyInstance(
                Request.class.getClassLoader(), new Class<?>[] {Request.class}, (self, method, arguments) -> {
                    if (method.getName().equals("demand")) {
                        demands.add((Runnable) arguments[0]);
                        return null;
                    }
                    return pieces.poll();
                });
    }

    private void come(int bytes, boolean last) {
        pieces.add(Content.Chunk.from(ByteBuffer.allocate(bytes), last));
        if (!demands.isEmpty()) {
            demands.remove().run();
        }
    }

    private void discard(@Nullable Semaphore places) {
        BodyPace pace = new BodyPace(10, Duration.ofSeconds(10), 0, () -> now);
        new BodyDiscard(
                        request(),
                        LIMIT,
                        pace,
                        places,
                        new BodyTask.Callbacks(InvocationType.NON_BLOCKING, null),
                        new BodyDiscard.Outcome(ended::add, ended::add, ended::add))
                .run();
    }

    @Test
    void bodyThatComesFastEnoughIsReadToItsEnd() {
        discard(null);
        for (int i = 0; i < 5; i++) {
            now += 9 * SECOND;
            come(90, false);
        }
        assertThat(ended).isEmpty();

        come(1, true);

        assertThat(ended).containsExactly(true);
    }

    @Test
    void bodyThatTricklesIsNotWaitedFor() {
        discard(null);
        come(1, false);
        assertThat(ended).isEmpty();

        now += 100 * SECOND;
        come(1, false);

        assertThat(ended).containsExactly(false);
        assertThat(demands).isEmpty();
    }

    @Test
    void bodyBeyondTheLimitIsReadNoFurther() {
        discard(null);

        come(LIMIT + 1, false);

        assertThat(ended).containsExactly(false);
    }

    @Test
    void withoutAPlaceOnlyWhatIsThereIsRead() {
        Semaphore places = new Semaphore(0);
        come(10, true);
        discard(places);
        assertThat(ended).containsExactly(true);

        come(10, false);
        discard(places);
        assertThat(ended).containsExactly(true, false);
        assertThat(demands).isEmpty();
        assertThat(places.availablePermits()).isZero();
    }

    @Test
    void placeIsHeldUntilTheBodyHasComeOrIsTooSlowOrItsConnectionFails() {
        Semaphore places = new Semaphore(1);
        for (Runnable end : List.<Runnable>of(() -> come(1, true), this::comeTooLate, this::fail, this::comeTooMuch)) {
            now = 0;
            discard(places);
            come(1, false);
            come(1, false);
            assertThat(places.availablePermits()).isZero();

            end.run();

            assertThat(places.availablePermits()).isEqualTo(1);
        }
        assertThat(ended).hasSize(4).startsWith(true, false).endsWith(false);
        assertThat(demands).isEmpty();
    }

    private void comeTooLate() {
        now = 100 * SECOND;
        come(1, false);
    }

    private void fail() {
        pieces.add(Content.Chunk.from(new EofException()));
        demands.remove().run();
    }

    private void comeTooMuch() {
        come(LIMIT, false);
    }
}
