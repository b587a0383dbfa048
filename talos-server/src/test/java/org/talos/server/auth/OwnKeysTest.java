// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.server.testing.FailingMetadataStore;

/** Keys that users bring, given by two servers of one cluster. */
@Timeout(60)
final class OwnKeysTest {
    private static final String KEY = "APP-1";
    private static final NewUser BOB = named("bob");
    private static final NewUser EVE = named("eve");
    private static final OwnKey OF_BOB = new OwnKey(KEY, "the-secret-of-bob");
    private static final OwnKey OF_EVE = new OwnKey(KEY, "the-secret-of-eve");

    @TempDir
    private Path directory;

    private FailingMetadataStore store;
    private Users users;
    private UserAdmin admin;
    private UserAdmin other;
    private Instant now = Instant.ofEpochSecond(1_700_000_000);

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(directory.resolve("metadata")));
        users = new Users(store);
        admin = openAdmin();
        other = openAdmin();
    }

    private UserAdmin openAdmin() throws Exception {
        return UserAdmin.open(directory, store, () -> now, new SecureRandom());
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static NewUser named(String name) {
        return new NewUser(name, false, false, List.of(), List.of());
    }

    /** Returns the added user; null if the key was refused. */
    private static UserAdmin.@Nullable Added tried(UserAdmin server, NewUser user, OwnKey key) {
        try {
            return server.add(user, key).orElse(null);
        } catch (TalosException e) {
            return null;
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The key's owner, as every server sees it, also one that starts now. */
    private Optional<String> owner() throws Exception {
        UserAdmin third = openAdmin();
        Optional<String> owner =
                third.keys().key(KEY).map(each -> each.principal().userId());
        for (UserAdmin each : List.of(admin, other)) {
            each.refresh();
            assertThat(each.keys().key(KEY).map(found -> found.principal().userId()))
                    .isEqualTo(owner);
        }
        return owner;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void oneOfTwoUsersGetsAKeyThatBothBringAtTheSameMoment(int writesBefore) throws Exception {
        UserAdmin.@Nullable Added[] ofEve = new UserAdmin.Added[1];
        store.beforeWrite(writesBefore, () -> ofEve[0] = tried(other, EVE, OF_EVE));

        UserAdmin.Added ofBob = tried(admin, BOB, OF_BOB);

        if (ofEve[0] == null && writesBefore > 1) { // bob was made without a third write
            ofEve[0] = tried(other, EVE, OF_EVE);
        }
        assertThat(ofBob == null).as("bob refused").isNotEqualTo(ofEve[0] == null);
        assertThat(owner()).contains(ofBob == null ? "eve" : "bob");
        assertThat(users.listing().users()).extracting(UserRecord::userId).hasSize(2);
    }

    @Test
    void serverThatStoodStillForLongGivesAKeyToNobodyOnceAnotherHas() throws Exception {
        store.beforeWrite(
                1,
                () -> { // the key is claimed, the user's row not written
                    assertThat(tried(other, EVE, OF_EVE)).as("just claimed").isNull();
                    now = now.plus(Duration.ofMinutes(2));
                    assertThat(tried(other, EVE, OF_EVE)).isNotNull();
                });

        assertThatThrownBy(() -> admin.add(BOB, OF_BOB)).isInstanceOf(TalosException.class);

        assertThat(owner()).contains("eve");
        assertThat(users.find("bob")).isEmpty();
    }

    /** As above, but the first server dies with its last write. */
    @Test
    void rowThatCameTooLateIsNobodysKey() throws Exception {
        store.beforeWrite(1, () -> {
            now = now.plus(Duration.ofMinutes(2));
            assertThat(tried(other, EVE, OF_EVE)).isNotNull();
            store.failReadsAfter(0, 1);
        });

        assertThatThrownBy(() -> admin.add(BOB, OF_BOB)).isInstanceOf(MetadataException.class);

        assertThat(users.find("bob")).isPresent();
        assertThat(owner()).contains("eve");
    }

    @Test
    void keyOfARemovedUserMayBeBroughtByAnotherAtOnce() throws Exception {
        admin.add(BOB, OF_BOB);
        assertThat(tried(other, EVE, OF_EVE)).isNull();

        admin.remove("bob");

        assertThat(tried(other, EVE, OF_EVE)).isNotNull();
        assertThat(owner()).contains("eve");
    }

    @Test
    void keyOfAUserThatCouldNotBeWrittenIsFreeAgain() throws Exception {
        store.refuseAfter(1);

        assertThatThrownBy(() -> admin.add(BOB, OF_BOB)).isInstanceOf(MetadataException.class);

        assertThat(tried(other, EVE, OF_EVE)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void userIsMadeThoughTheAnswerOfAWriteIsLost(int write) throws Exception {
        store.failAfter(write, true);

        assertThat(admin.add(BOB, OF_BOB)).isPresent();
        assertThat(owner()).contains("bob");
    }

    @Test
    void userWhoIsThereAlreadyLeavesTheKeyFree() throws Exception {
        admin.add(BOB);

        assertThat(admin.add(BOB, OF_BOB)).isEmpty();
        assertThat(tried(other, EVE, OF_EVE)).isNotNull();
    }

    /** As docs/formats/metadata.md has it. */
    @Test
    void rowOfAKeySaysWhoseItIsAndNoSecret() throws Exception {
        admin.add(BOB, OF_BOB);

        RowKey key = RowKey.table('k').and(KEY);
        assertThat(new String(store.get(key).orElseThrow().value(), UTF_8))
                .matches("\\{\"v\":1,\"userId\":\"bob\",\"encryptedSecret\":\"v1:[A-Za-z0-9+/=]+\","
                        + "\"claimedAt\":1700000000000}")
                .doesNotContain(OF_BOB.secret());

        admin.remove("bob");
        assertThat(new String(store.get(key).orElseThrow().value(), UTF_8))
                .isEqualTo("{\"v\":1,\"userId\":\"\",\"encryptedSecret\":\"\",\"claimedAt\":0}");
    }

    /** Rows of earlier versions have no claim beside them. */
    @Test
    void keyOfAnEarlierVersionsUserStaysTheirs() throws Exception {
        UserRecord bob = admin.add(BOB).orElseThrow().user();

        assertThat(tried(other, EVE, new OwnKey(bob.keyId(), "the-secret-of-eve")))
                .isNull();
        assertThat(openAdmin().keys().key(bob.keyId()).orElseThrow().principal().userId())
                .isEqualTo("bob");
    }

    @Test
    void ownKeyThatWasReplacedIsFreeForOthersOnceItsTimeIsOver() throws Exception {
        assertThat(admin.add(BOB, OF_BOB)).isPresent();
        assertThat(admin.rotate("bob", Duration.ofHours(1))).isPresent();
        now = now.plus(Duration.ofMinutes(30));

        assertThat(tried(other, EVE, OF_EVE)).as("it is still bob's").isNull();
        assertThat(owner()).contains("bob");

        now = now.plus(Duration.ofMinutes(31));
        assertThat(tried(other, EVE, OF_EVE)).isNotNull();
        assertThat(owner()).contains("eve");
    }

    @Test
    void ownKeyThatEndedAtOnceIsFreeForOthers() throws Exception {
        assertThat(admin.add(BOB, OF_BOB)).isPresent();

        assertThat(admin.rotate("bob", Duration.ZERO)).isPresent();

        assertThat(tried(other, EVE, OF_EVE)).isNotNull();
        assertThat(owner()).contains("eve");
    }

    @Test
    void otherServersLearnOfAReplacedKeyWithTheirNextLook() throws Exception {
        UserAdmin.Added before = admin.add(BOB).orElseThrow();
        other.refresh();

        UserAdmin.Added after = admin.rotate("bob", Duration.ofHours(1)).orElseThrow();
        other.refresh();

        for (UserAdmin.Added each : List.of(before, after)) {
            assertThat(other.keys().key(each.credential().keyId()).orElseThrow().secret())
                    .isEqualTo(each.credential().secret());
        }
        assertThat(admin.rotate("bob", Duration.ZERO)).isPresent();
        other.refresh();
        assertThat(other.keys().key(before.credential().keyId())).isEmpty();
        assertThat(other.keys().key(after.credential().keyId())).isEmpty();
    }

    @Test
    void rotationWhoseWriteIsNotAnsweredCountsIfItWasWritten() throws Exception {
        UserAdmin.Added before = admin.add(BOB).orElseThrow();
        store.failAfter(0, true);

        UserAdmin.Added after = admin.rotate("bob", Duration.ZERO).orElseThrow();

        assertThat(admin.keys().key(before.credential().keyId())).isEmpty();
        assertThat(admin.keys().key(after.credential().keyId())).isPresent();
    }
}
