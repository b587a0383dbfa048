// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.check.history.Span;

/**
 * Records what deleted topics have left once all else is over: in the stores, and as stack traces in the servers' logs.
 *
 * <p>Confined: the main thread.
 */
public final class Aftermath {
    private static final long PAUSE_MILLIS = 2_000;

    private final SystemUnderTest system;
    private final Recorder recorder;

    /** The remains of a system whose clients have ended. */
    public Aftermath(SystemUnderTest system, Recorder recorder) {
        this.system = system;
        this.recorder = recorder;
    }

    /**
     * Waits until nothing is left in the stores, and records what is when time is up.
     *
     * @param patience more than servers wait before they try once more to delete
     */
    public void recordLeftovers(Duration patience) throws IOException, InterruptedException {
        Recorder.Moment start = recorder.now();
        long begun = System.nanoTime();
        Map<String, String> left = system.leftovers();
        while (!left.isEmpty() && System.nanoTime() - begun < patience.toNanos()) {
            Thread.sleep(PAUSE_MILLIS);
            left = system.leftovers();
        }
        recorder.add(Operation.of(
                        Nemesis.PROCESS, Kind.LEFT, left.isEmpty() ? Outcome.OK : Outcome.INFO, recorder.since(start))
                .by(Nemesis.NAME)
                .at(left.keySet().stream().map(each -> Mark.at(each, 0)).toList())
                .noting(left.isEmpty() ? "" : left.toString()));
    }

    /** Records each stack trace about a topic that a client had deleted. */
    public void recordTraces() throws IOException {
        Set<String> deleted = recorder.operations().stream()
                .filter(each -> each.kind() == Kind.DELETE)
                .flatMap(each -> each.marks().stream())
                .map(each -> topicId(each.key()))
                .collect(Collectors.toSet());
        for (TalosProcess server : system.servers()) {
            Path log = server.log();
            for (ServerLog.Trace each : ServerLog.traces(log, deleted)) {
                Recorder.Moment now = recorder.now();
                recorder.add(Operation.of(
                                Nemesis.PROCESS,
                                Kind.LOGGED,
                                Outcome.INFO,
                                new Span(now.nanos(), now.nanos(), each.wall(), each.wall()))
                        .by(Nemesis.NAME)
                        .at(List.of(Mark.at(each.topicId(), 0)))
                        .noting(log.getFileName() + ": " + String.join("\n", each.lines())));
            }
        }
    }

    /** The last part of the resource name that a history's key begins with. */
    static String topicId(String key) {
        int name = key.lastIndexOf('#');
        return key.substring(name + 1, key.indexOf('/', name));
    }
}
