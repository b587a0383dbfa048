// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.talos.client.FatalException;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;

class BackoffTest {
    private final TalosClientException denied = new FatalException("PERMISSION_DENIED_ERROR", "no", null);
    private final TalosClientException moving = new RetriableException("PARTITION_NOT_SERVING", "moving", null);

    private final Backoff backoff = new Backoff();

    private Duration last(TalosClientException failure) {
        Duration pause = Duration.ZERO;
        for (int i = 0; i < 100; i++) {
            pause = backoff.failed(failure);
        }
        return pause;
    }

    @Test
    void firstPauseIsShort() {
        assertThat(backoff.failed(denied)).isEqualTo(Duration.ofMillis(200));
        assertThat(backoff.failed(denied)).isEqualTo(Duration.ofMillis(400));
    }

    @Test
    void whatOnlyAPersonCanMendIsAskedSeldom() {
        assertThat(last(denied)).isEqualTo(Duration.ofSeconds(30));
        assertThat(last(moving)).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void failureIsNewUntilItHappensAgain() {
        assertThat(backoff.isNew(denied)).isTrue();
        backoff.failed(denied);
        assertThat(backoff.isNew(denied)).isFalse();
        assertThat(backoff.isNew(moving)).isTrue();
        backoff.succeeded();
        assertThat(backoff.isNew(denied)).isTrue();
        assertThat(backoff.failed(denied)).isEqualTo(Duration.ofMillis(200));
    }
}
