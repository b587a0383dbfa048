// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.common.auth.Authorization;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.Envelope;
import org.talos.common.wire.ThriftEncoding;
import org.talos.common.wire.Wire;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;

/**
 * Sends calls to one server, signed, and reads their answers. Learns from the server how far its own clock is off.
 *
 * <p>Thread-safe.
 */
public final class SignedCalls {
    private static final String USER_AGENT =
            "Talos-Java/0.1.0 Java/" + Runtime.version().feature();
    private static final DateTimeFormatter HTTP_DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final int SEQUENCE = 1;
    private static final int CLOCK_TOO_SKEWED = 412;
    private static final int SERVER_FAILED = 500;
    private static final int OVERLOADED = 503;
    /** Errors that leave open whether anything happened; all others say that nothing did. */
    private static final Set<ErrorCode> UNKNOWN_EFFECT = EnumSet.of(
            ErrorCode.UNKNOWN,
            ErrorCode.UNEXPECTED_ERROR,
            ErrorCode.HDFS_OPERATION_FAILED,
            ErrorCode.HBASE_OPERATION_FAILED,
            ErrorCode.ZOOKEEPER_OPERATION_FAILED,
            ErrorCode.INTERNAL_SERVER_ERROR);

    private static final Set<ErrorCode> RETRIABLE = EnumSet.of(
            ErrorCode.PARTITION_NOT_SERVING,
            ErrorCode.REST_SERVER_INIT_ERROR,
            ErrorCode.EXCESSIVE_PENDING_MESSAGE,
            ErrorCode.REQUEST_PROCESS_TIMEOUT,
            ErrorCode.THROTTLE_REJECT_ERROR);

    private final URI endpoint;
    private final Credential credential;
    private final Duration timeout;
    private final InstantSource clock;
    private final HttpClient http;
    private final AtomicLong clockOffsetSeconds = new AtomicLong();

    /** Calls of one caller to one server. */
    public SignedCalls(URI endpoint, Credential credential, Duration timeout, InstantSource clock) {
        this.endpoint = endpoint;
        this.credential = credential;
        this.timeout = timeout;
        this.clock = clock;
        http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .build();
    }

    /** The caller's clock, ms since 1970. */
    public long nowMillis() {
        return clock.millis();
    }

    /** By when a call that starts now is to be answered, ms since 1970. */
    public long deadlineMillis() {
        return nowMillis() + timeout.toMillis();
    }

    /**
     * Calls and waits.
     *
     * @param request null if the call has none
     * @param result empty, to be filled; null if the call has none
     * @return the result
     */
    public <R extends TBase<?, ?>> @Nullable R call(
            Service service, String method, @Nullable TBase<?, ?> request, @Nullable R result) throws CallFailure {
        byte[] body = encode(method, request);
        HttpResponse<byte[]> response = send(service, method, body);
        if (response.statusCode() == CLOCK_TOO_SKEWED && learnClock(response)) {
            response = send(service, method, body); // refused unexecuted: the same call may go again
        }
        if (response.statusCode() != 200) {
            throw refused(response);
        }
        decode(method, response.body(), result);
        return result;
    }

    private static byte[] encode(String method, @Nullable TBase<?, ?> request) throws CallFailure {
        try {
            List<ByteBuffer> parts = Envelope.call(ThriftEncoding.COMPACT, method, SEQUENCE, request);
            ByteBuffer body = ByteBuffer.allocate(
                    parts.stream().mapToInt(ByteBuffer::remaining).sum());
            parts.forEach(body::put);
            return body.array();
        } catch (TException e) {
            throw new CallFailure("MALFORMED", true, false, "the call can't be written: " + e.getMessage(), e);
        }
    }

    private HttpResponse<byte[]> send(Service service, String method, byte[] body) throws CallFailure {
        try {
            return http.send(request(service, method, body), HttpResponse.BodyHandlers.ofByteArray());
        } catch (ConnectException | HttpConnectTimeoutException e) {
            throw new CallFailure("CONNECTION", true, true, "no server at " + endpoint, e);
        } catch (IOException e) {
            throw new CallFailure("CONNECTION", false, true, "no answer from " + endpoint + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CallFailure("CONNECTION", false, false, "interrupted", e);
        }
    }

    private HttpRequest request(Service service, String method, byte[] body) {
        String contentType = ThriftEncoding.COMPACT.contentType();
        Map<String, List<String>> signed = Map.of(
                "content-type",
                List.of(contentType),
                RequestSignature.CONTENT_MD5,
                List.of(RequestSignature.md5Hex(body)),
                RequestSignature.DATE,
                List.of(HTTP_DATE.format(clock.instant())),
                RequestSignature.TIMESTAMP,
                List.of(Long.toString(clock.instant().getEpochSecond() + clockOffsetSeconds.get())));
        String signature = RequestSignature.sign(
                credential.secret(), RequestSignature.stringToSign("POST", service.path(), null, signed));
        String id = UUID.randomUUID().toString().substring(0, 8);
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        endpoint.resolve(service.path() + "?id=" + id + "&type=" + method))
                .timeout(timeout)
                .header("User-Agent", USER_AGENT)
                .header(
                        RequestSignature.AUTHORIZATION,
                        new Authorization(Authorization.GALAXY_V3, credential.keyId(), signature).header())
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        signed.forEach((name, values) -> request.header(name, values.get(0)));
        return request.build();
    }

    private boolean learnClock(HttpResponse<byte[]> response) {
        Optional<String> serverTime = response.headers().firstValue(RequestSignature.TIMESTAMP);
        if (serverTime.isEmpty() || !serverTime.get().matches("\\d{1,12}")) {
            return false;
        }
        clockOffsetSeconds.set(
                Long.parseLong(serverTime.get()) - clock.instant().getEpochSecond());
        return true;
    }

    private static CallFailure refused(HttpResponse<byte[]> response) {
        int status = response.statusCode();
        String sentence = new String(response.body(), java.nio.charset.StandardCharsets.UTF_8).strip();
        return new CallFailure(
                "HTTP_" + status,
                status < SERVER_FAILED || status == OVERLOADED, // others may come from something that stands between
                status >= SERVER_FAILED,
                status + ": " + sentence,
                null);
    }

    private static void decode(String method, byte[] answer, @Nullable TBase<?, ?> result) throws CallFailure {
        Optional<GalaxyTalosException> error;
        try {
            error = Envelope.readReply(
                    Wire.reader(ThriftEncoding.COMPACT, answer, 0, answer.length), method, SEQUENCE, result);
        } catch (TException e) {
            throw new CallFailure("MALFORMED", false, false, "the answer can't be read: " + e.getMessage(), e);
        }
        if (error.isPresent()) {
            ErrorCode code = error.get().getErrorCode();
            throw new CallFailure(
                    code == null ? "UNKNOWN" : code.name(),
                    code != null && !UNKNOWN_EFFECT.contains(code),
                    code != null && RETRIABLE.contains(code),
                    String.valueOf(error.get().getErrMsg()),
                    null);
        }
    }
}
