// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.http.rest.RawMessage;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.MessageHeaders;
import org.talos.server.http.stream.incoming.ClientMessage;
import org.talos.server.service.Operations;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.group.GroupCommit;
import org.talos.server.service.group.GroupMember;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.StoredPut;
import org.talos.thrift.Message;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;
import org.talos.thrift.MessageType;

/**
 * A stream's work as calls of the server: rights, quotas and deadlines are those of any request, checked again for
 * each.
 *
 * <p>Thread-safe; never blocks.
 */
final class StreamCalls implements Places {
    private static final int MESSAGES_AT_ONCE = 10_000;
    private final Operations operations;
    private final Supplier<CallContext> contexts;
    private final String topic;
    private final String address;
    private final String producer;
    private final Reading reading;

    /**
     * Calls about a topic.
     *
     * @param topic its resource name: a client's open stream never refers to a later topic of the same name
     * @param contexts a context for work that begins now; fails if the key is gone
     * @param address of the client
     * @param producer identity of the puts; empty if they have none
     * @param reading turns blocks into messages for the client
     */
    StreamCalls(
            Operations operations,
            Supplier<CallContext> contexts,
            String topic,
            String address,
            String producer,
            Reading reading) {
        this.operations = operations;
        this.contexts = contexts;
        this.topic = topic;
        this.address = address;
        this.producer = producer;
        this.reading = reading;
    }

    /** Stores a put. */
    CompletionStage<StoredPut> put(InFlightPut put, ClientMessage.Put message) {
        CallContext context = contexts.get();
        MessageBlock block = block(message);
        PartitionName partition = new PartitionName(topic, put.partition());
        if (producer.isEmpty()) {
            return operations.messages().put(context, partition, block);
        }
        // No Idempotency-Key of REST's has a space.
        String key = context.principal().userId() + "/" + producer + " " + put.number();
        return operations.messages().putOnce(context, partition, block, key, digest(message, block));
    }

    private static MessageBlock block(ClientMessage.Put message) {
        if (message instanceof ClientMessage.PutBlock put) {
            MessageCompressionType compression = MessageCompressionType.findByValue(put.compression());
            if (compression == null) {
                throw ProblemException.badRequest("compression " + put.compression() + " (expected: 0..4)");
            }
            MessageBlock block = new MessageBlock(0, put.messages(), compression, put.block());
            block.setMessageBlockSize(put.block().remaining());
            block.setCreateTimestamp(put.createTime());
            return block;
        }
        if (message instanceof ClientMessage.PutJson put) {
            return put.block();
        }
        if (message instanceof ClientMessage.PutMessage put) {
            Message head = new Message();
            head.setCreateTimestamp(put.createTime());
            head.setMessageType(MessageType.BINARY);
            if (!put.key().isEmpty()) {
                head.setPartitionKey(put.key());
            }
            MessageHeaders.requireReadable(head);
            return RawMessage.around(put.message(), head);
        }
        throw new IllegalStateException("a put without its bytes");
    }

    /** Detects a client that uses a number twice. A client does not attack itself, so a checksum is enough. */
    private static String digest(ClientMessage.Put message, MessageBlock block) {
        if (message instanceof ClientMessage.PutJson json) {
            return "json/" + Long.toHexString(json.checksum()); // its create time may be that of its coming
        }
        ByteBuffer bytes = block.bufferForMessageBlock().duplicate();
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return block.getMessageNumber() + "/" + Long.toHexString(checksum.getValue());
    }

    /** One past the newest message. */
    CompletionStage<Long> end(int partition) {
        return operations.messages().endOffset(contexts.get(), new PartitionName(topic, partition));
    }

    /** Reads. The rights of a reader that waited are checked again before it gets the messages. */
    CompletionStage<Found> read(StreamWork.Read read) {
        PartitionName partition = new PartitionName(topic, read.subscription().partition());
        long most = reading.mostBytes(read.maxBytes());
        Fetch fetch = read.waits()
                ? Fetch.following(partition, read.offset(), MESSAGES_AT_ONCE, most)
                : new Fetch(partition, read.offset(), MESSAGES_AT_ONCE, most, Duration.ZERO, 1);
        CallContext context = contexts.get().with(read.subscription().presence());
        CompletionStage<Fetched> found = operations.messages().fetch(context, fetch);
        return (read.waits() ? found.thenApply(this::ifStillKnown) : found).thenCompose(each -> reading.of(read, each));
    }

    private Fetched ifStillKnown(Fetched found) {
        var unused = contexts.get();
        return found;
    }

    /** Joins a group, or continues as the earlier member. */
    CompletionStage<GroupMember> join(ClientMessage.Join asked) {
        GroupName group = new GroupName(topic, asked.group());
        if (!asked.member().isEmpty()) {
            return groups().rejoin(contexts.get(), group, asked.member());
        }
        long longest = groups().longestLeaseMillis();
        long lease = asked.leaseMillis() == 0 ? longest : Math.min(longest, asked.leaseMillis());
        long shortest = groups().shortestLeaseMillis();
        if (lease < shortest) {
            throw ProblemException.badRequest(
                    "a lease of " + lease + " ms (expected: 0, or " + shortest + " and more)");
        }
        return groups().join(contexts.get(), group, MemberKind.STREAM, address, lease);
    }

    private GroupOperations groups() {
        return operations.groups();
    }

    /** Renews a member's lease and balances. */
    CompletionStage<GroupReads.Balance> balance(StreamWork.Balance asked) {
        return groups().balance(
                        contexts.get(),
                        new GroupName(topic, asked.group()),
                        asked.member(),
                        asked.held(),
                        asked.positions(),
                        asked.fromLatest());
    }

    /** Commits for a member that holds the partition. */
    CompletionStage<GroupCommit> commit(StreamWork.Commit asked) {
        return groups().commit(
                        contexts.get(),
                        new GroupName(topic, asked.group()),
                        asked.member(),
                        Map.of(asked.partition(), asked.offset()));
    }

    /** Ends a membership. */
    CompletionStage<Boolean> leave(StreamWork.Leave asked) {
        return groups().leave(contexts.get(), new GroupName(topic, asked.group()), asked.member());
    }

    /**
     * Checks that the stream's key is still there.
     *
     * @throws org.talos.server.http.rest.json.ProblemException it is gone
     */
    void requireKey() {
        var unused = contexts.get();
    }

    @Override
    public int count() {
        return operations.messages().partitions(topic);
    }

    @Override
    public void require(int partition) {
        operations.messages().requirePartition(new PartitionName(topic, partition));
    }

    @Override
    public int ofKey(String key) {
        return operations.messages().placement(topic).partition(key);
    }

    @Override
    public boolean isHere(int partition) {
        try {
            return operations.messages().isServedHere(new PartitionName(topic, partition));
        } catch (TalosException e) {
            return false; // it is refused when it is begun
        }
    }
}
