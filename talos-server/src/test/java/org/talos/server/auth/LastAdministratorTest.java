// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.auth.Credential;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.testing.FailingMetadataStore;

/** Several servers that remove administrators from one store at the same time. */
@Timeout(60)
final class LastAdministratorTest {
    @TempDir
    private Path directory;

    @AutoClose("shutdownNow")
    private final ExecutorService servers = Executors.newFixedThreadPool(2);

    @AutoClose
    private FailingMetadataStore store;

    private UserAdmin admin;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(directory.resolve("metadata")));
        admin = openAdmin(store);
    }

    private UserAdmin openAdmin(FailingMetadataStore view) throws Exception {
        return UserAdmin.open(directory, view, () -> Instant.ofEpochSecond(1_700_000_000), new SecureRandom());
    }

    private static NewUser administrator(String name) {
        return new NewUser(name, true, false, List.of(), List.of());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void oneAdministratorStaysThoughAnotherServerRemovesTheOtherMeanwhile(int writesBefore) throws Exception {
        admin.add(administrator("ada"));
        UserAdmin other = openAdmin(store);
        store.beforeWrite(writesBefore, () -> removeIfAllowed(other, "ada"));

        assertThat(removeIfAllowed(admin, "admin")).isFalse();

        assertThat(admin.list(user -> {})).extracting(UserRecord::userId).containsExactly("admin");
    }

    @Test
    void administratorsWhoAreRemovedInStepByTwoServersStay() throws Exception {
        admin.add(administrator("ada"));
        var step = new CyclicBarrier(2);
        var removals = new ArrayList<CompletableFuture<Boolean>>();
        for (String leaving : List.of("admin", "ada")) {
            var view = new FailingMetadataStore(store);
            UserAdmin server = openAdmin(view);
            inStep(view, step);
            removals.add(CompletableFuture.supplyAsync(() -> removeIfAllowed(server, leaving), servers));
        }

        assertThat(removals)
                .allSatisfy(removal ->
                        assertThat(removal).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(false));
        assertThat(admin.list(user -> {})).hasSize(2);
    }

    @Test
    void failureBeforeTheRemovalOfAnAdministratorHasNoEffect() throws Exception {
        Credential ada = admin.add(administrator("ada")).orElseThrow().credential();
        store.failAfter(0, true);

        assertThatThrownBy(() -> admin.remove("ada"))
                .isInstanceOfSatisfying(
                        MetadataException.class, e -> assertThat(e.effect()).isEqualTo(Effect.NONE));

        assertThat(admin.keys().key(ada.keyId())).isPresent();
        assertThat(openAdmin(store).keys().key(ada.keyId())).isPresent();
    }

    private static boolean removeIfAllowed(UserAdmin server, String user) {
        try {
            return server.remove(user);
        } catch (TalosException e) {
            return false;
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Lets no write of this view pass until the other view is about to write too. */
    private static void inStep(FailingMetadataStore view, CyclicBarrier step) {
        view.beforeWrite(0, () -> {
            inStep(view, step);
            try {
                step.await(10, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
