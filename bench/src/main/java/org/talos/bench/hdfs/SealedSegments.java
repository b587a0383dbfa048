// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.talos.bench.load.NumberedMessages;
import org.talos.client.admin.TopicDescription;
import org.talos.common.message.MessageBlocks;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Makes sealed segments of an empty topic while no server runs: files, indexes and rows as servers leave them
 * (docs/formats/log.md, docs/formats/hdfs.md), each segment with one message and a single replica; of many all but a
 * few are without their bytes. By puts they would take hours, and an opening only lists them.
 *
 * <p>Confined: the main thread.
 */
final class SealedSegments {
    private static final long EPOCH = 1;
    private static final Duration APART = Duration.ofHours(1); // as log.segmentAge has it; further than log.dedupeAge
    /** The number of last segments that have their bytes. The others are only names to be listed. */
    private static final int WHOLE = 10;

    private static final int WRITERS = 24;
    private static final int BUFFER_BYTES = 4_096;
    private static final short REPLICAS = 1;
    private static final long BLOCK_BYTES = 1 << 20; // the least that HDFS takes
    private static final String SEGMENT = ".log";

    private final FileSystem files;
    private final String root;
    private final String topicId;
    private final int partitions;
    private final int count;
    private final long now = System.currentTimeMillis();

    /**
     * Nothing is made yet.
     *
     * @param root {@code hdfs.root} of the topic's server
     * @param count of segments of each partition
     */
    SealedSegments(FileSystem files, String root, TopicDescription topic, int count) {
        this.files = files;
        this.root = root;
        topicId = topic.resourceName().substring(topic.resourceName().lastIndexOf('#') + 1);
        partitions = topic.partitions();
        this.count = count;
    }

    /** The age of the oldest message: the topic has to keep it for longer. */
    static Duration oldest(int count) {
        return APART.multipliedBy(count);
    }

    private long appended(long offset) {
        return now - APART.multipliedBy(count - offset).toMillis();
    }

    /** The offset of the first message that can be read. */
    static long firstWhole(int count) {
        return Math.max(0, count - WHOLE);
    }

    /**
     * Makes them.
     *
     * @param metadata directory of the topic's server
     * @throws IOException they could not be made, or are not all there
     */
    void make(java.nio.file.Path metadata) throws IOException, InterruptedException {
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try {
            List<Callable<List<SegmentRecord>>> logs = new ArrayList<>();
            for (int partition = 0; partition < partitions; partition++) {
                int of = partition;
                logs.add(() -> log(of));
            }
            List<Future<List<SegmentRecord>>> made = writers.invokeAll(logs);
            save(metadata, made);
        } catch (ExecutionException e) {
            throw new IOException("segments were not made: " + e.getCause(), e);
        } catch (MetadataException e) {
            throw new IOException("the rows of segments were not written: " + e.getMessage(), e);
        } finally {
            writers.shutdownNow();
        }
    }

    private List<SegmentRecord> log(int partition) throws IOException {
        Path directory = new Path(root, "segments/" + topicId + "/" + partition);
        NumberedMessages messages = new NumberedMessages(NumberedMessages.LEAST_BYTES);
        List<SegmentRecord> rows = new ArrayList<>();
        for (long offset = 0; offset < count; offset++) {
            Path segment = new Path(directory, format("%020d-%d", offset, EPOCH) + SEGMENT);
            Path index = new Path(directory, format("%020d-%d", offset, EPOCH) + ".index");
            int bytes = 0;
            if (offset >= firstWhole(count)) {
                byte[] entry = entry(offset, messages.of(offset).body());
                bytes = entry.length;
                write(segment, header(), entry);
                write(index, index(offset));
            } else {
                write(segment);
                write(index);
            }
            rows.add(SegmentRecord.planned(offset, EPOCH).seal(offset + 1, bytes, appended(offset)));
        }
        long there = 0;
        for (var each : files.listStatus(directory)) {
            there += each.getPath().getName().endsWith(SEGMENT) ? 1 : 0;
        }
        if (there != count) {
            throw new IOException(directory + " has " + there + " segments (expected: " + count + ")");
        }
        return rows;
    }

    private void write(Path file, byte[]... parts) throws IOException {
        try (var out = files.create(file, false, BUFFER_BYTES, REPLICAS, BLOCK_BYTES)) {
            for (byte[] part : parts) {
                out.write(part);
            }
        }
    }

    /** Returns the first bytes of a segment's file whose bytes are in no journal. */
    private static byte[] header() {
        ByteBuffer header = ByteBuffer.allocate(32);
        header.put("TALOSSEG".getBytes(StandardCharsets.US_ASCII))
                .putInt(1)
                .putLong(0)
                .putLong(0);
        return header.putInt(crc(header.array(), 0, 28)).array();
    }

    private byte[] entry(long offset, byte[] body) {
        long at = appended(offset);
        MessageBlock block =
                MessageBlocks.write(List.of(new Message(ByteBuffer.wrap(body))), MessageCompressionType.NONE, at);
        byte[] bytes = block.getMessageBlock();
        byte[] sequenceId = ("filled#" + offset).getBytes(StandardCharsets.US_ASCII);
        ByteBuffer entry = ByteBuffer.allocate(60 + sequenceId.length + bytes.length);
        entry.put("TLEN".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) 1)
                .putShort((short) 0)
                .putShort((short) 1)
                .putShort((short) sequenceId.length)
                .putInt(0)
                .putInt(bytes.length)
                .putInt(block.getMessageNumber())
                .putInt(block.getCompressionType().getValue())
                .putLong(offset)
                .putLong(at)
                .putLong(at)
                .putInt(crc(bytes, 0, bytes.length))
                .putInt(0)
                .put(sequenceId)
                .put(bytes);
        CRC32C head = new CRC32C();
        head.update(entry.array(), 0, 56);
        head.update(sequenceId);
        entry.putInt(56, (int) head.getValue());
        return entry.array();
    }

    private byte[] index(long offset) {
        SparseIndex index = new SparseIndex(1);
        index.add(offset, appended(offset), 0);
        return index.encode();
    }

    private static int crc(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    private void save(java.nio.file.Path metadata, List<Future<List<SegmentRecord>>> made)
            throws IOException, MetadataException, InterruptedException, ExecutionException {
        try (RocksDbMetadataStore store = RocksDbMetadataStore.open(metadata)) {
            Partitions rows = new Partitions(store);
            for (int partition = 0; partition < partitions; partition++) {
                Optional<Versioned<PartitionRecord>> before = rows.find(topicId, partition);
                if (before.stream().anyMatch(row -> !row.value().segments().isEmpty())) {
                    throw new IOException("partition " + partition + " has segments already");
                }
                long epoch =
                        Math.max(EPOCH, before.map(row -> row.value().epoch()).orElse(0L));
                PartitionRecord row =
                        new PartitionRecord(epoch, "", 0, made.get(partition).get());
                if (rows.save(
                                topicId,
                                partition,
                                row,
                                before.map(Versioned::version).orElse(0L))
                        .isEmpty()) {
                    throw new IOException("the row of partition " + partition + " changed meanwhile");
                }
            }
        }
    }
}
