// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.rows.user.UserRecord;

/** Tokens for event streams, made by one server and taken by another. */
final class StreamTokensTest {
    private static final UserRecord ADA = user("ada", "KEY-1", "1");
    private static final UserRecord BOB = user("bob", "KEY-2", "2");
    private static final String SECRET = "a-secret-of-ada-s";

    private final KeyTable here = new KeyTable(() -> Instant.EPOCH);
    private final KeyTable there = new KeyTable(() -> Instant.EPOCH);
    private Instant now = Instant.ofEpochSecond(1_700_000_000);
    private final StreamTokens maker = new StreamTokens(here, () -> now, Duration.ofMinutes(10));
    private final StreamTokens taker = new StreamTokens(there, () -> now, Duration.ofMinutes(10));

    private static UserRecord user(String name, String key, String secret) {
        return new UserRecord(name, key, secret, false, false, List.of(), List.of(), 0);
    }

    @BeforeEach
    void addUsers() {
        for (KeyTable each : List.of(here, there)) {
            each.put(ADA, SECRET);
            each.put(BOB, "a-secret-of-bob-s");
        }
    }

    private String token() {
        return maker.make(Principal.of(ADA), "orders", Duration.ofSeconds(60)).token();
    }

    private void assertRefused(String token, String topic, String why) {
        assertThatThrownBy(() -> taker.check(token, topic))
                .isInstanceOfSatisfying(
                        AuthenticationException.class,
                        e -> assertThat(e.status()).isEqualTo(401))
                .hasMessageContaining(why);
    }

    @Test
    void tokenOfOneServerIsTakenByAnotherUntilItsEnd() throws Exception {
        String token = token();

        now = now.plusSeconds(59);
        assertThat(taker.check(token, "orders")).isEqualTo(Principal.of(ADA));
        now = now.plusSeconds(1);
        assertThatThrownBy(() -> taker.check(token, "orders"))
                .hasMessageContaining("expired")
                .isInstanceOfSatisfying(
                        AuthenticationException.class,
                        e -> assertThat(e.mayBeAGuess()).isFalse());
    }

    @Test
    void tokenIsOfItsTopicAlone() {
        assertRefused(token(), "order", "of another topic");
        assertRefused(token(), "orders\n", "of another topic");
    }

    @Test
    void tokenEndsWithItsKey() {
        String token = token();
        there.remove(Principal.of(ADA));
        assertRefused(token, "orders", "wrong");

        there.put(ADA, "another-secret-of-ada-s");
        assertRefused(token, "orders", "wrong");
    }

    @Test
    void keyThatIsAnothersNowMakesNobodyOfTheTokensUser() {
        String token = token();
        there.remove(Principal.of(ADA));
        there.put(user("eve", "KEY-1", "3"), SECRET);

        assertRefused(token, "orders", "wrong");
    }

    @Test
    void whateverIsChangedInATokenMakesItWrong() {
        String token = token();
        for (int i = 0; i < token.length(); i++) {
            char other = token.charAt(i) == 'A' ? 'B' : 'A';
            String changed = token.substring(0, i) + other + token.substring(i + 1);
            if (i == token.length() - 1) {
                continue; // of the last character of base64 not all bits count
            }
            assertRefused(changed, "orders", "wrong");
        }
        for (String each :
                List.of("", ".", "a", "a.b", "..", token + ".", "." + token, "x".repeat(2_000) + "." + token)) {
            assertRefused(each, "orders", "wrong");
        }
    }

    /** The secret allows a token of any end; a page that got one should not have it forever. */
    @Test
    void tokenThatLivesLongerThanIsAllowedIsRefused() {
        StreamTokens generous = new StreamTokens(here, () -> now, Duration.ofDays(1));
        String token =
                generous.make(Principal.of(ADA), "orders", Duration.ofHours(1)).token();

        assertRefused(token, "orders", "longer than this server allows");
    }

    @Test
    void whoActsForAnotherGetsNone() {
        Principal service = Principal.of(ADA).actFor("dev", null);

        assertThatThrownBy(() -> maker.make(service, "orders", Duration.ofSeconds(60)))
                .isInstanceOf(TalosException.class);
    }

    @Test
    void tokenTellsNothingOfTheSecretAndItsTextNothingOfTheToken() {
        StreamTokens.Token made = maker.make(Principal.of(ADA), "orders", Duration.ofSeconds(60));

        String said = new String(
                Base64.getUrlDecoder()
                        .decode(made.token().substring(0, made.token().indexOf('.'))),
                StandardCharsets.UTF_8);
        assertThat(said).isEqualTo("1700000060\nKEY-1\norders\nada");
        assertThat(made.toString()).doesNotContain(made.token());
        assertThat(new StreamTokens(here, () -> now, Duration.ofSeconds(5)).usualAge())
                .isEqualTo(Duration.ofSeconds(5));
        assertThat(maker.usualAge()).isEqualTo(Duration.ofSeconds(60));
    }
}
