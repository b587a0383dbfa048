// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.auth.Credential;
import org.talos.common.auth.RequestSignature;
import org.talos.common.wire.ThriftEncoding;
import org.talos.server.service.call.BadRequestException;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.ServiceRequest;

/** Each check of a request, what it answers, and which of two goes first. */
@Timeout(60)
final class FrontEndChecksTest {
    private static final String COMPACT = "application/x-thrift-compact";

    @TempDir
    private Path directory;

    private FrontEndFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new FrontEndFixture(directory);
    }

    @AfterEach
    void stop() throws Exception {
        await().untilAsserted(() -> assertThat(fixture.budget.used()).isZero());
        fixture.close();
    }

    private RawConnection.Reply reply(SignedCall call) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            return connection.send(call.bytes()).reply();
        }
    }

    private void assertRefused(RawConnection.Reply reply, int status) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(reply.header("X-Xiaomi-Timestamp")).isEqualTo(Long.toString(fixture.now.getEpochSecond()));
        assertThat(reply.headers()).doesNotContainKeys("server", "x-powered-by");
        assertThat(reply.text()).endsWith(".\n").doesNotContain("Exception", "jetty", "<");
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void callOfTheGoSdkReachesItsServiceWithAllThatIsKnownOfIt() throws Exception {
        RawConnection.Reply reply = reply(fixture.put("block"));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo(COMPACT);
        assertThat(reply.header("Content-Length")).isEqualTo("4");
        assertThat(reply.text()).isEqualTo("done");
        assertThat(reply.headers()).doesNotContainKeys("server", "x-powered-by");
        ServiceRequest call = fixture.calls.remove();
        assertThat(call.service()).isEqualTo(ServiceName.MESSAGE);
        assertThat(call.encoding()).isEqualTo(ThriftEncoding.COMPACT);
        assertThat(UTF_8.decode(call.body().duplicate()).toString()).isEqualTo("block");
        assertThat(call.principal().userId()).isEqualTo("ada");
        assertThat(call.client().userAgent()).startsWith("Go-SDK/");
        assertThat(call.client().dateMillis()).hasValue(SignedCall.NOW * 1_000);
        assertThat(call.client().requestId()).isEqualTo("1b2c3d4e");
    }

    @Test
    void callOfTheJavaSdkIsServedThoughItsMd5HasNoLeadingZero() throws Exception {
        int number = 0;
        while (!RequestSignature.md5Hex(body(number)).startsWith("0")) {
            number++;
        }
        SignedCall call = SignedCall.likeJava(fixture.ada, FrontEndFixture.TOPIC, body(number));

        assertThat(call.headers().get("X-Xiaomi-Content-MD5")).hasSizeLessThan(32);
        assertThat(reply(call).status()).isEqualTo(200);
    }

    private static byte[] body(int number) {
        return ("body " + number).getBytes(UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "application/x-thrift-binary, application/x-thrift-binary",
        "application/x-thrift-json, application/x-thrift-json",
        "application/x-thrift, application/x-thrift-json"
    })
    void answerHasTheEncodingOfItsCall(String sent, String answered) throws Exception {
        RawConnection.Reply reply =
                reply(fixture.put("block").with("Content-Type", sent).signed(fixture.ada));

        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.header("Content-Type")).isEqualTo(answered);
    }

    @Test
    void equalRequestsAreServedEachTime() throws Exception {
        byte[] same = fixture.put("block").bytes();
        try (RawConnection connection = fixture.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(connection.send(same).reply().status()).isEqualTo(200);
            }
        }

        assertThat(fixture.calls).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/v1/api/message/", "/v1/api/Message", "/v1/api/nothing", "/v1/api"})
    void pathOfNoServiceIsNotFound(String path) throws Exception {
        assertRefused(reply(fixture.put("block").to(path).signed(fixture.ada)), 404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"})
    void otherMethodIsRefusedAndTheRightOneNamed(String method) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            RawConnection.Reply reply = connection
                    .send(method + " /v1/api/message HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
                    .reply();

            assertRefused(reply, 405);
            assertThat(reply.header("Allow")).isEqualTo("POST");
        }
    }

    @Test
    void callThatNobodySignedIsRefused() throws Exception {
        assertRefused(reply(fixture.put("block").without("Authorization")), 401);
        assertRefused(reply(fixture.put("block").with("Authorization", "Guest x")), 401);
    }

    @Test
    void unknownKeyAndWrongSecretGetTheSameAnswer() throws Exception {
        SignedCall call = fixture.put("block");

        RawConnection.Reply unknown = reply(call.signed(new Credential("AKUNKNOWN", "secret")));
        RawConnection.Reply wrong = reply(call.signed(new Credential(fixture.ada.keyId(), "secret")));

        assertRefused(unknown, 401);
        assertRefused(wrong, 401);
        assertThat(unknown.text()).isEqualTo(wrong.text());
        assertThat(unknown.header("WWW-Authenticate")).isEqualTo("Galaxy-V3");
    }

    @Test
    void signatureOfOnePathIsNoneForAnother() throws Exception {
        assertRefused(reply(fixture.put("block").to(FrontEndFixture.TOPIC)), 401);
    }

    @Test
    void bodyOtherThanTheSignedOneIsRefusedAndTheConnectionGoesOn() throws Exception {
        SignedCall signed = fixture.put("block");
        SignedCall forged = new SignedCall(signed.path(), signed.headers(), "BLOCK".getBytes(UTF_8));
        try (RawConnection connection = fixture.connect()) {
            assertRefused(connection.send(forged.bytes()).reply(), 401);
            assertThat(connection.send(signed.bytes()).reply().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"900, 200", "-900, 200", "901, 412", "-901, 412"})
    void clockMayBeQuarterOfAnHourOff(long seconds, int status) throws Exception {
        fixture.now = Instant.ofEpochSecond(SignedCall.NOW + seconds);

        RawConnection.Reply reply = reply(fixture.put("block"));

        assertThat(reply.status()).isEqualTo(status);
        if (status == 412) {
            assertRefused(reply, 412);
        }
    }

    @Test
    void clockIsNoMatterOfThoseWithoutKey() throws Exception {
        fixture.now = Instant.ofEpochSecond(SignedCall.NOW + 5_000);

        assertRefused(reply(fixture.put("block").with("Authorization", "Galaxy-V3 AK:x")), 401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/plain", "application/x-thrift-other"})
    void contentTypeOtherThanThriftsIsRefused(String type) throws Exception {
        assertRefused(reply(fixture.put("block").with("Content-Type", type).signed(fixture.ada)), 415);
    }

    @Test
    void encodedBodyIsRefused() throws Exception {
        assertRefused(reply(fixture.put("block").with("Content-Encoding", "gzip")), 415);
    }

    @Test
    void contentTypeIsNoMatterOfThoseWithoutKey() throws Exception {
        assertRefused(reply(fixture.put("block").with("Content-Type", "text/plain")), 401);
    }

    @Test
    void bodyDeclaredTooLargeIsRefusedBeforeAnyOfItIsThere() throws Exception {
        SignedCall call =
                SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[FrontEndFixture.MAX_BODY_BYTES + 1]);
        try (RawConnection connection = fixture.connect()) {
            assertRefused(connection.send(call.head()).reply(), 413);
        }
    }

    @Test
    void controlCallsMayBeLessLarge() throws Exception {
        byte[] body = new byte[FrontEndFixture.MAX_CONTROL_BODY_BYTES + 1];

        assertThat(reply(SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, body))
                        .status())
                .isEqualTo(200);
        fixture.calls.clear();
        assertRefused(reply(SignedCall.likeGo(fixture.ada, FrontEndFixture.TOPIC, body)), 413);
    }

    @Test
    void sizeIsCheckedBeforePathAndSignature() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            assertRefused(
                    connection
                            .send("GET /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n")
                            .reply(),
                    413);
        }
    }

    @Test
    void largestBodyArrivesWhole() throws Exception {
        byte[] body = new byte[FrontEndFixture.MAX_BODY_BYTES];
        Arrays.fill(body, (byte) 7);

        assertThat(reply(SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, body))
                        .status())
                .isEqualTo(200);
        assertThat(fixture.calls.remove().body().remaining()).isEqualTo(body.length);
    }

    @Test
    void bodyThatIsNoCallIsABadRequest() throws Exception {
        fixture.services = request -> {
            throw new BadRequestException("This is no call.");
        };
        try (RawConnection connection = fixture.connect()) {
            RawConnection.Reply reply =
                    connection.send(fixture.put("x").bytes()).reply();
            fixture.calls.clear();

            assertRefused(reply, 400);
            assertThat(reply.text()).isEqualTo("This is no call.\n");
            assertThat(connection.send(fixture.put("x").bytes()).reply().status())
                    .isEqualTo(400);
        }
    }

    @Test
    void failureOfTheServerTellsNothingOfItself() throws Exception {
        fixture.services = request -> CompletableFuture.failedFuture(new IllegalStateException("at /var/secret"));
        RawConnection.Reply later = reply(fixture.put("block"));
        fixture.services = request -> {
            throw new IllegalStateException("at /var/secret");
        };
        RawConnection.Reply atOnce = reply(fixture.put("block"));
        fixture.calls.clear();

        assertRefused(later, 500);
        assertRefused(atOnce, 500);
        assertThat(later.text() + atOnce.text()).doesNotContain("secret");
    }

    @Test
    void requestIdThatAttacksTheLogIsDefused() throws Exception {
        byte[] request = fixture.put("block").bytes();
        String text = new String(request, UTF_8).replace("id=1b2c3d4e", "id=%0Aevil$");
        try (RawConnection connection = fixture.connect()) {
            assertThat(connection.send(text).reply().status()).isEqualTo(200);
        }

        assertThat(fixture.calls.remove().client().requestId()).matches("[A-Za-z0-9?]+");
    }
}
