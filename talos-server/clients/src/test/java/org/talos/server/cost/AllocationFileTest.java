// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests which figures the committed ones of allocation let pass. */
class AllocationFileTest {
    private static final AllocationFile FILE = AllocationFile.of(
            List.of("# What this is.", "put | 1000 | first measured", "get |  500 | was 400: a reason"));

    private static Map<String, Long> measured(long put, long get) {
        Map<String, Long> measured = new LinkedHashMap<>();
        measured.put("put", put);
        measured.put("get", get);
        return measured;
    }

    @Test
    void aTenthMoreOrLessPasses() {
        assertThat(FILE.complaint(measured(1_100, 450))).isEmpty();
    }

    @Test
    void moreThanATenthMoreFailsAndSaysWhichRequestBeforeNowAndWhatToDo() {
        assertThat(FILE.complaint(measured(1_101, 500)))
                .startsWith("put: 1,101 bytes a request, before 1,000: 10.1 % more.")
                .contains("-Dtest=RequestAllocationTest", "-Dtalos.allocation.why=")
                .doesNotContain("get");
    }

    @Test
    void moreThanATenthLessFailsToo() {
        assertThat(FILE.complaint(measured(1_000, 449)))
                .startsWith("get: 449 bytes a request, before 500: 10.2 % less");
    }

    @Test
    void aRequestWithoutFigureAndAFigureWithoutRequestFail() {
        assertThat(FILE.complaint(Map.of("put", 1_000L, "scan", 7L)))
                .contains("scan: 7 bytes, and no figure", "get: is measured no more");
    }

    @Test
    void aFigureWithoutReasonIsRefused() {
        assertThatThrownBy(() -> AllocationFile.of(List.of("put | 1000 | "))).hasMessageContaining("put | 1000 | ");
        assertThatThrownBy(() -> AllocationFile.of(List.of("put | 1000"))).hasMessageContaining("put | 1000");
        assertThatThrownBy(() -> FILE.rewritten(measured(2_000, 500), " ")).hasMessageContaining("needs a reason");
    }

    @Test
    void onlyWhatIsOffIsWrittenAnewWithTheReasonAndWhatItWas() {
        assertThat(FILE.rewritten(measured(2_000, 520), "blocks are checked"))
                .containsExactly(
                        "# What this is.",
                        "put | 2000 | was 1000: blocks are checked",
                        "get |  500 | was 400: a reason");
    }

    @Test
    void whatIsNearlyOffIsWrittenAnewToo() {
        assertThat(FILE.rewritten(measured(1_060, 500), "blocks are checked"))
                .contains("put | 1060 | was 1000: blocks are checked");
    }

    @Test
    void whatIsWrittenPasses() {
        Map<String, Long> measured = measured(2_000, 100);

        assertThat(AllocationFile.of(FILE.rewritten(measured, "why")).complaint(measured))
                .isEmpty();
    }
}
