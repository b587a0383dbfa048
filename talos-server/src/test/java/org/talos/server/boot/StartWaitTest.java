// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.storage.StorageException;

class StartWaitTest {
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger tries = new AtomicInteger();
    private final StartWait wait =
            new StartWait(Duration.ofSeconds(40), nanos::get, time -> nanos.addAndGet(time.toNanos()));

    private String open(int failures, Reason reason) throws Exception {
        return wait.open("metadata", () -> {
            if (tries.getAndIncrement() < failures) {
                throw new MetadataException(reason, Effect.NONE, "not yet");
            }
            return "open";
        });
    }

    @Test
    void whatStartsLaterIsWaitedFor() throws Exception {
        assertThat(open(30, Reason.UNAVAILABLE)).isEqualTo("open");
        assertThat(tries).hasValue(31);
    }

    @Test
    void whatDoesNotStartEndsTheWaitWithItsOwnFailure() {
        assertThatThrownBy(() -> open(1_000, Reason.UNAVAILABLE))
                .isInstanceOf(MetadataException.class)
                .hasMessage("not yet");
        assertThat(nanos).hasValue(Duration.ofSeconds(40).toNanos());
    }

    @Test
    void whatIsWrongIsNotWaitedFor() {
        assertThatThrownBy(() -> open(1, Reason.CORRUPT)).isInstanceOf(MetadataException.class);
        assertThat(tries).hasValue(1);
    }

    @Test
    void logsThatCannotBeReachedAreWaitedForAsMetadataIs() throws Exception {
        String opened = wait.open("HDFS", () -> {
            if (tries.getAndIncrement() < 30) {
                throw StorageException.unavailable("no logs", Effect.NONE, new ConnectException("refused"));
            }
            return "open";
        });

        assertThat(opened).isEqualTo("open");
        assertThat(nanos).hasValue(Duration.ofSeconds(30).toNanos());
    }

    @Test
    void logsThatDoNotComeEndTheWaitWithTheirOwnFailure() {
        assertThatThrownBy(() -> wait.open("HDFS", () -> {
                    throw StorageException.unavailable("no logs", Effect.NONE, new ConnectException("refused"));
                }))
                .isInstanceOf(StorageException.class)
                .hasMessage("no logs: refused");
        assertThat(nanos).hasValue(Duration.ofSeconds(40).toNanos());
    }

    @Test
    void logsThatThisServerRefusesAreNotWaitedFor() {
        assertThatThrownBy(() -> wait.open("HDFS", () -> {
                    throw new StorageException(
                            StorageException.Reason.UNAVAILABLE, Effect.NONE, "not those of the rows", null);
                }))
                .hasMessage("not those of the rows");
        assertThat(nanos).hasValue(0);
    }

    @Test
    void interruptedStartWaitsNoLonger() {
        StartWait interrupted = new StartWait(Duration.ofSeconds(40), nanos::get, time -> {
            throw new InterruptedException();
        });

        assertThatThrownBy(() -> interrupted.open("metadata", () -> {
                    throw new MetadataException(Reason.UNAVAILABLE, Effect.NONE, "not yet");
                }))
                .isInstanceOf(MetadataException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
