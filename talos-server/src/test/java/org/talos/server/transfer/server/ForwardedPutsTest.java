// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.ForwardContext;

class ForwardedPutsTest {
    private static final ByteBuffer CONNECTION = ByteBuffer.wrap(new byte[16]);

    private long nanos;
    private final ForwardedPuts puts = new ForwardedPuts(() -> nanos);

    private Optional<CompletableFuture<AppendResult>> begin(long request, String user) {
        return puts.begin(CONNECTION, request, new ForwardContext(user, nanos + 1_000));
    }

    private boolean isRemembered(long request, CompletableFuture<AppendResult> put) {
        AtomicBoolean reported = new AtomicBoolean();
        put.complete(new AppendResult(3, () -> reported.set(true)));
        puts.unanswered(CONNECTION, request, "dan");
        return reported.get();
    }

    @Test
    void putsOfOneUserMakeRoomForTheirOwnAlone() {
        CompletableFuture<AppendResult> bobs = begin(1, "bob").orElseThrow();
        CompletableFuture<AppendResult> annsFirst = begin(2, "ann").orElseThrow();
        for (int i = 0; i < ForwardedPuts.MOST; i++) {
            var unused = begin(3 + i, "ann").orElseThrow();
        }

        assertThat(isRemembered(1, bobs)).isTrue();
        assertThat(isRemembered(2, annsFirst)).isFalse();
    }

    @Test
    void putIsForgottenSomeTimeAfterItsDeadline() {
        CompletableFuture<AppendResult> old = begin(1, "bob").orElseThrow();
        nanos += 10_000_001_001L;
        var unused = begin(2, "ann").orElseThrow();

        assertThat(isRemembered(1, old)).isFalse();
    }

    @Test
    void putThatWasReportedBeforeItCameIsNotStored() {
        puts.unanswered(CONNECTION, 1, "bob");

        assertThat(begin(1, "bob")).isEmpty();
        assertThat(begin(2, "bob")).isPresent();
    }
}
