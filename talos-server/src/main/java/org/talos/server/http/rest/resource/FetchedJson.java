// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.RequestMemory;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.thrift.MessageAndOffset;

/**
 * The answer to a fetch of a group's member. What can't be given of one partition keeps nothing of the others back.
 *
 * <p>Confined: to one answer.
 */
final class FetchedJson {
    private final BlockMessages blocks;
    private final Form form;
    private final RequestMemory memory;
    private final ObjectNode parts = JsonNodeFactory.instance.objectNode();
    private final ArrayNode messages = parts.putArray("messages");
    private final ArrayNode next = parts.putArray("next");
    private final ArrayNode unreadable = parts.putArray("unreadable");
    private RequestMemory.@Nullable ExhaustedException exhausted;

    FetchedJson(BlockMessages blocks, Form form, RequestMemory memory) {
        this.blocks = blocks;
        this.form = form;
        this.memory = memory;
    }

    /**
     * Writes the answer.
     *
     * @param most messages of all partitions together
     * @throws RequestMemory.ExhaustedException there is memory for none of the partitions' messages
     */
    ObjectNode write(GroupFetched fetched, int most) {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        MemberResources.numbers(answer.putArray("partitions"), fetched.partitions());
        MemberResources.numbers(answer.putArray("revoking"), fetched.revoking());
        MemberResources.numbers(answer.putArray("lost"), fetched.commit().lost());
        MemberResources.numbers(answer.putArray("unserved"), fetched.commit().unserved());
        ArrayNode failed = parts.putArray("failed");
        for (GroupFetched.Failed each : fetched.failed()) {
            Problem.of(each.failure()).describe(failed.addObject().put("partition", each.partition()));
        }
        ArrayNode missed = parts.putArray("missed");
        for (GroupFetched.Part part : fetched.parts()) {
            if (part.missed() > 0) {
                missed.addObject().put("partition", part.partition()).put("messages", part.missed());
            }
            try {
                write(part, most - messages.size());
            } catch (RequestMemory.ExhaustedException e) {
                exhausted = e; // its messages come with a later fetch
            }
        }
        if (exhausted != null && messages.isEmpty() && unreadable.isEmpty()) {
            throw exhausted;
        }
        return answer.setAll(parts);
    }

    private void write(GroupFetched.Part part, int most) {
        BlockMessages.Reading reading = blocks.read(part.found(), part.from(), most, memory);
        reading.unreadable().ifPresent(this::add);
        long end = part.from();
        for (MessageAndOffset each : reading.messages()) {
            messages.add(MessageJson.write(each, form).put("partition", part.partition()));
            end = each.getMessageOffset() + 1;
        }
        if (end > part.from()) {
            next.addObject().put("partition", part.partition()).put("offset", end);
        }
    }

    private void add(UnreadableBlock block) {
        ObjectNode each = unreadable.addObject();
        new Problem.Unreadable(block.partition(), block.first(), block.last()).write(each);
        each.put("detail", block.sentence());
    }
}
