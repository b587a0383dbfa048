// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.log.LogFixture.put;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class EntryFormatTest {
    private static final Block HELLO =
            new Block(2, 0, 1000, ByteBuffer.allocate(0), ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8)));

    /** The example of the document. */
    private static byte[] example() throws Exception {
        String document = Files.readString(Path.of("..", "docs", "formats", "log.md"));
        return HexFormat.of().parseHex(document.split("```")[1].replaceAll("\\s", ""));
    }

    @Test
    void exampleOfTheDocumentIsWhatIsWritten() throws Exception {
        ByteBuffer head = EntryFormat.head(put("p#7", HELLO), 0, EntryFormat.checksum(HELLO.bytes()), 42, 2000);

        ByteBuffer entry = ByteBuffer.allocate(head.remaining() + 5)
                .put(head)
                .put(HELLO.bytes().duplicate());

        assertThat(entry.array()).isEqualTo(example());
    }

    @Test
    void exampleOfTheDocumentIsRead() throws Exception {
        ByteBuffer bytes = ByteBuffer.wrap(example());

        EntryFormat.Header header = EntryFormat.readHeader(bytes).orElseThrow();
        EntryFormat.Entry entry = EntryFormat.readEntry(bytes, header).orElseThrow();

        assertThat(entry.sequenceId()).isEqualTo("p#7");
        assertThat(entry.stored()).isEqualTo(new StoredBlock(42, 2000, HELLO));
        assertThat(header.entryBytes()).isEqualTo(bytes.remaining());
    }

    @Test
    void attributesComeBackAsTheyWere() {
        ByteBuffer attributes = ByteBuffer.wrap(new byte[] {1, 2, 3});
        Block block = new Block(1, 2, 3, attributes, HELLO.bytes());
        ByteBuffer head = EntryFormat.head(put("", block), 0, EntryFormat.checksum(block.bytes()), 0, 0);
        ByteBuffer entry = ByteBuffer.allocate(head.remaining() + 5)
                .put(head)
                .put(block.bytes().duplicate())
                .flip();

        assertThat(EntryFormat.readHeader(entry).flatMap(header -> EntryFormat.readEntry(entry, header)))
                .hasValueSatisfying(read -> assertThat(read.stored().block()).isEqualTo(block));
    }
}
