// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String IPV4 = "cb007107" + "7f000001" + "c000" + "1f90"; // 203.0.113.7:49152 to 127.0.0.1:8080
    private static final String TLS = "20" + "0008" + "01" + "00000000" + "210000"; // PP2_CLIENT_SSL, no version

    private static byte[] binary(String commandAndKind, String fields) {
        byte[] bytes = HexFormat.of().parseHex(fields);
        return HexFormat.of()
                .parseHex(SIGNATURE + commandAndKind + HexFormat.of().toHexDigits((short) bytes.length) + fields);
    }

    /** Reads it with a request behind it, which stays. */
    private static ProxyHeader read(byte[] header) throws IOException {
        byte[] request = "GET /".getBytes(ISO_8859_1);
        ByteBuffer all = ByteBuffer.allocate(header.length + request.length)
                .put(header)
                .put(request)
                .flip();
        ProxyHeader read = ProxyHeader.read(all);
        assertThat(all.remaining()).isEqualTo(request.length);
        for (int cut = 0; cut < header.length; cut++) {
            ByteBuffer part = ByteBuffer.wrap(header, 0, cut);
            assertThat(ProxyHeader.read(part)).isNull();
            assertThat(part.position()).isZero();
        }
        return requireNonNull(read);
    }

    @ParameterizedTest
    @CsvSource({
        "PROXY TCP4 203.0.113.7 127.0.0.1 49152 8080, /203.0.113.7:49152",
        "PROXY TCP6 2001:db8::1 ::1 49152 8080, /[2001:db8:0:0:0:0:0:1]:49152"
    })
    void lineNamesTheClient(String line, String client) throws Exception {
        ProxyHeader header = read((line + "\r\n").getBytes(ISO_8859_1));

        assertThat(header.client()).hasToString(client);
        assertThat(header.isOfProxy()).isFalse();
        assertThat(header.isOverTls()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXY UNKNOWN", "PROXY UNKNOWN ffff::1 ::1 1 2"})
    void clientThatTheProxyDoesNotKnowIsNotTheProxy(String line) throws Exception {
        ProxyHeader header = read((line + "\r\n").getBytes(ISO_8859_1));

        assertThat(header.client()).isNull();
        assertThat(header.isOfProxy()).isFalse();
    }

    @Test
    void bytesNameTheClientAndWhetherItSpeaksTls() throws Exception {
        assertThat(read(binary("2111", IPV4)))
                .isEqualTo(new ProxyHeader(false, read(binary("2111", IPV4)).client(), false));
        assertThat(read(binary("2111", IPV4)).client()).hasToString("/203.0.113.7:49152");
        assertThat(read(binary("2111", IPV4 + TLS)).isOverTls()).isTrue();
        assertThat(read(binary("2111", IPV4 + "01" + "0002" + "6832" + TLS)).isOverTls())
                .isTrue();
        assertThat(read(binary("2111", IPV4 + TLS.replace("000801", "000800"))).isOverTls())
                .isFalse();
        String ipv6 = "20010db8000000000000000000000001" + "00000000000000000000000000000001" + "c000" + "1f90";
        assertThat(read(binary("2121", ipv6)).client()).hasToString("/[2001:db8:0:0:0:0:0:1]:49152");
    }

    @Test
    void connectionOfTheProxyItselfIsToldFromOneOfAnUnknownClient() throws Exception {
        assertThat(read(binary("2000", "")).isOfProxy()).isTrue();
        assertThat(read(binary("2011", IPV4)).isOfProxy()).isTrue();
        assertThat(read(binary("2011", IPV4)).client()).isNull();
        for (String unknown : new String[] {"2100", "2112", "2122"}) { // unspecified, UDP
            String fields = unknown.equals("2122") ? "00".repeat(36) : unknown.equals("2112") ? IPV4 : "";

            assertThat(read(binary(unknown, fields))).isEqualTo(new ProxyHeader(false, null, false));
        }
        assertThat(read(binary("2131", "61".repeat(216)))).isEqualTo(new ProxyHeader(false, null, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n",
                "PRI * HTTP/2.0\r\n",
                "\u0016\u0003\u0001",
                "PROXY TCP4 203.0.113.7 127.0.0.1 49152 8080\n",
                "PROXY TCP4 203.0.113.7 127.0.0.1 49152\r\n",
                "PROXY TCP4 203.0.113.7 127.0.0.1 49152 8080 1\r\n",
                "PROXY TCP4 ::1 ::1 49152 8080\r\n",
                "PROXY TCP6 127.0.0.1 127.0.0.1 49152 8080\r\n",
                "PROXY TCP4 localhost 127.0.0.1 49152 8080\r\n",
                "PROXY TCP4 203.0.113.7 127.0.0.1 65536 8080\r\n",
                "PROXY TCP4 203.0.113.7 127.0.0.1 -1 8080\r\n",
                "PROXY UDP4 203.0.113.7 127.0.0.1 49152 8080\r\n",
                "PROXY \r\n",
                "PROXY\r\n"
            })
    void whatIsNoHeaderIsRefused(String text) {
        assertThatThrownBy(() -> ProxyHeader.read(ByteBuffer.wrap(text.getBytes(ISO_8859_1))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void lineWithoutAnEndIsRefusedOnceItIsTooLong() throws Exception {
        byte[] line = ("PROXY UNKNOWN " + "x".repeat(200)).getBytes(ISO_8859_1);

        assertThat(ProxyHeader.read(ByteBuffer.wrap(line, 0, 106))).isNull();
        assertThatThrownBy(() -> ProxyHeader.read(ByteBuffer.wrap(line))).hasMessageContaining("without an end");
    }

    @Test
    void bytesThatAreNoHeaderAreRefused() {
        for (byte[] wrong : new byte[][] {
            binary("1111", IPV4),
            binary("2211", IPV4),
            binary("2111", IPV4.substring(2)),
            binary("2141", IPV4),
            binary("2111", IPV4 + "20"),
            binary("2111", IPV4 + "200008"),
            binary("2111", "00".repeat(1_024))
        }) {
            assertThatThrownBy(() -> ProxyHeader.read(ByteBuffer.wrap(wrong))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void anyBytesAreAHeaderOrRefused() {
        Random random = new Random(17);
        byte[] good = binary("2111", IPV4 + TLS);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length + 1));
            for (int change = random.nextInt(3); change > 0 && bytes.length > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                ProxyHeader header = ProxyHeader.read(ByteBuffer.wrap(bytes));
                assertThat(header == null
                                || header.isOfProxy()
                                || !header.toString().isEmpty())
                        .isTrue();
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("PROXY protocol");
            }
        }
    }
}
