// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.auth.Credential;
import org.talos.server.auth.NewUser;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.Stores;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.runtime.time.SystemTime;

/** Tests the replacement of a lost key on a data directory of one server. */
@Timeout(60)
class AdministratorKeyTest {
    @TempDir
    private Path data;

    private ServerConfig config() throws Exception {
        return ConfigLoader.load(Map.of("TALOS_DATADIRECTORY", data.toString()));
    }

    /** The users of the directory, as a server reads them at its start. */
    private UserAdmin users(MetadataStore rows) throws IOException, MetadataException {
        return UserAdmin.open(data, rows, SystemTime.wallClock(), new SecureRandom());
    }

    private MetadataStore rows() throws MetadataException {
        return RocksDbMetadataStore.open(data.resolve(Stores.METADATA), data.resolve(Stores.METADATA_NOTE));
    }

    private static String keyId(UserAdmin users, String name) {
        return users.keys().user(name).orElseThrow().keyId();
    }

    /** Makes users as servers do, and returns the id of the first administrator's key. */
    private String startedWith(NewUser... more) throws Exception {
        try (MetadataStore rows = rows()) {
            UserAdmin users = users(rows);
            for (NewUser each : more) {
                assertThat(users.add(each)).isPresent();
            }
            return keyId(users, "admin");
        }
    }

    private static NewUser user(String name, boolean admin) {
        return new NewUser(name, admin, false, List.of(), List.of());
    }

    @Test
    void administratorHasANewKeyInPlaceOfTheOldOne() throws Exception {
        String old = startedWith();

        Credential fresh = AdministratorKey.replace(config(), Optional.empty()).credential();

        try (MetadataStore rows = rows()) {
            UserAdmin users = users(rows);
            assertThat(keyId(users, "admin")).isEqualTo(fresh.keyId()).isNotEqualTo(old);
            assertThat(users.keys().user("admin").orElseThrow().admin()).isTrue();
        }
        assertThat(fresh.secret()).hasSize(40);
    }

    @Test
    void directoryOfARunningServerIsRefused() throws Exception {
        startedWith();

        try (MetadataStore rows = rows()) {
            String before = keyId(users(rows), "admin");
            assertThatThrownBy(() -> AdministratorKey.replace(config(), Optional.empty()))
                    .isInstanceOfSatisfying(
                            MetadataException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE))
                    .hasMessageContaining("in use");
            assertThat(keyId(users(rows), "admin")).isEqualTo(before);
        }
    }

    @Test
    void userWhoIsNoAdministratorIsRefusedWithTheNamesOfThoseWhoAre() throws Exception {
        startedWith(user("ann", true), user("bob", false));

        assertThatThrownBy(() -> AdministratorKey.replace(config(), Optional.of("bob")))
                .isInstanceOf(IOException.class)
                .hasMessage("no administrator is named bob (expected: admin, ann)");
    }

    @Test
    void anotherAdministratorCanBeNamed() throws Exception {
        String old = startedWith(user("ann", true));

        UserAdmin.Added added = AdministratorKey.replace(config(), Optional.of("ann"));

        assertThat(added.user().userId()).isEqualTo("ann");
        try (MetadataStore rows = rows()) {
            assertThat(keyId(users(rows), "admin")).isEqualTo(old);
        }
    }

    @Test
    void directoryThatNoServerHasUsedIsLeftAsItIs() {
        assertThatThrownBy(() -> AdministratorKey.replace(config(), Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no server has used " + data);

        assertThat(data).isEmptyDirectory();
    }
}
