// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.auth.Credential;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.server.service.ControlFixture;
import org.talos.server.service.admin.AdminCalls;
import org.talos.server.testing.FailingMetadataStore;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.AddUserResponse;

final class UserAdminTest {
    private static final NewUser BOB = new NewUser("bob", false, false, List.of("CL1"), List.of("CI1"));

    @TempDir
    private Path directory;

    private FailingMetadataStore store;
    private Users users;
    private UserAdmin admin;

    @BeforeEach
    void open() throws Exception {
        openStore();
        admin = openAdmin();
    }

    private void openStore() throws MetadataException {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(directory.resolve("metadata")));
        users = new Users(store);
    }

    private UserAdmin openAdmin() throws IOException, MetadataException {
        return UserAdmin.open(directory, store, () -> Instant.ofEpochSecond(1_700_000_000), new SecureRandom());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void firstStartLeavesAnAdministratorWhoseCredentialsWork() throws Exception {
        Properties file = credentialsFile();

        assertThat(file.stringPropertyNames()).containsExactlyInAnyOrder("accessKey", "secretKey");
        KeyTable.Entry entry = admin.keys().key(file.getProperty("accessKey")).orElseThrow();
        assertThat(entry.secret()).isEqualTo(file.getProperty("secretKey"));
        assertThat(entry.principal().admin()).isTrue();
        assertThat(admin.list(user -> {})).extracting(UserRecord::userId).containsExactly("admin");
    }

    @Test
    void whatAnotherServerHasDoneIsSeenAfterARefresh() throws Exception {
        UserAdmin other = openAdmin();
        Credential first = admin.add(BOB).orElseThrow().credential();
        assertThat(other.refresh()).isEmpty();
        assertThat(other.keys().key(first.keyId()).orElseThrow().secret()).isEqualTo(first.secret());

        admin.remove("bob");
        Credential second = admin.add(BOB).orElseThrow().credential();
        assertThat(other.refresh()).isEmpty();

        assertThat(other.keys().key(first.keyId())).isEmpty();
        assertThat(other.keys().key(second.keyId()).orElseThrow().secret()).isEqualTo(second.secret());
        assertThat(other.keys().user("bob").orElseThrow().keyId()).isEqualTo(second.keyId());
    }

    @Test
    void removedUserIsRefusedThoughAnotherRowCannotBeRead() throws Exception {
        UserAdmin other = openAdmin();
        Credential bob = admin.add(BOB).orElseThrow().credential();
        Credential eve = admin.add(named("eve", false)).orElseThrow().credential();
        assertThat(other.refresh()).isEmpty();

        admin.remove("bob");
        makeUnreadable("eve");
        Credential late = admin.add(named("late", false)).orElseThrow().credential();
        assertThat(other.refresh()).containsOnlyKeys("user eve");

        assertThat(other.keys().key(bob.keyId())).isEmpty();
        assertThat(other.keys().key(eve.keyId())).as("as it was").isPresent();
        assertThat(other.keys().key(late.keyId())).isPresent();
    }

    /** The store itself cannot read a row, and tells of none. */
    @Test
    void removedUserIsRefusedThoughRowsCannotBeListed() throws Exception {
        UserAdmin other = openAdmin();
        Credential bob = admin.add(BOB).orElseThrow().credential();
        Credential eve = admin.add(named("eve", false)).orElseThrow().credential();
        assertThat(other.refresh()).isEmpty();

        admin.remove("bob");
        makeUnreadable("eve");
        store.failScans(1, Reason.CORRUPT);

        assertThatThrownBy(other::refresh).isInstanceOf(MetadataException.class);
        assertThat(other.keys().key(bob.keyId())).isEmpty();
        assertThat(other.keys().key(eve.keyId())).as("as it was").isPresent();
    }

    @Test
    void secretThatCannotBeDecryptedStopsNoOtherUser() throws Exception {
        UserAdmin other = openAdmin();
        Credential bob = admin.add(BOB).orElseThrow().credential();
        assertThat(other.refresh()).isEmpty();

        admin.remove("bob");
        Versioned<UserRecord> first = users.find("admin").orElseThrow();
        users.save(
                new UserRecord("a", "AKa", first.value().encryptedSecret(), false, false, List.of(), List.of(), 0), 0);
        Credential late = admin.add(named("late", false)).orElseThrow().credential();
        assertThat(other.refresh()).containsOnlyKeys("user a");

        assertThat(other.keys().key(bob.keyId())).isEmpty();
        assertThat(other.keys().key("AKa")).isEmpty();
        assertThat(other.keys().key(late.keyId())).isPresent();
    }

    @Test
    void administratorCanBeRemovedThoughAnotherRowCannotBeRead() throws Exception {
        admin.add(named("ada", true));
        admin.add(BOB);
        makeUnreadable("bob");

        assertThat(admin.remove("admin")).isTrue();
        assertThatThrownBy(() -> admin.remove("ada")).isInstanceOf(TalosException.class);
    }

    private static NewUser named(String name, boolean administrator) {
        return new NewUser(name, administrator, false, List.of(), List.of());
    }

    private void makeUnreadable(String user) throws MetadataException {
        RowKey key = RowKey.table(Users.TABLE).and(user);
        store.compareAndSet(key, store.get(key).orElseThrow().version(), "{\"v\":99}".getBytes(ISO_8859_1));
    }

    @Test
    void filesOfSecretsAreForTheOwnerOnly() throws Exception {
        for (String name : List.of(UserAdmin.KEY_FILE, UserAdmin.FIRST_CREDENTIALS_FILE)) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name))))
                    .as(name)
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void secondStartKeepsUsersAndKeys() throws Exception {
        String before = Files.readString(directory.resolve(UserAdmin.FIRST_CREDENTIALS_FILE));
        Credential bob = admin.add(BOB).orElseThrow().credential();

        store.close();
        openStore();
        admin = openAdmin();

        assertThat(admin.keys().key(bob.keyId()).orElseThrow().secret()).isEqualTo(bob.secret());
        assertThat(admin.list(user -> {})).hasSize(2);
        assertThat(directory.resolve(UserAdmin.FIRST_CREDENTIALS_FILE)).hasContent(before);
    }

    @Test
    void startThatFailedAfterTheFileMakesBothAnew() throws Exception {
        users.delete("admin", users.find("admin").orElseThrow().version());
        store.failAfter(0, false);
        assertThatThrownBy(this::openAdmin).isInstanceOf(MetadataException.class);
        String leftBehind = credentialsFile().getProperty("accessKey");

        admin = openAdmin();

        assertThat(admin.keys().key(leftBehind)).isEmpty();
        assertThat(admin.keys().key(credentialsFile().getProperty("accessKey"))).isPresent();
    }

    @Test
    void secondOfTwoServersAtTheirFirstStartSaysWhatToDo() throws Exception {
        users.delete("admin", users.find("admin").orElseThrow().version());
        SecureRandom meanwhile = new SecureRandom() {
            private boolean other;

            @Override
            public void nextBytes(byte[] bytes) { // it has found no users, and is making its key
                super.nextBytes(bytes);
                if (!other) {
                    other = true;
                    assertThatCode(() -> admin = openAdmin()).doesNotThrowAnyException();
                }
            }
        };

        assertThatThrownBy(() -> UserAdmin.open(directory.resolve("second"), store, InstantSource.system(), meanwhile))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("copy secrets.key from there");
        assertThat(admin.keys().key(credentialsFile().getProperty("accessKey"))).isPresent();
    }

    @Test
    void newKeysHaveTheirForm() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();

        assertThat(bob.keyId()).matches("TK[A-Z0-9]{18}");
        assertThat(bob.secret()).matches("[A-Za-z0-9_-]{40}");
        assertThat(bob.toString()).doesNotContain(bob.secret());
        Principal principal = admin.keys().key(bob.keyId()).orElseThrow().principal();
        assertThat(principal.identifiers()).containsExactlyInAnyOrder("bob", "CL1", "CI1");
        assertThat(principal.admin()).isFalse();
    }

    @Test
    void userMayBringAKeyWhichEachServerTakesAndNoRowOrTextTells() throws Exception {
        UserAdmin other = openAdmin();
        Credential own = new Credential("AK0123456789", "brought-from-elsewhere/+=");
        AddUserRequest request = new AddUserRequest("bob", false, List.of(), List.of());
        request.setKeyId(own.keyId());
        request.setSecretKey(own.secret());

        AddUserResponse added = new AdminCalls(admin).addUser(ControlFixture.ADMIN, request);

        assertThat(added.getUser().getKeyId()).isEqualTo(own.keyId());
        assertThat(added.getSecretKey()).isEqualTo(own.secret());
        assertThat(other.refresh()).isEmpty();
        for (UserAdmin each : List.of(admin, other, openAdmin())) {
            assertThat(each.keys().key(own.keyId()).orElseThrow().secret()).isEqualTo(own.secret());
        }
        store.close();
        assertThat(contains(own.secret())).isFalse();
    }

    @Test
    void keyOfAnotherUserIsRefused() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();

        assertThatThrownBy(() -> admin.add(named("eve", false), new OwnKey(bob.keyId(), "another-long-secret")))
                .isInstanceOf(TalosException.class)
                .hasMessageContaining("another user");
        assertThat(admin.keys().key(bob.keyId()).orElseThrow().secret()).isEqualTo(bob.secret());
        assertThat(admin.keys().user("eve")).isEmpty();
    }

    /** The key's id tells nothing then. */
    @Test
    void newSecretOfAnOldKeyIsSeenByOtherServers() throws Exception {
        UserAdmin other = openAdmin();
        admin.add(BOB, new OwnKey("APP-1", "the-first-long-secret"));
        assertThat(other.refresh()).isEmpty();

        admin.remove("bob");
        admin.add(BOB, new OwnKey("APP-1", "the-second-long-secret"));
        assertThat(other.refresh()).isEmpty();

        assertThat(other.keys().key("APP-1").orElseThrow().secret()).isEqualTo("the-second-long-secret");
    }

    @Test
    void keysThatCannotBeSentOrAreTooShortAreRefusedWithoutTheirSecret() {
        for (String id : List.of("", "AK", "a b c", "a:b:c", "Service-Admin#AK1", "ключ", "x".repeat(101))) {
            assertThatThrownBy(() -> new OwnKey(id, "long-enough-secret"))
                    .as(id)
                    .isInstanceOf(TalosException.class);
        }
        for (String secret :
                List.of("", "too-short", "with a space inside", "with\nline-break-inside", "x".repeat(201))) {
            assertThatThrownBy(() -> new OwnKey("APP-1", secret))
                    .isInstanceOf(TalosException.class)
                    .message()
                    .doesNotContain("too-short", "with a space", "line-break", "xxx");
        }
        assertThat(new OwnKey("APP-1", "long-enough-secret").toString()).doesNotContain("long-enough");
    }

    @Test
    void takenUserIsNotMadeAgainAndKeepsTheKey() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();

        assertThat(admin.add(BOB)).isEmpty();
        assertThat(admin.keys().key(bob.keyId())).isPresent();
        assertThat(admin.list(user -> {})).hasSize(2);
    }

    @Test
    void secretIsNotLostWithTheAnswerOfTheWrite() throws Exception {
        store.failAfter(0, true);

        Credential bob = admin.add(BOB).orElseThrow().credential();

        assertThat(openAdmin().keys().key(bob.keyId()).orElseThrow().secret()).isEqualTo(bob.secret());
    }

    @Test
    void secretIsToldWhateverElseCannotBeRead() throws Exception {
        AdminCalls calls = new AdminCalls(admin);
        store.failScans(1, Reason.UNAVAILABLE);

        AddUserResponse added =
                calls.addUser(ControlFixture.ADMIN, new AddUserRequest("bob", false, List.of(), List.of()));

        assertThat(admin.keys().key(added.getUser().getKeyId()).orElseThrow().secret())
                .isEqualTo(added.getSecretKey());
        assertThat(added.getUser().getCreateTimestamp()).isPositive();
    }

    @Test
    void removedUserIsOutAtOnceAndAfterARestart() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();

        assertThat(admin.remove("bob")).isTrue();

        assertThat(admin.keys().key(bob.keyId())).isEmpty();
        assertThat(admin.keys().user("bob")).isEmpty();
        assertThat(admin.remove("bob")).isFalse();
        assertThat(openAdmin().keys().key(bob.keyId())).isEmpty();
    }

    @Test
    void userIsOutEvenIfTheStoreFailsToForgetThem() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();
        store.failAfter(0, false);

        assertThatThrownBy(() -> admin.remove("bob")).isInstanceOf(MetadataException.class);

        assertThat(admin.keys().key(bob.keyId())).isEmpty();
    }

    @Test
    void lastAdministratorStays() throws Exception {
        admin.add(BOB);

        assertThatThrownBy(() -> admin.remove("admin")).isInstanceOf(TalosException.class);

        admin.add(new NewUser("ada", true, false, List.of(), List.of()));
        assertThat(admin.remove("admin")).isTrue();
        assertThatThrownBy(() -> admin.remove("ada")).isInstanceOf(TalosException.class);
    }

    @Test
    void noSecretStandsInTheMetadataDirectory() throws Exception {
        Credential bob = admin.add(BOB).orElseThrow().credential();
        store.close();

        assertThat(contains(bob.keyId()))
                .as("the files are the ones looked for")
                .isTrue();
        assertThat(contains(bob.secret())).isFalse();
        assertThat(contains(credentialsFile().getProperty("secretKey"))).isFalse();
    }

    private boolean contains(String text) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve("metadata"))) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                if (Files.readString(file, ISO_8859_1).contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }

    @ParameterizedTest
    @CsvSource({"rw-r-----", "rw----r--", "rw--w----", "rwx------"})
    void keyFileOpenToOthersIsRefused(String permissions) throws Exception {
        Files.setPosixFilePermissions(
                directory.resolve(UserAdmin.KEY_FILE), PosixFilePermissions.fromString(permissions));

        assertThatThrownBy(this::openAdmin).isInstanceOf(IOException.class).hasMessageContaining(permissions);
    }

    @Test
    void lostKeyFileIsNotMadeAnew() throws Exception {
        Files.delete(directory.resolve(UserAdmin.KEY_FILE));

        assertThatThrownBy(this::openAdmin).isInstanceOf(IOException.class).hasMessageContaining("is missing");
        assertThat(directory.resolve(UserAdmin.KEY_FILE)).doesNotExist();
    }

    @Test
    void foreignKeyFileIsRefusedWithTheUserNamed() throws Exception {
        new PrivateFile(directory.resolve(UserAdmin.KEY_FILE)).write("QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=\n");

        assertThatThrownBy(this::openAdmin).isInstanceOfSatisfying(MetadataException.class, e -> {
            assertThat(e.reason()).isEqualTo(Reason.CORRUPT);
            assertThat(e).hasMessageContaining("user admin");
        });
    }

    @ParameterizedTest
    @CsvSource({"short", "not base64!", "QUFB"})
    void damagedKeyFileIsRefused(String content) throws Exception {
        new PrivateFile(directory.resolve(UserAdmin.KEY_FILE)).write(content);

        assertThatThrownBy(this::openAdmin).isInstanceOf(IOException.class);
    }

    @Test
    void secretCannotBeMovedToAnotherUsersRow() throws Exception {
        admin.add(BOB);
        Versioned<UserRecord> bob = users.find("bob").orElseThrow();
        Versioned<UserRecord> first = users.find("admin").orElseThrow();
        UserRecord moved = new UserRecord(
                "admin", first.value().keyId(), bob.value().encryptedSecret(), true, false, List.of(), List.of(), 0);
        users.save(moved, first.version());

        assertThatThrownBy(this::openAdmin).isInstanceOf(MetadataException.class);
    }

    @Test
    void usersMayNotBeCalledLikeOrgsOrTeams() {
        for (String name : List.of("CL1", "CI1", "", "a b", "a#b", "x".repeat(81))) {
            assertThatThrownBy(() -> new NewUser(name, false, false, List.of(), List.of()))
                    .as(name)
                    .isInstanceOf(TalosException.class);
        }
        assertThatThrownBy(() -> new NewUser("bob", false, false, List.of("ada"), List.of()))
                .isInstanceOf(TalosException.class);
        assertThatThrownBy(() -> new NewUser("bob", false, false, List.of(), List.of("CL1")))
                .isInstanceOf(TalosException.class);
    }

    private Properties credentialsFile() throws IOException {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(directory.resolve(UserAdmin.FIRST_CREDENTIALS_FILE))) {
            properties.load(reader);
        }
        return properties;
    }
}
