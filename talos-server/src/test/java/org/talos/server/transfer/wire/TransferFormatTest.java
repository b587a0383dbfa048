// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TProtocolException;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.common.error.Fault;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.storage.LogId;
import org.talos.server.transfer.wire.generated.OffsetResult;
import org.talos.server.transfer.wire.generated.PutCall;
import org.talos.server.transfer.wire.generated.UnansweredResult;
import org.talos.thrift.ErrorCode;

/** The example of docs/formats/transfer.md is what the code sends and reads. */
class TransferFormatTest {
    private static final Pattern LINE = Pattern.compile("^(\\w+) +((?:[0-9a-f]{2})++)$", Pattern.MULTILINE);
    private static final String PAGE = page();
    private static final long LEFT_NANOS = 10_000_000_000L;
    private static final long TIME_MILLIS = 1_700_000_000_000L;
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 3);
    private static final Block BLOCK =
            new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap("hello".getBytes(US_ASCII)));
    private static final Put PUT = new Put("sequence", Put.Origin.REPEATED, List.of(BLOCK));
    private static final ReadRequest READ = new ReadRequest(42, new BlockLimits(100, 1 << 20), 1, 500_000_000);
    private static final Slice SLICE = new Slice(List.of(new StoredBlock(42, TIME_MILLIS, BLOCK)), 7, 43);
    private static final Map<LogId, LogBounds> BOUNDS = Map.of(LOG, new LogBounds(7, 43, 1_234));
    private static final Deletion.Result DELETED = new Deletion.Result(7, 43, 36, 1_234);

    private static String page() {
        try {
            return Files.readString(Path.of(System.getProperty("talos.root"), "docs/formats/transfer.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Handshake handshake() throws IOException {
        TransferKey key = new TransferKey("0123456789abcdef0123456789abcdef".getBytes(US_ASCII));
        byte[] random = new byte[32];
        ByteBuffer.wrap(documented("reply")).get(12, random);
        return Handshake.ofHello(documented("hello"), random, key);
    }

    @Test
    void handshakeIsAsDocumented() throws Exception {
        assertThat(handshake().reply()).isEqualTo(documented("reply"));
        assertThat(handshake().serverProof()).isEqualTo(documented("proof"));
    }

    @Test
    void requestsAreSentAsDocumented() throws Exception {
        sends("put", 1, Request.put(LOG, PUT));
        sends("read", 2, Request.read(LOG, READ));
        sends("bounds", 3, Request.bounds(List.of(LOG)));
        sends("offsetAtTime", 4, Request.offsetAtTime(LOG, TIME_MILLIS));
        sends("await", 7, Request.awaitAny(Map.of(LOG, 43L), 500_000_000));
        sends("delete", 8, Request.delete(LOG, new Deletion(43, true)));
        sends("unanswered", 5, Request.unanswered(handshake().connectionId(), 1));
    }

    private static void sends(String name, long id, Request<?> request) throws Exception {
        List<ByteBuffer> message = request.message(id, "alice", LEFT_NANOS);

        assertThat(frame(handshake().requests(), id, message)).as(name).isEqualTo(documented(name));
    }

    @Test
    void answersAreSentAsDocumented() throws Exception {
        TalosException error = new TalosException(ErrorCode.HDFS_OPERATION_FAILED, Effect.UNKNOWN, "append failed");

        answers("putAnswer", 1, Answer.result(Request.PUT, 1, new OffsetResult(42)));
        answers("readAnswer", 2, Answer.result(Request.READ, 2, Structs.slice(SLICE)));
        answers("boundsAnswer", 3, Answer.result(Request.BOUNDS, 3, Structs.bounds(BOUNDS)));
        answers("timeAnswer", 4, Answer.result(Request.OFFSET_AT_TIME, 4, new OffsetResult(42)));
        answers("doneAnswer", 5, Answer.result(Request.UNANSWERED, 5, new UnansweredResult()));
        answers("awaitAnswer", 7, Answer.result(Request.AWAIT, 7, Structs.found(Set.of(LOG))));
        answers("deleteAnswer", 8, Answer.result(Request.DELETE, 8, Structs.deleted(DELETED)));
        answers("errorAnswer", 6, Answer.error(Request.PUT, 6, error));
    }

    private static void answers(String name, long id, List<ByteBuffer> message) throws Exception {
        assertThat(frame(handshake().answers(), id, message)).as(name).isEqualTo(documented(name));
    }

    @Test
    void documentedAnswersAreRead() throws Exception {
        assertThat(Answer.read(Request.put(LOG, PUT), received("putAnswer", 1))).isEqualTo(42);
        assertThat(Answer.read(Request.read(LOG, READ), received("readAnswer", 2)))
                .isEqualTo(SLICE);
        assertThat(Answer.read(Request.bounds(List.of(LOG)), received("boundsAnswer", 3)))
                .isEqualTo(BOUNDS);
        assertThat(Answer.read(Request.offsetAtTime(LOG, TIME_MILLIS), received("timeAnswer", 4)))
                .isEqualTo(42);
        assertThat(Answer.read(Request.unanswered(ByteBuffer.allocate(16), 1), received("doneAnswer", 5)))
                .isTrue();
        assertThat(Answer.read(Request.awaitAny(Map.of(LOG, 43L), 1), received("awaitAnswer", 7)))
                .containsExactly(LOG);
        assertThat(Answer.read(Request.delete(LOG, new Deletion(43, true)), received("deleteAnswer", 8)))
                .isEqualTo(DELETED);
        TalosException error = catchThrowableOfType(
                TalosException.class, () -> Answer.read(Request.put(LOG, PUT), received("errorAnswer", 6)));
        assertThat(error).hasMessage("append failed");
        assertThat(error.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(error.effect()).isEqualTo(Effect.UNKNOWN);
    }

    @Test
    void errorIsReadWithWhatWentWrong() throws Exception {
        TalosException error = TalosException.of(
                ErrorCode.HDFS_OPERATION_FAILED, Effect.NONE, Fault.DAMAGED, "messages are damaged", null);

        TalosException read = catchThrowableOfType(
                TalosException.class,
                () -> Answer.read(Request.put(LOG, PUT), sent(Answer.error(Request.PUT, 1, error))));

        assertThat(read.fault()).contains(Fault.DAMAGED);
        assertThat(read.effect()).isEqualTo(Effect.NONE);
    }

    /** Readers continue behind them, whichever server they ask. */
    @Test
    void errorIsReadWithTheDamagedOffsets() throws Exception {
        TalosException.Offsets offsets = new TalosException.Offsets(3, 40, 44);
        TalosException error =
                TalosException.damaged(ErrorCode.HDFS_OPERATION_FAILED, offsets, "40 to 44 are damaged", null);

        TalosException read = catchThrowableOfType(
                TalosException.class,
                () -> Answer.read(Request.read(LOG, READ), sent(Answer.error(Request.READ, 1, error))));

        assertThat(read).hasMessage("40 to 44 are damaged");
        assertThat(read.code()).isEqualTo(ErrorCode.HDFS_OPERATION_FAILED);
        assertThat(read.fault()).contains(Fault.DAMAGED);
        assertThat(read.effect()).isEqualTo(Effect.NONE);
        assertThat(read.damaged()).contains(offsets);
    }

    private static Frame sent(List<ByteBuffer> message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        message.forEach(each -> append(bytes, each));
        return new Frame(1, bytes.toByteArray());
    }

    @Test
    void smallBlockOfAPutDoesNotKeepItsFrame() throws Exception {
        byte[] message = message("put");
        PutCall call = new PutCall();
        var in = new Frame(1, message).reader();
        in.readMessageBegin();
        call.read(in);

        Put put = Structs.put(call);

        assertThat(put).isEqualTo(PUT);
        assertThat(call.getBlocks().get(0).bufferForBytes().array()).isSameAs(message); // read without a copy
        assertThat(put.blocks().get(0).bytes().array()).hasSize(5);
    }

    @Test
    void largeBlocksAreSentWithoutACopy() throws Exception {
        byte[] bytes = new byte[5_000];
        Block large = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(bytes));

        List<ByteBuffer> message = Request.put(LOG, new Put("s", Put.Origin.UNIQUE, List.of(large)))
                .message(1, "alice", LEFT_NANOS);
        bytes[17] = 1;

        assertThat(message).anySatisfy(each -> {
            assertThat(each.remaining()).isEqualTo(5_000);
            assertThat(each.get(17)).isEqualTo((byte) 1);
        });
    }

    @Test
    void answerThatLacksAFieldIsRefused() {
        byte[] message = message("putAnswer");
        byte[] empty = Arrays.copyOf(message, message.length - 3); // field 1 of the result ...
        empty[empty.length - 1] = 0; // ... is left out
        Frame frame = new Frame(1, Arrays.copyOf(empty, empty.length + 1));

        TException error = catchThrowableOfType(TException.class, () -> Answer.read(Request.put(LOG, PUT), frame));

        assertThat(error).isInstanceOf(TProtocolException.class).hasMessageContaining("offset");
    }

    private static byte[] documented(String name) {
        Matcher line = LINE.matcher(PAGE.replaceAll("\n +(?=[0-9a-f])", "")); // long ones continue in further lines
        while (line.find()) {
            if (line.group(1).equals(name)) {
                return HexFormat.of().parseHex(line.group(2));
            }
        }
        throw new AssertionError("the page has no example named " + name);
    }

    private static byte[] message(String name) {
        byte[] frame = documented(name);
        return Arrays.copyOfRange(frame, Frame.HEADER_BYTES, frame.length);
    }

    private static Frame received(String name, long id) {
        return new Frame(id, message(name));
    }

    private static byte[] frame(FrameMac mac, long id, List<ByteBuffer> message) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        append(all, mac.header(id, message));
        message.forEach(each -> append(all, each));
        return all.toByteArray();
    }

    private static void append(ByteArrayOutputStream all, ByteBuffer more) {
        byte[] bytes = new byte[more.remaining()];
        more.duplicate().get(bytes);
        all.writeBytes(bytes);
    }
}
