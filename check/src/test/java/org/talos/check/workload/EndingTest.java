// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.check.history.Entry;
import org.talos.check.history.Kind;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;
import org.talos.check.history.Recorder;

class EndingTest {
    private static final String KEY = "checked/";
    private static final Entry VALUE = new Entry(KEY + 0, 0, "value");

    @TempDir
    private Path folder;

    /** Is given the value at the n-th time that it asks. Confined: one test. */
    private static final class Reader implements Caller {
        private final int reads;
        private int asked;

        Reader(int reads) {
            this.reads = reads;
        }

        @Override
        public String means() {
            return "fake";
        }

        @Override
        public Put prepare(int partition, List<String> values) {
            throw new AssertionError("put");
        }

        @Override
        public Answer read(int partition, long from) {
            asked++;
            return Answer.ok(asked == reads ? List.of(VALUE) : List.of());
        }
    }

    @Test
    void eachWhoReadsHasTheWholeTime() throws Exception {
        try (Recorder recorder = new Recorder(folder.resolve("history"))) {
            Diary diary = new Diary(recorder);
            diary.add(diary.done(Kind.SEND, Outcome.OK, diary.now(), "fake").with(List.of(VALUE)));
            Ending ending = new Ending(recorder, KEY, 1, 1);

            boolean late = ending.read(diary, new Reader(Integer.MAX_VALUE)); // until its time is over
            boolean complete = ending.read(diary, new Reader(2));

            assertThat(List.of(late, complete)).containsExactly(false, true);

            assertThat(recorder.operations())
                    .filteredOn(each -> each.kind() == Kind.DRAIN)
                    .extracting(Operation::outcome)
                    .containsExactly(Outcome.INFO, Outcome.OK);
        }
    }

    @Test
    void endOfTheRunIsTheEndOfReadingInItsMiddleAndNoResult() throws Exception {
        try (Recorder recorder = new Recorder(folder.resolve("history"))) {
            Diary diary = new Diary(recorder);
            diary.add(diary.done(Kind.SEND, Outcome.OK, diary.now(), "fake").with(List.of(VALUE)));
            CountDownLatch end = new CountDownLatch(1);
            Ending ending = Ending.during(recorder, KEY, 1, end);

            boolean complete = ending.read(diary, new Reader(2));
            end.countDown();
            boolean interrupted = ending.read(diary, new Reader(Integer.MAX_VALUE));

            assertThat(List.of(complete, interrupted)).containsExactly(true, false);
            assertThat(recorder.operations())
                    .filteredOn(each -> each.kind() == Kind.DRAIN)
                    .hasSize(1);
        }
    }
}
