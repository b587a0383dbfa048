// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.talos.check.history.Kind;
import org.talos.check.history.Mark;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;
import org.talos.launcher.local.ServerState;

/**
 * Records what each server uses: once the run has settled, and once more when the faults are over.
 *
 * <p>Confined: the main thread.
 */
public final class Samples {
    private final SystemUnderTest system;
    private final Recorder recorder;

    /** Samples of the servers of a system. */
    public Samples(SystemUnderTest system, Recorder recorder) {
        this.system = system;
        this.recorder = recorder;
    }

    /** Records what they use now; nothing of those that do not run. */
    public void record() throws IOException {
        for (int number = 0; number < system.servers().size(); number++) {
            Recorder.Moment start = recorder.now();
            Optional<ServerState> state = system.server(number).state();
            if (state.isPresent()) {
                recorder.add(Operation.of(Nemesis.PROCESS, Kind.USED, Outcome.OK, recorder.since(start))
                        .by(Nemesis.NAME)
                        .at(marks("server " + number, state.get())));
            }
        }
    }

    private static List<Mark> marks(String server, ServerState state) {
        return List.of(
                Mark.at(server + " heap", state.heapBytes()),
                Mark.at(server + " threads", state.threads()),
                Mark.at(server + " files", state.openFiles()));
    }
}
