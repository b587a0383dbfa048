// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.atIndex;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.cli.CommandContext;

@Timeout(30)
class TrainingRunTest {
    @Test
    void commandsPrintTheAnswerOfThePlayedServer() throws Exception {
        var out = new ByteArrayOutputStream();

        int code = TrainingRun.run(
                new CommandContext(Map.of(), InputStream.nullInputStream(), out, Path.of("none"), false));

        assertThat(code).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .hasSize(3)
                .satisfies(line -> assertThat(line).startsWith("training "), atIndex(1))
                .last()
                .asString()
                .startsWith("{\"topics\":[{\"name\":\"training\"");
    }
}
