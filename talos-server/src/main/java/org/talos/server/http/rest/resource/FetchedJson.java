// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.body.Body;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonFields;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.records.MemberRecords.Block;
import org.talos.server.http.rest.records.MemberRecords.Failed;
import org.talos.server.http.rest.records.MemberRecords.Missed;
import org.talos.server.http.rest.records.MemberRecords.Position;
import org.talos.server.http.rest.records.MemberRecords.Unreadable;
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
    private final List<Position> next = new ArrayList<>();
    private final List<Unreadable> unreadable = new ArrayList<>();
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
                .tree("partitions", Json.tree(fetched.partitions()))
                .tree("revoking", Json.tree(fetched.revoking()))
                .tree("lost", Json.tree(fetched.commit().lost()))
                .tree("unserved", Json.tree(fetched.commit().unserved()))
                .list(
                        "messages",
                        messages,
                        Given::body,
                        MessageJson.mostBytes(
                                messages.stream().map(Given::message).toList()))
                .tree("next", Json.tree(next))
                .tree("unreadable", Json.tree(unreadable))
                .tree("failed", Json.tree(failed()))
                .tree("missed", Json.tree(missed()))
                .end();
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
            next.add(new Position(part.partition(), end));
        }
    }

    private void add(UnreadableBlock block) {
        var place = new Problem.Unreadable(block.partition(), block.first(), block.last());
        Block shown = new Block(place.partition(), place.first(), place.last(), place.skip());
        unreadable.add(new Unreadable(shown, block.sentence()));
    }

    private List<Failed> failed() {
        return fetched.failed().stream()
                .map(each -> {
                    Problem problem = Problem.of(each.failure());
                    return new Failed(each.partition(), problem.code(), problem.retryable(), problem.detail());
                })
                .toList();
    }

    private List<Missed> missed() {
        return fetched.parts().stream()
                .filter(part -> part.missed() > 0)
                .map(part -> new Missed(part.partition(), part.missed()))
                .toList();
    }
}
