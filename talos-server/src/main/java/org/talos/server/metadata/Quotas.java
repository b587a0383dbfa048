// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.UnaryOperator;
import org.talos.common.error.Effect;

/**
 * All quotas in memory, so that no put or get asks the store: read at start, written through on each change.
 *
 * <p>Thread-safe. Lookups never wait; changes block.
 */
public final class Quotas {
    private static final String USER = "user";
    private static final String TOPIC = "topic";

    private final Table<QuotaRecord> table;
    private final Table<OrgQuotaRecord> orgTable;
    private final ConcurrentMap<String, QuotaRecord> users = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, QuotaRecord> topics = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, OrgQuotaRecord> orgs = new ConcurrentHashMap<>();

    private Quotas(MetadataStore store) {
        table = new Table<>(store, 'q', QuotaRecord.class);
        orgTable = new Table<>(store, 'n', OrgQuotaRecord.class);
    }

    /** Reads all quotas in the store. */
    public static Quotas load(MetadataStore store) throws MetadataException {
        Quotas quotas = new Quotas(store);
        for (Table.Found<QuotaRecord> found : quotas.table.list(quotas.table.all())) {
            quotas.of(found.key().text(0)).put(found.key().text(1), found.row().value());
        }
        for (Table.Found<OrgQuotaRecord> found : quotas.orgTable.list(quotas.orgTable.all())) {
            quotas.orgs.put(found.key().text(0), found.row().value());
        }
        return quotas;
    }

    private ConcurrentMap<String, QuotaRecord> of(String kind) throws MetadataException {
        return switch (kind) {
            case USER -> users;
            case TOPIC -> topics;
            default ->
                throw new MetadataException(
                        MetadataException.Reason.UNKNOWN_FORMAT, Effect.NONE, "a quota of the unknown kind " + kind);
        };
    }

    /** Whether nobody has any. */
    public boolean isEmpty() {
        return users.isEmpty() && topics.isEmpty();
    }

    /** What a user may use, with all that they own. */
    public Optional<QuotaRecord> ofUser(String userId) {
        return Optional.ofNullable(users.get(userId));
    }

    /** What a topic may use. */
    public Optional<QuotaRecord> ofTopic(String topicId) {
        return Optional.ofNullable(topics.get(topicId));
    }

    /** What an org has. */
    public OrgQuotaRecord ofOrg(String orgId) {
        return orgs.getOrDefault(orgId, OrgQuotaRecord.NOTHING);
    }

    /** The users' quotas by user. */
    public Map<String, QuotaRecord> users() {
        return Map.copyOf(users);
    }

    /** The orgs' by org. */
    public SortedMap<String, OrgQuotaRecord> orgs() {
        return new TreeMap<>(orgs);
    }

    /** Sets a user's quota, whatever it was. */
    public void setUser(String userId, QuotaRecord quota) throws MetadataException {
        set(USER, userId, quota);
    }

    /** Sets a topic's quota, whatever it was. */
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

    /** Changes what an org has; what the change throws leaves it as it was. */
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
