// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.UserRecord;

/**
 * Every key that may sign, with its secret in the clear, in memory: {@link UserAdmin} fills it, {@link Authenticator}
 * reads it. Others may ask who a user is, and nothing else.
 *
 * <p>Thread-safe. Lookups never wait.
 */
public final class KeyTable {
    private final ConcurrentMap<String, Entry> byKey = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Entry> byUser = new ConcurrentHashMap<>();

    KeyTable() {}

    void put(UserRecord user, String secret) {
        Entry entry = new Entry(Principal.of(user), secret, user.encryptedSecret());
        byUser.put(user.userId(), entry);
        byKey.put(user.keyId(), entry);
    }

    void remove(Principal user) {
        @Nullable Entry entry = byKey.get(user.keyId());
        if (entry != null && entry.principal.userId().equals(user.userId())) {
            byKey.remove(user.keyId(), entry);
            byUser.remove(user.userId(), entry); // not a newer key
        }
    }

    /** Whether what the row says is what is known. */
    boolean has(UserRecord user) {
        @Nullable Entry entry = byUser.get(user.userId());
        return entry != null
                && entry.principal.equals(Principal.of(user))
                && entry.encryptedSecret.equals(user.encryptedSecret());
    }

    /** The principal of each key. */
    List<Principal> principals() {
        return byKey.values().stream().map(Entry::principal).toList();
    }

    Optional<Entry> key(String keyId) {
        return Optional.ofNullable(byKey.get(keyId));
    }

    /** Who a user is, as far as this server knows. */
    public Optional<Principal> user(String userId) {
        return Optional.ofNullable(byUser.get(userId)).map(Entry::principal);
    }

    /** A key: whose it is and what it signs with. Immutable; its text has no secret. */
    record Entry(Principal principal, String secret, String encryptedSecret) {
        @Override
        public String toString() {
            return "Entry[" + principal.keyId() + "]";
        }
    }
}
