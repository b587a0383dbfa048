// SPDX-License-Identifier: Apache-2.0
package org.talos.server.auth;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.auth.Credential;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.user.KeyOwner;
import org.talos.server.metadata.rows.user.KeyOwners;
import org.talos.server.metadata.rows.user.UserRecord;
import org.talos.server.metadata.rows.user.Users;
import org.talos.thrift.ErrorCode;

/**
 * Adds, lists and removes users and keeps the table of their keys equal to the rows. The first start makes an
 * administrator and leaves the credentials in a file. Secrets leave this class in the answer of {@link #add} and in
 * that file, nowhere else.
 *
 * <p>Thread-safe. Every call blocks; changes go one after another.
 */
public final class UserAdmin {
    /** Name, in the data directory, of the file with the key that encrypts the secrets. */
    public static final String KEY_FILE = "secrets.key";
    /** Name, in the data directory, of the file with the first administrator's credentials. */
    public static final String FIRST_CREDENTIALS_FILE = "admin.credentials";

    private static final Logger LOG = LoggerFactory.getLogger(UserAdmin.class);
    private static final String FIRST_USER = "admin";
    /**
     * Not AK nor EAK: the public Java SDK takes those for keys of a cloud, which has an org's name before each topic.
     */
    private static final String KEY_PREFIX = "TK";

    private static final String KEY_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final int KEY_RANDOM_CHARACTERS = 18;
    private static final int SECRET_BYTES = 30; // 40 characters of base64

    private final Users users;
    private final KeyOwners owners;
    private final SecretCipher cipher;
    private final InstantSource clock;
    private final SecureRandom random;
    private final KeyTable keys;
    private final KeyClaims claims;
    private final LastAdministrator last;
    private final Object change = new Object();

    private UserAdmin(Users users, KeyOwners owners, SecretCipher cipher, InstantSource clock, SecureRandom random) {
        this.users = users;
        this.owners = owners;
        this.cipher = cipher;
        this.clock = clock;
        this.random = random;
        keys = new KeyTable(clock);
        claims = new KeyClaims(users, owners, clock);
        last = new LastAdministrator(users, owners);
    }

    /**
     * Reads the users; at the first start makes the key file and the administrator.
     *
     * @throws IOException the key file is missing though there are users, is open to others, or cannot be used; or
     *     another server with the same rows is at its first start too
     * @throws MetadataException CORRUPT: a secret cannot be decrypted with this key file
     */
    public static UserAdmin open(Path dataDirectory, MetadataStore store, InstantSource clock, SecureRandom random)
            throws IOException, MetadataException {
        Users users = new Users(store);
        KeyOwners owners = new KeyOwners(store);
        List<Versioned<UserRecord>> known = users.list();
        byte[] key = key(new PrivateFile(dataDirectory.resolve(KEY_FILE)), known.isEmpty(), random);
        UserAdmin admin = new UserAdmin(users, owners, new SecretCipher(key, random), clock, random);
        Map<String, KeyOwner> ownerOfKey = owners.list();
        for (Versioned<UserRecord> user : known) {
            Optional<UserRecord> owned = KeyClaims.owned(user.value(), ownerOfKey);
            if (owned.isPresent()) {
                admin.load(owned.get());
            }
        }
        if (known.isEmpty()) {
            admin.addFirst(new PrivateFile(dataDirectory.resolve(FIRST_CREDENTIALS_FILE)));
        }
        return admin;
    }

    /** Refuses to start without the key file if there are users: with a new one no stored secret could be decrypted. */
    private static byte[] key(PrivateFile file, boolean mayMake, SecureRandom random) throws IOException {
        if (!file.exists()) {
            if (!mayMake) {
                throw new IOException("there are users, but the key of their secrets, " + KEY_FILE
                        + ", is missing: servers with the same metadata need the same one");
            }
            byte[] key = new byte[SecretCipher.KEY_BYTES];
            random.nextBytes(key);
            file.write(Base64.getEncoder().encodeToString(key) + "\n");
        }
        try {
            byte[] key = Base64.getDecoder().decode(file.read().trim());
            if (key.length == SecretCipher.KEY_BYTES) {
                return key;
            }
        } catch (IllegalArgumentException e) {
            throw new IOException(KEY_FILE + " is not base64", e);
        }
        throw new IOException(KEY_FILE + " does not hold " + SecretCipher.KEY_BYTES + " bytes");
    }

