// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.talos.server.metadata.UserRecord;

/**
 * Every key that may sign, with its secret in the clear, in memory: {@link UserAdmin} fills it, {@link Authenticator}
 * reads it. Opaque to all others.
 *
 * <p>Thread-safe. Lookups never wait.
 */
public final class KeyTable {
    private final ConcurrentMap<String, Entry> byKey = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Entry> byUser = new ConcurrentHashMap<>();

    KeyTable() {}

    void put(UserRecord user, String secret) {
        Entry entry = new Entry(Principal.of(user), secret);
        byUser.put(user.userId(), entry);
        byKey.put(user.keyId(), entry);
    }

    void remove(UserRecord user) {
        byKey.remove(user.keyId());
        byUser.remove(user.userId());
    }

    Optional<Entry> key(String keyId) {
        return Optional.ofNullable(byKey.get(keyId));
    }

    Optional<Principal> user(String userId) {
        return Optional.ofNullable(byUser.get(userId)).map(Entry::principal);
    }

    /** A key: whose it is and what it signs with. Immutable; its text has no secret. */
    record Entry(Principal principal, String secret) {
        @Override
        public String toString() {
            return "Entry[" + principal.keyId() + "]";
        }
    }
}
