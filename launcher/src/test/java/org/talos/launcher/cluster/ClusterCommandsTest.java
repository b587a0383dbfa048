// SPDX-License-Identifier: Apache-2.0
package org.talos.launcher.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.cli.CommandContext;
import org.talos.cli.Commands;
import picocli.CommandLine;

/** Tests init and doctor without a cluster. */
@Timeout(60)
final class ClusterCommandsTest {
    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private final CommandContext context =
            new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, Path.of(""), false);

    @Test
    void embeddedStoresNeedNothing() throws Exception {
        String config = config("dataDirectory: " + folder.resolve("data"));

        assertThat(run(new InitCommand(context), "--config", config)).isZero();
        assertThat(run(new DoctorCommand(context), "--config", config)).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("embedded stores: nothing to be made")
                .contains("ok    stores      embedded, in " + folder.resolve("data"));
        assertThat(folder.resolve("data")).doesNotExist();
    }

    @Test
    void doctorFailsWithAHintWhenTheClientFilesAreMissing() throws Exception {
        String config = config("storage: {logs: hdfs}\nhdfs: {configDirectory: " + folder + "}");

        assertThat(run(new DoctorCommand(context), "--config", config)).isEqualTo(1);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("FAIL  login", "core-site.xml is missing", "-> see kerberos");
    }

    @Test
    void doctorTellsProgramsTheSame() throws Exception {
        String config = config("storage: {logs: hdfs}\nhdfs: {configDirectory: " + folder + "}");

        assertThat(run(new DoctorCommand(context), "--config", config, "-o", "json"))
                .isEqualTo(1);

        JsonNode document = new JsonMapper().readTree(out.toByteArray());
        assertThat(document.get("healthy").asBoolean()).isFalse();
        assertThat(document.at("/findings/0/status").asText()).isEqualTo("FAIL");
        assertThat(document.at("/findings/0/detail").asText()).contains("core-site.xml is missing");
    }

    @Test
    void doctorSaysThatNoNameNodeAnswers() throws Exception {
        Files.writeString(folder.resolve("core-site.xml"), "<configuration/>");
        Files.writeString(folder.resolve("hdfs-site.xml"), "<configuration/>");
        String config = config("storage: {logs: hdfs}\nhdfs: {configDirectory: " + folder
                + ", root: 'hdfs://127.0.0.1:1/talos'}"); // nobody listens there

        assertThat(run(new DoctorCommand(context), "--config", config)).isEqualTo(1);

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("ok    login")
                .contains("FAIL  HDFS", "Connection refused", "is the NameNode running");
    }

    @Test
    void initSaysWhatIsMissingInOneLine() throws Exception {
        String config = config("storage: {logs: hdfs}\nhdfs: {configDirectory: " + folder + "}");

        assertThat(run(new InitCommand(context), "--config", config, "-o", "json"))
                .isEqualTo(1);

        JsonNode error = new JsonMapper().readTree(err.toString());
        assertThat(error.get("message").asText()).contains("core-site.xml is missing");
        assertThat(error.get("exitCode").asInt()).isEqualTo(1);
    }

    @Test
    void wrongConfigurationIsSaid() throws Exception {
        assertThat(run(new DoctorCommand(context), "--config", config("nonsense: 1")))
                .isEqualTo(1);

        assertThat(err.toString()).contains("unknown key nonsense");
    }

    @Test
    void doctorNeedsAConfigurationOrLocal() {
        assertThat(run(new DoctorCommand(context))).isEqualTo(2);
        assertThat(run(new DoctorCommand(context), "--data", folder.toString())).isEqualTo(2);

        assertThat(err.toString()).contains("--config FILE, or --local");
    }

    @Test
    void doctorSaysThatNoServerHasUsedADirectory() throws Exception {
        Path data = folder.resolve("data");

        assertThat(run(new DoctorCommand(context), "--local", "--data", data.toString(), "-o", "json"))
                .isEqualTo(1);

        JsonNode document = new JsonMapper().readTree(out.toByteArray());
        assertThat(document.get("healthy").asBoolean()).isFalse();
        assertThat(document.at("/findings/0/detail").asText()).contains("no server has used " + data);
        assertThat(document.get("holdings")).as("totals that were not counted").isEmpty();
        assertThat(data).doesNotExist();
    }

    private String config(String yaml) throws IOException {
        return Files.writeString(folder.resolve("talos.yaml"), yaml).toString();
    }

    private int run(Object command, String... arguments) {
        CommandLine line = Commands.prepared(command);
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }
}
