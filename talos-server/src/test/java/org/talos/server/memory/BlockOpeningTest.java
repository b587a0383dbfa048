// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MissingLibraryException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

class BlockOpeningTest {
    /** Memory of one reader. Confined: the test. */
    private static final class Counted implements BlockOpening.Memory {
        private long reserved;

        @Override
        public long mostBytes() {
            return 1 << 20;
        }

        @Override
        public long freeBytes() {
            return (1 << 20) - reserved;
        }

        @Override
        public void reserve(long bytes) {
            reserved += bytes;
        }

        @Override
        public void release(long bytes) {
            reserved -= bytes;
        }
    }

    @Test
    void blockWhoseLibraryIsMissingIsRefusedAndNotCalledUnreadable() {
        MessageBlock block = new MessageBlock(0, 1, MessageCompressionType.SNAPPY, ByteBuffer.wrap(new byte[100]));
        Counted memory = new Counted();

        TalosException failure = catchThrowableOfType(
                TalosException.class,
                () -> new BlockOpening(1 << 16, 1, 1, 0)
                        .open(
                                block,
                                memory,
                                (opened, most) -> {
                                    throw new MissingLibraryException("cannot load it from /var/lib/talos");
                                },
                                kept -> 0));

        assertThat(failure.code()).isEqualTo(ErrorCode.OPERATION_FAILED);
        assertThat(failure.effect()).isEqualTo(Effect.NONE);
        assertThat(failure).hasMessageContaining("SNAPPY").message().doesNotContain("/var/lib");
        assertThat(memory.reserved).isZero();
    }
}
