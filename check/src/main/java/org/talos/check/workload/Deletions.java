// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.client.TalosClientException;
import org.talos.client.admin.TalosAdmin;

/**
 * Deletes topics and records it. Confined: the diary's thread.
 *
 * @param means how the client reaches the servers
 * @param deletedForAll how long a server may continue with a topic that another server has deleted
 * @param end of the run
 */
record Deletions(Diary diary, TalosAdmin admin, String means, Duration deletedForAll, CountDownLatch end) {
    private static final long PAUSE_MILLIS = 500;

    /**
     * Deletes a topic, repeating until it is gone; from the first attempt on its content is unknown. Returns false if
     * no server has confirmed that it deleted the topic: a server that knows of none may not have learned of it yet.
     *
     * @param keys the topic's partitions in the history
     */
    boolean delete(String topic, List<String> keys) {
        diary.add(diary.done(Kind.DELETE, Outcome.INFO, diary.now(), means).at(marks(keys, 0)));
        Recorder.Moment start = diary.now();
        boolean deleted = false;
        while (!deleted) {
            try {
                admin.deleteTopic(topic);
                deleted = true;
            } catch (TalosClientException e) {
                if (e.code().equals("TOPIC_NOT_EXIST") || !Diary.pause(end, PAUSE_MILLIS)) {
                    return false;
                }
            }
        }
        diary.add(diary.done(Kind.DELETE, Outcome.OK, start, means).at(marks(keys, deletedForAll.toMillis())));
        return true;
    }

    private static List<Mark> marks(List<String> keys, long to) {
        return keys.stream().map(key -> new Mark(key, 0, to)).toList();
    }
}
