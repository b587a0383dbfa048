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
public final class SentRequest {
    private final String line;
    private final Map<String, List<String>> headers = new HashMap<>();
    private final byte[] body;

    /** @param request as a loop would send it */
    public SentRequest(ByteBuffer request) {
        byte[] bytes = new byte[request.remaining()];
        request.get(bytes);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        String[] lines = text.substring(0, end).split("\r\n");
        line = lines[0];
        for (String each : Arrays.asList(lines).subList(1, lines.length)) {
            int colon = each.indexOf(": ");
            headers.put(each.substring(0, colon).toLowerCase(Locale.ROOT), List.of(each.substring(colon + 2)));
        }
        body = Arrays.copyOfRange(bytes, end + 4, bytes.length);
    }

    /** The first line of the head. */
    public String line() {
        return line;
    }

    Map<String, List<String>> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    String header(String name) {
        return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of("")).get(0);
    }

    /** Fills the request of a call of this method. */
    public <T extends TBase<?, ?>> T call(String method, T request) throws TException {
        var in = Wire.reader(ThriftEncoding.COMPACT, body, 0, body.length);
        assertThat(Envelope.readHead(in).method()).isEqualTo(method);
        Envelope.readArguments(in, request);
        return request;
    }
}
