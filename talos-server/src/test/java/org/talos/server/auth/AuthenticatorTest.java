// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.auth.RequestDigest;
import org.talos.common.auth.RequestSignature;
import org.talos.common.auth.SignedHeader;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.thrift.ErrorCode;

/** Two requests, one as each SDK sends it, and what may be wrong with them. */
final class AuthenticatorTest {
    private static final String KEY_A = "AKEXAMPLE0000000001";
    private static final String SECRET_A = "example-secret-one";
    private static final String SIGNATURE_A = "Galaxy-V3 " + KEY_A + ":ZWACtP1jDE1NLZjtXG4E42S4ClQ=";
    private static final String KEY_B = "AKEXAMPLE0000000002";
    private static final String SECRET_B = "example-secret-two";
    private static final byte[] BODY_B = HexFormat.of()
            .parseHex("8221010f6765745363686564756c65496e666f1c1c1816434c38343030236f7264657273233030303030303030"
                    + "000000");
    private static final Duration TOLERANCE = Duration.ofMinutes(15);

    private final KeyTable keys = new KeyTable(() -> Instant.EPOCH);
    private final AtomicInteger signed = new AtomicInteger();
    private Instant now = Instant.ofEpochSecond(1_700_000_000);
    private final Authenticator authenticator = new Authenticator(keys, () -> now, TOLERANCE, (secret, text) -> {
        signed.incrementAndGet();
        return RequestSignature.hmac(secret, text);
    });

    @BeforeEach
    void addKeys() {
        keys.put(user("ada", KEY_A, false, false, List.of("CL9"), List.of("CI9")), SECRET_A);
        keys.put(user("gateway", KEY_B, true, true, List.of("CL1"), List.of()), SECRET_B);
        keys.put(user("dev-42", "AKDEV", true, false, List.of("CL4"), List.of("CI4")), "x");
    }

    @Test
    void requestOfTheGoSdkIsItsKeysUser() throws Exception {
        Principal ada = authenticator.authenticate(requestA());

        assertThat(ada.userId()).isEqualTo("ada");
        assertThat(ada.keyId()).isEqualTo(KEY_A);
        assertThat(ada.identifiers()).containsExactlyInAnyOrder("ada", "CL9", "CI9");
        assertThat(ada.actingFor()).isNull();
        ada.requireRightToAct();
    }

    @Test
    void keyAndSecretAreTheirUser() throws Exception {
        assertThat(authenticator.authenticate(KEY_A, SECRET_A).userId()).isEqualTo("ada");
    }

    @Test
    void wrongSecretAndUnknownKeyAreRefusedAlikeAndCostTheSame() {
        List<String> sentences = new ArrayList<>();
        for (String key : List.of(KEY_A, "AKNOBODY")) {
            for (String secret : List.of("", "wrong", SECRET_B)) {
                signed.set(0);
                assertThatThrownBy(() -> authenticator.authenticate(key, secret))
                        .isInstanceOfSatisfying(
                                AuthenticationException.class,
                                e -> assertThat(e.status()).isEqualTo(401))
                        .satisfies(e -> sentences.add(e.getMessage()));
                assertThat(signed).hasValue(2);
            }
        }
        assertThat(sentences).containsOnly(sentences.get(0));
    }

    @Test
    void serviceThatActsForADeveloperIsThatDeveloperWithoutTheRightsOfAnAdmin() throws Exception {
        now = Instant.ofEpochSecond(1_700_000_061);

        Principal developer = authenticator.authenticate(requestB());

        assertThat(developer.userId()).isEqualTo("dev-42");
        assertThat(developer.keyId()).isEqualTo(KEY_B);
        assertThat(developer.admin()).isFalse();
        assertThat(developer.identifiers()).containsExactlyInAnyOrder("dev-42", "CL4", "CI4");
        assertThat(developer.actingFor()).isEqualTo("dev-42");
        developer.requireRightToAct();
    }

    @Test
    void developerNotKnownHereIsActedForByIdAlone() throws Exception {
        Map<String, List<String>> headers = headersA();
        keys.put(user("ada", KEY_A, true, true, List.of("CL9"), List.of()), SECRET_A);
        headers.put("attached-info", List.of("somebody"));

        assertThat(authenticator.authenticate(request(headers)).identifiers()).containsExactly("somebody");
    }

    @Test
    void keyThatMayNotActForOthersStaysItselfAndIsRefusedInTheAnswer() throws Exception {
        Map<String, List<String>> headers = headersA();
        headers.put("Attached-Info", List.of("dev-42"));

        Principal caller = authenticator.authenticate(request(headers));

        assertThat(caller.userId()).isEqualTo("ada");
        assertRefused(caller);
    }

