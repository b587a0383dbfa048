// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandException;

@Timeout(30)
class HistoryFileTest {
    @TempDir
    Path folder;

    @Test
    void aHistoryIsReadAsItWasWritten() throws Exception {
        Path file = folder.resolve("history.jsonl");
        List<Operation> written;
        try (Recorder recorder = new Recorder(file)) {
            Recorder.Moment start = recorder.now();
            recorder.add(Operation.of(3, Kind.SEND, Outcome.INFO, recorder.since(start))
                    .by("rest")
                    .sent("p#1", 2)
                    .with(List.of(Entry.of("t/0", "a"), new Entry("t/0", 7, "ä \"b\"")))
                    .noting("timeout"));
            recorder.add(Operation.of(4, Kind.COMMIT, Outcome.OK, recorder.since(start))
                    .inGroup("g")
                    .at(List.of(new Mark("t/1", 2, 3))));
            written = recorder.operations();
        }

        assertThat(HistoryFile.read(file)).isEqualTo(written).hasSize(2);
        assertThat(written).extracting(Operation::number).containsExactly(0L, 1L);
    }

    @Test
    void anOperationIsInTheFileAsSoonAsItIsAdded() throws Exception {
        Path file = folder.resolve("history.jsonl");
        try (Recorder recorder = new Recorder(file)) {
            recorder.add(Operation.of(1, Kind.CRASH, Outcome.OK, recorder.since(recorder.now())));

            assertThat(HistoryFile.read(file)).hasSize(1);
        }
    }

    @Test
    void aLineThatIsNoneIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("history.jsonl"), "{\"number\":\n");

        assertThatThrownBy(() -> HistoryFile.read(file))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("line 1");
    }
}
