// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;

/**
 * All quotas, cached in memory so that no put or get reads the store: loaded at start, written through on each change,
 * and refreshed at intervals if other servers change them too.
 *
 * <p>Thread-safe. Lookups never wait; changes block.
 */
public final class Quotas {
    private static final String USER = "user";
    public static final char TABLE = 'q';
    public static final char ORG_TABLE = 'n';

    private static final String TOPIC = "topic";

    private final Table<QuotaRecord> table;
    private final Table<OrgQuotaRecord> orgTable;
    private final ConcurrentMap<String, QuotaRecord> users = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, QuotaRecord> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, OrgQuotaRecord> orgs = new ConcurrentHashMap<>();

    private Quotas(MetadataStore store) {
        table = new Table<>(store, TABLE, QuotaRecord.class);
        orgTable = new Table<>(store, ORG_TABLE, OrgQuotaRecord.class);
    }

    /** Reads all quotas in the store. */
    public static Quotas load(MetadataStore store) throws MetadataException {
        Quotas quotas = new Quotas(store);
        quotas.refresh();
        return quotas;
    }

    /** Reads all quotas again, with the changes of other servers. */
    public synchronized void refresh() throws MetadataException {
        Map<String, Map<String, QuotaRecord>> stored = Map.of(USER, new HashMap<>(), TOPIC, new HashMap<>());
        for (Table.KeyedRow<QuotaRecord> found : table.list(table.all())) {
            of(stored, found.key().text(0)).put(found.key().text(1), found.row().value());
        }
        Map<String, OrgQuotaRecord> storedOrgs = new HashMap<>();
        for (Table.KeyedRow<OrgQuotaRecord> found : orgTable.list(orgTable.all())) {
            storedOrgs.put(found.key().text(0), found.row().value());
        }
        replaceContents(users, of(stored, USER));
        replaceContents(topics, of(stored, TOPIC));
        replaceContents(orgs, storedOrgs);
    }

    /** Replaces the entries, such that no lookup misses one that both maps have. */
    private static <V> void replaceContents(Map<String, V> known, Map<String, V> stored) {
        known.putAll(stored);
        known.keySet().retainAll(stored.keySet());
    }

    private static Map<String, QuotaRecord> of(Map<String, Map<String, QuotaRecord>> kinds, String kind)
            throws MetadataException {
        @Nullable Map<String, QuotaRecord> one = kinds.get(kind);
        if (one == null) {
            throw new MetadataException(
                    MetadataException.Reason.UNKNOWN_FORMAT, Effect.NONE, "a quota of the unknown kind " + kind);
        }
        return one;
    }

    private Map<String, QuotaRecord> of(String kind) throws MetadataException {
        return of(Map.of(USER, users, TOPIC, topics), kind);
    }

    /** Whether no user and no topic has a quota. */
    public boolean isEmpty() {
        return users.isEmpty() && topics.isEmpty();
    }

    /** The user's quota. */
    public Optional<QuotaRecord> ofUser(String userId) {
        return Optional.ofNullable(users.get(userId));
    }

    /** The topic's quota. */
    public Optional<QuotaRecord> ofTopic(String topicId) {
        return Optional.ofNullable(topics.get(topicId));
    }

    /** The org's quota; {@link OrgQuotaRecord#NOTHING} if it has none. */
    public OrgQuotaRecord ofOrg(String orgId) {
        return orgs.getOrDefault(orgId, OrgQuotaRecord.NOTHING);
    }

    /** All users' quotas by user id. */
    public Map<String, QuotaRecord> users() {
        return Map.copyOf(users);
    }

    /** All orgs' quotas by org id. */
    public SortedMap<String, OrgQuotaRecord> orgs() {
        return new TreeMap<>(orgs);
    }

    /** Creates or replaces a user's quota. */
    public void setUser(String userId, QuotaRecord quota) throws MetadataException {
        set(USER, userId, quota);
    }

    /** Creates or replaces a topic's quota. */
    public void setTopic(String topicId, QuotaRecord quota) throws MetadataException {
        set(TOPIC, topicId, quota);
    }

    /** Removes a user's quota; false if there was none. */
    public boolean removeUser(String userId) throws MetadataException {
        return remove(USER, userId);
    }

    /** Removes a topic's quota; false if there was none. */
    public boolean removeTopic(String topicId) throws MetadataException {
        return remove(TOPIC, topicId);
    }

    private synchronized void set(String kind, String id, QuotaRecord quota) throws MetadataException {
        RowKey key = table.all().and(kind).and(id);
        Optional<Versioned<QuotaRecord>> row = table.find(key);
        while (table.save(key, quota, row.isPresent() ? row.get().version() : 0).isEmpty()) {
            row = table.find(key);
        }
        of(kind).put(id, quota);
    }

    private synchronized boolean remove(String kind, String id) throws MetadataException {
        RowKey key = table.all().and(kind).and(id);
        boolean known = table.find(key).isPresent();
        table.deleteAny(key);
        of(kind).remove(id);
        return known;
    }

    /** Changes an org's quota by compare-and-set; if {@code change} throws, nothing is written. */
    public synchronized void updateOrg(String orgId, UnaryOperator<OrgQuotaRecord> change) throws MetadataException {
        RowKey key = orgTable.all().and(orgId);
        while (true) {
            Optional<Versioned<OrgQuotaRecord>> row = orgTable.find(key);
            OrgQuotaRecord changed = change.apply(row.isPresent() ? row.get().value() : OrgQuotaRecord.NOTHING);
            if (orgTable.save(key, changed, row.isPresent() ? row.get().version() : 0)
                    .isPresent()) {
                orgs.put(orgId, changed);
                return;
            }
        }
    }
}
