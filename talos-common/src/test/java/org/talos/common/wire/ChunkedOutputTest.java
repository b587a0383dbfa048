// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.thrift.protocol.TProtocol;
import org.junit.jupiter.api.Test;

class ChunkedOutputTest {
    private final ChunkedOutput output = new ChunkedOutput();
    private final TProtocol out = Wire.writer(ThriftEncoding.COMPACT, output);

    @Test
    void largeBinaryIsKeptByReference() throws Exception {
        byte[] large = new byte[5_000];
        ByteBuffer buffer = ByteBuffer.wrap(large, 100, 4_800);

        out.writeBinary(buffer);
        large[100] = 7;

        List<ByteBuffer> written = output.finish();
        assertThat(written).hasSize(2); // its length, and the bytes
        assertThat(written.get(1).remaining()).isEqualTo(4_800);
        assertThat(written.get(1).get(0)).isEqualTo((byte) 7);
        assertThat(buffer.remaining()).isEqualTo(4_800);
    }

    @Test
    void smallBinariesAreWrittenTogetherWithWhatIsAround() throws Exception {
        ByteBuffer small =
                ByteBuffer.allocateDirect(3).put(new byte[] {1, 2, 3}).flip();

        out.writeI32(-1);
        out.writeBinary(small.asReadOnlyBuffer());
        out.writeBinary(small);

        assertThat(output.finish()).containsExactly(ByteBuffer.wrap(new byte[] {1, 3, 1, 2, 3, 3, 1, 2, 3}));
    }
}
