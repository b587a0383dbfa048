// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.thrift.MessageAndOffset;

/**
 * Makes the answer to a fetch of a group's member. What cannot be given of one partition keeps nothing of the others
 * back.
 *
 * <p>Confined: to one answer.
 */
final class FetchedJson {
    private final BlockMessages blocks;
    private final Form form;
    private final RequestMemory waiting;
    private final RequestMemory memory;
    private final GroupFetched fetched;
    private final int most;
    private final List<Given> messages = new ArrayList<>();
    private final ArrayNode next = JsonNodeFactory.instance.arrayNode();
    private final ArrayNode unreadable = JsonNodeFactory.instance.arrayNode();
    private RequestMemory.@Nullable ExhaustedException exhausted;

    /** A message of a partition. Immutable. */
    private record Given(int partition, MessageJson.Prepared message) {
        Body body() {
            JsonFields fields = new JsonFields();
            MessageJson.addTo(fields, message);
            return fields.number("partition", partition).end();
        }
    }

    /**
     * An answer of these messages.
     *
     * @param waiting holds the blocks
     * @param most messages of all partitions together
     */
    FetchedJson(
            BlockMessages blocks,
            Form form,
            RequestMemory waiting,
            RequestMemory memory,
            GroupFetched fetched,
            int most) {
        this.blocks = blocks;
        this.form = form;
        this.waiting = waiting;
        this.memory = memory;
        this.fetched = fetched;
        this.most = most;
    }

    /**
     * Reads the messages and returns the answer, once.
     *
     * @throws RequestMemory.ExhaustedException there is memory for none of the partitions' messages
     */
    Body body() {
        for (GroupFetched.Part part : fetched.parts()) {
            try {
                read(part);
            } catch (RequestMemory.ExhaustedException e) { // before anything of the part was taken
                exhausted = e; // its messages come with a later fetch
            }
        }
        if (exhausted != null && messages.isEmpty() && unreadable.isEmpty()) {
            throw exhausted;
        }
        return new JsonFields()
                .tree("partitions", numbers(fetched.partitions()))
                .tree("revoking", numbers(fetched.revoking()))
                .tree("lost", numbers(fetched.commit().lost()))
                .tree("unserved", numbers(fetched.commit().unserved()))
                .list(
                        "messages",
                        messages,
                        Given::body,
                        MessageJson.mostBytes(
                                messages.stream().map(Given::message).toList()))
                .tree("next", next)
                .tree("unreadable", unreadable)
                .tree("failed", failed())
                .tree("missed", missed())
                .end();
    }

    private static ArrayNode numbers(Collection<Integer> numbers) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        MemberResources.numbers(array, numbers);
        return array;
    }

    private void read(GroupFetched.Part part) {
        BlockMessages.Reading reading = blocks.read(part.found(), part.from(), most - messages.size(), waiting, memory);
        reading.unreadable().ifPresent(this::add);
        long end = part.from();
        for (MessageAndOffset each : reading.messages()) {
            messages.add(new Given(part.partition(), MessageJson.prepare(each, form)));
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

    private ArrayNode failed() {
        ArrayNode failed = JsonNodeFactory.instance.arrayNode();
        for (GroupFetched.Failed each : fetched.failed()) {
            Problem.of(each.failure()).describe(failed.addObject().put("partition", each.partition()));
        }
        return failed;
    }

    private ArrayNode missed() {
        ArrayNode missed = JsonNodeFactory.instance.arrayNode();
        for (GroupFetched.Part part : fetched.parts()) {
            if (part.missed() > 0) {
                missed.addObject().put("partition", part.partition()).put("messages", part.missed());
            }
        }
        return missed;
    }
}
