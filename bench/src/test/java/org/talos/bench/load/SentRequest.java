// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;

/** A request taken apart. Immutable. */
record SentRequest(String line, Map<String, List<String>> headers, byte[] body) {
    SentRequest(ByteBuffer request) {
        this(bytes(request));
    }

    private SentRequest(byte[] bytes) {
        this(
                head(bytes)[0],
                headers(head(bytes)),
                Arrays.copyOfRange(bytes, text(bytes).indexOf("\r\n\r\n") + 4, bytes.length));
    }

    private static byte[] bytes(ByteBuffer request) {
        byte[] bytes = new byte[request.remaining()];
        request.get(bytes);
        return bytes;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String[] head(byte[] bytes) {
        String text = text(bytes);
        return text.substring(0, text.indexOf("\r\n\r\n")).split("\r\n");
    }

    private static Map<String, List<String>> headers(String[] lines) {
        Map<String, List<String>> headers = new HashMap<>();
        for (String each : Arrays.asList(lines).subList(1, lines.length)) {
            int colon = each.indexOf(": ");
            headers.put(each.substring(0, colon).toLowerCase(Locale.ROOT), List.of(each.substring(colon + 2)));
        }
        return headers;
    }

    String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of("")).get(0);
    }

    /** Fills the request of a call of this method. */
    <T extends TBase<?, ?>> T call(String method, T request) throws TException {
        var in = Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length);
        assertThat(Envelope.readHead(in).method()).isEqualTo(method);
        Envelope.readArguments(in, request);
        return request;
    }
}
