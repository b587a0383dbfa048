// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.MessageDecoder;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.service.call.ServiceAnswer.Delivery;
import org.talos.server.service.message.StoredPut;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The example of docs/formats/stream.md is what the code reads and writes; what is not of that form is refused. */
class StreamFormatTest {
    private static final Pattern LINE =
            Pattern.compile("^(\\w+) +((?:[0-9a-f]{2})++(?:\\n {4,}(?:[0-9a-f]{2})++)*+)$", Pattern.MULTILINE);
    private static final String PAGE = page();
    private static final long TIME = 1_700_000_000_000L;

    private boolean hasMemory = true;
    private long admitted;
    private final MessageDecoder decoder = new MessageDecoder((bytes, key, body) -> {
        admitted = bytes;
        return hasMemory;
    });

    private static String page() {
        try {
            return Files.readString(Path.of(System.getProperty("talos.root"), "docs/formats/stream.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] documented(String name) {
        Matcher lines = LINE.matcher(PAGE);
        while (lines.find()) {
            if (lines.group(1).equals(name)) {
                return HexFormat.of().parseHex(lines.group(2).replaceAll("\\s", ""));
            }
        }
        throw new AssertionError("the page has no example named " + name);
    }

    private ClientMessage read(byte[] bytes) throws StreamEndException {
        return Objects.requireNonNull(decoder.take(ByteBuffer.wrap(bytes), true));
    }

    private static byte[] bytes(List<ByteBuffer> parts) {
        ByteBuffer all = ByteBuffer.allocate(
                parts.stream().mapToInt(ByteBuffer::remaining).sum());
        parts.forEach(part -> all.put(part.duplicate()));
        return all.array();
    }

    private static InFlightPut put(int partition, long number) {
        return new InFlightPut(new ClientMessage.PutPassedOver(false, partition, "", number, 0, 0), partition);
    }

    @Test
    void clientsMessagesAreReadAsDocumented() throws Exception {
        byte[] put = documented("put");
        assertThat(read(put))
                .isEqualTo(new ClientMessage.PutBlock(
                        true, 0, 3, 7, 1, TIME, ByteBuffer.wrap("hello".getBytes(US_ASCII)), put.length, 5));
        assertThat(admitted).isEqualTo(put.length);
        byte[] message = documented("putMessage");
        ClientMessage.PutMessage read = (ClientMessage.PutMessage) read(message);
        assertThat(read.message()).isEqualTo(ByteBuffer.wrap("hello".getBytes(US_ASCII)));
        assertThat(List.of(read.key(), read.partition(), read.number(), read.createTime(), read.bytes()))
                .isEqualTo(List.of("k", -1, 8L, TIME, message.length));
        assertThat(read(documented("subscribe"))).isEqualTo(new ClientMessage.Subscribe(3, -1));
        assertThat(read(documented("unsubscribe"))).isEqualTo(new ClientMessage.Unsubscribe(3));
        assertThat(read(documented("grant"))).isEqualTo(new ClientMessage.Credit(65_536));
        assertThat(read(documented("join"))).isEqualTo(new ClientMessage.Join("ship", "m1", 20_000, true));
        assertThat(read(documented("commit"))).isEqualTo(new ClientMessage.Commit(3, 13));
        assertThat(read(documented("leave"))).isEqualTo(new ClientMessage.Leave());
    }

    @Test
    void serversMessagesAreWrittenAsDocumented() {
        InFlightPut stored = put(3, 7);
        stored.stored(new StoredPut(12, Delivery.IGNORED));
        MessageBlock block =
                new MessageBlock(12, 1, MessageCompressionType.NONE, ByteBuffer.wrap("hello".getBytes(US_ASCII)));
        block.setAppendTimestamp(TIME);

        assertThat(ServerMessages.BINARY
                        .opened(new StreamTerms(2 << 20, 2 << 20, 4, true))
                        .array())
                .isEqualTo(documented("opened"));
        assertThat(ServerMessages.BINARY.stored(List.of(stored)).array()).isEqualTo(documented("stored"));
        assertThat(ServerMessages.BINARY
                        .refused(put(3, 8), Problem.refused(503, "no-memory", "none"))
                        .array())
                .startsWith(documented("refusedHead"));
        assertThat(ServerMessages.BINARY.credit(37).array()).isEqualTo(documented("credit"));
        assertThat(bytes(ServerMessages.block(3, block, ByteBuffer.allocate(0), 12, 13)))
                .isEqualTo(documented("block"));
        assertThat(ServerMessages.BINARY.move(250, false).array()).isEqualTo(documented("move"));
        assertThat(ServerMessages.BINARY.move(250, true).array()).isEqualTo(documented("moveOfADrained"));
    }

    @Test
    void groupsMessagesAreWrittenAsDocumented() {
        ServerMessages binary = ServerMessages.BINARY;
        Problem problem = Problem.refused(503, "no-memory", "none");

        assertThat(binary.joined("m1", 20_000).array()).isEqualTo(documented("joined"));
        assertThat(binary.assigned(3, 12, 2).array()).isEqualTo(documented("assigned"));
        assertThat(binary.revoking(3, 20_000).array()).isEqualTo(documented("revoking"));
        assertThat(binary.revoked(3).array()).isEqualTo(documented("revoked"));
        assertThat(binary.committed(3, 13).array()).isEqualTo(documented("committed"));
        assertThat(binary.commitRefused(3, 13, problem).array()).startsWith(documented("commitHead"));
        assertThat(binary.left(null).array()).isEqualTo(documented("left"));
        assertThat(binary.left(problem).array())
                .startsWith(documented("left"))
                .hasSizeGreaterThan(documented("left").length);
    }

    @Test
    void messageMayComeInPiecesOfAnySize() throws Exception {
        byte[] message = documented("putMessage");
        for (int at = 0; at < message.length - 1; at++) {
            assertThat(decoder.take(ByteBuffer.wrap(message, at, 1), false)).isNull();
            assertThat(decoder.isWithin()).isTrue();
        }

        ClientMessage.PutMessage read = (ClientMessage.PutMessage)
                Objects.requireNonNull(decoder.take(ByteBuffer.wrap(message, message.length - 1, 1), true));

        assertThat(read.key()).isEqualTo("k");
        assertThat(read.message()).isEqualTo(ByteBuffer.wrap("hello".getBytes(US_ASCII)));
        assertThat(decoder.isWithin()).isFalse();
    }

    @Test
    void putWithoutMemoryIsPassedOverAndTheNextIsRead() throws Exception {
        hasMemory = false;
        byte[] message = documented("putMessage");

        assertThat(read(message)).isEqualTo(new ClientMessage.PutPassedOver(false, -1, "k", 8, message.length, 1));

        hasMemory = true;
        assertThat(read(documented("put"))).isInstanceOf(ClientMessage.PutBlock.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "06000000",
                "81000000",
                "030000",
                "03000001000000030000000000000000",
                "0300000000000003fffffffffffffffd",
                "030000000000000300000000000000000000",
                "0500000080000000",
                "01020000000000030000000000000007000000010000018bcfe568000000000568656c6c6f",
                "01000001000000030000000000000007000000010000018bcfe568000000000568656c6c6f",
                "01000000000000030000000000000007ffffffff0000018bcfe568000000000568656c6c6f",
                "01000000000000030000000000000007000000010000018bcfe56800ffffffff",
                "01000000000000030000000000000007000000010000018bcfe568000000000668656c6c6f",
                "01000000000000030000000000000007000000010000018bcfe568000000000468656c6c6f",
                "0200ffffffffffff00000000000000080000018bcfe56800000000056b68656c6c6f",
                "02000001ffffffff00000000000000080000018bcfe5680000000005ff68656c6c6f",
                "0602000100000000000000006d",
                "060000010000000000000001" + "6d",
                "060000018000000000000000" + "6d",
                "060004010000000000000000",
                "060000010000000000000000" + "ff",
                "07000000000000038000000000000000",
                "070000000000000300000000000000",
                "0800000000000001"
            })
    void whatIsNotOfTheFormIsMalformed(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> read(bytes))
                .isInstanceOfSatisfying(
                        StreamEndException.class, e -> assertThat(e.code()).isEqualTo(CloseCode.MALFORMED));
    }

    @Test
    void lengthThatMerelyClaimsIsNotAllocated() {
        MessageDecoder refusing = new MessageDecoder((bytes, key, body) -> {
            throw new StreamEndException(CloseCode.TOO_LARGE, "too large");
        });
        byte[] head = HexFormat.of().parseHex("01000000000000030000000000000007000000010000018bcfe568007fffffff");

        assertThatThrownBy(() -> refusing.take(ByteBuffer.wrap(head), false))
                .isInstanceOf(StreamEndException.class)
                .hasMessage("too large");
    }
}
