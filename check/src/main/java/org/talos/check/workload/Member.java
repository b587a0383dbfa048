// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.check.history.Span;

/**
 * A member of a consumer group over REST: each fetch commits the previous one's messages; now and then it leaves, or is
 * dropped without leaving.
 *
 * <p>Confined: its thread.
 */
final class Member implements Runnable {
    private static final String MEANS = "rest";
    private static final int ONE_IN = 96;
    private static final int WAIT_MILLIS = 300;
    private static final int MOST_MESSAGES = 300;
    private static final long PACE_MILLIS = 150;

    private final Diary diary;
    private final Supplier<RestCalls> clients;
    private final Group group;
    private final String path;
    private final SplittableRandom random;
    private final CountDownLatch end;
    private final long leaseMillis;
    private RestCalls calls;
    private String member = "";
    private JsonNode commit = emptyCommit();
    private Set<Integer> held = Set.of();

    /**
     * A consumer group. Immutable.
     *
     * @param key what partitions are called by in the history, without their number
     * @param begin where it begins: earliest or latest
     */
    record Group(String topic, String name, String key, String begin) {
        static final String EARLIEST = "earliest";
        static final String LATEST = "latest";
    }

    /** @param lease after which the member is dropped if it does not fetch */
    Member(
            Diary diary,
            Supplier<RestCalls> clients,
            Group group,
            SplittableRandom random,
            CountDownLatch end,
            Duration lease) {
        this.diary = diary;
        this.clients = clients;
        this.group = group;
        this.random = random;
        this.end = end;
        leaseMillis = lease.toMillis();
        path = "/topics/" + group.topic() + "/groups/" + group.name() + "/members";
        calls = clients.get();
    }

    @Override
    public void run() {
        while (Diary.pause(end, random.nextLong(PACE_MILLIS))) {
            int choice = random.nextInt(ONE_IN);
            if (choice == 0) {
                leave();
            } else if (choice == 1) {
                calls = clients.get();
                begin(Kind.CRASH, "");
            } else {
                var unused = fetch();
            }
        }
        leave();
    }

    /** Joins if it is not a member, else fetches once as {@link #run} does, and returns the messages. */
    List<Entry> fetch() {
        if (member.isEmpty()) {
            join();
            return List.of();
        }
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("maxMessages", MOST_MESSAGES)
                .put("wait", WAIT_MILLIS)
                .put("as", "text")
                .put("begin", group.begin());
        request.set("commit", commit);
        Recorder.Moment start = diary.now();
        RestCalls.Reply reply = calls.post(path + "/" + member + "/fetch", request, Map.of());
        Span span = diary.since(start);
        if (reply.isOk()) {
            return fetched(reply.body(), span);
        }
        committed(reply.outcome(), Set.of(), span, reply.note());
        diary.add(group(Kind.POLL, reply.outcome(), span).noting(reply.note()));
        if (reply.note().contains("consumer-not-exist")) {
            begin(Kind.SUBSCRIBE, "");
        } else if (reply.outcome() == Outcome.INFO) {
            diary.add(group(Kind.SUBSCRIBE, Outcome.OK, span)); // the answer that was lost may have said so
        }
        return List.of();
    }

    private List<Entry> fetched(JsonNode answer, Span span) {
        Set<Integer> lost = numbers(answer.path("lost"));
        lost.addAll(numbers(answer.path("unserved"))); // not committed, and given again
        Set<Integer> now = numbers(answer.path("partitions"));
        committed(Outcome.OK, lost, span, "");
        if (!now.equals(held) || !lost.isEmpty()) {
            diary.add(group(Kind.SUBSCRIBE, Outcome.OK, span).noting("holds " + now));
            held = now;
        }
        List<Entry> entries = RestCaller.read(answer, group.key(), 0);
        diary.add(group(Kind.POLL, Outcome.OK, span).with(entries));
        commit = answer.path("next").isArray() ? answer.path("next") : emptyCommit();
        return entries;
    }

    private void committed(Outcome outcome, Set<Integer> lost, Span span, String note) {
        List<Mark> marks = new ArrayList<>();
        for (JsonNode each : commit) {
            int partition = each.path("partition").asInt();
            if (!lost.contains(partition)) {
                marks.add(Mark.at(group.key() + partition, each.path("offset").asLong()));
            }
        }
        if (!marks.isEmpty()) {
            diary.add(group(Kind.COMMIT, outcome, span).at(marks).noting(note));
        }
    }

    private static Set<Integer> numbers(JsonNode list) {
        Set<Integer> numbers = new HashSet<>();
        list.forEach(each -> numbers.add(each.asInt()));
        return numbers;
    }

    private void join() {
        RestCalls.Reply reply =
                calls.post(path, JsonNodeFactory.instance.objectNode().put("lease", leaseMillis), Map.of());
        begin(Kind.SUBSCRIBE, reply.isOk() ? reply.body().path("member").asText() : "");
    }

    /** Discards its membership and its uncommitted offsets; those messages are given to other members. */
    private void begin(Kind kind, String as) {
        member = as;
        commit = emptyCommit();
        held = Set.of();
        diary.add(group(kind, Outcome.OK, diary.since(diary.now())).noting(as));
    }

    private static ArrayNode emptyCommit() {
        return JsonNodeFactory.instance.arrayNode();
    }

    /** Leaves without a commit. */
    void leave() {
        if (!member.isEmpty()) {
            var unused = calls.delete(path + "/" + member);
            begin(Kind.SUBSCRIBE, "");
        }
    }

    private Operation group(Kind kind, Outcome outcome, Span span) {
        return diary.done(kind, outcome, span, MEANS).inGroup(group.name());
    }
}
