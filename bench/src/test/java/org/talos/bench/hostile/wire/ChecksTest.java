// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ChecksTest {
    private static final byte[] PAGE = "the page that everybody may read".getBytes(StandardCharsets.US_ASCII);

    private static void feed(Check check, byte[] bytes) throws ForeignBytesException {
        for (byte each : bytes) { // as unluckily cut as a connection may be
            check.accept(ByteBuffer.wrap(new byte[] {each}));
        }
        check.accept(ByteBuffer.allocate(0));
    }

    private static void feed(Check check, String text) throws ForeignBytesException {
        feed(check, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static byte[] frame(int type, int flags, int stream, String payload) {
        byte[] bytes = payload.getBytes(StandardCharsets.ISO_8859_1);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(ByteBuffer.allocate(9)
                .put((byte) 0)
                .putShort((short) bytes.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .array());
        frame.writeBytes(bytes);
        return frame.toByteArray();
    }

    @Test
    void secretIsFoundThoughItIsCutAndBeginsTwice() {
        assertThatThrownBy(() -> feed(new SecretCheck("ababc"), "xabababcx")).hasMessageContaining("secret");
    }

    @Test
    void bytesWithoutTheSecretAreAccepted() throws ForeignBytesException {
        feed(new SecretCheck("ababc"), "abab abac babc");
    }

    @Test
    void answersOfHttpAreFollowedByAnswersOfAnyFraming() throws ForeignBytesException {
        HttpCheck answers = HttpCheck.of(() -> new PrefixCheck(PAGE));

        feed(answers, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nthe page");
        feed(answers, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nthe \r\n4\r\npage\r\n0\r\n\r\n");
        feed(answers, "HTTP/1.1 204 No Content\r\n\r\n");
        feed(answers, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 7\r\n\r\nnot now");

        assertThat(answers.answers()).isEqualTo(4);
        assertThat(answers.status()).isEqualTo(503);
    }

    @Test
    void bodyThatIsNotThePageIsForeign() {
        assertThatThrownBy(() -> feed(
                        HttpCheck.of(() -> new PrefixCheck(PAGE)),
                        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nthe pafe"))
                .isInstanceOf(ForeignBytesException.class);
    }

    @Test
    void bytesBehindAnAnswerAreForeign() {
        assertThatThrownBy(() ->
                        feed(HttpCheck.of(() -> new PrefixCheck(PAGE)), "HTTP/1.1 204 No Content\r\n\r\nsomething\r\n"))
                .isInstanceOf(ForeignBytesException.class);
    }

    @Test
    void framesOfTwoStreamsContinueThePageEach() throws ForeignBytesException {
        FramesCheck frames = new FramesCheck(() -> new PrefixCheck(PAGE));

        feed(frames, frame(Http2.SETTINGS, 0, 0, "123456"));
        feed(frames, frame(Http2.HEADERS, 4, 1, "\u0088rest"));
        feed(frames, frame(Http2.HEADERS, 4, 3, " \u0088rest"));
        feed(frames, frame(Http2.DATA, 0, 1, "the "));
        feed(frames, frame(Http2.DATA, 0, 3, "the page"));
        feed(frames, frame(Http2.DATA, Http2.END_STREAM, 1, "page"));
        feed(frames, frame(Http2.GOAWAY, 0, 0, "12345678"));

        assertThat(frames.ended()).isEqualTo(1);
        assertThat(frames.refused()).isZero();
        assertThat(frames.dataBytes()).isEqualTo(16);
        assertThat(frames.isGoneAway()).isTrue();
    }

    @Test
    void frameThatSkipsBytesOfThePageIsForeign() throws ForeignBytesException {
        FramesCheck frames = new FramesCheck(() -> new PrefixCheck(PAGE));
        feed(frames, frame(Http2.HEADERS, 4, 1, "\u0088"));

        assertThatThrownBy(() -> feed(frames, frame(Http2.DATA, 0, 1, "page"))).hasMessageContaining("from 0 on");
    }

    @Test
    void bytesThatAreNoFrameAreForeign() {
        assertThatThrownBy(() -> feed(new FramesCheck(() -> Check.ANY), "{\"value\":\"x\"}"))
                .hasMessageContaining("no frame");
    }

    @Test
    void longStringsAreRunsOfTheAttackersContent() throws ForeignBytesException {
        feed(new OwnJsonCheck(), "id: 7\ndata: {\"offset\":7,\"value\":\"" + "\\u0007".repeat(2_000) + "\"}\n\n");

        assertThatThrownBy(() -> feed(new OwnJsonCheck(), "{\"value\":\"" + "abc ".repeat(300) + "\"}"))
                .isInstanceOf(ForeignBytesException.class);
        assertThatThrownBy(() -> feed(new OwnJsonCheck(), "Secrets of others"))
                .isInstanceOf(ForeignBytesException.class);
    }

    @Test
    void textsOfAWebSocketAreCheckedAndControlFramesSkipped() throws ForeignBytesException {
        StringBuilder texts = new StringBuilder();
        WebSocketCheck socket = new WebSocketCheck(
                bytes -> texts.append(StandardCharsets.US_ASCII.decode(bytes)), () -> texts.append('|'));

        feed(socket, "\u0001\u0003one\u0080\u0003two\u008a\u0000\u0081\u0005three");

        assertThat(texts.toString()).isEqualTo("onetwo|three|");
        assertThatThrownBy(() -> feed(socket, "no frame")).isInstanceOf(ForeignBytesException.class);
    }

    @Test
    void endOfAWebSocketIsKnown() throws ForeignBytesException {
        WebSocketCheck socket = new WebSocketCheck(bytes -> {}, () -> {});
        feed(socket, "\u0081\u0003one");
        assertThat(socket.isClosed()).isFalse();

        feed(socket, "\u0088\u0004\u0003\u00f5no"); // 1013: later

        assertThat(socket.isClosed()).isTrue();
    }

    @Test
    void alertsOfTlsAreAccepted() throws ForeignBytesException {
        feed(new TlsAlertCheck(), "\u0015\u0003\u0003\u0000\u0002\u00022");

        assertThatThrownBy(() -> feed(new TlsAlertCheck(), "HTTP/1.1 400")).hasMessageContaining("no alert");
    }
}
