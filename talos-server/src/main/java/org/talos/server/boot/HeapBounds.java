// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ClusterConfig;
import org.talos.server.config.ServerConfig;
import org.talos.server.memory.ConnectionMemory;
import org.talos.server.memory.DirectMemory;
import org.talos.server.metadata.cache.TopicMemory;

/**
 * Fits the limits of memory to the heap and to the memory outside of it. These limits bound what clients can fill. A
 * server whose limits are larger than its memory runs out of memory as soon as a client fills them.
 *
 * <p>Immutable.
 *
 * @param heapBytes of the heap, at most
 * @param directBytes of buffers outside of the heap, at most
 */
public record HeapBounds(long heapBytes, long directBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(HeapBounds.class);

    /** Bodies are contiguous, and the collector needs several times their memory to place them. */
    private static final long HEAP_FOR_REQUESTS = 4;

    /** Bytes that wait for their segments are kept with the objects that say where they belong. */
    private static final long HEAP_FOR_UNWRITTEN = 2;

    /** The heap of a server without clients. */
    private static final long OWN_BYTES = 32L << 20;

    /** Part of the heap for the indexes of segments: at 2 GiB enough for some 80 GiB of messages that are read. */
    private static final int HEAP_OF_INDEXES = 64;

    /** Part of the heap for the rows of groups that were read lately; those of others are read for each call. */
    private static final int HEAP_OF_GROUPS = 64;

    /** Part of the heap for the list of the groups of all topics: at 2 GiB enough for some 180,000 groups. */
    private static final int HEAP_OF_GROUP_LIST = 32;

    /** The part of all connections that one address may have; the rest is left to others. */
    private static final double OF_ONE_ADDRESS = 0.75;

    /**
     * Largest part of the heap for stored topics. New topics are refused at a quarter of it. Beyond it, a server could
     * not open the partitions that it serves.
     */
    private static final int HEAP_OF_TOPICS = 2;

    private static final long MEBIBYTE = 1 << 20;
    private static final long LEAST_UNWRITTEN_BYTES = MEBIBYTE;

    /** The bounds that are made to fit. Immutable. */
    private record Bounds(
            long connections,
            long connectionsOfAddress,
            long requestBytes,
            long tailBytes,
            long dedupeBytes,
            long unwrittenBytes) {
        static Bounds of(ServerConfig config) {
            return new Bounds(
                    config.http().maxConnections(),
                    config.http().limits().connectionsPerAddress(),
                    config.http().maxRequestMemoryBytes(),
                    config.log().tailCacheBytes(),
                    config.log().dedupeBytes(),
                    config.log().maxUnwrittenBytes());
        }

        long heapBytes() {
            return HEAP_FOR_REQUESTS * requestBytes + tailBytes + dedupeBytes + HEAP_FOR_UNWRITTEN * unwrittenBytes;
        }

        /** Returns the bounds by their settings. */
        Map<String, Long> settings() {
            Map<String, Long> settings = new LinkedHashMap<>();
            settings.put("http.maxConnections", connections);
            settings.put("http.limits.connectionsPerAddress", connectionsOfAddress);
            settings.put("http.maxRequestMemoryBytes", requestBytes);
            settings.put("log.tailCacheBytes", tailBytes);
            settings.put("log.dedupeBytes", dedupeBytes);
            settings.put("log.maxUnwrittenBytes", unwrittenBytes);
            return settings;
        }
    }

    /** Returns the memory of this JVM. */
    public static HeapBounds ofThisJvm() {
        return new HeapBounds(Runtime.getRuntime().maxMemory(), DirectMemory.most());
    }

    /**
     * Returns the configuration as it is if its bounds fit; else with fewer connections, as many as fit into their
     * part, and with smaller bounds of memory, all by the same factor, as far as requests of the largest size are still
     * possible.
     */
    public ServerConfig fitted(ServerConfig config) {
        Bounds bounds = Bounds.of(config);
        Bounds fitting = fitting(config);
        if (fitting.equals(bounds)) {
            return config;
        }
        Map<String, Long> less = fitting.settings();
        less.entrySet().removeAll(bounds.settings().entrySet());
        String settings = less.entrySet().stream()
                .map(each -> each.getKey() + "=" + text(each.getKey(), each.getValue()))
                .collect(Collectors.joining(" "));
        if (fitting.heapBytes() < bounds.heapBytes()) {
            LOG.warn(
                    "the heap of {} is small for the bounds of memory, smaller ones are in force: increase it, as"
                            + " TALOS_JAVA_OPTS=-Xmx{}m does, or set {}",
                    mebibytes(heapBytes),
                    mebibytesOfHeapFor(config),
                    settings);
        } else {
            LOG.info("the memory has room for fewer connections, these bounds are in force: {}", settings);
        }
        return changed(config, "", less);
    }

    private Bounds fitting(ServerConfig config) {
        Bounds bounds = Bounds.of(config);
        ConnectionMemory memory = connections(config);
        long connections = Math.min(bounds.connections, memory.connections());
        boolean leaveNone = bounds.connectionsOfAddress > connections;
        long ofAddress = connections == bounds.connections && !leaveNone
                ? bounds.connectionsOfAddress
                : Math.min(bounds.connectionsOfAddress, Math.max(1, (long) (connections * OF_ONE_ADDRESS)));
        long free = heapBytes - OWN_BYTES - memory.heapFor(connections);
        double factor = Math.min(1, (double) Math.max(0, free) / bounds.heapBytes());
        long largest = Math.max(config.http().maxBodyBytes(), config.service().maxGetBytes());
        return new Bounds(
                connections,
                ofAddress,
                Math.min(bounds.requestBytes, Math.max(largest, (long) (bounds.requestBytes * factor))),
                (long) (bounds.tailBytes * factor),
                (long) (bounds.dedupeBytes * factor),
                Math.min(bounds.unwrittenBytes, Math.max(LEAST_UNWRITTEN_BYTES, (long)
                        (bounds.unwrittenBytes * factor))));
    }

    private ConnectionMemory connections(ServerConfig config) {
        return ConnectionMemory.of(heapBytes, directBytes, config.http().tls().enabled());
    }

    /** Returns the size of a heap in which no bound of memory is made smaller. */
    private long mebibytesOfHeapFor(ServerConfig config) {
        long needed = Bounds.of(config).heapBytes();
        long mebibytes = heapBytes / MEBIBYTE;
        Bounds fitting;
        do {
            mebibytes++;
            long heap = mebibytes * MEBIBYTE;
            fitting = new HeapBounds(heap, Math.max(directBytes, heap)).fitting(config);
        } while (fitting.heapBytes() < needed);
        return mebibytes;
    }

    /** Returns the effective limits that follow from the memory, by their subject, for operators. */
    public Map<String, String> limits(ServerConfig config) {
        Map<String, String> limits = new LinkedHashMap<>();
        fitting(config).settings().forEach((key, value) -> limits.put(key, text(key, value)));
        limits.put("transfer.maxMemoryBytes", mebibytes(config.transfer().maxMemoryBytes()));
        ConnectionMemory memory = connections(config);
        limits.put("incomplete heads of HTTP/1.1", Integer.toString(memory.heads()));
        limits.put("buffers outside of the heap", mebibytes(memory.directBytes()));
        limits.put("indexes of segments", mebibytes(indexBytes(heapBytes)));
        limits.put("rows of groups", mebibytes(groupBytes(heapBytes)));
        limits.put("list of groups", mebibytes(groupListBytes(heapBytes)));
        return limits;
    }

    private static String text(String key, long value) {
        return key.endsWith("Bytes") ? mebibytes(value) : Long.toString(value);
    }

    /** Returns the size as the configuration writes it. */
    private static String mebibytes(long bytes) {
        return bytes / MEBIBYTE + "MiB";
    }

    /** Bytes for the indexes of sealed segments. Other indexes are read again when they are needed. */
    public static long indexBytes(long heapBytes) {
        return heapBytes / HEAP_OF_INDEXES;
    }

    /** Bytes for the rows of groups that were read lately. */
    public static long groupBytes(long heapBytes) {
        return heapBytes / HEAP_OF_GROUPS;
    }

    /** Bytes for the list of the groups of all topics, of which one owner of topics gets up to half. */
    public static long groupListBytes(long heapBytes) {
        return heapBytes / HEAP_OF_GROUP_LIST;
    }

    /** Returns a record with other values of some settings, which are named from it on. */
    @SuppressWarnings("unchecked")
    private static <R extends Record> R changed(R record, String prefix, Map<String, Long> values) {
        RecordComponent[] components = record.getClass().getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] arguments = new Object[components.length];
        try {
            for (int i = 0; i < components.length; i++) {
                String key = prefix + components[i].getName();
                Object before = components[i].getAccessor().invoke(record);
                Long value = values.get(key);
                types[i] = components[i].getType();
                if (before instanceof Record inner) {
                    arguments[i] = changed(inner, key + ".", values);
                } else if (value == null) {
                    arguments[i] = before;
                } else {
                    arguments[i] = types[i] == int.class ? (Object) value.intValue() : value;
                }
            }
            return (R) record.getClass().getDeclaredConstructor(types).newInstance(arguments);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(prefix + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("records of the configuration are public", e);
        }
    }

    /** Returns the memory in this heap for topics and, where this server serves all of them, their partitions. */
    public static TopicMemory topicMemory(ServerConfig config) {
        boolean servesAll = config.cluster().coordination() == ClusterConfig.CoordinationBy.SINGLE;
        return TopicMemory.of(Runtime.getRuntime().maxMemory() / HEAP_OF_TOPICS, servesAll);
    }
}