    @Test
    void blankOrDoubledAttachedInfoIsRefusedEvenForAService() throws Exception {
        keys.put(user("ada", KEY_A, true, true, List.of(), List.of()), SECRET_A);
        for (List<String> info : List.of(List.of(" "), List.of("dev-42", "dev-43"))) {
            Map<String, List<String>> headers = headersA();
            headers.put("Attached-Info", info);

            assertRefused(authenticator.authenticate(request(headers)));
        }
    }

    /** A request that lasts for hours, as a stream does, continues with the present rights. */
    @Test
    void whoWasAuthenticatedHasTheRightsOfNow() throws Exception {
        Principal ada = authenticator.authenticate(KEY_A, SECRET_A);
        assertThat(authenticator.stillKnown(ada)).isEqualTo(ada);

        keys.put(user("ada", KEY_A, false, false, List.of("CL1"), List.of()), SECRET_A);
        assertThat(authenticator.stillKnown(ada).identifiers()).containsExactlyInAnyOrder("ada", "CL1");

        keys.put(user("bob", KEY_A, true, false, List.of(), List.of()), SECRET_A);
        assertNotKnown(ada);
    }

    @Test
    void whoActsForSomebodyDoesSoAsLongAsItMay() throws Exception {
        now = Instant.ofEpochSecond(1_700_000_061);
        Principal developer = authenticator.authenticate(requestB());

        keys.put(user("dev-42", "AKDEV", true, false, List.of("CL5"), List.of()), "x");
        assertThat(authenticator.stillKnown(developer).identifiers()).containsExactlyInAnyOrder("dev-42", "CL5");

        keys.put(user("gateway", KEY_B, true, false, List.of("CL1"), List.of()), SECRET_B);
        assertNotKnown(developer);
    }

    private void assertNotKnown(Principal before) {
        assertThatThrownBy(() -> authenticator.stillKnown(before))
                .isInstanceOfSatisfying(
                        AuthenticationException.class,
                        e -> assertThat(e.status()).isEqualTo(401));
    }

