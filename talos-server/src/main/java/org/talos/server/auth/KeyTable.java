// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.rows.user.UserRecord;

/**
 * All keys that may sign, with their secrets in the clear, in memory. {@link UserAdmin} fills the table, and
 * {@link Authenticator} reads it. Other code can only look up users. A replaced key stays until its grace period ends,
 * and is unknown from then on.
 *
 * <p>Thread-safe. Lookups never wait.
 */
public final class KeyTable {
    private final ConcurrentMap<String, Entry> byKey = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Keys> byUser = new ConcurrentHashMap<>();
    private final InstantSource clock;

    /** @param clock wall clock, by which keys that were replaced end */
    KeyTable(InstantSource clock) {
        this.clock = clock;
    }

    /** A user's keys. Immutable. */
    private record Keys(Entry current, @Nullable Entry old) {
        boolean have(Entry entry) {
            return entry.equals(current) || entry.equals(old);
        }
    }

    /** Lets a user sign with the present key alone. */
    void put(UserRecord user, String secret) {
        put(user, secret, null);
    }

    /**
     * Replaces the user's keys by those of the row.
     *
     * @param oldSecret of the old key; null if there is none
     */
    void put(UserRecord user, String secret, @Nullable String oldSecret) {
        Entry current = new Entry(Principal.of(user, user.keyId()), secret, user.encryptedSecret(), Long.MAX_VALUE);
        UserRecord.OldKey replaced = user.oldKey();
        Entry old = replaced == null || oldSecret == null
                ? null
                : new Entry(
                        Principal.of(user, replaced.keyId()), oldSecret, replaced.encryptedSecret(), replaced.until());
        Keys keys = new Keys(current, old);
        if (old != null) {
            byKey.put(old.principal.keyId(), old);
        }
        byKey.put(current.principal.keyId(), current);
        Keys before = byUser.put(user.userId(), keys);
        if (before != null) {
            removeUnless(keys, before.current);
            removeUnless(keys, before.old);
        }
    }

    private void removeUnless(Keys keys, @Nullable Entry entry) {
        if (entry != null && !keys.have(entry)) {
            byKey.remove(entry.principal.keyId(), entry);
        }
    }

    /** Refuses a key from now on; that of the principal, not another one of the user's. */
    void remove(Principal user) {
        @Nullable Entry entry = byKey.get(user.keyId());
        if (entry != null && entry.principal.userId().equals(user.userId())) {
            byKey.remove(user.keyId(), entry);
            Keys keys = byUser.get(user.userId());
            if (keys != null && keys.current.equals(entry)) {
                byUser.remove(user.userId(), keys); // not a newer key
            }
        }
    }

    /** Returns whether the row equals what the table has. */
    boolean has(UserRecord user) {
        @Nullable Keys keys = byUser.get(user.userId());
        return keys != null
                && keys.current.principal.equals(Principal.of(user))
                && keys.current.encryptedSecret.equals(user.encryptedSecret())
                && (keys.old == null ? user.oldKey() == null : keys.old.is(user.oldKey()));
    }

    /** The principal of each key. */
    List<Principal> principals() {
        return byKey.values().stream().map(Entry::principal).toList();
    }

    Optional<Entry> key(String keyId) {
        return Optional.ofNullable(byKey.get(keyId)).filter(entry -> clock.millis() < entry.untilMillis);
    }

    /** Returns whether a user, team, or org has this identifier, as far as this server knows. */
    public boolean isIdentifier(String identifier) {
        return byKey.values().stream()
                .anyMatch(entry -> entry.principal().identifiers().contains(identifier));
    }

    /** Returns a user, as far as this server knows them. */
    public Optional<Principal> user(String userId) {
        return Optional.ofNullable(byUser.get(userId)).map(keys -> keys.current.principal);
    }

    /**
     * A key with its user and its secret. Immutable; its text has no secret.
     *
     * @param untilMillis ms since 1970; from then on it is refused
     */
    record Entry(Principal principal, String secret, String encryptedSecret, long untilMillis) {
        private boolean is(UserRecord.@Nullable OldKey old) {
            return old != null
                    && Objects.equals(old.keyId(), principal.keyId())
                    && old.encryptedSecret().equals(encryptedSecret)
                    && old.until() == untilMillis;
        }

        @Override
        public String toString() {
            return "Entry[" + principal.keyId() + "]";
        }
    }
}
