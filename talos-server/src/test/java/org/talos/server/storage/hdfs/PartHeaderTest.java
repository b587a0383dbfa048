// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat;

class PartHeaderTest {
    private static final PartHeader HEADER = new PartHeader(0x1122334455667788L, 4096);

    @Test
    void headerStandsAsTheDocumentHasIt() throws Exception {
        byte[] bytes = HEADER.encode().array();

        assertThat(HexFormat.of().formatHex(bytes, 0, 28))
                .isEqualTo("54414c4f53534547" + "00000001" + "1122334455667788" + "0000000000001000");
        assertThat(ByteBuffer.wrap(bytes).getInt(28)).isEqualTo(JournalFormat.crc(bytes, 0, 28));
        assertThat(PartHeader.decode(ByteBuffer.wrap(bytes), "file")).contains(HEADER);
    }

    @Test
    void cutHeaderIsNone() throws Exception {
        assertThat(PartHeader.decode(HEADER.encode().limit(PartHeader.BYTES - 1), "file"))
                .isEmpty();
    }

    @Test
    void eachFlippedBitIsSeen() {
        for (int bit = 0; bit < PartHeader.BYTES * 8; bit++) {
            byte[] bytes = HEADER.encode().array();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);

            assertThatThrownBy(() -> PartHeader.decode(ByteBuffer.wrap(bytes), "the file"))
                    .isInstanceOfSatisfying(
                            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                    .hasMessageContaining("the file");
        }
    }

    @Test
    void otherVersionIsRefusedByName() {
        ByteBuffer bytes = HEADER.encode().putInt(8, 2);
        bytes.putInt(28, JournalFormat.crc(List.of(bytes.slice(0, 28))));

        assertThatThrownBy(() -> PartHeader.decode(bytes, "the file")).hasMessageContaining("format version 2");
    }
}
