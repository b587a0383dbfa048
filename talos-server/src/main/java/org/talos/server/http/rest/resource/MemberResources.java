// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.resource;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpStatus;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.name.MemberKind;
import org.talos.server.http.rest.RestAnswer;
import org.talos.server.http.rest.RestRequest;
import org.talos.server.http.rest.Route;
import org.talos.server.http.rest.description.Content;
import org.talos.server.http.rest.json.Json;
import org.talos.server.http.rest.json.JsonObject;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.message.MessageJson.Form;
import org.talos.server.http.rest.records.MemberRecords.Commit;
import org.talos.server.http.rest.records.MemberRecords.Fetch;
import org.talos.server.http.rest.records.MemberRecords.Join;
import org.talos.server.http.rest.records.MemberRecords.Member;
import org.talos.server.http.rest.records.MemberRecords.MemberFetched;
import org.talos.server.http.rest.records.ProblemRecords.CommitProblem;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.group.GroupCommit;
import org.talos.server.service.group.GroupFetch;
import org.talos.server.service.group.GroupFetched;
import org.talos.server.service.group.GroupMember;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.group.GroupOperations;

/** Members of consumer groups: they join, fetch, commit and leave. Thread-safe. */
final class MemberResources {
    private static final String MEMBERS = "/v1/topics/{topic}/groups/{group}/members";
    private static final String MEMBER = MEMBERS + "/{member}";
    private static final int MOST_OFFSETS = 1 << 16; // more partitions than topics have
    private static final long LONGEST_LEASE_MILLIS = 86_400_000; // the server's own limit is lower

    private final BlockMessages blocks;

    MemberResources(BlockMessages blocks) {
        this.blocks = blocks;
    }

    List<Route> routes() {
        return List.of(
                Route.of("POST", MEMBERS, Route.Body.SMALL, this::join)
                        .named("join", "Join a group")
                        .mayTake(Join.class)
                        .answers(201, "The new member, with what it is to read.", Member.class),
                Route.of("DELETE", MEMBER, Route.Body.NONE, this::leave)
                        .named("leave", "Leave the group: what the member held is free at once")
                        .answers(204, "It is not a member, whether it was or not."),
                Route.of("POST", MEMBER + "/heartbeat", Route.Body.NONE, this::heartbeat)
                        .named("heartbeat", "Begin the lease again, as every call of the member does")
                        .answers(200, "The member, with what it holds.", Member.class),
                Route.of("POST", MEMBER + "/commit", Route.Body.SMALL, this::commit)
                        .named(
                                "commit",
                                "Commit what has been processed, for all partitions named or none, but for "
                                        + "those that no server has")
                        .takes(Commit.class)
                        .answers(204, "It is committed.")
                        .answers(
                                503,
                                "No server has some of the partitions now, named as unserved; or has any of them, or "
                                        + "storage is not available.",
                                Content.of(Problem.CONTENT_TYPE, CommitProblem.class))
                        .fails(409, 416, 422),
                Route.of("POST", MEMBER + "/fetch", Route.Body.SMALL, this::fetch)
                        .named("fetchAsMember", "Commit, and get messages of the partitions that the member holds")
                        .mayTake(Fetch.class)
                        .answers(200, "Messages, and what the member holds.", MemberFetched.class)
                        .fails(409, 416, 422));
    }

    static GroupName name(RestRequest request) {
        return new GroupName(request.variable(0), request.variable(1));
    }

    private static GroupOperations groups(RestRequest request) {
        return request.operations().groups();
    }

    private CompletionStage<RestAnswer> join(RestRequest request) {
        JsonObject body = Json.readObjectIfAny(request.body());
        long longest = groups(request).longestLeaseMillis();
        long shortest = groups(request).shortestLeaseMillis();
        long lease = Math.min(longest, body.number("lease", longest, shortest, LONGEST_LEASE_MILLIS));
        body.end();
        return groups(request)
                .join(request.context(), name(request), MemberKind.REST, request.address(), lease)
                .thenApply(member -> RestAnswer.json(201, shown(member)));
    }

    private CompletionStage<RestAnswer> leave(RestRequest request) {
        return groups(request)
                .leave(request.context(), name(request), request.variable(2))
                .thenApply(left -> RestAnswer.noContent());
    }

    private CompletionStage<RestAnswer> heartbeat(RestRequest request) {
        return groups(request)
                .heartbeat(request.context(), name(request), request.variable(2))
                .thenApply(member -> RestAnswer.json(200, shown(member)));
    }

