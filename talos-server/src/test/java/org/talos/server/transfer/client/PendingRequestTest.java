// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.context;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.transfer.TransferFixture;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

class PendingRequestTest {
    private final AtomicInteger abandoned = new AtomicInteger();
    private final PendingRequest<Long> put =
            new PendingRequest<>(Request.put(LOG, TransferFixture.put("s")), context());

    @Test
    void expiresWithoutEffectUntilItIsWritten() {
        put.onAbandoned(abandoned::incrementAndGet);

        put.expired();

        assertFails(put.answer(), ErrorCode.REQUEST_PROCESS_TIMEOUT, Effect.NONE);
        assertThat(abandoned).hasValue(1);
        assertThat(put.beginWriting()).isFalse(); // and now it never will be
    }

    @Test
    void writtenPutWithoutAnswerIsUnknown() {
        assertThat(put.beginWriting()).isTrue();

        assertThat(put.failed(ErrorCode.PARTITION_NOT_SERVING, "lost")).isTrue();

        assertFails(put.answer(), ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN);
    }

    @Test
    void writtenReadWithoutAnswerHasNoEffect() {
        PendingRequest<?> read =
                new PendingRequest<>(Request.read(LOG, TransferFixture.read(Duration.ZERO)), context());
        assertThat(read.beginWriting()).isTrue();

        assertThat(read.failed(ErrorCode.PARTITION_NOT_SERVING, "lost")).isTrue();

        assertFails(read.answer(), ErrorCode.PARTITION_NOT_SERVING, Effect.NONE);
    }

    @Test
    void firstOutcomeStays() throws Exception {
        put.onAbandoned(abandoned::incrementAndGet);
        assertThat(put.beginWriting()).isTrue();

        assertThat(put.answered(5L)).isTrue();
        put.expired();

        assertThat(put.failed(ErrorCode.PARTITION_NOT_SERVING, "lost")).isFalse();
        assertThat(put.answered(TalosException.refused(ErrorCode.BAD_REQUEST, "late")))
                .isFalse();
        assertThat(put.answer().get()).isEqualTo(5);
        assertThat(abandoned).hasValue(0); // its connection serves other requests again
    }
}
