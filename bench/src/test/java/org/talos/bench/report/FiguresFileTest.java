// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandException;

class FiguresFileTest {
    private static final String FIRST = "# talos bench figures, format 1, of floor\n";

    @TempDir
    Path folder;

    private void refused(String text, String reason) throws Exception {
        Path file = Files.writeString(folder.resolve(FiguresFile.NAME), text);

        assertThatThrownBy(() -> FiguresFile.read(folder))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(reason);
    }

    @Test
    void whatIsWrittenIsReadToTheLastDigit() throws Exception {
        List<FigureRow> rows = List.of(
                FigureRow.of(Measures.measure("a, \"quoted\"", 1, 3, 7, Map.of("cpu busy", 1 / 3.0))),
                FigureRow.of(Measures.measure("b", 2, 1_000_003)));
        new FiguresFile("floor", rows).write(folder);

        FiguresFile read = FiguresFile.read(folder);

        assertThat(read).isEqualTo(new FiguresFile("floor", rows));
    }

    @Test
    void columnsAreThoseOfEveryMeasureThenTheOthersByName() throws Exception {
        FigureRow one = FigureRow.of(Measures.measure("a", 1, 10, 4, Map.of("storage share", 0.5)));
        FigureRow other = FigureRow.of(Measures.measure("b", 1, 10, 4, Map.of("cpu busy", 0.25)));
        new FiguresFile("floor", List.of(one, other)).write(folder);

        List<String> lines = Files.readAllLines(folder.resolve(FiguresFile.NAME));

        assertThat(lines.get(1))
                .isEqualTo("case,round,operation,QPS,mean ms,P50 ms,P75 ms,P99 ms,P999 ms,max ms,"
                        + "measured,seconds,succeeded,failed,cpu busy,storage share");
        assertThat(lines.get(2)).startsWith("a,1,put,10.0,").endsWith(",10.0,1.0,10.0,0.0,,0.5");
        assertThat(lines.get(3)).endsWith(",0.25,");
    }

    @Test
    void folderWithoutFiguresIsRefused() {
        assertThatThrownBy(() -> FiguresFile.read(folder))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining(folder + " has no figures.csv");
    }

    @Test
    void formatOfAnotherVersionIsRefused() throws Exception {
        refused("# talos bench figures, format 2, of floor\n", "format 2");
    }

    @Test
    void whatIsNotFiguresIsRefusedByItsLine() throws Exception {
        refused("", "does not begin");
        refused("round,case\n1,bare\n", "does not begin");
        refused(FIRST + "case,round,operation,QPS\n", "no figures");
        refused(FIRST + "case,round,operation,QPS\na,1,put\n", "line 3");
        refused(FIRST + "case,round,operation,QPS\na,1,put,1\na,1,put,many\n", "line 4");
        refused(FIRST + "case,round,operation,QPS\na,one,put,1\n", "line 3");
        refused(FIRST + "case,round,operation,QPS\n\"a,1,put,1\n", "line 3");
        refused(FIRST + "case,QPS,round,operation\na,1,put,1\n", "line 3");
    }
}
