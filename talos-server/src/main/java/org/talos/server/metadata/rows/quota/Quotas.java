// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.quota;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.Table;
import org.talos.server.metadata.rows.Versioned;

/**
 * All quotas, cached in memory so that no put or get reads the store: loaded at start, written through on each change,
 * and refreshed at intervals if other servers change them too.
 *
 * <p>Thread-safe. Lookups never wait; changes block.
 */
public final class Quotas {
    public static final char TABLE = 'q';
    public static final char ORG_TABLE = 'n';

    private static final String USER = "user";
    private static final String TOPIC = "topic";
    private static final String ORG = "org";

    private final Table<QuotaRecord> table;
    private final Table<OrgQuotaRecord> orgTable;
    private final ConcurrentMap<String, QuotaRecord> users = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, QuotaRecord> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, OrgQuotaRecord> orgs = new ConcurrentHashMap<>();

    private Quotas(MetadataStore store) {
        table = new Table<>(store, TABLE, QuotaRecord.class);
        orgTable = new Table<>(store, ORG_TABLE, OrgQuotaRecord.class);
    }

    /** Reads all quotas in the store; fails if one of them cannot be read. */
    public static Quotas load(MetadataStore store) throws MetadataException {
        Quotas quotas = new Quotas(store);
        SortedMap<String, MetadataException> unreadable = quotas.refresh();
        unreadable.putAll(quotas.refreshOrgs());
        if (!unreadable.isEmpty()) {
            throw unreadable.values().iterator().next();
        }
        return quotas;
    }

    /**
     * Reads the quotas of users and topics again, with the changes of other servers.
     *
     * @return why the rows that cannot be read cannot be, by whose they are; these quotas stay as they were
     */
    public synchronized SortedMap<String, MetadataException> refresh() throws MetadataException {
        Map<String, QuotaRecord> stored = new HashMap<>(); // by kind and id
        SortedMap<String, MetadataException> unreadable = new TreeMap<>();
        table.list(
                table.all(),
                found -> stored.put(
                        named(found.key().text(0), found.key().text(1)),
                        found.row().value()),
                (key, why) -> unreadable.put(named(key.text(0), key.text(1)), why));
        replaceContents(users, USER, stored, unreadable.keySet());
        replaceContents(topics, TOPIC, stored, unreadable.keySet());
        for (String left : stored.keySet()) {
            unreadable.put(
                    left,
                    new MetadataException(Reason.UNKNOWN_FORMAT, Effect.NONE, "a quota of an unknown kind: " + left));
        }
        return prefixed(unreadable);
    }

    /** As {@link #refresh}, for the quotas of orgs. */
    public synchronized SortedMap<String, MetadataException> refreshOrgs() throws MetadataException {
        Map<String, OrgQuotaRecord> stored = new HashMap<>();
        SortedMap<String, MetadataException> unreadable = new TreeMap<>();
        orgTable.list(
                orgTable.all(),
                found -> stored.put(named(ORG, found.key().text(0)), found.row().value()),
                (key, why) -> unreadable.put(named(ORG, key.text(0)), why));
        replaceContents(orgs, ORG, stored, unreadable.keySet());
        return prefixed(unreadable);
    }

    private static String named(String kind, String id) {
        return kind + " " + id;
    }

    private static SortedMap<String, MetadataException> prefixed(Map<String, MetadataException> unreadable) {
        SortedMap<String, MetadataException> shown = new TreeMap<>();
        unreadable.forEach((name, why) -> shown.put("quota of " + name, why));
        return shown;
    }

    /**
     * Removes records that are no longer stored, then adds the stored records of the kind from {@code stored};
     * unreadable ones stay. A lookup never misses an entry that is present before and afterwards.
     */
    private static <V> void replaceContents(
            Map<String, V> known, String kind, Map<String, V> stored, Set<String> unreadable) {
        known.keySet().removeIf(id -> !stored.containsKey(named(kind, id)) && !unreadable.contains(named(kind, id)));
        String prefix = named(kind, "");
        stored.entrySet().removeIf(found -> {
            boolean ofKind = found.getKey().startsWith(prefix);
            if (ofKind) {
                known.put(found.getKey().substring(prefix.length()), found.getValue());
            }
            return ofKind;
        });
    }

    private Map<String, QuotaRecord> of(String kind) {
        return kind.equals(USER) ? users : topics;
    }

    /** Returns whether no user and no topic has a quota. */
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
