// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.talos.client.ScriptedServer.done;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.status;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.Nobody;
import org.talos.client.ScriptedServer;
import org.talos.client.ScriptedServer.Asked;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.common.error.Effect;
import org.talos.common.error.ErrorTraits;
import org.talos.common.error.Exceptions;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GalaxyTalosException;
import org.talos.thrift.TopicTalosResourceName;

@Timeout(30)
class SignedCallsTest {
    private static final long NOW = 1_700_000_000;
    private static final Credential CREDENTIAL = new Credential("AKTEST0000000000TEST", "a-secret");

    private ScriptedServer server;
    private SignedCalls calls;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        calls = new SignedCalls(CREDENTIAL, InstantSource.fixed(Instant.ofEpochSecond(NOW)), Optional.empty());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void delete() throws CallFailure {
        delete(server.uri());
    }

    private void delete(URI uri) throws CallFailure {
        var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));
        try {
            calls.call(uri, Service.TOPIC, "deleteTopic", request, null, Duration.ofSeconds(10))
                    .join();
        } catch (CompletionException e) {
            throw (CallFailure) e.getCause();
        }
    }

    private CallFailure failure() {
        return catchThrowableOfType(CallFailure.class, this::delete);
    }

    @Test
    void requestIsWhatTheContractSays() throws Exception {
        server.then(done());

        delete();

        Asked asked = server.asked().get(0);
        assertThat(asked.method()).isEqualTo("POST");
        assertThat(asked.uri()).matches("/v1/api/topic\\?id=[0-9a-f]{8}&type=deleteTopic");
        assertThat(asked.header("Content-Type")).isEqualTo("application/x-thrift-compact");
        assertThat(asked.header("User-Agent")).startsWith("Talos-Java/");
        assertThat(asked.header("Content-Length")).isEqualTo(Integer.toString(asked.body().length));
        assertThat(asked.header("X-Xiaomi-Timestamp")).isEqualTo("1700000000");
        assertThat(asked.header("x-xiaomi-date")).isEqualTo("Tue, 14 Nov 2023 22:13:20 GMT");
        assertThat(asked.header("X-Xiaomi-Content-MD5")).isEqualTo(RequestSignature.md5Hex(asked.body()));
        assertThat(asked.request(new DeleteTopicRequest())
                        .getTopicTalosResourceName()
                        .getTopicTalosResourceName())
                .isEqualTo("me#orders#1");
    }

    @Test
    void openingOfAStreamIsSignedWithItsQuery() {
        Map<String, String> headers = calls.signedGet(server.uri(), "/v1/topics/orders/stream", "window=1&producer=a");

        assertThat(headers.get("X-Xiaomi-Request-Digest"))
                .isEqualTo(RequestDigest.of("window=1&producer=a", List.of()));
        Map<String, List<String>> signed = new HashMap<>();
        headers.forEach((name, value) -> signed.put(name, List.of(value)));
        String text = RequestSignature.stringToSign("GET", "/v1/topics/orders/stream", null, signed);
        assertThat(text).contains("x-xiaomi-request-digest:v1:");
        assertThat(headers.get("Authorization"))
                .isEqualTo("Galaxy-V3 " + CREDENTIAL.keyId() + ":" + RequestSignature.sign(CREDENTIAL.secret(), text));
    }

    @Test
    void callsHaveNoDigestAsThePublicSdksHaveNone() throws Exception {
        server.then(done());

        delete();

        assertThat(server.asked().get(0).headers().keySet()).noneMatch("X-Xiaomi-Request-Digest"::equalsIgnoreCase);
    }

    @Test
    void answerOfUnknownLengthIsReadToItsEnd() {
        server.then((exchange, body) -> {
            exchange.sendResponseHeaders(400, 0); // in chunks
            exchange.getResponseBody().write("half ".getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            exchange.getResponseBody().write("and half".getBytes(StandardCharsets.UTF_8));
        });

        assertThat(failure()).hasMessageContaining("half and half");
    }

    @Test
    void answerThatIsShorterThanAnnouncedIsNone() {
        server.then((exchange, body) -> {
            exchange.sendResponseHeaders(200, 100);
            exchange.getResponseBody().write(new byte[99]);
            exchange.getResponseBody().flush();
            throw new IOException("made to fail");
        });

        assertThat(failure().isConnection()).isTrue();
    }

    @Test
    void dateHasEnglishNamesAndTwoDigitsForTheDay() throws Exception {
        List<Instant> instants = new ArrayList<>(List.of(Instant.parse("1994-11-06T08:49:37Z")));
        List<String> dates = new ArrayList<>(List.of("Sun, 06 Nov 1994 08:49:37 GMT"));
        for (int i = 0; i < 12; i++) {
            ZonedDateTime at = ZonedDateTime.of(2023, 1 + i, 10 + i, 0, 0, i, 0, ZoneOffset.UTC);
            instants.add(at.toInstant());
            dates.add(
                    DateTimeFormatter.RFC_1123_DATE_TIME.format(at)); // writes 6 Nov, but is the same from the 10th on
        }
        for (Instant instant : instants) {
            server.then(done());
            calls = new SignedCalls(CREDENTIAL, InstantSource.fixed(instant), Optional.empty());
            delete();
        }

        assertThat(server.asked())
                .extracting(each -> each.header("x-xiaomi-date"))
                .isEqualTo(dates);
    }

    @Test
    void signatureCoversTheHeadersAsTheyWereSent() throws Exception {
        server.then(done());

        delete();

        Asked asked = server.asked().get(0);
        String signed = RequestSignature.stringToSign("POST", "/v1/api/topic", null, asked.headers());
        assertThat(asked.header("Authorization"))
                .isEqualTo(
                        "Galaxy-V3 " + CREDENTIAL.keyId() + ":" + RequestSignature.sign(CREDENTIAL.secret(), signed));
    }

    @Test
    void clockIsCorrectedOnceFromARefusalAndForLaterCalls() throws Exception {
        String serverTime = Long.toString(NOW + 7_200);
        server.then(status(412, Map.of("X-Xiaomi-Timestamp", serverTime), "clock"))
                .then(done())
                .then(done());

        delete();
        delete();

        assertThat(server.asked())
                .extracting(each -> each.header("X-Xiaomi-Timestamp"))
                .containsExactly("1700000000", serverTime, serverTime);
        assertThat(server.asked())
                .as("the date stays the client's own: the server takes deadlines from it")
                .extracting(each -> each.header("x-xiaomi-date"))
                .containsOnly("Tue, 14 Nov 2023 22:13:20 GMT");
    }

    @Test
    void clockThatCannotBeCorrectedIsTriedOnce() {
        for (int i = 0; i < 5; i++) {
            server.then(status(412, Map.of("X-Xiaomi-Timestamp", "1800000000"), "clock"));
        }

        CallFailure failure = failure();

        assertThat(failure.code()).isEqualTo("HTTP_412");
        assertThat(failure.surelyNotDone()).isTrue();
        assertThat(failure.retriable())
                .as("the clock may have moved between the two")
                .isTrue();
        assertThat(server.asked()).hasSize(2);
    }

    @Test
    void clockOfOneServerIsNotThatOfAnother() throws Exception {
        try (ScriptedServer other = new ScriptedServer()) {
            server.then(status(412, Map.of("X-Xiaomi-Timestamp", Long.toString(NOW + 7_200)), "clock"))
                    .then(done())
                    .then(done());
            other.then(done());

            delete();
            delete(other.uri());
            delete();

            assertThat(other.asked())
                    .extracting(each -> each.header("X-Xiaomi-Timestamp"))
                    .containsExactly(Long.toString(NOW));
            assertThat(server.asked().get(2).header("X-Xiaomi-Timestamp")).isEqualTo(Long.toString(NOW + 7_200));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "yesterday", "-5", "99999999999999999999"})
    void senselessServerTimeIsNotLearnt(String time) {
        server.then(status(412, Map.of("X-Xiaomi-Timestamp", time), "clock"));

        CallFailure failure = failure();

        assertThat(failure.code()).isEqualTo("HTTP_412");
        assertThat(failure.retriable()).isFalse();
        assertThat(server.asked()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {400, 401, 404, 413, 429, 503})
    void refusalBeforeTheCallRanSurelyDidNothing(int status) {
        server.then(status(status, Map.of("X-Xiaomi-Timestamp", Long.toString(NOW)), "a sentence"));

        CallFailure failure = failure();

        assertThat(failure.code()).isEqualTo("HTTP_" + status);
        assertThat(failure.surelyNotDone()).isTrue();
        assertThat(failure).hasMessageContaining("a sentence");
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 502, 503, 504})
    void failureOfTheServerOrOfSomethingBeforeItMayHaveDoneIt(int status) {
        server.then(status(status, Map.of(), "a sentence"));

        CallFailure failure = failure();

        assertThat(failure.surelyNotDone()).isFalse();
        assertThat(failure.retriable()).isTrue();
    }

    @Test
    void failureOfAServerMayHaveDoneItThoughTheServerSaysSoItself() {
        server.then(status(500, Map.of("X-Xiaomi-Timestamp", Long.toString(NOW)), "a sentence"));

        assertThat(failure().surelyNotDone()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {
                "UNKNOWN",
                "UNEXPECTED_ERROR",
                "HDFS_OPERATION_FAILED",
                "HBASE_OPERATION_FAILED",
                "INTERNAL_SERVER_ERROR"
            })
    void errorsOfUnknownEffectAreToldAsThat(ErrorCode code) {
        server.then(error(code, "a sentence"));

        CallFailure failure = failure();

        assertThat(failure.code()).isEqualTo(code.name());
        assertThat(failure.surelyNotDone()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "HBASE_OPERATION_BLOCKED, UNKNOWN, false",
        "TOPIC_NOT_EXIST, DONE, false",
        "INTERNAL_SERVER_ERROR, NONE, true",
        "TOPIC_NOT_EXIST, of a later server, false",
    })
    void effectThatTheServerTellsCounts(ErrorCode code, String effect, boolean surelyNotDone) {
        GalaxyTalosException error = new GalaxyTalosException();
        error.setErrorCode(code);
        error.setEffect(effect);
        server.then(error(error));

        assertThat(failure().surelyNotDone()).isEqualTo(surelyNotDone);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"PARTITION_NOT_SERVING", "REQUEST_PROCESS_TIMEOUT", "EXCESSIVE_PENDING_MESSAGE"})
    void refusalsOfTheMomentMayBeTriedAgain(ErrorCode code) {
        server.then(error(code, "a sentence"));

        CallFailure failure = failure();

        assertThat(failure.surelyNotDone()).isTrue();
        assertThat(failure.retriable()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void errorOfAServerThatDoesNotSayTheEffectIsTakenFromTheTable(ErrorCode code) {
        CallFailure failure = SignedCalls.refused(new GalaxyTalosException().setErrorCode(code));

        ErrorTraits traits = ErrorTraits.of(code);
        assertThat(failure.code()).isEqualTo(code.name());
        assertThat(failure.retriable()).isEqualTo(traits.retryable());
        assertThat(failure.surelyNotDone()).isEqualTo(traits.effect() == Effect.NONE);
    }

    @Test
    void errorThatThisClientDoesNotKnowMayHaveDoneIt() {
        CallFailure failure = SignedCalls.refused(new GalaxyTalosException());

        assertThat(failure.code()).isEqualTo("UNKNOWN");
        assertThat(failure.retriable()).isFalse();
        assertThat(failure.surelyNotDone()).isFalse();
    }

    /** As over HTTP: a full quota ends a put at once, though REST answers it with 429. */
    @ParameterizedTest
    @EnumSource
    void refusalOverAStreamIsRetriableByItsCode(ErrorCode code) {
        boolean retryable = ErrorTraits.of(code).retryable();

        assertThat(CallFailure.refused(code.name(), 400, true, "no").retriable())
                .isEqualTo(retryable);
        assertThat(CallFailure.refused(code.name(), 429, true, "no").retriable())
                .isEqualTo(retryable);
    }

    @Test
    void refusalWithACodeOfTheServerAloneIsRetriableByItsStatus() {
        assertThat(CallFailure.refused("NO_MEMORY", 503, true, "no").retriable())
                .isTrue();
        assertThat(CallFailure.refused("NO_MEMORY", 413, true, "no").retriable())
                .isFalse();
    }

    @Test
    void finalRefusalsAreNotRetriable() {
        server.then(error(ErrorCode.TOPIC_NOT_EXIST, "no topic orders"));

        CallFailure failure = failure();

        assertThat(failure.retriable()).isFalse();
        assertThat(failure).hasMessageContaining("no topic orders");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no thrift", "\u0082A\u0001\u000bdeleteTopic"})
    void answerThatIsNoneMayHaveDoneIt(String text) {
        server.then(status(200, Map.of("Content-Type", "application/x-thrift-compact"), text));

        CallFailure failure = failure();

        assertThat(failure.code()).isEqualTo("MALFORMED");
        assertThat(failure.surelyNotDone()).isFalse();
    }

    @Test
    void unreachableServerSurelyDidNothing() throws Exception {
        try (Nobody nobody = new Nobody()) {
            CallFailure failure = catchThrowableOfType(CallFailure.class, () -> delete(nobody.uri()));

            assertThat(failure.code()).isEqualTo("CONNECTION");
            assertThat(failure.surelyNotDone()).isTrue();
        }
    }

    /** The first byte is the P of POST, or the type of a TLS handshake, behind which alone a request is sent. */
    @ParameterizedTest
    @CsvSource({"http, 80, false", "https, 22, true"})
    void connectionThatClosesWithoutAnAnswerLeavesTheEffectUnknownIfARequestWasSent(
            String scheme, int first, boolean surelyNotDone) throws Exception {
        ExecutorService peer = Executors.newSingleThreadExecutor();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<Integer> firstByte = peer.submit(() -> {
                try (Socket socket = listening.accept()) {
                    return socket.getInputStream().read();
                }
            });
            URI uri = URI.create(scheme + "://127.0.0.1:" + listening.getLocalPort());

            CallFailure failure = catchThrowableOfType(CallFailure.class, () -> delete(uri));

            assertThat(firstByte.get()).isEqualTo(first);
            assertThat(failure.code()).isEqualTo("CONNECTION");
            assertThat(failure.surelyNotDone()).isEqualTo(surelyNotDone);
        } finally {
            peer.shutdownNow();
        }
    }

    @Test
    void failuresNeverShowTheSecret() {
        server.then(status(401, Map.of(), "no"));

        assertThat(failure().toString()).doesNotContain(CREDENTIAL.secret());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc"})
    void answerThatStallsEndsInTimeWithItsConnection(String part) throws Exception {
        ExecutorService peer = Executors.newSingleThreadExecutor();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<Integer> end = peer.submit(() -> {
                try (Socket socket = listening.accept()) {
                    socket.getInputStream().read(new byte[10_000]);
                    socket.getOutputStream().write(part.getBytes(UTF_8));
                    int read;
                    do {
                        read = socket.getInputStream().read();
                    } while (read >= 0);
                    return read;
                }
            });
            URI uri = URI.create("http://127.0.0.1:" + listening.getLocalPort());
            var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));

            var call = calls.call(uri, Service.TOPIC, "deleteTopic", request, null, Duration.ofMillis(500));
            CallFailure failure = (CallFailure) call.handle((done, thrown) -> thrown)
                    .thenApply(Exceptions::unwrap)
                    .get(10, TimeUnit.SECONDS);

            assertThat(failure.isConnection()).isTrue();
            assertThat(failure.surelyNotDone()).isFalse();
            assertThat(end.get(10, TimeUnit.SECONDS))
                    .as("the connection is closed")
                    .isEqualTo(-1);
        } finally {
            peer.shutdownNow();
        }
    }

    /** Checks that work of a program in the JVM's common pool does not hold up its calls. */
    @Test
    void callsCompleteOnThreadsOfTheClient() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        server.then((exchange, body) -> {
            try {
                gate.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            done().to(exchange, body);
        });
        var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));

        var thread = calls.call(server.uri(), Service.TOPIC, "deleteTopic", request, null, Duration.ofSeconds(10))
                .thenApply(none -> Thread.currentThread().getName());
        gate.countDown();

        assertThat(thread.get(10, TimeUnit.SECONDS)).startsWith("talos-call-");
    }
}
