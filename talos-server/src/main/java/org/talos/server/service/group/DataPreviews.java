// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.auth.Permissions;
import org.talos.server.memory.BlockOpening;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.message.Decoding;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.server.service.message.UnreadableBlocks;
import org.talos.server.storage.LogId;
import org.talos.thrift.GetDataPreviewRequest;
import org.talos.thrift.GetDataPreviewResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.Permission;

/**
 * Turns the newest messages of a partition into rows of one column each, for the call getDataPreview.
 *
 * <p>Thread-safe. Nothing blocks.
 */
final class DataPreviews {
    private static final int MOST_MESSAGES = 10;
    private static final int MOST_BYTES = 1 << 20;
    private static final long MOST_PLAIN_BYTES = 16L << 20;

    /** Their bytes are held in pieces and whole; of their messages, one at a time. */
    private static final BlockOpening OPENING = new BlockOpening(MOST_PLAIN_BYTES, 2, 2, 0);

    private static final int MOST_CHARACTERS = 10_000;
    private static final String COLUMN = "message";

    private final TopicLookup topics;
    private final GetCalls gets;
    private final PartitionRoutes routes;
    private final Decoding decoding;
    private final UnreadableBlocks unreadable = new UnreadableBlocks();

    DataPreviews(TopicLookup topics, GetCalls gets, PartitionRoutes routes, Decoding decoding) {
        this.topics = topics;
        this.gets = gets;
        this.routes = routes;
        this.decoding = decoding;
    }

    /** Returns the newest messages, oldest first. Decompressing takes long, so users take turns. */
    CompletionStage<CallResult> getDataPreview(CallContext context, GetDataPreviewRequest request) {
        TopicRecord topic = topics.byPartition(request.getTopicAndPartition());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        int partition = request.getTopicAndPartition().getPartitionId();
        LogId id = new LogId(topic.topicId(), partition);
        boolean transferred = routes.to(id).transferred();
        return routes.bounds(id, new ForwardContext(context.principal().turnId(), context.deadlineNanos()))
                .thenCompose(bounds -> {
                    long from = Math.max(bounds.start(), bounds.end() - MOST_MESSAGES);
                    Fetch newest = new Fetch(
                            new PartitionName(topic.name(), partition),
                            from,
                            MOST_MESSAGES,
                            MOST_BYTES,
                            Duration.ZERO,
                            1);
                    return gets.fetch(context, newest)
                            .thenCompose(found -> decoding.run(
                                    id,
                                    context.deadlineNanos(),
                                    context.principal().turnId(),
                                    bytes(found),
                                    memory -> preview(found, from, memory)));
                })
                .thenApply(preview -> CallResult.of(transferred ? preview.setIsTransfer(true) : preview));
    }

    private static long bytes(Fetched found) {
        return found.blocks().stream()
                .mapToLong(block -> block.bufferForMessageBlock().remaining())
                .sum();
    }

    private GetDataPreviewResponse preview(Fetched found, long from, RequestMemory memory) {
        List<Map<String, String>> rows = new ArrayList<>();
        for (MessageBlock block : found.blocks()) {
            Optional<UnreadableBlock> known = unreadable.find(found.log(), block);
            if (known.isPresent()) {
                rows.add(Map.of(COLUMN, known.get().sentence()));
            } else {
                rows.addAll(preview(found, block, from, memory));
            }
        }
        return new GetDataPreviewResponse(List.of(COLUMN), rows, rows.size());
    }

    /** Returns a row for each message, or one for a block that cannot be shown. */
    private List<Map<String, String>> preview(Fetched found, MessageBlock block, long from, RequestMemory memory) {
        try {
            return OPENING.open(block, memory, (opened, most) -> rows(opened, most, from), shown -> 0);
        } catch (MalformedBlockException e) {
            return List.of(Map.of(
                    COLUMN, unreadable.add(found.log(), block, e.getMessage()).sentence()));
        }
    }

    private static List<Map<String, String>> rows(MessageBlock block, long maxPlainBytes, long from)
            throws MalformedBlockException {
        List<Map<String, String>> rows = new ArrayList<>();
        MessageBlocks.each(block, maxPlainBytes, each -> {
            if (each.getMessageOffset() >= from && rows.size() < MOST_MESSAGES) {
                rows.add(Map.of(COLUMN, text(each.getMessage().bufferForMessage())));
            }
        });
        return rows;
    }

    /** Returns the beginning of a message; data other than text is shown in base64. */
    private static String text(ByteBuffer bytes) {
        CharBuffer text = CharBuffer.allocate(MOST_CHARACTERS);
        CoderResult end = StandardCharsets.UTF_8.newDecoder().decode(bytes.duplicate(), text, true);
        if (end.isError()) {
            byte[] copy = new byte[Math.min(bytes.remaining(), MOST_CHARACTERS)];
            bytes.duplicate().get(copy);
            String encoded = Base64.getEncoder().encodeToString(copy);
            return encoded.length() <= MOST_CHARACTERS ? encoded : encoded.substring(0, MOST_CHARACTERS) + "…";
        }
        return text.flip() + (end.isOverflow() ? "…" : "");
    }
}