    private static Member shown(GroupMember member) {
        return new Member(member.id(), member.leaseMillis(), member.partitions());
    }

    private CompletionStage<RestAnswer> commit(RestRequest request) {
        JsonObject body = Json.readObject(request.body());
        if (!body.has("offsets")) {
            throw body.wrong("offsets", "a list of partitions and offsets");
        }
        Map<Integer, Long> next = offsets(body, "offsets");
        body.end();
        return groups(request)
                .commit(request.context(), name(request), request.variable(2), next)
                .thenApply(done -> {
                    if (!done.unserved().isEmpty()) {
                        throw new ProblemException(Problem.of(partly(next.keySet(), done.unserved())));
                    }
                    return RestAnswer.noContent();
                });
    }

    private static Problem.Partly partly(Set<Integer> all, List<Integer> unserved) {
        return new Problem.Partly(
                all.stream().filter(each -> !unserved.contains(each)).sorted().toList(), unserved);
    }

    /** Partition to offset; none if there is no such list. */
    private static Map<Integer, Long> offsets(JsonObject body, String name) {
        Map<Integer, Long> offsets = new HashMap<>();
        if (!body.has(name)) {
            return offsets;
        }
        for (JsonObject each : body.objects(name, MOST_OFFSETS)) {
            int partition = (int) each.requiredNumber("partition", 0, Integer.MAX_VALUE);
            long offset = each.requiredNumber("offset", 0, Long.MAX_VALUE);
            each.end();
            if (offsets.put(partition, offset) != null) {
                throw ProblemException.refused(
                        422, "repeated-partition", "partition " + partition + " comes twice in " + name);
            }
        }
        return offsets;
    }

    private CompletionStage<RestAnswer> fetch(RestRequest request) {
        JsonObject body = Json.readObjectIfAny(request.body());
        int most = (int) body.number("maxMessages", 100, 1, GetResources.MAX_MESSAGES);
        GroupFetch fetch = new GroupFetch(
                offsets(body, "commit"),
                offsets(body, "positions"),
                most,
                body.number("maxBytes", 1 << 20, 1, GetResources.MAX_BYTES),
                Duration.ofMillis(body.number("wait", 0, 0, GetResources.MAX_WAIT_MILLIS)),
                fromLatest(body));
        Form form = Form.of(body.text("as"));
        body.end();
        return groups(request)
                .fetch(request.context(), name(request), request.variable(2), fetch)
                .thenCompose(fetched -> answer(request, fetched, fetch.commit().keySet(), form, most));
    }

    private CompletionStage<RestAnswer> answer(
            RestRequest request, GroupFetched fetched, Set<Integer> committed, Form form, int most) {
        try (fetched) {
            return BlockMessages.decode(
                    request.heavy(),
                    request.memory(),
                    fetched.parts().stream().map(GroupFetched.Part::found).toList(),
                    waiting -> afterCommit(
                            committed,
                            fetched.commit(),
                            () -> RestAnswer.json(
                                    200,
                                    new FetchedJson(blocks, form, waiting, request.memory(), fetched, most).body())));
        }
    }

    /**
     * Makes the answer to a fetch whose commit has been stored. A failure to make it, as for lack of memory or of the
     * library of a compression, does not say that the commit did not happen.
     *
     * @param committed partitions of the commit
     */
    static <A> A afterCommit(Set<Integer> committed, GroupCommit done, Supplier<A> answer) {
        try {
            return answer.get();
        } catch (RequestMemory.ExhaustedException | TalosException e) {
            throw afterCommit(committed, done, e);
        }
    }

    /** Returns the failure to read the messages of a fetch, whose commit has been stored by then. */
    static RuntimeException afterCommit(Set<Integer> committed, GroupCommit done, RuntimeException failure) {
        List<Integer> refused = done.refused();
        if (refused.containsAll(committed)) {
            return failure;
        }
        Effect effect = refused.isEmpty() ? Effect.DONE : Effect.UNKNOWN;
        if (failure instanceof TalosException known) {
            return known.withEffect(effect);
        }
        return new ProblemException(new Problem(
                HttpStatus.SERVICE_UNAVAILABLE_503,
                "no-memory",
                "the offsets are committed, but there is no memory for messages now: fetch again without commit",
                effect));
    }

    private static boolean fromLatest(JsonObject body) {
        String begin = body.text("begin").orElse("earliest");
        if (!begin.equals("earliest") && !begin.equals("latest")) {
            throw body.wrong("begin", "earliest or latest");
        }
        return begin.equals("latest");
    }
}
