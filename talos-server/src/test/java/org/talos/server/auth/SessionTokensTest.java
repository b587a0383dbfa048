// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.auth.SessionTokens.Session;
import org.talos.server.config.ConsoleConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.user.EndedSessions;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.UserSessions;
import org.talos.server.testing.FailingMetadataStore;

/** Sessions that are begun at one server and continue at another, with the same rows. */
@Timeout(60)
final class SessionTokensTest {
    private static final UserRecord ADA = user("ada", "KEY-1", "1");
    private static final UserRecord BOB = user("bob", "KEY-2", "2");
    private static final String SECRET = "a-secret-of-ada-s";
    private static final ConsoleConfig CONFIG =
            TestConfig.of(ConsoleConfig.class).create();

    @TempDir
    private Path directory;

    private Instant now = Instant.ofEpochSecond(1_700_000_000);
    private final KeyTable keysHere = new KeyTable(() -> now);
    private final KeyTable keysThere = new KeyTable(() -> now);
    private FailingMetadataStore store;
    private UserSessions sessions;
    private SessionEnds endsHere;
    private SessionEnds endsThere;
    private SessionTokens here;
    private SessionTokens there;

    private static UserRecord user(String name, String key, String secret) {
        return new UserRecord(name, key, secret, false, false, List.of(), List.of(), 0);
    }

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(directory.resolve("metadata")));
        sessions = new UserSessions(store);
        endsHere = SessionEnds.load(sessions, () -> now);
        endsThere = SessionEnds.load(sessions, () -> now);
        here = new SessionTokens(keysHere, endsHere, () -> now, CONFIG, new SecureRandom());
        there = new SessionTokens(keysThere, endsThere, () -> now, CONFIG, new SecureRandom());
        for (KeyTable each : List.of(keysHere, keysThere)) {
            each.put(ADA, SECRET);
            each.put(BOB, "a-secret-of-bob-s");
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Session begun() throws MetadataException {
        return here.begin(Principal.of(ADA), endsHere.epoch("ada"), false);
    }

    private void assertRefused(String token, boolean mayBeAGuess) {
        assertThatThrownBy(() -> there.check(token)).isInstanceOfSatisfying(AuthenticationException.class, e -> {
            assertThat(e.status()).isEqualTo(401);
            assertThat(e.mayBeAGuess()).as(e.sentence()).isEqualTo(mayBeAGuess);
        });
    }

    private void after(Duration time) {
        now = now.plus(time);
    }

    @Test
    void sessionOfOneServerIsTakenByAnotherUntilItWasIdleForTooLong() throws Exception {
        Session session = begun();

        after(Duration.ofMinutes(30).minusSeconds(1));
        assertThat(there.check(session.token())).isEqualTo(session);
        assertThat(there.check(session.token()).user()).isEqualTo(Principal.of(ADA));
        assertThat(session.expires()).isEqualTo(now.plusSeconds(1));
        after(Duration.ofSeconds(1));
        assertRefused(session.token(), false);
    }

    @Test
    void useProlongsASessionUntilItsEnd() throws Exception {
        Session session = begun();
        Instant end = now.plus(Duration.ofHours(12));

        while (now.isBefore(end.minus(Duration.ofMinutes(20)))) {
            after(Duration.ofMinutes(20));
            session = there.renewed(there.check(session.token())).orElse(session);
        }
        assertThat(session.expires()).isEqualTo(end);
        now = end.minusSeconds(1);
        assertThat(there.renewed(there.check(session.token())))
                .as("to no avail")
                .isEmpty();
        now = end;
        assertRefused(session.token(), false);
    }

    @Test
    void sessionStaysTheSameWhenItIsRenewedAndIsNotRenewedForEachRequest() throws Exception {
        Session session = begun();

        after(Duration.ofSeconds(59));
        assertThat(there.renewed(session)).isEmpty();
        after(Duration.ofSeconds(1));
        Session renewed = there.renewed(session).orElseThrow();

        assertThat(renewed.id()).isEqualTo(session.id());
        assertThat(renewed.csrf()).isEqualTo(session.csrf());
        assertThat(renewed.lifetime().begun()).isEqualTo(session.lifetime().begun());
        assertThat(renewed.token()).isNotEqualTo(session.token());
        assertThat(here.check(renewed.token())).isEqualTo(renewed);
    }

    @Test
    void signingOutEndsOneSessionHereAtOnceAndThereOnceTheRowsAreRead() throws Exception {
        Session session = begun();
        Session other = begun();
        after(Duration.ofMinutes(2));
        Session renewed = here.renewed(session).orElseThrow();

        endsHere.end("ada", session.id(), session.end());

        assertThatThrownBy(() -> here.check(session.token())).isInstanceOf(AuthenticationException.class);
        assertThatThrownBy(() -> here.check(renewed.token())).isInstanceOf(AuthenticationException.class);
        assertThat(there.check(session.token())).as("not read yet").isEqualTo(session);
        endsThere.refresh();
        assertRefused(session.token(), false);
        assertRefused(renewed.token(), false);
        assertThat(there.check(other.token())).isEqualTo(other);
    }

    @Test
    void signingOutEverywhereEndsWhatHasBegunAndNothingThatBeginsLater() throws Exception {
        Session before = begun();
        endsThere.endAll("ada");

        Session after = begun();
        assertThat(there.check(after.token()))
                .as("begun elsewhere, by the row as it is")
                .isEqualTo(after);
        assertRefused(before.token(), false);
        endsHere.refresh();
        assertThatThrownBy(() -> here.check(before.token())).isInstanceOf(AuthenticationException.class);
        assertThat(here.check(after.token())).isEqualTo(after);
    }

    @Test
    void sessionThatIsBegunElsewhereAfterAnEndIsTakenByWhoHasNotReadItsEpoch() throws Exception {
        endsHere.endAll("ada");

        Session session = begun();

        assertThat(session.epoch()).isEqualTo(1);
        assertThat(there.check(session.token())).isEqualTo(session);
    }

    @Test
    void twoServersThatEndSessionsAtTheSameMomentEndBoth() throws Exception {
        Session one = begun();
        Session two = begun();
        store.beforeWrite(0, () -> {
            try {
                endsThere.end("ada", two.id(), two.end());
            } catch (MetadataException e) {
                throw new IllegalStateException(e);
            }
        });

        endsHere.end("ada", one.id(), one.end());

        SessionEnds third = SessionEnds.load(sessions, () -> now);
        assertThat(third.isEnded("ada", 0, one.id())).isTrue();
        assertThat(third.isEnded("ada", 0, two.id())).isTrue();
    }

    @Test
    void endIsKnownHereThoughItsWriteFailed() throws Exception {
        Session session = begun();
        store.failAfter(0, false);

        assertThatThrownBy(() -> endsHere.end("ada", session.id(), session.end()))
                .isInstanceOf(MetadataException.class);

        assertThatThrownBy(() -> here.check(session.token())).isInstanceOf(AuthenticationException.class);
    }

    @Test
    void rowRemembersNoMoreThanItsBoundAndForgetsWhatIsOverAnyhow() throws Exception {
        Session session = begun();
        assertThat(sessions.save("ada", full(now.plusSeconds(60)), 0)).isTrue();
        endsHere.refresh();
        assertThat(here.check(session.token())).isEqualTo(session);

        after(Duration.ofSeconds(60));
        endsHere.end("ada", "next", now.plusSeconds(60));
        Versioned<EndedSessions> row = sessions.find("ada").orElseThrow();
        assertThat(row.value().ended()).containsOnlyKeys("next");

        assertThat(sessions.save("ada", full(now.plusSeconds(60)), row.version()))
                .isTrue();
        endsHere.end("ada", "one too many", now.plusSeconds(60));
        assertThat(sessions.find("ada").orElseThrow().value()).isEqualTo(new EndedSessions(1, Map.of()));
        assertThatThrownBy(() -> here.check(session.token()))
                .as("rather too many end than too few")
                .isInstanceOf(AuthenticationException.class);
    }

    private static EndedSessions full(Instant until) {
        Map<String, Long> ended = new HashMap<>();
        for (int i = 0; i < SessionEnds.MAX_ENDED; i++) {
            ended.put("id-" + i, until.toEpochMilli());
        }
        return new EndedSessions(0, ended);
    }

    @Test
    void rowThatCanNotBeReadEndsAllSessionsOfItsUserAndNobodyElses() throws Exception {
        Session session = begun();
        Session ofBob = here.begin(Principal.of(BOB), endsHere.epoch("bob"), false);
        RowKey row = RowKey.table(UserSessions.TABLE).and("ada");
        store.compareAndSet(row, 0, "{\"v\":9}".getBytes(StandardCharsets.UTF_8));

        SessionEnds third = SessionEnds.load(sessions, () -> now);
        assertThat(third.refresh()).containsOnlyKeys("sessions of user ada");
        assertThat(third.isEnded("ada", session.epoch(), session.id())).isTrue();
        assertThat(third.isEnded("bob", ofBob.epoch(), ofBob.id())).isFalse();
        endsThere.refresh();
        assertRefused(session.token(), false);
    }

    @Test
    void sessionEndsWithItsKey() throws Exception {
        Session session = begun();
        keysThere.remove(Principal.of(ADA));
        assertRefused(session.token(), true);

        keysThere.put(ADA, "another-secret-of-ada-s");
        assertRefused(session.token(), true);

        keysThere.put(user("eve", "KEY-1", "1"), SECRET);
        assertRefused(session.token(), true);
    }

    @Test
    void textThatIsNoTokenOrWasChangedIsRefused() throws Exception {
        String token = begun().token();
        String claims = new String(
                Base64.getUrlDecoder().decode(token.substring(0, token.indexOf('.'))), StandardCharsets.UTF_8);
        String ofBob = claims.replace("KEY-1", "KEY-2").replace("ada", "bob");
        String forBob = Base64.getUrlEncoder().withoutPadding().encodeToString(ofBob.getBytes(StandardCharsets.UTF_8))
                + token.substring(token.indexOf('.'));
        char last = token.charAt(token.length() - 2) == 'A' ? 'B' : 'A';

        for (String each : List.of(
                "",
                ".",
                "a.b",
                "%.%",
                token + "." + token,
                token.substring(1),
                token.substring(0, token.length() - 2) + last + token.charAt(token.length() - 1),
                forBob,
                "A".repeat(100_000))) {
            assertRefused(each, true);
        }
    }

    @Test
    void tokensOfAnotherKindAreNoSessions() throws Exception {
        StreamTokens streams = new StreamTokens(keysHere, () -> now, Duration.ofMinutes(10));
        String stream =
                streams.make(Principal.of(ADA), "orders", Duration.ofMinutes(1)).token();
        Session session = begun();

        assertRefused(stream, true);
        assertThatThrownBy(() -> streams.check(session.token(), "orders")).isInstanceOf(AuthenticationException.class);
        assertThat(session.hasCsrf(session.csrf())).isTrue();
        assertThat(session.hasCsrf(begun().csrf())).isFalse();
        assertThat(session.hasCsrf("")).isFalse();
    }

    @Test
    void whoActsForSomebodyElseBeginsNoSession() {
        Principal service = Principal.of(ADA).actFor("bob", null);

        assertThatThrownBy(() -> here.begin(service, 0, false)).isInstanceOf(TalosException.class);
    }

    @Test
    void sessionShowsNeitherItsTokenNorWhatAPageMustKnow() throws Exception {
        Session session = begun();

        assertThat(session.toString()).doesNotContain(session.token()).doesNotContain(session.csrf());
    }

    @Test
    void sessionOfAKeyThatWasReplacedEndsWithTheTimeOfThatKey() throws Exception {
        Session session = begun();
        UserRecord.OldKey old =
                new UserRecord.OldKey("KEY-1", "1", now.plusSeconds(60).toEpochMilli());
        keysThere.put(ADA.withKey("KEY-3", "3", old), "a-new-secret-of-ada-s", SECRET);

        assertThat(there.check(session.token()).user().userId()).isEqualTo("ada");
        after(Duration.ofSeconds(60));
        assertRefused(session.token(), true);
    }
}
