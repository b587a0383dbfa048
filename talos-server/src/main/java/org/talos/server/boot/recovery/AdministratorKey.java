// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.recovery;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.library.NativeLibraries;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.Stores;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.hbase.HBaseMetadataStore;
import org.talos.server.metadata.hbase.HBaseTable;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.time.SystemTime;

/**
 * Replaces the key of an administrator without a server's help. The right to do so is the right to read the key of the
 * secrets in the data directory, and to write the rows. Rows in RocksDB need a server that does not run. Rows in HBase
 * are changed by compare-and-set, so the servers may run, and notice the change like one of another server.
 *
 * <p>Immutable; its calls block.
 */
public final class AdministratorKey {
    private static final Logger LOG = LoggerFactory.getLogger(AdministratorKey.class);
    /** The administrator that the first start makes. */
    private static final String FIRST_USER = "admin";

    private AdministratorKey() {}

    /**
     * Gives an administrator a new key. The old one ends at once.
     *
     * @param user an administrator. If empty, {@code admin}, or the only one
     * @return the user with the only copy of the new secret
     * @throws IOException no server has used the data directory, it belongs to another user, its key of the secrets
     *     cannot be used, or there is no such administrator
     * @throws MetadataException the rows cannot be used; UNAVAILABLE also if a server runs on them
     * @throws org.talos.common.error.TalosException LOCK_VALUE_NOT_EXPECTED: a server changes the user at the same time
     */
    public static UserAdmin.Added replace(ServerConfig config, Optional<String> user)
            throws IOException, MetadataException {
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        requireUsed(config, data);
        try (Closing closing = new Closing()) {
            MetadataStore rows = closing.add(open(config, data, closing));
            String name = administrator(user, new Users(rows).listing().users());
            UserAdmin users = UserAdmin.open(data, rows, SystemTime.wallClock(), new SecureRandom());
            UserAdmin.Added added = users.rotate(name, Duration.ZERO)
                    .orElseThrow(() -> new IOException("the user " + name + " was removed meanwhile"));
            LOG.warn("administrator's key replaced by a command user={} data={}", name, data);
            return added;
        }
    }

    /** Refuses a directory without the parts that the replacement needs, or of which another user has them. */
    private static void requireUsed(ServerConfig config, Path data) throws IOException {
        Path part = data.resolve(isLocal(config) ? Stores.METADATA : UserAdmin.KEY_FILE);
        if (!Files.exists(part)) {
            throw new IOException("no server has used " + data + ", which lacks " + part.getFileName());
        }
        UserPrincipal owner = Files.getOwner(part);
        if (!owner.equals(self(data))) { // the server could not open files that this user makes
            throw new IOException(part + " belongs to " + owner + ": run this as that user");
        }
    }

    private static UserPrincipal self(Path data) throws IOException {
        try {
            Path probe = Files.createTempFile(data, ".talos-", ".owner");
            try {
                return Files.getOwner(probe);
            } finally {
                Files.delete(probe);
            }
        } catch (AccessDeniedException e) {
            throw new IOException("this user may not write in " + data + ": run this as the server's user", e);
        }
    }

    private static boolean isLocal(ServerConfig config) {
        return config.storage().metadata() == MetadataIn.ROCKSDB;
    }

    private static MetadataStore open(ServerConfig config, Path data, Closing closing)
            throws IOException, MetadataException {
        if (isLocal(config)) {
            RocksDbMetadataStore.loadLibrary(List.of(data, NativeLibraries.temporaryFiles()));
            return RocksDbMetadataStore.open(data.resolve(Stores.METADATA), data.resolve(Stores.METADATA_NOTE));
        }
        closing.add(HadoopLogin.open(config));
        HBaseTable table =
                HBaseTable.connect(ClientConfiguration.hbase(config.hbase()), config.hbase(), SystemTime.ticker());
        MetadataMetrics discarded = new MetadataMetrics(new Metrics(SystemTime.ticker()));
        return HBaseMetadataStore.open(table, SystemTime.ticker(), SystemTime.wallClock(), discarded);
    }

    private static String administrator(Optional<String> wanted, List<UserRecord> users) throws IOException {
        List<String> names = users.stream()
                .filter(UserRecord::admin)
                .map(UserRecord::userId)
                .sorted()
                .toList();
        if (names.isEmpty()) {
            throw new IOException("there is no administrator yet: the first start of a server makes one");
        }
        if (wanted.isEmpty() && names.size() == 1) {
            return names.get(0);
        }
        String name = wanted.orElse(FIRST_USER);
        if (!names.contains(name)) {
            throw new IOException(
                    "no administrator is named " + name + " (expected: " + String.join(", ", names) + ")");
        }
        return name;
    }
}