    private void load(UserRecord user) throws MetadataException {
        try {
            UserRecord.OldKey old = user.oldKey();
            keys.put(
                    user,
                    cipher.decrypt(user.keyId(), user.encryptedSecret()),
                    old == null ? null : cipher.decrypt(old.keyId(), old.encryptedSecret()));
        } catch (GeneralSecurityException e) {
            throw new MetadataException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "the secret of user " + user.userId() + " cannot be decrypted with " + KEY_FILE,
                    e);
        }
    }

    /**
     * Reads the rows again: other servers may have changed them. A removed user is refused whatever becomes of others.
     *
     * @return why the rows that cannot be read or decrypted cannot be, by whose they are; these users stay as they were
     * @throws MetadataException the rows cannot be listed; no user is added
     */
    public SortedMap<String, MetadataException> refresh() throws MetadataException {
        synchronized (change) {
            Users.Listing listing;
            Map<String, KeyOwner> ownerOfKey;
            try {
                listing = users.listing();
                ownerOfKey = owners.list();
            } catch (MetadataException e) {
                if (e.reason() == Reason.CORRUPT) { // of one row: the store answers
                    removeGone();
                }
                throw e;
            }
            SortedMap<String, MetadataException> stale = new TreeMap<>();
            listing.unreadable().forEach((user, why) -> stale.put("user " + user, why));
            List<UserRecord> owning = listing.users().stream()
                    .flatMap(user -> KeyClaims.owned(user, ownerOfKey).stream())
                    .toList();
            Set<Principal> stored =
                    owning.stream().flatMap(UserAdmin::principals).collect(Collectors.toSet());
            for (Principal known : keys.principals()) {
                if (!stored.contains(known) && !listing.unreadable().containsKey(known.userId())) {
                    keys.remove(known);
                }
            }
            owning.forEach(user -> loadIfChanged(user, stale));
            return stale;
        }
    }

    /** Returns the principals of the user's keys. */
    private static Stream<Principal> principals(UserRecord user) {
        UserRecord.OldKey old = user.oldKey();
        return old == null
                ? Stream.of(Principal.of(user))
                : Stream.of(Principal.of(user), Principal.of(user, old.keyId()));
    }

    private void loadIfChanged(UserRecord user, Map<String, MetadataException> stale) {
        if (!keys.has(user)) {
            try {
                load(user);
            } catch (MetadataException e) {
                stale.put("user " + user.userId(), e);
            }
        }
    }

    /** Looks for each user's row by itself. */
    private void removeGone() throws MetadataException {
        for (Principal known : keys.principals()) {
            try {
                if (users.find(known.userId())
                        .filter(row -> principals(row.value()).anyMatch(known::equals))
                        .isEmpty()) {
                    keys.remove(known);
                }
            } catch (MetadataException e) {
                if (e.reason() == Reason.UNAVAILABLE || e.reason() == Reason.BUSY) {
                    throw e; // each further one would wait as long
                }
            }
        }
    }

    private void addFirst(PrivateFile file) throws IOException, MetadataException {
        synchronized (change) {
            Credential credential = newCredential();
            // The file first: a server that dies in between makes both again, and there is never a user without known
            // credentials.
            file.write("accessKey=" + credential.keyId() + "\nsecretKey=" + credential.secret() + "\n");
            if (!store(row(new NewUser(FIRST_USER, true, false, List.of(), List.of()), credential), credential)) {
                throw new IOException("another server with the same metadata has just made the first user: remove "
                        + FIRST_CREDENTIALS_FILE + " here and copy " + KEY_FILE + " from there");
            }
            LOG.info("first administrator created user={} credentials={}", FIRST_USER, FIRST_CREDENTIALS_FILE);
        }
    }

    /** The keys of all users, as the rows had them when they were last read or changed here. */
    public KeyTable keys() {
        return keys;
    }

    /**
     * A new user. Immutable; its text has no secret.
     *
     * @param credential the only place where the secret is in the clear
     */
    public record Added(UserRecord user, Credential credential) {}

    /**
     * Makes a user with a new key; empty if there is one of that name. The answer has the only copy of the secret, so
     * once the row is written nothing more can fail.
     */
    public Optional<Added> add(NewUser user) throws MetadataException {
        synchronized (change) {
            return add(user, newCredential());
        }
    }

    /**
     * Makes a user with a key of their own; empty if there is one of that name.
     *
     * @throws TalosException INVALID_TOPIC_PARAMS: another user has the key
     */
    public Optional<Added> add(NewUser user, OwnKey key) throws MetadataException {
        synchronized (change) {
            if (users.find(user.userId()).isPresent()) {
                return Optional.empty();
            }
            Credential credential = key.credential();
            UserRecord row = row(user, credential);
            long claim = claims.claim(row);
            if (!writeClaimed(row)) {
                claims.release(row);
                return Optional.empty();
            }
            claims.confirm(row, claim);
            keys.put(row, credential.secret());
            return Optional.of(new Added(row, credential));
        }
    }

    private boolean writeClaimed(UserRecord row) throws MetadataException {
        try {
            return write(row);
        } catch (MetadataException e) {
            if (e.effect() == Effect.NONE) {
                claims.release(row);
            }
            throw e;
        }
    }

    @GuardedBy("change")
    private Optional<Added> add(NewUser user, Credential credential) throws MetadataException {
        UserRecord row = row(user, credential);
        return store(row, credential) ? Optional.of(new Added(row, credential)) : Optional.empty();
    }

    private UserRecord row(NewUser user, Credential credential) {
        return new UserRecord(
                user.userId(),
                credential.keyId(),
                cipher.encrypt(credential.keyId(), credential.secret()),
                user.admin(),
                user.serviceAdmin(),
                user.orgIds(),
                user.teamIds(),
                clock.millis());
    }

    @GuardedBy("change")
    private boolean store(UserRecord row, Credential credential) throws MetadataException {
        boolean made = write(row);
        if (made) {
            keys.put(row, credential.secret());
        }
        return made;
    }

    private boolean write(UserRecord row) throws MetadataException {
        return write(row, 0);
    }

    private boolean write(UserRecord row, long expectedVersion) throws MetadataException {
        try {
            return users.save(row, expectedVersion).isPresent();
        } catch (MetadataException e) {
            if (!isThere(row, e)) {
                throw e;
            }
            return true;
        }
    }

    /** Returns whether a row was written though its write failed: another attempt would have encrypted otherwise. */
    private boolean isThere(UserRecord row, MetadataException failure) {
        if (failure.effect() == Effect.NONE) {
            return false;
        }
        try {
            return users.find(row.userId())
                    .filter(found -> found.value().encryptedSecret().equals(row.encryptedSecret()))
                    .isPresent();
        } catch (MetadataException e) {
            failure.addSuppressed(e);
            return false;
        }
    }

    /**
     * Lists all users, secrets still encrypted.
     *
     * @param reserve gets each user before it is kept; the listing ends with the exception that it throws
     */
    public List<UserRecord> list(Consumer<UserRecord> reserve) throws MetadataException {
        List<UserRecord> all = new ArrayList<>();
        users.list(user -> {
            reserve.accept(user);
            all.add(user);
        });
        return all;
    }

    /**
     * Removes a user; requests with their key are refused from now on. If the store fails, they are refused
     * nevertheless, until the rows are read again.
     *
     * @return false if there is none
     * @throws TalosException PERMISSION_DENIED_ERROR: this is the last administrator with a readable row who can sign
     *     in; LOCK_VALUE_NOT_EXPECTED: another server changes this user or the administrators
     */
    public boolean remove(String userId) throws MetadataException {
        synchronized (change) {
            Optional<Versioned<UserRecord>> row = users.find(userId);
            if (row.isEmpty()) {
                return false;
            }
            UserRecord user = row.get().value();
            if (user.admin()) {
                last.requireAnother(user);
            }
            principals(user).forEach(keys::remove);
            if (!users.delete(userId, row.get().version())) {
                throw changedMeanwhile();
            }
            claims.release(user);
            return true;
        }
    }

    static TalosException changedMeanwhile() {
        return TalosException.refused(
                ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the user was changed by another request meanwhile: check it again");
    }

    /**
     * Gives a user a new key. The old one ends at once, here and within seconds at other servers, or after the grace;
     * one that was replaced before ends at once.
     *
     * @param grace time for which the old key stays valid; zero ends it at once
     * @return empty if there is no such user
     * @throws TalosException LOCK_VALUE_NOT_EXPECTED: somebody else changes the user at the same time
     */
    public Optional<Added> rotate(String userId, Duration grace) throws MetadataException {
        synchronized (change) {
            Optional<Versioned<UserRecord>> row = users.find(userId);
            if (row.isEmpty()) {
                return Optional.empty();
            }
            UserRecord before = row.get().value();
            UserRecord.OldKey old = grace.isZero()
                    ? null
                    : new UserRecord.OldKey(
                            before.keyId(), before.encryptedSecret(), clock.millis() + grace.toMillis());
            if (old != null) {
                load(before); // fails if the kept secret cannot be decrypted, before anything is changed
            }
            Credential credential = newCredential();
            UserRecord after =
                    before.withKey(credential.keyId(), cipher.encrypt(credential.keyId(), credential.secret()), old);
            if (!write(after, row.get().version())) {
                throw changedMeanwhile();
            }
            load(after);
            if (old == null) {
                claims.release(before, before.keyId());
            }
            if (before.oldKey() != null) {
                claims.release(before, before.oldKey().keyId());
            }
            LOG.info("key replaced user={} old={} new={} grace={}", userId, before.keyId(), after.keyId(), grace);
            return Optional.of(new Added(after, credential));
        }
    }

    private Credential newCredential() {
        StringBuilder keyId = new StringBuilder(KEY_PREFIX);
        for (int i = 0; i < KEY_RANDOM_CHARACTERS; i++) {
            keyId.append(KEY_CHARACTERS.charAt(random.nextInt(KEY_CHARACTERS.length())));
        }
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return new Credential(
                keyId.toString(), Base64.getUrlEncoder().withoutPadding().encodeToString(secret));
    }
}
