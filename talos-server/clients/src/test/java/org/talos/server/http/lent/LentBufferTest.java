// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LentBufferTest {
    private static final int BYTES = 4 << 10;

    private final LentBuffers pool = new LentBuffers(1 << 20);
    private final List<String> ends = new ArrayList<>();
    private final Callback end = new Callback() {
        @Override
        public void succeeded() {
            ends.add("succeeded");
        }

        @Override
        public void failed(@Nullable Throwable cause) {
            ends.add("failed");
        }
    };

    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same bytes
    private boolean isUsedAgain(ByteBuffer buffer) {
        return pool.take(BYTES).clear() == buffer;
    }

    @Test
    void bufferIsUsedAgainOnceAllItsWritesHaveSucceeded() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();
        lent.lend(end).succeeded();
        assertThat(lent.clear()).isSameAs(buffer);
        lent.lend(end).succeeded();

        lent.close();

        assertThat(isUsedAgain(buffer)).isTrue();
        assertThat(ends).containsExactly("succeeded", "succeeded");
    }

    @Test
    void bufferThatWasNeverLentIsUsedAgain() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();

        lent.close();

        assertThat(isUsedAgain(buffer)).isTrue();
    }

    @Test
    void bufferWhoseWriteHasFailedIsNeverUsedAgain() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();
        lent.lend(end).failed(new EOFException("reset"));

        lent.close();

        assertThat(isUsedAgain(buffer)).isFalse();
        assertThat(ends).containsExactly("failed");
        assertThatThrownBy(() -> lent.lend(end)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ownerWhoseWriteHasFailedCannotFillTheBuffer() {
        LentBuffer lent = pool.take(BYTES);
        lent.lend(end).failed(new EOFException("reset"));

        assertThatThrownBy(lent::clear).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bufferThatIsClosedWhileItIsWrittenIsNeverUsedAgain() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();
        Callback write = lent.lend(end);

        lent.close();
        write.succeeded();
        lent.close();

        assertThat(isUsedAgain(buffer)).isFalse();
    }

    @Test
    void bufferThatIsLentCanNeitherBeFilledNorLentAgain() {
        LentBuffer lent = pool.take(BYTES);
        lent.lend(end);

        assertThatThrownBy(lent::clear).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lent.lend(end)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void secondSuccessOfAWriteDoesNotEndTheNextOne() {
        LentBuffer lent = pool.take(BYTES);
        Callback first = lent.lend(end);
        first.succeeded();
        lent.lend(end);

        first.succeeded();

        assertThat(ends).containsExactly("succeeded");
        assertThatThrownBy(lent::clear).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void successBehindAFailureDoesNotBringTheBufferBack() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();
        Callback write = lent.lend(end);
        write.failed(new EOFException("reset"));

        write.succeeded();
        lent.close();

        assertThat(ends).containsExactly("failed");
        assertThat(isUsedAgain(buffer)).isFalse();
    }

    @Test
    void bufferThatIsClosedTwiceIsInThePoolOnce() {
        LentBuffer lent = pool.take(BYTES);
        ByteBuffer buffer = lent.clear();

        lent.close();
        lent.close();

        assertThat(isUsedAgain(buffer)).isTrue();
        assertThat(isUsedAgain(buffer)).isFalse();
    }
}
