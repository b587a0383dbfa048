// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Recorder;

/** Polls the start and end offsets of the partitions and the committed offsets of the group. Confined: its thread. */
final class Watcher implements Runnable {
    private static final String MEANS = "rest";
    private static final long PACE_MILLIS = 250;

    private final Diary diary;
    private final RestCalls calls;
    private final String topic;
    private final String group;
    private final String key;
    private final CountDownLatch end;

    /** @param key what partitions are called by in the history, without their number */
    Watcher(Diary diary, RestCalls calls, String topic, String group, String key, CountDownLatch end) {
        this.diary = diary;
        this.calls = calls;
        this.topic = topic;
        this.group = group;
        this.key = key;
        this.end = end;
    }

    @Override
    public void run() {
        while (Diary.pause(end, PACE_MILLIS)) {
            poll();
        }
    }

    /** Polls both once. */
    void poll() {
        poll(Kind.OFFSETS, "", "/topics/" + topic + "/offsets", "start", "end");
        poll(Kind.COMMITTED, group, "/topics/" + topic + "/groups/" + group, "committed", "committed");
    }

    private void poll(Kind kind, String of, String path, String from, String to) {
        Recorder.Moment start = diary.now();
        RestCalls.Reply reply = calls.get(path);
        List<Mark> marks = new ArrayList<>();
        for (JsonNode each : reply.body().path("partitions")) {
            if (each.has(from) && each.has(to)) {
                marks.add(new Mark(
                        key + each.path("partition").asInt(),
                        each.path(from).asLong(),
                        each.path(to).asLong()));
            }
        }
        diary.add(diary.done(kind, reply.outcome(), start, MEANS)
                .inGroup(of)
                .at(marks)
                .noting(reply.note()));
    }
}