    private static void assertRefused(Principal caller) {
        assertThatThrownBy(caller::requireRightToAct)
                .isInstanceOfSatisfying(
                        TalosException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_AUTH_INFO));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Galaxy-V3",
                "Galaxy-V3 " + KEY_A,
                "Galaxy-V3 " + KEY_A + ":",
                "Galaxy-V3 :ZWACtP1jDE1NLZjtXG4E42S4ClQ=",
                "Guest " + KEY_A,
                "SSO galaxytalos:" + SECRET_A + ":" + KEY_A,
                "Basic YTpi:ZWACtP1jDE1NLZjtXG4E42S4ClQ="
            })
    void headerThatSignsNothingIsRefused(String authorization) {
        Map<String, List<String>> headers = headersA();
        headers.put("Authorization", List.of(authorization));

        assertStatus(401, request(headers));
    }

    @Test
    void missingOrDoubledAuthorizationIsRefused() {
        Map<String, List<String>> headers = headersA();
        headers.put("Authorization", List.of(SIGNATURE_A, SIGNATURE_A));
        assertStatus(401, request(headers));

        headers.remove("Authorization");
        assertStatus(401, request(headers));
    }

    @Test
    void anythingSignedThatIsChangedIsRefused() {
        for (String name : List.of("Content-Type", "X-Xiaomi-Content-MD5", "X-Xiaomi-Timestamp", "x-xiaomi-date")) {
            Map<String, List<String>> headers = headersA();
            headers.put(name, List.of("1700000001"));
            assertStatus(401, request(headers));
        }
        Map<String, List<String>> headers = headersA();
        headers.put("x-xiaomi-more", List.of("1"));
        assertStatus(401, request(headers));
        assertStatus(401, signed("GET", "/v1/api/topic", null, headersA()));
        assertStatus(401, signed("POST", "/v1/api/message", null, headersA()));
        assertStatus(401, signed("POST", "/v1/api/topic", "acl", headersA()));
    }

    @Test
    void unknownKeyCostsTheSameWorkAndGetsTheSameAnswerAsAWrongSignature() {
        Map<String, List<String>> wrong = headersA();
        wrong.put("Authorization", List.of("Galaxy-V3 " + KEY_A + ":AAAAtP1jDE1NLZjtXG4E42S4ClQ="));
        Map<String, List<String>> unknown = headersA();
        unknown.put("Authorization", List.of("Galaxy-V3 AKUNKNOWN:ZWACtP1jDE1NLZjtXG4E42S4ClQ="));

        AuthenticationException first = refusal(request(wrong));
        int workOfWrong = signed.getAndSet(0);
        AuthenticationException second = refusal(request(unknown));

        assertThat(signed.get()).isEqualTo(workOfWrong).isEqualTo(1);
        assertThat(second.status()).isEqualTo(first.status()).isEqualTo(401);
        assertThat(second.sentence()).isEqualTo(first.sentence());
    }

    @Test
    void secretOfUnknownKeysSignsNobodyIn() {
        Map<String, List<String>> headers = headersA();
        String text = RequestSignature.stringToSign("POST", "/v1/api/topic", null, headers);
        headers.put(
                "Authorization",
                List.of("Galaxy-V3 AKUNKNOWN:"
                        + RequestSignature.sign("0123456789012345678901234567890123456789", text)));

        assertStatus(401, request(headers));
    }

    @Test
    void clockMayBeAsFarOffAsTheToleranceAndNoFurther() throws Exception {
        for (long off : new long[] {-900, 900}) {
            now = Instant.ofEpochSecond(1_700_000_000 + off);
            assertThat(authenticator.authenticate(requestA()).userId()).isEqualTo("ada");
        }
        for (long off : new long[] {-901, 901}) {
            now = Instant.ofEpochSecond(1_700_000_000 + off);
            assertStatus(412, requestA());
        }
    }

    @Test
    void onlyKeyHoldersLearnThatTheClockIsOff() {
        now = Instant.ofEpochSecond(1_800_000_000);
        Map<String, List<String>> headers = headersA();
        headers.put("Authorization", List.of("Galaxy-V3 AKUNKNOWN:ZWACtP1jDE1NLZjtXG4E42S4ClQ="));

        assertStatus(401, request(headers));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1700000000", "soon", "1700000000.5", "99999999999999999999"})
    void timestampThatIsNoneIsRefused(String timestamp) {
        Map<String, List<String>> headers = headersA();
        headers.put("X-Xiaomi-Timestamp", List.of(timestamp));

        assertStatus(401, request(signedAgain(headers)));
    }

    @Test
    void missingOrDoubledTimestampIsRefused() {
        Map<String, List<String>> headers = headersA();
        headers.put("X-Xiaomi-Timestamp", List.of("1700000000", "1700000000"));
        assertStatus(401, request(signedAgain(headers)));

        headers.remove("X-Xiaomi-Timestamp");
        assertStatus(401, request(signedAgain(headers)));
    }

    @Test
    void bodyIsTheSignedOneWhetherOrNotItsHashHasLostAZero() throws Exception {
        Authenticator.verifyBody(requestB(), RequestSignature.md5(BODY_B));

        assertThatThrownBy(() -> Authenticator.verifyBody(requestB(), RequestSignature.md5("other".getBytes(UTF_8))))
                .isInstanceOfSatisfying(
                        AuthenticationException.class,
                        e -> assertThat(e.status()).isEqualTo(401));
        assertThatThrownBy(() ->
                        Authenticator.verifyBody(signed("POST", "/", null, Map.of()), RequestSignature.md5(BODY_B)))
                .isInstanceOf(AuthenticationException.class);
    }

    @Test
    void removedKeyIsRefusedAtOnce() throws Exception {
        authenticator.authenticate(requestA());
        keys.remove(Principal.of(user("ada", KEY_A, false, false, List.of(), List.of())));

        assertStatus(401, requestA());
    }

    @Test
    void developerOfAServiceKeyIsTheSignedOneIfThereIsADigest() throws Exception {
        Map<String, List<String>> headers = new TreeMap<>(Map.of(
                "x-xiaomi-timestamp", List.of("1700000000"),
                "attached-info", List.of("dev-42")));
        headers.put("x-xiaomi-request-digest", List.of(digest("a=1", "dev-42")));
        headers = signedByService(headers);

        SignedRequest unchanged = signed("DELETE", "/p", "a=1", headers);
        assertThat(authenticator.authenticate(unchanged).userId()).isEqualTo("dev-42");
        Authenticator.checkDigest(unchanged);

        assertChanged(signed("DELETE", "/p", "a=2", headers));
        assertChanged(signed("DELETE", "/p", null, headers));
        headers.put("attached-info", List.of("dev-43"));
        assertChanged(signed("DELETE", "/p", "a=1", headers));
        headers.put("attached-info", List.of("dev-42", "dev-42"));
        assertChanged(signed("DELETE", "/p", "a=1", headers));
        headers.remove("attached-info");
        assertChanged(signed("DELETE", "/p", "a=1", headers));
    }

    @Test
    void onlyKeyHoldersLearnThatADigestIsWrong() throws Exception {
        Map<String, List<String>> headers = headersA();
        headers.put("x-xiaomi-request-digest", List.of("v1:00"));

        assertThat(refusal(request(headers)).sentence()).doesNotContain("Digest");
        assertChanged(request(signedAgain(headers)));
    }

    /** The key is right, so it is no guess. */
    private void assertChanged(SignedRequest request) throws Exception {
        authenticator.authenticate(request);
        assertThatThrownBy(() -> Authenticator.checkDigest(request))
                .isInstanceOfSatisfying(AuthenticationException.class, e -> {
                    assertThat(e.status()).isEqualTo(401);
                    assertThat(e.sentence()).contains("X-Xiaomi-Request-Digest");
                    assertThat(e.mayBeAGuess()).isFalse();
                });
    }

    private static String digest(String query, String developer) {
        return RequestDigest.of(query, List.of(new SignedHeader("attached-info", developer)));
    }

    private static Map<String, List<String>> signedByService(Map<String, List<String>> headers) {
        String text = RequestSignature.stringToSign("DELETE", "/p", null, headers);
        headers.put("authorization", List.of("Galaxy-V3 " + KEY_B + ":" + RequestSignature.sign(SECRET_B, text)));
        return headers;
    }

    private void assertStatus(int status, SignedRequest request) {
        AuthenticationException refusal = refusal(request);
        assertThat(refusal.status()).isEqualTo(status);
        assertThat(refusal.sentence()).isNotBlank().doesNotContain(KEY_A).doesNotContain(SECRET_A);
    }

    private AuthenticationException refusal(SignedRequest request) {
        try {
            authenticator.authenticate(request);
        } catch (AuthenticationException e) {
            return e;
        }
        throw new AssertionError("accepted");
    }

    private static SignedRequest requestA() {
        return request(headersA());
    }

    private static SignedRequest request(Map<String, List<String>> headers) {
        return signed("POST", "/v1/api/topic", "id=1b2c3d4e&type=getDescribeInfo", headers);
    }

    private static SignedRequest signed(
            String method, String path, @Nullable String query, Map<String, List<String>> headers) {
        List<SignedHeader> all = new ArrayList<>();
        headers.forEach((name, values) -> values.forEach(value -> all.add(new SignedHeader(name, value))));
        return new SignedRequest(method, path, query, all);
    }

    private static Map<String, List<String>> signedAgain(Map<String, List<String>> headers) {
        String text = RequestSignature.stringToSign("POST", "/v1/api/topic", null, headers);
        headers.put("Authorization", List.of("Galaxy-V3 " + KEY_A + ":" + RequestSignature.sign(SECRET_A, text)));
        return headers;
    }

    private static Map<String, List<String>> headersA() {
        return new HashMap<>(Map.of(
                "Content-Type", List.of("application/x-thrift-compact"),
                "X-Xiaomi-Content-MD5", List.of("27af9a52e4b6f5866519095e1442dfc3"),
                "X-Xiaomi-Timestamp", List.of("1700000000"),
                "x-xiaomi-date", List.of("Tue, 14 Nov 2023 22:13:20 GMT"),
                "Authorization", List.of(SIGNATURE_A)));
    }

    private static SignedRequest requestB() {
        return signed(
                "POST",
                "/v1/api/message",
                "id=5f6a7b8c&type=getScheduleInfo",
                Map.of(
                        "content-type", List.of("application/x-thrift-compact"),
                        "x-xiaomi-content-md5", List.of("5c8b7ad0649532ec4dd8bce26346613"),
                        "x-xiaomi-timestamp", List.of("1700000061"),
                        "x-xiaomi-date", List.of("Tue, 14 Nov 2023 22:14:21 GMT"),
                        "attached-info", List.of("dev-42"),
                        "authorization", List.of("Galaxy-V3 " + KEY_B + ":uOSb5nVcRH5xrlzL0S6lg3DKkII=")));
    }

    private static UserRecord user(
            String id, String keyId, boolean admin, boolean service, List<String> orgs, List<String> teams) {
        return new UserRecord(id, keyId, "v1:", admin, service, orgs, teams, 0);
    }
}
