// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;

/**
 * All topics, cached in memory so that no put or get reads the store: loaded at start, written through on each change,
 * and refreshed at intervals if other servers change them too.
 *
 * <p>Large attributes are not in memory, except for the server's own; {@link #whole} reads them. Stored topics that
 * exceed the memory for topics are not loaded, and clients cannot find them. Their names stay taken, their data stays,
 * and the settings of their partitions are known ({@link #stored}). If even that is too much for the heap, the
 * partitions of further topics are not opened here, and their data is left alone.
 *
 * <p>A lookup sees a change once it is stored. After a write whose effect is unknown the row is read; if that fails
 * too, lookups answer the stale record until the topic changes or the cache is refreshed.
 *
 * <p>Thread-safe. Lookups never wait; changes block, one after another for a name.
 */
public final class TopicDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(TopicDirectory.class);
    private static final int STRIPES = 64;
    private static final int MOST_FAILED_READS = 3;
    private static final String OWN_ATTRIBUTE = "talos.";
    private static final int MOST_OWN_CHARACTERS = 64;
    private static final int SMALL_CHARACTERS = 1_024;

    private final Topics topics;
    private final TopicMemory memory;
    private final ConcurrentMap<String, Long> abridged = new ConcurrentHashMap<>(); // bytes of whole rows by topic id
    private final ConcurrentMap<String, TopicRecord> byName = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicRecord> byId = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, TopicRecord> byResourceName = new ConcurrentHashMap<>(); // as requests name it
    private final AtomicLong version = new AtomicLong();
    private final Object refreshLock = new Object();
    private final Object[] stripes = Stream.generate(Object::new).limit(STRIPES).toArray();

    private final TopicsWithoutRoom withoutRoom;
    private volatile int shownWithoutRoom;

    private TopicDirectory(Topics topics, TopicMemory memory) {
        this.topics = topics;
        this.memory = memory;
        withoutRoom = new TopicsWithoutRoom(memory.limitWithoutRoom());
    }

    /** Completes unfinished deletes, then loads all topics. */
    public static TopicDirectory load(Topics topics) throws MetadataException {
        return load(topics, TopicMemory.unbounded());
    }

    /** Completes unfinished deletes, then loads topics up to a bound of memory. */
    public static TopicDirectory load(Topics topics, TopicMemory memory) throws MetadataException {
        topics.finishDeletes();
        TopicDirectory directory = new TopicDirectory(topics, memory);
        List<MetadataException> unreadable = new ArrayList<>();
        topics.forEach(directory::index, (name, why) -> unreadable.add(why));
        if (!unreadable.isEmpty()) {
            throw unreadable.get(0);
        }
        directory.showNotLoaded();
        return directory;
    }

    private void showNotLoaded() {
        int now = notLoaded();
        if (now > shownWithoutRoom) {
            LOG.error(
                    "topics not loaded, the heap is too small for them: increase it, as TALOS_JAVA_OPTS=-Xmx4g does,"
                            + " and restart; their data stays topics={} more={}",
                    now,
                    isIncomplete());
        }
        shownWithoutRoom = now;
    }

    /**
     * Returns the number of stored topics that are not loaded because the heap is too small for them; there are more if
     * {@link #isIncomplete}.
     */
    public int notLoaded() {
        return withoutRoom.names().size();
    }

    /** Returns whether {@link #stored} lacks topics because the heap is too small even for its part of a topic. */
    public boolean isIncomplete() {
        return withoutRoom.isIncomplete();
    }

    /** Returns the memory that topics take. */
    public TopicMemory memory() {
        return memory;
    }

    /** Returns the topic with all its attributes. Blocks if they are not in memory. */
    public TopicRecord whole(TopicRecord topic) throws MetadataException {
        if (!abridged.containsKey(topic.topicId())) {
            return topic;
        }
        return topics.find(topic.name())
                .map(Versioned::value)
                .filter(found -> found.topicId().equals(topic.topicId()))
                .orElse(topic);
    }

    /** Returns the approximate heap of the topic in bytes, with all its attributes, including those not in memory. */
    public long rowBytes(TopicRecord topic) {
        @Nullable Long whole = abridged.get(topic.topicId());
        return whole == null ? topic.memoryBytes() : whole;
    }

    /** The present topic of this name. */
    public Optional<TopicRecord> byName(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The topic with this id. */
    public Optional<TopicRecord> byId(String topicId) {
        return Optional.ofNullable(byId.get(topicId));
    }

    /** The topic with exactly this resource name, {@code owner#name#topicId}; empty for that of an earlier topic. */
    public Optional<TopicRecord> byResourceName(String resourceName) {
        return Optional.ofNullable(byResourceName.get(resourceName));
    }

    /** All topics, in no order. */
    public Collection<TopicRecord> all() {
        return List.copyOf(byName.values());
    }

    /**
     * Returns all topics, in no order, including those that are not loaded. The latter have no permissions, and only
     * the server's own attributes.
     */
    public Collection<TopicRecord> stored() {
        Map<String, TopicRecord> stored = withoutRoom.all(); // first: a topic that is being loaded is in both
        stored.putAll(byName);
        return stored.values();
    }

    /** Returns the topic with this id, as {@link #stored} does. */
    public Optional<TopicRecord> storedById(String topicId) {
        Optional<TopicRecord> left = withoutRoom.byId(topicId); // first: a topic that is being loaded is in both
        return byId(topicId).or(() -> left);
    }

    /** Creates a topic; false if its name is taken. */
    public boolean create(TopicRecord topic) throws MetadataException {
        synchronized (stripe(topic.name())) {
            try {
                OptionalLong version = topics.create(topic);
                if (version.isPresent()) {
                    index(topic);
                } else {
                    refresh(topic.name());
                }
                return version.isPresent();
            } catch (MetadataException e) {
                throw afterFailure(topic.name(), e);
            }
        }
    }

    /**
     * Changes a topic by compare-and-set. {@code change} runs again if another server was faster; if it throws, nothing
     * is written. It must keep name, id and owner.
     *
     * @return the changed topic, or empty if there is none
     */
    public Optional<TopicRecord> update(String topicId, UnaryOperator<TopicRecord> change) throws MetadataException {
        @Nullable TopicRecord known = byId.get(topicId);
        if (known == null) {
            return Optional.empty();
        }
        synchronized (stripe(known.name())) {
            try {
                return change(known, change);
            } catch (MetadataException e) {
                throw afterFailure(known.name(), e);
            }
        }
    }

    private Optional<TopicRecord> change(TopicRecord known, UnaryOperator<TopicRecord> change)
            throws MetadataException {
        while (true) {
            Optional<Versioned<TopicRecord>> row = topics.find(known.name())
                    .filter(found -> found.value().topicId().equals(known.topicId()));
            if (row.isEmpty()) {
                refresh(known.name());
                return Optional.empty();
            }
            TopicRecord changed = change.apply(row.get().value());
            if (!changed.resourceName().equals(known.resourceName())) {
                throw new IllegalArgumentException("a change may not rename " + known.resourceName());
            }
            if (topics.update(changed, row.get().version()).isPresent()) {
                index(changed);
                return Optional.of(changed);
            }
        }
    }

    /**
     * Reads all topics again, with the changes of other servers; deleted topics first. An unreadable row affects no
     * other.
     *
     * @return why the rows that cannot be read cannot be, by whose they are; these topics stay as they were
     * @throws MetadataException the rows cannot be listed, or several not be read
     */
    public SortedMap<String, MetadataException> refresh() throws MetadataException {
        SortedMap<String, MetadataException> stale = new TreeMap<>();
        Set<String> gone = new HashSet<>(byName.keySet());
        gone.addAll(withoutRoom.names());
        List<String> changed = new ArrayList<>();
        topics.forEach(
                topic -> {
                    gone.remove(topic.name());
                    TopicRecord kept = kept(topic);
                    @Nullable TopicRecord known = byName.get(topic.name());
                    boolean isCurrent = (known == null && !memory.hasRoomForStored(kept))
                            ? withoutRoom.isCurrent(topic)
                            : kept.equals(known) && rowBytes(kept) == topic.memoryBytes();
                    if (!isCurrent) {
                        changed.add(topic.name());
                    }
                },
                (name, why) -> {
                    gone.remove(name);
                    stale.put(shown(name), why);
                });
        changed.addAll(0, gone);
        refresh(changed, stale);
        showNotLoaded();
        return stale;
    }

    /** Reads rows again: this server may have changed them since the listing. */
    private void refresh(List<String> names, Map<String, MetadataException> stale) throws MetadataException {
        int failed = 0;
        for (String name : names) {
            synchronized (stripe(name)) {
                try {
                    refresh(name);
                } catch (MetadataException e) {
                    stale.put(shown(name), e);
                    if (++failed == MOST_FAILED_READS) {
                        throw e; // each further one would wait as long
                    }
                }
            }
        }
    }

    private static String shown(String name) {
        return "topic " + name;
    }

    /** Reads the topic of this name again, with the changes of other servers. */
    public Optional<TopicRecord> readAgain(String name) throws MetadataException {
        synchronized (stripe(name)) {
            refresh(name);
        }
        return byName(name);
    }

    /** A number that grows with each change of a cached topic. */
    public long version() {
        return version.get();
    }

    /**
     * Refreshes if there is no topic of this id: another server may just have created it.
     *
     * @throws MetadataException the topic is not among the readable ones, and some are unreadable; or the heap is too
     *     small to keep it
     */
    public void refreshIfMissing(String topicId) throws MetadataException {
        synchronized (refreshLock) { // one refresh for all callers
            if (storedById(topicId).isEmpty()) {
                SortedMap<String, MetadataException> stale = refresh();
                if (!stale.isEmpty() && storedById(topicId).isEmpty()) {
                    throw stale.values().iterator().next();
                }
                if (storedById(topicId).isEmpty() && isLeftOut(topicId)) { // would be served by default options
                    throw new MetadataException(
                            MetadataException.Reason.UNAVAILABLE,
                            Effect.NONE,
                            "topic " + topicId + " is stored, and the heap is too small for it: increase the heap");
                }
            }
        }
    }

    /** Deletes a topic, leaving a tombstone for its data; false if there is no such topic. */
    public boolean delete(String topicId) throws MetadataException {
        @Nullable TopicRecord known = storedById(topicId).orElse(null);
        if (known == null) {
            return false;
        }
        synchronized (stripe(known.name())) {
            try {
                boolean deleted = topics.delete(known);
                forget(known);
                readNewTopic(known.name());
                return deleted;
            } catch (MetadataException e) {
                throw afterFailure(known.name(), e);
            }
        }
    }

    /** Somebody may have taken the freed name; if it cannot be read, the next refresh does it. */
    private void readNewTopic(String name) {
        try {
            refresh(name);
        } catch (MetadataException e) {
            LOG.info("lookup of a deleted topic's name failed topic={} cause={}", name, e.toString());
        }
    }

    /** The deleted topics whose data may be deleted: none of them is served any more. */
    public List<DeletedTopic> tombstones() throws MetadataException {
        List<DeletedTopic> tombstones = topics.tombstones();
        for (DeletedTopic deleted : tombstones) {
            delete(deleted.topicId()); // does something only where an earlier delete has stopped half-way
        }
        if (withoutRoom.isIncomplete()) {
            topics.finishDeletes(); // of topics that are not known here
        }
        return tombstones;
    }

    /**
     * Returns whether the topic is deleted and its data not swept yet. Reads the store, so that other servers' deletes
     * count.
     */
    public boolean isDeleted(String topicId) throws MetadataException {
        return topics.deleted(topicId).isPresent();
    }

    /** Returns whether the topic's row exists. Reads the store, so that deletions by other servers count. */
    public boolean exists(String topicId) throws MetadataException {
        Optional<TopicRecord> known = storedById(topicId);
        if (known.isEmpty()) {
            return isLeftOut(topicId);
        }
        return topics.find(known.get().name())
                .filter(row -> row.value().topicId().equals(topicId))
                .isPresent();
    }

    /** Returns whether the topic is stored although it is not known here. Reads all rows if there may be such. */
    private boolean isLeftOut(String topicId) throws MetadataException {
        if (!withoutRoom.isIncomplete()) {
            return false;
        }
        AtomicBoolean found = new AtomicBoolean();
        List<MetadataException> unreadable = new ArrayList<>();
        topics.forEach(
                topic -> found.compareAndSet(false, topic.topicId().equals(topicId)),
                (name, why) -> unreadable.add(why));
        if (!found.get() && !unreadable.isEmpty()) {
            throw unreadable.get(0);
        }
        return found.get();
    }

    private Object stripe(String name) {
        return stripes[Math.floorMod(name.hashCode(), STRIPES)];
    }

    private MetadataException afterFailure(String name, MetadataException failure) {
        if (failure.effect() != Effect.NONE) {
            try {
                refresh(name);
            } catch (MetadataException e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }

    /** Removes the topic, not another of its name. The caller holds the name's lock. */
    private void forget(TopicRecord topic) {
        if (byName.computeIfPresent(topic.name(), (name, of) -> of.topicId().equals(topic.topicId()) ? null : of)
                        == null
                && remove(topic)) {
            version.incrementAndGet();
        }
    }

    private boolean remove(TopicRecord topic) {
        byResourceName.remove(topic.resourceName());
        abridged.remove(topic.topicId());
        @Nullable TopicRecord removed = byId.remove(topic.topicId());
        if (removed != null) {
            memory.remove(removed);
        }
        return removed != null;
    }

    /** Reads the topic of the name again. The caller holds the name's lock. */
    private void refresh(String name) throws MetadataException {
        Optional<Versioned<TopicRecord>> row = topics.find(name);
        if (row.isPresent()) {
            index(row.get().value());
            return;
        }
        if (withoutRoom.remove(name)) {
            version.incrementAndGet();
        }
        @Nullable TopicRecord gone = byName.get(name);
        if (gone != null) {
            forget(gone);
        }
    }

    /**
     * Adds the topic to all maps, or replaces it. A topic that is new here and exceeds the memory is not loaded. The
     * caller holds the name's lock.
     */
    private void index(TopicRecord topic) {
        TopicRecord kept = kept(topic);
        @Nullable TopicRecord before = byName.get(topic.name());
        if (before == null && !memory.hasRoomForStored(kept)) {
            withoutRoom.put(topic);
            version.incrementAndGet();
            return;
        }
        if (kept.attributes().size() < topic.attributes().size()) {
            abridged.put(topic.topicId(), topic.memoryBytes()); // first: a caller that sees the record looks here
        }
        memory.add(kept);
        @Nullable TopicRecord replaced = byId.put(topic.topicId(), kept);
        if (replaced != null) {
            memory.remove(replaced);
        }
        byResourceName.put(topic.resourceName(), kept);
        byName.put(topic.name(), kept);
        if (before != null && !before.topicId().equals(topic.topicId())) {
            remove(before);
        }
        if (kept.attributes().size() == topic.attributes().size()) {
            abridged.remove(topic.topicId());
        }
        withoutRoom.remove(topic.name());
        version.incrementAndGet(); // last: a caller that has seen it sees the topic
    }

    /** Returns the topic as it is kept in memory. */
    private static TopicRecord kept(TopicRecord topic) {
        int characters = 0;
        for (Map.Entry<String, String> each : topic.attributes().entrySet()) {
            characters += length(each);
        }
        return characters <= SMALL_CHARACTERS ? topic : topic.withAttributes(own(topic));
    }

    /** Returns the attributes of the topic that are the server's own. */
    static Map<String, String> own(TopicRecord topic) {
        Map<String, String> own = new HashMap<>();
        for (Map.Entry<String, String> each : topic.attributes().entrySet()) {
            if (each.getKey().startsWith(OWN_ATTRIBUTE) && length(each) <= MOST_OWN_CHARACTERS) {
                own.put(each.getKey(), each.getValue());
            }
        }
        return own;
    }

    private static int length(Map.Entry<String, String> attribute) {
        return attribute.getKey().length() + attribute.getValue().length();
    }
}
