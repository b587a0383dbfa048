// SPDX-License-Identifier: Apache-2.0
package org.talos.server.sdk;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.client.TalosEndpoint;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.server.runtime.time.SystemTime;
import org.talos.thrift.GalaxyTalosException;

/**
 * Calls as one of the public SDKs makes them: its headers, its signature, compact Thrift over HTTP/1.1, no repetition.
 * Only the Host header, in which the Java SDK leaves out the port, is that of the JDK's client.
 *
 * <p>Thread-safe. Every call blocks.
 */
final class PublicSdkCalls {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final int SEQUENCE = 1; // each call of theirs is a new client
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US)
            .withZone(ZoneOffset.UTC);

    /** The SDK that makes the calls. */
    enum Sdk {
        JAVA("Java-SDK/1.0.0 Java/1.8.0_292"),
        GO("Go-SDK/v1.0.0 Go/linux-amd64-go1.21");

        private final String userAgent;

        Sdk(String userAgent) {
            this.userAgent = userAgent;
        }

        /** The Java SDK writes it as a number, without leading zeros. */
        private String md5(byte[] body) {
            String hex = RequestSignature.md5Hex(body);
            return this == JAVA ? hex.replaceFirst("^0+", "") : hex;
        }
    }

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final InstantSource clock = SystemTime.wallClock();
    private final Sdk sdk;
    private final TalosEndpoint endpoint;

    PublicSdkCalls(Sdk sdk, TalosEndpoint endpoint) {
        this.sdk = sdk;
        this.endpoint = endpoint;
    }

    Sdk sdk() {
        return sdk;
    }

    /** Returns the deadline that requests carry, in ms since 1970. */
    long deadlineMillis() {
        return clock.millis() + TIMEOUT.toMillis();
    }

    /**
     * Makes a call.
     *
     * @param result is filled and returned
     * @throws GalaxyTalosException the server's answer
     * @throws IOException there is no answer of Thrift's
     */
    <R extends TBase<?, ?>> R call(String service, String method, TBase<?, ?> request, R result)
            throws TException, IOException, InterruptedException {
        receive(service, method, request, result);
        return result;
    }

    /** Makes a call that answers nothing. */
    void send(String service, String method, TBase<?, ?> request) throws TException, IOException, InterruptedException {
        receive(service, method, request, null);
    }

    private void receive(String service, String method, TBase<?, ?> request, @Nullable TBase<?, ?> result)
            throws TException, IOException, InterruptedException {
        byte[] body = bytes(Envelope.call(ThriftEncoding.COMPACT, method, SEQUENCE, request));
        HttpResponse<byte[]> answer = http.send(signed("/v1/api/" + service, method, body), BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new IOException(method + " answered " + answer.statusCode());
        }
        byte[] bytes = answer.body();
        Optional<GalaxyTalosException> error = Envelope.readReply(
                Wire.reader(ThriftEncoding.COMPACT, bytes, 0, bytes.length), method, SEQUENCE, result);
        if (error.isPresent()) {
            throw error.get();
        }
    }

    private HttpRequest signed(String path, String method, byte[] body) {
        Map<String, String> headers = new TreeMap<>();
        headers.put("Content-Type", ThriftEncoding.COMPACT.contentType());
        headers.put(RequestSignature.CONTENT_MD5, sdk.md5(body));
        headers.put(RequestSignature.TIMESTAMP, Long.toString(clock.millis() / 1_000));
        headers.put(RequestSignature.DATE, DATE.format(clock.instant()));
        Map<String, List<String>> toSign = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        headers.forEach((name, value) -> toSign.put(name, List.of(value)));
        String text = RequestSignature.stringToSign("POST", path, null, toSign);
        headers.put(
                RequestSignature.AUTHORIZATION,
                "Galaxy-V3 " + endpoint.accessKey() + ":" + RequestSignature.sign(endpoint.secretKey(), text));
        headers.put("User-Agent", sdk.userAgent);
        if (sdk == Sdk.JAVA) {
            headers.put("Accept", ThriftEncoding.COMPACT.contentType());
        }
        String id = HexFormat.of().toHexDigits(UUID.randomUUID().getMostSignificantBits(), 8);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        endpoint.uri().resolve(path + "?id=" + id + "&type=" + method))
                .timeout(TIMEOUT)
                .POST(BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        return request.build();
    }

    private static byte[] bytes(List<ByteBuffer> buffers) {
        ByteBuffer all = ByteBuffer.allocate(
                buffers.stream().mapToInt(ByteBuffer::remaining).sum());
        buffers.forEach(all::put);
        return all.array();
    }
}
