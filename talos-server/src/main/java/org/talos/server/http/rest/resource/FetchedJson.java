// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.message.UnreadableBlock;
import org.talos.thrift.MessageAndOffset;

/**
 * The answer to a fetch of a group's member. What can't be given of one partition keeps nothing of the others back.
 *
 * <p>Confined: to one answer.
 */
final class FetchedJson implements Json.Content {
    private final BlockMessages blocks;
    private final Form form;
    private final RequestMemory memory;
    private final GroupFetched fetched;
    private final int most;
    private final ObjectNode more = JsonNodeFactory.instance.objectNode(); // what stands behind the messages
    private final ArrayNode next = more.putArray("next");
    private final ArrayNode unreadable = more.putArray("unreadable");
    private int written;
    private RequestMemory.@Nullable ExhaustedException exhausted;

    /** @param most messages of all partitions together */
    FetchedJson(BlockMessages blocks, Form form, RequestMemory memory, GroupFetched fetched, int most) {
        this.blocks = blocks;
        this.form = form;
        this.memory = memory;
        this.fetched = fetched;
        this.most = most;
    }

    /**
     * Writes the answer, once.
     *
     * @throws RequestMemory.ExhaustedException there is memory for none of the partitions' messages
     */
    @Override
    public void write(JsonGenerator to) throws IOException {
        to.writeStartObject();
        ObjectNode head = JsonNodeFactory.instance.objectNode();
        MemberResources.numbers(head.putArray("partitions"), fetched.partitions());
        MemberResources.numbers(head.putArray("revoking"), fetched.revoking());
        MemberResources.numbers(head.putArray("lost"), fetched.commit().lost());
        MemberResources.numbers(head.putArray("unserved"), fetched.commit().unserved());
        writeFields(to, head);
        to.writeArrayFieldStart("messages");
        for (GroupFetched.Part part : fetched.parts()) {
            try {
                write(to, part);
            } catch (RequestMemory.ExhaustedException e) { // before anything of the part is written
                exhausted = e; // its messages come with a later fetch
            }
        }
        to.writeEndArray();
        if (exhausted != null && written == 0 && unreadable.isEmpty()) {
            throw exhausted;
        }
        addFailed();
        addMissed();
        writeFields(to, more);
        to.writeEndObject();
    }

    private static void writeFields(JsonGenerator to, ObjectNode fields) throws IOException {
        for (Map.Entry<String, JsonNode> each : fields.properties()) {
            to.writeFieldName(each.getKey());
            to.writeTree(each.getValue());
        }
    }

    private void write(JsonGenerator to, GroupFetched.Part part) throws IOException {
        BlockMessages.Reading reading = blocks.read(part.found(), part.from(), most - written, memory);
        reading.unreadable().ifPresent(this::add);
        long end = part.from();
        for (MessageAndOffset each : reading.messages()) {
            to.writeStartObject();
            MessageJson.writeFields(to, each, form);
            to.writeNumberField("partition", part.partition());
            to.writeEndObject();
            written++;
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

    private void addFailed() {
        ArrayNode failed = more.putArray("failed");
        for (GroupFetched.Failed each : fetched.failed()) {
            Problem.of(each.failure()).describe(failed.addObject().put("partition", each.partition()));
        }
    }

    private void addMissed() {
        ArrayNode missed = more.putArray("missed");
        for (GroupFetched.Part part : fetched.parts()) {
            if (part.missed() > 0) {
                missed.addObject().put("partition", part.partition()).put("messages", part.missed());
            }
        }
    }
}
